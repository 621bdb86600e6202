"""Addresses in a page's structured data.

find.py          the addresses of all items, with their organisations
properties.py    the parts of one, from the properties of schema.org and hCard
street_line.py   number, street and unit of a known street line
"""
