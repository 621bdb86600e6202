"""The example notebooks run from their first cell to their last, without a network."""

import warnings
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SHOWN = {
    "city": ("9 pages, 3 relevant", "Pizzeria Vesuvio", "fetched, relevant", "<svg"),
    "archive": ("oldenburg: nothing is wrong", "24 responses", "datapackage.json", "(60, True)"),
    "comparison": ("combined: stopped", "distinct addresses in targets", "fetched, relevant"),
}

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of Jupyter's own packages
    import nbclient
    import nbformat


def stored(name: str) -> Any:
    return nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SHOWN)
def test_every_cell_runs(name: str) -> None:
    client = nbclient.NotebookClient(
        stored(name), timeout=300, resources={"metadata": {"path": str(EXAMPLES)}}
    )
    done = client.execute()  # raises if a cell fails
    shown = "".join(
        str(output.get("text", "")) + str(output.get("data", ""))
        for cell in done.cells
        for output in cell.get("outputs", [])
    )
    for word in SHOWN[name]:
        assert word in shown


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_stored_with_its_outputs(name: str) -> None:
    cells = [cell for cell in stored(name).cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in cells[1:])  # the first has imports only
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
    assert "/tmp/" not in str(cells)
