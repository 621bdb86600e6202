"""The words of the glossary have one meaning each, and names explain themselves."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import toponaut

SOURCE = Path(toponaut.__file__).parent
GLOSSARY = {
    "Place": "records.py", "Link": "records.py", "Page": "records.py", "Mention": "records.py",
    "Address": "records.py", "Outcome": "records.py", "Visit": "records.py", "Node": "node.py",
    "Territory": "job/targets.py", "Ordering": "strategy/ordering/__init__.py",
    "Collaboration": "strategy/collaboration/__init__.py", "Crawl": "api/crawls.py",
}  # fmt: skip
# Types that would be named by what was done to them, not by what they are.
PARTICIPLE = re.compile(
    r"_*([A-Z][a-z]*ed|Found|Taken|Told|Written|Drawn|Known|Given|Seen|Made|Met|Kept|Held|Sent"
    r"|Lost|Said|Built|Chosen|Shown|Begun|Meant|Heard)"
)
NOT_PARTICIPLES = {"Seed", "Feed", "Speed"}
VAGUE_FUNCTIONS = {"of", "at", "told"}
LOOSE_MODULES = 8
LONGEST_MODULE = 400


def definitions() -> Iterator[tuple[Path, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield path.relative_to(SOURCE), node


def test_every_class_name_is_defined_once() -> None:
    places = defaultdict(list)
    for path, node in definitions():
        if isinstance(node, ast.ClassDef):
            places[node.name.lstrip("_")].append(f"{path}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_the_words_of_the_glossary_are_where_a_reader_looks_for_them() -> None:
    classes = {
        node.name: str(path) for path, node in definitions() if isinstance(node, ast.ClassDef)
    }
    assert {word: classes.get(word) for word in GLOSSARY} == GLOSSARY


def test_no_type_is_named_by_a_participle() -> None:
    named = {node.name for _, node in definitions() if isinstance(node, ast.ClassDef)}
    bare = {name for name in named if PARTICIPLE.fullmatch(name)}
    assert {name.lstrip("_") for name in bare} <= NOT_PARTICIPLES


def test_functions_say_what_they_do() -> None:
    vague = [
        f"{path}:{node.lineno} {node.name}"
        for path, node in definitions()
        if not isinstance(node, ast.ClassDef) and node.name.lstrip("_") in VAGUE_FUNCTIONS
    ]
    assert vague == []


def test_the_tree_reads_as_the_river() -> None:
    assert len(list(SOURCE.glob("*.py"))) <= LOOSE_MODULES
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in SOURCE.rglob("*.py")}
    assert {str(path): length for path, length in lengths.items() if length > LONGEST_MODULE} == {}
