"""Runs membrane.ipynb and writes docs/guide/python-notebook.md and its picture. Usage: notebook_page.py SOURCE [FOLDER]

SOURCE is the folder of the source tree. With FOLDER, the two files are written there.
"""
import pathlib
import re
import sys

import nbformat
from nbconvert import MarkdownExporter
from nbconvert.preprocessors import ExecutePreprocessor

NOTEBOOK = "bindings/python/examples/membrane.ipynb"


def convert(notebook):
    """Runs a notebook. Returns its page, and its only picture as bytes."""
    ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook)
    text, resources = MarkdownExporter().from_notebook_node(notebook)
    (name, picture), = resources["outputs"].items()
    text = text.replace(name, "../pictures/python-notebook.svg").replace("![svg]", "![The lowest mode of the membrane]")
    text = re.sub(r"[ \t]+$", "", text, flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n", picture


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1])
    page, picture = convert(nbformat.read(source / NOTEBOOK, as_version=4))
    folders = [pathlib.Path(sys.argv[2])] * 2 if len(sys.argv) > 2 else [source / "docs/guide", source / "docs/pictures"]
    (folders[0] / "python-notebook.md").write_text(page)
    (folders[1] / "python-notebook.svg").write_bytes(picture)
