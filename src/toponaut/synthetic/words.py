"""Words and names that pages and sites are made of, in three languages.

Function words have their share of running English (as in the Brown corpus). The other lists are in
the order of use and drawn by Zipf's law. Pages make no sense, but their words have the statistics
that name finders and learners meet on the web.
"""

from toponaut.synthetic.chance import mix

# Parts of 10,000 in running English.
ENGLISH = """
    the 620 of 320 and 290 to 260 a 230 in 200 that 100 is 100 was 95 he 80 for 90 it 80 with 70 as
    70 his 60 on 65 be 60 at 52 by 52 had 50 this 50 not 45 are 43 but 43 from 43 or 41 have 39 an
    37 they 36 which 35 one 30 were 32 her 30 all 28 she 27 there 26 would 25 their 26 we 25 him 24
    been 23 has 23 when 22 who 22 will 21 more 21 no 20 if 20 out 20 so 19 said 19 what 18 up 18 its
    18 about 17 into 17 than 17 them 17 can 17 only 16 other 16 new 15 some 15 could 15 time 14
    these 14 two 13 may 13 then 13 do 13 first 12 any 12 my 12 now 12 such 12 like 11 our 11 over 11
    me 11 even 11 most 10 made 10 after 10 also 10 did 10 many 10 before 9 must 9 through 9 back 9
    years 9 where 9 much 9 your 9 way 9
"""
GERMAN = """
    die der und in zu den das nicht von sie ist des sich mit dem dass er es ein ich auf so eine auch
    als an nach wie im für man aber aus durch wenn nur war noch werden bei hat wir was wird sein
    einen welche sind oder zur um haben einer mir über ihm diese einem ihr uns da zum kann doch vor
    dieser mich ihn du hatte seine mehr am denn nun unter sehr selbst schon hier bis habe ihre dann
    ihnen seiner alle wieder meine gegen vom ganz einzelnen wo muss ohne eines können sei
"""
PORTUGUESE = """
    de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das
    tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era
    depois sem mesmo aos ter seus quem nas me esse eles estão você tinha foram essa num nem suas meu
    às minha têm numa pelos elas havia seja qual será nós tenho lhe deles essas esses
"""

