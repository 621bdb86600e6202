"""Contact data of organisations.

nearby.py       in the text around an address: phone, hours, e-mail, website
phones.py       numbers in international form
hours.py        opening hours in OpenStreetMap's syntax; time_spots.py says where to look for them
categories.py   what an organisation is, in OpenStreetMap's words
"""
