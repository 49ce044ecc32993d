"""Folders as data, and archives packed by real programs."""

from __future__ import annotations

import io
import struct
import subprocess
import tarfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading.filetree import (
    Entry,
    Member,
    Moved,
    archive_leaves,
    changes,
    list_archive,
    make_tree,
    read_desktop_entry,
    read_trash,
    tree_leaves,
    tree_of_files,
)

from .books import pack

pytestmark = pytest.mark.process

FILES = {"letters/one.txt": b"1", "letters/old/two.txt": b"22", "photo.png": b"333", "todo": b"4444"}


def test_a_tree_lists_files_and_the_folders_that_hold_them() -> None:
    tree = tree_of_files(FILES)
    assert [entry.name for entry in tree.inside()] == ["letters", "photo.png", "todo"]
    assert [entry.path for entry in tree.under("letters")] == ["letters/old", "letters/old/two.txt", "letters/one.txt"]
    assert tree["letters/old"].kind == "folder" and tree["todo"].size == 4
    assert make_tree(tree.to_json()) == tree
    with pytest.raises(StateError, match="no 'nothing' in it"):
        tree["nothing"]


def test_changes_are_told_apart() -> None:
    after = {"letters/one.txt": b"one", "letters/old/two.txt": b"22", "pictures/photo.png": b"333", "new": b"5"}
    found = changes(tree_of_files(FILES), tree_of_files(after))
    assert found.added == ("new", "pictures")
    assert found.removed == ("todo",)
    assert found.changed == ("letters/one.txt",)
    assert found.moved == (Moved("photo.png", "pictures/photo.png"),)
    assert changes(tree_of_files(FILES), tree_of_files(FILES)).none


def test_a_renamed_folder_is_one_move_with_all_that_is_in_it() -> None:
    after = {path.replace("letters", "mail"): data for path, data in FILES.items()}
    before = make_tree([*tree_of_files(FILES).entries.values(), Entry("letters/empty", "folder")])
    renamed = make_tree([*tree_of_files(after).entries.values(), Entry("mail/empty", "folder")])
    found = changes(before, renamed)
    assert Moved("letters", "mail") in found.moved and Moved("letters/empty", "mail/empty") in found.moved
    assert not (found.added or found.removed or found.changed)


def test_a_folder_that_lost_a_file_on_the_way_did_not_simply_move() -> None:
    after = {path.replace("letters", "mail"): data for path, data in FILES.items() if "two" not in path}
    found = changes(tree_of_files(FILES), tree_of_files(after))
    assert "letters/old/two.txt" in found.removed
    assert found.moved == (Moved("letters/one.txt", "mail/one.txt"),)


def test_copies_with_one_content_keep_their_names_when_they_move() -> None:
    found = changes(tree_of_files({"a": b"x", "b": b"x"}), tree_of_files({"d/b": b"x", "c": b"x"}))
    assert found.moved == (Moved("a", "c"), Moved("b", "d/b"))


def test_permissions_links_and_kinds_are_compared() -> None:
    before = make_tree([Entry("run", mode=0o644), Entry("link", "link", target="a"), Entry("x")])
    after = make_tree([Entry("run", mode=0o755, mtime=5.0), Entry("link", "link", target="b"), Entry("x", "folder")])
    found = changes(before, after)
    assert found.modes == {"run": (0o644, 0o755)}
    assert found.changed == ("link", "x")
    assert tree_leaves(after)["run.mode"] == "755"


@pytest.mark.parametrize(
    "entry",
    [
        *({}, {"path": ""}, {"path": "/etc"}, {"path": "a/../b"}, {"path": "a/"}, {"path": "a\0"}, {"path": 5}),
        *({"path": "a", "kind": "device"}, {"path": "a", "size": -1}, {"path": "a", "size": True}),
        *({"path": "a", "other": 1}, {"path": "a/" * 200 + "a"}),
    ],
    ids=repr,
)
def test_a_listing_that_lies_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(StateError, match="folder"):
        make_tree([entry])


def test_a_path_listed_twice_is_refused() -> None:
    with pytest.raises(StateError, match="listed twice"):
        make_tree([Entry("a"), Entry("a")])


@given(
    st.dictionaries(st.sampled_from(["a", "b", "d/a", "d/b", "d/e/a", "f/a"]), st.sampled_from([b"1", b"2"])), st.data()
)
def test_changes_account_for_every_difference(before: dict[str, bytes], data: st.DataObject) -> None:
    after = data.draw(
        st.dictionaries(st.sampled_from(["a", "b", "d/a", "d/b", "g/e/a", "f/a"]), st.sampled_from([b"1"]))
    )
    old, new = tree_of_files(before), tree_of_files(after)
    found = changes(old, new)
    paths = {*old.entries, *(moved.after for moved in found.moved), *found.added}
    paths -= {*found.removed, *(moved.before for moved in found.moved)}
    assert paths == set(new.entries)
    assert all(old[moved.before].content[:1] == new[moved.after].content[:1] for moved in found.moved)


