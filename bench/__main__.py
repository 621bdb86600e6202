"""`make bench`: the figures of README and docs."""

from bench import names, opening, parse, toponyms

for part in (opening, names, toponyms, parse):
    part.main()
