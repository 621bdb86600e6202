"""Tables in Markdown, and blocks of documents between <!-- NAME --> and <!-- end -->."""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

Row = Sequence[str]


def fill(blocks: Mapping[str, str], documents: Sequence[Path]) -> None:
    """Write blocks between <!-- NAME --> and <!-- end --> of documents, and print them."""
    homeless = set(blocks)
    for document in documents:
        filled = document.read_text(encoding="utf-8")
        for name, block in blocks.items():
            filled, places = re.subn(
                rf"(<!-- {name} -->\n).*?(<!-- end -->)",
                rf"\g<1>\n{block}\n\g<2>",
                filled,
                flags=re.S,
            )
            homeless -= {name} if places else set()
        document.write_text(filled, encoding="utf-8")
    if homeless:
        missing = ", ".join(sorted(homeless))
        sys.exit(f"no document has a place for {missing}: add <!-- NAME --> and <!-- end -->")
    print("\n\n".join(blocks.values()))


def markdown_table(head: Row, rows: Sequence[Row]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
