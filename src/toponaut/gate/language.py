"""Whether a page is in a wanted language.

The declared language counts, except that templates declare lang="en" for pages in all languages: a
page declared as unwanted is checked by its words. An undeclared page is kept if its words do not
decide: a page dropped by mistake is lost with all its links.
"""

import re
from collections.abc import Collection

# Stop words that are frequent in one language and rare in its neighbours. Shared words ("de", "la")
# count for each language.
_STOP_WORDS = {
    "cs": "je se na že to jsou pro jako není byl byla také nebo podle který která které jsme máte",
    "da": "og er det den til af ikke på med som vi kan fra blev også eller hvor efter jeg har",
    "de": "der die das und ist nicht mit den von für auf ein eine zu im sich auch wir sie bei nach "
    "oder werden",
    "en": "the and of to is in that for it with was are on this be at by from or you we have "
    "not which",
    "es": "el la de que y los las en un una por con para es del se su como más pero nuestro usted",
    "fi": "ja on ei se että oli myös sekä ovat tai kun mutta voit joka hän tämä meidän sen "
    "niin kuin",
    "fr": "le la les des et est une dans pour que qui vous nous sur avec pas par au du ce "
    "cette plus",
    "hu": "a az és hogy nem egy is van meg volt csak ez mint vagy meg már de lehet után minden",
    "it": "il di che la e per un una con del della sono non gli nel alla anche dei le più come",
    "nl": "de het een van en is niet op te dat voor met zijn aan ook bij door naar wij uw onze "
    "worden",
    "no": "og er det en til av ikke på med som vi kan fra ble også eller hvor etter jeg har dere",
    "pl": "i w na nie się z do jest że to jak od przez po oraz dla jego są lub być można",
    "pt": "o a os as de que e do da em um uma para com não por mais como dos das são você nosso",
    "ro": "și de la în cu pe care este nu un o din pentru sau mai sunt prin fost către după",
    "sv": "och är det en att som på för inte med av till vi kan från har den ett eller också om",
    "tr": "ve bir bu için ile de da olarak daha çok ne gibi olan en sonra kadar veya değil var her",
}
_WORDS = {language: frozenset(words.split()) for language, words in _STOP_WORDS.items()}
# Scripts of one language or a few. A page in one of them is in none of the languages above.
_SCRIPTS = (
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)
_KIN = {
    "ru": ("uk", "bg", "sr", "mk", "be", "kk"),
    "ar": ("fa", "ur"),
    "hi": ("mr", "ne"),
    "he": ("yi",),
}
_NAMES = {
    "nb": "no", "nn": "no", "iw": "he", "ger": "de", "deu": "de", "eng": "en", "fra": "fr",
    "fre": "fr", "nld": "nl", "dut": "nl", "spa": "es", "por": "pt", "ita": "it", "pol": "pl",
    "swe": "sv", "dan": "da", "nor": "no",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")

_READ = 4000  # characters; enough for 600 words
_LEAST = 10  # stop words; fewer are chance, or a list of names
_LEAD = 1.5  # over the second language: neighbours such as Danish and Norwegian share most words
_SCRIPT_SHARE = 0.2  # of the characters; Japanese has this many Kana between its Han


def unwanted_language(declared: str, text: str, wanted: Collection[str]) -> bool:
    """Whether a page is in none of the wanted languages. No wanted languages means all."""
    if not wanted:
        return False
    names = {_NAMES.get(one, one) for one in wanted}
    if declared and _NAMES.get(declared, declared) in names:
        return False
    guessed = guess(text)
    if not guessed:
        return bool(declared)
    return names.isdisjoint((guessed, *_KIN.get(guessed, ())))


def guess(text: str) -> str:
    """The language of a text by its script or its stop words; "" if they do not decide."""
    sample = text[:_READ]
    if not sample.isascii():
        for language, letters in _SCRIPTS:
            if len(letters.findall(sample)) > _SCRIPT_SHARE * len(sample):
                return language
    words = _WORD.findall(sample.lower())
    counts = sorted(
        (sum(map(stop.__contains__, words)), language) for language, stop in _WORDS.items()
    )
    (second, _), (first, language) = counts[-2:]
    return language if first >= _LEAST and first >= _LEAD * second else ""
