"""The category of an organisation, in a small fixed vocabulary of OpenStreetMap's words.

It comes from the schema.org type ("Dentist"), else from the words of the name ("Zahnarztpraxis
Meier", "Pizzeria Roma"). Of several words the last one that means a category counts: in English and
German it says what a thing is ("Museum Cafe" is a cafe). Words after "at", "am" or the like say
where it is ("Zahnärzte am Theater"). No word, no category: "" is better than a guess.

A name of such words only ("Pawn Shop", "Italian / Steakhouse") is a category, not a name.

Searches use the same table: some words name a category and find all of it, others only a part.
"""

import re
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from toponaut.places.addresses.owners.label_words import SMALL

# [Kind of/]category: schema.org types; words that name all of it | words that mean some of it. One
# with * also ends compounds: "Zahnarztpraxis". One with ? is only for searches: it is a surname.
_TABLE = """
restaurant: Restaurant FoodEstablishment; restaurant restaurants ristorante ristoranti restaurante
  restaurantes gaststätte gasthaus wirtshaus eatery étterem | trattoria osteria pizzeria pizza
  steakhouse steaks grill bistro brasserie diner taqueria cantina sushi ramen bbq barbecue tavola
  gasthof marisqueria churrascaria tapas tacos noodles krog étoile crêperie bufet kebab* burgers
  burger seafood
restaurant/fast_food: FastFoodRestaurant; imbiss snackbar takeaway fast-food | snack döner
cafe: CafeOrCoffeeShop IceCreamShop; cafe café cafè cafés cafetería kaffeehaus tearoom teehaus
  koffiehuis coffee-shop | coffee espresso kaffee roasters eiscafé eisdiele gelateria teahouse
  konditori
bar: BarOrPub Winery Brewery Distillery; bar bars pub pubs tavern kneipe | brewery brewing brauerei
  taproom cocktails weinbar winery weingut brasserie-bar saloon
nightclub: NightClub; nightclub discotheque disko diskothek discothèque discoteca
shop/bakery: Bakery; bakery bakeries ?baker bäckerei ?bäcker boulangerie panadería padaria panificio
  bakkerij | patisserie konditorei donuts doughnuts bagels cakes
shop/supermarket: GroceryStore; supermarket grocery groceries supermarkt supermercado supermarché
  supermercato | lebensmittel épicerie mercado
shop/butcher: ; butcher metzgerei ?metzger fleischerei ?fleischer boucherie carnicería macelleria
  slagerij
shop/clothes: ClothingStore ShoeStore MensClothingStore; clothing clothes bekleidung vêtements ropa
  kleidung | boutique boutiques apparel fashion shoes tailor mode schuhe
shop/jewelry: JewelryStore; jewelry jewelers jeweler jewellers jewellery juwelier bijouterie joyería
  gioielleria | goldschmied diamonds
shop/antiques: ; antiques antique antiquitäten antiquités antigüedades | vintage
shop/pawnbroker: PawnShop; pawnbroker pfandhaus pawn-shop | pawn pawns
shop/cannabis: ; dispensary dispensaries | cannabis
shop/florist: Florist; florist fleuriste floristik blumenladen fioraio floristería bloemist |
  flowers blumen
shop/books: BookStore; bookstore bookshop buchhandlung buchladen librairie librería livraria
  libreria boekhandel | books
shop/furniture: FurnitureStore; furniture möbel möbelhaus meubles muebles mobili
shop/electronics: ElectronicsStore ComputerStore MobilePhoneStore; electronics elektronik
  électronique | computers
shop/hardware: HardwareStore; hardware baumarkt quincaillerie ferretería ferramenta | lumber
  eisenwaren
shop/garden_centre: GardenStore; gärtnerei gartencenter garden-center garden-centre pépinière vivero
  | nursery baumschule
shop/bicycle: BikeStore; fahrradladen fahrräder bike-shop | bicycles bikes cycles cycle fahrrad*
  fahrradhaus radhaus zweirad
shop/toys: ToyStore HobbyShop; toys spielwaren jouets juguetería giocattoli | hobby
shop/sports_shop: SportingGoodsStore; sporting-goods sportgeschäft | firearms guns outfitters
shop: Store DepartmentStore ConvenienceStore OutletStore HomeGoodsStore LiquorStore PetStore
  TireShop WholesaleStore MusicStore MovieRentalStore ShoppingCenter ThriftStore; shop shops store
  stores laden läden geschäft geschäfte magasin magasins tienda tiendas negozio negozi loja butik |
  outlet mall market consignment thrift mart emporium
hairdresser: HairSalon; barber barbers barbershop friseur friseure friseursalon coiffeur coiffure
  peluquería parrucchiere frisör hairdresser kapper cabeleireiro | hair haarstudio
beauty: BeautySalon NailSalon DaySpa HealthAndBeautyBusiness TattooParlor; kosmetik kosmetikstudio
  beauty-salon | beauty nails spa salon esthétique tattoo massage
doctors: Physician MedicalClinic MedicalBusiness MedicalOrganization Optician DiagnosticLab; doctor
  doctors physician physicians arzt arztpraxis hausarzt médecin médecins médico medico huisarts |
  clinic clinics pediatrics family-medicine dermatology orthopedics cardiology praxis ärzte*
  hausarztpraxis medical surgery chiropractic
dentist: Dentist; dentist dentists zahnarzt zahnarztpraxis zahnärzte dentiste dentista tandarts |
  dental dentistry orthodontics
pharmacy: Pharmacy; pharmacy pharmacies apotheke apotheken pharmacie farmacia farmácia drugstore
  apotheek apteka apotek
hospital: Hospital; hospital hospitals krankenhaus klinikum klinik hôpital ospedale ziekenhuis
  sjukhus
physiotherapist: PhysicalTherapy; physiotherapy physiotherapie physiotherapist fisioterapia | physio
  krankengymnastik kinésithérapie
psychotherapist: ; psychotherapie psychotherapy psychotherapist | counseling counselling psychology
veterinary: VeterinaryCare; veterinary veterinarian vet tierarzt tierarztpraxis vétérinaire
  veterinario dierenarts animal-hospital
optician: ; optician optik optiker opticien óptica ottico | eyewear optometry
hotel: Hotel LodgingBusiness BedAndBreakfast Hostel Motel Resort; hotel* hotels hôtel hôtels hotell
  albergo | inn motel hostel lodge resort suites pension gästehaus ferienwohnung auberge herberge
  guesthouse
camp_site: Campground RVPark; campground campsite campingplatz camping | rv
driving_school: ; driving-school fahrschule auto-école autoescuela autoscuola
school: School ElementarySchool HighSchool MiddleSchool; school schools schule* schulen école écoles
  escuela scuola escola | grundschule gymnasium realschule gesamtschule berufsschule lycée collège
  skola* skolan* academy musikschule
kindergarten: Preschool ChildCare; kindergarten kita preschool crèche guardería | daycare childcare
  kinderkrippe förskola*
university: CollegeOrUniversity; university universität université universidad università hochschule
  universitet universiteit | college fakultät faculty
library: Library; library libraries bibliothek bücherei bibliothèque biblioteca bibliotheek
  bibliotek | stadtbücherei médiathèque
place_of_worship: PlaceOfWorship Church CatholicChurch Mosque Synagogue HinduTemple BuddhistTemple;
  church churches kirche* kirchen église églises iglesia iglesias chiesa chiese igreja kerk kyrka* |
  kyrkan* kirchengemeinde pfarrei parish mosque moschee synagogue temple cathedral chapel ministries
  baptist lutheran methodist presbyterian
museum: Museum ArtGallery; museum museums museen musée musées museo musei museu | écomusée gallery
  galerie galleria heimatmuseum
theatre: PerformingArtsTheater MusicVenue ComedyClub; theater theatre theatres theaters théâtre
  teatro | opera playhouse konserthus konzerthaus amphitheater
cinema: MovieTheater; cinema cinemas kino kinos cinéma cine bioscoop movie-theater | movies
attraction: TouristAttraction LandmarksOrHistoricalBuildings AmusementPark Zoo Aquarium;
  sehenswürdigkeit sehenswürdigkeiten ?attraction ?attractions ?sights | zoo aquarium tierpark
  memorial monument castle schloss château
park: Park; park parks parc parcs parque parco | garden gardens botanical
sports_centre: SportsActivityLocation SportsClub StadiumOrArena BowlingAlley GolfCourse SkiResort
  PublicSwimmingPool TennisComplex; sporthalle sporthallen sportzentrum sports-centre sports-center
  | sports stadium arena sportpark golf bowling pool schwimmbad hallenbad tennis tennisclub stade
  piscine sportanlage kletterhalle
sports_centre/fitness_centre: ExerciseGym HealthClub; gym gyms fitnessstudio gimnasio palestra |
  fitness yoga pilates crossfit
club: ; club clubs verein* vereine association | e.v society rotary lions legion vfw verband
community_centre: CivicStructure EventVenue; community-center community-centre bürgerhaus |
  gemeindehaus gemeindezentrum bürgerzentrum kulturhus
townhall: CityHall GovernmentOffice GovernmentOrganization; town-hall city-hall rathaus mairie
  ayuntamiento municipio | township borough bürgeramt bürgerbüro gemeindeverwaltung stadtverwaltung
  courthouse
police: PoliceStation; police polizei gendarmerie policía polizia politie | sheriff
fire_station: FireStation; fire-department fire-station feuerwehr pompiers bomberos
post_office: PostOffice; post-office postamt
bank: BankOrCreditUnion FinancialService AutomatedTeller; bank banks banken banque banques banco
  banca | sparkasse volksbank raiffeisenbank credit-union
insurance: InsuranceAgency; insurance versicherung versicherungen assurance assurances seguros
estate_agent: RealEstateAgent; realtor realtors real-estate estate-agent estate-agents
  immobilienmakler agence-immobilière inmobiliaria | realty immobilien immobilier
lawyer: LegalService Attorney Notary; attorney attorneys lawyer lawyers anwalt anwälte rechtsanwalt
  rechtsanwälte anwaltskanzlei avocat avocats abogado abogados avvocato solicitors | law kanzlei
  notar notaire
accountant: AccountingService; accountant accountants steuerberater comptable contable | accounting
  cpa steuerberatung steuerbüro
car_repair: AutoRepair AutoBodyShop AutoPartsStore AutoWash; auto-repair car-repair autowerkstatt
  garage | automotive kfz carrosserie tire tires reifen collision
car_dealer: AutoDealer MotorcycleDealer; autohaus car-dealer concessionnaire | motors auto-sales
  toyota honda ford nissan
fuel: GasStation; gas-station petrol-station tankstelle gasolinera station-service | petrol
craft/plumber: Plumber HVACBusiness; plumber plumbers klempner plombier fontanero idraulico
  loodgieter | plumbing sanitär heizung hvac
craft/electrician: Electrician; electrician electricians elektriker électricien electricista |
  electric elektro elektrotechnik
craft/builder: GeneralContractor HomeAndConstructionBusiness RoofingContractor HousePainter;
  bauunternehmen contractors builders | construction roofing bau dachdecker dachdeckerei remodeling
  renovation
craft: Locksmith MovingCompany DryCleaningOrLaundry; ?handwerker ?artisan ?artisans | locksmith
  schlüsseldienst movers schreinerei tischlerei malerbetrieb menuiserie laundry cleaners druckerei
  buchbinderei
waste: RecyclingCenter; recycling wertstoffhof déchèterie | landfill transfer-station composting
travel_agency: TravelAgency; reisebüro travel-agency | travel tours voyages viajes
office: Organization Corporation ProfessionalService LocalBusiness NGO EmploymentAgency; |
  consulting consultants logistics software solutions industries agency agentur
"""
_ENTRIES = re.split(r"\n(?=\S)", _TABLE.strip())
_VAGUE = frozenset({"office"})  # types that say only that there is an organisation
# Further words of categories: "Gold & Coin Buyer".
_QUALIFIERS = frozenset(
    "gold coin buyer buyers loan loans title luxury watch estate fine custom italian mexican "
    "chinese japanese thai indian french american asian mediterranean greek korean vietnamese "
    "modern new traditional local family organic vegan vegetarian brunch breakfast lunch dinner "
    "desserts dessert tourist landmark car used art food drinks live music event events venue "
    "venues public private gun firearm auto".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:[.'’-][^\W\d_]+)*")
_SHORTEST_ENDING = 5  # letters: a shorter word ends too many others
# What follows in a name says where something is, or whose: "Zahnärzte am Theater".
_BESIDE = re.compile(r"\s(?:am|an|im|in|bei|beim|at|near|de|du|des|del|della|do|da)\s")


class _Table(NamedTuple):
    types: dict[str, str]  # schema.org type: category
    words: dict[str, str]  # word of names: category
    endings: dict[str, str]
    named: dict[str, str]  # word of searches: the category that it names
    parents: dict[str, str]  # category: the one that it is a kind of


def _read_table() -> _Table:
    table = _Table({}, {}, {}, {}, {})
    for entry in _ENTRIES:
        path, _, rest = entry.partition(":")
        parent, _, category = path.rpartition("/")
        table.parents[category] = parent
        types, _, words = rest.partition(";")
        table.types.update(dict.fromkeys(types.split(), category))
        naming, _, meaning = words.partition("|")
        table.named.update((word.strip("*?"), category) for word in naming.split())
        for word in f"{naming} {meaning}".split():
            if not word.startswith("?"):
                table.words.setdefault(word.rstrip("*"), category)
            if word.endswith("*"):
                table.endings[word.rstrip("*")] = category
    return table


_TYPES, _WORDS, _ENDINGS, _NAMED, _PARENTS = _read_table()
CATEGORIES = tuple(_PARENTS)
NAMING_WORDS = MappingProxyType(_NAMED)  # with their categories; pairs have a hyphen
MEANING_WORDS = MappingProxyType(_WORDS)


def with_kinds(category: str) -> tuple[str, ...]:
    """A category and its kinds: a bakery is a shop."""
    return category, *(kind for kind, parent in _PARENTS.items() if parent == category)


def category_of_types(types: object) -> str:
    """The category of an item's schema.org types, the most exact of them; "" if unknown."""
    if not isinstance(types, list):
        return ""
    found = [_TYPES[str(one)] for one in types if str(one) in _TYPES]
    return next((one for one in found if one not in _VAGUE), found[0] if found else "")


@lru_cache(maxsize=8192)  # names repeat on the pages of a site
def category_of_name(name: str) -> str:
    """The category that the words of a name mean; "" if none does."""
    name = name.lower()
    beside = _BESIDE.search(name)
    return (beside and _of_words(name[: beside.start()])) or _of_words(name)


def _of_words(name: str) -> str:
    words = _WORD.findall(name)
    for one, two in reversed([*pairwise(words)]):
        if found := _WORDS.get(f"{one}-{two}"):
            return found
    for k in range(len(words) - 1, -1, -1):
        if found := _of_word(words[k]):  # a barber shop is not a shop
            return (k and found == "shop" and _of_word(words[k - 1])) or found
    return ""


def category(given: str, name: str) -> str:
    """The category by type; if that only says that it is a business, by the words of the name."""
    return category_of_name(name) or given if not given or given in _VAGUE else given


def is_category(name: str) -> bool:
    """Whether all words of a line mean categories or qualify them: "Gold & Coin Buyer"."""
    words = [word for word in _WORD.findall(name.lower()) if word not in SMALL]
    if not words or any(map(str.isdigit, name)):
        return False
    return all(word in _WORDS or word in _QUALIFIERS for word in words)


def _of_word(word: str) -> str:
    if found := _WORDS.get(word):
        return found
    for ending, category in _ENDINGS.items():  # "Zahnarztpraxis", "Högastensskolan"
        if len(ending) >= _SHORTEST_ENDING and len(word) > len(ending) and word.endswith(ending):
            return category
    return ""
