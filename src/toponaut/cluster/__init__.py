"""The same crawl on many machines: every node is one or more actors (docs/cluster.md).

Without Ray:
    worker.py          one actor: its log, its frontier, its loops
    rebuild.py         its state when it starts, from the logs
    own_log.py         its log and archive, on its disk and on the shared storage
    exchange.py        links to other actors, sent as letters (letters.py)
    stored_logs.py, stored_letters.py    logs and letters on the shared storage
    reports.py         calls between driver and actors; the page budget
    storage.py         files of the driver, disks of the actors
    setup.py           what actors are made from
With Ray:
    ray_actors.py      the actors
    actors.py          the driver's side: start, call, replace and end them
    machines.py        join a cluster and check its machines
    driver.py          the command: limits, progress, the end
    tasks.py           Ray tasks as a pool of processes, to build an index

The clocks of hosts are leased to actors (web/politeness/leases.py).
"""
