"""The code in the guide's pages about Python is that of the examples, or runs; the page of the notebook is up to date."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import causeway as cw
from causeway._library import LAUNCHER_VARIABLES

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = sorted((ROOT / "docs/guide").glob("python*.md"))
EXAMPLES = ROOT / "bindings/python/examples"
BLOCK = re.compile(r"^(?:<!-- (from|run)(?:: (\S+))? -->\n\n)?```python\n(.*?)^```$", re.M | re.S)


def blocks(page):
    """Returns the kind, the file and the text of each block of Python in a page."""
    return [match.groups() for match in BLOCK.finditer(page.read_text())]


def test_pages_are_found():
    programs = {its.stem.replace("_", "-") for its in EXAMPLES.glob("*.py")} - {"notebook-page"}
    assert {its.stem for its in PAGES} >= {"python", "python-notebook", *(f"python-{name}" for name in programs)}


@pytest.mark.parametrize("page", PAGES, ids=lambda its: its.stem)
def test_code_of_page(page):
    if page.stem == "python-notebook":
        pytest.skip("test_page_of_notebook compares it")
    variables = {"__name__": page.stem}
    for kind, file, text in blocks(page):
        assert kind is not None, f"a block without the line <!-- run --> or <!-- from: FILE -->:\n{text}"
        if kind == "from":
            assert text in (EXAMPLES / file).read_text(), f"{file} does not have this:\n{text}"
        else:
            exec(compile(text, str(page), "exec"), variables)


@pytest.mark.skipif(cw.processes() > 1, reason="a notebook is one process")
def test_page_of_notebook(tmp_path):
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    pytest.importorskip("IPython")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHER_VARIABLES)}
    environment.update(PYTHONPATH=str(pathlib.Path(cw.__file__).parents[1]), CAUSEWAY_MPI=cw.mpi,
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    subprocess.run([sys.executable, "-B", EXAMPLES / "notebook_page.py", ROOT, tmp_path], env=environment, check=True)
    assert (tmp_path / "python-notebook.svg").stat().st_size > 1000
    assert (tmp_path / "python-notebook.md").read_text() == (ROOT / "docs/guide/python-notebook.md").read_text()
