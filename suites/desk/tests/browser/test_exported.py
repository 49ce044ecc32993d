"""Files that the browser writes for people: only what it would write itself is read."""

from __future__ import annotations

import pytest

from fairground.core import StateError
from fairground.verify.reading.chromium import read_bookmarks
from fairground_desk.browser.exported import exported_of, links, markup, read_exported, saved_markup, shown_text
from fairground_desk.browser.profile_files import Mark, bookmarks_file

HEAD = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file.
     It will be read and overwritten.
     DO NOT EDIT! -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
"""
FILE = (
    HEAD
    + """    <DT><H3 ADD_DATE="5" LAST_MODIFIED="0" PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3>
    <DL><p>
        <DT><A HREF="http://a.example/?x=1&y=2" ADD_DATE="6">A &amp; B</A>
        <DT><H3 ADD_DATE="7" LAST_MODIFIED="0">Inner</H3>
        <DL><p>
            <DT><A HREF="http://b.example/" ADD_DATE="8" ICON="data:image/png;base64,iVBORw0=">B</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="http://c.example/" ADD_DATE="9">C</A>
</DL><p>
"""
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("generated", "gxnerated"),
        ("     DO NOT EDIT! -->\n", ""),
        ("        <DL><p>\n", "        <xL><p>\n"),
        ("        <DL><p>\n", ""),
        ("        </DL><p>\n", ""),
        ("        </DL><p>\n    </DL><p>\n", "    </DL><p>\n        </DL><p>\n"),
        ("</DL><p>\n", "</DL><p>\n</DL><p>\n"),
        ("    <DT><A HREF=\"http://c", "<DT><A HREF=\"http://c"),
        ("<DT><A", "<DT><B"),
        ("A &amp; B", "A <b>B</b>"),
        ('ADD_DATE="6"', ""),
    ],
)  # fmt: skip
def test_a_line_that_the_browser_does_not_write_is_refused(old: str, new: str) -> None:
    assert old in FILE
    with pytest.raises(StateError, match="file of bookmarks"):
        read_exported(FILE.replace(old, new, 1).encode())


@pytest.mark.parametrize("data", [b"", b"\0", HEAD.encode(), FILE.encode()[:-30], b"x" * 5_000_000])
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(StateError):
        read_exported(data)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_folders_links_names_and_nesting_are_read(end: str) -> None:
    found = read_exported(FILE.replace("\n", end).encode())
    assert [(one.depth, one.title, one.url, one.added, one.bar) for one in found] == [
        (0, "Bookmarks bar", "", 5, True),
        (1, "A & B", "http://a.example/?x=1&y=2", 6, False),
        (1, "Inner", "", 7, False),
        (2, "B", "http://b.example/", 8, False),
        (0, "C", "http://c.example/", 9, False),
    ]


def test_what_an_export_must_hold_follows_from_the_bookmarks() -> None:
    marks = [Mark("A", "http://a.example/"), Mark("F", children=(Mark("B", "http://b.example/"),))]
    wanted = exported_of(read_bookmarks(bookmarks_file(marks, [Mark("C", "http://c.example/")])))
    assert [(one.depth, one.title, one.bar) for one in wanted] == [
        (0, "Bookmarks bar", True),
        (1, "A", False),
        (1, "F", False),
        (2, "B", False),
        (0, "C", False),
    ]


PAGE = (
    '<!doctype html><html><head><meta charset="utf-8"><title>T</title><style>b{x:1}</style></head>'
    '<body><a href="/x">Go on</a> <p class=n>1 &lt; 2</p><select><option>never</option></select></body></html>'
)


def test_a_saved_page_has_full_addresses_and_says_where_it_is_from() -> None:
    saved = (
        "<!DOCTYPE html>\n<!-- saved from url=(0017)http://s.example/ -->\n"
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><title>T</title>'
        '<style>b{x:1}</style></head><body><a href="http://s.example/x">Go on</a> <p class="n">1 &lt; 2</p>'
        "<select><option>never</option></select></body></html>"
    )
    wanted = saved_markup(PAGE, "http://s.example/")
    assert markup(saved) == wanted
    for old, new in (("x:1", "x:2"), ("Go on", "Go"), ('"n"', '"m"'), ("(0017)", "(0018)"), ("<p", "<q"), ("/x", "/y")):
        assert markup(saved.replace(old, new, 1)) != wanted


def test_the_text_of_a_page_is_what_shows() -> None:
    assert shown_text(PAGE) == "Goon1<2"
    assert links(PAGE, "http://s.example/a/b") == {"http://s.example/x"}
