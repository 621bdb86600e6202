"""The crawl benchmark: Toponaut and other crawlers over one static web of 500 hosts on the
loopback network.
"""
