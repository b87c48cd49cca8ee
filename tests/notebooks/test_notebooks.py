"""Every notebook runs from top to bottom and prints what is stored in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))


def shown(cell: Any) -> tuple[str, int]:
    """The text that a cell printed or returned, and how many pictures it drew; of a picture nothing is compared."""
    text, pictures = "", 0
    for output in cell.outputs:
        if output.output_type == "stream":
            text += output.text
        elif "image/png" in output.data:
            pictures += 1
        else:
            text += output.data["text/plain"] + "\n"
    return text, pictures


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.worked_example
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_is_stored_in_it(path, tmp_path):
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    cells = [cell for cell in stored.cells if cell.cell_type == "code"]
    expected = [shown(cell) for cell in cells]
    assert any(text for text, _ in expected), "a notebook is stored with its outputs"
    fresh = nbformat.read(path, as_version=4)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    resources = {"metadata": {"path": str(tmp_path)}}  # not this repository: the installed packages are imported
    nbclient.NotebookClient(fresh, timeout=300, kernel_name="python3", resources=resources).execute()
    got = [shown(cell) for cell in fresh.cells if cell.cell_type == "code"]
    for cell, was, now in zip(cells, expected, got, strict=True):
        assert now == was, f"this cell prints something else now: {cell.source[:200]}"
