"""Coming back to pages: when, what changed since, and a feed of the changes.

schedule, importance, interest       when each page is visited again
change_rate, rate_prior              how often pages change, by their visits and their kind
facts, signs                         what counts as a change; signs that a place is closed
revisit_table, agenda, review        the pages under watch, which are due, at what price
budget, plan                         the request budget; a watch as asked for
history, changes                     folds over the log: each fact with its proof, each change
feeds, delivery                      Atom and GeoJSON, and a webhook
"""