# Topics of sites that are not local.
TOPICS = {
    "software": "software download version windows file update driver user program install server "
    "linux support system data release bug network manual desktop backup script license plugin "
    "memory tool patch browser source code package virus screen keyboard module interface "
    "database freeware setup terminal kernel error command archive",
    "games": "game player level score console cheat review screenshot multiplayer quest weapon "
    "map mission trailer arcade puzzle strategy guild server patch hero dungeon racing controller "
    "graphics beta tournament character stage boss",
    "music": "music album song band lyrics guitar artist track concert tour chords drum singer "
    "vinyl label piano single remix jazz rock bass record playlist chorus tempo studio rehearsal "
    "melody acoustic festival fans recording",
    "movies": "movie film actor director trailer cast scene star review plot sequel series "
    "episode season award drama comedy horror script premiere celebrity gossip screening "
    "soundtrack documentary studio box office rating fans",
    "health": "health treatment symptoms disease doctor patient medical drug diet therapy "
    "clinical vitamin blood cancer exercise pain weight study infection surgery skin dose heart "
    "allergy nutrition sleep diabetes risk vaccine",
    "science": "research theory journal paper study data model analysis method results species "
    "physics energy cell experiment particle abstract author volume molecular climate equation "
    "laboratory genome measurement sample",
    "sports": "team season league coach win player match goal score cup training defense "
    "championship record fans club tournament ball injury stadium final racing tennis golf draft "
    "standings roster playoffs quarterback",
    "finance": "market stock price investment fund bank interest loan credit rate shares dollar "
    "mortgage insurance tax income trading profit analyst quarter debt portfolio broker dividend "
    "earnings currency forecast capital",
    "shopping": "price product order shipping cart review discount sale item brand size color "
    "delivery warranty stock gift catalog coupon customer leather cotton camera watch shoes "
    "jewelry battery clearance accessories bestseller",
    "cooking": "recipe sauce cup butter sugar salt oven minutes chicken onion garlic pepper flour "
    "bake cheese cream dish lemon soup bread teaspoon ingredients stir dinner chocolate tomato "
    "serve boil fresh vanilla dough",
    "religion": "church faith prayer bible spirit scripture gospel verse sermon soul grace holy "
    "worship ministry creation belief sacred temple blessing psalm lord mercy salvation pastor "
    "testament doctrine",
    "cars": "engine car vehicle dealer model miles tire brake wheel fuel horsepower sedan truck "
    "transmission parts warranty oil hybrid torque mileage suspension exhaust motor bumper "
    "convertible gearbox coupe turbo",
    "politics": "government policy president senate election vote campaign law congress party "
    "bill minister candidate reform debate court rights tax budget speech committee parliament "
    "treaty ballot amendment opposition",
    "personal": "diary photo family kids dog cat friend weekend birthday mood vacation school "
    "garden love coffee holiday memories guestbook favorite sister brother dream journal thoughts "
    "morning wedding baby knitting",
}
# Trades of local sites; the first word names the trade.
TRADES = {
    "Plumbing": "plumbing heating pipe drain water heater leak repair emergency service estimate "
    "furnace bathroom sewer faucet licensed contractor toilet remodeling pump boiler inspection "
    "kitchen valve",
    "Pizza": "pizza menu restaurant dinner lunch pasta salad specials reservation chef wine "
    "dessert catering delivery garlic cheese patio dining bread appetizer bar brunch takeout oven "
    "toppings",
    "Dental": "dental dentist teeth smile patient appointment cleaning whitening implants crown "
    "office insurance hygienist braces emergency gums exam veneers orthodontic children filling",
    "Realty": "homes realty listings bedroom property mortgage agent buyers sellers neighborhood "
    "condo square foot garage sale mls relocation rental appraisal open house acres closing "
    "townhouse",
    "Auto": "auto repair brakes oil tires transmission service mechanic towing inspection engine "
    "body shop alignment warranty battery estimate used parts collision detailing muffler",
    "Law": "law attorney injury lawyer legal accident firm divorce criminal defense consultation "
    "bankruptcy estate claim court settlement counsel custody trial probate litigation",
    "Flowers": "flowers florist bouquet roses wedding delivery arrangement sympathy plants gift "
    "orchid lilies same day basket prom funeral corsage vase tulips centerpiece",
    "Hotel": "hotel rooms rates reservation guests breakfast suites pool amenities downtown "
    "airport parking meeting wedding lobby king shuttle fitness stay smoking check-in banquet",
    "Church": "church worship sunday service ministry pastor youth choir prayer sermon school "
    "nursery mission bulletin fellowship baptism lutheran baptist methodist volunteers communion",
    "Fitness": "fitness gym class yoga trainer membership pilates schedule workout studio dance "
    "kids martial arts karate instructor wellness spinning weights massage sauna",
    "Books": "books used rare bookstore author signing reading club magazines cafe comics "
    "collectibles first edition maps children fiction newsletter shelves poetry",
    "Roofing": "roofing roof gutters siding shingles contractor free estimate storm damage "
    "insulation windows repair licensed insured metal residential commercial leak decks painting",
}
# Subjects of guides, chambers, papers and universities.
CIVIC = {
    "guide": "restaurants hotels attractions events map downtown museum park nightlife shopping "
    "visitors tours weather dining theater festival zoo airport arts neighborhoods beach history "
    "golf calendar bars galleries family coupons",
    "chamber": "chamber members business commerce networking luncheon directory economic "
    "development ribbon cutting board sponsors membership workforce breakfast committee "
    "ambassadors relocation community leads tourism",
    "news": "police city council county school mayor fire officials residents district police "
    "vote budget charged street downtown game coach obituary weather traffic court sheriff "
    "meeting neighbors theft arrested planning",
    "university": "students faculty department course campus research degree graduate program "
    "admissions library semester professor college alumni tuition undergraduate dean lecture "
    "scholarship syllabus dormitory seminar",
    "directory": "directory listings category browse add site search results submit business link "
    "pages resources guide top popular yellow featured review regional sites index related",
    "chain": "store locations hours products savings gift cards weekly ad careers customers "
    "rewards order online brand franchise menu deals catalog coupons new arrivals locator "
    "investor",
}
TRADES_DE = {
    "Apotheke": "apotheke gesundheit beratung arzneimittel rezept notdienst kosmetik team "
    "vorbestellung impfung angebote homöopathie blutdruck öffnungszeiten lieferservice pflege "
    "vitamine medikamente",
    "Bäckerei": "bäckerei brot brötchen kuchen torten konditorei filiale frühstück vollkorn "
    "handwerk café teig ofen sauerteig angebot meister familie rezept backstube",
    "Fahrräder": "fahrrad fahrräder werkstatt reparatur verleih elektrorad probefahrt zubehör "
    "marken service inspektion helm reifen kinderrad schlauch bremse beratung leasing",
    "Gasthof": "gasthof restaurant speisekarte zimmer küche biergarten hochzeit saal tagung "
    "frühstück regional übernachtung stammtisch wild spargel reservierung gäste kegelbahn",
    "Rechtsanwälte": "rechtsanwalt kanzlei arbeitsrecht familienrecht mandant beratung "
    "verkehrsrecht notar vertrag gericht klage mietrecht erbrecht fachanwalt termin strafrecht "
    "steuern",
    "Möbel": "möbel küche wohnzimmer sofa tisch stuhl schlafzimmer angebot lieferung montage "
    "planung ausstellung holz leder matratze regal design prospekt",
}
CIVIC_DE = (
    "stadt rathaus veranstaltungen kultur verein sport schule bürger museum markt innenstadt "
    "termine programm region gemeinde feuerwehr wirtschaft polizei theater ausstellung "
    "universität studium verkehr tourismus bauamt landkreis bürgermeister kirche jugend konzert "
    "wetter bahnhof hotel restaurant stadtplan"
)
TOPIC_DE = (
    "software forum computer internet musik spiele film test bericht nachrichten auto technik "
    "versand bestellen preis produkt kaufen gesundheit rezept bücher fotos linux treiber geld "
    "bank versicherung politik regierung fußball bundesliga wissenschaft forschung urlaub reise "
    "garten tiere hund katze tagebuch freunde gästebuch download anleitung"
)
TRADES_PT = {
    "Restaurante": "restaurante ementa peixe bacalhau vinho jantar almoço mesa reservas cozinha "
    "sobremesa prato marisco esplanada tradicional chef grelhados petiscos",
    "Farmácia": "farmácia medicamentos saúde receita serviço produtos beleza vacinas utente "
    "horário atendimento entrega bebé análises tensão nutrição",
    "Imobiliária": "imóveis apartamento moradia venda arrendamento quartos garagem varanda "
    "renovado terreno preço visita agente escritório cozinha prédio zona",
    "Oficina": "oficina automóvel reparação pneus revisão peças travões óleo mecânico orçamento "
    "inspeção bateria pintura chapa viatura reboque",
}
CIVIC_PT = (
    "câmara municipal freguesia cultura eventos agenda museu turismo escola desporto cidade "
    "mercado festa teatro exposição concelho munícipes junta obras transportes associação "
    "notícias polícia universidade curso alunos hotel praia história igreja biblioteca jardim"
)
TOPIC_PT = (
    "software jogos música filme futebol notícias governo presidente economia banco dinheiro "
    "carro saúde receita livro internet computador telemóvel preço compra produto viagem férias "
    "ciência investigação fotografia blog amigos família cão gato diário download versão programa "
    "campeonato equipa"
)

