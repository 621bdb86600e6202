"""Coming back to pages: when, what changed since, and a feed of the changes.

schedule, importance, interest       when each page is visited again
change_rate, rate_prior              how often pages change, by their visits and their kind
facts, signs                         what counts as a change; signs that a place is closed
revisit_table, page_records          the pages under watch, and what a request for each needs
agenda, due_queue, review            which are due, in what order, at what price
sitemap_signals, date_record         what sitemaps say about pages, and how far that is trusted
budget, plan                         the request budget; a watch as asked for
history, changes                     folds over the log: each fact with its proof, each change
feeds, delivery                      Atom and GeoJSON, and a webhook
"""
