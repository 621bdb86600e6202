"""Action links: the kinds that real pages have, and pages with similar URLs that must pass."""

from pathlib import Path

import pytest
from tests.support.crawling import crawl, job, urls, visits
from tests.support.web_answers import Redirect
from tests.support.webserver import Sites, TestWeb

from toponaut.crawl.explain import explain
from toponaut.gate.actions import action
from toponaut.gate.links import LinkFilter
from toponaut.job.sections import LimitsSection
from toponaut.records import Outcome, Refusal
from toponaut.urls import normalise

ACTIONS = {
    Refusal.MAP: """
        https://www.google.com/maps/dir/?api=1&destination=12+Main+St
        https://www.google.co.uk/maps/place/Pier+4
        https://maps.google.de/maps?q=Markt+1
        https://maps.app.goo.gl/AbC123
        https://goo.gl/maps/AbC
        https://www.bing.com/maps?q=Lisbon
        https://maps.apple.com/?daddr=12+Main+St
        https://www.openstreetmap.org/
        https://www.openstreetmap.org/?mlat=53.1&mlon=8.2
        https://www.openstreetmap.org/way/123
        https://www.mapquest.com/directions/to/us
        https://waze.com/ul?ll=53.1,8.2
        https://geohack.toolforge.org/geohack.php?params=53_N_8_E""",
    Refusal.SHARE: """
        https://www.facebook.com/sharer/sharer.php?u=https://a.example/
        https://m.facebook.com/sharer.php?u=x
        https://twitter.com/intent/tweet?url=x
        https://x.com/intent/post?url=x
        https://twitter.com/share?url=x
        https://de.pinterest.com/pin/create/button/?url=x
        https://www.linkedin.com/shareArticle?mini=true&url=x
        https://www.reddit.com/submit?url=x
        https://api.whatsapp.com/send?text=x
        https://wa.me/?text=x
        https://t.me/share/url?url=x
        https://a.example/post/?share=twitter&nb=1
        https://a.example/index.php?option=com_mailto&link=abc
        https://a.example/tell-a-friend/12""",
    Refusal.CALENDAR_ENTRY: """
        https://calendar.google.com/calendar/render?action=TEMPLATE&text=Fair
        https://www.google.com/calendar/event?action=TEMPLATE&text=Fair
        https://outlook.live.com/calendar/0/deeplink/compose?subject=Fair
        https://a.example/events/?ical=1
        https://a.example/event/fair/?outlook-ical=1
        https://a.example/event/fair/ical/""",
    Refusal.FEED: """
        https://a.example/feed/
        https://a.example/a-post/feed/
        https://a.example/comments/feed/
        https://a.example/feed/atom/
        https://a.example/?feed=rss2
        https://a.example/index.php?format=feed&type=rss
        https://a.example/wp-json/oembed/1.0/embed?url=x
        https://a.example/xmlrpc.php""",
    Refusal.PRINT: """
        https://a.example/page?print=1
        https://a.example/page?tmpl=component&print=1&page=
        https://a.example/2019/05/a-post/print/
        https://a.example/print/123
        https://a.example/w/index.php?title=Town&printable=yes""",
    Refusal.REPLY: """
        https://a.example/a-post/?replytocom=17
        https://a.example/posting.php?mode=reply&t=4
        https://a.example/w/index.php?title=Town&action=edit""",
    Refusal.LOGIN: """
        https://a.example/wp-login.php?redirect_to=x
        https://a.example/blog/wp-admin/
        https://a.example/login
        https://a.example/intern/login.aspx?back=x
        https://a.example/Employee-Login.aspx
        https://a.example/de/register
        https://a.example/user/register
        https://a.example/my-account/lost-password/
        https://a.example/?action=lostpassword
        https://accounts.google.com/signin""",
    Refusal.CART: """
        https://a.example/cart
        https://a.example/en/cart/
        https://a.example/shop/checkout/
        https://a.example/cart/add
        https://a.example/checkout/cart/
        https://a.example/warenkorb
        https://a.example/lamp/?add-to-cart=12
        https://a.example/lamp/?add_to_wishlist=12
        https://a.example/catalog/product_compare/add/12""",
    Refusal.CONTACT: """
        http://tel:555/
        https://a.example/about/tel:+15551234
        https://a.example/mailto:info@a.example
        https://a.example/%6dailto:info@a.example
        https://a.example/mailto%3Ainfo@a.example
        https://a.example/contact/info@a.example
        https://a.example/javascript:void(0)
        https://a.example/+49441123456
        https://a.example/cdn-cgi/l/email-protection""",
    Refusal.REORDER: """
        https://a.example/lamps/?orderby=price-desc
        https://a.example/lamps?sort=price_asc
        https://a.example/lamps?dir=desc&order=name
        https://a.example/files/?C=N;O=D""",
    Refusal.FORM: """
        https://a.example/newsletter/unsubscribe?id=3
        https://a.example/captcha.php
        https://a.us4.list-manage.com/subscribe?u=1""",
}
PAGES = """
    https://a.example/
    https://a.example/directions
    https://a.example/maps/
    https://support.google.com/maps/answer/1
    https://www.mapquest.com/us/pa/a-diner-1
    https://www.facebook.com/a.diner/
    https://twitter.com/a_diner
    https://www.reddit.com/r/lisbon/
    https://www.openstreetmap.org/about
    https://a.example/calendar/
    https://a.example/events/2026-05-04/
    https://a.example/products/feed
    https://a.example/feeding-the-birds/
    https://a.example/print
    https://a.example/services/print
    https://a.example/prints/123
    https://a.example/blog/
    https://a.example/catalogin/
    https://a.example/performance-signing-tickets
    https://a.example/how-to-login-to-the-library/
    https://a.example/events/fair/register
    https://a.example/national-register/
    https://a.example/golf/cart/rental
    https://a.example/cart/index.php?route=product/product&id=4
    https://a.example/carte
    https://a.example/basket
    https://a.example/compare
    https://a.example/@user
    https://a.example/list/users@lists.a.example/thread/4
    https://a.example/wiki/Category:Towns
    https://a.example/lamps?sort=price
    https://a.example/list?c=d
    https://a.example/shop?order=12
    https://a.example/?type=shop
    https://a.example/?share=12
    https://a.example/?feed=cattle
    https://a.example/w/index.php?title=Town&action=history
"""


