"""On real screens: the oracle's moves with real input, and agents that try to score without doing the work."""

import base64
import copy
import sqlite3
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from fairground.agents import Agent, Brief
from fairground.core import State
from fairground.prove import Options, Proof, ScreenProof, Status, load_suite, prove
from fairground.prove.cache import Cache
from fairground.prove.cheaters import QUITTERS, SPAMMERS, TAMPERERS, make_cheater
from fairground.prove.jobs import Prover, ScreenJob
from fairground.prove.pairs import prove_pair
from fairground.prove.resistance import score_agents
from fairground.prove.seats import Seats, has_rehearsal
from fairground.screen import decode
from fairground.worlds import Move, Say, Suite, Tap, World, resolve


@pytest.mark.process
def test_a_pair_is_proven_on_a_seat_and_the_seat_is_used_again() -> None:
    seats = Seats()
    try:
        for name in ("pocket/notes/count-label/ideas", "pocket/notes/pin-and-label"):
            world = resolve(name, unproven=True)
            found = prove_pair(lambda world=world: world, seats.open)  # type: ignore[misc]
            assert found.status is Status.PROVEN, found
    finally:
        seats.close()
    assert not has_rehearsal(resolve("desk/calc", unproven=True).app)


@pytest.mark.slow
def test_an_oracle_that_fails_on_the_screen_is_reported_with_its_theme_ui_state_and_a_picture() -> None:
    prover = Prover(_lost_on_the_way)
    name = "count-label"
    try:
        world = resolve(f"pocket/notes/{name}/ideas@student/midnight/list", unproven=True)
        there = world.configuration
        job = ScreenJob("notes", name, there.instance, there.profile, "", there.theme, there.ui_state)
        found = prover.do(job, lambda _: None)
    finally:
        prover.close()
    assert isinstance(found, ScreenProof) and not found.solved and found.configuration == world.id
    assert "move 1 of" in found.message and "Nowhere" in found.message
    assert decode(base64.b64decode(found.picture)).pixels.shape == (915, 412, 3)


@pytest.mark.slow
def test_what_failed_on_a_screen_is_tried_again_and_what_was_solved_is_not(tmp_path: Path) -> None:
    load = partial(load_suite, "pocket/notes")
    some = [one for one in load().scenarios if one.name == "count-label"]
    path = tmp_path / "proofs.sqlite"

    def proven() -> Proof:
        with Cache(path) as cache:
            return prove(load, some, Options(sample=1, workers=1, mutant_pairs=0, screens=1), cache=cache)

    first = proven()
    assert first.sound and first.reused == 0
    with sqlite3.connect(path) as known:  # as a machine that was too busy would have left it
        known.execute("""UPDATE results SET value = json_set(value, '$.solved', json('false')) WHERE kind = 'screen'""")
    second, third = proven(), proven()
    screens = sum(len(one.screens) for one in second.scenarios)
    assert second.sound and screens and second.reused == third.reused - screens


def _lost_on_the_way() -> Suite:
    """Notes, with an oracle that taps what is not there."""
    suite = load_suite("pocket/notes")

    def oracle(world: World, before: State) -> list[Move]:
        return [Tap("Nowhere"), Say("1")]

    lost = [copy.copy(one) for one in suite.scenarios if one.app == "notes"]
    for one in lost:
        one.oracle = oracle  # type: ignore[method-assign]
    return replace(suite, scenarios=tuple(lost))


@pytest.mark.parametrize("name", [*SPAMMERS, *TAMPERERS, "quit-when-unsure"])
def test_every_cheater_is_an_agent(name: str) -> None:
    agent = make_cheater(name, ["3", "4", "3"])
    assert isinstance(agent, Agent) and agent.name == name
    agent.begin(Brief("How many?", (412, 915), 20, "answer"))


@pytest.mark.slow
def test_agents_that_do_not_do_the_work_score_next_to_nothing(tmp_path: Path) -> None:
    found = {one.agent: one for one in score_agents("pocket/notes", answers=["3"], sample=2, folder=tmp_path)}
    assert set(found) == {"do-nothing", "random", "blind-replay", *QUITTERS, *SPAMMERS, *TAMPERERS}
    assert all(one.scored + one.errored and one.low <= one.passed / max(one.scored, 1) <= one.high
               for one in found.values())  # fmt: skip
    assert all(found[name].passed == 0 for name in ("do-nothing", "random", *TAMPERERS))
    assert all((found[name].passed, found[name].errored) == (0, 0) for name in QUITTERS), "what they do has failed"
    assert (tmp_path / "oracle" / "run.sqlite").is_file(), "the runs are kept where they were asked to be"
