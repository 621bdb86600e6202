"""Hard cases for `toponaut verify`, with their truth: what real lists and towns are like.

    python -m bench.verify_cases [--seed 1]

A made-up town is found by a crawl: shops of families, chains with branches that share a website,
two tenants in one house, the same names in the next town. The list has each of them as somebody
would who has not looked for some years. Each kind of case is counted for itself.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from toponaut.export.rows import AddressRow
from toponaut.verify.found_index import FoundIndex
from toponaut.verify.listed_place import ListedPlace
from toponaut.verify.site_evidence import SiteEvidence
from toponaut.verify.verdict import decide

_FAMILIES = "Meyer Janssen Hoffmann Becker Lindner Harms Voss Krüger Wagner Lüttmann".split()
_TRADES = "Bäckerei Fahrrad Blumen Optik Apotheke Gasthof Friseur Buchhandlung".split()
_STREETS = ("Lange Straße", "Achternstraße", "Nadorster Straße", "Am Markt", "Hauptstraße")
_TOWNS = {"Oldenburg": ("26122", 53.14, 8.21), "Westerstede": ("26655", 53.256, 7.927)}
_CHAINS = ("Super Saver", "Backwerk Nord", "Fit & Fun")


class HardCase(NamedTuple):
    """A listed place, and the truth about it."""

    kind: str
    listed: ListedPlace
    status: str
    id: str = ""  # of the row that it is; "" if it is none


class MadeTown:
    """What a crawl has found, and how a list has it."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.rows: list[AddressRow] = []
        self.cases: list[HardCase] = []
        self._houses: set[tuple[str, str, int]] = set()
        for family in _FAMILIES:
            for trade in _TRADES:
                self._shop(f"{trade} {family}", family, trade)
        for name in _CHAINS:
            self._chain(name)

    # --- the crawl -------------------------------------------------------------------------------

    def _row(self, name: str, town: str = "Oldenburg", **parts: Any) -> AddressRow:
        """An organisation at a house of its own, unless `parts` say otherwise."""
        draw, (code, lat, lon) = self.chance, _TOWNS[town]
        street, number = draw.choice(_STREETS), draw.randrange(1, 400)
        while (town, street, number) in self._houses:
            number = draw.randrange(1, 400)
        self._houses |= {(town, street, number + k) for k in range(-6, 7)}
        values: dict[str, Any] = dict.fromkeys(AddressRow.__struct_fields__, "")
        values |= {
            "id": f"row-{len(self.rows)}", "organisation": name, "street": street,
            "number": f"{number}", "city": town, "postcode": code, "country": "DE",
            "phone": self._phone(), "website": "", "urls": (), "radius_km": 0.0,
            "lat": lat + draw.uniform(-0.01, 0.01), "lon": lon + draw.uniform(-0.01, 0.01),
        }  # fmt: skip
        made = AddressRow(**(values | parts))
        self.rows.append(made)
        return made

    def _phone(self) -> str:
        return f"+49441{self.chance.randrange(10**6, 10**7)}"

    # --- the list --------------------------------------------------------------------------------

    def _listed(self, row: AddressRow, **parts: Any) -> ListedPlace:
        """A row as a list has it: without some parts, and with a point some metres off."""
        keep, draw = {}, self.chance
        for name, share in (("phone", 0.5), ("website", 0.5), ("postcode", 0.8)):
            keep[name] = getattr(row, name) if draw.random() < share else ""
        if row.lat is not None and row.lon is not None and draw.random() < 0.7:
            keep["lat"] = row.lat + draw.uniform(-5e-4, 5e-4)
            keep["lon"] = row.lon + draw.uniform(-5e-4, 5e-4)
        values = {
            "name": row.organisation, "number": row.number, "street": row.street,
            "city": row.city, "country": row.country, **keep, **parts,
        }  # fmt: skip
        return ListedPlace(len(self.cases) + 1, **values)

    def _case(self, kind: str, row: AddressRow, status: str, found: str, **parts: Any) -> None:
        self.cases.append(HardCase(kind, self._listed(row, **parts), status, found))

    def _shop(self, name: str, family: str, trade: str) -> None:
        draw = self.chance.randrange(12)
        site = f"https://{family.lower()}-{trade.lower()}.example/"
        if draw == 0:  # the crawl knows the name in the next town only
            row = self._row(name, "Westerstede", website=site)
            self._case("same name in another town", self._elsewhere(row), "unknown", "")
            return
        row = self._row(name, website=site if self.chance.random() < 0.6 else "")
        known = {"phone": row.phone, "website": row.website}
        nowhere = {"lat": None, "lon": None}
        if draw == 1:
            near = f"{int(row.number) + self.chance.choice((2, 4, 6))}"
            self._case("moved next door", row, "moved", row.id, **known, **nowhere, number=near)
        elif draw == 2:
            self._case(
                "moved", row, "moved", row.id, **known, **nowhere,
                number="3", street="Donnerschweer Straße", postcode="26123",
            )  # fmt: skip
        elif draw == 3:
            self._case("phone changed", row, "alive", row.id, phone=self._phone())
        elif draw == 4:
            other = f"{family} & Sohn {self.chance.choice(('Feinkost', 'Werbung', 'Reisen'))}"
            self._case("renamed", row, "alive", row.id, **known, name=other)
        elif draw == 5:
            stranger = f"Reisebüro {self.chance.choice('Sonne Welle Kompass Palme'.split())}"
            self._case(
                "closed, another tenant", row, "unknown", "",
                name=stranger, phone=self._phone(), website="",
            )  # fmt: skip
        elif draw == 6:  # the crawl lacks the neighbour of the same family
            other = next(one for one in _TRADES if one != trade)
            near = f"{int(row.number) + 1}"
            self._case(
                "neighbour with a similar name", row, "unknown", "",
                name=f"{other} {family}", number=near, phone="", website="",
            )  # fmt: skip
        elif draw == 7:
            second = self._row(
                f"{family} Immobilien", number=row.number, street=row.street,
                lat=row.lat, lon=row.lon, phone=row.phone, website=row.website,
            )  # fmt: skip
            self._case("two of one family in a house", row, "alive", row.id)
            self._case("two of one family in a house", second, "alive", second.id)
        else:
            self._case("spelled otherwise", row, "alive", row.id, name=self._spelled(name))

    def _elsewhere(self, row: AddressRow) -> AddressRow:
        """The same name and street in the town of the list."""
        code, lat, lon = _TOWNS["Oldenburg"]
        return replace(row, city="Oldenburg", postcode=code, lat=lat, lon=lon, phone="", website="")

    def _spelled(self, name: str) -> str:
        trade, family = name.split(" ", 1)
        plain = name.replace("ä", "ae").replace("ü", "ue")
        return self.chance.choice((
            f"{name} GmbH", plain, name.upper(), f"{family} {trade}", f"{trade} {family} e.K.",
            f"{trade} Karl {family}", f"{trade}-{family}", family, f"{trade} {family} Oldenburg",
            f"{trade} {family} Inh. Anna {family}",
        ))  # fmt: skip

    def _chain(self, name: str) -> None:
        site, central = f"https://{name.split()[0].lower()}.example/", self._phone()
        branches = [self._row(name, website=site) for _ in range(5)]
        for row in branches[:4]:
            self._case("branch of a chain", row, "alive", row.id, phone="", website=site)
            self._case("branch, central phone", row, "alive", row.id, phone=central)
            self._case(
                "branch without an address", row, "alive", row.id, number="", street="",
                postcode="", lat=row.lat, lon=row.lon,
            )  # fmt: skip
        gone = branches[4]
        self.rows.remove(gone)
        for _ in range(4):
            self._case("branch that is gone", gone, "unknown", "", phone="", website=site)


def judge(town: MadeTown) -> Iterator[tuple[HardCase, str, bool]]:
    """Each case with the verdict, and whether it was taken for another organisation."""
    index = FoundIndex(town.rows)
    evidence = SiteEvidence({}, ())  # no page was looked at again
    for case in town.cases:
        said = decide(case.listed, index.matches(case.listed), evidence)
        wrong = said.status in ("alive", "moved") and said.found != case.id
        yield case, said.status, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for case, status, wrong in judge(MadeTown(options.seed)):
        right = status == case.status and not wrong
        said = "right" if right else f"{status}{', another one' if wrong else ''}"
        total[case.kind][said] += 1
    for kind, counts in total.items():
        wrong_ones = ", ".join(f"{one} {n}" for one, n in counts.most_common() if one != "right")
        print(f"{kind:30} {counts['right']:3} of {counts.total():3} right  {wrong_ones}")


if __name__ == "__main__":
    main()
