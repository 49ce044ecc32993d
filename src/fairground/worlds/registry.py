"""Lookup of suites, apps and worlds by the names that users type."""

from __future__ import annotations

import contextlib
import warnings
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from fairground.core import Configuration, InvalidConfiguration, InvalidInput, UnknownName, unknown
from fairground.worlds.app import App, Scenario, Suite, World
from fairground.worlds.folder import read_folder


class BrokenSuite(UserWarning):
    """Issued for an installed suite that cannot be loaded. The others still work."""


@cache
def suites() -> dict[str, Suite]:
    """All installed suites by name (entry point group `fairground.suites`). A broken one causes a warning."""
    by_name: dict[str, Suite] = {}
    for point in sorted(entry_points(group="fairground.suites"), key=lambda point: point.name):
        try:
            suite = point.load()
            if not isinstance(suite, Suite):
                raise InvalidInput(f"expected a fairground Suite, got a {type(suite).__name__}")
            if suite.name in by_name:
                raise InvalidInput(f"another installed package also publishes a suite named {suite.name!r}")
        except Exception as error:  # third-party code, which must not break Fairground
            message = f"suite {point.name} ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
            warnings.warn(message, BrokenSuite, stacklevel=2)
            continue
        by_name[suite.name] = suite
    return by_name


def installed(name: str) -> Suite | None:
    """Return the installed suite with this name, or None. Loads no other suite if an entry point has the same name."""
    return _published_as(name) or suites().get(name)


@cache
def _published_as(name: str) -> Suite | None:
    points = list(entry_points(group="fairground.suites", name=name))
    if len(points) == 1:
        with contextlib.suppress(Exception):  # `suites` reports what is wrong with it
            suite = points[0].load()
            if isinstance(suite, Suite) and suite.name == name:
                return suite
    return None


def resolve(text: str, *, seed: int = 0, unproven: bool = False) -> World:
    """Return the world that the user means.

    Args:
        text: A configuration id or a prefix of one. `suite/app/scenario` takes the first instance and the first value
            of each axis; `suite/app/scenario/instance@profile` leaves only the other axes to be filled in. A path to a
            folder with a `world.toml` can replace `suite/app`, with `/scenario` after it.
        seed: Seed for everything random in the world.
        unproven: Allow unproven configurations of a suite that has proofs, for authors and for debugging.

    Raises:
        InvalidConfiguration: The suite has proofs, and this configuration is not proven.
    """
    suite, rest = suite_of(text)
    task, _, axes = rest.partition("@")
    parts = [part for part in task.split("/") if part]
    if not parts and len(suite.apps) == 1:
        parts = [suite.apps[0].name]
    app = suite.app(parts[0]) if parts else suite.apps[0]
    known = [scenario for scenario in suite.scenarios if scenario.app == app.name]
    if not known:
        raise InvalidInput(f"app {suite.name}/{app.name} has no scenario yet")
    scenario = suite.scenario(app.name, parts[1]) if len(parts) > 1 else known[0]
    chosen = axes.split("/") if axes else []
    if len(parts) > 3 or len(chosen) > 3:
        raise InvalidInput(
            f"{text!r} has too many parts", fix="expected suite/app/scenario/instance@profile/theme/ui_state"
        )
    instance, profile = _first_pair(suite, scenario, parts[2:], chosen[:1])
    defaults = [profile, *(next(iter(values)) for values in (app.themes, app.ui_states))]
    profile, theme, ui_state = [*chosen, *defaults[len(chosen) :]]
    configuration = Configuration.parse(
        {
            "suite": suite.name,
            "app": app.name,
            "scenario": scenario.name,
            "instance": instance,
            "profile": profile,
            "theme": theme,
            "ui_state": ui_state,
        },
        where=text,
    )
    world = World.of(suite, configuration, seed)
    if not unproven and (reason := suite.why_not(configuration)) is not None:
        raise InvalidConfiguration(
            f"{configuration.id} is not served: {reason}",
            fix=f"choose another one, or see the reason with: fairground prove {suite.name}/{app.name}/{scenario.name}",
        )
    return world


def find_app(text: str) -> tuple[Suite, App]:
    """Return the app that the user means.

    Args:
        text: `suite/app`; the app's name alone, if only one installed suite has it; the name of a suite with one app;
            or a path to a folder with a `world.toml`.
    """
    known = suites()
    if "/" not in text and text not in known:
        having = [suite for suite in known.values() if any(app.name == text for app in suite.apps)]
        if len(having) == 1:
            return having[0], having[0].app(text)
        names = [f"{suite.name}/{app.name}" for suite in known.values() for app in suite.apps]
        if having:
            fitting = " or ".join(f"{suite.name}/{text}" for suite in having)
            raise InvalidInput(f"{len(having)} suites have an app named {text}", fix=f"choose one: {fitting}")
        if not (Path(text) / "world.toml").is_file():
            raise unknown("app", text, [*names, *(name.partition("/")[2] for name in names)])
    suite, rest = suite_of(text)
    parts = [part for part in rest.split("/") if part]
    if len(parts) > 1 or "@" in text or not (parts or len(suite.apps) == 1):
        listed = ", ".join(f"{suite.name}/{app.name}" for app in suite.apps[:12])
        raise InvalidInput(f"{text!r} does not name an app; expected SUITE/APP", fix=f"such as {listed}")
    return suite, suite.app(parts[0]) if parts else suite.apps[0]


def _first_pair(suite: Suite, scenario: Scenario, instance: list[str], profile: list[str]) -> tuple[str, str]:
    """The instance and profile that the user means: the first ones that are served and match."""
    for served_instance, served_profile in suite.pairs(scenario):
        if instance in ([], [served_instance]) and profile in ([], [served_profile]):
            return served_instance, served_profile
    defaults = next(iter(scenario.instances)), next(iter(suite.app(scenario.app).profiles))
    return (instance or defaults[:1])[0], (profile or defaults[1:])[0]


def suite_of(text: str) -> tuple[Suite, str]:
    """Split a name into its suite and the rest. A folder with a `world.toml` is a suite too."""
    head, _, rest = text.partition("/")
    if (suite := installed(head)) is not None:
        return suite, rest
    place, at, axes = text.partition("@")
    path, tail = Path(place), list[str]()
    while not (path / "world.toml").is_file():
        if path == path.parent:
            if homes := [name for name, suite in suites().items() if head in {app.name for app in suite.apps}]:
                raise UnknownName(f"{head!r} is an app, not a suite", fix=f"did you mean {homes[0]}/{text}?")
            raise unknown("suite", head, suites())
        tail.insert(0, path.name)
        path = path.parent
    suite = read_folder(path)
    return suite, "/".join([suite.apps[0].name, *tail]) + at + axes
