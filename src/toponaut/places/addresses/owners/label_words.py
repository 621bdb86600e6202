"""Label words: the words of address labels, menus, buttons and forms.

A line of only such words ("Office Locations and Contact Details", "Password Confirmation") is not a
name. These are words, not phrases, so new combinations are recognised too.
"""

import re
from functools import lru_cache

# Kinds of addresses.
_PLACES = """
address addresses addr location locations office offices headquarters headquarter hq head main
central corporate national regional international global local registered principal physical mailing
mail postal post street visiting visitors billing shipping delivery return returns business company
home store stores shop shops showroom warehouse factory plant branch branches site venue place where
center centers centre centres facility facilities campus city state zip country adresse adressen
anschrift standort standorte filiale filialen zentrale hauptsitz sitz geschäftsstelle niederlassung
verkaufsstellen lager vertrieb büro laden studio werk dienstgebäude haus straße plz ort postfach
siège social agence bureaux magasin magasins boutique lieu coordonnées bâtiment cedex adres
bezoekadres postadres kantoor vestiging winkel locatie morada sede loja sítio endereço dirección
oficina tienda indirizzo ufficio negozio legale operativa domicilio calle plaza adress postadress
besöksadress kontor butik postadresse besøksadresse osoite adresa sídlo siedziba biuro sklep cím
székhely bolt diefthynsi
כתובת שם סניף משרד العنوان عنوان الاسم المقر فرع адрес название филиал офис διεύθυνση όνομα
adı şube 住所 所在地 名称 地址 주소 名 ที่อยู่ पता
"""
# Parts of an organisation that have an address of their own.
_DEPARTMENTS = """
department dept division section sales marketing administration secretariat secretary reception
editorial accounting purchasing abteilung verwaltung sekretariat redaktion rezeption empfang einkauf
buchhaltung kundendienst direction secrétariat rédaction comptabilité segreteria direzione redazione
amministrazione secretariaat redactie administratie secretaria redação administração
"""
_CONTACTS = """
contact contacts contacting us touch reach find visit come see write directions map maps hours
opening open closed phone phones telephone tel fax mobile cell toll free email e-mail mails web
website www online name attn number no nr attention info information details detail about imprint
legal notice published publisher editor responsible dealer dealers kontakt kontaktdaten kontaktieren
impressum anfahrt öffnungszeiten telefon telefax handy herausgeber anbieter betreiber verantwortlich
vertragspartner datenschutz datenschutzerklärung angaben gemäß finden sie mentions légales nous
trouver contactez contacter horaires accueil plan téléphone accès contactos contacto contato
contatti contatto dove siamo onde estamos bereikbaarheid gegevens openingstijden horário telefono
teléfono telefone correo horario orari contáctanos contáctenos kontakta oss kontakter öppettider
åbningstider puhelin yhteystiedot kontakty telefón kapcsolat elérhetőség nyitvatartás
טלפון هاتف الهاتف تليفون телефон контакты τηλέφωνο 電話 电话 전화
"""
# Menus, forms, goods and times.
_OTHERS = """
menu navigation search login log logout register registration sign signup join account my profile
password username user confirm confirmation submit send click here download downloads upload next
previous prev back top left right up down more less read view show hide close cancel reset add edit
delete save print share follow like tweet subscribe newsletter newsletters cart basket checkout
wishlist order orders payment payments products product categories category rating ratings review
reviews comments comment message messages question questions required optional captcha code terms
conditions term use privacy policy policies cookies cookie copyright all rights reserved sitemap
version desktop language languages english deutsch français español faq faqs help support customer
customers service services client clients care career careers jobs job press news blog blogs media
events event calendar gallery photos photo videos video team staff leadership management board
directors members member people partners brokers agents affiliates investors investor relations
history mission overview resources links link featured latest popular recent related archive
archives tags tag quick startseite suche anmelden registrieren abmelden weiter zurück mehr hier
jetzt senden absenden warenkorb kasse agb widerruf versand bewertung bewertungen kategorien
kundenservice hilfe über neuigkeiten aktuelles termine recherche connexion panier compte mot passe
envoyer plus aide générales suivez paiement livraison identifiez inscription inscrit mes mon
catégories nouveautés promotions avis actualités partenaires voir toutes zoeken aanmelden inloggen
winkelwagen verzenden over ons nieuws klantenservice producten diensten voorwaarden início sobre nós
empresa produtos serviços notícias pesquisar entrar registo ajuda condições política privacidade
inicio nosotros productos servicios noticias buscar chi prodotti servizi notizie cerca accedi
registrati ricerca hem sök logga meny om forside søg etusivu domů hledat strona główna szukaj nas
koszyk kezdőlap booking bookings appointment appointments reservation reservations reserve
schedule available availability free parking transport transit arrival access accessibility
welcome hello getting planning plan downtown uptown anreise wegbeschreibung lageplan termin
vereinbaren reservieren reservierung buchen buchung besuchen erreichen parken parkplatz parkplätze
parkmöglichkeiten haltestelle routenplaner sprechzeiten sprechstunden sprechstunde bürozeiten
servicezeiten geschäftszeiten leistungen angebot angebote mitarbeiter mitarbeitende prendre rendez
venir comment visite visiter rendre réserver réservation itinéraire stationnement encontrarnos
visítanos reservar reserva cómo llegar trovarci arrivare prenota prenotazione contactgegevens
routebeschrijving afspraak maken chegar localização marcar size sizes color colors colour colours
quantity qty price prices stock availability sku weight model brand brands material größe farbe
menge preis verfügbarkeit marke taille couleur quantité prix marque maat kleur prijs day days date
time times hour when what who how monday tuesday wednesday thursday friday saturday sunday weekday
weekdays weekend daily today tomorrow morning evening january february march april may june july
august september october november december montag dienstag mittwoch donnerstag freitag samstag
sonntag täglich januar februar märz mai juni juli oktober dezember lundi mardi mercredi jeudi
vendredi samedi dimanche maandag dinsdag woensdag donderdag vrijdag zaterdag zondag title titles
page pages areas area project projects accredited vorstand vereinsleitung programm veranstaltungen
veranstaltung pratique pratiques infos plats ålder praktische informationen arrangör längd länge
plats venues evenemang veranstaltungsort wann wo wer kalender obs example beispiel exemple accepts
verified source facility listing listings tid datum pris biljett biljetter kostnad målgrupp
general inquiry inquiries enquiry enquiries special specials weekly monthly infringement
infringements notices tidspunkt dato sted aika paikka fecha hora lugar precio heure durée tarif
tarifs dauer uhrzeit eintritt luogo orario tijd toegang miejsce czas
"""
_SMALL = """
of the and a an & for at in to on by from with or our your we it is are be this that i you i'm und
der die das den dem des für von vom am im bei zu zum zur auf oder unser unsere ihr ihre uns so et du
de la le les aux un une pour par sur notre nos votre vos ou e o os as da do dos em y el los del van
het een en te bij onze uw il lo gli di dei dello della delle degli al alla per con nel nella las
para por och av på till för og af til w z na dla ve v pro és ja
"""

