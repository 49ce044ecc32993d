"""What changes the digest of a module's code, and what does not."""

from __future__ import annotations

import pytest

from fairground.core import code_digest

CODE = b'''
"""Prices."""

RATE = 2

def total(prices, rate=RATE):
    """The sum."""
    found = [one * rate for one in prices if one]
    try:
        check = lambda other: other > 0
        assert all(map(check, found))
    except ValueError as error:
        raise SystemExit(1) from error
    match found:
        case [first, *rest]:
            return first + sum(rest)
    return 0

class Basket:
    """A basket."""

    size = 3
    """How many."""

    def empty(self):
        ...
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"""Prices."""', b'"""What things cost."""\n# a comment'),
        (b'    """The sum."""\n', b""),
        (b'    """How many."""\n', b""),
        (b"        ...\n", b'        """Takes everything out."""\n'),
        (b"found", b"amounts"),
        (b"[one * rate for one in prices if one]", b"[price * rate for price in prices if price]"),
        (b"[one * rate for one in prices if one]", b"[\n        one * rate\n        for one in prices\n if one]"),
        (b"lambda other: other > 0", b"lambda amount: amount > 0"),
        (b"error", b"problem"),
        (b"first", b"head"),
        (b"rest", b"tail"),
    ],
)
def test_words_layout_and_local_names_do_not_change_it(old: bytes, new: bytes) -> None:
    assert old in CODE
    assert code_digest(CODE.replace(old, new)) == code_digest(CODE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"RATE", b"FACTOR"),
        (b"RATE = 2", b"RATE = 2.0"),
        (b"rate=RATE", b"factor=RATE"),
        (b"prices", b"costs"),  # a parameter: callers may name it
        (b"one * rate", b"rate * one"),
        (b"if one]", b"if rate]"),
        (b"other > 0", b"found > 0"),
        (b"ValueError", b"TypeError"),
        (b"size = 3", b"width = 3"),
        (b"sum(rest)", b"sum(found)"),
        (b"def empty", b"def clear"),
    ],
)
def test_all_else_changes_it(old: bytes, new: bytes) -> None:
    assert old in CODE
    assert code_digest(CODE.replace(old, new)) != code_digest(CODE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"def f():\n a = 1\n b = 2\n return a", b"def f():\n a = 1\n b = 2\n return b"),
        (b"def f():\n a = 1\n return a", b"def f():\n global a\n a = 1\n return a"),
        (b"def f(a):\n return [a for b in a]", b"def f(a):\n return [a for a in a]"),
        (b"def f():\n a = 1\n def g(a): return a\n return g", b"def f():\n a = 1\n def g(b): return a\n return g"),
        (b"def f():\n a = 1\n def g():\n  a = 2\n g()\n return a",
         b"def f():\n a = 1\n def g():\n  nonlocal a\n  a = 2\n g()\n return a"),
        (b"def f():\n a = 1\n class C:\n  a = 2\n return C", b"def f():\n b = 1\n class C:\n  b = 2\n return C"),
        (b"not python (", b"not python ["),
    ],
)  # fmt: skip
def test_code_that_does_something_else_has_another_digest(one: bytes, other: bytes) -> None:
    assert code_digest(one) != code_digest(other)
