"""The owner of an address: names near it, names of the site, and lines that are not names.

The pages are invented, and the expected owners are worked out by hand.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.page.parse import parse
from toponaut.places.addresses import AddressFinder
from toponaut.places.addresses.owners.label_words import is_boilerplate, is_label
from toponaut.places.addresses.owners.name_form import form_odds, has_legal_form
from toponaut.places.addresses.owners.site_names import SiteNames, copyright_holder, spells
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.records import Page, Response

ADDRESS = "8 Oak St<br>Troy, NY 12180"
MENU = "<ul><li><a href='/a'>Lamps</a></li><li><a href='/b'>Wires &amp; Plugs</a></li></ul>"


@pytest.fixture(scope="module")
def addresses(gazetteer: Gazetteer, finder: NameFinder) -> AddressFinder:
    return AddressFinder(gazetteer, finder)


def page(html: str, url: str = "https://www.example.com/") -> Page:
    return parse(Response(url, 200, f"<!DOCTYPE html>{html}".encode(), "text/html; charset=utf-8"))


def owners(addresses: AddressFinder, html: str, url: str = "https://www.example.com/") -> list[str]:
    return [one.organisation for one in addresses.find(page(html, url))]


@pytest.mark.parametrize(
    "nearby",
    [
        f"{MENU}<p>{{}}</p>",  # the last entry of a menu
        "<form><label>Password Confirmation</label><input><button>Send →</button></form><p>{}</p>",
        "<h2>Leadership Team</h2><p>{}</p>",
        "<p>All Rights Reserved.<br>{}</p>",
        "<p>1-855-MYLAMPS<br>{}</p>",
        "<p>Building 1, {}</p>",
        "<p>10 Elm Park<br>{}</p>",
        "<h5>HOME &gt; Contact Us</h5><p>{}</p>",
        "<p>Click Here to Download<br>{}</p>",
        "<p>Privacy | Terms | Accessibility</p><p>{}</p>",
        "<p>Since 1958<br>{}</p>",
        "<p><b>San Francisco</b><br>{}</p>",
        "<p>Registered Office:<br>{}</p>",
        "<p>10 rue des Lampes<br>{}</p>",
        "<p>Inside the Plaza Hotel<br>{}</p>",
        "<p>Attn: John Miller<br>{}</p>",
        "<h2>Lamp Maker (m/f/d)</h2><p>{}</p>",
        "<p>Troy-Lansingburgh<br>{}</p>",
        "<p>Ufficio di Troy<br>{}</p>",
        "<p>Size<br>{}</p>",
        "<p>Old East Troy<br>{}</p>",
        "<p>Tid<br>{}</p>",
        "<p>DIESEN SONNTAG GOTTESDIENST<br>{}</p>",
        "<h3>Open House</h3><p>Sat 10-4</p><p>{}</p>",
        "<h3>Grand Opening Celebration</h3><p>{}</p>",
        "<h3>Sommerfest</h3><p>{}</p>",
        "<h2>Parking</h2><p>{}</p>",
        "<h1>Lamps at Christmas</h1><p>Venue</p><p>{}</p>",
        "<h1>Lampor till jul</h1><p>Plats: {}</p>",
        "<h2>Getting Here</h2><p>{}</p>",
        "<h2>So erreichen Sie uns</h2><p>{}</p>",
        "<h2>Book an Appointment</h2><p>{}</p>",
        "<h2>Proudly Serving Troy</h2><p>{}</p>",
        "<h2>Santa's Top Rated Medical Spa</h2><p>{}</p>",
        "<p>Personalausweis, Reisepass, Führungszeugnis<br>{}</p>",
        "<p>Contact: John Miller<br>{}</p>",
        "<p>Verantwortlich für den Inhalt: Anna Meyer<br>{}</p>",
        "<h2>Lamp Safety</h2><p>Lamp Manager: Tim Pike — {}</p>",
        "<p>Watervliet<br>{}</p>",
        "<p>All dispensaries<br>{}</p>",
        "<p>At intersection of<br>{}</p>",
        "<p>متوسط المدة في Lamp Hall<br>{}</p>",
        "<p>Delhi Office<br>{}</p>",
        "<p>Niederlassung Deutschland<br>{}</p>",
        "<p>Corporate Canada<br>{}</p>",
        "<p>Anna Meyer ext. 104<br>{}</p>",
        "<p>c/o Beacon Event GmbH<br>{}</p>",
        "<p>Route d'Oëx<br>{}</p>",
        "<p>General Inquiries<br>{}</p>",
        "<p>Anna Meyer's 6th-floor restaurant at {}</p>",
        "<ul><li>Travel<li><a href='/a'>Far Travel</a><li><a href='/b'>This Week</a></ul>{}",
        "<p>© 2010 Acme jQuery Menus<br>{}</p>",
        "<p>Lamps | © Anna Meyer</p><p>Print</p><p>Share</p><h2>More</h2><p>{}</p>",
    ],
)
def test_lines_that_are_not_names_are_left_out(addresses: AddressFinder, nearby: str) -> None:
    assert owners(addresses, nearby.format(ADDRESS)) == [""]


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<p><b>BEACON LAMP HOUSE</b><br>Since 1958<br>{}</p>", "BEACON LAMP HOUSE"),
        ("<p>Address Beacon Academy<br>{}</p>", "Beacon Academy"),
        ('<p>Landhotel "Zur Lampe"<br>{}</p>', 'Landhotel "Zur Lampe"'),
        ("<p>Copyright © 2005-2014 Beacon Lamps, LLC - {}</p>", "Beacon Lamps, LLC"),
        ("<p>© 2003-2014 - All rights reserved Beacon Media AB {}</p>", "Beacon Media AB"),
        ("<p>© 2014 Beacon Corporation. All rights reserved.<br>{}</p>", "Beacon Corporation"),
        (
            "<p><b>Beacon Endowment<br>for Better Light</b> {}</p>",
            "Beacon Endowment for Better Light",
        ),
        (f"{MENU}<p>Beacon Lamps GmbH<br>{{}}</p>", "Beacon Lamps GmbH"),
        ("<h1>Beacon Lamps (518) 555-0100</h1><p>Left Right<br>{}</p>", "Beacon Lamps"),
        ("<p>Publisher: Beacon Lamps<br>{}</p>", "Beacon Lamps"),
        ("<address><p>Beacon Lamps</p><p>{}</p></address>", "Beacon Lamps"),
        (
            "<table><tr><td>Venue:</td><td>Beacon "
            "Hall</td></tr><tr><td>Street:</td><td>{}</td></tr></table>",
            "Beacon Hall",
        ),
        ("<p>Beacon Lamps<br>Owner: John Miller<br>{}</p>", "Beacon Lamps"),
        (
            "<ul><li><a href='/a'>Show map</a><li><a href='/b'>Beacon Lamps</a><br>{}</ul>",
            "Beacon Lamps",
        ),
        ("<p>Università degli Studi di Lampa - {}</p>", "Università degli Studi di Lampa"),
        ("<p>beacon lamps<br>8 oak st<br>troy, ny 12180</p>", "beacon lamps"),
        ("<h3>Beacon Dental</h3><p>Implants, Crowns, Whitening<br>{}</p>", "Beacon Dental"),
        ("<p><b>Beacon Auto</b><br>Brakes, Tires &amp; Oil<br>{}</p>", "Beacon Auto"),
        ("<p>Miller, Smith &amp; Jones<br>{}</p>", "Miller, Smith & Jones"),
        ("<p>Beacon Church<br>Pastor John Miller<br>{}</p>", "Beacon Church"),
        ("<p>Musikschule Lampa<br>Leitung: Anna Meyer<br>{}</p>", "Musikschule Lampa"),
        ("<p>Beacon School<br>Principal: John Miller<br>{}</p>", "Beacon School"),
        ("<p>Mr Cash Pawn Shop<br>{}</p>", "Mr Cash Pawn Shop"),
        ("<p>All Star Lamps<br>{}</p>", "All Star Lamps"),
        ("<p>Et Voilà!<br>{}</p>", "Et Voilà!"),
        ("<p>Beacon Lamps Address: {}</p>", "Beacon Lamps"),
        ("<p>Das Leuchtenamt Mitte im {}</p>", "Leuchtenamt Mitte"),
        ("<p>Beacon Lamps<br>Seaport Tower C<br>{}</p>", "Beacon Lamps"),
        ("<p>Beacon Corp<br>P.Box No. 295020<br>{}</p>", "Beacon Corp"),
        ("<p>Veterans Post #118, {}</p>", "Veterans Post #118"),
        ("<p>Where: Beacon motorgård, {}</p>", "Beacon motorgård"),
        ("<h3>Plats</h3><p>Beacon motorgård<br>{}</p>", "Beacon motorgård"),
        ("<p>St. James Parish, {}</p>", "St. James Parish"),
        ("<p>Oak St 8, Beacon School<br>{}</p>", "Beacon School"),
        ("<p>Aktivitetshuset Lampan i {}</p>", "Aktivitetshuset Lampan"),
        ("<p>ab 20:00 Uhr<br>im Leuchtturm, {}</p>", "Leuchtturm"),
        ("<p>Beacon Hall<br>Left Right<br>{}<br>info@beaconhall.org</p>", "Beacon Hall"),
        (
            "<p>Dabei handelt es sich um einen Dienst der Beacon Ireland Limited, {}.</p>",
            "Beacon Ireland Limited",
        ),
    ],
)
def test_names_near_an_address(addresses: AddressFinder, html: str, name: str) -> None:
    assert owners(addresses, html.format(ADDRESS)) == [name]


@pytest.mark.parametrize(
    ("html", "path"),
    [
        (
            "<title>Contact Us | Beacon Lamps</title><h1>Contact Us</h1><h2>Our "
            "Office</h2><p>{}</p>",
            "contact",
        ),
        (
            f"<title>Lamps for sale</title>{MENU}<footer><p>{{}}</p><p>© Beacon Lamps "
            f"2014</p></footer>",
            "",
        ),
        (
            "<meta property='og:site_name' content='Beacon Lamps'><h2>Rating</h2><p>Head "
            "Office:<br>{}</p>",
            "about",
        ),
        ("<title>Light for all | Beacon Lamps</title><h2>Lamps for every room</h2><p>{}</p>", ""),
        (
            f"<title>Beacon Lamps: Lamp 7</title><p>{'A good lamp. ' * 99}</p>{MENU}<p>{{}}</p>",
            "lamps/7",
        ),
        (
            "<a href='/'><img alt='Go to the Beacon Lamps home page'></a><h2>Sales "
            "Department</h2><p>{}</p>",
            "contact.html",
        ),
        ("<a href='/'><img alt='Beacon Lamps'></a><h1>Contacts</h1><p>{}</p>", "contact.html"),
        (
            '<script type=\'application/ld+json\'>{{"@type": "WebSite", "name": '
            '"Beacon Lamps"}}</script><title>Give</title><p>Beacon Lamps<br>{}</p>',
            "give",
        ),
    ],
)
def test_the_site_owns_its_own_address(addresses: AddressFinder, html: str, path: str) -> None:
    assert owners(addresses, html.format(ADDRESS), f"https://www.beaconlamps.com/{path}") == [
        "Beacon Lamps"
    ]


@pytest.mark.parametrize(
    ("html", "url"),
    [
        (
            "<title>Contact | Cheap light | Bacon Lamp</title><p>Bacon Lamp makes lamps. Ask Bacon "
            "Lamp for light.</p><p>Address<br>{}</p>",
            "https://host.example/contact",
        ),
        ("<title>Cheap lamps: Beacon</title><p>{}</p>info@beacon.se", "https://host.example/"),
        ("<title>Anfahrt | Leuchtturm Bäcon</title><p>{}</p>", "https://xn--bcon-loa.de/anfahrt"),
        ("<title>Lamps | Beacon Ltd</title><p>{}</p>", "file:///home/anna/page-7.html"),
    ],
)
def test_the_name_of_a_site(addresses: AddressFinder, html: str, url: str) -> None:
    assert "con" in owners(addresses, html.format(ADDRESS), url)[0]


@pytest.mark.parametrize(
    "html",
    [
        "<h1>8 Oak St</h1><p>Address<br>{}</p>",  # a directory's page
        "<h1>Lamp Night</h1><p>8 June 2023, 16:15</p><h3>Plats</h3><p>{}</p>",
        "<h1>A talk on lamps and how to make them yourself from what is at home in the drawer, by "
        "Anna</h1><p>Address<br>{}</p>",
        "<p>Address<br>{}<br>info@oakwood.org</p>",
    ],
)
def test_a_page_about_others_is_not_at_the_site(addresses: AddressFinder, html: str) -> None:
    site = f"<meta property='og:site_name' content='Beacon Lamps'>{html.format(ADDRESS)}"
    assert owners(addresses, site, "https://www.beaconlamps.com/lamps/7") == [""]


def test_the_quarters_of_a_list_are_not_owners(addresses: AddressFinder) -> None:
    quarters = ["Chelsea", "Tribeca", "Harlem", "Lampside"]
    html = "".join(
        f"<p>{name}<br>{k} Oak St<br>New York, NY 10013</p>" for k, name in enumerate(quarters, 1)
    )
    assert owners(addresses, html) == [""] * 4


def test_the_site_does_not_own_the_address_of_others(addresses: AddressFinder) -> None:
    html = (
        f"<title>Beacon Lamps</title><p>The club met for years in a cellar at {ADDRESS}, near the "
        f"river.</p>"
    )
    assert owners(addresses, html, "https://www.beaconlamps.com/contact") == [""]
    name = "<title>Contact Us - Beacon Lamps</title><p>By post:<br>Oakwood Trading Ltd.<br>{}</p>"
    assert owners(addresses, name.format(ADDRESS), "https://www.beaconlamps.com/contact") == [
        "Oakwood Trading Ltd."
    ]


@pytest.mark.parametrize(
    ("prose", "name"),
    [
        (
            "If you have questions about this text, you may write to Oakwood Trading, Inc., Attn: "
            "Privacy, {}.",
            "Oakwood Trading, Inc.",
        ),
        (
            "The file is kept by the Society of the Oak GmbH with its seat at {}.",
            "Society of the Oak GmbH",
        ),
        ("Letters for us may be sent to Beacon Lamps, {}.", "Beacon Lamps"),
        ("He is now said to live with John Miller, {}.", ""),
    ],
)
def test_in_prose_only_sure_names_are_taken(
    addresses: AddressFinder, prose: str, name: str
) -> None:
    html = f"<p>{prose.format('8 Oak St, Troy, NY 12180')}</p>"
    assert owners(addresses, html, "https://www.beaconlamps.com/") == [name]


def test_the_site_owns_all_offices_of_its_contact_page(addresses: AddressFinder) -> None:
    html = f"""<title>Contact Us | Beacon</title><h1>Contact Us</h1>
        <b>Headquarters</b><p>{ADDRESS}</p>
        <b>Europe</b><p><b>London</b><br>88 Wood Street<br>London EC2V 7RS</p>"""
    assert owners(addresses, html, "https://www.beacon.com/contact/") == ["Beacon", "Beacon"]


def test_a_title_in_the_data_is_shortened_to_the_name(addresses: AddressFinder) -> None:
    html = """<script type="application/ld+json">
        {"@type": "Store", "name": "Beacon Lamps - Light for All - Free Shipping", "address":
        {"streetAddress": "8 Oak St", "addressLocality": "Troy", "addressRegion": "NY"}}</script>"""
    assert owners(addresses, html, "https://www.beaconlamps.com/") == ["Beacon Lamps"]
    assert owners(addresses, html) == ["Beacon Lamps - Light for All - Free Shipping"]
    assert owners(addresses, html.replace("Beacon Lamps - Light for All", "© 2014 Oak Ltd")) == [
        "Oak Ltd"
    ]


def test_two_addresses_with_only_a_label_between_have_one_owner(addresses: AddressFinder) -> None:
    html = (
        "<h3>Beacon Lamps</h3><p>Mail: PO Box 9, Troy, NY 12180<br>Office: 8 Oak St, Troy, NY "
        "12180</p>"
    )
    assert owners(addresses, html) == ["Beacon Lamps", "Beacon Lamps"]


@pytest.mark.parametrize(
    ("line", "holder"),
    [
        ("© 2013 Acme Tools", "Acme Tools"),
        ("(c) AcmeEurope, 2 rue Haute", "AcmeEurope"),
        ("Copyright 2013 Acme Community College", "Acme Community College"),
        ("Copyright © 2005-2014 Acme Tools, LLC. All rights reserved.", "Acme Tools, LLC"),
        (
            "© 2014 Copyright - Acme Tools. All rights reserved. | Website by Smart Sites",
            "Acme Tools",
        ),
        ("© Acme Industries 2014", "Acme Industries"),
        ("© 2008–2016 Acme Tools Inc. All Rights Reserved", "Acme Tools Inc."),
        ("© 2003-2014 - All rights reserved Acme Media AB", "Acme Media AB"),
        ("© 2016 All Rights Reserved", ""),
        ("Copyright 2014", ""),
        ("Acme © 2014", ""),
    ],
)
def test_copyright_holders(line: str, holder: str) -> None:
    assert copyright_holder(line) == holder


@pytest.mark.parametrize(
    ("domain", "name", "is_spelled"),
    [
        ("beaconlamps", "Beacon Lamps", True),
        ("lamphouse", "Schuster's Lamp House", True),
        ("beaconind", "Beacon Industries", True),
        ("beaconcc", "Beacon Community College", True),
        ("lampes-martin", "Maison Martin", False),
        ("lampesmartinet", "Maison Martinet", True),
        ("acm", "Association for Computing Machinery", True),
        ("beaconlamps", "Our Team", False),
        ("acme", "Acme Member Agreement and Liability Waiver", False),
        ("", "Beacon Lamps", False),
    ],
)
def test_a_domain_spells_a_name(domain: str, name: str, is_spelled: bool) -> None:
    assert spells(domain, name) is is_spelled


def test_the_site_has_the_name_that_sources_agree_on() -> None:
    html = """<title>Cheap lamps, wires and plugs - Beacon Lamps</title><a href="/">Home</a>
        <p>© 2014 Beacon Lamps Ltd. | Website by Smart Sites</p>"""
    assert SiteNames(page(html, "https://www.beaconlamps.co.uk/")).name.text == "Beacon Lamps Ltd"
    assert SiteNames(page("<title>Lamps and more</title>")).name.odds < 0


@pytest.mark.parametrize(
    "name",
    [
        "Acme, Inc.",
        "Acme LLC",
        "ACME TRADING GMBH",
        "Acme e.V.",
        "Acme Sp. z o.o.",
        "Acme S.r.l.",
        "Acme SARL",
        "Acme & Co. KG",
    ],
)
def test_legal_forms(name: str) -> None:
    assert has_legal_form(name)


def test_words_that_only_look_like_legal_forms() -> None:
    assert not any(map(has_legal_form, ["Vegas", "Jessica", "Bag", "Tomas", "come as", "Inca"]))


def test_lines_of_an_address_are_not_names() -> None:
    lines = [
        "12 Beacon Hill Road",
        "10, rue des Lampes",
        "2nd Floor",
        "Unit C",
        "PO Box 9",
        "Suite 210",
    ]
    assert all(form_odds(line) < -3 for line in lines)
    assert all(form_odds(name) > -3 for name in ["24 Hour Lamps", "Club 54", "Pier 39 Lamps"])


def test_boilerplate_is_recognised_by_its_words() -> None:
    assert is_label("Office Locations and Contact Details")
    assert is_boilerplate("Password Confirmation")
    assert not is_label("Password Confirmation")
    assert not any(map(is_boilerplate, ["Beacon Services", "1958"]))


@pytest.mark.parametrize(
    "junk", ["1 ", "© ", "Lamp | ", "<h2>8 </h2>", "<a href='/'>x</a> ", "- - "]
)
def test_a_hostile_page_is_read_to_its_end(addresses: AddressFinder, junk: str) -> None:
    html = (
        f"<title>{junk * 20_000}</title><h1>{junk * 20_000}</h1><p>{junk * 20_000}<p>Beacon Lamps "
        f"Ltd<br>{ADDRESS}</p>"
    )
    assert owners(addresses, html)[-1] == "Beacon Lamps Ltd"


@given(st.text(max_size=120))
def test_any_line_can_be_weighed(line: str) -> None:
    assert form_odds(line) <= form_odds("Acme, Inc.")
    assert copyright_holder(line) in line or copyright_holder(line).removesuffix(".") in line
    assert spells("", line) is False


# --- lists, directories and events ---

CARD = "<div>{badge}<br><b>{name}</b><br>{kind} · {town}, NY<br>{street}, {town}, NY {code}</div>"
CARDS = [
    ("New", "Oak Lamps", "Lamp Maker", "Troy", "8 Oak St", "12180"),
    ("4.5", "Elm Light", "Wire Dealer", "Albany", "9 Elm St", "12207"),
    ("New", "Beacon", "Lamp Maker", "Troy", "10 Fox St", "12180"),
    ("New", "Wick & Son", "Wire Dealer", "Albany", "11 Pine St", "12207"),
    ("3.0", "Candle Corner", "Lamp Maker", "Troy", "12 Ash St", "12180"),
]


def cards(of: Sequence[tuple[str, ...]], form: str = CARD) -> str:
    parts = ("badge", "name", "kind", "town", "street", "code")
    return "".join(form.format(**dict(zip(parts, card, strict=True))) for card in of)


def test_in_cards_the_line_that_recurs_is_not_the_name(addresses: AddressFinder) -> None:
    names = [card[1] for card in CARDS]
    assert owners(addresses, cards(CARDS)) == names
    assert owners(addresses, cards(CARDS, CARD.replace("<b>", "").replace("</b>", ""))) == names
    assert owners(addresses, cards(CARDS[:2])) == names[:2]  # too few to compare: by their form


def test_a_directory_does_not_own_its_entries(addresses: AddressFinder) -> None:
    entry = (
        "<title>Old Mill Museum - Lamp Guide</title><meta property='og:site_name' content='Lamp "
        f"Guide'><h1>Old Mill Museum</h1><p>{'See the old mill. ' * 30}</p><h3>Address</h3>"
        f"<p>{ADDRESS}</p><p>{'Come and see. ' * 60}</p>"
    )
    url = "https://lampguide.example/mill"
    assert owners(addresses, entry, url) == ["Old Mill Museum"]
    listed = entry.replace("Old Mill Museum", "Museums in Troy")
    assert owners(addresses, listed, url) == [""]


def test_an_event_does_not_own_the_place_where_it_is(addresses: AddressFinder) -> None:
    event = "<h1>Evening of Light</h1><p>5 February 2024, 18:00</p><h3>Where</h3><p>{}</p>"
    assert owners(addresses, event.format(ADDRESS)) == [""]
    assert owners(addresses, event.format(f"Beacon Hall<br>{ADDRESS}")) == ["Beacon Hall"]


@pytest.mark.parametrize(
    "nearby",
    [
        "<p>2. Vorsitzende<br>Maria Lampe<br>{}</p>",
        "<p>Floodplain Manager: John Miller — {}</p>",
        "<p>8 Oak Street<br>{}</p>",
        "<p>We're Accredited<br>{}</p>",
        "<p>Lamp Policy and Guidelines<br>{}</p>",
        "<p>March 14: Evening of Light<br>{}</p>",
        "<p>Pawn Shop<br>{}</p>",
        "<p>Home | Lamps | Wires | Plugs | {}</p>",
        "<p>By Maria Lampe<br>{}</p>",
        "<p>A classic lamp shop<br>{}</p>",
        "<p>Lamps Committee<br>Lamps Resolution — {}</p>",
        "<h3>Evening of Light</h3><p>6:30 PM · {}</p>",
        "<nav><a href='/t'>Troy Lamps</a> <a href='/a'>Albany Lamps</a> <a href='/m'>Map</a></nav>"
        "<p>{}</p>",
    ],
)
def test_roles_streets_titles_and_menus_are_no_owners(
    addresses: AddressFinder, nearby: str
) -> None:
    assert owners(addresses, nearby.format(ADDRESS)) == [""]


def test_hours_do_not_make_a_shop_an_event(addresses: AddressFinder) -> None:
    html = f"<h3>Beacon Lamps</h3><p>Open 9:00 AM - 5:00 PM<br>{ADDRESS}</p>"
    assert owners(addresses, html) == ["Beacon Lamps"]


def test_a_part_of_an_events_title_is_no_owner(addresses: AddressFinder) -> None:
    event = '{"@type": "Event", "name": "Evening of Light: Lamps and Songs"}'
    html = f"<p>Evening of Light: Lamps and Songs — {ADDRESS}</p>"
    assert owners(addresses, html) == ["Evening of Light"]
    data = f'<script type="application/ld+json">{event}</script>'
    assert owners(addresses, data + html) == [""]


def test_an_events_page_does_not_own_its_venue(addresses: AddressFinder) -> None:
    head = "<title>Evening of Light | Lamp Days</title><h1>Evening of Light</h1>"
    html = f"{head}<p>A night of lamps.</p>{{}}<h3>Location</h3><p>{ADDRESS}</p>"
    url = "https://lampdays.example/e/12"
    assert owners(addresses, html.format(""), url) == ["Evening of Light"]
    assert owners(addresses, html.format("<p>5 March 2024, 18:00</p>"), url) == [""]


def test_the_owner_in_json_ld_is_taken(addresses: AddressFinder) -> None:
    place = (
        '{"@type": "Store", "name": "Beacon Lamps", "address": {"@type": "PostalAddress", '
        '"streetAddress": "8 Oak Street", "addressLocality": "Troy", "addressRegion": "NY"}}'
    )
    data = f'<script type="application/ld+json">{place}</script>'
    html = f"<h3>Lamps and Wires</h3><p>{ADDRESS}</p>"
    assert owners(addresses, html) == ["Lamps and Wires"]
    assert owners(addresses, data + html) == ["Beacon Lamps"]


def test_a_municipality_is_an_owner(addresses: AddressFinder) -> None:
    assert owners(addresses, f"<h3>City of Troy</h3><p>{ADDRESS}</p>") == ["City of Troy"]


def test_the_building_is_not_the_owner_above_it(addresses: AddressFinder) -> None:
    html = f"<p>Beacon Lamps<br>Oakwood Business Park<br>{ADDRESS}</p>"
    assert owners(addresses, html) == ["Beacon Lamps"]


def test_a_name_beside_the_address_comes_before_the_sites(addresses: AddressFinder) -> None:
    html = (
        "<title>Beacon Guide</title><h1>Beacon Guide</h1><p>Faculty of Lamps Campus West - {}</p>"
    )
    url = "https://www.beaconguide.com/b"
    assert owners(addresses, html.format(ADDRESS), url) == ["Faculty of Lamps Campus West"]


def test_an_event_in_the_title_does_not_own_its_venue(addresses: AddressFinder) -> None:
    html = (
        "<title>Lampor till jul - Kalender</title><h2>Lampor till jul</h2><p>Alla dagar</p>"
        "<p>Längd: 6 timmar</p><p>Ålder: 6 år</p><p>Plats</p><p>lampor och ljus</p><p>{}</p>"
    )
    assert owners(addresses, html.format(ADDRESS), "https://www.troy.example/jul") == [""]


def test_a_firm_over_each_of_its_offices_owns_them(addresses: AddressFinder) -> None:
    streets = ("8 Oak St", "12 Elm St", "30 Ash St", "41 Fir St", "52 Bay St")
    html = "".join(
        f"<p>BEACON LAMPS, INC.<br>Plant {street[3:6]}<br>{street}<br>Troy, NY 12180<br>Phone: "
        f"518-555-010{k}</p>"
        for k, street in enumerate(streets)
    )
    assert owners(addresses, html) == ["BEACON LAMPS, INC."] * 5