# Names that contain a city's name but mean something else.
MISLEADING = (
    "New York Fries", "Paris Hilton", "Washington Post", "Boston Market",
    "Philadelphia cream cheese", "Chicago Tribune", "Whitney Houston", "Kansas City Chiefs",
    "Joaquin Phoenix", "Lincoln Navigator", "Denver Broncos", "Austin Powers", "Dallas Cowboys",
    "Aurora Borealis", "Buffalo wings", "Miami Vice", "John Denver", "Cleveland Brown",
    "Jackson Browne", "Jack London", "New York Times", "Los Angeles Lakers", "Las Vegas style",
    "Tampa Bay Buccaneers", "Madison Avenue", "Boston Legal", "Seattle grunge", "Memphis Slim",
    "Berlin Alexanderplatz", "Lisbon Treaty", "Hannover Re", "Portland cement", "Glendale cardigan",
    "Albany International", "Detroit techno", "Savannah cat", "Charlotte Bronte",
    "Riverside Records",
)  # fmt: skip
FOREIGN = (
    "London", "Paris", "Tokyo", "Rome", "Madrid", "Beijing", "Moscow", "Sydney", "Toronto",
    "Vienna", "Zurich", "Mumbai", "Cairo", "Dublin", "Amsterdam", "Brussels", "Stockholm", "Prague",
    "Seoul", "Singapore", "France", "Japan", "China", "India", "Italy",
)  # fmt: skip

