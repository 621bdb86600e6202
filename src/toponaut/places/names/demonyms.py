"""Adjectives and inhabitants of countries in English text: "Russian", "the Swiss", "Germans".

By option only: "a French historian" is about a person as often as about a place. A demonym is
written with a capital; as the name of a language or a dish it counts as well. If it is inside of a
name that the finder has read, that mention is kept.
"""

import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Kind, Mention

_CONFIDENCE = 0.6
# Country code and its demonyms; a plural "s" is understood.
_DEMONYMS = """
AE=Emirati AF=Afghan AL=Albanian AM=Armenian AO=Angolan AR=Argentine|Argentinian AT=Austrian
AU=Australian|Aussie AZ=Azerbaijani BA=Bosnian BB=Barbadian BD=Bangladeshi BE=Belgian BF=Burkinabe
BG=Bulgarian BH=Bahraini BI=Burundian BJ=Beninese BO=Bolivian BR=Brazilian BS=Bahamian
BT=Bhutanese BW=Botswanan BY=Belarusian BZ=Belizean CA=Canadian CD=Congolese CF=Central_African
CH=Swiss CI=Ivorian CL=Chilean CM=Cameroonian CN=Chinese CO=Colombian CR=Costa_Rican CU=Cuban
CY=Cypriot CZ=Czech DE=German DJ=Djiboutian DK=Danish|Dane DO=Dominican DZ=Algerian EC=Ecuadorian
EE=Estonian EG=Egyptian ER=Eritrean ES=Spanish|Spaniard ET=Ethiopian FI=Finnish|Finn FJ=Fijian
FR=French|Frenchman|Frenchwoman GA=Gabonese GB=British|Briton GE=Georgian GH=Ghanaian GM=Gambian
GN=Guinean GR=Greek GT=Guatemalan GY=Guyanese HN=Honduran HR=Croatian|Croat HT=Haitian HU=Hungarian
ID=Indonesian IE=Irish|Irishman IL=Israeli IN=Indian IQ=Iraqi IR=Iranian IS=Icelandic|Icelander
IT=Italian JM=Jamaican JO=Jordanian JP=Japanese KE=Kenyan KG=Kyrgyz KH=Cambodian KP=North_Korean
KR=South_Korean KW=Kuwaiti KZ=Kazakh LA=Laotian|Lao LB=Lebanese LK=Sri_Lankan LR=Liberian
LS=Basotho LT=Lithuanian LU=Luxembourgish LV=Latvian LY=Libyan MA=Moroccan MC=Monegasque MD=Moldovan
ME=Montenegrin MG=Malagasy MK=Macedonian ML=Malian MM=Burmese MN=Mongolian MR=Mauritanian
MT=Maltese MU=Mauritian MV=Maldivian MW=Malawian MX=Mexican MY=Malaysian MZ=Mozambican
NA=Namibian NE=Nigerien NG=Nigerian NI=Nicaraguan NL=Dutch|Dutchman NO=Norwegian NP=Nepalese|Nepali
NZ=New_Zealander OM=Omani PA=Panamanian PE=Peruvian PG=Papua_New_Guinean PH=Filipino|Philippine
PK=Pakistani PL=Polish|Pole PS=Palestinian PT=Portuguese PY=Paraguayan QA=Qatari RO=Romanian
RS=Serbian|Serb RU=Russian RW=Rwandan SA=Saudi SC=Seychellois SD=Sudanese SE=Swedish|Swede
SG=Singaporean SI=Slovenian|Slovene SK=Slovak SL=Sierra_Leonean SN=Senegalese SO=Somali
SR=Surinamese SS=South_Sudanese SV=Salvadoran SY=Syrian TD=Chadian TG=Togolese TH=Thai TJ=Tajik
TL=Timorese TM=Turkmen TN=Tunisian TR=Turkish|Turk TT=Trinidadian TW=Taiwanese TZ=Tanzanian
UA=Ukrainian UG=Ugandan US=American UY=Uruguayan UZ=Uzbek VE=Venezuelan VN=Vietnamese YE=Yemeni
ZA=South_African ZM=Zambian ZW=Zimbabwean
"""


@cache
def _countries() -> dict[str, str]:
    """Country codes by demonym."""
    entries = (entry.split("=") for entry in _DEMONYMS.split())
    return {word.replace("_", " "): code for code, words in entries for word in words.split("|")}


@cache
def _pattern() -> re.Pattern[str]:
    words = sorted(_countries(), key=len, reverse=True)
    # Not in "Native American" and "Latin American": other peoples.
    return re.compile(
        r"(?<!\w)((?:South|North|Central) (?:Korean|African|Sudanese))s?(?!\w)"
        r"|(?<!\w)(?<!Native )(?<!Latin )(?<!North )(?<!South )(?<!Central )"
        rf"({'|'.join(words)})s?(?!\w)"
    )


class DemonymFinder:
    """Finds demonyms; each means its country."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        rows = np.flatnonzero(gazetteer.levels == KINDS.index(Kind.COUNTRY)).tolist()
        self._ids = {gazetteer.country(row): int(gazetteer.ids[row]) for row in rows}

    def add(self, text: str, found: Sequence[Mention]) -> list[Mention]:
        """The mentions `found` in a text and its demonyms outside of them, in order."""
        mentions = list(found)
        for match in _pattern().finditer(text):
            start, end = match.span()
            place = self._ids.get(_countries().get(match[1] or match[2], ""), 0)
            if place and not any(one.start < end and start < one.end for one in found):
                mentions.append(Mention(match.group(), start, end, place, (place,), _CONFIDENCE))
        return sorted(mentions, key=lambda one: one.start)
