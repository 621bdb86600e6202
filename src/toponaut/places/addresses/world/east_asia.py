"""Addresses of China, Taiwan, Japan and Korea in one line, from the largest area to the house.

    北京市朝阳区建国路88号    〒150-0002 東京都渋谷区渋谷2丁目21-1    서울특별시 강남구 테헤란로 152

No spaces separate the parts, but every area ends with the sign of its kind (市, 区, 県, 구), so one
pattern a country splits the line. The gazetteer must know the town or its district.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from toponaut.places.addresses.world.country_choice import KnownTown, TownCountries
from toponaut.places.addresses.world.scan import has_east_asian
from toponaut.records import Address

_HAN = r"[\u4e00-\u9fff々]"
_KANA = r"[\u3041-\u30ff\u4e00-\u9fff々ヶ]"
_CODED, _PLAIN = 0.93, 0.85  # confidence: with and without a postcode
_MOST = 5000  # addresses of a hostile page


class _Layout(Struct, frozen=True):
    countries: tuple[str, ...]  # the first that has the town
    signs: Sequence[str]  # each address has one of them
    pattern: re.Pattern[str]
    suffixes: str  # signs of towns that the gazetteer may leave out


_LAYOUTS = (
    _Layout(
        ("CN", "TW", "HK", "MO"),
        "号號",
        re.compile(
            rf"(?:(?P<code>\d{{3}}(?:\d{{2,3}})?)\s?)?(?:{_HAN}{{2,8}}?(?:省|自治区))?"
            rf"(?P<city>{_HAN}{{1,5}}?[市縣县])(?P<area>{_HAN}{{1,5}}?[区區县鎮镇鄉乡市])?"
            rf"(?P<street>(?:{_HAN}|\d){{1,16}}?[路街道巷弄段](?:(?:{_HAN}|\d){{1,5}}[段巷弄])*)"
            r"(?P<number>\d{1,5}(?:[-之]\d{1,4})?)\s?[号號]"
        ),
        "市縣县",
    ),
    _Layout(
        ("JP",),
        "市区郡",
        re.compile(
            r"(?:〒?\s?(?P<code>\d{3}-\d{4})\s{0,3})?"
            rf"(?:(?P<state>東京都|北海道|(?:京都|大阪)府|{_HAN}{{2,3}}県)\s?)?"
            rf"(?P<city>{_KANA}{{1,6}}?[市区郡])(?P<area>{_KANA}{{1,5}}?[区町村])?"
            rf"(?P<street>(?:{_KANA}|\d{{1,2}}条){{1,12}}?)\s?(?P<number>\d{{1,4}}(?:(?:丁目|番地?|[-−‐の])\d{{1,4}})"
            r"{1,3}|\d{1,4}番地?)号?"
        ),
        "市区郡",
    ),
    _Layout(
        ("KR",),
        "로길",
        re.compile(
            r"(?:\(?(?P<code>\d{5})\)?\s)?(?:(?P<state>[가-힣]{1,6}도)\s)?"
            r"(?P<city>[가-힣]{1,7}[시군]|서울|부산|대구|인천|광주|대전|울산)\s"
            r"(?:(?P<area>[가-힣]{1,5}[군구])\s)?(?:[가-힣]{1,5}[읍면]\s)?"
            r"(?P<street>[가-힣0-9·]{1,12}[로길])\s?(?P<number>\d{1,4}(?:-\d{1,4})?)(?!\d)"
        ),
        "특별자치광역시군",
    ),
    _Layout(  # in Latin letters: "2-28-8 Hanakawa, Bunkyo-ku, Tokyo 113-0021"
        ("JP",),
        ("-ku", "-shi"),
        re.compile(
            r"(?<![\w-])(?P<number>\d{1,4}(?:-\d{1,4}){1,3})[\s,]{1,2}"
            r"(?P<street>[A-Z][a-z]{2,}(?:[- ][A-Z][a-z]+){0,2}(?:-(?:cho|machi|dori))?)[\s,]{1,2}"
            r"(?P<area>[A-Z][a-z]+-(?:ku|shi|gun))(?:[\s,]{1,2}[A-Z][a-z]+-shi)?[\s,]{1,2}"
            r"(?P<city>[A-Z][a-z]{2,})(?:-(?:ken|to|fu|shi))?(?:[\s,]{1,2}(?P<code>\d{3}-\d{4}))?"
        ),
        "",
    ),
)


_LATIN = _LAYOUTS[3:]


def find_east_asian(text: str, towns: TownCountries) -> list[Address]:
    """The addresses of a text, in order."""
    found: list[Address] = []
    layouts = _LAYOUTS if has_east_asian(text) else _LATIN
    for layout in layouts:
        if not any(sign in text for sign in layout.signs):  # as on nearly all pages
            continue
        for match in layout.pattern.finditer(text):
            if len(found) < _MOST and (address := _address(match, layout, towns)):
                found.append(address)
    return sorted(found, key=lambda one: one.start)


def _address(match: re.Match[str], layout: _Layout, towns: TownCountries) -> Address | None:
    parts = match.groupdict(default="")
    for name in (parts["city"], parts["area"]):
        for form in _forms(name, layout.suffixes):
            known: Mapping[str, KnownTown] = towns.named(form)
            country = next((one for one in layout.countries if one in known), "")
            if country:
                return Address(
                    text="",
                    start=match.start(),
                    end=match.end(),
                    number=parts["number"],
                    street=parts["street"],
                    city=parts["city"],
                    state=parts.get("state", ""),
                    postcode=parts["code"],
                    country=country,
                    place=known[country].place,
                    confidence=_CODED if parts["code"] else _PLAIN,
                )
    return None


def _forms(name: str, suffixes: str) -> Iterator[str]:
    if name:
        yield name
        if short := name.rstrip(suffixes):
            yield short
