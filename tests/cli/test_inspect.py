"""`fairground inspect` and `fairground check-app`, as people and programs use them."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairground.agents import Scripted
from fairground.cli import main
from fairground.core import State
from fairground.rollout import run_episode
from fairground.worlds import Suite, World, open_seat, registry, share_seat

from ..prove import jotter

APP = "scraps/jotter"

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Suite]:
    found = {"scraps": jotter.suite()}
    monkeypatch.setattr(registry, "suites", lambda: found)
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "note.txt").write_text("milk\nrice\n")
    return tmp_path / "home"


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("inspect") / "episode"
    moves = [
        {"kind": "key", "keys": ["ctrl", "end"]},
        {"kind": "type", "text": "tea"},
        {"kind": "key", "keys": ["ctrl", "s"]},
    ]
    run_episode(jotter.world(), Scripted(moves), folder, video=False)
    yield folder


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["scraps/joter"], 2, "did you mean jotter"),
        (["joter"], 2, "did you mean jotter"),
        (["jotter", "line"], 2, "did you mean lines"),
        (["jotter", "lines", "first"], 2, "write name=value"),
        (["jotter", "lines", "first=1", "first=2"], 2, "first is given twice"),
        (["jotter", "lines", "first=one", "--state", "{home}"], 2, "expected int"),
        (["jotter", "check-line", "--state", "{home}"], 2, "add text=..."),
        (["jotter", "lines", "--state", "{home}/nothing"], 2, "neither a file nor a folder"),
        (["jotter", "lines", "--before", "--state", "{home}"], 2, "--before needs a recorded episode"),
        (["jotter", "lines", "--seat", "1", "--state", "{home}"], 2, "expected one of --episode, --state and --seat"),
        (["jotter", "lines", "--episode", "{home}"], 1, "episode.json: missing"),
        (["jotter", "lines"], 2, "fairground open scraps/jotter"),
    ],
)
def test_what_is_asked_wrongly_is_said_with_a_fix(
    capsys: pytest.CaptureFixture[str], home: Path, words: list[str], status: int, message: str
) -> None:
    code, out, err = run(capsys, "inspect", *(word.format(home=home) for word in words))
    assert (code, out) == (status, "") and message in " ".join(err.split())


def test_an_error_is_json_where_json_is_wanted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, "inspect", "jotter", "lines", "--state", str(tmp_path), "--json")
    assert code == 1 and "~/note.txt is not in the recorded state" in json.loads(out)["error"]


def test_an_endpoint_that_breaks_is_its_authors_fault(
    capsys: pytest.CaptureFixture[str], home: Path, installed: dict[str, Suite]
) -> None:
    class Broken(jotter.Jotter):
        inspector = jotter.Inspector("jotter")

    @Broken.inspector.query("content")
    def cells(state: State) -> int:
        """How many cells."""
        return {}["cells"]

    installed["scraps"] = jotter.suite(Broken())
    code, out, err = run(capsys, "inspect", "jotter", "cells", "--state", str(home))
    assert (code, out) == (1, "") and "endpoint cells of jotter failed: KeyError" in err


def test_a_file_that_takes_too_much_memory_to_read_is_an_error_of_its_own(
    capsys: pytest.CaptureFixture[str], home: Path, installed: dict[str, Suite]
) -> None:
    class Greedy(jotter.Jotter):
        inspector = jotter.Inspector("jotter")

    @Greedy.inspector.query("content")
    def unpacked(state: State) -> int:
        """How long it is when unpacked."""
        return len(bytes(1 << 30))

    installed["scraps"] = jotter.suite(Greedy())
    code, out, err = run(capsys, "inspect", "jotter", "unpacked", "--state", str(home))
    assert (code, out) == (1, "") and "takes more than 300 MB of memory" in err


def test_a_name_that_two_suites_have_must_be_said_in_full(
    capsys: pytest.CaptureFixture[str], installed: dict[str, Suite]
) -> None:
    installed["other"] = Suite("other", "Other", "1", (jotter.Jotter(),), ())
    code, _, err = run(capsys, "inspect", "jotter")
    assert code == 2 and "scraps/jotter or other/jotter" in err


def test_without_an_endpoint_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "inspect", "jotter")
    assert code == 0 and "check-line" in out and "[first]" in out and "The lines of the note." in out
    found = json.loads(run(capsys, "inspect", APP, "--json")[1])
    assert [one["name"] for one in found["endpoints"]] == ["lines", "check-line"]
    assert found["endpoints"][0]["arguments"][0] == {
        "name": "first",
        "type": "int",
        "required": False,
        "default": 1,
        "help": "The number of the first that is wanted.",
    }


def test_one_endpoint_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "inspect", "jotter", "check-line", "--describe")
    assert code == 0 and "All of the line." in out and "fairground inspect scraps/jotter check-line text=..." in out
    assert json.loads(run(capsys, "inspect", "jotter", "lines", "--describe", "--json")[1])["kind"] == "query"


def test_files_are_asked_and_a_check_says_by_its_status_whether_it_passed(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    assert json.loads(run(capsys, "inspect", "jotter", "lines", "first=2", "--state", str(home))[1]) == ["rice"]
    (home / "link.txt").symlink_to("/etc/passwd")
    place = str(home / "note.txt")
    code, out, _ = run(capsys, "inspect", "jotter", "check-line", "text=rice", "--state", place)
    assert code == 0 and json.loads(out)["passed"] is True
    code, out, _ = run(capsys, "inspect", "jotter", "check-line", "text=tea", "--state", str(home))
    assert code == 1 and json.loads(out)["found"] == ["milk", "rice"]


def test_a_recorded_episode_is_asked_as_it_was_before_and_after(
    capsys: pytest.CaptureFixture[str], episode: Path, installed: dict[str, Suite]
) -> None:
    assert json.loads(run(capsys, "inspect", "jotter", "lines", "--episode", str(episode))[1]) == ["milk", "tea"]
    words = ["inspect", "jotter", "lines", "--episode", str(episode), "--before"]
    assert json.loads(run(capsys, *words)[1]) == ["milk"]
    installed["other"] = Suite("other", "Other", "1", (jotter.Jotter(),), ())
    code, _, err = run(capsys, "inspect", "other/jotter", "lines", "--episode", str(episode))
    assert code == 2 and "is an episode of scraps/jotter/add-line" in " ".join(err.split())


def test_the_seat_that_is_open_is_asked_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    world: World = jotter.world("rice")
    with open_seat(world) as seat, share_seat(seat, threading.Lock()) as name:
        assert json.loads(run(capsys, "inspect", "jotter", "lines")[1]) == ["rice"]
        seat.sandbox.write_file(jotter.NOTE, b"now\n")
        assert json.loads(run(capsys, "inspect", "jotter", "lines", "--seat", name)[1]) == ["now"]
        assert seat.alive


def test_check_app_shows_what_failed_with_a_fix_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check-app", "jotter", "--quick")
    assert code == 1 and "failed" in out and "fix: fairground prove scraps/jotter" in " ".join(out.split())
    code, out, _ = run(capsys, "check-app", "jotter", "--quick", "--json")
    found = json.loads(out)
    assert code == 1 and found["passed"] is False and found["items"][0]["status"] == "passed"
    assert [item["name"] for item in found["items"]][-1] == "side by side"
