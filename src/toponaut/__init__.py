"""Toponaut: a geographically focused, collaborative web crawler with a geo-referenced search index."""

__version__ = "0.1.0"
