"""Near misses of recorded states: each means something else, and the verifier is not asked about the others."""

import io
import json
import random
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fairground.core import Check, State
from fairground.prove.discrimination import try_mutants
from fairground.prove.edits import (
    ANOTHER,
    CUT,
    GONE,
    PUT_BACK,
    SIDE_EFFECT,
    WRONG,
    Edit,
    edited_states,
    with_file,
)
from fairground.prove.edits_values import near_values
from fairground.prove.edits_xml import edit_xml, repack
from fairground.prove.sameness import differences, leaves_of_file
from fairground.prove.watching import watched
from fairground.verify import equal, holds, read_ods
from fairground.verify.reading.meaning import file_leaves
from fairground.worlds import App, Enter, Move, Say, Scenario, Seat, Suite, World

BOOK = "~/Documents/book.ods"
NOTE = "~/Documents/note.txt"
OLD = "~/Documents/old.txt"

_CONTENT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3"><office:body><office:spreadsheet>
<table:table table:name="Sales">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"""


def _formula(formula: str) -> str:
    return f'table:formula="{formula}"' if formula else ""


def book(*rows: tuple[str, float, str]) -> bytes:
    """A small workbook: label, number and formula of each row."""
    written = "".join(
        f'<table:table-row><table:table-cell office:value-type="string"><text:p>{label}</text:p></table:table-cell>'
        f'<table:table-cell office:value-type="float" office:value="{value}" {_formula(formula)}>'
        f"<text:p>{value}</text:p></table:table-cell></table:table-row>"
        for label, value, formula in rows
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        mime = "application/vnd.oasis.opendocument.spreadsheet"
        archive.writestr("mimetype", mime, zipfile.ZIP_STORED)
        archive.writestr("content.xml", _CONTENT.format(rows=written))
    return stream.getvalue()


def database(*notes: tuple[int, str]) -> bytes:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT, starred INTEGER DEFAULT 0)")
    db.executemany("INSERT INTO notes (id, text) VALUES (?, ?)", notes)
    db.commit()
    return db.serialize()


def picture(colour: str, form: str = "PNG") -> bytes:
    image = Image.new("RGB", (24, 16), colour)
    image.paste("#102030", (3, 4, 9, 12))
    stream = io.BytesIO()
    image.save(stream, format=form)
    return stream.getvalue()


ROWS = [("North", 12.5, ""), ("South", 30.0, ""), ("East", 8.0, "")]
SOLVED = [*ROWS, ("Total", 50.5, "of:=SUM([.B1:.B3])")]

SOLUTIONS: Mapping[str, tuple[bytes | None, bytes]] = {
    BOOK: (book(*ROWS), book(*SOLVED)),
    NOTE: (b"Dear Ann,\nsee you.\n", b"Dear Ann,\nsee you at 14:30.\nYours, Bo\n"),
    "~/.config/app.ini": (b"[view]\nzoom=100\ntabs=true\n", b"[view]\nzoom=125\ntabs=true\n"),
    "~/.config/app/settings.json": (b'{"zoom": 100, "tabs": [1, 2]}', b'{"zoom": 125, "tabs": [1, 2]}'),
    "~/app.sqlite": (database((1, "milk")), database((1, "milk"), (2, "bread"))),
    "~/Pictures/a.png": (picture("red"), picture("blue")),
    "~/Pictures/new.jpg": (None, picture("#ff0000", "JPEG")),
    "~/drawing.svg": (
        b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect id="a" width="5" height="5"/></svg>',
        b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect id="a" width="5" height="5" '
        b'fill="#ff0000"/><circle id="b" r="3"/></svg>',
    ),
}


def states(path: str, extra: Mapping[str, bytes] = {}) -> tuple[State, State]:
    was, now = SOLUTIONS[path]
    before = State(files={**({path: was} if was is not None else {}), **extra})
    return before, State(files={path: now, **extra})


@pytest.mark.parametrize("path", SOLUTIONS)
def test_every_edit_means_something_else_and_can_be_read(path: str) -> None:
    before, after = states(path)
    edits = list(edited_states(before, after, seed=5))
    assert {PUT_BACK, CUT, WRONG} <= {edit.kind for edit in edits}
    for edit in edits:
        assert edit.differs and differences(after, edit.state)
        if edit.kind in (WRONG, SIDE_EFFECT) and path in edit.state.files:
            assert file_leaves(path, edit.state.files[path])
    assert _marks(edits) == _marks(list(edited_states(before, after, seed=5)))
    assert len(_marks(edits)) == len(edits) <= 24


def test_a_workbook_has_its_values_formulas_and_the_rest_edited() -> None:
    before, after = states(BOOK)
    edits = list(edited_states(before, after, seed=1, most=40))
    wrong = [read_ods(edit.state.files[BOOK])["Sales"] for edit in edits if edit.kind == WRONG]
    assert any(sheet["B4"].formula == "=SUM(B1:B2)" for sheet in wrong)
    assert any(sheet["B4"].value == 50.6 for sheet in wrong)
    assert all(sheet["B1"].value == 12.5 for sheet in wrong), "what stayed is no value that was asked for"
    beside = [read_ods(edit.state.files[BOOK])["Sales"] for edit in edits if edit.kind == SIDE_EFFECT]
    assert any([sheet[f"B{row}"].value for row in (1, 2, 3)] != [12.5, 30.0, 8.0] for sheet in beside)
    with zipfile.ZipFile(io.BytesIO(edits[-1].state.files[BOOK])) as archive:
        first = archive.infolist()[0]
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)


def test_what_only_the_bytes_show_is_no_edit() -> None:
    content = SOLUTIONS[BOOK][1]
    again = repack(content, {"content.xml": _part(content).replace("\n<table:table ", "\n\n<table:table ").encode()})
    assert again != content and leaves_of_file(BOOK, again) == leaves_of_file(BOOK, content)
    shown = repack(content, {"content.xml": _part(content).replace("<text:p>50.5<", "<text:p>51<").encode()})
    assert not differences(State(files={BOOK: shown}), State(files={BOOK: content}))
    assert not list(edited_states(State(), State(), seed=1))


def test_files_beside_the_solution_are_changed_removed_and_joined() -> None:
    before, after = states(NOTE, {"~/Documents/old.txt": b"keep me\n"})
    listing = [{"path": path, "kind": "file", "size": len(content)} for path, content in after.files.items()]
    after = State(files=after.files, data={"files": listing})
    names = {edit.name: edit.state for edit in edited_states(before, after, seed=2) if edit.kind == SIDE_EFFECT}
    assert "~/Documents/old.txt gone" in names
    assert "~/Documents/old.txt" not in {entry["path"] for entry in names["~/Documents/old.txt gone"].data["files"]}
    stray = names["~/Documents/note (copy).txt is there too"]
    assert {"path": "~/Documents/note (copy).txt", "kind": "file", "size": 38} in stray.data["files"]
    assert any(name.startswith("~/Documents/old.txt: line 1") for name in names)


def test_without_a_list_of_files_none_is_made_up() -> None:
    before, after = states(NOTE)
    edits = list(edited_states(before, after, seed=2))
    assert all(set(edit.state.files) <= {NOTE} for edit in edits)
    assert NOTE in with_file(after, NOTE, None).missing
    assert {GONE} <= {edit.kind for edit in edits}


def test_what_solves_another_instance_is_put_in_its_place() -> None:
    before, after = states(BOOK)
    other = State(files={BOOK: book(*ROWS, ("Mean", 16.8, ""))})
    found = [edit for edit in edited_states(before, after, seed=3, others=[other, after]) if edit.kind == ANOTHER]
    assert [edit.state for edit in found] == [other], "the same solution is no other one"


def test_captured_answers_are_edited_one_by_one() -> None:
    before = State(data={"live": {"zoom": 100, "tabs": [{"id": 1, "url": "a.org"}]}})
    after = State(data={"live": {"zoom": 125, "tabs": [{"id": 1, "url": "a.org"}, {"id": 2, "url": "b.org"}]}})
    edits = list(edited_states(before, after, seed=4, most=60))
    found = [edit.state.data["live"] for edit in edits]
    assert {"zoom": 100, "tabs": after.data["live"]["tabs"]} in found
    assert {"zoom": 125, "tabs": [{"id": 1, "url": "a.org"}]} in found
    assert any(edit.kind == SIDE_EFFECT and edit.differs == ("live.tabs[1].url",) for edit in edits)
    assert after.data["live"]["zoom"] == 125, "the recording stays as it is"


def test_what_no_check_reads_is_left_alone() -> None:
    settings_file = "~/.config/app.ini"
    extra = {settings_file: b"zoom=1\n"}
    before = State(files={NOTE: SOLUTIONS[NOTE][0] or b"", **extra}, data={"live": {"zoom": 1, "mode": "a"}})
    listing = [{"path": NOTE, "kind": "file", "size": 40}]
    after = State(
        files={NOTE: SOLUTIONS[NOTE][1], settings_file: b"zoom=2\n"},
        data={"live": {"zoom": 2, "mode": "b"}, "files": listing},
    )
    seen, watch = watched(after)
    assert seen.text(NOTE) and seen.get("live")["zoom"] == 2
    assert watched(after)[0] == after
    edits = list(edited_states(before, after, seed=1, most=60, watch=watch))
    assert all(edit.state.files.get(settings_file) == b"zoom=2\n" for edit in edits)
    touched = {place for edit in edits for place in edit.differs if place.startswith("live")}
    assert "live.zoom" in touched and "live.mode" not in touched


def test_a_clock_is_no_value() -> None:
    before, after = State(data={"live": {"saved_at": 1}}), State(data={"live": {"saved_at": 2}})
    assert not list(edited_states(before, after, seed=1, clocks=["saved_at"]))


@pytest.mark.parametrize(
    ("value", "near"),
    [
        ("12pt", "11pt"), ("#ff0000", "#ff0100"), ("bold", "normal"), ("left", "right"), ("true", "false"),
        ("of:=SUM([.B1:.B9])", "of:=SUM([.B1:.B8])"), ("3.50", "3.51"), ("2.5413cm", "1.5413cm"), ("0.99", "1.00"),
        ("2024-03-09", "2024-03-10"), ("Room 9", "Room 10"),
    ],
)  # fmt: skip
def test_near_values_are_one_step_beside(value: str, near: str) -> None:
    assert near in list(near_values(value, random.Random(1)))


@given(st.text(max_size=60))
def test_near_values_are_never_the_value(value: str) -> None:
    assert value not in list(near_values(value, random.Random(1)))


@given(
    st.sampled_from(sorted(SOLUTIONS)),
    st.binary(max_size=40),
    st.integers(0, 10_000),
    st.integers(0, 1 << 30),
    st.sampled_from(["", ".ods", ".docx", ".xcf", ".svg", ".json", ".db"]),
)
def test_damaged_and_odd_files_raise_nothing(path: str, noise: bytes, at: int, seed: int, suffix: str) -> None:
    was, now = SOLUTIONS[path]
    place = at % len(now)
    damaged = now[:place] + noise + now[place + len(noise) :]
    odd = path + suffix
    for after in (State(files={odd: damaged}), State(files={odd: noise}, data={"live": noise.hex()})):
        for edit in edited_states(State(files={odd: was or b""}), after, seed=seed, most=6):
            assert edit.differs


@given(st.text(alphabet="<>/ab =\"'&;!-[]", max_size=60), st.integers(0, 99))
def test_text_that_is_no_xml_gives_no_trouble(text: str, seed: int) -> None:
    list(edit_xml(text.encode(), None, random.Random(seed)))


# --- judged ----------------------------------------------------------------------------------------------------------


class Pad(App):
    """A program that can only be seen on a screen."""

    name = "pad"

    def launch(self, seat: Seat) -> None:
        raise NotImplementedError


class SignOff(Scenario):
    """Sign a note."""

    name = "sign-off"
    app = "pad"
    template = "Sign the note as {who}."
    instances = {"ann": {"who": "Ann"}, "bo": {"who": "Bo"}}

    def checks(self, world: World, before: State, after: State, answer: str | None) -> list[Check]:
        wanted = before.text(NOTE) + f"Yours, {world.parameters['who']}\n"
        return [
            equal("the note is signed and else as it was", wanted, after.text(NOTE)),
            equal("the other file is as it was", before.text(OLD), after.text(OLD)),
        ]

    def oracle(self, world: World, before: State) -> list[Move]:
        return [Enter(f"Yours, {world.parameters['who']}\n")]

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        return {"signed twice": with_file(after, NOTE, after.file(NOTE) + b"Yours, Ann\n")}


class Careless(SignOff):
    """The same, checked by somebody who looks at the last line only."""

    name = "careless"

    def checks(self, world: World, before: State, after: State, answer: str | None) -> list[Check]:
        return [holds("signed", after.text(NOTE).endswith(f"Yours, {world.parameters['who']}\n"))]


class CountLines(SignOff):
    """A question."""

    name = "count-lines"
    kind = "answer"

    def checks(self, world: World, before: State, after: State, answer: str | None) -> list[Check]:
        return [
            equal("the number", "2", (answer or "").strip()),
            equal("nothing changed", before.text(NOTE), after.text(NOTE)),
        ]

    def oracle(self, world: World, before: State) -> list[Move]:
        return [Say("2")]

    def near_states(self, world: World, before: State, after: State) -> Mapping[str, State]:
        return {}


class Evidence(SignOff):
    """The same, by somebody who also looks at a list of windows, as evidence that the note was opened."""

    name = "evidence"

    def checks(self, world: World, before: State, after: State, answer: str | None) -> list[Check]:
        seen = after.data["live"].get("windows", [])
        return [*super().checks(world, before, after, answer), holds("a window was there", "note" in seen)]


class LeftOpen(Evidence):
    """The same again, and which other windows there are is nobody's business."""

    name = "left-open"
    left_open = ("live.windows",)


