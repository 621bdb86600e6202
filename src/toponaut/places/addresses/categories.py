"""The category of an organisation, in a small fixed vocabulary of OpenStreetMap's words.

It comes from the schema.org type ("Dentist"), else from the words of the name ("Zahnarztpraxis
Meier", "Pizzeria Roma"). Of several words the last one that means a category counts: in English and
German it says what a thing is ("Museum Cafe" is a cafe). No word, no category: "" is better than a
guess.

A name of such words only ("Pawn Shop", "Italian / Steakhouse") is a category, not a name.
"""

import re
from functools import lru_cache
from itertools import pairwise

from toponaut.places.addresses.label_words import SMALL

# Category: schema.org types; words of names. A word with * also ends compounds: "Zahnarztpraxis".
_TABLE = """
restaurant: Restaurant FoodEstablishment; restaurant restaurants ristorante trattoria osteria
  pizzeria pizza steakhouse steaks grill bistro brasserie diner taqueria cantina sushi ramen bbq
  barbecue tavola gasthaus gasthof gaststätte wirtshaus restaurante marisqueria churrascaria tapas
  tacos noodles krog étoile crêperie eatery bufet kebab* burgers burger seafood
fast_food: FastFoodRestaurant; imbiss snackbar snack takeaway döner
cafe: CafeOrCoffeeShop IceCreamShop; cafe café cafè coffee espresso kaffee kaffeehaus roasters
  tearoom eiscafé eisdiele gelateria teahouse konditori
bar: BarOrPub Winery Brewery Distillery; bar pub tavern brewery brewing brauerei taproom cocktails
  kneipe weinbar winery weingut brasserie-bar saloon
nightclub: NightClub; nightclub discotheque disko diskothek
bakery: Bakery; bakery bakeries bäckerei boulangerie panadería padaria patisserie konditorei
  donuts doughnuts bagels cakes bakkerij
supermarket: GroceryStore; supermarket grocery groceries supermarkt lebensmittel épicerie mercado
  supermercado
butcher: ; butcher metzgerei fleischerei boucherie
clothes: ClothingStore ShoeStore MensClothingStore; clothing boutique boutiques apparel fashion
  shoes tailor mode schuhe bekleidung vêtements
jewelry: JewelryStore; jewelry jewelers jeweler jewellers jewelry jewellery juwelier bijouterie
  joyería goldschmied diamonds
antiques: ; antiques antique antiquitäten antiquités vintage
pawnbroker: PawnShop; pawn pawns pawnbroker pfandhaus
cannabis: ; dispensary dispensaries cannabis
florist: Florist; florist flowers blumen fleuriste floristik
books: BookStore; bookstore bookshop books buchhandlung librairie librería
furniture: FurnitureStore; furniture möbel möbelhaus meubles muebles
electronics: ElectronicsStore ComputerStore MobilePhoneStore; electronics computers elektronik
hardware: HardwareStore; hardware baumarkt lumber eisenwaren quincaillerie
garden_centre: GardenStore; nursery gärtnerei gartencenter
bicycle: BikeStore; bicycles bikes cycles cycle fahrrad* fahrräder
toys: ToyStore HobbyShop; toys hobby spielwaren
sports_shop: SportingGoodsStore; firearms guns outfitters
shop: Store DepartmentStore ConvenienceStore OutletStore HomeGoodsStore LiquorStore PetStore
  TireShop WholesaleStore MusicStore MovieRentalStore ShoppingCenter ThriftStore; shop shops store
  stores outlet mall market laden geschäft magasin tienda negozio butik consignment thrift mart
  emporium
hairdresser: HairSalon; hair barber barbers barbershop friseur friseure friseursalon coiffure
  coiffeur haarstudio peluquería parrucchiere frisör hairdresser
beauty: BeautySalon NailSalon DaySpa HealthAndBeautyBusiness TattooParlor; beauty nails spa salon
  kosmetik kosmetikstudio esthétique tattoo massage
doctors: Physician MedicalClinic MedicalBusiness MedicalOrganization Optician DiagnosticLab;
  doctor doctors physician physicians clinic clinics pediatrics family-medicine dermatology
  orthopedics cardiology praxis arztpraxis hausarzt arzt ärzte* médecin médico medical surgery
  chiropractic
dentist: Dentist; dentist dentists dental dentistry orthodontics zahnarzt zahnarztpraxis zahnärzte
  dentiste dentista tandarts
pharmacy: Pharmacy; pharmacy apotheke pharmacie farmacia drugstore apteka apotek
hospital: Hospital; hospital hospitals krankenhaus klinikum klinik hôpital ospedale sjukhus
physiotherapist: PhysicalTherapy; physiotherapy physiotherapie physio krankengymnastik
  kinésithérapie
psychotherapist: ; psychotherapie psychotherapy counseling counselling psychology
veterinary: VeterinaryCare; veterinary vet animal-hospital tierarzt tierarztpraxis vétérinaire
optician: ; optician optik optiker opticien eyewear optometry
hotel: Hotel LodgingBusiness BedAndBreakfast Hostel Motel Resort; hotel hotels inn motel hostel
  lodge resort suites pension gästehaus ferienwohnung auberge albergo herberge hotell guesthouse
camp_site: Campground RVPark; campground camping campingplatz campsite rv
school: School ElementarySchool HighSchool MiddleSchool; school schools schule* grundschule
  gymnasium realschule gesamtschule berufsschule école lycée collège escuela scuola skola* skolan*
  academy musikschule
kindergarten: Preschool ChildCare; kindergarten kita preschool daycare childcare crèche
  kinderkrippe förskola*
university: CollegeOrUniversity; university universität université universidad università college
  hochschule fakultät faculty universitet
library: Library; library libraries bibliothek bücherei stadtbücherei bibliothèque biblioteca
  médiathèque bibliotek
place_of_worship: PlaceOfWorship Church CatholicChurch Mosque Synagogue HinduTemple
  BuddhistTemple; church churches kirche* kirchengemeinde pfarrei parish mosque moschee synagogue
  temple église cathedral chapel iglesia chiesa igreja ministries kyrka* kyrkan* baptist lutheran
  methodist presbyterian
museum: Museum ArtGallery; museum museums musée museo museu écomusée gallery galerie galleria
  heimatmuseum
theatre: PerformingArtsTheater MusicVenue ComedyClub; theater theatre theatres theaters opera
  playhouse théâtre teatro konserthus konzerthaus amphitheater
cinema: MovieTheater; cinema cinemas kino cinéma cine movies
attraction: TouristAttraction LandmarksOrHistoricalBuildings AmusementPark Zoo Aquarium; zoo
  aquarium tierpark memorial monument castle schloss château
park: Park; park parks parc parque garden gardens botanical
sports_centre: SportsActivityLocation SportsClub StadiumOrArena BowlingAlley GolfCourse SkiResort
  PublicSwimmingPool TennisComplex; sports stadium arena sporthalle sporthallen sportpark golf
  bowling pool schwimmbad hallenbad tennis tennisclub stade piscine sportanlage sportzentrum
fitness_centre: ExerciseGym HealthClub; gym fitness yoga pilates crossfit fitnessstudio
club: ; club verein* e.v association society rotary lions legion vfw verband
community_centre: CivicStructure EventVenue; community-center bürgerhaus gemeindehaus
  gemeindezentrum bürgerzentrum kulturhus
townhall: CityHall GovernmentOffice GovernmentOrganization; town-hall city-hall rathaus mairie
  ayuntamiento municipio township borough bürgeramt gemeindeverwaltung stadtverwaltung courthouse
police: PoliceStation; police polizei gendarmerie sheriff
fire_station: FireStation; fire-department feuerwehr pompiers fire-station
post_office: PostOffice; post-office postamt
bank: BankOrCreditUnion FinancialService AutomatedTeller; bank banks sparkasse volksbank
  raiffeisenbank credit-union banque banco banca
insurance: InsuranceAgency; insurance versicherung versicherungen assurance assurances seguros
estate_agent: RealEstateAgent; realty realtors realtor immobilien immobilier real-estate
  inmobiliaria
lawyer: LegalService Attorney Notary; law attorney attorneys lawyer lawyers rechtsanwalt
  rechtsanwälte anwaltskanzlei kanzlei notar notaire avocat abogados solicitors
accountant: AccountingService; accounting accountants cpa steuerberater steuerberatung comptable
car_repair: AutoRepair AutoBodyShop AutoPartsStore AutoWash; auto-repair automotive autowerkstatt
  kfz garage carrosserie tire tires reifen collision
car_dealer: AutoDealer MotorcycleDealer; motors autohaus auto-sales concessionnaire toyota honda
  ford nissan
fuel: GasStation; gas-station tankstelle petrol
plumber: Plumber HVACBusiness; plumbing plumber plumbers sanitär heizung hvac
electrician: Electrician; electric electrician elektro elektrotechnik
builder: GeneralContractor HomeAndConstructionBusiness RoofingContractor HousePainter;
  construction contractors builders roofing bau bauunternehmen remodeling renovation
craft: Locksmith MovingCompany DryCleaningOrLaundry; locksmith movers schreinerei tischlerei
  malerbetrieb menuiserie laundry cleaners
waste: RecyclingCenter; recycling landfill transfer-station wertstoffhof déchèterie composting
travel_agency: TravelAgency; travel reisebüro tours voyages viajes
office: Organization Corporation ProfessionalService LocalBusiness NGO EmploymentAgency;
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


def _read_table() -> tuple[dict[str, str], dict[str, str], tuple[tuple[str, str], ...]]:
    types: dict[str, str] = {}
    words: dict[str, str] = {}
    endings = []
    for entry in _ENTRIES:
        category, _, rest = entry.partition(":")
        given, _, named = rest.partition(";")
        types.update(dict.fromkeys(given.split(), category))
        for word in named.split():
            words.setdefault(word.rstrip("*"), category)
            if word.endswith("*"):
                endings.append((word.rstrip("*"), category))
    return types, words, tuple(endings)


_TYPES, _WORDS, _ENDINGS = _read_table()
CATEGORIES = tuple(entry.partition(":")[0] for entry in _ENTRIES)


def category_of_types(types: object) -> str:
    """The category of an item's schema.org types, the most exact of them; "" if unknown."""
    if not isinstance(types, list):
        return ""
    found = [_TYPES[str(one)] for one in types if str(one) in _TYPES]
    return next((one for one in found if one not in _VAGUE), found[0] if found else "")


@lru_cache(maxsize=8192)  # names repeat on the pages of a site
def category_of_name(name: str) -> str:
    """The category that the words of a name mean; "" if none does."""
    words = _WORD.findall(name.lower())
    pairs = [f"{one}-{two}" for one, two in pairwise(words)]
    for word in (*reversed(pairs), *reversed(words)):
        if found := _WORDS.get(word) or _by_ending(word):
            return found
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


def _by_ending(word: str) -> str:
    """ "Zahnarztpraxis", "Högastensskolan"."""
    for ending, category in _ENDINGS:
        if len(ending) >= _SHORTEST_ENDING and len(word) > len(ending) and word.endswith(ending):
            return category
    return ""
