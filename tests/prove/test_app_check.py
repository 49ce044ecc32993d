"""The checklist for apps: what is wrong is found, and what is right is not."""

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fairground.core import Check, InvalidInput, StageError, State, UnknownName
from fairground.prove.app_check import Item, check_app, readme_of, write_reference
from fairground.prove.app_check.endpoints import check_endpoints
from fairground.prove.app_check.litter import cluttered, leave_files
from fairground.prove.app_check.seats import check_seats, left_over, look_at
from fairground.sandbox import Sandbox
from fairground.worlds import (
    App,
    Inspector,
    Move,
    MutantCount,
    ProofTable,
    ProvenScenario,
    Tap,
    World,
    open_seat,
    read_folder,
    write_table,
)

from . import jotter, wallet

BOTH = """
import pytest
@pytest.mark.endpoint("lines", "check-line", "positive")
@pytest.mark.endpoint("jotter/lines", "negative")
def test_lines(): ...
@pytest.mark.parametrize("text", [pytest.param("tea", marks=pytest.mark.endpoint("check-line", "negative"))])
def test_check(text): ...
"""


def by_name(items: list[Item]) -> dict[str, Item]:
    return {item.name: item for item in items}


@pytest.fixture
def own(tmp_path: Path) -> Iterator[App]:
    """The jotter in a module of its own, with a README and tests beside it, as a suite's repository has them."""
    folder = tmp_path / "repository" / "src" / "scraps"
    folder.mkdir(parents=True)
    (tmp_path / "repository" / "pyproject.toml").touch()
    (tmp_path / "repository" / "tests").mkdir()
    path = folder / "own_jotter.py"
    path.write_bytes(Path(jotter.__file__).read_bytes())
    spec = importlib.util.spec_from_file_location("own_jotter", path)
    assert spec is not None and spec.loader is not None
    sys.modules["own_jotter"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.Jotter()
    del sys.modules["own_jotter"]


def test_endpoints_that_nobody_explains_are_named() -> None:
    class Terse(jotter.Jotter):
        inspector = Inspector("jotter")

    @Terse.inspector.query("content")
    def words(state: object, least: int) -> int:
        """How many words."""
        return least

    item = check_endpoints(Terse())[0]
    assert item.status == "failed" and item.evidence == "words: least is not documented" and "Args:" in item.fix


def test_an_app_without_an_inspector_is_told_to_have_one() -> None:
    items = check_endpoints(wallet.Wallet())
    assert [item.status for item in items] == ["failed", "not applicable", "not applicable"]
    assert "docs/inspectors.md" in items[0].fix


@pytest.mark.parametrize(
    ("file", "source", "status", "evidence"),
    [
        ("test_jotter.py", BOTH, "passed", "2 endpoints, each in both ways"),
        ("jotter/test_all.py", BOTH, "passed", "2 endpoints, each in both ways"),
        ("test_other.py", BOTH, "failed", "no test of lines (positive); no test of check-line (positive and negative)"),
        ("test_jotter.py", BOTH.replace('"check-line", "positive"', '"positive"'), "failed", "check-line (positive)"),
        ("test_jotter.py", BOTH.replace("@pytest", "# @pytest"), "failed", "no test of lines (positive and negative)"),
        (
            "test_jotter.py",
            BOTH.replace('"jotter/lines"', '"jotter/lnes"'),
            "failed",
            "lnes is marked but does not exist",
        ),
        ("test_jotter.py", BOTH.replace('"lines"', "NAME"), "failed", "lines (positive)"),
        ("test_jotter.py", BOTH + "(", "failed", "no test of"),
    ],
)
def test_tests_are_found_by_their_markers(own: App, file: str, source: str, status: str, evidence: str) -> None:
    path = readme_of(own).parents[2] / "tests" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(source)
    item = check_endpoints(own)[1]
    assert (item.status, evidence in item.evidence) == (status, True), item.evidence


def test_the_reference_is_written_between_its_marks_and_found_stale(own: App) -> None:
    assert "does not exist" in check_endpoints(own)[2].evidence
    path = readme_of(own)
    path.write_text("# Jotter\n\n<!-- endpoints -->\nold\n<!-- /endpoints -->\n\n## After\n")
    assert "differs from the code" in check_endpoints(own)[2].evidence
    assert write_reference(own) == path
    text = path.read_text()
    assert text.startswith("# Jotter\n") and text.endswith("\n\n## After\n") and "old" not in text
    assert "**`check-line text=...`**" in text
    write_reference(own)
    assert path.read_text() == text and check_endpoints(own)[2].status == "passed"
    path.write_text("# Jotter\n<!-- endpoints -->\n")
    with pytest.raises(InvalidInput, match="has only one of"):
        write_reference(own)


def test_what_needs_no_screen_is_tried_also_when_it_must_be_quick(tmp_path: Path) -> None:
    suite = wallet.suite()
    found = by_name(list(check_app(suite, suite.apps[0], quick=True).items))
    assert found["oracles"].status == "passed" and found["start"].status == "passed", found
    assert found["first run"].status == "not tried" and found["mutants"].status == "failed"
    weak = ProvenScenario(scenario="pay", mutants=MutantCount(rejected=9, survived=1))
    write_table(tmp_path, ProofTable(suite=suite.name, app="wallet", scenarios=(weak,)))
    item = by_name(list(check_app(replace(suite, proofs=tmp_path), suite.apps[0], quick=True).items))["mutants"]
    assert item.status == "failed" and item.evidence == "90.0% (9 of 10)"


def test_checks_are_counted_on_a_solved_state_where_the_start_shows_too_few() -> None:
    class Late(wallet.Pay):
        """Asks first whether there is a payment, and only then the rest."""

        def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
            found = super().checks(world, before, after, answer)
            return [*found, *found, *found] if after != before else found

    class Lost(Late):
        name = "lost"

        def oracle(self, world: World, before: State) -> Sequence[Move]:
            return [Tap("Nowhere")]

    suite = replace(wallet.suite(), scenarios=(Late(),))
    item = by_name(list(check_app(suite, suite.apps[0], quick=True).items))["checks"]
    assert item.status == "passed" and item.evidence == "6.0 on average over 1 scenario; the fewest: pay with 6"
    suite = replace(suite, scenarios=(Late(), Lost()))
    found = by_name(list(check_app(suite, suite.apps[0], quick=True).items))
    assert found["checks"].status == "failed" and "the fewest: lost with 2" in found["checks"].evidence
    assert found["oracles"].status == "failed" and found["oracles"].evidence == "lost: there is no 'Nowhere'"


def test_fewer_than_the_minimum_counts_fail_and_are_named() -> None:
    suite = jotter.suite()
    least = {"scenarios": 1, "profiles": 2, "endpoints": 3, "instances-each": 4, "questions": 0}
    item = by_name(list(check_app(suite, suite.apps[0], quick=True, least=least).items))["axes"]
    assert item.status == "failed"
    assert item.evidence == "endpoints: 2, expected at least 3; instances-each: 1, expected at least 4"
    enough = {"scenarios": 1, "endpoints": 2}
    assert by_name(list(check_app(suite, suite.apps[0], quick=True, least=enough).items))["axes"].status == "passed"
    with pytest.raises(UnknownName, match="'scenario'"):
        check_app(suite, suite.apps[0], quick=True, least={"scenario": 1})


def test_a_folder_is_asked_only_what_it_can_have(tmp_path: Path) -> None:
    (tmp_path / "world.toml").write_text('[app]\nname = "pad"\nlaunch = ["mousepad"]\nwindow = "pad"\n')
    suite = read_folder(tmp_path)
    found = by_name(list(check_app(suite, suite.apps[0], quick=True).items))
    assert found["axes"].status == "failed" and "no scenario" in found["axes"].evidence
    assert found["endpoints"].status == found["mutants"].status == found["oracles"].status == "not applicable"


@pytest.mark.process
def test_a_seat_that_cannot_be_opened_fails_once_and_the_rest_is_not_tried() -> None:
    class Broken(jotter.Jotter):
        def setup(self, sandbox: Sandbox, world: World) -> None:
            raise StageError("the data cannot be made")

    items = check_seats(jotter.suite(Broken()), Broken())
    assert items[0].status == "failed" and items[0].evidence == "the data cannot be made"
    assert {item.status for item in items[1:]} == {"not tried"}


@pytest.mark.process
def test_all_that_is_left_on_a_seat_is_seen() -> None:
    with open_seat(jotter.world()) as seat:
        clean = look_at(seat)
        assert left_over(clean, clean) == [] and clean.shown.windows == ("~/note.txt - Mousepad",)
        leave_files(seat)
        with cluttered(seat):
            seen = left_over(clean, look_at(seat))
    told = "; ".join(seen)
    for what in (
        "file left-behind.txt is new",
        "Mousepad', 'left-behind'",
        "recent documents",
        "clipboard",
        "of the screen differs",
    ):
        assert what in told
    later = replace(clean, files=clean.files | {".config/history.db"})  # as a program writes it when it has the time
    assert left_over(clean, later) == left_over(later, clean) == []
    assert left_over(clean, replace(later, begun=later.files)) == ["file .config/history.db is new"]
    assert left_over(later, replace(clean, files=frozenset()))[0].endswith(" is gone")


@pytest.mark.slow
def test_a_seat_with_a_window_too_many_chance_and_a_memory_is_found_out() -> None:
    app = jotter.Careless()
    found = by_name(check_seats(jotter.suite(app), app))
    assert found["first run"].status == "failed" and "Welcome" in found["first run"].evidence
    assert found["reset"].status == "failed" and "file kept-xx.txt is new" in found["reset"].evidence
    assert found["same start"].status == "failed" and "~/note.txt" in found["same start"].evidence


@pytest.mark.slow
def test_an_app_that_is_in_order_passes_on_real_seats() -> None:
    app = jotter.Jotter()
    suite = jotter.suite(app, jotter.AddLine(), jotter.Given())
    told = []
    found = by_name(list(check_app(suite, app, on_progress=lambda *one: told.append(one)).items))
    for name in ("first run", "reset", "same start", "side by side"):
        assert found[name].status == "passed", found[name]
    assert found["renewal"].status == "not applicable"
    assert "nothing on the seat of rice" in found["side by side"].evidence
    assert found["start"].evidence == "given: 'the line is there' passes; given: 'it is the last' passes"
    assert found["oracles"].evidence == "given has none"
    assert found["checks"].evidence.startswith("3.0 on average over 2 scenarios")
    assert told[0] == ("scenarios", 0, 2) and told[-1] == ("seats", 5, 5)
