"""The page of a scenario: what is asked, what is checked, what is proven, and two ways in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from urllib.parse import quote

from fairground.core import Configuration, FairgroundError
from fairground.report.html import Child, Html, tag
from fairground.report.looks import face_of
from fairground.web.shell import empty, fact, pill, table
from fairground.web.studio.catalogue_app import look_path, shape
from fairground.web.studio.catalogue_counts import Shelf
from fairground.web.studio.catalogue_looks import Looks
from fairground.web.studio.catalogue_parts import Reader, crumbs, proof_fault, proven_cell, share
from fairground.worlds import ProvenInstance, World
from fairground.worlds.census import ScenarioCount

_EXAMPLES = 6
_ROWS = 60  # instances of a proof that are spelt out


def scenario_page(shelf: Shelf, count: ScenarioCount, reader: Reader, looks: Looks) -> list[Child]:
    """What stands on it."""
    one, suite, app = count.scenario, shelf.suite, shelf.app
    found = shelf.proof.find(one.name) if shelf.proof is not None else None
    examples = _examples(shelf, one.name)
    facts = [
        ("Kind", one.kind),
        ("Instances", f"{len(one.instances):,}"),
        ("Configurations", f"{count.configurations:,}"),
        ("Step budget", f"{one.step_budget:,}"),
        ("Proven pairs", proven_cell(count)),
        ("Mutants rejected", share(count.mutants.share) if count.held else "not yet"),
    ]
    return [
        crumbs(("/catalogue", "Catalogue"), (f"/catalogue/{suite.name}", suite.title), (shelf.path, app.title)),
        tag(
            "div",
            tag(
                "div",
                tag("h1", one.name),
                tag("p", tag("bdi", one.template), class_="lead"),
                _ways_in(examples) if reader.opens else None,
                class_="said",
            ),
            _face(shelf, looks),
            class_="opening",
        ),
        tag("dl", [fact(name, value) for name, value in facts], class_="facts"),
        _instructions(examples, may_try=reader.opens),
        _checks(shelf, count, examples),
        _proof(reader, shelf, count, found.instances if found is not None else ()),
    ]


def _face(shelf: Shelf, looks: Looks) -> Html | None:
    """The app's picture, where there is one."""
    look = face_of(shelf.app)
    if look not in looks.ready:
        return None
    picture = tag("img", src=look_path(shelf, *look), alt=f"{shelf.app.title}: the app that the task is in")
    return tag("a", picture, href=shelf.path, class_=f"face {shape(shelf.app)}")


def _ways_in(examples: Mapping[Configuration, str]) -> Html | None:
    first = next(iter(examples), None)
    if first is None:
        return None
    world = quote(first.id, safe="")
    return tag(
        "p",
        tag("a", "Try it yourself", href=f"/live/new?world={world}", class_="button"),
        tag("a", "Start a battle", href=f"/arena/new?world={world}", class_="button plain"),
        class_="row",
    )


def _instructions(examples: Mapping[Configuration, str], *, may_try: bool) -> Html:
    if not examples:
        return empty("Nothing of it is served", "No configuration of this scenario is proven yet.")
    items = [
        tag(
            "li", tag("blockquote", tag("bdi", said, dir="auto")),
            tag("div", tag("code", f"{one.instance}@{one.profile}", class_="muted"),
                tag("a", "Try", href=f"/live/new?world={quote(one.id, safe='')}", aria_label=f"Try {one.id}")
                if may_try else None,
                class_="row small"),
        )
        for one, said in examples.items()
    ]  # fmt: skip
    intro = "The instruction as agents read it, in some of its configurations."
    return tag(
        "section", tag("h2", "What is asked"), tag("p", intro, class_="muted"), tag("ul", items, class_="asked"),
        class_="card",
    )  # fmt: skip


def _checks(shelf: Shelf, count: ScenarioCount, examples: Mapping[Configuration, str]) -> Html | None:
    names = _check_names(shelf, next(iter(examples))) if examples else ()
    if not names:
        return None
    items = [tag("li", tag("bdi", name), " ", pill("guard", "odd") if guard else None) for name, guard in names]
    intro = "Checks run on the recorded state after an episode; a guard that fails makes the reward 0."
    return tag(
        "section", tag("h2", "What is checked"), tag("p", intro, class_="muted"), tag("ol", items), class_="card"
    )


