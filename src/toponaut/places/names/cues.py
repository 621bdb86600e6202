"""Words that speak for or against the name beside them, in the languages of most pages. Data only."""

# Before a name: it is a place. "in Paris", "nahe Oldenburg", "près de Lyon"
LOCATIVE = """in near at from to around outside inside through across toward towards between throughout via beyond nahe
    bei aus nach à en près dans depuis vers desde hacia cerca em perto até vicino te uit naar bij"""
# Before a name: perhaps. "the city of Houston", but also "the Duke of Wellington"
OF = "of de von des du di do da van and und et y e or sowie oder"
# Before a name: with a capital, or after a given name, a person. "Burgemeester Van Bergen", "Jan van Delft"
NOBLE = "van von de da di du do della dos des"
# Before a name, part of town or country: "Downtown Houston", "Greater Boston", "Upstate New York"
AREA = """downtown uptown midtown greater metro metropolitan central northern southern eastern western north south east
    west northeast northwest southeast southwest upstate inner suburban rural historic stadt gemeinde ville ciudad cidade"""
# Before a name, with a capital: a person. "Mr. Houston", "Judge Austin"
TITLE = """mr mrs ms miss dr prof professor president sir lord lady king queen prince princess pope father sister brother
    rev reverend pastor bishop judge justice attorney senator sen rep representative congressman congresswoman gov
    governor mayor councilman councilwoman councilor councillor commissioner sheriff chief officer detective sgt
    sergeant lt lieutenant capt captain maj major col colonel gen general pvt cpl deputy coach chairman chairwoman
    ceo herr frau monsieur madame mme señor señora sr sra dom dona senhor senhora signor signora mevrouw meneer
    minister saint st san santa santo são principal superintendent"""
# Before a name, in any case: a person. "coach Austin", "actor Denzel Washington"
TRADE = """coach actor actress singer quarterback pitcher striker goalkeeper midfielder rapper guitarist novelist
    trainer schauspieler sänger née geb"""
# Before a name, in any case: a street or an institution named after it. "Via Roma", "rue de Brest", "FC Porto"
NAMED_AFTER = """via viale corso piazza rue rua avenida calle plaza paseo praça praca largo quai route fc sc ac as vfl vfb sv
    tsv sg ssv amtsgericht landgericht universität université universidade universidad università universiteit hotel
    café cafe restaurant ristorante pizzeria pasticceria bar pub stadion stade estadio estádio haus schloss castello"""
# Before "of" and a name, with a capital: an institution. "University of Phoenix", "Bank of America", "Port of Newcastle"
INSTITUTION = """university bank port college school church museum society institute house diocese archdiocese bishop duke
    earl prince battle treaty universidade universidad université università banque banco rue rua avenue place via
    calle avenida"""
# Peoples and languages that are also the names of villages
PEOPLE = """american british english scottish irish welsh french german italian spanish portuguese dutch belgian swiss austrian
    polish russian ukrainian greek turkish chinese japanese korean vietnamese indian pakistani mexican canadian
    australian brazilian african european asian arab jewish roman texan swedish danish norwegian finnish czech
    hungarian romanian bulgarian croatian serbian iranian iraqi israeli egyptian cuban colombian"""
# After a name, with a capital: no part of it. "Boston Mayor Jane Roe", "Houston Tuesday", "Dallas Area"
ROLE = """mayor governor gov senator sen rep police fire firefighters sheriff officials councilman councilwoman
    commissioner attorney judge coach native resident residents area metro region suburb suburbs downtown
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december mon tue wed thu fri sat sun montag dienstag mittwoch donnerstag freitag samstag
    sonntag phone tel fax telefon email open hours usa"""
# After a name: a street. "Houston Street", "Berliner Platz"
STREET = """street st avenue ave av road rd drive dr boulevard blvd lane ln way court ct place pl plaza plz parkway pkwy
    highway hwy circle cir terrace ter trail trl turnpike tpke pike expressway expy freeway alley square sq crescent
    close row straße strasse str platz allee weg gasse ring damm ufer chaussee straat laan plein"""
# After a name, with a capital: another name. "Washington Post", "Dallas Cowboys", "Houston Airport", "Boston Market"
ORGANISATION = """post times tribune chronicle herald gazette journal globe sun news daily press courier examiner observer
    register review star bulletin dispatch enquirer inquirer telegraph mail weekly magazine guardian leader
    university college school schools academy institute polytechnic state tech seminary hospital clinic church
    cathedral temple synagogue museum gallery library theatre theater opera symphony orchestra philharmonic ballet zoo
    bank insurance mutual savings trust financial partners holdings group inc corp corporation company co llc ltd gmbh
    ag sa plc foundation association society club league fc sc united rovers wanderers athletic airlines airways air
    railway railroad lines motors records pictures studios entertainment fries pizza grill market foods brewing coffee
    roasters bagels cowboys giants jets bears lions tigers bulls eagles rams saints yankees mets cubs sox royals angels
    dodgers padres rangers astros mavericks rockets spurs suns lakers clippers warriors kings knicks nets celtics bruins
    flyers penguins capitals hurricanes panthers dolphins buccaneers falcons titans colts texans broncos raiders
    chargers seahawks cardinals vikings packers bengals browns steelers ravens patriots bills redskins commanders
    nationals marlins braves phillies pirates reds brewers twins guardians orioles diamondbacks rockies mariners
    athletics raptors bucks pacers hawks hornets heat magic wizards cavaliers pistons timberwolves nuggets jazz thunder
    pelicans grizzlies blazers sabres senators canadiens leafs islanders devils blues blackhawks predators stars
    avalanche coyotes ducks chiefs sharks canucks flames oilers wild kraken act treaty accord agreement declaration convention
    protocol conference summit marathon derby open classic championship hotel inn resort motel casino restaurant cafe
    tavern bar pub building tower mall stadium arena bridge airport station river lake creek bay mountain mountains
    valley canyon falls island ridge forest ranch cemetery high elementary middle regional medical"""
# After a name, in lower case: a thing named after the place. "Philadelphia cream cheese", "Boston terrier"
WARE = "cream cheese terrier retriever terriers steak sauce bulldog lettuce sprouts sprout dressing fries"
# After a name: whoever spoke is a person. "Houston said"
SPEECH = "said says told asked added noted wrote argued replied testified recalled explained sagte dit pitched scored"
# Months and days as dates abbreviate them: "12 Nov", a town in Tajikistan; "Mon", a state of Myanmar
DATE = """jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun okt dez mai mrz mär janv févr
    avr juil août déc ene abr ago dic set out fev gen mag giu lug ott"""

GROUPS: dict[str, str] = {
    "locative": LOCATIVE, "of": OF, "noble": NOBLE, "area": AREA, "title": TITLE, "trade": TRADE, "role": ROLE, "street": STREET, "named_after": NAMED_AFTER,
    "institution": INSTITUTION, "people": PEOPLE, "the": "the", "and": "and or und oder et ou y e i en sowie",
    "organisation": ORGANISATION, "ware": WARE, "speech": SPEECH, "date": DATE,
}  # fmt: skip
BIT = {name: 1 << k for k, name in enumerate(GROUPS)}
