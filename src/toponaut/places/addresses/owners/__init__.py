"""Who is at an address. `finder.OwnerFinder` reads it from text, `structured.with_owner` from data.

finder.py        weighs all possible names of an address and takes the likeliest, or none
nearby_names.py  names near the address, by their position; cards.py: what recurs in a list
event_signs.py   dates and labels of venues between a name and the address
name_lines.py    the possible names in one line
name_form.py     whether a line reads like a name; label_words.py, persons.py: what is none
site_names.py    the names that the page gives itself
"""