def _proof(reader: Reader, shelf: Shelf, count: ScenarioCount, rows: tuple[ProvenInstance, ...]) -> Html:
    heading = tag("h2", "Proof")
    if shelf.fault:
        return tag("section", heading, proof_fault(reader, shelf), class_="card")
    if not rows:
        command = tag("code", f"fairground prove {shelf.suite.name}/{shelf.app.name}/{count.scenario.name}")
        how = (" To prove it: ", command) if reader.commands else None
        return tag("section", heading, tag("p", "Nothing is proven of it yet.", how), class_="card")
    screen = f"{count.screen.solved:,} of {count.screen.tried:,}" if count.screen.tried else "not tried"
    facts = [
        ("Proven", f"{count.proven:,}"),
        ("Infeasible", f"{count.infeasible:,}"),
        ("Faulty", f"{count.faulty:,}"),
        ("Mutants rejected", f"{count.mutants.rejected:,} of {count.mutants.counted:,}"),
        ("Solved on screens", screen),
    ]
    intro = (
        "An instance on a profile is a pair. A proven one is coherent, feasible, not already done, and solved by its "
        "oracle. On an infeasible one the task makes no sense with the data; it is not served, and no fault."
    )
    return tag(
        "section", heading, tag("p", intro, class_="muted"),
        tag("dl", [fact(name, value) for name, value in facts], class_="facts"),
        _reasons("What failed, and why", rows, "faulty"), _grid(shelf, rows),
        _reasons("Why pairs are infeasible", rows, "infeasible"), class_="card",
    )  # fmt: skip


def _grid(shelf: Shelf, rows: tuple[ProvenInstance, ...]) -> Html:
    profiles = list(shelf.app.profiles)
    lines = [[tag("code", row.instance), *(_mark(row, name) for name in profiles)] for row in rows[:_ROWS]]
    more = tag("p", f"And {len(rows) - _ROWS:,} instances more.", class_="muted") if len(rows) > _ROWS else None
    title = tag("summary", "Every pair", tag("span", f" {len(rows):,} x {len(profiles):,}", class_="muted"))
    shown = table(("Instance", *profiles), lines, label="Instances on profiles", class_="pairs")
    return tag("details", title, shown, more, open=len(rows) <= 12)


def _mark(row: ProvenInstance, profile: str) -> Html:
    if profile in row.proven:
        return pill("proven", "good")
    if profile in row.faulty:
        return tag("span", "faulty", class_="pill bad", title=row.faulty[profile])
    if profile in row.infeasible:
        return tag("span", "infeasible", class_="pill", title=row.infeasible[profile])
    return tag("span", "not tried", class_="muted small")


def _reasons(title: str, rows: tuple[ProvenInstance, ...], status: str) -> Html | None:
    """Every reason once, the most frequent first, with an example of it."""
    seen: Counter[str] = Counter()
    example: dict[str, str] = {}
    for row in rows:
        for profile, why in getattr(row, status).items():
            seen[why] += 1
            example.setdefault(why, f"{row.instance}@{profile}")
    if not seen:
        return None
    lines = [[tag("bdi", why), tag("code", example[why]), f"{number:,}"] for why, number in seen.most_common(20)]
    return tag(
        "details", tag("summary", title, tag("span", f" {len(seen):,}", class_="muted")),
        table(("Reason", "For example", "Pairs"), lines, label=title), open=status == "faulty",
    )  # fmt: skip


@lru_cache(maxsize=256)
def _examples(shelf: Shelf, name: str) -> dict[Configuration, str]:
    """Instructions of some configurations that are served, as unlike as they can be, and none twice."""
    suite, app = shelf.suite, shelf.app
    scenario = suite.scenario(app.name, name)
    pairs = [] if shelf.fault else suite.pairs(scenario)
    found: dict[Configuration, str] = {}
    for instance, profile in _spread(pairs)[: 2 * _EXAMPLES]:
        one = Configuration(
            suite=suite.name, app=app.name, scenario=name, instance=instance, profile=profile,
            theme=next(iter(app.themes)), ui_state=next(iter(app.ui_states)),
        )  # fmt: skip
        try:
            said = World.of(suite, one).instruction
        except FairgroundError:  # proven once, and not any more: `fairground prove --check` tells
            continue
        if said not in found.values():
            found[one] = said
        if len(found) == _EXAMPLES:
            break
    return found


def _spread(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each instance once before any comes again, and few profiles: making a profile's data takes a moment."""
    again: Counter[str] = Counter()
    turns = []
    for pair in pairs:
        turns.append((again[pair[0]], pair))
        again[pair[0]] += 1
    return [pair for _, pair in sorted(turns, key=lambda one: one[0])]


@lru_cache(maxsize=256)
def _check_names(shelf: Shelf, one: Configuration) -> tuple[tuple[str, bool], ...]:
    """Names of the checks and whether each is a guard, from a rehearsal; none where the app has no rehearsals."""
    world = World.of(shelf.suite, one)
    try:
        rehearsal = shelf.app.rehearse(world)
        if rehearsal is None:
            return ()
        try:
            before = rehearsal.before
            return tuple((check.name, check.integrity) for check in world.scenario.checks(world, before, before, None))
        finally:
            rehearsal.close()
    except FairgroundError:
        return ()
