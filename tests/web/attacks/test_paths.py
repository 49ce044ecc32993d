"""Names that want to be paths: of runs, episodes, frames, logs, pictures, uploads and files."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from fairground.arena import Store
from fairground.web import Site, serving
from tests.web.arena_stage import Client, judge, patient
from tests.web.attacks.stage import Crowd, fought

pytestmark = pytest.mark.process

SECRET = "the-key-of-the-house"
TRICKS = [
    "..", ".", "%2e%2e", "%2e%2e%2f%2e%2e%2fkey", "..%2f..%2fkey", "..%5c..%5ckey", "..%252f..%252fkey", "%00",
    "000000%00.png", "%2fetc%2fpasswd", "//etc/passwd", "file:%2f%2f%2fetc%2fpasswd", "..%c0%afkey", "%ef%bc%8f..",
    "..%e2%88%95..%e2%88%95key", "~", "~root", "$HOME", "x" * 5_000, "%0d%0aX-Evil:%201", "con", "-rf", "*", "?",
    "%f0%9f%8e%aa", "%ff%fe",
]  # fmt: skip
PLACES = [
    "/runs/{}", "/runs/{}/episodes", "/runs/first/episodes/{}", "/runs/compare?a={}&b=first", "/api/runs/{}",
    "/api/runs/{}/mark", "/api/runs/{}/episodes", "/replay/{}/000000", "/replay/first/{}",
    "/replay/compare?a=first/{}", "/replay/compare?a={}/000000", "/api/replays/{}/000000", "/api/replays/first/{}",
    "/api/replays/first/{}/download", "/api/replays/first/000000/frames/{}.png", "/api/replays/first/000000/frames/{}",
    "/api/replays/first/000000/trees/{}", "/api/replays/first/000000/logs/{}", "/catalogue/{}", "/catalogue/pocket/{}",
    "/catalogue/pocket/notes/{}", "/catalogue/pocket/notes/looks/theme/{}", "/catalogue/pocket/notes/looks/{}/light",
    "/api/catalogue/pocket/{}/looks", "/seats/{}/screenshot.png", "/live/{}", "/live/new?world={}",
    "/live/new?app={}", "/api/live/{}", "/api/live/{}/replay", "/api/live/x/frames/{}.png", "/api/battles/{}",
    "/api/battles/{}/a/replay", "/api/battles/BATTLE/{}/replay", "/api/battles/BATTLE/a/frames/{}.png",
    "/arena/battles/{}", "/static/{}", "/enter/{}", "/{}",
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_no_name_is_a_path(site: Site, crowd: Crowd, recording: Path, place: str) -> None:
    (site.home / "key.txt").write_text(SECRET)
    battle = fought(site, crowd.owner, recording=recording) if "BATTLE" in place else ""
    for trick in TRICKS:
        answer = crowd.admin.get(place.replace("BATTLE", battle).format(trick))
        page = place in ("/enter/{}", "/{}") or trick in ("?", ".", "..")
        assert answer.status < 500, trick
        assert (
            answer.status in (400, 403, 404, 405, 414, 422) or page or (answer.status == 200 and "compare" in place)
        ), trick
        assert SECRET not in answer.text and "root:x" not in answer.text and str(site.home) not in answer.text
        assert "X-Evil" not in answer.headers


def test_a_link_in_an_episode_or_a_run_leads_nowhere(site: Site, crowd: Crowd, recording: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.png").write_bytes(b"\x89PNG" + SECRET.encode())
    (tmp_path / "outside.txt").write_text(SECRET)
    run = site.runs[0] / f"linked-{uuid.uuid4().hex}"
    shutil.copytree(site.runs[0] / "first", run)
    episode = run / "episodes" / "000000"
    frame = next((episode / "frames").iterdir())
    frame.unlink()
    frame.symlink_to(tmp_path / "outside.png")
    (episode / "logs" / "link.txt").symlink_to(tmp_path / "outside.txt")
    (episode / "video.mp4").symlink_to(tmp_path / "outside.png")
    (run / "episodes" / "000007").symlink_to(site.home)
    here = f"/api/replays/{run.name}"
    for path in (
        f"000000/frames/{frame.name}", "000000/logs/link", "000000/video", "000007",
        "000000/download", "000007/download",
    ):  # fmt: skip
        answer = crowd.visitor.get(f"{here}/{path}")
        assert answer.status in (200, 400, 404) and (answer.status != 200 or path == "000000/download"), path
        assert SECRET.encode() not in answer.body and str(tmp_path) not in str(answer.body)
    shutil.rmtree(run)


@pytest.mark.parametrize("digest", ["../../../key", "..", "/etc/passwd", "a/b", "x" * 5_000, "\0"])
def test_a_recording_that_names_files_elsewhere_is_not_believed(
    site: Site, crowd: Crowd, recording: Path, digest: str
) -> None:
    battle = fought(site, crowd.owner, recording=recording)
    steps = site.home / "battles" / battle / "a" / "steps.jsonl"
    lines = [{**json.loads(line), "frame": digest} for line in steps.read_text().strip().split("\n")]
    steps.write_text("".join(json.dumps(line) + "\n" for line in lines))
    here = f"/api/battles/{battle}/a"
    assert crowd.owner.get(f"{here}/frames/{quote(digest, safe='')}.png").status in (404, 422)
    answer = crowd.owner.get(f"{here}/replay")
    assert answer.status in (200, 400, 404) and str(site.home) not in answer.text


def test_a_battle_whose_recording_is_a_link_is_not_shown(
    site: Site, crowd: Crowd, recording: Path, tmp_path: Path
) -> None:
    battle = fought(site, crowd.owner)
    place = site.home / "battles" / battle
    place.mkdir(parents=True)
    shutil.copytree(recording, tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "episode.json").unlink()
    (tmp_path / "elsewhere" / "episode.json").symlink_to("/etc/passwd")
    shutil.copytree(tmp_path / "elsewhere", place / "a", symlinks=True)
    answer = crowd.owner.get(f"/api/battles/{battle}/a/replay")
    assert answer.status == 404 and "/etc" not in answer.text and str(site.home) not in answer.text


NAMED = [
    ("../../evil.txt", "evil.txt"), ("/etc/passwd", "passwd"), ("..\\..\\evil.bat", "evil.bat"), ("..", "file"),
    (".bashrc", "bashrc"), ("a\0b.txt", "ab.txt"), ("evil\u202egnp.exe", "evilgnp.exe"), ("-rf", "rf"), ("~", "file"),
    ("x" * 5_000 + ".txt", "x" * 116 + ".txt"), ("<img src=x onerror=f()>.png", "_img src=x onerror=f()_.png"),
    ("a\r\nX-Evil: 1.txt", None), ("\u2044etc\u2215passwd", "\u2044etc\u2215passwd"), ("con", "con"), ("", None),
]  # fmt: skip


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Client]]:
    """A site where nothing else goes on, and a judge there."""
    home = tmp_path_factory.mktemp("quiet")
    with Store(home / "arena.sqlite") as store:
        site = Site(store, home, rates=patient())
        with serving(site) as url:
            yield site, Client(url, site, judge(store))


@pytest.mark.parametrize(("given", "kept"), NAMED, ids=lambda one: ascii(one)[:30])
def test_an_uploaded_file_lies_where_the_server_puts_it(
    quiet: tuple[Site, Client], given: str, kept: str | None
) -> None:
    site, owner = quiet
    name = given.replace("\r\n", "%0D%0A").replace("\\", "\\\\")
    before = _files(site.home)
    body = (
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="'
        + name.encode()
        + b'"\r\n\r\nhello\r\n--x--\r\n'
    )
    answer = owner.send("POST", "/api/uploads", body, {"Content-Type": "multipart/form-data; boundary=x"})
    added = {path.relative_to(site.home).parts for path in _files(site.home) - before}
    if answer.status != 201:
        assert answer.status in (400, 422) and not added
        return
    found = answer.json["files"][0]
    assert found["name"] == kept or (kept is None and "/" not in found["name"] and "\n" not in found["name"])
    folder = f"{owner.person.id}-{found['id']}"
    assert added == {("uploads", folder, "content"), ("uploads", folder, "about.json")}
    assert not os.access(site.home / "uploads" / folder / "content", os.X_OK)


def test_a_file_of_somebody_else_cannot_be_put_on_a_desktop(site: Site, crowd: Crowd) -> None:
    mine = site.contests.uploads.keep(crowd.owner.person.id, "mine.txt", [SECRET.encode()])
    for id_ in (mine.id, f"../{crowd.owner.person.id}-{mine.id}", f"{crowd.owner.person.id}-{mine.id}", "..", "\0", ""):
        task = {"own": True, "text": "Read it", "preparation": {"preset": "empty", "files": [id_]}}
        answer = crowd.other.post("/api/battles", task)
        assert answer.status in (400, 403, 404, 422) and SECRET not in answer.text, id_


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file() and "sqlite" not in path.name}