class Typing:
    """What is typed stands at the end of the note."""

    opened = 0

    def __init__(self, world: World) -> None:
        Typing.opened += 1
        self.steps = 0
        self.before = self._state = State(files={NOTE: b"Dear Cy,\nsee you.\n", OLD: b"old\n"})

    def play(self, moves: Sequence[Move]) -> str | None:
        for move in moves:
            if isinstance(move, Say):
                return move.text
            assert isinstance(move, Enter)
            self._state = with_file(self._state, NOTE, self._state.file(NOTE) + move.text.encode())
        return None

    def state(self) -> State:
        return self._state

    def close(self) -> None:
        pass


class Windows(Typing):
    """The same, with windows on the screen."""

    def state(self) -> State:
        return State(self._state.files, {"live": {"windows": ["files", "note", "terminal"], "zoom": 100}})


def worlds(scenario: Scenario) -> list[World]:
    suite = Suite(name="pads", title="Pads", version="1", apps=(Pad(),), scenarios=(scenario,))
    return [World.of(suite, one) for one in suite.configurations()]


def test_edits_of_one_recording_are_judged_and_almost_nothing_is_played() -> None:
    world, other = worlds(SignOff())
    Typing.opened = 0
    proof = try_mutants(world, Typing, [other])
    assert Typing.opened == 2, "the oracle, here and in the other instance"
    assert not proof.error and not proof.survivors and proof.count.rejected >= 15
    assert {"author", PUT_BACK, CUT, GONE, WRONG, ANOTHER} <= set(proof.kinds)


