"""Persons beside an address: a role ("General Manager"), or a line that names a person.

The person at an address is not its owner: "Attn: John Miller", "Pastor John Miller".
"""

import re

from toponaut.places.addresses.contact.categories import is_category

_ROLES = frozenset(
    """
    manager director president coordinator chair chairman chairwoman chairperson secretary treasurer
    commissioner supervisor superintendent administrator principal pastor priest rector dean ceo
    owner proprietor founder organiser organizer instructor
    vorsitzende vorsitzender vorsitzenden vorstand leiter leiterin leitung kursleitung
    geschäftsführer geschäftsführerin geschäftsführung beauftragte beauftragter präsident
    präsidentin kassier kassierer kassiererin kassenwart schatzmeister schatzmeisterin
    schriftführer schriftführerin jugendwart sportwart beisitzer ansprechpartner ansprechpartnerin
    kontaktperson inhaber inhaberin priester pfarrer pfarrerin diakon referent referentin
    directeur directrice responsable gérant gérante président présidente trésorier trésorière
    secrétaire presidente directora gerente titolare responsabile contactpersoon voorzitter
    ordförande
    """.split()
)
_QUALIFIERS = frozenset(
    """
    vice deputy assistant general managing executive board head contact person stellv
    stellvertretende stellvertretender and und et of the der des
    """.split()
)
_WORD = re.compile(r"[^\W\d_]+")
# A label before a person, and titles. A contact may be an organisation too: two words at most.
_PERSON = re.compile(
    r"\W*(?:(?:attn|attention|att|z\. ?hd|à l['’]attention|t\.a\.v|inh(?:aber(?:in)?)?\b\.?"
    r"|geschäftsführ|vertreten durch|verantwortlich|v\. ?i\. ?s\. ?d|leitung\b|kursleitung"
    r"|ansprechpartner|kontaktperson|contact person|contactpersoon|owner|proprietor|gérant"
    r"|responsable|direct(?:or|eur)\b|manager\b|ceo\b|president\b)"
    r"|(?-i:Mrs?|Ms|Mme|Herrn?|Frau|Dhr|Mevr|Rev|Reverend|Pastor(?:in)?|Father|Pfarrer(?:in)?)"
    r"\b\.?(?: [\w.’'-]+){2,3}\s*$"
    r"|(?:contact|kontakt|contacto|contatto)\s?: \w[\w.’'-]+ \w[\w.’'-]+\s*$)",
    re.IGNORECASE,
)

_CARE_OF = re.compile(r"\W*(?:c/o|℅)", re.IGNORECASE)
_EXTENSION = re.compile(r"\bext\.? ?\d{1,5}\b", re.IGNORECASE)  # "Anna Meyer  ext. 104"


def names_person(line: str) -> bool:
    """Whether a line names the person at an address: "Contact: John Miller"."""
    if _EXTENSION.search(line) or _CARE_OF.match(line):
        return True
    return _PERSON.match(line) is not None and not any(map(is_category, line.split()))


def has_role(name: str) -> bool:
    """Whether a line ends in a role, with the person after a colon or not."""
    words = name.partition(":")[0].rstrip().rsplit(maxsplit=1)
    return bool(words) and words[-1].lower() in _ROLES


def is_role(line: str) -> bool:
    """Whether a line is only a role: "1. Vorsitzende", "General Manager"."""
    words = [word.lower() for word in _WORD.findall(line)]
    return not _ROLES.isdisjoint(words) and all(
        word in _ROLES or word in _QUALIFIERS for word in words
    )


def has_role_word(words: list[str]) -> bool:
    """Whether one of the words, in lower case, is a role."""
    return not _ROLES.isdisjoint(words)
