"""Units of a module: what changes the digest of one, and of which."""

from __future__ import annotations

import pytest

from fairground.core.code_units import BODY, code_units

MODULE = b'''
"""About it."""
from pathlib import Path as P
import json

SIZE = 3
AB = A, B = 1, 2
try:
    import numpy
except ImportError:
    numpy = None
if SIZE:
    print("started")


def area(width: float, height: float) -> float:
    """The area."""
    return width * height * SIZE


class Box:
    """A box."""

    kind = "box"

    def __init__(self, size):
        self.size = size

    @property
    def volume(self):
        return area(self.size, self.size)
'''


def changed(old: bytes, new: bytes) -> set[str]:
    assert old in MODULE
    before, after = code_units(MODULE), code_units(MODULE.replace(old, new))
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}


def test_a_module_is_its_functions_methods_classes_values_and_imports() -> None:
    units = code_units(MODULE)
    assert set(units) == {
        "P", "json", "SIZE", "AB", "A", "B", "numpy", BODY, "area", "Box", "Box.__init__", "Box.volume",
    }  # fmt: skip
    assert units["P"].imports == ("pathlib", "Path") and units["json"].imports == ("json", "")
    assert {"width", "height", "SIZE"} <= units["area"].names and "float" not in units["area"].names


@pytest.mark.parametrize(
    ("old", "new", "units"),
    [
        (b'"""The area."""', b'"""Width times height."""  # really', set()),
        (b"* height", b"+ height", {"area"}),
        (b"SIZE = 3", b"SIZE = 4", {"SIZE"}),
        (b"1, 2", b"1, 3", {"AB", "A", "B"}),
        (b'"box"', b'"cube"', {"Box"}),
        (b"self.size = size", b"self.size = 2 * size", {"Box.__init__"}),
        (b"import Path as", b"import PurePath as", {"P"}),
        (b'print("started")', b'print("on")', {BODY}),
        (b"    @property", b"    def area(self):\n        return 1\n\n    @property", {"Box", "Box.area"}),
        (b"\n\ndef area", b"\n\ndef other():\n    return 1\n\n\ndef area", {"other"}),
    ],
)
def test_a_change_is_of_its_own_unit_only(old: bytes, new: bytes, units: set[str]) -> None:
    assert changed(old, new) == units


def test_a_module_that_is_not_python_has_no_units() -> None:
    assert code_units(b"def (") == {} and code_units(b"\0") == {}
