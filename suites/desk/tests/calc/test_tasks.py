"""The tasks of Calc: their data, their checks on states that nobody played, and their oracles in a real seat."""

from __future__ import annotations

import itertools
import re
from functools import cache

import pytest

from fairground.core import Configuration, InvalidConfiguration, State, Verdict
from fairground.verify import judge
from fairground.verify.reading.ods import read_ods
from fairground.worlds import Say, Scenario, Suite, World
from fairground_desk.calc import SCENARIOS, Calc
from fairground_desk.calc.references import covers, mentions, one_formula, references, relative
from fairground_desk.calc.sales import PROFILES
from fairground_desk.calc.task import kept
from fairground_desk.calc.workbooks import BUDGET, SALES, STAFF, STOCK, SURVEY, opened_at, other_files

pytestmark = pytest.mark.conformance

SUITE = Suite("desk", "Desk", "0", (Calc(),), SCENARIOS)
UI_STATES, THEMES = tuple(Calc.ui_states), tuple(Calc.themes)


def world_of(scenario: Scenario, instance: str, profile: str, number: int = 0) -> World:
    configuration = Configuration(
        suite="desk",
        app="calc",
        scenario=scenario.name,
        instance=instance,
        profile=profile,
        theme=THEMES[number % len(THEMES)],
        ui_state=UI_STATES[number % len(UI_STATES)],
    )
    return World.of(SUITE, configuration)


@cache
def start(profile: str, opened: str) -> State:
    """What a seat records before anybody touched it."""
    files = {**other_files(profile, opened), opened: opened_at(profile, opened)}
    listing = [{"path": path, "kind": "file", "size": len(content)} for path, content in files.items()]
    return State(files=files, data={"files": sorted(listing, key=lambda one: str(one["path"]))})


def begin(world: World) -> State:
    return start(world.configuration.profile, Calc().opened(world))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_desk_is_the_same_every_time_and_unlike_the_others(profile: str) -> None:
    for path in (SALES, STAFF, BUDGET, STOCK, SURVEY):
        mine = opened_at(profile, path)
        assert mine == opened_at(profile, path)
        others = [opened_at(other, path) for other in PROFILES if other != profile]
        assert mine not in others
        assert sum(sheet.size[0] for sheet in read_ods(mine).sheets) >= 35


@pytest.mark.parametrize("scenario", [one for one in SCENARIOS if one.kind == "answer"], ids=lambda one: str(one.name))
def test_right_answers_are_right_and_others_are_not(scenario: Scenario) -> None:
    for instance, profile in itertools.product(scenario.instances, PROFILES):
        world = world_of(scenario, instance, profile)
        try:
            (move,) = scenario.oracle(world, begin(world))
        except InvalidConfiguration:
            continue
        assert isinstance(move, Say)
        assert judged(world, move.text).success, world.id
        wrong = re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 10), move.text)
        assert not judged(world, wrong if wrong != move.text else "nobody").success, world.id
        damaged = State(files={**begin(world).files, SURVEY: b""}, data=begin(world).data)
        assert judge(world, begin(world), damaged, move.text).reward == 0


def judged(world: World, answer: str) -> Verdict:
    return judge(world, begin(world), begin(world), answer)


def test_a_workbook_that_cannot_be_read_any_more_earns_nothing() -> None:
    for scenario in SCENARIOS:
        world = world_of(scenario, next(iter(scenario.instances)), "museum-shop")
        before = begin(world)
        path = Calc().opened(world)
        after = State(files={**before.files, path: before.files[path][:-200]}, data=before.data)
        assert judge(world, before, after, "42").reward == 0, world.id


def test_the_guard_sees_cells_looks_and_columns() -> None:
    one, other = (read_ods(opened_at(profile, SALES)) for profile in ("outdoor-shop", "museum-shop"))
    assert kept(one, one).passed
    assert not kept(one, other).passed
    assert kept(one, other, ["*"]).passed
    assert not kept(one, other, ["Sales!*"]).passed


def test_formulas_are_understood_as_far_as_checks_need_it() -> None:
    assert references("=SUM($Sales.B2:B9)", "Here") == [("Sales", 1, 1, 8, 1)]
    assert references("='Two words'.A1&\"B7\"+LOG10(C3)", "Here") == [("Two words", 0, 0, 0, 0), ("Here", 2, 2, 2, 2)]
    assert covers("=SUM(B2:B9)", "Here", 1, 1, 8, "Here") and covers("=SUM(B:B)", "Here", 1, 1, 8, "Here")
    assert not covers("=SUM(B2:B8)", "Here", 1, 1, 8, "Here") and not covers("=SUM(B3:B9)", "Here", 1, 1, 8, "Here")
    assert not covers("=SUM(B2:B9)", "There", 1, 1, 8, "Here")
    book = read_ods(opened_at("outdoor-shop", SALES))
    assert mentions('=SUMIF(A;"north")', "North", book, "Targets") and mentions("=A2", "North", book, "Targets")
    assert not mentions("=A3", "North", book, "Targets")
    assert relative("=B2*$C$1", 1, 3) == relative("=B3*$C$1", 2, 3) != relative("=B2*C1", 1, 3)
    assert one_formula(book["Sales"], 5, 1, 20) and not one_formula(book["Sales"], 4, 1, 20)
