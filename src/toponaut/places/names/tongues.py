"""The countries that a page is at home in: those of its language, and that of its top-level domain.

A page names places of its own country as a matter of course, and famous ones anywhere. A small place far away is rarely meant
by a word alone: "Loja" on a Portuguese page is a shop and no town in Ecuador, "Bunda" on a Slovak one a jacket. Word lists
would have to be kept for every language; where a page is at home, it says itself.
"""

from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Kind

# Where a language is official, by the territory data of CLDR; of the many countries of English, those with many pages in it.
_COUNTRIES = {
    "ar": "AE BH DJ DZ EG EH ER IL IQ JO KM KW LB LY MA MR OM PS QA SA SD SO SY TD TN YE",
    "az": "AZ", "be": "BY", "bg": "BG", "bn": "BD IN", "bs": "BA", "ca": "AD ES", "cs": "CZ", "da": "DK GL",
    "de": "AT BE CH DE LI LU", "el": "CY GR",
    "en": "AU BB BM BS BW BZ CA GB GG GH GI GU HK IE IM IN JE JM KE KY MT NA NG NZ PH PK PR SG TT UG US VI ZA ZM ZW",
    "es": "AR BO CL CO CR CU DO EC ES GQ GT HN MX NI PA PE PR PY SV US UY VE", "et": "EE", "eu": "ES FR", "fa": "AF IR",
    "fi": "FI",
    "fr": "BE BF BI BJ BL CA CD CF CG CH CI CM DJ DZ FR GA GF GN GP HT KM LU MA MC MF MG ML MQ MU NC NE PF PM RE SN TD TG TN WF YT",
    "ga": "IE", "gl": "ES", "he": "IL", "hi": "IN", "hr": "BA HR", "hu": "HU RO RS SK", "hy": "AM", "id": "ID", "is": "IS",
    "it": "CH IT SM VA", "ja": "JP", "ka": "GE", "kk": "KZ", "km": "KH", "ko": "KP KR", "ky": "KG", "lo": "LA", "lt": "LT",
    "lv": "LV", "mk": "MK", "mn": "MN", "ms": "BN MY SG", "mt": "MT", "my": "MM", "nb": "NO", "ne": "NP", "nn": "NO", "no": "NO",
    "nl": "AW BE BQ CW NL SR SX", "pl": "PL", "ps": "AF", "pt": "AO BR CV GW MO MZ PT ST TL", "ro": "MD RO", "ru": "BY KG KZ RU UA",
    "si": "LK", "sk": "SK", "sl": "SI", "sq": "AL MK XK", "sr": "BA ME RS XK", "sv": "AX FI SE", "sw": "KE TZ UG", "ta": "IN LK SG",
    "tg": "TJ", "th": "TH", "tk": "TM", "tr": "CY TR", "uk": "UA", "ur": "IN PK", "uz": "UZ", "vi": "VN", "zh": "CN HK MO SG TW",
}  # fmt: skip
# Domains of countries that the whole world uses: they say nothing about where a page is at home.
_EVERYBODYS = frozenset(
    "ac ag ai am as cc cd co fm gg gs io is la li ly me ms mu nu pw sc sh st tk to tv us vc vg vu ws".split()
)
_DOMAIN_OF = {"uk": "GB"}
ENGLISH = "GB"  # a page is at home there if it is in English, or its domain is British
_COUNTRY = KINDS.index(Kind.COUNTRY)
# Templates come with lang="en", and their users leave it there. English has three and more of these words in 1,000 characters:
# of 172 real pages that say so all but menus and forms; pages in Portuguese, German and Turkish had 0 to 2.
_ENGLISH_WORDS = (" the ", " and ", " of ", " to ", " you")
_ENOUGH_WORDS = 0.003
_READ = 2000  # characters

Home = frozenset[int]  # rows of countries; empty: not known


def country_rows(gazetteer: Gazetteer) -> dict[str, int]:
    """The rows of countries by their codes."""
    return {
        gazetteer.country(row): row for row in (gazetteer.levels == _COUNTRY).nonzero()[0].tolist()
    }


class Tongues:
    """Looks countries up. `always`: rows of countries that count as home on every page."""

    def __init__(self, gazetteer: Gazetteer, always: Home = frozenset()) -> None:
        self._rows = country_rows(gazetteer)
        self._always = always
        self._known: dict[tuple[str, str], Home] = {}  # languages and domains are few

    def home(self, language: str, url: str, text: str) -> Home:
        """Of a text in a language ("pt"; "" if the page does not say) at a URL."""
        if language == "en" and not _is_english(text[:_READ]):
            language = ""
        # Not by urls.host: 1 us, but 11 in a crawl, where other work has put the parser out of the processor's caches.
        domain = (
            url.partition("//")[2]
            .partition("/")[0]
            .rpartition("@")[2]
            .partition(":")[0]
            .rpartition(".")[2]
            .lower()
        )
        key = language, domain if len(domain) == 2 and domain not in _EVERYBODYS else ""
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
