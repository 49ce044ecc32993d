"""The page of a scenario: instructions, checks, proof, and links to try it."""

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
_ROWS = 60  # maximum number of instances in a proof table


def scenario_page(shelf: Shelf, count: ScenarioCount, reader: Reader, looks: Looks) -> list[Child]:
    """Render the page."""
    scenario, suite, app = count.scenario, shelf.suite, shelf.app
    proof = shelf.proof.find(scenario.name) if shelf.proof is not None else None
    examples = _examples(shelf, scenario.name)
    facts = [
        ("Kind", scenario.kind),
        ("Instances", f"{len(scenario.instances):,}"),
        ("Configurations", f"{count.configurations:,}"),
        ("Step budget", f"{scenario.step_budget:,}"),
        ("Proven pairs", proven_cell(count)),
        ("Mutants rejected", share(count.mutants.share) if count.held else "none"),
    ]
    return [
        crumbs(("/catalogue", "Catalogue"), (f"/catalogue/{suite.name}", suite.title), (shelf.path, app.title)),
        tag(
            "div",
            tag(
                "div",
                tag("h1", scenario.name),
                tag("p", tag("bdi", scenario.template), class_="lead"),
                _ways_in(examples) if reader.opens else None,
                class_="said",
            ),
            _face(shelf, looks),
            class_="opening",
        ),
        tag("dl", [fact(name, value) for name, value in facts], class_="facts"),
        _instructions(examples, may_try=reader.opens),
        _checks(shelf, count, examples),
        _proof(reader, shelf, count, proof.instances if proof is not None else ()),
    ]


def _face(shelf: Shelf, looks: Looks) -> Html | None:
    """Render the app's screenshot, if there is one."""
    look = face_of(shelf.app)
    if look not in looks.ready:
        return None
    picture = tag("img", src=look_path(shelf, *look), alt=f"Screenshot of {shelf.app.title}")
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
        return empty("No instructions to show", "No configuration of this scenario is proven yet.")
    items = [
        tag(
            "li", tag("blockquote", tag("bdi", instruction, dir="auto")),
            tag("div", tag("code", f"{configuration.instance}@{configuration.profile}", class_="muted"),
                tag("a", "Try", href=f"/live/new?world={quote(configuration.id, safe='')}",
                    aria_label=f"Try {configuration.id}") if may_try else None,
                class_="row small"),
        )
        for configuration, instruction in examples.items()
    ]  # fmt: skip
    intro = "The instruction as agents read it, for some configurations."
    return tag(
        "section", tag("h2", "Instructions"), tag("p", intro, class_="muted"), tag("ul", items, class_="asked"),
        class_="card",
    )  # fmt: skip


def _checks(shelf: Shelf, count: ScenarioCount, examples: Mapping[Configuration, str]) -> Html | None:
    names = _check_names(shelf, next(iter(examples))) if examples else ()
    if not names:
        return None
    items = [tag("li", tag("bdi", name), " ", pill("guard", "odd") if guard else None) for name, guard in names]
    intro = "Checks run on the recorded state after an episode. If a guard fails, the reward is 0."
    return tag("section", tag("h2", "Checks"), tag("p", intro, class_="muted"), tag("ol", items), class_="card")


def _proof(reader: Reader, shelf: Shelf, count: ScenarioCount, rows: tuple[ProvenInstance, ...]) -> Html:
    heading = tag("h2", "Proof")
    if shelf.fault:
        return tag("section", heading, proof_fault(reader, shelf), class_="card")
    if not rows:
        command = tag("code", f"fairground prove {shelf.suite.name}/{shelf.app.name}/{count.scenario.name}")
        how = (" To prove it, run ", command) if reader.commands else None
        return tag("section", heading, tag("p", "No proof yet.", how), class_="card")
    screen = f"{count.screen.solved:,} of {count.screen.tried:,}" if count.screen.tried else "not tried"
    facts = [
        ("Proven", f"{count.proven:,}"),
        ("Infeasible", f"{count.infeasible:,}"),
        ("Faulty", f"{count.faulty:,}"),
        ("Mutants rejected", f"{count.mutants.rejected:,} of {count.mutants.counted:,}"),
        ("Solved on screens", screen),
    ]
    intro = (
        "A pair is an instance with a profile. A proven pair is coherent, feasible, not already done, and solved by "
        "its oracle. In an infeasible pair the task makes no sense with the data; it is not served, and it is not a "
        "fault."
    )
    return tag(
        "section", heading, tag("p", intro, class_="muted"),
        tag("dl", [fact(name, value) for name, value in facts], class_="facts"),
        _reasons("Failures", rows, "faulty"), _grid(shelf, rows),
        _reasons("Why pairs are infeasible", rows, "infeasible"), class_="card",
    )  # fmt: skip


def _grid(shelf: Shelf, rows: tuple[ProvenInstance, ...]) -> Html:
    profiles = list(shelf.app.profiles)
    lines = [[tag("code", row.instance), *(_mark(row, name) for name in profiles)] for row in rows[:_ROWS]]
    more = tag("p", f"{len(rows) - _ROWS:,} more instances.", class_="muted") if len(rows) > _ROWS else None
    title = tag("summary", "All pairs", tag("span", f" {len(rows):,} x {len(profiles):,}", class_="muted"))
    shown = table(("Instance", *profiles), lines, label="Proof per instance and profile", class_="pairs")
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
    """Render each reason once with an example, most frequent first."""
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
    """Return instructions of some served configurations, as different as possible, without duplicates."""
    suite, app = shelf.suite, shelf.app
    scenario = suite.scenario(app.name, name)
    pairs = [] if shelf.fault else suite.pairs(scenario)
    examples: dict[Configuration, str] = {}
    for instance, profile in _spread(pairs)[: 2 * _EXAMPLES]:
        configuration = Configuration(
            suite=suite.name, app=app.name, scenario=name, instance=instance, profile=profile,
            theme=next(iter(app.themes)), ui_state=next(iter(app.ui_states)),
        )  # fmt: skip
        try:
            instruction = World.of(suite, configuration).instruction
        except FairgroundError:  # its proof is outdated: `fairground prove --check` reports it
            continue
        if instruction not in examples.values():
            examples[configuration] = instruction
        if len(examples) == _EXAMPLES:
            break
    return examples


def _spread(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Order by instance, each once before any repeats, with few profiles: building a profile's data is slow."""
    again: Counter[str] = Counter()
    turns = []
    for pair in pairs:
        turns.append((again[pair[0]], pair))
        again[pair[0]] += 1
    return [pair for _, pair in sorted(turns, key=lambda pair: pair[0])]


@lru_cache(maxsize=256)
def _check_names(shelf: Shelf, configuration: Configuration) -> tuple[tuple[str, bool], ...]:
    """Return the names of the checks and whether each is a guard, from a rehearsal; empty if the app has none."""
    world = World.of(shelf.suite, configuration)
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
