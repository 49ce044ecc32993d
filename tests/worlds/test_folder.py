"""world.toml: what is wrong is named with its path, and nothing is started for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fairground.core import InvalidInput, State, UnknownName
from fairground.verify import judge
from fairground.worlds import read_folder, resolve

Writer = Callable[..., Path]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "pad"', 'name = "pad"\ncolour = 1', "world.toml.app.colour: unknown field"),
        ('launch = ["mousepad", "~/note.txt"]', 'launch = "mousepad"', "world.toml.app.launch"),
        ('launch = ["mousepad", "~/note.txt"]', "", "world.toml.app.launch: required, but missing"),
        ('window = "note"', 'window = "("', "not a valid pattern"),
        ("step_budget = 10", "step_budget = 0", "world.toml.scenario[0].step_budget"),
        ("step_budget = 10", 'step_budget = "ten"', "world.toml.scenario[0].step_budget"),
        ('equals = "{word}"', "", "one of exists, equals"),
        ('equals = "{word}"', 'equals = "a"\ncontains = "b"', "one of exists, equals"),
        ('file = "~/note.txt"', "", "looks at a file"),
        ('equals = "{word}"', 'equals = "{werd}"', "uses 'werd', which the instance does not have"),
        ('equals = "{word}"', 'matches = "["', "not a valid pattern"),
        ('name = "pad"', 'name = "My Pad!"', "not a valid name"),
        ("ready_seconds = 30", "size = [3, 3]", "200 to 7680"),
        ("[app]", "[app", "not valid TOML"),
    ],
)
def test_a_wrong_field_is_named_with_its_path(write_world: Writer, old: str, new: str, message: str) -> None:
    folder = write_world({old: new})
    with pytest.raises(InvalidInput) as caught:
        read_folder(folder)
    assert message in str(caught.value)


def test_a_missing_world_file_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="fairground new"):
        read_folder(tmp_path)


def test_a_script_that_is_not_executable_is_named_with_the_fix(write_world: Writer) -> None:
    folder = write_world()
    (folder / "setup").chmod(0o644)
    with pytest.raises(InvalidInput, match="chmod \\+x"):
        read_folder(folder)


def test_a_script_without_an_interpreter_is_refused(write_world: Writer) -> None:
    with pytest.raises(InvalidInput, match="#!"):
        read_folder(write_world(configure="echo hi\n"))


def test_names_are_resolved_from_the_folder_on(write_world: Writer) -> None:
    folder = write_world()
    assert resolve(str(folder)).id == "pad/pad/greet/hello@default/default/default"
    assert resolve(f"{folder}/greet/bye").instruction == "Replace the text with bye and save."
    with pytest.raises(UnknownName, match="did you mean greet"):
        resolve(f"{folder}/gret")
    with pytest.raises(UnknownName, match="did you mean hello"):
        resolve(f"{folder}/greet/helo")
    with pytest.raises(UnknownName, match="theme"):
        resolve(f"{folder}/greet/hello@default/darkk")


CHECKS = {
    'equals = "{word}"': [("hello", True), (" hello\n", True), ("hello!", False)],
    'contains = "{word}"': [("oh hello", True), ("hell", False)],
    'lacks = "{word}"': [("bye", True), ("hello", False)],
    'matches = "^{word}.?$"': [("hello!", True), ("say hello", False)],
    "unchanged = true": [("start", True), ("hello", False)],
    "exists = true": [("", True)],
    "exists = false": [("", False)],
}


@pytest.mark.parametrize(("test", "text", "passes"), [(t, x, p) for t, rows in CHECKS.items() for x, p in rows])
def test_each_kind_of_check_decides(write_world: Writer, test: str, text: str, passes: bool) -> None:
    world = resolve(str(write_world({'equals = "{word}"': test})))
    before = State(files={"~/note.txt": b"start"})
    assert judge(world, before, State(files={"~/note.txt": text.encode()})).success is passes


@pytest.mark.parametrize("test", list(CHECKS))
def test_a_missing_file_passes_no_check_but_its_own_absence(write_world: Writer, test: str) -> None:
    world = resolve(str(write_world({'equals = "{word}"': test})))
    missing = State(missing={"~/note.txt": "no such file"})
    assert judge(world, State(files={"~/note.txt": b"start"}), missing).success is (test == "exists = false")


def test_text_that_is_not_text_fails_and_does_not_raise(write_world: Writer) -> None:
    world = resolve(str(write_world()))
    verdict = judge(world, State(), State(files={"~/note.txt": b"\xff\xfe\x00hello"}))
    assert not verdict.success
    assert "not UTF-8" in str(verdict.checks[0].found)


def test_an_answer_is_checked_and_its_absence_fails(write_world: Writer) -> None:
    world = resolve(str(write_world({'file = "~/note.txt"\nequals': "answer = true\nequals"})))
    assert judge(world, State(), State(), "hello").success
    assert not judge(world, State(), State(), "no idea").success
    assert not judge(world, State(), State(), None).success


def test_a_folder_in_the_current_one_needs_no_slash(write_world: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_world().parent)
    assert resolve("pad").id == resolve("./pad").id == "pad/pad/greet/hello@default/default/default"
    assert resolve("pad/greet/bye@default/default").configuration.instance == "bye"
