"""The examples of the guide and the notebook are run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


def test_examples_of_the_guide(tmp_path, monkeypatch, capsys):
    for needed in ("pandas", "pyarrow", "sklearn"):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    page = DOCS / "guide" / "python.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 8
    names: dict = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
    assert (tmp_path / "release" / "manifest.json").is_file()
    assert capsys.readouterr().out.strip()


def test_the_notebook(tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    for needed in ("ipykernel", "tqdm", "pandas", "pyarrow"):
        pytest.importorskip(needed)
    notebook = nbformat.read(DOCS / "privet.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "the notebook is kept without outputs"
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pages = [own for own in shown if "iframe" in own.get("data", {}).get("text/html", "")]
    assert pages, "the report is not shown inline"
