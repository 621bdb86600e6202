"""The closed word lists of US addresses: directionals, states, units, numbers in words, street names without type."""

DIRECTIONS = {
    "n": "north", "s": "south", "e": "east", "w": "west",
    "ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest",
    "no": "north", "so": "south", "north": "north", "south": "south", "east": "east", "west": "west",
    "northeast": "northeast", "northwest": "northwest", "southeast": "southeast", "southwest": "southwest",
    "north-east": "northeast", "north-west": "northwest", "south-east": "southeast", "south-west": "southwest",
}  # fmt: skip

# Full name, postal code, then Associated Press and older abbreviations (written without their points).
_STATES = """
Alabama AL Ala|Alaska AK Alas|Arizona AZ Ariz|Arkansas AR Ark|California CA Calif Cal|Colorado CO Colo
Connecticut CT Conn|Delaware DE Del|District_of_Columbia DC|Florida FL Fla|Georgia GA|Hawaii HI Hawai'i|Idaho ID Ida
Illinois IL Ill|Indiana IN Ind|Iowa IA|Kansas KS Kan Kans|Kentucky KY|Louisiana LA|Maine ME|Maryland MD
Massachusetts MA Mass|Michigan MI Mich|Minnesota MN Minn|Mississippi MS Miss|Missouri MO|Montana MT Mont
Nebraska NE Neb Nebr|Nevada NV Nev|New_Hampshire NH|New_Jersey NJ|New_Mexico NM N_Mex|New_York NY
North_Carolina NC N_Car|North_Dakota ND N_Dak|Ohio OH|Oklahoma OK Okla|Oregon OR Ore Oreg|Pennsylvania PA Penn Penna
Rhode_Island RI|South_Carolina SC S_Car|South_Dakota SD S_Dak|Tennessee TN Tenn|Texas TX Tex|Utah UT|Vermont VT
Virginia VA|Washington WA Wash|West_Virginia WV W_Va|Wisconsin WI Wis Wisc|Wyoming WY Wyo
Puerto_Rico PR|Virgin_Islands VI|U.S._Virgin_Islands VI|Guam GU|American_Samoa AS|Northern_Mariana_Islands MP
"""


def _states() -> dict[tuple[str, ...], str]:
    table = {}
    for entry in _STATES.replace("\n", "|").strip("|").split("|"):
        code = next(word for word in entry.split() if len(word) == 2 and word.isupper())
        for name in entry.split():
            table[tuple(name.lower().replace(".", "").split("_"))] = code
    table |= {("n", "c"): "NC", ("n", "d"): "ND", ("n", "h"): "NH", ("n", "j"): "NJ", ("n", "m"): "NM", ("n", "y"): "NY",
              ("r", "i"): "RI", ("s", "c"): "SC", ("s", "d"): "SD", ("w", "v"): "WV", ("d", "c"): "DC"}  # fmt: skip
    return table


STATES = _states()  # words, lower case and without points -> postal code
STATE_CODES = frozenset(STATES.values())
LONGEST_STATE = max(map(len, STATES))

# First three digits of a ZIP code -> state: inclusive ranges, from the USPS list of sectional centres.
_ZIPS = """
NY 005-005 PR 006-007 VI 008-008 PR 009-009 MA 010-027 RI 028-029 NH 030-038 ME 039-049 VT 050-054 MA 055-055
VT 056-059 CT 060-069 NJ 070-089 NY 100-149 PA 150-196 DE 197-199 DC 200-200 VA 201-201 DC 202-205 MD 206-219
VA 220-246 WV 247-268 NC 270-289 SC 290-299 GA 300-319 FL 320-349 AL 350-369 TN 370-385 MS 386-397 GA 398-399
KY 400-427 OH 430-459 IN 460-479 MI 480-499 IA 500-528 WI 530-549 MN 550-567 DC 569-569 SD 570-577 ND 580-588
MT 590-599 IL 600-629 MO 630-658 KS 660-679 NE 680-693 LA 700-714 AR 716-729 OK 730-732 TX 733-733 OK 734-749
TX 750-799 CO 800-816 WY 820-831 ID 832-838 UT 840-847 AZ 850-865 NM 870-884 TX 885-885 NV 889-898 CA 900-961
HI 967-968 GU 969-969 OR 970-979 WA 980-994 AK 995-999
"""


def _zip_states() -> dict[str, str]:
    fields = _ZIPS.split()
    return {
        f"{prefix:03}": state
        for state, span in zip(fields[::2], fields[1::2], strict=True)
        for prefix in range(int(span[:3]), int(span[4:]) + 1)
    }


ZIP_STATE = _zip_states()

