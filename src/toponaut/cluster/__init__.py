"""The same crawl on many machines: every node is an actor with the same river (docs/cluster.md).

    worker.py    one node: its log, its frontier, its loops            exchange.py  links to nodes that live elsewhere
    rebuild.py   what a node knows when it begins                      ended.py     the rest of lives that have ended
    own_log.py   what a node writes, here and on the storage           kept_letters.py  what it has for others, there
    lives.py     all logs on the storage                               disk.py      a machine's own disk
    home.py      the driver's side of the storage
    budget.py    pages, granted in parts                               setup.py     what actors are made from
    beats.py     what driver and actors say to each other              telling.py   the progress of all together
    actors.py    what Ray runs                                         crew.py      begins, asks, replaces and ends them
    machines.py  joining a cluster, and whether it is fit              driver.py    the command: limits, progress, the end

    metrics.py   what actors tell Prometheus                           tasks.py     work shared out: the index

The last six alone import ray.

What goes over the wire is letters (letters.py) and leases (web/leases.py).
"""
