"""The closed word lists of US addresses: directions, states, street types, units, number words."""


def _by_spelling(groups: str) -> dict[str, str]:
    """Spelling -> full word, of groups of words parted by "|" or line ends."""
    rows = map(str.split, groups.replace("\n", "|").split("|"))
    return {word: words[0] for words in rows for word in words}


DIRECTIONS = _by_spelling(
    "north n no|south s so|east e|west w|northeast ne north-east|northwest nw north-west"
    "|southeast se south-east|southwest sw south-west"
)

# Full name, postal code, then Associated Press and older abbreviations, without their points.
_STATES = """
Alabama AL Ala|Alaska AK Alas|Arizona AZ Ariz|Arkansas AR Ark|California CA Calif Cal
Colorado CO Colo|Connecticut CT Conn|Delaware DE Del|District_of_Columbia DC|Florida FL Fla
Georgia GA|Hawaii HI Hawai'i|Idaho ID Ida|Illinois IL Ill|Indiana IN Ind|Iowa IA
Kansas KS Kan Kans|Kentucky KY|Louisiana LA|Maine ME|Maryland MD|Massachusetts MA Mass
Michigan MI Mich|Minnesota MN Minn|Mississippi MS Miss|Missouri MO|Montana MT Mont
Nebraska NE Neb Nebr|Nevada NV Nev|New_Hampshire NH|New_Jersey NJ|New_Mexico NM N_Mex|New_York NY
North_Carolina NC N_Car|North_Dakota ND N_Dak|Ohio OH|Oklahoma OK Okla|Oregon OR Ore Oreg
Pennsylvania PA Penn Penna|Rhode_Island RI|South_Carolina SC S_Car|South_Dakota SD S_Dak
Tennessee TN Tenn|Texas TX Tex|Utah UT|Vermont VT|Virginia VA|Washington WA Wash
West_Virginia WV W_Va|Wisconsin WI Wis Wisc|Wyoming WY Wyo|Puerto_Rico PR|Virgin_Islands VI
U.S._Virgin_Islands VI|Guam GU|American_Samoa AS|Northern_Mariana_Islands MP
"""


def _states() -> dict[tuple[str, ...], str]:
    table = {}
    for entry in _STATES.replace("\n", "|").strip("|").split("|"):
        code = next(word for word in entry.split() if len(word) == 2 and word.isupper())
        for name in entry.split():
            table[tuple(name.lower().replace(".", "").split("_"))] = code
    for code in "NC ND NH NJ NM NY RI SC SD WV DC".split():
        table[tuple(code.lower())] = code  # "N. C."
    return table


STATES = _states()  # words, lower case and without points -> postal code
STATE_CODES = frozenset(STATES.values())
LONGEST_STATE = max(map(len, STATES))

# First three digits of ZIP codes by state: inclusive ranges, from the USPS list of centres.
_ZIPS = """
NY 005-005 PR 006-007 VI 008-008 PR 009-009 MA 010-027 RI 028-029 NH 030-038 ME 039-049 VT 050-054
MA 055-055 VT 056-059 CT 060-069 NJ 070-089 NY 100-149 PA 150-196 DE 197-199 DC 200-200 VA 201-201
DC 202-205 MD 206-219 VA 220-246 WV 247-268 NC 270-289 SC 290-299 GA 300-319 FL 320-349 AL 350-369
TN 370-385 MS 386-397 GA 398-399 KY 400-427 OH 430-459 IN 460-479 MI 480-499 IA 500-528 WI 530-549
MN 550-567 DC 569-569 SD 570-577 ND 580-588 MT 590-599 IL 600-629 MO 630-658 KS 660-679 NE 680-693
LA 700-714 AR 716-729 OK 730-732 TX 733-733 OK 734-749 TX 750-799 CO 800-816 WY 820-831 ID 832-838
UT 840-847 AZ 850-865 NM 870-884 TX 885-885 NV 889-898 CA 900-961 HI 967-968 GU 969-969 OR 970-979
WA 980-994 AK 995-999
"""
_FIELDS = _ZIPS.split()
ZIP_STATE = {  # first three digits -> state
    f"{prefix:03}": state
    for state, span in zip(_FIELDS[::2], _FIELDS[1::2], strict=True)
    for prefix in range(int(span[:3]), int(span[4:]) + 1)
}

