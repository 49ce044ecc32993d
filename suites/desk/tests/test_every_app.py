"""The same questions to every app: what its checklist can read, and one seat of each."""

from __future__ import annotations

import json

import pytest

from fairground.core import Configuration, InvalidInput, State, StateError
from fairground.prove.app_check import check_app
from fairground.verify import judge
from fairground.worlds import App, Inspector, World, open_seat
from fairground_desk import suite

LEAST = {
    "profiles": 4, "themes": 8, "ui-states": 6, "scenarios": 19, "questions": 1, "instances": 65, "endpoints": 16,
}  # fmt: skip
APPS = [pytest.param(app, id=app.name) for app in suite.apps]
PANELS = ("tint2",)
QUESTIONS = {"dialog", "alert", "alertdialog", "info bar", "notification", "file chooser"}


@pytest.mark.parametrize("app", APPS)
def test_an_app_has_tested_endpoints_oracles_proofs_and_enough_of_everything(app: App) -> None:
    found = check_app(suite, app, quick=True, least=LEAST)
    assert [item for item in found.items if item.status == "failed"] == []
    asked = {"endpoints", "endpoint tests", "reference", "axes", "oracles", "start", "mutants"}
    assert {item.name for item in found.items if item.status == "passed"} >= asked


@pytest.mark.conformance
@pytest.mark.parametrize("app", APPS)
def test_an_app_opens_asks_nothing_is_inspected_and_leaves_nothing(app: App) -> None:
    world = world_of(app)
    with open_seat(world) as seat:
        assert len([one.title for one in seat.screen.windows() if one.title not in PANELS]) == 1
        assert not QUESTIONS & {node.role for node in seat.screen.tree().walk()}
        assert seat.before.files
        after = seat.finish()
    assert not seat.sandbox.alive
    assert app.inspector is not None
    for state in (seat.before, after):
        answers_every_question(app.inspector, state)
    nothing = judge(world, seat.before, after)
    assert nothing.reward == 0 and nothing.integrity and not nothing.success


def answers_every_question(inspector: Inspector, state: State) -> None:
    """Each endpoint answers in JSON, says what is not in the state, or says which argument it needs."""
    answered = 0
    for endpoint in inspector.endpoints:
        if needed := [one.name for one in endpoint.arguments if one.required]:
            with pytest.raises(InvalidInput, match=f"{endpoint.name} needs {needed[0]}"):
                inspector.ask(state, endpoint.name)
            continue
        try:
            json.dumps(inspector.ask(state, endpoint.name))
            answered += 1
        except StateError as error:
            assert error.message
    assert answered


def world_of(app: App) -> World:
    """The first task of an app that is about a change, with another theme and UI state for each app."""
    turn = list(suite.apps).index(app)
    scenario = next(one for one in suite.scenarios if one.app == app.name and one.kind == "action")
    instance, profile = suite.pairs(scenario)[turn % len(suite.pairs(scenario))]
    themes, ui_states = list(app.themes), list(app.ui_states)
    axes = {"theme": themes[turn % len(themes)], "ui_state": ui_states[turn % len(ui_states)]}
    names = {"scenario": scenario.name, "instance": instance, "profile": profile}
    return World.of(suite, Configuration(suite=suite.name, app=app.name, **names, **axes))
