"""The same crawl on many machines: every node is one or more actors (docs/cluster.md).

Without Ray:
    worker.py          one actor: its log, its frontier, its loops
    actor_drive.py     what it may fetch, at one price for all
    own_log.py         its log and archive, on its disk and on the shared storage
    exchange.py        links to other actors, sent as letters (letters.py)
    lessons.py         what visits teach others, in the same letters
    stored_logs.py     logs and letters on the shared storage; the state of an actor from them
    reports.py         calls between driver and actors; the page budget
    storage.py         files of the driver, disks of the actors
    setup.py           what actors are made from
With Ray:
    ray_actors.py      the actors
    actors.py          the driver's side: start, call, replace and end them
    machines.py        join a cluster, check its machines
    tasks.py           run tasks there to build an index
    driver.py          the command: limits, progress, the end

The clocks of hosts are leased to actors (web/politeness/leases.py).
"""
