"""Postal addresses of real towns and postcodes, with common streets, written in many ways.

A town, its state and its postcode always belong together.
"""

from html import escape
from json import dumps

from msgspec import Struct

from toponaut.places.addresses.normal import normal_form
from toponaut.synthetic import words
from toponaut.synthetic.chance import mix, pick, unit
from toponaut.synthetic.world import SyntheticCity

SHAPES = 12  # ways to write an address in a page


_VISIT = {
    "US": "Visit us at {0}, {1}, or call for an appointment.",
    "DE": "Sie finden uns in der {0}, {1}.",
    "PT": "Visite-nos: {0}, {1}.",
}


class SyntheticAddress(Struct, frozen=True):
    """An address on a page."""

    organisation: str
    number: str
    street: str
    unit: str
    city: str
    state: str  # as written: "TX" or "Texas"; "" outside the United States
    state_code: str
    postcode: str
    country: str
    place: int
    phone: str

    @property
    def normal(self) -> str:
        """The form that identifies it: equal for all spellings."""
        return normal_form(
            self.number, self.street, self.unit, self.city, self.state_code, self.postcode,
            self.country,
        )  # fmt: skip

    def street_line(self) -> str:
        if self.country == "DE":
            return f"{self.street} {self.number}"
        if self.country == "PT":
            return f"{self.street}, {self.number}" + (f" - {self.unit}" if self.unit else "")
        return f"{self.number} {self.street}" + (f", {self.unit}" if self.unit else "")

    def town_line(self) -> str:
        if self.country == "US":
            return f"{self.city}, {self.state} {self.postcode}".rstrip()
        return f"{self.postcode} {self.city}"


def make_address(key: int, city: SyntheticCity, organisation: str) -> SyntheticAddress:
    """The address in a city that belongs to a key."""
    code, town = pick(city.codes, key, 40)
    if city.country == "DE":
        return _german(key, city, organisation, code, town)
    if city.country == "PT":
        return _portuguese(key, city, organisation, code, town)
    return _american(key, city, organisation, code, town)


def _american(
    key: int, city: SyntheticCity, organisation: str, code: str, town: str
) -> SyntheticAddress:
    draw = unit(key, 41)
    directions = ("N ", "S ", "E ", "W ", "North ", "South ", "West ", "N. ")
    direction = pick(directions, key, 42) if draw < 0.25 else ""
    part = ""
    if unit(key, 43) < 0.2:
        spelled = pick(("Suite {}00", "Ste {}", "#{}", "Unit {}", "Suite {}"), key, 44)
        part = spelled.format(1 + mix(key, 45) % 20)
    form = unit(key, 46)
    if form < 0.06:
        code = ""
    elif form < 0.12:
        code = f"{code}-{1000 + mix(key, 51) % 8999}"
    return SyntheticAddress(
        organisation=organisation,
        number=str(1 + int(9800 * unit(key, 47) ** 1.6)),
        street=f"{direction}{pick(words.STREETS, key, 48)} {pick(words.STREET_TYPES, key, 49)}",
        unit=part,
        city=town,
        state=city.state_name if unit(key, 50) < 0.12 else city.state,
        state_code=city.state,
        postcode=code,
        country="US",
        place=city.place,
        phone=f"({200 + mix(key, 52) % 700}) 555-{mix(key, 53) % 10_000:04}",  # 555: fictitious
    )


def _german(
    key: int, city: SyntheticCity, organisation: str, code: str, town: str
) -> SyntheticAddress:
    street = pick(words.STREETS_DE, key, 48)
    if unit(key, 41) < 0.3:
        street = street.replace("straße", "str.").replace("Straße", "Str.")
    letter = pick("abc", key, 44) if unit(key, 43) < 0.08 else ""
    number = f"{1 + int(140 * unit(key, 47) ** 1.6)}{letter}"
    phone = f"0{200 + mix(key, 52) % 700} {10_000 + mix(key, 53) % 89_999}"
    return SyntheticAddress(
        organisation, number, street, "", town, "", "", code, "DE", city.place, phone
    )