STREETS = (
    "Main Oak Maple Cedar Elm Washington Lake Hill Park Pine Walnut Spring Ridge Church Willow "
    "Mill Sunset Railroad Jackson Cherry Highland Johnson Dogwood Chestnut Adams Franklin Forest "
    "Meadow River Center Lincoln Madison Monroe Jefferson Hickory Laurel College Locust Valley "
    "Poplar Magnolia Birch Prospect Sycamore Grand Liberty Union Harrison Broadway 2nd 3rd 4th 5th "
    "6th 7th 8th 9th 10th 12th 14th 21st 34th 42nd Lakeview Woodland Court State Market Front "
    "Water Canal Bridge Summit Cleveland Wilson Hamilton Clark Taylor Fairview Greenwood Sherman "
    "Ashland Belmont Clinton Westfield Eastwood Delaware"
).split()
STREET_TYPES = (
    "St St St Street Street Ave Ave Ave Avenue Rd Rd Road Dr Drive Blvd Blvd Boulevard Ln Lane Ct "
    "Way Pkwy Pl"
).split()
STREETS_DE = (
    "Lange Straße|Hauptstraße|Bahnhofstraße|Schulstraße|Gartenstraße|Dorfstraße|Bergstraße|"
    "Lindenstraße|Kirchstraße|Waldstraße|Goethestraße|Schillerstraße|Mozartstraße|Beethovenstraße|"
    "Wiesenweg|Birkenweg|Mühlenweg|Am Markt|Marktplatz|Ringstraße|Donnerschweer Straße|"
    "Alexanderstraße|Nadorster Straße|Rosenstraße|Friedrichstraße|Wilhelmstraße|Breite Straße|"
    "Kaiserstraße|Poststraße|Mühlenstraße|Industriestraße|Gewerbepark|Ahornweg|Eichenweg|Amselweg|"
    "Am Bahnhof|Feldstraße|Burgstraße|Achternstraße|Bremer Straße"
).split("|")
STREETS_PT = (
    "Rua Castilho|Avenida da Liberdade|Rua Augusta|Rua do Ouro|Avenida da República|"
    "Praça do Comércio|Rua Garrett|Largo do Carmo|Rua de Santa Catarina|Avenida 5 de Outubro|"
    "Rua Direita|Rua da Igreja|Rua Luís de Camões|Rua Miguel Bombarda|Travessa do Carmo|"
    "Avenida dos Aliados|Rua 25 de Abril|Largo da Sé|Rua Nova|Rua do Comércio|Rua da Escola|"
    "Avenida Almirante Reis|Rua da Prata|Praça da República|Rua Serpa Pinto|Estrada de Benfica|"
    "Rua das Flores|Alameda dos Oceanos"
).split("|")
FEATURES = (
    "Park Heights Square Bridge Hall Commons Creek Landing Village Gardens Stadium Center Hill "
    "Point Station Mall Field Pavilion"
).split()
FEATURES_DE = "Park Platz Brücke Hof Halle Tor Viertel Berg Passage Arena Feld Mühle".split()
FEATURES_PT = "Jardim Ponte Mercado Praça Parque Bairro Miradouro Quinta Largo Estádio".split()
FAMILIES = {
    "de": (
        "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer "
        "Klein Wolf Krüger Janßen"
    ).split(),
    "pt": (
        "Silva Santos Ferreira Pereira Oliveira Costa Rodrigues Martins Sousa Fernandes Gomes "
        "Lopes Marques Almeida"
    ).split(),
}
ADJECTIVES = (
    "Golden Royal Family Quality Premier Sunshine Classic Heritage Blue Express Elite Star Village "
    "Corner Superior"
).split()
BRANDS = (
    "Burger Basket|Value Mart|Shoe Barn|Taco Cabin|Office Nook|Coffee Harbor|Auto Zoomer|"
    "Pet Palace|Home Hub|Video Villa|Fit Factory|Book Bay|Donut Depot|Dollar Dock|Mattress Mill|"
    "Eye World|Craft Corral|Tire Town|Bagel Brothers|Tool Temple|Steak Stop|Toy Tower|"
    "New York Bagels|Boston Grill|Texas Chicken|Philly Subs|California Tan|Denver Mattress Loft|"
    "Savannah Furniture|Memphis Ribs"
).split("|")
GENERIC_NAMES = (
    "world net planet zone hub central online depot source universe express point base corner "
    "network daily lab vault garage attic"
).split()

