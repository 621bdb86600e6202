"""Pages that need JavaScript: a browser runs their scripts, under the rules of the crawl.

need.py       whether a page needs it          browser.py   one Chromium, bounded
requests.py   the page's own requests, polite  renderer.py  the browsers of a crawl
"""
