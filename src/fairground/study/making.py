"""Make a split: by similarity of scenarios, or by holding out apps, profiles, themes or ui_states."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, Literal

from fairground.core import InvalidInput, unknown
from fairground.study.grouping import Side, components, pack
from fairground.study.overrides import Overrides
from fairground.study.similarity import EDGE, Similarity, similar_pairs
from fairground.study.split import (
    Axis,
    HeldOut,
    Split,
    SplitPair,
    SplitScenario,
    crossed_words,
    crossing,
    scenario_fingerprint,
)
from fairground.study.traits import Traits, read_traits, scenario_name
from fairground.worlds import App, Scenario, Suite, derived_seed, suite_of

GROUP = "fairground.similarities"
"""Entry point group of packages that publish a similarity: name -> a `Similarity`."""

_NEAR: Final = 1.0  # how far below the edge a pair still deserves a look


def make_split(
    *worlds: str,
    test: float = 0.2,
    seed: int = 0,
    edge: float = EDGE,
    hold_out: Axis | None = None,
    names: Sequence[str] = (),
    overrides: Overrides | None = None,
    similarity: str = "",
    traits: Sequence[Traits] | None = None,
) -> Split:
    """Divide scenarios into train and test, so that no two similar ones are on different sides.

    Args:
        worlds: Suites, apps or scenarios.
        test: Share of the test side.
        seed: The same seed gives the same split.
        edge: Scenarios with this similarity (1 to 8) or more stay on one side.
        hold_out: Divide by this axis instead: whole apps, or the profiles, themes or ui_states of every app.
        names: The values to hold out; default: chosen by the seed.
        overrides: What a person decided about pairs and sides.
        similarity: `MODULE:FUNCTION` or the name of an entry point, used within apps instead of the built-in measure.
        traits: Traits of the scenarios, if they were already computed.

    Raises:
        InvalidInput: A name does not exist, a side would be empty, or a similar pair cannot stay on one side.
    """
    chosen = _scenarios(worlds)
    decided = overrides or Overrides()
    decided.check(chosen)
    if names and hold_out is None:
        raise InvalidInput("names to hold out need an axis", fix="say which: app, profile, theme or ui_state")
    held = None
    pairs: list[SplitPair] = []
    if hold_out in (None, "app"):
        pairs = _pairs(chosen, traits, edge, similarity, decided)
        groups = components(chosen, [(pair.first, pair.second) for pair in pairs])
        if hold_out == "app":
            groups, decided = _by_app(chosen, names, decided)
            held = HeldOut(axis="app", values={})
        packed = pack(groups, test=test, seed=seed, forced=decided.sides)
        sides: dict[str, Side | Literal["unused"] | None] = {**packed}
        if hold_out == "app":
            unused = [name for pair in crossing(pairs, sides, edge) for name in (pair.first, pair.second)]
            sides |= {name: "unused" for name in unused if packed[name] == "train"}
    else:
        groups, sides = [tuple(chosen)], dict.fromkeys(chosen)
        held = _held_values(hold_out, chosen, names, test, seed)
    if crossed := crossing(pairs, sides, edge):  # computed again from the result, whatever `pack` promises
        raise InvalidInput(crossed_words(crossed))
    component = {name: number for number, group in enumerate(groups) for name in group}
    return Split(
        suites=dict(sorted({suite.name: suite.version for suite, _ in chosen.values()}.items())),
        test=test,
        seed=seed,
        edge=edge,
        similarity=similarity,
        hold_out=held,
        scenarios=tuple(
            SplitScenario(
                name=name,
                fingerprint=scenario_fingerprint(scenario),
                side=sides[name],
                component=component[name],
            )
            for name, (_, scenario) in sorted(chosen.items())
        ),
        pairs=tuple(pairs),
        overrides=overrides or Overrides(),
    )


def check_split(split: Split) -> list[str]:
    """Compare a split with the installed suites, and compute the similarity again. Returns what is wrong.

    Scenarios that the split does not name are not wrong: nobody trains or tests on them through it.
    """
    faults = []
    known: dict[str, tuple[Suite, Scenario]] = {}
    for suite_name in split.suites:
        known |= _scenarios([suite_name])
    for row in split.scenarios:
        if row.name not in known:
            faults.append(f"{row.name} no longer exists")
        elif row.fingerprint != scenario_fingerprint(known[row.name][1]):
            faults.append(f"{row.name} has changed since the split was made")
    present = {row.name: known[row.name] for row in split.scenarios if row.name in known}
    sides = {row.name: row.side for row in split.scenarios}
    pairs = _pairs(present, None, split.edge, split.similarity, split.overrides)
    faults += [crossed_words([pair]) for pair in crossing(pairs, sides, split.edge)]
    return faults


def near_pairs(split: Split, traits: Sequence[Traits]) -> list[SplitPair]:
    """Return the pairs on different sides that almost count as similar, highest score first, for a person to judge."""
    chosen = _scenarios(row.name for row in split.scenarios)
    sides = {row.name: row.side for row in split.scenarios}
    least = split.edge - _NEAR
    return crossing(_pairs(chosen, traits, least, split.similarity, split.overrides), sides, least)


def suite_traits(worlds: Sequence[str]) -> list[Traits]:
    """Return the traits of the scenarios that worlds name."""
    chosen = _scenarios(worlds)
    wanted = {suite.name: suite for suite, _ in chosen.values()}
    return [each for suite in wanted.values() for each in read_traits(_part(suite, chosen))]


def _part(suite: Suite, chosen: Mapping[str, tuple[Suite, Scenario]]) -> Suite:
    """Return a suite with the chosen scenarios only."""
    scenarios = tuple(each for each in suite.scenarios if scenario_name(suite, each) in chosen)
    return Suite(suite.name, suite.title, suite.version, suite.apps, scenarios, suite.origin, suite.proofs)


def _scenarios(worlds: Iterable[str]) -> dict[str, tuple[Suite, Scenario]]:
    """Return the scenarios that worlds name, by `suite/app/scenario`."""
    chosen: dict[str, tuple[Suite, Scenario]] = {}
    for text in worlds:
        suite, rest = suite_of(text)
        parts = [part for part in rest.split("/") if part]
        if len(parts) > 2 or "@" in rest:
            raise InvalidInput(f"{text!r} names more than a scenario", fix="expected SUITE, SUITE/APP or a scenario")
        if len(parts) == 2:
            suite.scenario(*parts)
        elif parts:
            suite.app(parts[0])
        for scenario in suite.scenarios:
            if parts in ([], [scenario.app], [scenario.app, scenario.name]):
                chosen[scenario_name(suite, scenario)] = (suite, scenario)
    if not chosen:
        raise InvalidInput("a split needs at least one suite, app or scenario")
    return chosen


def _pairs(
    chosen: Mapping[str, tuple[Suite, Scenario]],
    traits: Sequence[Traits] | None,
    edge: float,
    similarity: str,
    overrides: Overrides,
) -> list[SplitPair]:
    """Return the similar pairs within each suite, after overrides, highest score first."""
    own = _load(similarity) if similarity else None
    suites = {suite.name: suite for suite, _ in chosen.values()}
    scored = []
    for name, suite in suites.items():
        of_suite = read_traits(_part(suite, chosen)) if traits is None else traits
        members = [each for each in of_suite if each.name in chosen and each.name.startswith(f"{name}/")]
        scored += similar_pairs(members, edge, own)
    similar = [pair for pair in overrides.apply(scored) if pair.score >= edge]
    similar.sort(key=lambda pair: (-pair.score, pair.first, pair.second))
    return [SplitPair(first=each.first, second=each.second, score=each.score, parts=each.parts) for each in similar]


def _by_app(
    chosen: Mapping[str, tuple[Suite, Scenario]], names: Sequence[str], overrides: Overrides
) -> tuple[list[tuple[str, ...]], Overrides]:
    """Return groups of whole apps, and the sides that the names of held-out apps force."""
    apps: dict[str, list[str]] = {}
    for name in sorted(chosen):
        apps.setdefault(name.rpartition("/")[0], []).append(name)
    short = {app.partition("/")[2]: app for app in apps} | {app: app for app in apps}
    for name in names:
        if name not in short:
            raise unknown("app", name, apps)
    held = {short[name] for name in names}
    groups = components(chosen, [(members[0], member) for members in apps.values() for member in members])
    if not held:
        return groups, overrides
    forced: dict[str, Side] = {
        name: "test" if app in held else "train" for app, members in apps.items() for name in members
    }
    return groups, overrides.model_copy(update={"sides": forced | overrides.sides})


def _held_values(
    axis: Axis, chosen: Mapping[str, tuple[Suite, Scenario]], names: Sequence[str], test: float, seed: int
) -> HeldOut:
    apps: dict[str, App] = {}
    for suite, scenario in chosen.values():
        apps[f"{suite.name}/{scenario.app}"] = suite.app(scenario.app)
    values = {name: tuple(getattr(app, f"{axis}s")) for name, app in apps.items()}
    known = dict.fromkeys(value for of_app in values.values() for value in of_app)
    for name in names:
        if name not in known:
            raise unknown(axis, name, known)
    held: dict[str, tuple[str, ...]] = {}
    for name, of_app in sorted(values.items()):
        if names:
            picked = tuple(value for value in of_app if value in names)
            if len(picked) == len(of_app):
                raise InvalidInput(
                    f"all values of {axis} of {name} would be held out: {', '.join(of_app)}", fix="hold out fewer"
                )
        else:  # ordered by each name's own digest, so that apps with equal values hold out the same ones
            many = min(max(1, round(test * len(of_app))), len(of_app) - 1)
            drawn = set(sorted(of_app, key=lambda value: (derived_seed(seed, f"{axis} {value}", 0), value))[:many])
            picked = tuple(value for value in of_app if value in drawn)
        if picked:
            held[name] = picked
    if not held:
        raise InvalidInput(f"no app here has more than one {axis}", fix="hold out another axis")
    return HeldOut(axis=axis, values=held)


def _load(text: str) -> Similarity:
    """Return a similarity by `MODULE:FUNCTION`, or by the name of an entry point."""
    published = {entry.name: entry for entry in entry_points(group=GROUP)}
    if text in published:
        return _callable(published[text].load(), text)
    module, _, name = text.partition(":")
    if not module or not name:
        raise unknown("similarity", text, [*published, "MODULE:FUNCTION"])
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        return _callable(getattr(importlib.import_module(module), name), text)
    except (ImportError, AttributeError) as error:
        raise InvalidInput(f"cannot load the similarity {text!r}: {error}", fix="write MODULE:FUNCTION") from None


def _callable(function: object, text: str) -> Similarity:
    if not callable(function):
        raise InvalidInput(f"the similarity {text!r} is not a function", fix="write def similarity(first, second)")
    made: Callable[[Traits, Traits], float] = function
    return made
