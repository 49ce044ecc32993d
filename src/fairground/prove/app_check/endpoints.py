"""What is asked of an inspector: endpoints that are documented, tested both ways, and in the README as they are.

A test says by a marker which endpoints it is about: `@pytest.mark.endpoint("cell", "positive")`. It counts in a module
whose path names the app (`tests/calc/test_cells.py`, `test_calc.py`); elsewhere write `"calc/cell"`. Several names may
stand before the kind. Tests are read, not run: running them is what the test suite does.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fairground.core import InvalidInput
from fairground.prove.app_check.item import Item, counted, decided, listed
from fairground.worlds import App, Endpoint, Inspector
from fairground.worlds.folder import FolderApp

BEGIN: Final = "<!-- endpoints -->"
END: Final = "<!-- /endpoints -->"
KINDS: Final = ("positive", "negative")
_MAX_TESTS = 5_000
_MAX_BYTES = 2 << 20
_NONE: Final = "write one and set App.inspector: docs/inspectors.md"


def check_endpoints(app: App, tests: Path | None = None) -> list[Item]:
    """The items about an app's inspector.

    Args:
        app: The app.
        tests: Folder of its tests; the `tests` of the repository that it lies in unless given.
    """
    asks = {
        "endpoints": "an inspector whose endpoints and arguments are all explained",
        "endpoint tests": "a positive and a negative test of every endpoint",
        "reference": "the README's reference is that of the code",
    }
    if isinstance(app, FolderApp):
        told = "a folder has no inspector"
        return [Item(name=name, asks=text, status="not applicable", evidence=told) for name, text in asks.items()]
    if app.inspector is None:
        one, *others = asks.items()
        missing = Item(name=one[0], asks=one[1], status="failed", evidence="the app has no inspector", fix=_NONE)
        return [missing, *(Item(name=name, asks=text, status="not applicable") for name, text in others)]
    return [
        _explained(app.inspector, asks["endpoints"]),
        _tested(app, app.inspector, tests or tests_of(app), asks["endpoint tests"]),
        _referred(app, app.inspector, asks["reference"]),
    ]


def readme_of(app: App) -> Path:
    """Where an app's README lies: beside its module."""
    return Path(inspect.getfile(type(app))).parent / "README.md"


def tests_of(app: App) -> Path | None:
    """The folder `tests` of the repository that an app's module lies in; None when it is installed without."""
    for folder in Path(inspect.getfile(type(app))).resolve().parents:
        if (folder / "pyproject.toml").is_file():
            return folder / "tests" if (folder / "tests").is_dir() else None
    return None


def write_reference(app: App) -> Path:
    """Writes the reference into the app's README, between its markers; adds them at its end when it has none.

    Raises:
        InvalidInput: When the app has no inspector, or the README has one marker without the other.
    """
    if app.inspector is None:
        raise InvalidInput(f"{app.name} has no inspector, so there is no reference", fix=_NONE)
    path = readme_of(app)
    text = path.read_text(encoding="utf-8") if path.exists() else f"# {app.title or app.name}\n"
    block = f"{BEGIN}\n\n{app.inspector.reference().strip()}\n\n{END}"
    if BEGIN not in text and END not in text:
        text = f"{text.rstrip()}\n\n{block}\n"
    else:
        head, begin, rest = text.partition(BEGIN)
        _, end, tail = rest.partition(END)
        if not begin or not end:
            raise InvalidInput(
                f"{path} has one of {BEGIN} and {END} without the other", fix="write both, in this order"
            )
        text = head + block + tail
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fix = "write it where the app's sources are, not where it is installed"
        raise InvalidInput(f"{path} cannot be written: {error.strerror}", fix=fix) from None
    return path


def _explained(inspector: Inspector, asks: str) -> Item:
    faults = [fault for one in inspector.endpoints for fault in _unexplained(one)]
    if not inspector.endpoints:
        faults.append("the inspector has no endpoints")
    surfaces = sorted({one.surface for one in inspector.endpoints})
    evidence = f"{counted(len(inspector.endpoints), 'endpoint')}, about {listed(surfaces)}"
    fix = "the docstring's first line says what it answers; its Args: say what each argument is"
    return decided("endpoints", asks, faults, evidence, fix)


def _unexplained(endpoint: Endpoint) -> Iterator[str]:
    if not endpoint.summary:
        yield f"{endpoint.name} has no summary"
    for one in endpoint.arguments:
        if not one.help:
            yield f"{endpoint.name}: {one.name} is not explained"


def _tested(app: App, inspector: Inspector, tests: Path | None, asks: str) -> Item:
    name = "endpoint tests"
    if tests is None:
        told = "the app is installed without its tests"
        return Item(name=name, asks=asks, status="not applicable", evidence=told)
    marked = set(_marked(app.name, tests))
    lacking = [
        f"{one.name} ({' and '.join(kind for kind in KINDS if (one.name, kind) not in marked)})"
        for one in inspector.endpoints
        if any((one.name, kind) not in marked for kind in KINDS)
    ]
    known = {one.name for one in inspector.endpoints}
    gone = sorted({f"{endpoint} does not exist, but is marked" for endpoint, _ in marked if endpoint not in known})
    faults = [f"no test of {one}" for one in lacking] + gone
    evidence = f"{counted(len(inspector.endpoints), 'endpoint')}, each in both ways, in {tests}"
    fix = f'mark the tests in {tests}: @pytest.mark.endpoint("{app.name}/NAME", "positive"), and "negative"'
    return decided(name, asks, faults, evidence, fix)


def _marked(app: str, tests: Path) -> Iterator[tuple[str, str]]:
    """Endpoint and kind of every marker that is about this app."""
    for number, path in enumerate(sorted(tests.rglob("*.py"))):
        if number >= _MAX_TESTS:
            return
        own = app in re.split(r"[^a-z0-9]+", path.relative_to(tests).as_posix().lower())
        for words in _markers(path):
            *endpoints, kind = words
            for endpoint in endpoints:
                of, slash, name = endpoint.rpartition("/")
                if (of == app) if slash else own:
                    yield name, kind


def _markers(path: Path) -> Iterator[list[str]]:
    """The words of each `mark.endpoint(...)`, on a function, a module or a parameter."""
    try:
        source = path.read_bytes()
        tree = ast.parse(source) if len(source) <= _MAX_BYTES and b"mark.endpoint" in source else ast.Module([], [])
    except (OSError, SyntaxError, ValueError):
        return  # pytest says it better
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.endpoint"):
            words = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if len(words) == len(node.args) >= 2:
                yield words


def _referred(app: App, inspector: Inspector, asks: str) -> Item:
    path = readme_of(app)
    fix = "fairground check-app APP --write-reference"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    _, begin, rest = text.partition(BEGIN)
    written, end, _ = rest.partition(END)
    if not path.is_file():
        faults = [f"there is no {path}"]
    elif not (begin and end):
        faults = [f"{path.name} has no {BEGIN} ... {END}"]
    elif written.strip() != inspector.reference().strip():
        faults = [f"{path.name} says something else than the code"]
    else:
        faults = []
    return decided("reference", asks, faults, f"{path.name} is up to date", fix)
