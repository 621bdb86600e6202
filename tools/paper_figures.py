"""The figures of the four papers as printed, for the tables of results.md."""

from toponaut.measures.tables import NOTHING

# The papers' figures as printed. Gao, Lee and Miao 2006: Tables 3 to 9.
COLLABORATIONS = {
    #             coverage           focus     unique  central   overlap    diversity  communication
    "hash": ("0.86 %", "0.86 %", NOTHING, "0.35", "0.0222", "none", "0.0814", "13.89"),
    "url": ("7.25 %", "8.63 %", "91.1 %", "0.18", "0.1754", "none", "0.0405", "25.72"),
    "anchor": ("7.88 %", "8.58 %", "84.2 %", "0.16", "0.1519", "0.0846", "0.0674", "61.87"),
    "content": ("4.89 %", "5.71 %", "75.2 %", "0.19", "0.0994", "0.1732", "0.0688", "46.69"),
    "classifier": ("1.09 %", "1.21 %", "22.1 %", "0.26", "0.0273", "0.3460", "0.0564", "58.38"),
    "ip": ("1.71 %", "2.20 %", "51.8 %", "0.27", "0.0380", "none", "0.3887", "0.15"),
    "combined": (NOTHING,) * 8,
}
# Table 3 by node: Cn0 is the general node, printed last as in our tables.
NODE_COVERAGE = {
    #        eastern   pacific   mountain  central   alaska+hawaii  general
    "hash": ("0.80 %", "0.77 %", "0.75 %", "0.82 %", "0.86 %", "1.15 %"),
    "url": ("7.39 %", "9.89 %", "9.37 %", "7.30 %", "13.10 %", "3.04 %"),
    "anchor": ("6.73 %", "9.78 %", "9.99 %", "6.01 %", "12.24 %", "5.29 %"),
    "content": ("3.92 %", "5.79 %", "6.87 %", "3.24 %", "8.51 %", "1.11 %"),
    "classifier": ("1.23 %", "1.20 %", "1.27 %", "1.22 %", "1.10 %", "0.49 %"),
    "ip": ("2.02 %", "1.43 %", "2.59 %", "2.74 %", "0.00 %", "0.81 %"),
}
NODE_FOCUS = {  # Table 4
    "url": ("91.7 %", "89.0 %", "82.8 %", "94.3 %", "97.6 %", NOTHING),
    "anchor": ("82.0 %", "90.5 %", "79.6 %", "76.8 %", "92.3 %", NOTHING),
    "content": ("75.2 %", "77.4 %", "75.1 %", "63.5 %", "84.9 %", NOTHING),
    "classifier": ("43.5 %", "32.6 %", "5.5 %", "25.8 %", "2.9 %", NOTHING),
    "ip": ("59.6 %", "63.6 %", "55.6 %", "80.0 %", "0.0 %", NOTHING),
}
NODE_UNIQUENESS = {  # Table 5
    "hash": ("0.47", "0.46", "0.49", "0.49", "0.49", "0.45"),
    "url": ("0.2", "0.18", "0.16", "0.24", "0.07", "0.39"),
    "anchor": ("0.31", "0.22", "0.13", "0.32", "0.05", "0.39"),
    "content": ("0.35", "0.31", "0.29", "0.39", "0.14", "0.49"),
    "classifier": ("0.45", "0.45", "0.46", "0.46", "0.45", "0.52"),
    "ip": ("0.25", "0.31", "0.19", "0.32", "0.00", "0.46"),
}
LOCALITY = {  # Table 11
    "url": ("41.56 %", "2.58 %"),
    "classifier": ("4.45 %", "0.89 %"),
    "content": ("26.33 %", "1.16 %"),
}
MERITS = {  # Table 10: coverage, focus, centrality, overlap, diversity, communication
    "hash": ("Bad", "Bad", "Bad", "Good", "Good", "Good"),
    "url": ("Good", "Good", "Good", "Good", "Bad", "Bad"),
    "anchor": ("Good", "Good", "Good", "Good", "Not Bad", "Bad"),
    "content": ("Not Bad", "Not Bad", "Not Bad", "Not Bad", "Not Bad", "Bad"),
    "classifier": ("Bad", "Bad", "Bad", "Bad", "Not Bad", "Bad"),
    "ip": ("Bad", "Bad", "Bad", "Good", "Bad", "Good"),
}
ORDERINGS = {  # Ahlers and Boll 2009, section 6.2, at the end of a million pages
    "breadth-first": "4 %", "link-distance": "5.5 %", "lookahead:depth=1": NOTHING,
    "lookahead:depth=2": NOTHING, "lookahead": "12 %", "lookahead:depth=5": NOTHING,
    "link-distance:cutoff=2": NOTHING, "geo-rank": NOTHING, "combined": NOTHING,
}  # fmt: skip
SCHEMES = {  # Chubak and Shokouhi, Table IV: 200 pages
    "breadth-first": "0 %", "interest:scheme=nxx": "3 %", "interest:scheme=tfidf": "16 %",
    "interest:scheme=lnu": "20 %",
}  # fmt: skip
RANKED = {  # Kozanidis 2009, Tables 1 to 3
    "geo-rank": ("89.28 %", "81.34 %"),
    "category-bayes": ("71.25 %", NOTHING),
    "breadth-first": (NOTHING, NOTHING),
}
