"""Fuzzes one target in this process, which must have the sanitizers preloaded (fuzz/build.py).

python -m fuzz.run TARGET [options of libFuzzer] CORPUS
"""

import sys

import atheris

from fuzz.build import LIBRARY

# Python modules whose branches count as coverage. All of them would take seconds to prepare.
WATCHED = {
    "parse": ["toponaut.page.parse"],
    "names": ["toponaut.places.names"],
    "addresses": [
        "toponaut.places.addresses.us",
        "toponaut.places.addresses.countries.german_speaking",
    ],
    "structured": ["toponaut.page.parse.items", "toponaut.page.parse.jsonld"],
    "urls": ["toponaut.urls"],
    "robots": ["toponaut.web.politeness"],
    "sitemaps": ["toponaut.web.sitemaps"],
    "warc": [
        "toponaut.archive.warc_reader",
        "toponaut.archive.unpacking",
        "toponaut.archive.record_heads",
        "toponaut.archive.http_answers",
    ],
    "answers": ["toponaut.page.reading"],
    "responses": ["toponaut.page.reading"],
}


def unwatched(watched: list[str]) -> list[str]:
    """All other modules of the package."""
    paths = LIBRARY.rglob("*.py")
    names = (".".join(path.relative_to(LIBRARY).with_suffix("").parts) for path in paths)
    modules = {name.removesuffix(".__init__") for name in names}
    return sorted(name for name in modules if not name.startswith(tuple(watched)))


if __name__ == "__main__":
    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=["toponaut"], exclude=unwatched(WATCHED[name])):
        from fuzz.targets import TARGETS
    atheris.Setup(sys.argv, TARGETS[name])
    atheris.Fuzz()
