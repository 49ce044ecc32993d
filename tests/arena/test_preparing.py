"""What a judge puts into the seats before a battle: uploaded files, repositories and presets."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fairground.arena import Preparation, Refused
from fairground.arena.preparing import PRESETS, check_preparation, find_world, gather, lay_out
from fairground.arena.preparing_repository import check_address, clone, folder_name
from fairground.arena.preparing_uploads import MAX_FILE, Uploads, safe_name
from fairground.core import InvalidInput, UnknownName
from fairground.worlds import open_seat, resolve
from tests.waiting import eventually

WORLD = "pocket/notes/pin-and-label"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\plan.txt", "plan.txt"),
        (".bashrc", "bashrc"),
        ("-rf", "rf"),
        ("a\x00b\nc.txt", "abc.txt"),
        ("exe\u202etxt.scr", "exetxt.scr"),
        ("   ", "file"),
        ("...", "file"),
        ("~root", "root"),
        ("x" * 400 + ".ods", "x" * 116 + ".ods"),
        ("Bericht über Öl.pdf", "Bericht über Öl.pdf"),
    ],
)
def test_a_name_of_a_file_is_only_a_name(sent: str, kept: str) -> None:
    assert safe_name(sent) == kept


def test_uploads_are_found_by_their_owner_alone_and_have_a_limit(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "uploads")
    found = uploads.keep("me", "../x.txt", [b"one", b"two"])
    assert (found.name, found.size) == ("x.txt", 6) and uploads.read("me", found.id) == b"onetwo"
    for owner, id_ in (("you", found.id), ("me", "0" * 32), ("me", "../me-" + found.id), ("me", "")):
        with pytest.raises(Refused):
            uploads.read(owner, id_)
    with pytest.raises(InvalidInput, match="32 MB"):
        uploads.keep("me", "large", (bytes(1 << 20) for _ in range(MAX_FILE // (1 << 20) + 1)))
    assert len(list((tmp_path / "uploads").iterdir())) == 1


def repository(folder: Path) -> Path:
    """A repository with what an attacker would put into it."""
    (folder / "src").mkdir(parents=True)
    (folder / "README").write_text("hello")
    (folder / "src" / "main.py").write_text("print()")
    (folder / ".gitattributes").write_text("* filter=evil\n")
    (folder / "secret").symlink_to("/etc/passwd")

    def git(*words: str) -> None:
        own = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True, timeout=30)

    git("init", "--quiet")
    git("add", "-A")
    git("commit", "--quiet", "-m", "first")
    git("config", "filter.evil.smudge", f"touch {folder.parent}/pwned")
    hook = folder / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {folder.parent}/pwned\n")
    hook.chmod(0o755)
    return folder


@pytest.mark.process
def test_a_repository_comes_as_plain_files_and_nothing_of_it_is_run(tmp_path: Path) -> None:
    place = repository(tmp_path / "evil.git")
    files = clone(str(place), local=True)
    assert set(files) == {"README", "src/main.py", ".gitattributes"} and files["README"] == b"hello"
    assert not (tmp_path / "pwned").exists()
    assert folder_name(str(place)) == "evil" and folder_name("https://example.org/a/b.git/") == "b"


@pytest.mark.parametrize(
    "address",
    [
        "/etc", "file:///etc", "ext::sh -c id", "ssh://host/x", "git@host:x", "--upload-pack=id", "https://",
        "https://me:secret@example.org/x", "http://127.0.0.1/x", "http://[::1]:8/x", "http://169.254.169.254/",
        "https://example.org/a b", "http://localhost/x",
    ],
)  # fmt: skip
def test_a_judge_cannot_have_just_anything_cloned(address: str) -> None:
    with pytest.raises(InvalidInput):
        check_address(address, local=False)


def test_what_cannot_be_prepared_is_refused_before_a_seat_is_opened(tmp_path: Path) -> None:
    phone, browser = resolve(WORLD), find_world(PRESETS["browser"].world, own=True)
    for asked in (Preparation(files=("x",)), Preparation(repository="/etc"), Preparation(pages=("https://x.org",))):
        with pytest.raises(InvalidInput):
            check_preparation(asked, phone, local=False)
    for page in ("javascript:alert(1)", "file:///etc/passwd", "https://a b", "x.org", "https://u:p@x.org", "http://:1"):
        with pytest.raises(InvalidInput, match="not a web address|not the address"):
            check_preparation(Preparation(pages=(page,)), browser, local=False)
    assert "no network" in check_preparation(Preparation(pages=("https://x.org/",)), browser, local=False)[0]
    uploads = Uploads(tmp_path)
    same = [uploads.keep("me", "a.txt", [text]).id for text in (b"1", b"2")]
    assert gather(Preparation(files=tuple(same)), uploads, "me", local=False).files == {
        "a.txt": b"1",
        "a (2).txt": b"2",
    }


def test_every_preset_is_a_world_and_no_folder_of_this_machine_is(tmp_path: Path) -> None:
    assert {find_world(one.world, own=True).suite.name for one in PRESETS.values()} == {"desk"}
    (tmp_path / "world.toml").write_text("[app]\nname = 'x'\nlaunch = ['true']\n")
    with pytest.raises(UnknownName):
        find_world(f"{tmp_path}/x")


@pytest.mark.slow
def test_files_a_repository_and_pages_are_there_when_the_agents_begin(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "uploads")
    asked = Preparation(
        files=(uploads.keep("me", "Büro plan.txt", [b"hello"]).id,),
        pages=("http://first.example/", "http://second.example/x"),
        repository=str(repository(tmp_path / "tools.git")),
    )
    with open_seat(find_world(PRESETS["browser"].world, own=True)) as seat:
        assert lay_out(seat, gather(asked, uploads, "me", local=True))
        assert seat.sandbox.read_file("~/Desktop/Büro plan.txt") == b"hello"
        assert seat.sandbox.read_file("~/Desktop/tools/src/main.py") == b"print()"
        assert eventually(lambda: "second.example/x" in seat.screen.windows()[0].title)
