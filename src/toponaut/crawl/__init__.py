"""A crawl on one machine: its directory, its run, and everything that is read back from it."""
