"""Folders: what the desktop's own tools say of a tree, its trash and its archives, and what is recorded and read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from fairground.sandbox import Sandbox, SandboxSpec, open_sandbox
from fairground.verify.reading.filetree import list_archive, make_tree, read_trash

from .agreement import Tally
from .drawing import Draw

NAMES = (
    *("report.txt", "über bericht.pdf", "日本 😀", "שלום.odt", " leading", "trailing ", "a&b <c>", 'it\'s "quoted"'),
    *("-rf", "*.txt", "back\\slash", "tab\there", "line\nbreak", "%41%20", ".hidden", "~", "x" * 200, "$HOME", "a;b|c"),
)
# What the standard library says of a tree, from inside.
WALK = """
import json, os, stat, sys
found = {}
for folder, folders, files in os.walk(sys.argv[1]):
    for name in folders + files:
        path = os.path.join(folder, name)
        info = os.lstat(path)
        kind = ("link" if stat.S_ISLNK(info.st_mode) else "folder" if stat.S_ISDIR(info.st_mode)
                else "file" if stat.S_ISREG(info.st_mode) else "other")
        found[os.path.relpath(path, sys.argv[1])] = {
            "kind": kind, "size": info.st_size if kind == "file" else 0, "mode": stat.S_IMODE(info.st_mode),
            "target": os.readlink(path) if kind == "link" else ""}
json.dump(found, sys.stdout)
"""
MAKE = """
import json, os, sys
top = sys.argv[1]
for path, kind, content, mode in json.load(sys.stdin):
    path = os.path.join(top, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if kind == "folder":
        os.makedirs(path, exist_ok=True)
    elif kind == "link":
        os.symlink(content, path)
    elif kind == "other":
        os.mkfifo(path)
    else:
        open(path, "wb").write(bytes.fromhex(content))
    if kind != "link":
        os.chmod(path, mode)
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    made = open_sandbox(SandboxSpec())
    try:
        yield made
    finally:
        made.discard()


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(1), id="few", marks=pytest.mark.process),
        pytest.param(range(1, 80), id="many", marks=[pytest.mark.slow, pytest.mark.timeout(600)]),
    ],
)
def test_a_recorded_tree_its_trash_and_its_archives_are_what_the_desktop_says(
    sandbox: Sandbox, numbers: Iterable[int]
) -> None:
    tally = Tally()
    for number in numbers:
        draw = Draw(6000 + number)
        top = f"{sandbox.home}/tree{number}"
        sandbox.run(["python3", "-c", MAKE, top], input=json.dumps(_entries(draw)).encode())
        said = json.loads(sandbox.run(["python3", "-c", WALK, top]).stdout)
        tally.compare(f"tree {number}", said, _recorded(sandbox, top))
        for kind, argv in (("tar.gz", ["tar", "czf"]), ("tar.xz", ["tar", "cJf"]), ("tar", ["tar", "cf"])):
            sandbox.run([*argv, f"../{number}.{kind}", "."], cwd=top)
            listed = list_archive(sandbox.read_file(f"~/{number}.{kind}"))
            tally.compare(f"{kind} of tree {number}", _packed(said), {one.name: _member(one) for one in listed.members})
        _trash(sandbox, draw, number, tally)
    print(tally)
    assert tally.properties > 10 * tally.documents


def _entries(draw: Draw) -> list[tuple[str, str, str, int]]:
    made: dict[str, tuple[str, str, int]] = {}
    folders = [""]
    for _ in range(draw.randint(1, 25)):
        path = draw.choice(folders) + draw.choice(NAMES)
        if path in made:
            continue
        kind = draw.choice(("file", "file", "file", "folder", "folder", "link", "other"))
        content = draw.randbytes(draw.choice((0, 1, 100, 5000))).hex()
        if kind == "folder":
            folders.append(f"{path}/")
        mode = draw.choice((0o755, 0o700) if kind == "folder" else (0o644, 0o600, 0o755, 0o444))
        made[path] = (kind, draw.choice(NAMES) if kind == "link" else content, mode)
    return [(path, *entry) for path, entry in made.items()]


def _recorded(sandbox: Sandbox, top: str) -> dict[str, Any]:
    """As the desk suite records folders: a list of the entries, the bytes of files, and `find` for modes and links."""
    found = sandbox.run(["find", top, "-mindepth", "1", "-printf", r"%m\0%l\0%P\0"]).stdout.decode()
    parts = found.split("\0")[:-1]
    modes = {
        path: (int(mode, 8), target) for mode, target, path in zip(*(parts[at::3] for at in range(3)), strict=True)
    }
    entries = []
    for one in sandbox.list_files(top):
        mode, target = modes[one.path]
        size = one.size if one.kind == "file" else 0
        entries.append({"path": one.path, "kind": one.kind, "size": size, "mode": mode, "target": target})
    tree = make_tree(entries)
    names = ("kind", "size", "mode", "target")
    return {path: {name: getattr(entry, name) for name in names} for path, entry in tree.entries.items()}


def _packed(said: dict[str, Any]) -> dict[str, Any]:
    """What tar keeps of a tree, the top with it."""
    kept = {".": {"kind": "folder", "size": 0, "target": ""}}
    for path, one in said.items():
        kept[f"./{path}"] = {name: one[name] for name in ("kind", "size", "target")}
    return kept


def _member(member: Any) -> dict[str, Any]:
    return {"kind": member.kind, "size": member.size, "target": member.target}


def _trash(sandbox: Sandbox, draw: Draw, number: int, tally: Tally) -> None:
    """What GLib, on which the file manager stands, says is in the trash."""
    folder = f"{sandbox.home}/thrown{number}"
    names = draw.sample([name for name in NAMES if len(name) < 100], 3)
    for name in names:
        sandbox.write_file(f"{folder}/{name}", b"x")
        sandbox.run(["gio", "trash", "--", f"{folder}/{name}"])
    place = "~/.local/share/Trash/info"
    infos = {one.path: sandbox.read_file(f"{place}/{one.path}") for one in sandbox.list_files(place)}
    ours = sorted(one.path for one in read_trash(infos) if one.path.startswith(folder))
    tally.compare(f"trash of tree {number}", sorted(f"{folder}/{name}" for name in names), ours)