SMALL = frozenset(_SMALL.split())
# In English the last word says what a phrase is; no firm is called "information" or "policy".
_LAST = frozenset(
    "information info details directions hours map contact contacts address addresses location "
    "locations headquarters form policy agreement imprint impressum kontakt anfahrt "
    "öffnungszeiten adresse anschrift".split()
)
_LABELS = frozenset(f"{_PLACES} {_DEPARTMENTS} {_CONTACTS} {_SMALL}".split())
_BOILERPLATE = _LABELS.union(_OTHERS.split())
_COMPOUND = re.compile(r"(?:adresse|anschrift|adres|zeiten|ort|stelle)$")  # "Lieferanschrift"
# Words of branches that firms do not have in their names, unlike "center" or "house".
_BRANCHES = frozenset(
    "head main regional area corporate office offices headquarters headquarter hq branch branches "
    "location store shop showroom warehouse factory plant niederlassung filiale standort "
    "geschäftsstelle zentrale hauptsitz büro agence siège bureau magasin sucursal oficina sede "
    "ufficio negozio kantoor vestiging winkel kontor butik kontoret filial".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def is_boilerplate(line: str) -> bool:
    """Whether every word belongs to labels, menus, buttons or forms."""
    return _only(line, _BOILERPLATE)


def is_label(line: str) -> bool:
    """Whether every word belongs to labels of addresses: "Our Head Office", "So finden Sie uns"."""
    return _only(line, _LABELS)


def branch(line: str) -> str:
    """Where a branch is, without the words for it at both ends: "Delhi Head Office" -> "Delhi"."""
    words = line.split()
    while words and words[-1].lower() in _BRANCHES:
        words.pop()
    while words and words[0].lower() in _BRANCHES:
        del words[0]
    return " ".join(words)


def ends_in_label(line: str) -> bool:
    words = _WORD.findall(line)
    return bool(words) and words[-1].lower() in _LAST


@lru_cache(maxsize=16384)  # lines repeat on the pages of a site
def _only(line: str, known: frozenset[str]) -> bool:
    words = _WORD.findall(line.lower())
    return bool(words) and all(_is_known(word, known) for word in words)


def _is_known(word: str, known: frozenset[str]) -> bool:
    """ "e-mail", "Lieferanschrift"; not "VDA-Geschäftsstelle", which is a name."""
    if word in known:
        return True
    first, dash, rest = word.rpartition("-")
    return bool(_COMPOUND.search(rest)) and (not dash or _is_known(first, known))
