"""Every public name has a docstring, from which the reference is made."""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "docs" / "site"))
import python_pages  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_names_are_documented():
    assert python_pages.undocumented(ROOT) == []
    assert python_pages.unhinted(ROOT) == []


def test_names_are_found():
    """The check reads names from the sources: it must find those that the package has."""
    import causeway
    found = {part for name, _ in python_pages.Package(ROOT).names() for part in name.split(".")}
    public = {name for name in vars(causeway) if not name.startswith("_") and callable(getattr(causeway, name))}
    assert public <= found
    assert len(found) > 15


def test_missing_docstring_is_found(tmp_path):
    folder = tmp_path / python_pages.PACKAGE
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("from ._one import f, g\n")
    (folder / "_one.py").write_text(
        "def f():\n    pass\n\n\ndef g() -> int:\n    \"\"\"Returns 1. Local.\"\"\"\n    return 1\n")
    assert python_pages.undocumented(tmp_path) == ["causeway.f"]
    assert python_pages.unhinted(tmp_path) == ["causeway.f"]
