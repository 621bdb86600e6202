"""The example notebook runs from its first cell to its last, without a network."""

import warnings
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of Jupyter's own packages
    import nbclient
    import nbformat


@pytest.fixture(scope="module")
def notebook() -> Any:
    return nbformat.read(EXAMPLES / "city.ipynb", as_version=4)  # type: ignore[no-untyped-call]


@pytest.mark.filterwarnings("ignore")
def test_every_cell_runs(notebook: Any) -> None:
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(EXAMPLES)}}
    )
    done = client.execute()  # raises if a cell fails
    shown = "".join(
        str(output.get("text", "")) + str(output.get("data", ""))
        for cell in done.cells
        for output in cell.get("outputs", [])
    )
    for word in ("9 pages, 3 relevant", "Pizzeria Vesuvio", "fetched, relevant", "<svg"):
        assert word in shown


def test_it_is_stored_with_its_outputs() -> None:
    stored = nbformat.read(EXAMPLES / "city.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    cells = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in cells[1:])  # the first has imports only
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
    assert "/tmp/" not in str(cells)
