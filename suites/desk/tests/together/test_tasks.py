"""Tasks that span two programs: what they ask, what their checks accept and reject, and their oracles in real seats."""

from __future__ import annotations

import io
import itertools
import re
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache

import pytest

from fairground.agents import make_moves
from fairground.core import Configuration, State, Verdict
from fairground.verify import judge
from fairground.verify.reading.odt import read_odt
from fairground.worlds import World, open_seat
from fairground_desk import suite
from fairground_desk.calc.odswriter import Entry, Formula, Table, write_ods
from fairground_desk.calc.workbooks import opened_at
from fairground_desk.calc.workbooks import other_files as calc_files
from fairground_desk.files.homes import HOMES, build
from fairground_desk.files.inspector import LIBFM, PCMANFM
from fairground_desk.impress.folders import folder_of
from fairground_desk.impress.talks import TALKS
from fairground_desk.together import SCENARIOS, papers
from fairground_desk.together.files_and_notes import LOG, ORDERS, orders
from fairground_desk.together.opening import Together
from fairground_desk.together.photo_to_slide import PhotoToSlide
from fairground_desk.together.report_and_accounts import report_rows
from fairground_desk.together.sheet_and_letter import TotalsToMemo
from fairground_desk.writer.documents import REPORT, document
from fairground_desk.writer.documents import other_files as writer_files

pytestmark = pytest.mark.conformance


def world_of(task: str, profile: int = 0, theme: str = "light", ui_state: int = 0) -> World:
    app, scenario, instance = task.split("/")
    home = suite.app(app)
    return World.of(suite, Configuration(
        suite="desk", app=app, scenario=scenario, instance=instance, profile=list(home.profiles)[profile], theme=theme,
        ui_state=list(home.ui_states)[ui_state],
    ))  # fmt: skip


@cache
def start(world: World) -> State:
    """What a seat records before anybody touched it, as far as checks look at it."""
    profile, scenario = world.configuration.profile, world.scenario
    assert isinstance(scenario, Together)
    if scenario.app == "calc":
        path = str(getattr(scenario, "workbook", "")).format_map(world.parameters)
        files = {**calc_files(profile, path), path: opened_at(profile, path)}
    elif scenario.app == "writer":
        files = {**writer_files(profile, REPORT), REPORT: document(profile, REPORT)}
    else:
        files = dict(folder_of(profile) if scenario.app == "impress" else build(HOMES[profile]))
    files |= {path: content for path, content in scenario.papers(world).items() if not path.startswith("~/.")}
    return recorded(files)


def recorded(files: Mapping[str, bytes], empty: Iterable[str] = ()) -> State:
    """Files with their folders, and folders that may have nothing in them; with usual permissions."""
    parts = [path.split("/") for path in files]
    folders = {*empty, *("/".join(one[:end]) for one in parts for end in range(3, len(one)))}
    kinds = {**dict.fromkeys(files, "file"), **dict.fromkeys(folders, "folder")}
    data = {
        "files": [{"path": path, "kind": kind} for path, kind in sorted(kinds.items())],
        "modes": {path: {"mode": "644" if kind == "file" else "755", "target": ""} for path, kind in kinds.items()},
    }
    return State(files={PCMANFM: b"[ui]\n", LIBFM: b"[config]\n", **files}, data=data)


def judged(world: World, changed: Mapping[str, bytes | None]) -> Verdict:
    before = start(world)
    files = {path: content for path, content in before.files.items() if path not in (PCMANFM, LIBFM)} | dict(changed)
    there = [one["path"] for one in before.get("files") if one["kind"] == "folder"]
    after = recorded({path: content for path, content in files.items() if content is not None}, there)
    return judge(world, before, after)