def test_the_trash_says_where_things_were() -> None:
    info = b"[Trash Info]\nPath=/home/user/My%20file%C3%A9.txt\nDeletionDate=2026-03-01T10:20:30\n"
    (item,) = read_trash({"info/My file.txt.trashinfo": info, "files/My file.txt": b"x"})
    assert (item.name, item.path) == ("My file.txt", "/home/user/My fileé.txt")
    assert item.deleted == datetime(2026, 3, 1, 10, 20, 30)


@pytest.mark.parametrize(
    "info", [b"", b"[Trash Info]\n", b"[Trash Info]\nPath=%ff\n", b"[Trash Info]\nPath=a\nDeletionDate=x\n"]
)
def test_a_trash_note_that_says_nothing_is_an_error(info: bytes) -> None:
    with pytest.raises(StateError, match="trash"):
        read_trash({"a.trashinfo": info})


def test_a_launcher_is_read() -> None:
    entry = read_desktop_entry(Path("/usr/share/applications/org.xfce.mousepad.desktop").read_bytes())
    assert (entry.type, entry.name) == ("Application", "Mousepad")
    assert entry.exec.startswith("mousepad") and "text/plain" in entry.mime_types and "GTK" in entry.categories
    with pytest.raises(StateError, match="no group"):
        read_desktop_entry(b"[Other]\nName=x\n")


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Archives that the system's tar made of a folder with long names and a link."""
    folder = tmp_path_factory.mktemp("packed")
    (folder / "in" / ("long" * 30) / ("name" * 30)).mkdir(parents=True)
    (folder / "in" / "é.txt").write_text("hello")
    (folder / "in" / ("long" * 30) / ("name" * 30) / "deep").write_bytes(bytes(1000))
    (folder / "in" / "link").symlink_to("é.txt")
    for kind, options in {"gnu": "-cf", "gz": "-czf", "xz": "-cJf", "bz2": "-cjf"}.items():
        subprocess.run(["tar", options, folder / kind, "in"], cwd=folder, check=True, timeout=30)
    subprocess.run(["tar", "--format=pax", "-cf", folder / "pax", "in"], cwd=folder, check=True, timeout=30)
    return {kind: (folder / kind).read_bytes() for kind in ("gnu", "gz", "xz", "bz2", "pax")}


@pytest.mark.parametrize("kind", ["gnu", "gz", "xz", "bz2", "pax"])
def test_an_archive_lists_what_tar_says_is_in_it(packed: dict[str, bytes], kind: str) -> None:
    listing = list_archive(packed[kind])
    with tarfile.open(fileobj=io.BytesIO(packed[kind])) as archive:
        said = {member.name: member.size for member in archive.getmembers()}
    assert {member.name: member.size for member in listing.members} == said
    assert Member("in/link", "link", 0, "é.txt") in listing.members
    assert listing.kind == {"gnu": "tar", "pax": "tar"}.get(kind, f"tar.{kind}")


def test_a_zip_lists_its_entries() -> None:
    listing = list_archive(pack({"a.txt": "hello", "b/": "", "b/c": "x"}))
    assert listing.members == (Member("a.txt", "file", 5), Member("b", "folder"), Member("b/c", "file", 1))
    assert archive_leaves(listing)["member[a.txt].size"] == 5


@pytest.mark.parametrize("data", [b"", b"PK", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0", bytes(2048), b"x" * 2048], ids=repr)
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(StateError, match="archive"):
        list_archive(data)


def test_a_member_that_claims_to_reach_beyond_the_end_or_behind_is_refused(packed: dict[str, bytes]) -> None:
    for size in (b"77777777777\0", b"\xff" * 12, b"\x80" + b"\xff" * 11, b"-0000000001\0"):
        raw = bytearray(packed["gnu"])
        raw[124:136] = size
        raw[156] = ord("0")
        raw[148:156] = b" " * 8
        raw[148:156] = b"%06o\0 " % sum(raw[:512])
        with pytest.raises(StateError):
            list_archive(bytes(raw))


@given(st.data())
def test_a_damaged_archive_is_listed_or_an_error(packed: dict[str, bytes], data: st.DataObject) -> None:
    raw = bytearray(packed[data.draw(st.sampled_from(sorted(packed)))])
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, min(len(raw), 3000) - 1))
        raw[place] = data.draw(st.integers(0, 255))
        if place < 512 and data.draw(st.booleans()):
            raw[148:156] = b" " * 8
            raw[148:156] = struct.pack("8s", b"%06o\0 " % sum(raw[:512]))
    try:
        list_archive(bytes(raw[: data.draw(st.integers(0, len(raw)))]))
    except StateError as error:
        assert error.message.startswith("archive")
