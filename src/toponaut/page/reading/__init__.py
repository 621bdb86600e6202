"""From bytes to judged pages, in this process or in others.

pdf.py       PDFs as pages
reader.py    all CPU work on a page; run as a program, it reads pages for a crawl
pool.py      distributes pages over the reader processes and this one
worker.py    a reader process, seen from the crawl
wire.py      the format of the messages between them
"""
