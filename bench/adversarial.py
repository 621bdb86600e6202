"""Hostile text: the CPU time must grow linearly with its length."""

import time

from rich.console import Console
from rich.table import Table

from toponaut.page.parse import parse_text
from toponaut.places.addresses.finder import AddressFinder
from toponaut.records import Page

SIZES = (250_000, 500_000, 1_000_000)  # characters
NOISE_MS = 300  # longer runs are not repeated
PATIENCE_MS = 10_000  # after a longer run the next size is skipped
TEXTS = {
    "digits": "1234567890",
    "spaced digits": "1 22 333 4444 55555 ",
    "St St St": "St St St ",
    "capitals": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "capital words": "Xylo Quab Zorn ",
    "1 Main St": "1 Main St ",
    "1 Main St, lines": "1 Main St\n",
    "state and ZIP": "IL 62701 ",
    "town, state and ZIP": "Springfield, IL 62701\n",
    "PLZ and town": "26121 Oldenburg\n",
    "Hauptstr. 1": "Hauptstr. 1, ",
    "British postcodes": "SW1A 1AA ",
    "units": "Suite 100, ",
    "ordinals": "5th & 6th & ",
    "commas": ", ",
    "cells": "1\t",
    "lines": "\n",
    "spaces": " ",
    "N W 1": "N W 1 ",
    "PO Box": "PO Box 1 ",
}


def milliseconds(finder: AddressFinder, text: str) -> float:
    """The better of two runs, or a single long one."""
    page = parse_text("https://www.example.com/", text)
    first = _run(finder, page)
    return first if first > NOISE_MS else min(first, _run(finder, page))


def _run(finder: AddressFinder, page: Page) -> float:
    start = time.process_time()
    finder.find(page)
    return (time.process_time() - start) * 1000


def table(console: Console, finder: AddressFinder) -> None:
    rows = Table(
        "text", *(f"{size // 1000} KB, ms" for size in SIZES), "per doubling (2 is linear)"
    )
    rows.title = "Addresses: adversarial text"
    for name, piece in TEXTS.items():
        times: list[float] = []
        for size in SIZES:
            if not times or times[-1] < PATIENCE_MS:
                times.append(milliseconds(finder, (piece * (size // len(piece) + 1))[:size]))
        growth = (times[-1] / max(times[0], 0.1)) ** (1 / max(len(times) - 1, 1))
        cells = [f"{time:.0f}" for time in times] + ["skipped"] * (len(SIZES) - len(times))
        rows.add_row(name, *cells, f"{growth:.1f}" if times[-1] > 5 and len(times) > 1 else "-")
    console.print(rows)
