"""What a cluster costs, and what it gains.

    python -m bench.cluster [exchange] [crawl] [--pages 3000] [--rounds 3]

exchange: CPU of both sides for the links of a page that others own, by letters of several lengths.
Must reach: below 5 % of a crawl's CPU at
60 links a page. crawl: one process, one actor and two actors on the same replayed pages. Must
reach: two actors on two cores fetch 1.6
times the pages a second of one. It wants a quiet machine; CPU times are printed beside, and tell as
much on a busy one.
"""