# Street types: USPS Publication 28, appendix C1, with the abbreviations that people use. Full word
# first, then its other spellings. The weak ones are also common in names of towns, parks and firms
# (Park, Lake, Center): they end a street's name only where no strong type follows.
_STRONG_TYPES = """
alley aly allee ally|avenue ave av aven avenu avn avnue|boulevard blvd boul boulv bvd blv
bypass byp bypa bypas byps|causeway cswy causwa|circle cir circ circl crcl crcle|circles cirs
court ct crt|courts cts|cove cv coves cvs|crescent cres crsent crsnt cresc cresent
crossing xing crssng|crossroad xrd|drive dr driv drv|drives drs|esplanade esplande
expressway expy exp expr expw|extension ext extn extnsn exten extensions exts
freeway fwy freewy frway frwy|highway hwy highwy hiway hiwy hway hgwy|lane ln lanes|loop loops lp
motorway mtwy|overpass opas|parkway pkwy parkwy pkway pky pkwys parkways|pike pikes pk|place pl
plaza plz plza|promenade prom|road rd|roads rds|route rte rt|skyway skwy|square sq sqr sqre squ
squares sqs sqrs|street st strt str stree|streets sts|terrace ter terr|throughway trwy|tollway twy
trace trce traces|trafficway trfy|trail trl trails trls tr|turnpike tpke trnpk trpk turnpk tpk
underpass upas|viaduct vdct viadct|way wy|ways
"""
_WEAK_TYPES = """
building bldg|annex anx annx anex|arcade arc|bayou byu bayoo|beach bch|bend bnd|bluff blf bluf
bluffs blfs|bottom btm bot bottm|branch br brnch|bridge brg brdge|brook brk|brooks brks|burg bg
burgs bgs|camp cp cmp|canyon cyn canyn cnyn|cape cpe|center ctr centre centr cen cent cntr cnter
centers ctrs|cliff clf|cliffs clfs|club clb|common cmn|commons cmns|concourse conc|corner cor cnr
corners cors|corridor|course crse|creek crk ck|crest crst|curve curv|dale dl|dam dm
divide dv div dvd|estate est|estates ests|fall|falls fls|ferry fry frry|field fld|fields flds
flat flt|flats flts|ford frd|fords frds|forest frst forests|forge frg forg|forges frgs|fork frk
forks frks|fort ft frt|garden gdn gardn grden grdn|gardens gdns grdns
gateway gtwy gatewy gatway gtway|glen gln|glens glns|green grn|greens grns|grove grv grov
groves grvs|harbor hbr harb harbr hrbor harbour|harbors hbrs|haven hvn|heights hts ht hgts|hill hl
hills hls|hollow holw hllw hollows holws|inlet inlt|island is islnd|islands iss islnds|isle isles
junction jct jction jctn junctn juncton|junctions jcts jctns|key ky|keys kys|knoll knl knol
knolls knls|lake lk|lakes lks|land|landing lndg lndng|light lgt|lights lgts|loaf lf|lock lck
locks lcks|lodge ldg ldge lodg|mall|manor mnr|manors mnrs|meadow mdw|meadows mdws medows|mews
mill ml|mills mls|mission msn missn mssn|mount mt mnt|mountain mtn mntain mntn mountin mtin
mountains mtns mntns|neck nck|orchard orch orchrd|oval ovl|park prk parks|pass|passage psge
path paths|pier|pine pne|pines pnes|plain pln|plains plns|point pt|points pts|port prt|ports prts
prairie pr prr|quay|radial radl rad radiel|ramp|ranch rnch ranches rnchs|rapid rpd|rapids rpds
rest rst|ridge rdg rdge|ridges rdgs|river riv rvr rivr|row|run|shoal shl|shoals shls
shore shr shoar|shores shrs shoars|spring spg spng sprng|springs spgs spngs sprngs|spur spurs
station sta statn stn|stravenue stra strav straven stravn strvn strvnue|stream strm streme
summit smt sumit sumitt|track tracks trak trk trks|tower towers twr|terminal|complex|campus
tunnel tunl tunel tunls tunnels tunnl|union un|unions uns|valley vly vally vlly|valleys vlys
view vw|views vws|village vlg vill villag villg|villages vlgs|ville vl|vista vis vist vst vsta
walk walks wlk|wall|well wl|wells wls|wharf whf
"""


