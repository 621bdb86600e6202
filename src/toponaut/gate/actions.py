"""Links that do something instead of showing a page: share, print, log in, plan a route.

One table, each kind with its reason (a Refusal). Three places give an action away:

    the host and its path    www.google.com/maps/dir/    twitter.com/intent/tweet
    a segment of the path    /wp-login.php   /cart/   /events/fair/ical/   /mailto:info@example.org
    a parameter              ?replytocom=5   ?ical=1   ?share=facebook   ?orderby=price-desc

A content page that is refused is lost, an action that passes costs one request. So a word that
titles pages, too ("directions", "register", "print", "feed"), counts only where no page has it.
Nearly all links have none of these words: that takes two set lookups (1 us).
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from toponaut.records import Refusal
from toponaut.urls import registered_domain

_Rules = tuple[tuple[re.Pattern[str], Refusal], ...]

# Services by their host without "www.", or by the name before the suffix ("google" is google.com
# and google.co.uk), with "*." for any subdomain. The pattern is for the rest of the URL.
_ANY = ""
_SERVICES: tuple[tuple[Refusal, str, str], ...] = (
    (Refusal.MAP, "google bing yandex", r"/(?:maps|local)(?:[/?]|$)"),
    (Refusal.MAP, "maps.google maps.apple maps.yahoo maps.yandex maps.app.goo.gl *.waze wego.here "
     "share.here *.mapy w3w.co what3words geohack.toolforge.org", _ANY),
    (Refusal.MAP, "goo.gl", r"/maps/"),
    (Refusal.MAP, "tools.wmflabs.org", r"/geohack"),
    (Refusal.MAP, "openstreetmap.org",
     r"/(?:$|\?|(?:node|way|relation|note|directions|search|query|export|edit)(?:[/?]|$))"),
    (Refusal.MAP, "mapquest citymapper.com", r"/(?:directions|maps)(?:[/?]|$)"),
    (Refusal.MAP, "m.uber.com", r"/(?:ul|looking)"),
    (Refusal.SHARE, "*.facebook", r"/(?:sharer|share\.php|dialog/|plugins/)"),
    (Refusal.SHARE, "*.twitter x.com bsky.app threads.net threads.com",
     r"/(?:intent/|share(?:[/?]|$)|home\?status=)"),
    (Refusal.SHARE, "*.pinterest", r"/pin/create"),
    (Refusal.SHARE, "*.linkedin", r"/(?:sharearticle|sharing/|cws/share)"),
    (Refusal.SHARE, "*.reddit *.stumbleupon digg.com", r"/(?:r/[^/]+/)?submit"),
    (Refusal.SHARE, "*.tumblr", r"/(?:widgets/)?share"),
    (Refusal.SHARE, "t.me telegram.me", r"/share(?:[/?]|$)"),
    (Refusal.SHARE, "wa.me *.whatsapp", r"/(?:send|share|message/|\+?\d|\?)"),
    (Refusal.SHARE, "*.xing", r"/(?:spi/shares|social_plugins/share|social/share|app/user)"),
    (Refusal.SHARE, "vk.com", r"/share\.php"),
    (Refusal.SHARE, "getpocket.com", r"/(?:save|edit)"),
    (Refusal.SHARE, "delicious.com del.icio.us", r"/(?:save|post)"),
    (Refusal.SHARE, "buffer.com bufferapp.com mix.com", r"/add(?:[/?]|$)"),
    (Refusal.SHARE, "news.ycombinator.com", r"/submitlink"),
    (Refusal.SHARE, "*.addtoany *.addthis *.sharethis", r"/(?:share|add_to|bookmark)"),
    (Refusal.SHARE, "share.flipboard.com connect.ok.ru lineit.line.me social-plugins.line.me "
     "plus.google mail.google compose.mail.yahoo mastodonshare.com", _ANY),
    (Refusal.CALENDAR_ENTRY, "google", r"/calendar/"),
    (Refusal.CALENDAR_ENTRY, "calendar.google calendar.yahoo outlook.live outlook.office "
     "outlook.office365 calndr.link evt.to", _ANY),
    (Refusal.CALENDAR_ENTRY, "*.addevent addtocalendar.com",
     r"/(?:dir|event|calendar|create|atc)/"),
    (Refusal.LOGIN, "accounts.google login.live login.yahoo *.microsoftonline", _ANY),
    (Refusal.LOGIN, "*.facebook", r"/(?:login|recover|reg|r\.php)(?:[/?.]|$)"),
    (Refusal.LOGIN, "*.instagram", r"/accounts/"),
    (Refusal.LOGIN, "*.twitter x.com", r"/(?:login|signup|i/flow)(?:[/?]|$)"),
    (Refusal.CART, "*.paypal", r"/(?:cgi-bin|donate|paypalme|ncp|signin)(?:[/?]|$)"),
    (Refusal.CART, "paypal.me buy.stripe.com donate.stripe.com checkout.stripe.com", _ANY),
    (Refusal.FEED, "feeds.feedburner.com", _ANY),
    (Refusal.FORM, "*.list-manage", r"/(?:(?:un)?subscribe|profile)"),
)  # fmt: skip

# Segments that are an action wherever they are in a path.
_ANYWHERE: dict[Refusal, str] = {
    Refusal.LOGIN: "wp-login.php wp-admin wp-signup.php wp-register.php special:userlogin "
    "special:createaccount special:userlogout",
    Refusal.FEED: "wp-json xmlrpc.php wp-cron.php wp-trackback.php oembed",
    Refusal.REPLY: "wp-comments-post.php",
    Refusal.SHARE: "sharer.php tell-a-friend tellafriend email-a-friend email-to-friend "
    "send-to-friend sendtofriend sendfriend printmail mailto",
    Refusal.PRINT: "printpdf printview",
    Refusal.CART: "product_compare add-to-cart addtocart add_to_cart",
    Refusal.CALENDAR_ENTRY: "outlook-ical add-to-calendar addtocalendar add_to_calendar addtocal",
    Refusal.CONTACT: "email-protection",  # of Cloudflare: a hidden mailto
    Refusal.FORM: "unsubscribe recaptcha captcha captcha.php chk_captcha",
}
# Segments that are an action as the last one, also with an ending (".html").
_LAST: dict[Refusal, str] = {
    Refusal.LOGIN: "logout log-out logoff lost-password lostpassword forgot-password "
    "forgot_password forgotpassword password-reset reset-password passwordreminder",
    Refusal.FEED: "rss rss2 rss.xml feed.xml atom.xml index.rdf trackback",
    Refusal.CALENDAR_ENTRY: "ical ics webcal",
    Refusal.CART: "viewcart wishlist warenkorb winkelwagen winkelmand varukorg panier carrello "
    "carrito merkzettel checkout",
}
# The same as the first one, after a language, a shop or an account; a folder may have that name.
_FIRST: dict[Refusal, str] = {
    Refusal.CART: "cart checkout wishlist",
    Refusal.LOGIN: "register registration signup sign-up create-account createaccount my-account "
    "myaccount mein-konto",
}
_ENDINGS = ("", ".php", ".html", ".htm", ".asp", ".aspx", ".jsp")
_STEPS = frozenset("add remove update change delete cart view onepage login".split())
_OPENING = re.compile(
    r"[a-z]{2}(?:[-_][a-z]{2})?|index\.php|shop|store|users?|accounts?|members?|customer|auth"
)

_FLAG = r"(?:1|true|yes|y|on|print|pdf)?"
_ORDERED = r"(?:[\w.%+-]+[-_.:+])?(?:asc|desc|ascending|descending)"
# Parameters by name, with the values that make them an action.
_PARAMETERS: tuple[tuple[Refusal, str, str], ...] = (
    (Refusal.REPLY, "replytocom", r".*"),
    (Refusal.REPLY, "action mode", r"(?:reply|quote|edit)"),
    (Refusal.CALENDAR_ENTRY, "ical outlook-ical", r".*"),
    (Refusal.CALENDAR_ENTRY, "format task output", r"(?:ical|ics|icalendar|webcal)"),
    (Refusal.FEED, "feed", r"(?:rss2?|atom|rdf|podcast|comments-[\w-]+|feed)?"),
    (Refusal.FEED, "format type", r"(?:feed|rss2?|atom|oembed)"),
    (Refusal.FEED, "rest_route doing_wp_cron", r".*"),
    (Refusal.PRINT, "print printable print_view", _FLAG),
    (Refusal.PRINT, "view format output mode layout page_view", r"print(?:able|er|view)?"),
    (Refusal.SHARE, "share",
     r"(?:facebook|twitter|x|email|e-?mail|linkedin|pinterest|reddit|tumblr|pocket|telegram"
     r"|whatsapp|jetpack-whatsapp|skype|mastodon|threads|bluesky|print|press-this|custom-\d+)"),
    (Refusal.SHARE, "option", r"com_mailto"),
    (Refusal.LOGIN, "action do mode",
     r"(?:login|logout|log_?in|log_?out|register|lost-?password|rp|resetpass|signup)"),
    (Refusal.LOGIN, "loggedout reauth", r".*"),
    (Refusal.LOGIN, "title", r"special(?::|%3a)(?:userlogin|createaccount|userlogout)"),
    (Refusal.LOGIN, "main_page", r"(?:login|logoff|create_account|account.*|password_forgotten)"),
    (Refusal.LOGIN, "route", r"account(?:/|%2f).*"),
    (Refusal.CART, "main_page", r"(?:shopping_cart|checkout.*)"),
    (Refusal.CART, "route", r"(?:checkout(?:/|%2f).*|product(?:/|%2f)compare)"),
    (Refusal.CART, "add-to-cart add_to_cart addtocart add_to_wishlist add-to-wishlist "
     "add_to_compare remove_item undo_item remove_from_wishlist", r".*"),
    (Refusal.CART, "action", r"(?:yith-woocompare|add_?to_?cart|add_product|buy_now).*"),
    (Refusal.REORDER, "orderby product_list_order product_list_dir", r".*"),
    (Refusal.REORDER, "c", r"[nmsd];o=[ad]"),  # the columns of Apache's folder listing
    (Refusal.REORDER, "sort sortby sort_by sort_order sortorder sortdir order order_by dir",
     _ORDERED),
    (Refusal.FORM, "unsubscribe", r".*"),
)  # fmt: skip
# A link to mail, phone or script after "http://" or a folder. Also a mail address or a phone number
# in place of a file; not as a folder, because archives of mailing lists have such.
_SCHEME = re.compile(
    r"/(?:%20)*(?:mailto|tel|sms|fax|callto|whatsapp|skype|javascript)(?::|%3a)"
    r"|/[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}$|/\+\d(?:[\d.()-]|%20){5,}$"
)
_LOGIN_END = re.compile(
    r"[/_-](?:my|new|user|admin|member|client|customer)?(?:login|log-in|logon|signin|sign-in)"
    r"(?:\.[a-z]{2,5})?/?$"
)
# WordPress: /a-post/feed/, /feed/atom/. A farm's shop: /products/feed.
_FEED_END = re.compile(r".*/feed/(?:(?:rss2?|atom|rdf|podcast)/?)?$|/feed$")
# WP-Print: /2019/05/a-post/print/. Drupal: /print/123. A printer's page is /services/print.
_PRINT_END = re.compile(r"/\d{4}/.+/print/?$|/print/(?:node/)?\d+/?$")


def _by_word(table: Mapping[Refusal, str], endings: Sequence[str] = ("",)) -> dict[str, Refusal]:
    return {
        word + ending: kind
        for kind, words in table.items()
        for word in words.split()
        for ending in endings
    }


def _by_name(table: tuple[tuple[Refusal, str, str], ...]) -> dict[str, _Rules]:
    found: dict[str, _Rules] = {}
    for kind, names, pattern in table:
        for name in names.split():
            found[name] = (*found.get(name, ()), (re.compile(pattern), kind))
    return found


_SERVICE_RULES, _PARAMETER_RULES = _by_name(_SERVICES), _by_name(_PARAMETERS)
_IN_PATH = _by_word(_ANYWHERE)
_AT_END, _AT_START = _by_word(_LAST, _ENDINGS), _by_word(_FIRST, _ENDINGS)
_SEGMENTS = frozenset((*_IN_PATH, *_AT_END, *_AT_START, "feed", "print"))


def action(url: str) -> Refusal | None:
    """The kind of action that a URL in normal form leads to; None for a page."""
    path, asks, query = url.lower().partition("?")
    segments = path.split("/")
    rules = _service_rules(segments[2])
    if rules:
        rest = "/" + "/".join(segments[3:]) + asks + query
        for pattern, kind in rules:
            if pattern.match(rest):
                return kind
    if not _SEGMENTS.isdisjoint(segments) and (found := _in_path(segments[3:])):
        return found
    if ("log" in path or "sign" in path) and _LOGIN_END.search(path):
        return Refusal.LOGIN
    hides = "@" in path or ":" in path[8:] or "%3a" in path or "/+" in path
    if hides and _SCHEME.search(path):
        return Refusal.CONTACT
    return _in_query(query) if asks else None


@lru_cache(maxsize=65_536)
def _service_rules(host: str) -> _Rules:
    """The rules for a host: most have none."""
    bare, domain = host.removeprefix("www."), registered_domain(host)
    name = domain.partition(".")[0]
    keys = bare, bare.removesuffix(domain) + name, f"*.{name}"
    return tuple(rule for key in keys for rule in _SERVICE_RULES.get(key, ()))


def _in_path(segments: list[str]) -> Refusal | None:
    for segment in segments:
        if segment in _IN_PATH:
            return _IN_PATH[segment]
    named = [one for one in segments if one]
    if named[-1] in _AT_END:
        return _AT_END[named[-1]]
    while len(named) > 1 and _OPENING.fullmatch(named[0]):
        del named[0]
    if named[0] in _AT_START and (len(named) == 1 or named[1] in _STEPS):
        return _AT_START[named[0]]
    path = "/" + "/".join(segments)
    if _FEED_END.match(path):
        return Refusal.FEED
    return Refusal.PRINT if _PRINT_END.search(path) else None


def _in_query(query: str) -> Refusal | None:
    for parameter in query.split("&"):
        name, _, value = parameter.partition("=")
        for pattern, kind in _PARAMETER_RULES.get(name, ()):
            if pattern.fullmatch(value):
                return kind
    return None
