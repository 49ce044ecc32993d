"""States that an agent left so that judging them breaks, takes for ever, or uses up the memory: it fails."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from fairground.core import Check, Configuration, InvalidConfiguration, State, Verdict
from fairground.core.limited import ReadingBudget
from fairground.env import judge_left
from fairground.verify.reading.ods import read_ods
from fairground.worlds import App, Scenario, ScreenSpec, Suite, World

pytestmark = pytest.mark.process

LEFT = "~/left"
_CONTENT = """<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:spreadsheet><table:table table:name="A">{rows}</table:table></office:spreadsheet></office:body>
</office:document-content>"""


class Desktop(App):
    """Never opened."""

    name = "desktop"
    screen = ScreenSpec(backend="x11")

    def launch(self, seat: Any) -> None:
        raise AssertionError("nobody opens it")

    def capture(self, seat: Any, world: World) -> State:
        raise AssertionError("nobody opens it")


class Reads(Scenario):
    """Its check is a function of the file that was left."""

    app, name, template = "desktop", "reads", "Leave something."

    def __init__(self, read: Callable[[bytes], object]) -> None:
        self._read = read

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        content = after.files.get(LEFT, b"")
        return [Check(name="as asked", passed=bool(content and self._read(content)), found={"a": (1, 2.5)})]

    def oracle(self, world: World, before: State) -> Sequence[Any]:
        raise AssertionError("nobody solves it")


def left(read: Callable[[bytes], object], content: bytes, **options: Any) -> Verdict:
    scenario = Reads(read)
    suite = Suite(name="left", title="Left", version="1", apps=(Desktop(),), scenarios=(scenario,))
    world = World.of(suite, Configuration(suite="left", app="desktop", scenario="reads"))
    return judge_left(world, State(), State(files={LEFT: content}), None, **options)


def spreadsheet(rows: int, columns: int) -> bytes:
    cell = '<table:table-cell office:value-type="string"><text:p>x{}</text:p></table:table-cell>'
    row = f"<table:table-row>{''.join(cell.format(number) for number in range(columns))}</table:table-row>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("content.xml", _CONTENT.format(rows=row * rows))
    return out.getvalue()


def test_what_an_honest_agent_left_is_judged_as_ever() -> None:
    verdict = left(lambda content: read_ods(content).sheets, spreadsheet(3, 3))
    assert verdict.success and verdict.checks[0].found == {"a": [1, 2.5]}


def test_a_document_that_takes_long_to_read_fails() -> None:
    budget = ReadingBudget(seconds=1.0)
    verdict = left(lambda content: read_ods(content).sheets, spreadsheet(1000, 500), budget=budget)
    assert not verdict.success and verdict.reward == 0
    assert "1 s of CPU time" in verdict.checks[0].found or "300 MB" in verdict.checks[0].found


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda content: bytearray(1 << 40), "300 MB"),
        (lambda content: content.decode("ascii"), "UnicodeDecodeError"),
        (lambda content: {}["no such cell"], "no such cell"),
    ],
)
def test_a_document_that_breaks_the_checks_fails(read: Callable[[bytes], object], expected: str) -> None:
    verdict = left(read, b"\xff")
    assert not verdict.success and expected in verdict.checks[0].found


def test_checks_that_break_on_the_untouched_state_are_the_scenarios_fault() -> None:
    class Broken(Reads):
        def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
            raise KeyError("the author's mistake")

    scenario = Broken(bool)
    suite = Suite(name="left", title="Left", version="1", apps=(Desktop(),), scenarios=(scenario,))
    world = World.of(suite, Configuration(suite="left", app="desktop", scenario="reads"))
    with pytest.raises(InvalidConfiguration, match="author's mistake"):
        judge_left(world, State(), State(files={LEFT: b"x"}), None)
