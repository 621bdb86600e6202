"""Addresses of countries whose habits need rules of their own.

english.py, german_speaking.py, romance.py, europe.py: the countries, as rules (rules.py)
postcode_walk.py    finds an address by such rules: from its postcode to its town and its street
segments.py, street_search.py, street_readers.py, german_streets.py, towns.py: its parts
cyrillic.py         Russia, Ukraine and Belarus, whose addresses begin with the postcode
"""
