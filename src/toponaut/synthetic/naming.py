"""What sites are called."""

from toponaut.synthetic.chance import mix
from toponaut.synthetic.words import ADJECTIVES, BRANDS, GENERIC_NAMES, TOPICS

# By kind and language; {0} is the city.
_CIVIC = {
    ("guide", "en"): (
        "{0} Guide",
        "Visit {0}",
        "{0} Online",
        "Inside {0}",
        "{0} Hotels and Dining",
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
}
_BLOGS = ("{0}'s Blog", "{0} Family Pages", "The {0} Journal")
_IN_CITY = ("{0} {1}", "{1} of {0}", "Downtown {0} {1}")
_SHOPS = ("{0}'s {1}", "{0} {1}", "{0} & Sons {1}", "{2} {1}", "{2} {1} Inc", "{0} and {2} {1}")
_WEB = ("Web", "Link", "Site", "Net", "Yellow", "Open")
_FINDERS = ("Finder", "Index", "Directory", "Guide", "Pages", "Catalog")
_TOPIC_WORDS = {name: tuple(text.split()) for name, text in TOPICS.items()}


def local_name(
    kind: str, language: str, trade: str, named: str, city: str, owner: str, key: int
) -> str:
    """The name of a city's site. `named`: the city, if a shop is to be called after it."""
    forms = _CIVIC.get((kind, language))
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
    """The name of a site that belongs to no city. `owner`: whom a site in another language is called after."""
    draw = mix(key, 11)
    if kind == "chain":
        return BRANDS[draw % len(BRANDS)]
    if kind == "directory":
        return f"{_WEB[draw % len(_WEB)]} {_FINDERS[(draw >> 8) % len(_FINDERS)]}"
    if owner:
        return f"{owner} {topic.title()}"
    about = _TOPIC_WORDS[topic]
    return f"{about[draw % len(about)]} {GENERIC_NAMES[(draw >> 16) % len(GENERIC_NAMES)]}".title()