# Secondary units: Publication 28, appendix C2, and what shops write. Spelling -> full word.
UNITS = {
    word: words[0]
    for words in map(str.split, """
        suite ste suites stes su|unit units|apartment apt apts|building bldg bld bldgs|floor fl flr|room rm rms|space spc sp
        lot|key|penthouse ph|hangar hngr hanger|department dept|box pmb mailbox|slip|stop mailstop|trailer trlr|tower twr
        level lvl|office ofc|stall|booth|kiosk|gate|wing|dock|bay|terminal|door|store|shop|studio|number no|section|module
    """.replace("\n", "|").split("|"))
    for word in words
}  # fmt: skip
# Units that stand without an identifier.
LONE_UNITS = frozenset(
    "penthouse rear front upper lower side basement lobby upstairs downstairs mezzanine "
    "bsmt".split()
)
LEVEL_WORDS = frozenset(
    "ground main upper lower top mezzanine lobby garden street concourse terrace plaza".split()
)

NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split(), 1)
} | {word: str(value * 10) for value, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)}  # fmt: skip
ORDINAL_WORDS = {
    word: f"{value}{suffix}"
    for value, (word, suffix) in enumerate(
        zip(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
            "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
            "twentieth".split(),
            ["st", "nd", "rd", *["th"] * 17], strict=True), 1)
}  # fmt: skip

# Streets that carry no type, and words that lead a street's name ("Avenue of the Americas", "Via Marina").
TYPELESS = frozenset(
    "main broadway bowery embarcadero esplanade boardwalk strand alameda riverwalk riverway "
    "beltway midway".split()
)
LEADING = frozenset(
    "avenue ave avenida calle camino caminito paseo via viale rue calzada corte circulo callejon "
    "carretera rancho plaza el la los las le cerro cuesta vereda sendero placita entrada".split()
)
# Words inside a street's name that are written small.
CONNECTORS = frozenset("of the de la del los las y du des st".split())
CITY_CONNECTORS = CONNECTORS | frozenset("or and on by in".split())

ROUTE_MODIFIERS = frozenset(
    "us state county co old new business bus st farm ranch to market national interstate federal "
    "forest service texas ohio michigan kansas indiana kentucky alabama township twp parish "
    "private highway hwy".split()
)
ROUTE_CORES = frozenset(
    "highway hwy hiway highways hwys route rte rt road rd interstate i fm rm rr sr cr us sh ih th "
    "loop lp spur nc sc tx ca ny avenue ave street st ranch hw".split()
)

# What may follow a street at once, in the same line, without being part of a name that the street begins.
FOLLOWERS = frozenset(
    "get map maps view directions direction phone ph tel telephone fax call hours open email "
    "e-mail mail website web click book order menu reserve reservations contact visit copyright "
    "located mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday "
    "daily toll cell mobile office more info show see google driving".split()
)
# A number after one of these is where something is.
LOCATING = frozenset(
    "at to from on located address location near off is visit opposite across addr".split()
)
# What may follow a street in running text.
ONWARD = frozenset(
    "in at near between and on or for from with by to is was has will during within after before "
    "where when that which who across just next off the has have had are were until since while "
    "as".split()
)
# A number before one of these is an amount.
MEASURES = frozenset(
    "gb tb mb kb lb lbs oz ft feet foot in inch inches mi mile miles km mg ml hour hours hr hrs "
    "day days minute minutes min mins year years week weeks month months percent star stars piece "
    "pieces pack inch x am pm a.m p.m".split()
)
# A name without type that contains one of these is no street: "2 Locations", "24 Hour Fitness".
NOT_STREETS = frozenset(
    "locations location reviews review photos photo results listings items pages page comments "
    "hours hour bedrooms bedroom beds bed baths bath bathrooms acres offices stores branches "
    "employees people members products guests seats jobs events days inc llc ltd corp company co "
    "group realty fitness restaurant bar grill cafe hotel inn church school bank associates "
    "services insurance plumbing auto pizza salon miles ratings votes".split()
)
# Words that end in what looks like a street's type.
NOT_NAMES = frozenset(
    {"wheel drive", "hard drive", "flash drive", "disk drive", "test drive", "usb drive", "food drive", "blood drive", "line drive",
     "dvd drive", "thumb drive", "floppy drive", "one way", "food court", "tennis court", "basketball court", "supreme court",
     "district court", "circuit court", "first place", "second place", "third place", "market place", "best way", "easy way",
     "right way", "only way", "bike lane", "fast lane", "memory lane", "main entrance", "dead end", "city square", "nature trail"}
)  # fmt: skip
MONTHS = frozenset(
    "january february march april may june july august september october november december jan "
    "feb mar apr jun jul aug sep sept oct nov dec".split()
)
# A four-digit number after one of these is a year.
YEAR_CUES = (
    frozenset(
        "in since copyright © est established founded circa about by until from during before "
        "after year".split()
    )
    | MONTHS
)
LABELS = frozenset(
    "city town state st zip zipcode postal code address addr street location citystatezip csz "
    "province region".split()
)
COUNTRY = frozenset(
    {("usa",), ("us",), ("united", "states"), ("united", "states", "of", "america"), ("america",)}
)