def _portuguese(
    key: int, city: SyntheticCity, organisation: str, code: str, town: str
) -> SyntheticAddress:
    floor = pick(("1.º Dto.", "2.º Esq.", "r/c", "3.º"), key, 44) if unit(key, 43) < 0.2 else ""
    number = str(1 + int(250 * unit(key, 47) ** 1.4))
    postcode = f"{code}-{1 + mix(key, 51) % 998:03}"
    phone = f"2{10_000_000 + mix(key, 53) % 89_999_999}"
    street = pick(words.STREETS_PT, key, 48)
    return SyntheticAddress(
        organisation, number, street, floor, town, "", "", postcode, "PT", city.place, phone
    )


# --- in HTML ----------------------------------------------------------------------------------


def in_html(one: SyntheticAddress, shape: int, named: bool = True) -> str:
    """An address as HTML, in one of SHAPES ways."""
    name, street, town = escape(one.organisation, quote=False), one.street_line(), one.town_line()
    head = f"<b>{name}</b><br>" if named else ""
    if shape == 0:
        return f"<p>{name + ', ' if named else ''}{street}, {town}</p>"
    if shape == 1:
        return f"<p>{head}\n{street}<br>\n{town}<br>\n{one.phone}</p>"
    if shape == 2:
        lines = (street, town, one.phone)
        return f"<div class=name>{name}</div>" + "".join(f"<div>{line}</div>" for line in lines)
    if shape == 3:
        return f"<address>{head}{street}<br>{town}</address>"
    if shape == 4:
        rows = (("Address", f"{street}<br>{town}"), ("Tel.", one.phone))
        cells = "".join(f"<tr><th>{head}</th><td>{cell}</td></tr>" for head, cell in rows)
        return f"<table>{cells}</table>"
    if shape == 5:
        return _microdata(one, name)
    if shape == 6:
        return _json_ld(one)
    if shape == 7:
        return _hcard(one, name)
    if shape == 8:
        return f"<p><small>{street} &bull; {town} &bull; {one.phone}</small></p>"
    if shape == 9:
        return f"<ul class=loc><li>{street}</li><li>{town}</li></ul>"
    if shape == 10:
        parts = (name, street, one.city, one.state, one.postcode, one.phone)
        cells = "".join(f"<td>{part}</td>" for part in parts if part)
        return f"<table><tr>{cells}</tr></table>"
    return f"<p>{_VISIT[one.country].format(street, town)}</p>"


def _microdata(one: SyntheticAddress, name: str) -> str:
    region = f'<span itemprop="addressRegion">{one.state}</span> ' if one.state else ""
    code = f'<span itemprop="postalCode">{one.postcode}</span>'
    town = f'<span itemprop="addressLocality">{one.city}</span>'
    line = f"{town}, {region}{code}" if one.country == "US" else f"{code} {town}"
    return (
        '<div itemscope itemtype="http://schema.org/LocalBusiness">'
        f'<span itemprop="name">{name}</span>'
        '<div itemprop="address" itemscope itemtype="http://schema.org/PostalAddress">'
        f'<span itemprop="streetAddress">{one.street_line()}</span><br>{line}</div>'
        f'<span itemprop="telephone">{one.phone}</span></div>'
    )


def _json_ld(one: SyntheticAddress) -> str:
    address = {
        "@type": "PostalAddress", "streetAddress": one.street_line(), "addressLocality": one.city,
        "addressRegion": one.state_code, "postalCode": one.postcode, "addressCountry": one.country,
    }  # fmt: skip
    data = {
        "@context": "https://schema.org",
        "@type": "LocalBusiness",
        "name": one.organisation,
        "address": {name: value for name, value in address.items() if value},
        "telephone": one.phone,
    }
    text = dumps(data).replace("</", "<\\/")
    return f'<script type="application/ld+json">{text}</script>'


def _hcard(one: SyntheticAddress, name: str) -> str:
    region = f'<span class="region">{one.state}</span> ' if one.state else ""
    code = f'<span class="postal-code">{one.postcode}</span>'
    town = f'<span class="locality">{one.city}</span>'
    line = f"{town}, {region}{code}" if one.country == "US" else f"{code} {town}"
    return (
        f'<div class="vcard"><span class="fn org">{name}</span><div class="adr">'
        f'<div class="street-address">{one.street_line()}</div>{line}</div>'
        f'<span class="tel">{one.phone}</span></div>'
    )
