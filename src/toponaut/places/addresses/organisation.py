"""Whose an address is: the name beside it.

Looked for, in this order: before the address in its own line or row ("Falls Cycle | 4210 Ridge Ave"); in the lines
right above it; in the heading above it. Labels, telephone numbers, hours and mere places are passed over. In running
prose there is no name to be had: "".
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

from toponaut.records import Mark, Page

_LINES_ABOVE = 4
_HEADINGS_ABOVE = 3
_LONGEST_LINE = 300  # characters of a line before an address that are looked at
_LONGEST = 80  # characters of a name
_MOST_WORDS = 9
_SEPARATOR = re.compile(r"\t|\s[|•·●▪◆♦*~–—-]+\s|\s*[|•·◆♦]\s*|:\s+|;\s+")
_LABEL = re.compile(
    r"(?:(?:our |the |physical |mailing |street |business |office |main |visit(?: us)?|store |find us|contact(?: us)?|get in touch"
    r"|address(?:es)?|locations?|where(?: we are)?|hours|directions|headquarters|write to us|come see us|map|info(?:rmation)?"
    r"|get directions|phone|tel(?:ephone)?|fax|e-?mail|name|attn|attention|adresse|anschrift|kontakt|contact info(?:rmation)?"
    r"|offices?|branch(?:es)?|stores?|mail|venue|place|dealer|city|home|menu|about|about us|details"
    r"|impressum|kontaktdaten|post-?anschrift|haus-?anschrift|besucheradresse|anfahrt|standorte?|filialen?|öffnungszeiten|über uns"
    r"|so finden sie uns|herausgeber|anbieter|betreiber|verantwortlich|angaben gemäß.*|mentions légales|nous trouver|coordonnées"
    r"|contactos?|morada|onde estamos|adres|bereikbaarheid|contatti|dove siamo|contactez-nous|accueil|siège(?: social)?)[\s:&/,]*)+",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r"\b\d{5}\b|\b(?:mon|tues?|wed|thur?s?|fri|sat|sun)(?:day)?s?\b\W|"
    r"\d{3}[-. )]\s?\d{3,4}|\d{1,2}:\d\d|@|\bwww\.|https?:|\$\d|\d\s?(?:am|pm|a\.m|p\.m|mi|miles|km)\b",
    re.IGNORECASE,
)
_LISTED = re.compile(r"^(?:\d{1,3}[.)]|[a-z]\))\s+")
_NOT_A_NAME = re.compile(
    r"(?:mon|tues?|wednes|thurs?|fri|satur|sun)day|(?:precinct|district|lot|unit|no\.?|item|page|step|day|room|store|group|row) #?\d+"
    r"|\d+ (?:years?|reviews?|stars?|results?|locations?|miles?).*|privacy|terms|new|sale|and|or|und|oder|event|(?:the )?corner of|portugal|france|schweiz|österreich|nederland|canada|uk|usa|u\.s\.a|united states|deutschland|germany|details|open|closed|.* \| .*|[\w .'-]+, [A-Z]\w{1,5}\.?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[a-z]{2,}[.!?](?:\s|$)|[!?]$")
_COMPANY = re.compile(r", (?:Inc|LLC|P\.?C|Ltd|L\.?L\.?P|Co|P\.?A|M\.?D|D\.?D\.?S|Esq|Jr)\b\.?$")
# Words of a name that need no capital, legal forms among them ("Institut für Küsteninformatik e.V.").
_SMALL = frozenset(
    "of the and a an de la & for at in to on y del und der die das den dem für von vom am im an bei zu zum zur auf et du des "
    "le les aux van het te da do das dos e i e.v. e.v e.k. e.g. eg mbh ggmbh gug i.g. s.r.l. s.a. lda. b.v. c/o".split()
)


def organisation_near(page: Page, headings: Sequence[Mark], start: int, floor: int, city: str) -> str:
    """The name beside the address that begins at `start`.

    `headings` are the page's, in order. Nothing before `floor`, the end of the address before, is looked at. A name that
    is the address's `city` is passed over.
    """
    text = page.text
    line_start = max(text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1, floor, start - _LONGEST_LINE)
    beside = _name_in_line(text[line_start:start], city)
    if beside or _is_prose(text[line_start:start]):
        return beside
    for line in _lines_above(text, line_start, floor):
        if _is_prose(line):
            break
        name = _name(line.split("\t")[0].strip())
        if name and name != city:
            return name
    return _heading_above(text, headings, start, city)


def _name_in_line(prefix: str, city: str) -> str:
    """The name before an address in its line: the first cell or phrase that is one."""
    parts = [part.strip(' ,:;-–—|•·("') for part in _SEPARATOR.split(prefix)]
    parts = [part for part in parts if part]
    if len(parts) == 1 and "," in parts[0] and not _COMPANY.search(parts[0]):
        parts = parts[0].split(",")[:1]
    return next((name for part in parts if (name := _name(part)) and name != city), "")


def _lines_above(text: str, line_start: int, floor: int) -> list[str]:
    """The nearest lines above, nearest first; a blank line may part the first from the address."""
    stretch = text[max(floor, line_start - _LINES_ABOVE * 100) : line_start]
    lines = stretch.split("\n")[::-1][1:]
    return [line for line in lines[: _LINES_ABOVE + 2] if line.strip()][:_LINES_ABOVE]


def _name(part: str) -> str:
    """The part itself if it reads like a name, without the number of a list; else ""."""
    part = _LISTED.sub("", part.strip(" ,;|•·*-–—:").removeprefix(". "))
    words = part.split()
    if (
        not part
        or len(part) > _LONGEST
        or len(words) > _MOST_WORDS
        or _LABEL.fullmatch(part + " ")
        or _DIGITS.search(part)
    ):
        return ""
    if _NOT_A_NAME.fullmatch(part) and not _COMPANY.search(part):
        return ""
    if not any(char.isalpha() for char in part) or _SENTENCE.search(part.rstrip(".")) or part[0] in "(©":
        return ""
    small = part == part.lower()
    if (
        not small
        and sum(
            not (word[0].isupper() or word[0].isdigit() or word.lower() in _SMALL or not word[0].isalpha())
            for word in words
        )
        > 0
    ):
        return ""
    return part


def _is_prose(prefix: str) -> bool:
    """A line with several small words is running text."""
    words = prefix.split()
    return sum(word[0].islower() and word not in _SMALL for word in words) >= 3 or (
        bool(words) and words[-1].islower() and words[-1] in ("at", "to", "from", "in")
    )


def _heading_above(text: str, headings: Sequence[Mark], start: int, city: str) -> str:
    """The nearest heading before the address that is a name."""
    above = bisect_right(headings, start, key=lambda mark: mark.end)
    for mark in reversed(headings[max(0, above - _HEADINGS_ABOVE) : above]):
        name = _name(text[mark.start : mark.end])
        if name and name != city:
            return name
    return ""
