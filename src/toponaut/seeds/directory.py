"""Web directories and lists: Curlie and ODP as RDF, tables of addresses, one address per line."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError, iterparse

from toponaut.errors import InputError
from toponaut.seeds.seed import Seed, from_tsv, make_seed


def read_rdf(path: Path) -> Iterator[Seed]:
    """The pages of an RDF dump (content.rdf.u8), with the last part of their topic as category.

    It is read piece by piece: a dump has gigabytes.
    """
    pages = 0
    try:
        with _opened(path) as file:
            events = iterparse(file, ("start", "end"))
            _, root = next(events)
            for event, element in events:
                if event == "end" and _local(element.tag) == "ExternalPage":
                    pages += 1
                    if seed := _page(element):
                        yield seed
                    root.clear()
    except FileNotFoundError:
        raise InputError(f"there is no file {path}", "Name a directory in RDF") from None
    except (ParseError, OSError) as error:
        cause = f"{path} is not a directory in RDF: {error}"
        raise InputError(cause, "Download it again") from None
    if not pages:
        raise InputError(f"{path} has no pages (ExternalPage)", "Give the content of an RDF dump")


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _page(element: Element) -> Seed | None:
    texts = {_local(child.tag): child.text or "" for child in element}
    url = next((value for key, value in element.attrib.items() if _local(key) == "about"), "")
    topic = texts.get("topic", "")
    return make_seed(url, "directory", texts.get("Title"), topic.rpartition("/")[2], id=topic)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def read_list(text: str, name: str) -> Iterator[Seed]:
    """The addresses of a list, one per line; more columns may follow after tabs.

    A first line with the column "url" makes it a table (seed.py). Empty lines and comments (#) are
    left out.
    """
    if text.lstrip().startswith("<"):
        cause = f"{name} is HTML or XML, maybe a server's error page, and not a list of addresses"
        raise InputError(cause, "Look into it, and download it again")
    first = text.partition("\n")[0].rstrip("\r")
    if "url" in first.split("\t"):
        yield from from_tsv(text, name)
        return
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.strip().split("\t")
        if not fields[0] or fields[0].startswith("#"):
            continue
        seed = make_seed(fields[0], "list", *(field.strip() for field in fields[1:3]))
        if seed is None:
            raise InputError(
                f'{name}:{number}: "{fields[0][:80]}" is not a web address',
                "Write one address per line, like https://example.org/",
            )
        yield seed
