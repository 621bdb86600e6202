"""Postal addresses in pages."""
