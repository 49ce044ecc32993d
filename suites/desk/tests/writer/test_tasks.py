"""The tasks of Writer: their data, their checks on states that nobody played, and their oracles in a real seat."""

from __future__ import annotations

from functools import cache

import pytest

from fairground.core import Configuration, State
from fairground.verify import judge
from fairground.verify.reading.document import document_leaves
from fairground.verify.reading.odt import read_odt
from fairground.worlds import Suite, World
from fairground_desk.writer import SCENARIOS, Writer
from fairground_desk.writer.documents import (
    DOCUMENTS,
    MINUTES,
    contacts,
    document,
    figures,
    other_files,
    resolved_minutes,
)
from fairground_desk.writer.organisation import PROFILES, organisation
from fairground_desk.writer.scenarios.questions import Question
from fairground_desk.writer.task import WriterTask

pytestmark = pytest.mark.conformance

SUITE = Suite("desk", "Desk", "0", (Writer(),), SCENARIOS)


def world_of(scenario: WriterTask, instance: str, profile: str, number: int = 0) -> World:
    themes, states = tuple(Writer.themes), tuple(Writer.ui_states)
    return World.of(
        SUITE,
        Configuration(
            suite="desk", app="writer", scenario=scenario.name, instance=instance, profile=profile,
            theme=themes[number % len(themes)], ui_state=states[number % len(states)],
        ),
    )  # fmt: skip


@pytest.mark.parametrize("profile", PROFILES)
def test_what_is_typed_from_a_list_has_no_quotes_that_writer_would_change(profile: str) -> None:
    cells = [str(cell) for row in [*figures(organisation(profile)), *contacts(organisation(profile))] for cell in row]
    assert [cell for cell in cells if "'" in cell or '"' in cell] == []


@cache
def start(profile: str) -> State:
    """What a seat records before anybody touched it."""
    files = dict(other_files(profile, ""))
    listing = [{"path": path, "kind": "file", "size": len(content)} for path, content in sorted(files.items())]
    return State(files=files, data={"files": listing}, missing={})


def with_file(state: State, path: str, content: bytes) -> State:
    return State(files={**state.files, path: content}, data=state.data, missing=state.missing)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_desk_is_the_same_every_time_and_unlike_the_others(profile: str) -> None:
    files = other_files(profile, "")
    other_files.cache_clear()
    document.cache_clear()
    assert files == other_files(profile, "") and len(files) >= 25
    for other in set(PROFILES) - {profile}:
        assert all(document(profile, path) != document(other, path) for path in DOCUMENTS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_a_broken_document_earns_nothing(scenario: WriterTask) -> None:
    world = world_of(scenario, next(iter(scenario.instances)), PROFILES[0])
    before = start(PROFILES[0])
    for content in (b"", b"PK\3\4 not a document", before.files[scenario.document][:2000]):
        after = with_file(before, scenario.document, content)
        assert judge(world, before, after, None).reward == 0


@pytest.mark.parametrize("profile", PROFILES)
def test_settled_minutes_pass_only_for_what_was_asked(profile: str) -> None:
    scenario = next(one for one in SCENARIOS if one.name == "settle-changes")
    before = start(profile)
    accepted = with_file(before, MINUTES, resolved_minutes(profile, lambda kind, author: True))
    rejected = with_file(before, MINUTES, resolved_minutes(profile, lambda kind, author: False))
    assert judge(world_of(scenario, "accept-all", profile), before, accepted, None).success
    assert judge(world_of(scenario, "reject-all", profile), before, rejected, None).success
    for instance, state in (("accept-all", rejected), ("reject-all", accepted), ("accept-first", accepted)):
        assert not judge(world_of(scenario, instance, profile), before, state, None).success


def test_a_change_elsewhere_fails_an_answer() -> None:
    scenario = next(one for one in SCENARIOS if isinstance(one, Question))
    world = world_of(scenario, "notice", "fjord-museum")
    before = start("fjord-museum")
    assert judge(world, before, before, "6 months").success
    assert not judge(world, before, before, "3 months").success
    changed = with_file(before, MINUTES, resolved_minutes("fjord-museum", lambda kind, author: True))
    assert not judge(world, before, changed, "6 months").success


def test_views_change_no_content() -> None:
    from fairground_desk.writer.odtwriter import View

    plain, zoomed = (document("lake-water", MINUTES, view) for view in (None, View(zoom=140, top=9000)))
    assert plain != zoomed
    assert document_leaves(read_odt(plain)) == document_leaves(read_odt(zoomed))
