"""Finding suites, worlds and configurations by the names people type."""

from __future__ import annotations

import contextlib
import warnings
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from fairground.core import Configuration, InvalidConfiguration, InvalidInput, unknown
from fairground.worlds.app import App, Scenario, Suite, World
from fairground.worlds.folder import read_folder


class BrokenSuite(UserWarning):
    """Said for an installed suite that cannot be used; the others still can."""


@cache
def suites() -> dict[str, Suite]:
    """Every installed suite by name (entry point group `fairground.suites`); of a broken one, a warning tells."""
    found: dict[str, Suite] = {}
    for point in sorted(entry_points(group="fairground.suites"), key=lambda point: point.name):
        try:
            suite = point.load()
            if not isinstance(suite, Suite):
                raise InvalidInput(f"it is a {type(suite).__name__}; expected a fairground Suite")
            if suite.name in found:
                raise InvalidInput(f"another installed package publishes a suite named {suite.name!r} too")
        except Exception as error:  # somebody else's code, and no reason for ours to stop
            message = f"suite {point.name} ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
            warnings.warn(message, BrokenSuite, stacklevel=2)
            continue
        found[suite.name] = suite
    return found


def installed(name: str) -> Suite | None:
    """The installed suite of that name, if there is one; where its entry point is named like it, no other is loaded."""
    return _published_as(name) or suites().get(name)


@cache
def _published_as(name: str) -> Suite | None:
    points = list(entry_points(group="fairground.suites", name=name))
    if len(points) == 1:
        with contextlib.suppress(Exception):  # `suites` says what is wrong with it
            suite = points[0].load()
            if isinstance(suite, Suite) and suite.name == name:
                return suite
    return None


def resolve(text: str, *, seed: int = 0, unproven: bool = False) -> World:
    """The world that a person means.

    Args:
        text: A configuration id, or its beginning: `suite/app/scenario` takes the first instance and the first
            value of each axis, `suite/app/scenario/instance@profile` leaves only the rest to be filled in. A
            path to a folder with a `world.toml` works in place of `suite/app`, with `/scenario` after it.
        seed: For whatever in the world is random.
        unproven: Take also what is not proven, of a suite that has proofs: for who writes it, or looks for its fault.

    Raises:
        InvalidConfiguration: When the suite has proofs and this configuration is not among what is proven.
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
            fix=f"choose another, or see why: fairground prove {suite.name}/{app.name}/{scenario.name}",
        )
    return world


def find_app(text: str) -> tuple[Suite, App]:
    """The app that a person means.

    Args:
        text: `suite/app`; the app's name alone, where only one installed suite has it; the name of a suite of one app;
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
            raise InvalidInput(f"{len(having)} suites have an app named {text}", fix=f"say which: {fitting}")
        if not (Path(text) / "world.toml").is_file():
            raise unknown("app", text, [*names, *(name.partition("/")[2] for name in names)])
    suite, rest = suite_of(text)
    parts = [part for part in rest.split("/") if part]
    if len(parts) > 1 or "@" in text or not (parts or len(suite.apps) == 1):
        some = ", ".join(f"{suite.name}/{app.name}" for app in suite.apps[:12])
        raise InvalidInput(f"{text!r} does not name an app; expected SUITE/APP", fix=f"such as {some}")
    return suite, suite.app(parts[0]) if parts else suite.apps[0]


def _first_pair(suite: Suite, scenario: Scenario, instance: list[str], profile: list[str]) -> tuple[str, str]:
    """The instance and the profile that are meant: the first that are served and fit what was said."""
    for one, other in suite.pairs(scenario):
        if instance in ([], [one]) and profile in ([], [other]):
            return one, other
    defaults = next(iter(scenario.instances)), next(iter(suite.app(scenario.app).profiles))
    return (instance or defaults[:1])[0], (profile or defaults[1:])[0]


def suite_of(text: str) -> tuple[Suite, str]:
    """The suite that a name begins with, and the rest of the name; a folder with a `world.toml` is one too."""
    head, _, rest = text.partition("/")
    if (suite := installed(head)) is not None:
        return suite, rest
    place, at, axes = text.partition("@")
    path, tail = Path(place), list[str]()
    while not (path / "world.toml").is_file():
        if path == path.parent:
            raise unknown("suite", head, suites())
        tail.insert(0, path.name)
        path = path.parent
    suite = read_folder(path)
    return suite, "/".join([suite.apps[0].name, *tail]) + at + axes
