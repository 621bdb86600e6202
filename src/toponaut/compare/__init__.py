"""Measure crawl directories, and compare strategies by many measured crawls."""