# Names of civic sites by kind and language; {0} is the city.
_CIVIC_NAMES = {
    ("guide", "en"): (
        "{0} Guide", "Visit {0}", "{0} Online", "Inside {0}", "{0} Hotels and Dining",
    ),
    ("guide", "de"): ("{0} Info", "Stadtportal {0}", "{0} erleben", "{0} entdecken"),
    ("guide", "pt"): ("Guia de {0}", "{0} Online", "Visite {0}"),
    ("chamber", "en"): ("{0} Chamber of Commerce", "{0} Area Chamber", "Greater {0} Chamber"),
    ("chamber", "de"): ("Gewerbeverein {0}", "Wirtschaft {0}"),
    ("chamber", "pt"): ("Associação Comercial de {0}",),
    ("news", "en"): ("{0} Herald", "{0} Daily News", "{0} Gazette", "The {0} Courier"),
    ("news", "de"): ("{0} Zeitung", "Tageblatt {0}"),
    ("news", "pt"): ("Jornal de {0}", "Diário de {0}"),
    ("university", "en"): ("University of {0}", "{0} State University", "{0} Community College"),
    ("university", "de"): ("Universität {0}", "Hochschule {0}"),
    ("university", "pt"): ("Universidade de {0}", "Instituto Politécnico de {0}"),
}  # fmt: skip
_BLOGS = ("{0}'s Blog", "{0} Family Pages", "The {0} Journal")
_IN_CITY = ("{0} {1}", "{1} of {0}", "Downtown {0} {1}")
_SHOPS = ("{0}'s {1}", "{0} {1}", "{0} & Sons {1}", "{2} {1}", "{2} {1} Inc", "{0} and {2} {1}")
_WEB = ("Web", "Link", "Site", "Net", "Yellow", "Open")
_FINDERS = ("Finder", "Index", "Directory", "Guide", "Pages", "Catalog")
_TOPIC_WORDS = {name: tuple(text.split()) for name, text in TOPICS.items()}


def vocabularies() -> dict[tuple[str, str], tuple[str, ...]]:
    """Content words by language and subject."""
    found = {
        ("en", name): text for name, text in (*TOPICS.items(), *TRADES.items(), *CIVIC.items())
    }
    for language, trades, civic, topic in (
        ("de", TRADES_DE, CIVIC_DE, TOPIC_DE),
        ("pt", TRADES_PT, CIVIC_PT, TOPIC_PT),
    ):
        found |= {(language, name): text for name, text in trades.items()}
        found |= {(language, name): civic for name in CIVIC}
        found |= {(language, name): topic for name in ("forum", "personal")}
    return {key: tuple(dict.fromkeys(text.split())) for key, text in found.items()}


def local_name(
    kind: str, language: str, trade: str, named: str, city: str, owner: str, key: int
) -> str:
    """The name of a city's site. `named`: the city, if a shop is named after it; else ""."""
    forms = _CIVIC_NAMES.get((kind, language))
    draw = mix(key, 11)
    if forms:
        return forms[draw % len(forms)].format(city)
    if kind == "blog":
        return _BLOGS[draw % 3].format(owner)
    if language != "en":
        return f"{trade} {named or owner}"
    if named:
        return _IN_CITY[draw % 3].format(named, trade)
    return _SHOPS[draw % 6].format(owner, trade, ADJECTIVES[(draw >> 8) % len(ADJECTIVES)])


def general_name(kind: str, topic: str, owner: str, key: int) -> str:
    """The name of a site without a city. `owner`: name of the owner, for other languages."""
    draw = mix(key, 11)
    if kind == "chain":
        return BRANDS[draw % len(BRANDS)]
    if kind == "directory":
        return f"{_WEB[draw % len(_WEB)]} {_FINDERS[(draw >> 8) % len(_FINDERS)]}"
    if owner:
        return f"{owner} {topic.title()}"
    about = _TOPIC_WORDS[topic]
    return f"{about[draw % len(about)]} {GENERIC_NAMES[(draw >> 16) % len(GENERIC_NAMES)]}".title()
