"""The home countries of a page: those of its language, and that of its top-level domain.

Pages name places of their own country, and famous places anywhere. A single word rarely means a
small place far away: "Loja" on a Portuguese page is a shop, not a town in Ecuador. Word lists would
be needed for every language; the home countries follow from the page itself.
"""

from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Kind

# Where a language is official, by CLDR; for English, only countries with many pages in it.
_COUNTRIES = {
    "ar": "AE BH DJ DZ EG EH ER IL IQ JO KM KW LB LY MA MR OM PS QA SA SD SO SY TD TN YE",
    "az": "AZ", "be": "BY", "bg": "BG", "bn": "BD IN", "bs": "BA", "ca": "AD ES", "cs": "CZ",
    "da": "DK GL", "de": "AT BE CH DE LI LU", "el": "CY GR",
    "en": "AU BB BM BS BW BZ CA GB GG GH GI GU HK IE IM IN JE JM KE KY MT NA NG NZ PH PK PR "
    "SG TT UG US VI ZA ZM ZW",
    "es": "AR BO CL CO CR CU DO EC ES GQ GT HN MX NI PA PE PR PY SV US UY VE", "et": "EE",
    "eu": "ES FR", "fa": "AF IR", "fi": "FI",
    "fr": "BE BF BI BJ BL CA CD CF CG CH CI CM DJ DZ FR GA GF GN GP HT KM LU MA MC MF MG ML "
    "MQ MU NC NE PF PM RE SN TD TG TN WF YT",
    "ga": "IE", "gl": "ES", "he": "IL", "hi": "IN", "hr": "BA HR", "hu": "HU RO RS SK", "hy": "AM",
    "id": "ID", "is": "IS", "it": "CH IT SM VA", "ja": "JP", "ka": "GE", "kk": "KZ", "km": "KH",
    "ko": "KP KR", "ky": "KG", "lo": "LA", "lt": "LT", "lv": "LV", "mk": "MK", "mn": "MN",
    "ms": "BN MY SG", "mt": "MT", "my": "MM", "nb": "NO", "ne": "NP", "nn": "NO", "no": "NO",
    "nl": "AW BE BQ CW NL SR SX", "pl": "PL", "ps": "AF", "pt": "AO BR CV GW MO MZ PT ST TL",
    "ro": "MD RO", "ru": "BY KG KZ RU UA", "si": "LK", "sk": "SK", "sl": "SI", "sq": "AL MK XK",
    "sr": "BA ME RS XK", "sv": "AX FI SE", "sw": "KE TZ UG", "ta": "IN LK SG", "tg": "TJ",
    "th": "TH", "tk": "TM", "tr": "CY TR", "uk": "UA", "ur": "IN PK", "uz": "UZ", "vi": "VN",
    "zh": "CN HK MO SG TW",
}  # fmt: skip
# Country domains that the whole world uses: they are no evidence of the home country.
_GLOBAL_DOMAINS = frozenset(
    "ac ag ai am as cc cd co fm gg gs io is la li ly me ms mu nu pw sc sh st tk to tv us vc vg vu "
    "ws".split()
)
_DOMAIN_OF = {"uk": "GB"}
ENGLISH = "GB"  # a home country of English pages and British domains
_COUNTRY = KINDS.index(Kind.COUNTRY)
# Many templates say lang="en" for pages in other languages. English text has at least three of
# these words in 1,000 characters; Portuguese, German and Turkish pages had 0 to 2.
_ENGLISH_WORDS = (" the ", " and ", " of ", " to ", " you")
_ENOUGH_WORDS = 0.003
_SAMPLE = 2000  # characters

Home = frozenset[int]  # rows of countries; empty if not known


def country_rows(gazetteer: Gazetteer) -> dict[str, int]:
    """The rows of countries, by code."""
    return {
        gazetteer.country(row): row for row in (gazetteer.levels == _COUNTRY).nonzero()[0].tolist()
    }


class HomeCountries:
    """Finds home countries. `always`: rows of countries that are home for every page."""

    def __init__(self, gazetteer: Gazetteer, always: Home = frozenset()) -> None:
        self._rows = country_rows(gazetteer)
        self._always = always
        self._known: dict[tuple[str, str], Home] = {}  # languages and domains are few

    def home(self, language: str, url: str, text: str) -> Home:
        """The home countries of a text. `language`: "pt"; "" if the page does not declare it."""
        if language == "en" and not _is_english(text[:_SAMPLE]):
            language = ""
        # Faster than urls.host, which takes 11 us in a crawl.
        authority = url.partition("//")[2].partition("/")[0]
        host = authority.rpartition("@")[2].partition(":")[0]
        domain = host.rpartition(".")[2].lower()
        key = language, domain if len(domain) == 2 and domain not in _GLOBAL_DOMAINS else ""
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look_up(*key)
        return known

    def _look_up(self, language: str, domain: str) -> Home:
        codes = [*_COUNTRIES.get(language, "").split(), _DOMAIN_OF.get(domain, domain.upper())]
        home = frozenset(self._rows[code] for code in codes if code in self._rows)
        return home | self._always if home else home


def _is_english(text: str) -> bool:
    counted = 0
    for word in _ENGLISH_WORDS:  # 3 us each, and mostly the first one or two are enough
        counted += text.count(word)
        if counted > _ENOUGH_WORDS * len(text):
            return True
    return False