@pytest.mark.parametrize(
    ("url", "kind"), [(url, kind) for kind, urls in ACTIONS.items() for url in urls.split()]
)
def test_an_action_is_refused_with_its_kind(url: str, kind: Refusal) -> None:
    normal = normalise(url)
    assert normal is not None
    assert action(normal) is kind
    strict = LinkFilter(LimitsSection(), obey_nofollow=True, this_year=2026)
    assert strict.refuse(normal, 1) is kind
    free = LinkFilter(LimitsSection(actions=True), obey_nofollow=True, this_year=2026)
    assert free.refuse(normal, 1) is None


@pytest.mark.parametrize("url", PAGES.split())
def test_a_page_with_a_similar_url_passes(url: str) -> None:
    assert normalise(url) == url
    assert action(url) is None


def test_a_crawl_makes_no_request_for_an_action(tmp_path: Path) -> None:
    """Also as the target of a redirect. `explain` names the reason."""
    links = ("/fair", "/fair?ical=1", "/fair?share=facebook", "/moved", "http://maps.google.test/")
    home = "".join(f'<a href="{link}">{link}</a>' for link in links)
    sites: Sites = {
        "a.test": {
            "/": home,
            "/fair": "<p>a fair</p>",
            "/moved": Redirect("/fair?print=1"),
            "/robots.txt": "",
        },
        "maps.google.test": {"/": "<p>a map</p>"},
    }
    with TestWeb(sites) as web:
        crawl(tmp_path, job(["http://a.test/"]), proxy=web.proxy)
        asked = {access.path for access in web.accesses}
    assert asked == {"/robots.txt", "/", "/fair", "/moved"}
    assert urls(tmp_path, Outcome.FETCHED).count("http://a.test/fair") == 1
    refused = {one.url: one.why for visit in visits(tmp_path) for one in visit.refused}
    assert refused == {
        "http://a.test/fair?ical=1": Refusal.CALENDAR_ENTRY,
        "http://a.test/fair?share=facebook": Refusal.SHARE,
        "http://a.test/fair?print=1": Refusal.PRINT,
        "http://maps.google.test/": Refusal.MAP,
    }
    said = str(explain(tmp_path, "http://a.test/fair?ical=1"))
    assert "refused  add-to-calendar link (limits.actions)" in said
