"""The notebook of the documentation runs, and its output is what it shows.

`BAMBOO_UPDATE_DOCS=1 pytest -m slow tests/test_notebook.py` updates the output in the notebook.
"""

import os
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[1] / "docs" / "tutorial.ipynb"
pytestmark = pytest.mark.slow


def executed(tmp_path, monkeypatch, **variables):
    """The notebook after running it in an empty folder."""
    reason = "needs nbclient, nbformat and ipykernel: pip install -e '.[dev]'"
    nbformat = pytest.importorskip("nbformat", reason=reason)
    nbclient = pytest.importorskip("nbclient", reason=reason)
    pytest.importorskip("ipykernel", reason=reason)
    for name in [name for name in os.environ if name.startswith("BAMBOO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("BAMBOO_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHONPATH", str(NOTEBOOK.parents[1]), prepend=os.pathsep)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times
    return notebook


def shown(notebook):
    """The texts, tables and drawings that the cells show."""
    return [
        output.get("text") or {kind: str(value) for kind, value in output["data"].items()}
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]


def test_the_notebook_shows_what_its_cells_compute(tmp_path, monkeypatch):
    update = os.environ.get("BAMBOO_UPDATE_DOCS")
    notebook = executed(tmp_path, monkeypatch)
    import nbformat

    if update:
        nbformat.write(notebook, NOTEBOOK)
    stored = nbformat.read(NOTEBOOK, as_version=4)
    assert not [
        output
        for cell in stored.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error" or output.get("name") == "stderr"
    ]
    assert shown(notebook) == shown(stored)


def test_the_notebook_runs_on_sts(tmp_path, monkeypatch, shared):
    source = str(shared / "bamboo-amr-benchmark")
    notebook = executed(tmp_path, monkeypatch, BAMBOO_SOURCE=source)
    # A package may print a warning after the table, depending on what else is installed.
    assert any("| 58.52 | 58.45 |" in str(output) for output in shown(notebook))
