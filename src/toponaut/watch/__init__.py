"""Coming back to pages: when, what changed since, and a feed of the changes.

schedule, change_rate, importance    when each page is visited again (pure)
facts, signs                         what counts as a change; signs that a place is closed
revisit_table, agenda, budget, plan  the pages under watch, which are due, the request budget
history, changes                     folds over the log: each fact with its proof, each change
feeds, delivery                      Atom and GeoJSON, and a webhook
"""
