"""Street types: USPS Publication 28, appendix C1, with the abbreviations the post and the public use.

Each line is one type: its full word first, then every other spelling. Words that are also common in names of towns,
parks and businesses (Park, Lake, Center, Hill ...) are *weak*: they end a street name only where nothing stronger
follows.
"""

_STRONG = """
alley aly allee ally
avenue ave av aven avenu avn avnue
boulevard blvd boul boulv bvd blv
bypass byp bypa bypas byps
causeway cswy causwa
circle cir circ circl crcl crcle
circles cirs
court ct crt
courts cts
cove cv coves cvs
crescent cres crsent crsnt cresc cresent
crossing xing crssng
crossroad xrd
drive dr driv drv
drives drs
esplanade esplande
expressway expy exp expr express expw
extension ext extn extnsn exten extensions exts
freeway fwy freewy frway frwy
highway hwy highwy hiway hiwy hway hgwy
lane ln lanes
loop loops lp
motorway mtwy
overpass opas
parkway pkwy parkwy pkway pky pkwys parkways
pike pikes pk
place pl
plaza plz plza
promenade prom
road rd
roads rds
route rte rt
skyway skwy
square sq sqr sqre squ
squares sqs sqrs
street st strt str stree
streets sts
terrace ter terr
throughway trwy
tollway twy
trace trce traces
trafficway trfy
trail trl trails trls tr
turnpike tpke trnpk trpk turnpk tpk
underpass upas
viaduct vdct viadct
way wy
ways
"""

_WEAK = """
building bldg
annex anx annx anex
arcade arc
bayou byu bayoo
beach bch
bend bnd
bluff blf bluf
bluffs blfs
bottom btm bot bottm
branch br brnch
bridge brg brdge
brook brk
brooks brks
burg bg
burgs bgs
camp cp cmp
canyon cyn canyn cnyn
cape cpe
center ctr centre centr cen cent cntr cnter
centers ctrs
cliff clf
cliffs clfs
club clb
common cmn
commons cmns
concourse conc
corner cor cnr
corners cors
corridor
course crse
creek crk ck
crest crst
curve curv
dale dl
dam dm
divide dv div dvd
estate est
estates ests
fall
falls fls
ferry fry frry
field fld
fields flds
flat flt
flats flts
ford frd
fords frds
forest frst forests
forge frg forg
forges frgs
fork frk
forks frks
fort ft frt
garden gdn gardn grden grdn
gardens gdns grdns
gateway gtwy gatewy gatway gtway
glen gln
glens glns
green grn
greens grns
grove grv grov
groves grvs
harbor hbr harb harbr hrbor harbour
harbors hbrs
haven hvn
heights hts ht hgts
hill hl
hills hls
hollow holw hllw hollows holws
inlet inlt
island is islnd
islands iss islnds
isle isles
junction jct jction jctn junctn juncton
junctions jcts jctns
key ky
keys kys
knoll knl knol
knolls knls
lake lk
lakes lks
land
landing lndg lndng
light lgt
lights lgts
loaf lf
lock lck
locks lcks
lodge ldg ldge lodg
mall
manor mnr
manors mnrs
meadow mdw
meadows mdws medows
mews
mill ml
mills mls
mission msn missn mssn
mount mt mnt
mountain mtn mntain mntn mountin mtin
mountains mtns mntns
neck nck
orchard orch orchrd
oval ovl
park prk parks
pass
passage psge
path paths
pier
pine pne
pines pnes
plain pln
plains plns
point pt
points pts
port prt
ports prts
prairie pr prr
quay
radial radl rad radiel
ramp
ranch rnch ranches rnchs
rapid rpd
rapids rpds
rest rst
ridge rdg rdge
ridges rdgs
river riv rvr rivr
row
run
shoal shl
shoals shls
shore shr shoar
shores shrs shoars
spring spg spng sprng
springs spgs spngs sprngs
spur spurs
station sta statn stn
stravenue stra strav straven stravn strvn strvnue
stream strm streme
summit smt sumit sumitt
track tracks trak trk trks
tower towers twr
terminal
complex
campus
tunnel tunl tunel tunls tunnels tunnl
union un
unions uns
valley vly vally vlly
valleys vlys
view vw
views vws
village vlg vill villag villg
villages vlgs
ville vl
vista vis vist vst vsta
walk walks wlk
wall
well wl
wells wls
wharf whf
"""


def _table(lines: str) -> dict[str, str]:
    return {word: words[0] for words in map(str.split, lines.split("\n")) for word in words}


STRONG = _table(_STRONG)
WEAK = _table(_WEAK)
TYPES = WEAK | STRONG  # spelling -> full word, lower case