def test_a_survivor_says_what_no_check_looks_at() -> None:
    (world, _) = worlds(Careless())
    proof = try_mutants(world, Typing)
    assert proof.survivors and proof.count.rejected
    assert any(f"{NOTE}:line[1]" in survivor.differs for survivor in proof.survivors)


def test_what_a_task_leaves_open_is_no_near_miss_even_where_a_check_reads_it() -> None:
    told, left = (try_mutants(worlds(scenario)[0], Windows) for scenario in (Evidence(), LeftOpen()))
    assert {survivor.name for survivor in told.survivors if survivor.name.startswith("live: windows[")}
    assert not left.error and not left.survivors and left.count.rejected >= 15


def test_questions_are_tried_with_near_miss_answers_and_side_effects() -> None:
    (world, other) = worlds(CountLines())
    proof = try_mutants(world, Typing, [other])
    assert proof.kinds["a near-miss answer"].rejected >= 3 and not proof.kinds["a near-miss answer"].survived
    assert proof.kinds[SIDE_EFFECT].survived, "nobody looks at the other file"


def test_a_solution_that_fails_has_no_near_misses() -> None:
    (world, _) = worlds(SignOff())

    class Broken(Typing):
        def play(self, moves: Sequence[Move]) -> str | None:
            return None

    assert "does not reach full reward" in try_mutants(world, Broken).error


def _marks(edits: list[Edit]) -> list[tuple[str, str, int]]:
    return list(
        dict.fromkeys(
            (edit.kind, edit.name, hash((tuple(edit.state.files.items()), json.dumps(edit.state.data))))
            for edit in edits
        )
    )


def _part(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read("content.xml").decode()
