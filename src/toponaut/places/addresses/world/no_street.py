"""Words that begin or end a line with a number but no street: "Tel 12", "Page 3", "May 5"."""

_LABELS = """
tel telefon telephone telefono teléfono téléphone phone fax mob mobil mobile gsm cell whatsapp тел
факс моб tlf puh tfn tél icq vat ust ustid ico ičo dič nip regon cvr org iban bic bank isbn issn
page pages seite strana strona side sida sivu oldal página pagina pag p pp chapter kapitel chapitre
capítulo capitolo volume vol band tome issue heft no nr number nummer numéro número figure fig abb
table tabelle tableau section abschnitt article artikel art version ver v release update rev level
part teil partie parte step schritt lesson lektion unit suite ste apt apartment flat room raum
zimmer ebene saal hörsaal obergeschoss erdgeschoss
floor etage étage stock piso planta piano building gebäude bldg gate gleis platform bus line
linie ligne tram route zone box pf pob postfach postbus postboks bp cp cs cedex apartado copyright
since seit depuis from about over under top best first last next week day month year season episode
class klasse grade group gruppe team match game round runde score rank place platz stage total price
preis prix precio ab bis to until um uhr h pm am o'clock km m cm mm kg g ml min sec age ages aged
jahre years windows iphone ipad android office photoshop python php java html css utf iso din en mp3
mp4 covid euro eur usd gbp chf kr kč ft zł rub руб грн dollar only just all more than nearly almost
question answer frage q a item items points punkte votes comments comment kommentare reviews review
photos photo results result posts post views likes followers members stars star rating sun mon tue
wed thu fri sat mo di mi do fr sa so lun mar mer jeu ven sam dim lunes martes hours open daily form
model type typ série serie series size grösse größe psalm genesis matthew mark luke john boeing
airbus formula apollo channel radio fm highway interstate exit kilometre area district problem
exercise example theorem lemma definition equation appendix annex schedule clause rule
"""
# Months of the languages that most pages are in; other months rarely precede a town.
_MONTHS = """
january february march april may june july august september october november december jan feb mar
apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember jänner
janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo
abril mayo junio julio agosto septiembre octubre noviembre diciembre gennaio febbraio aprile maggio
giugno luglio settembre ottobre dicembre janeiro fevereiro março maio junho julho setembro outubro
novembro dezembro januari februari maart mei augustus marts maj augusti ledna února března dubna
května června července srpna září října listopadu prosince stycznia lutego marca kwietnia maja
czerwca lipca sierpnia września października listopada grudnia января февраля марта апреля мая июня
июля августа сентября октября ноября декабря ocak şubat mart nisan mayıs haziran temmuz ağustos
eylül ekim kasım aralık január február március április május június július augusztus szeptember
október tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta
"""
NO_STREET = frozenset((_LABELS + _MONTHS).split())
# Labels of forms and headings that are also names of places.
NO_TOWN = frozenset(
    "city town state country street address name email phone zip postcode home news search menu "
    "stadt ort land straße plz ville pays rue ciudad país calle città paese via cidade stad plaats "
    "welcome products services about help login register cart shop blog events gallery map".split()
)
