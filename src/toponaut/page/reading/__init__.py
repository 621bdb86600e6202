"""From bytes to judged pages, here or in other processes.

reader.py    all CPU work on a page
readers.py   who reads: this process, or a pool
pool.py      who reads a page: a worker that has room, or this process while it has nothing else to do
worker.py    our end of the socket to a worker
process.py   the worker, at the other end
wire.py      what goes over between them
"""
