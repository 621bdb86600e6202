"""Structured data in attributes: microdata, RDFa Lite and microformats, read alike.

All three nest items in elements and properties in items; they differ in the attributes that say so. A syntax is
therefore one function from a tag's attributes to what it means (`_Meaning`), and one walk serves all.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from toponaut.parse import kinds as k
from toponaut.parse.elements import OpenElements
from toponaut.parse.flow import Flow
from toponaut.parse.jsonld import type_name
from toponaut.parse.markup import RAW, attributes, tag_name
from toponaut.parse.signs import words
from toponaut.records import Structured
