"""Checks of an app's inspector: endpoints must be documented, tested both ways, and listed in the README.

A test declares its endpoints with a marker: `@pytest.mark.endpoint("cell", "positive")`. It counts for the app named in
the module's path (`tests/calc/test_cells.py`, `test_calc.py`); elsewhere write `"calc/cell"`. Several endpoint names
may precede the kind. Tests are parsed, not run.
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
_NONE: Final = "write an inspector and set App.inspector: docs/inspectors.md"


def check_endpoints(app: App, tests: Path | None = None) -> list[Item]:
    """Return the items about an app's inspector.

    Args:
        app: The app.
        tests: Folder of its tests. Default: the `tests` folder of the app's repository.
    """
    asks = {
        "endpoints": "an inspector with all endpoints and arguments documented",
        "endpoint tests": "a positive and a negative test of every endpoint",
        "reference": "the reference in the README matches the code",
    }
    if isinstance(app, FolderApp):
        reason = "a folder app has no inspector"
        return [Item(name=name, asks=text, status="not applicable", evidence=reason) for name, text in asks.items()]
    if app.inspector is None:
        first, *rest = asks.items()
        missing = Item(name=first[0], asks=first[1], status="failed", evidence="the app has no inspector", fix=_NONE)
        return [missing, *(Item(name=name, asks=text, status="not applicable") for name, text in rest)]
    return [
        _explained(app.inspector, asks["endpoints"]),
        _tested(app, app.inspector, tests or tests_of(app), asks["endpoint tests"]),
        _referred(app, app.inspector, asks["reference"]),
    ]


def readme_of(app: App) -> Path:
    """Return the path of an app's README, next to its module."""
    return Path(inspect.getfile(type(app))).parent / "README.md"


def tests_of(app: App) -> Path | None:
    """Return the `tests` folder of an app's repository. None if it is installed without tests."""
    for folder in Path(inspect.getfile(type(app))).resolve().parents:
        if (folder / "pyproject.toml").is_file():
            return folder / "tests" if (folder / "tests").is_dir() else None
    return None


def write_reference(app: App) -> Path:
    """Write the endpoint reference into the app's README, between its markers. Adds the markers if there are none.

    Raises:
        InvalidInput: If the app has no inspector, or the README has only one of the markers.
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
            raise InvalidInput(f"{path} has only one of {BEGIN} and {END}", fix="write both, in this order")
        text = head + block + tail
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fix = "run this where the app's sources are, not where it is installed"
        raise InvalidInput(f"{path} cannot be written: {error.strerror}", fix=fix) from None
    return path


def _explained(inspector: Inspector, asks: str) -> Item:
    faults = [fault for endpoint in inspector.endpoints for fault in _unexplained(endpoint)]
    if not inspector.endpoints:
        faults.append("the inspector has no endpoints")
    surfaces = sorted({endpoint.surface for endpoint in inspector.endpoints})
    evidence = f"{counted(len(inspector.endpoints), 'endpoint')}, about {listed(surfaces)}"
    fix = "describe the endpoint in the docstring's first line, and each argument under Args:"
    return decided("endpoints", asks, faults, evidence, fix)


def _unexplained(endpoint: Endpoint) -> Iterator[str]:
    if not endpoint.summary:
        yield f"{endpoint.name} has no summary"
    for argument in endpoint.arguments:
        if not argument.help:
            yield f"{endpoint.name}: {argument.name} is not documented"


def _tested(app: App, inspector: Inspector, tests: Path | None, asks: str) -> Item:
    name = "endpoint tests"
    if tests is None:
        reason = "the app is installed without its tests"
        return Item(name=name, asks=asks, status="not applicable", evidence=reason)
    marked = set(_marked(app.name, tests))
    lacking = [
        f"{endpoint.name} ({' and '.join(kind for kind in KINDS if (endpoint.name, kind) not in marked)})"
        for endpoint in inspector.endpoints
        if any((endpoint.name, kind) not in marked for kind in KINDS)
    ]
    known = {each.name for each in inspector.endpoints}
    gone = sorted({f"{endpoint} is marked but does not exist" for endpoint, _ in marked if endpoint not in known})
    faults = [f"no test of {name}" for name in lacking] + gone
    evidence = f"{counted(len(inspector.endpoints), 'endpoint')}, each in both ways, in {tests}"
    fix = f'mark the tests in {tests}: @pytest.mark.endpoint("{app.name}/NAME", "positive"), and "negative"'
    return decided(name, asks, faults, evidence, fix)


def _marked(app: str, tests: Path) -> Iterator[tuple[str, str]]:
    """Yield endpoint and kind of every marker for this app."""
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
    """Yield the arguments of each `mark.endpoint(...)`, on a function, a module or a parameter."""
    try:
        source = path.read_bytes()
        tree = ast.parse(source) if len(source) <= _MAX_BYTES and b"mark.endpoint" in source else ast.Module([], [])
    except (OSError, SyntaxError, ValueError):
        return  # pytest reports this better
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.endpoint"):
            words = [word.value for word in node.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
            if len(words) == len(node.args) >= 2:
                yield words


def _referred(app: App, inspector: Inspector, asks: str) -> Item:
    path = readme_of(app)
    fix = "run `fairground check-app APP --write-reference`"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    _, begin, rest = text.partition(BEGIN)
    written, end, _ = rest.partition(END)
    if not path.is_file():
        faults = [f"{path} does not exist"]
    elif not (begin and end):
        faults = [f"{path.name} has no {BEGIN} ... {END}"]
    elif written.strip() != inspector.reference().strip():
        faults = [f"the reference in {path.name} differs from the code"]
    else:
        faults = []
    return decided("reference", asks, faults, f"{path.name} is up to date", fix)