def edited(content: bytes, words: Mapping[str, str]) -> bytes:
    """A document with other letters, as somebody who edits it would leave it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as was, zipfile.ZipFile(stream, "w") as now:
        for info in was.infolist():
            part = was.read(info).decode() if info.filename == "content.xml" else was.read(info)
            if isinstance(part, str):
                for old, new in words.items():
                    assert old in part, old
                    part = part.replace(old, new)
            now.writestr(info, part)
    return stream.getvalue()


EVERY = [f"{one.app}/{one.name}/{instance}" for one in SCENARIOS for instance in one.instances]
FIRST = [f"{one.app}/{one.name}/{next(iter(one.instances))}" for one in SCENARIOS]


@pytest.mark.parametrize("task", FIRST)
def test_a_task_can_be_told_on_every_profile_and_is_not_done_at_the_start(task: str) -> None:
    told = set()
    for profile in range(4):
        world = world_of(task, profile)
        assert len(world.instruction) > 200 and not re.search(r"[{}]", world.instruction)
        told.add((world.instruction, *list(_papers(world).values())[:1], start(world).file(_source(world))))
        found = judged(world, {})
        assert found.reward == 0 and not found.success
        assert world.scenario.oracle(world, start(world))
    assert len(told) == 4  # every profile has its own words or papers


def _source(world: World) -> str:
    """A file that every profile of the app has."""
    return {"calc": "~/Documents/staff.ods", "writer": REPORT, "files": "~/Downloads/manual.pdf"}.get(
        world.configuration.app, "~/Documents/to do.txt"
    )


def _papers(world: World) -> Mapping[str, bytes]:
    assert isinstance(world.scenario, Together)
    return world.scenario.papers(world)


@pytest.mark.parametrize("task", EVERY)
def test_papers_are_the_same_bytes_every_time(task: str) -> None:
    made = []
    for _ in range(2):
        for one in (papers.bank_letter, papers.memo, papers.delivery_note, papers.accounts, papers.handout):
            one.cache_clear()
        papers.numbers.cache_clear()
        made.append(dict(_papers(world_of(task))))
    assert made[0] == made[1]


# Calc and Writer


def memo(world: World, **wrong: str) -> bytes:
    """The memo with every mark filled in."""
    assert isinstance(world.scenario, TotalsToMemo)
    marks = world.scenario._marks(world, start(world)) | {f"[{name}]": value for name, value in wrong.items()}
    return edited(start(world).file(papers.MEMO), marks)


@pytest.mark.parametrize("instance", TotalsToMemo.instances)
def test_a_memo_with_the_right_figures_counts_and_one_wrong_figure_does_not(instance: str) -> None:
    world = world_of(f"calc/totals-to-memo/{instance}", 2)
    assert judged(world, {papers.MEMO: memo(world)}).success
    assert not judged(world, {papers.MEMO: memo(world, East="1.00")}).success
    assert not judged(world, {papers.MEMO: memo(world, Best="Central")}).success


def test_a_memo_whose_other_words_changed_earns_nothing() -> None:
    world = world_of("calc/totals-to-memo/units")
    meddled = edited(memo(world), {"before the meeting": "after the meeting"})
    assert judged(world, {papers.MEMO: meddled}).reward == 0
    other = calc_files(world.configuration.profile, "~/Documents/sales.ods")["~/Documents/staff.ods"]
    assert judged(world, {papers.MEMO: memo(world), "~/Documents/copy.ods": other}).reward == 0


def test_goods_must_be_worked_out_by_formulas_on_a_sheet_behind_the_others() -> None:
    world = world_of("calc/goods-into-stock/returns", 1)
    rows = papers.delivery_rows(world.configuration.profile, 1)
    path = "~/Documents/stock.ods"

    def stock(*, typed: bool = False, last: float = 0.0) -> bytes:
        lines: list[list[Entry]] = [["Item", "Pieces", "Price", "Value"]]
        for at, (item, pieces, price) in enumerate(rows, 2):
            value = round(pieces * price, 2)
            lines.append([item, pieces, price, value if typed else Formula(f"of:=[.B{at}]*[.C{at}]", value)])
        total = round(sum(pieces * price for _, pieces, price in rows), 2) + last
        lines.append(["Total", None, None, Formula(f"of:=SUM([.D2:.D{len(rows) + 1}])", total)])
        return _with_sheet(start(world).file(path), Table("Returns", lines))

    assert judged(world, {path: stock()}).success
    assert not judged(world, {path: stock(typed=True)}).success
    assert not judged(world, {path: stock(last=1.0)}).success


def _with_sheet(workbook: bytes, sheet: Table) -> bytes:
    with zipfile.ZipFile(io.BytesIO(write_ods([sheet]))) as one:
        table = re.search(r"<table:table .*</table:table>", one.read("content.xml").decode())
    assert table is not None
    return edited(workbook, {"</office:spreadsheet>": f"{table[0]}</office:spreadsheet>"})


# Writer with Calc


@pytest.mark.parametrize("instance", ("left", "each", "share"))
def test_accounts_need_every_row_and_formulas(instance: str) -> None:
    world = world_of(f"writer/table-into-accounts/{instance}", 3)
    rows = report_rows(read_odt(start(world).file(REPORT)))
    assert len(rows) == 6
    signs = {"left": ("C", "-", "D"), "each": ("D", "/", "E"), "share": ("D", "/", "C")}
    one, sign, other = signs[instance]

    def accounts(*, skipped: int = -1) -> bytes:
        text = ""
        for at, row in enumerate(rows, 2):
            values = dict(zip("ABCDE", row, strict=True))
            first, second = float(values[one]), float(values[other])
            result = Formula(f"of:=[.{one}{at}]{sign}[.{other}{at}]", first - second if sign == "-" else first / second)
            text += _row([*row, result]) if at != skipped else _row(list(row))
        sums = [Formula(f"of:=SUM([.{letter}2:.{letter}7])", sum(float(row[at]) for row in rows))
                for at, letter in enumerate("CDE", 2)]  # fmt: skip
        text += _row(["Total", None, *sums])
        return edited(start(world).file(papers.ACCOUNTS), {"</table:table-row></table:table><table:table table:name=":
                      f"</table:table-row>{text}</table:table><table:table table:name="})  # fmt: skip

    assert judged(world, {papers.ACCOUNTS: accounts()}).success
    assert not judged(world, {papers.ACCOUNTS: accounts(skipped=4)}).success


def _row(cells: list[Entry]) -> str:
    with zipfile.ZipFile(io.BytesIO(write_ods([Table("x", [cells])]))) as one:
        found = re.search(r"<table:table-row>.*</table:table-row>", one.read("content.xml").decode())
    assert found is not None
    return found[0]


# Impress with Writer


@pytest.mark.parametrize("profile", range(4))
def test_a_handout_gets_the_title_and_every_point_in_order(profile: int) -> None:
    world = world_of("impress/slide-to-handout/risks", profile)
    part = list(TALKS.values())[profile].part("risks")

    def handout(lines: list[str]) -> bytes:
        text = f'<text:h text:style-name="Heading_20_2" text:outline-level="2">{part.title}</text:h>'
        text += "".join(f'<text:p text:style-name="Text_20_body">{line}</text:p>' for line in lines)
        return edited(start(world).file(papers.HANDOUT), {"</office:text>": f"{text}</office:text>"})

    assert judged(world, {papers.HANDOUT: handout(list(part.lines))}).success
    assert not judged(world, {papers.HANDOUT: handout([*part.lines[1:], part.lines[0]])}).success
    assert not judged(world, {papers.HANDOUT: handout(list(part.lines[:-1]))}).success
    changed = edited(handout(list(part.lines)), {"For those who could not come": "For those who came"})
    assert judged(world, {papers.HANDOUT: changed}).reward == 0


# PCManFM and Mousepad


def moved(world: World) -> dict[str, bytes | None]:
    """The files of a part of the list, where it says that they go."""
    part = orders(HOMES[world.configuration.profile])[str(world.parameters["part"])]
    found: dict[str, bytes | None] = {}
    for old, folder in part:
        found |= {f"~/{old}": None, f"~/{folder}/{old.rpartition('/')[2]}": start(world).file(f"~/{old}")}
    return found


@pytest.mark.parametrize(("instance", "profile"), list(itertools.product(("friday", "monday", "month-end"), range(4))))
def test_a_list_must_be_carried_out_and_ticked_off(instance: str, profile: int) -> None:
    world = world_of(f"files/follow-the-list/{instance}", profile)
    part = orders(HOMES[world.configuration.profile])[str(world.parameters["part"])]
    text = start(world).file(ORDERS).decode()
    ticked = text
    for old, folder in part:
        line = f"[ ] {old} -> {folder}"
        assert line in text
        ticked = ticked.replace(line, line.replace("[ ]", "[x]"))
    assert judged(world, {**moved(world), ORDERS: ticked.encode()}).success
    assert not judged(world, moved(world)).success
    assert not judged(world, {ORDERS: ticked.encode()}).success
    everything = text.replace("[ ]", "[x]").encode()
    assert not judged(world, {**moved(world), ORDERS: everything}).success


def test_a_log_without_its_old_lines_earns_nothing() -> None:
    world = world_of("files/sort-and-log/papers", 1)
    names = sorted(path.rpartition("/")[2] for path in start(world).files if re.fullmatch(r"~/Downloads/.*\.pdf", path))
    files: dict[str, bytes | None] = {}
    for name in names:
        files |= {f"~/Downloads/{name}": None, f"~/Documents/Papers/{name}": start(world).file(f"~/Downloads/{name}")}
    entry = "2026-04-02 moved to Documents/Papers:\n" + "".join(f"- {name}\n" for name in names)
    old = start(world).file(LOG).decode()
    assert judged(world, {**files, LOG: f"{old}{entry}".encode()}).success
    assert judged(world, {**files, LOG: entry.encode()}).reward == 0
    backwards = entry.splitlines()[0] + "\n" + "".join(f"- {name}\n" for name in reversed(names))
    assert not judged(world, {**files, LOG: f"{old}{backwards}".encode()}).success


# In real seats


def solve(task: str, profile: int, theme: str, ui_state: int) -> None:
    world = world_of(task, profile, theme, ui_state)
    with open_seat(world) as seat:
        make_moves(seat, world.scenario.oracle(world, seat.before))
        found = judge(world, seat.before, seat.finish())
    assert found.success, [one for one in found.checks if not one.passed]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_every_oracle_works_on_other_desktops(scenario: Together) -> None:
    themes = tuple(suite.app(scenario.app).themes)
    for number, instance in enumerate(scenario.instances):
        turn = number + len(scenario.name)
        solve(f"{scenario.app}/{scenario.name}/{instance}", turn % 4, themes[turn % 8], turn % 6)


@pytest.mark.slow
def test_a_second_program_that_was_never_started_here_asks_nothing() -> None:
    world = world_of(f"files/{PhotoToSlide.name}/grey")
    with open_seat(world) as seat:
        moves = world.scenario.oracle(world, seat.before)
        make_moves(seat, moves[:-1])
        titles = [one.title for one in seat.screen.windows()]
    assert sum("LibreOffice" in title for title in titles) == 1 and sum("GIMP" in title for title in titles) == 1
