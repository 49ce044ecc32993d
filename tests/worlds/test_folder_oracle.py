"""Oracles that world.toml states: every move, what fills it, and what is wrong with it, by file and key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fairground.core import InvalidInput, Scroll, State
from fairground.prove import Keys
from fairground.worlds import Act, Enter, Fill, Move, Point, Press, Say, Tap, read_folder, resolve

Writer = Callable[..., Path]
LAST = 'equals = "{word}"'
AXES = "[themes.light]\n[themes.dark]\n\n[[scenario]]"


def oracle(write_world: Writer, entries: str, at: str = "") -> list[Move]:
    folder = write_world({LAST: f"{LAST}\n{entries}", "[[scenario]]": AXES})
    world = resolve(f"{folder}{at}")
    return list(world.scenario.oracle(world, State()))


def move(entry: str) -> str:
    return f"[[scenario.oracle]]\n{entry}\n"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            'tap = "Open {word}"\nrole = "menu item"\nwithin = "File"\ncount = 2',
            Tap("Open hello", "menu item", "File", 2),
        ),
        ('fill = "Name"\ntext = "{word}!"', Fill("Name", "hello!")),
        ('press = "ctrl+shift+s"', Press("ctrl+shift+s")),
        ('press = "ctrl+plus"', Press("ctrl+plus")),
        ('enter = "{word}\\nand {{more}}"', Enter("hello\nand {more}")),
        ('point = [10, 20]\nbutton = "right"', Point((10, 20), button="right")),
        ("point = [10, 20]\nto = [30, 40]", Point((10, 20), (30, 40))),
        ('say = "{word}"', Say("hello")),
        ('action = { kind = "scroll", point = [5, 5], dy = 3 }', Act(Scroll(point=(5, 5), dy=3))),
    ],
)
def test_each_move_is_read_with_its_parameters(write_world: Writer, entry: str, expected: Move) -> None:
    assert oracle(write_world, move(entry)) == [expected]


def test_a_move_may_be_repeated_or_be_for_some_configurations_only(write_world: Writer) -> None:
    entries = move('press = "down"\ntimes = 3') + move('press = "escape"\nwhen = { theme = "dark" }')
    entries += move('press = "tab"\nwhen = { instance = ["bye"], theme = ["light", "dark"] }')
    assert oracle(write_world, entries) == [Press("down")] * 3
    assert oracle(write_world, entries, "/greet/bye@default/dark") == [
        *[Press("down")] * 3,
        Press("escape"),
        Press("tab"),
    ]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('tpa = "File"', "oracle[0]: unknown move 'tpa'"),
        ('tap = "File"\nwihtin = "x"', "did you mean within"),
        ('tap = "File"\npress = "a"', "expected one move, got tap and press"),
        ("times = 2", "expected one move, got none"),
        ('tap = ""', "oracle[0].tap: "),
        ('fill = "Name"', "oracle[0].text: required, but missing"),
        ('press = "ctrl+sav"', "oracle[0].press = 'ctrl+sav'"),
        ('press = "ctrl++"', 'the key + itself is "plus"'),
        ("point = [1]", "oracle[0].point"),
        ('enter = "{wrod}"', "oracle[0].enter: '{wrod}' uses 'wrod', which the instance does not have"),
        ('enter = "\\u0007"', "oracle[0].enter: character U+0007 cannot be typed"),
        ('action = { kind = "scrol" }', "oracle[0].action.kind: unknown action kind 'scrol'"),
        ('action = { kind = "scroll", by = 3 }', "oracle[0].action.by: unknown field"),
        ('action = { kind = "done" }', "an oracle ends after its last move"),
        ('press = "a"\ntimes = 1000', "from 0 to 200"),
        ('press = "a"\ntimes = "{word}"', "from 0 to 200, got 'hello'"),
        ('press = "a"\nwhen = { thema = "dark" }', "oracle[0].when: unknown axis 'thema'"),
        (
            'press = "a"\nwhen = { theme = "drak" }',
            "oracle[0].when.theme: unknown theme 'drak'\n  fix: did you mean dark",
        ),
        ('press = "a"\nwhen = "dark"', "oracle[0].when: expected a table"),
    ],
)
def test_a_wrong_move_is_named_with_its_file_and_key(write_world: Writer, entry: str, message: str) -> None:
    folder = write_world({LAST: f"{LAST}\n{move(entry)}", "[[scenario]]": AXES})
    with pytest.raises(InvalidInput) as caught:
        read_folder(folder)
    assert message in str(caught.value)
    assert f"{folder}/world.toml" in str(caught.value)


SAVE = f"{LAST}\n{move('press = ' + repr('ctrl+s'))}"


@pytest.mark.parametrize(
    "edit",
    [
        {LAST: SAVE.replace("ctrl+s", "ctrl+w")},
        {LAST: SAVE.replace("equals", "contains")},
        {LAST: SAVE, 'launch = ["mousepad",': 'launch = ["mousepad", "-o",'},
    ],
)
def test_a_folder_is_proven_again_when_its_world_file_changes(write_world: Writer, edit: dict[str, str]) -> None:
    def key(edit: dict[str, str]) -> str:
        suite = read_folder(write_world(edit))
        return Keys(suite).pair(suite.scenarios[0], "hello", "default")

    assert key({LAST: SAVE}) == key({LAST: SAVE})
    assert key(edit) != key({LAST: SAVE})
