"""The pictures of the documentation and the script that generates them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs/images"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SCRIPT = ast.parse((ROOT / "scripts/screenshots").read_text(encoding="utf-8"))  # importing it would load a browser


def pictures() -> dict[str, str]:
    """Return the PICTURES table of the script: function by file."""
    (table,) = (
        node.value for node in SCRIPT.body if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "PICTURES"
    )
    assert isinstance(table, ast.Dict)
    return {ast.literal_eval(name): ast.unparse(made) for name, made in zip(table.keys, table.values, strict=True)}


def test_the_script_makes_every_screenshot() -> None:
    screenshots = {path.name for path in IMAGES.iterdir() if path.suffix != ".svg"}
    assert {name for name in pictures() if not name.endswith(".svg")} == screenshots


def test_each_picture_has_a_function_of_its_own() -> None:
    functions = [node.name for node in SCRIPT.body if isinstance(node, ast.FunctionDef)]
    assert set(pictures().values()) <= set(functions)
    assert len(set(pictures().values())) == len(pictures())


def test_every_picture_that_the_script_makes_is_shown_in_the_documentation() -> None:
    shown = {
        (document.parent / target).resolve()
        for document in DOCUMENTS
        for target in re.findall(r"!\[[^]]+\]\(([^)]+)\)", document.read_text(encoding="utf-8"))
    }
    assert [name for name in pictures() if IMAGES / name not in shown] == []


def test_no_picture_is_larger_than_the_script_allows() -> None:
    (limit,) = (
        ast.literal_eval(node.value)
        for node in SCRIPT.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MAX_BYTES"
    )
    sizes = {path.name: path.stat().st_size for path in IMAGES.iterdir()}
    assert {name: size for name, size in sizes.items() if size > limit} == {}
