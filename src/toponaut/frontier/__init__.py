"""What to fetch next: a queue per host in one order of promises, in files, with bounded memory.

frontier.py  the lifecycle of a URL: put, next, release
hosts.py     which host is asked next
slots.py     the waiting URLs; heaps.py: their order; spool.py: their records
table.py     the seen URLs
mapped.py    columns of numbers in files; marker.py: whether the files can be trusted
"""

from toponaut.frontier.frontier import Frontier

__all__ = ["Frontier"]
