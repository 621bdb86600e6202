"""What to fetch next: per-host queues under one promise order, in files, with bounded memory.

frontier.py  the lifecycle of a URL: put, next, release
hosts.py     which host is asked next
slots.py     the URLs that wait; heaps.py: their order
table.py     the URLs that were seen
spool.py     their records
mapped.py    columns of numbers in files; marker.py: whether the files can be trusted
"""

from toponaut.frontier.frontier import Frontier

__all__ = ["Frontier"]
