"""CPU time per page on real sites, compared with other crawlers."""