STRONG_TYPES = _by_spelling(_STRONG_TYPES)
WEAK_TYPES = _by_spelling(_WEAK_TYPES)
TYPES = WEAK_TYPES | STRONG_TYPES  # spelling -> full word, lower case

# USPS Publication 28, appendix C2.
UNITS = _by_spelling("""
suite ste suites stes su|unit units|apartment apt apts|building bldg bld bldgs|floor fl flr
room rm rms|space spc sp|lot|key|penthouse ph|hangar hngr hanger|department dept|box pmb mailbox
slip|stop mailstop|trailer trlr|tower twr|level lvl|office ofc|stall|booth|kiosk|gate|wing|dock|bay
terminal|door|store|shop|studio|number no|section|module
""")
# Units that need no identifier.
LONE_UNITS = frozenset(
    "penthouse rear front upper lower side basement lobby upstairs downstairs mezzanine "
    "bsmt".split()
)
LEVEL_WORDS = frozenset(
    "ground main upper lower top mezzanine lobby garden street concourse terrace plaza".split()
)

_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty".split()
)
_TENS = "thirty forty fifty sixty seventy eighty ninety".split()
NUMBER_WORDS = {word: str(value) for value, word in enumerate(_ONES, 1)} | {
    word: str(value * 10) for value, word in enumerate(_TENS, 3)
}
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split()
)
ORDINAL_WORDS = {
    word: f"{value}{('st', 'nd', 'rd', 'th')[min(value, 4) - 1]}"
    for value, word in enumerate(_ORDINALS, 1)
}

# Streets without a type, and words that begin a street's name: "Via Marina".
TYPELESS = frozenset(
    "main broadway bowery embarcadero esplanade boardwalk strand alameda riverwalk riverway "
    "beltway midway".split()
)
LEADING = frozenset(
    "avenue ave avenida calle camino caminito paseo via viale rue calzada corte circulo callejon "
    "carretera rancho plaza el la los las le cerro cuesta vereda sendero placita entrada".split()
)
# Words inside a name that are written in lower case.
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

# Words that may follow a street in its line and do not belong to its name.
FOLLOWERS = frozenset(
    "get map maps view directions direction phone ph tel telephone fax call hours open email "
    "e-mail mail website web click book order menu reserve reservations contact visit copyright "
    "located mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday "
    "daily toll cell mobile office more info show see google driving".split()
)
# A number after one of these is a location.
LOCATING = frozenset(
    "at to from on located address location near off is visit opposite across addr".split()
)
# Words that may follow a street in prose.
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
# A name without type that contains one of these is not a street: "2 Locations", "24 Hour Fitness".
NOT_STREETS = frozenset(
    "locations location reviews review photos photo results listings items pages page comments "
    "hours hour bedrooms bedroom beds bed baths bath bathrooms acres offices stores branches "
    "employees people members products guests seats jobs events days inc llc ltd corp company co "
    "group realty fitness restaurant bar grill cafe hotel inn church school bank associates "
    "services insurance plumbing auto pizza salon miles ratings votes".split()
)
# Phrases that only look as if they ended in a street type.
NOT_NAMES = frozenset(
    "wheel drive|hard drive|flash drive|disk drive|test drive|usb drive|food drive|blood drive"
    "|line drive|dvd drive|thumb drive|floppy drive|one way|food court|tennis court"
    "|basketball court|supreme court|district court|circuit court|first place|second place"
    "|third place|market place|best way|easy way|right way|only way|bike lane|fast lane"
    "|memory lane|main entrance|dead end|city square|nature trail".split("|")
)
MONTHS = frozenset(
    "january february march april may june july august september october november december jan "
    "feb mar apr jun jul aug sep sept oct nov dec".split()
)
# A four-digit number after one of these is a year.
YEAR_CUES = MONTHS | frozenset(
    "in since copyright © est established founded circa about by until from during before after "
    "year".split()
)
LABELS = frozenset(
    "city town state st zip zipcode postal code address addr street location citystatezip csz "
    "province region".split()
)
COUNTRY = frozenset(
    {("usa",), ("us",), ("united", "states"), ("united", "states", "of", "america"), ("america",)}
)
