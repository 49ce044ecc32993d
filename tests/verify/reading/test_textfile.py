"""Text files as editors write them, and bytes that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading.textfile import MAX_SIZE, difference, leaves, read_text


@pytest.mark.parametrize(
    ("data", "encoding", "bom"),
    [
        (b"plain\n", "ascii", False),
        ("caf\u00e9\n".encode(), "utf-8", False),
        ("caf\u00e9\n".encode("utf-8-sig"), "utf-8", True),
        (b"\xff\xfe" + "caf\u00e9\n".encode("utf-16-le"), "utf-16-le", True),
        (b"\xfe\xff" + "caf\u00e9\n".encode("utf-16-be"), "utf-16-be", True),
    ],
)
def test_the_encoding_is_found(data: bytes, encoding: str, bom: bool) -> None:
    file = read_text(data)
    assert (file.encoding, file.bom, file.line_end, file.final_newline) == (encoding, bom, "lf", True)
    assert file.lines in (("plain",), ("caf\u00e9",))


def test_an_encoding_without_a_mark_must_be_declared() -> None:
    with pytest.raises(StateError, match="not utf-8: .* at byte 3"):
        read_text("caf\u00e9".encode("latin-1"))
    assert read_text("caf\u00e9".encode("latin-1"), encoding="latin-1").text == "caf\u00e9"
    with pytest.raises(StateError, match="marked as utf-16-le, expected utf-8"):
        read_text("x".encode("utf-16"), encoding="utf-8")
    with pytest.raises(StateError, match="'rot13' is not one of"):
        read_text(b"x", encoding="rot13")


@pytest.mark.parametrize(
    ("data", "line_end", "lines", "final"),
    [
        (b"", "none", (), False),
        (b"a", "none", ("a",), False),
        (b"a\nb\n", "lf", ("a", "b"), True),
        (b"a\r\nb\r\n", "crlf", ("a", "b"), True),
        (b"a\rb", "cr", ("a", "b"), False),
        (b"a\r\nb\n\nc", "mixed", ("a", "b", "", "c"), False),
        ("a\u2028b\x0cc\n".encode(), "lf", ("a\u2028b\x0cc",), True),
        (b"\n\n", "lf", ("", ""), True),
    ],
)
def test_line_ends_are_told_apart(data: bytes, line_end: str, lines: tuple[str, ...], final: bool) -> None:
    file = read_text(data)
    assert (file.line_end, file.lines, file.final_newline) == (line_end, lines, final)


def test_indentation_words_and_trailing_spaces_are_seen() -> None:
    assert read_text(b"a\n\tb\n").indentation == "tabs"
    assert read_text(b"a\n    b\n").indentation == "spaces"
    assert read_text(b"\ta\n b\n").indentation == "mixed"
    assert read_text(b"a\n   \n").indentation == "none"
    file = read_text(b"one two \nthree\t\n\nfour\n")
    assert file.words == ("one", "two", "three", "four")
    assert file.trailing_space == (1, 2)
    assert file.to_json()["words"] == 4


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\0\0", b"a\0b", "x".encode("utf-16-le"), b"\xff\xfe\x00\xd8"], ids=repr
)
def test_binary_is_no_text(data: bytes) -> None:
    with pytest.raises(StateError, match="text"):
        read_text(data)


def test_a_huge_file_is_refused() -> None:
    with pytest.raises(StateError, match="expected at most"):
        read_text(bytes(MAX_SIZE + 1))
    with pytest.raises(StateError, match="lines"):
        read_text(b"\n" * 600_000)


def test_a_difference_names_the_lines() -> None:
    before = "\n".join(f"line {number}" for number in range(10_000))
    after = before.replace("line 5000\n", "changed\nadded\n")
    assert difference(before, after) == ("@@ -5001 +5001,2 @@", "-line 5000", "+changed", "+added")
    assert difference(before, after, context=1)[:2] == ("@@ -5000,3 +5000,4 @@", " line 4999")
    assert difference(before, before) == ()


def test_a_difference_that_is_too_large_is_an_error() -> None:
    with pytest.raises(StateError, match="more than 2000 lines"):
        difference("\n".join("ab" * 2000), "\n".join("ba" * 2000 + "c"))


def test_leaves_tell_a_line_from_how_the_file_is_written() -> None:
    before, after = leaves(read_text(b"a\nb\n")), leaves(read_text(b"a\r\nc\r\n"))
    assert {path for path in before if before[path] != after[path]} == {"line[2]", "line_end"}


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_an_error(data: bytes) -> None:
    try:
        file = read_text(data)
    except StateError as error:
        assert error.message.startswith("text: ")
    else:
        assert "\r" not in file.text
        assert len(leaves(file)) == len(file.lines) + 4


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_the_difference_leads_from_one_text_to_the_other(before: list[str], after: list[str]) -> None:
    found = difference("\n".join(before), "\n".join(after), context=100)
    if found:
        assert [line[1:] for line in found[1:] if line[0] in " -"] == ("\n".join(before)).split("\n")
        assert [line[1:] for line in found[1:] if line[0] in " +"] == ("\n".join(after)).split("\n")
    else:
        assert before == after or ("\n".join(before)) == ("\n".join(after))
