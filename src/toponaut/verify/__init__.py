"""Somebody's list of places, checked against what a crawl has found.

listed_place     a place of such a list, and the files it comes from
matching         how likely a listed place is an organisation of the crawl: one scored function
site_evidence    what the log says about the websites of listed places
verdict          alive, moved, closed or unknown, with the proof
completeness     how many places there are in all, by capture and recapture
run              a list and a crawl in, verdicts out
"""
