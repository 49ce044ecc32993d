"""Rules of the repository: imports, documentation, names and sizes, and no machine-specific content."""

import ast
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import fairground

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "fairground"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
LONGEST = 600

# Files that may sleep, and the reason. A sleep must not guess how long something takes.
SLEEPS = {
    "src/fairground/screen/desktop.py": "polls whether a program is ready, with a deadline",
    "suites/desk/src/fairground_desk/browser/app.py": "polls whether the browser is ready, with a deadline",
    "suites/desk/src/fairground_desk/impress/author_decks.py": "polls whether LibreOffice listens",
    "src/fairground/serving/listening.py": "polls whether the server has started, with a deadline",
}


def files(ending: str = "") -> list[Path]:
    """List the files of the repository, without files that set-up, tests and users create."""
    made = {"__pycache__", "dist", "episodes", "runs", "node_modules"}
    found = []
    for place, folders, names in os.walk(ROOT):
        folders[:] = [one for one in folders if one not in made and (one == ".ci" or not one.startswith("."))]
        found += [Path(place, one) for one in names if one.endswith(ending)]
    return sorted(path for path in found if path.is_file())


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


PROGRAMS = [path for path in files(".py") if not {"tests"} & set(path.relative_to(ROOT).parts)]
SUITES = [path for path in PROGRAMS if name(path).startswith("suites/")]


def modules() -> Iterator[ModuleType]:
    """Import and yield every public module of the library."""
    for found in pkgutil.walk_packages(fairground.__path__, "fairground."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            yield importlib.import_module(found.name)


# --- rooms -----------------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_imports_go_down_the_rooms_only() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_room_is_in_the_contract() -> None:
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    assert set(ROOMS) <= set(re.findall(r"\w+", " ".join(layers)))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for_and_what_it_exports(room: str) -> None:
    module = importlib.import_module(f"fairground.{room}")
    assert module.__doc__ and len(module.__doc__.split()) >= 8, "describe the purpose of the package in a sentence"
    assert module.__all__, "define the public names in __all__"
    missing = [export for export in module.__all__ if not hasattr(module, export)]
    assert not missing


def test_suites_use_public_surfaces_only() -> None:
    for path, (module, names) in ((place, one) for place in SUITES for one in _imports(place)):
        top, *below = module.split(".")
        if top != "fairground":
            continue
        if below[:2] == ["verify", "reading"] and len(below) == 3:  # readers are public, each by its own module
            found = importlib.import_module(module)
            assert all(hasattr(found, one) and not one.startswith("_") for one in names), f"{name(path)}: {module}"
            continue
        assert len(below) <= 1, f"{name(path)} imports {module}; import from fairground.{below[0]}"
        exported = set(importlib.import_module(module).__all__)
        private = set(names) - exported - (set(ROOMS) if not below else set())
        assert not private, f"{name(path)} imports what {module} does not export: {', '.join(sorted(private))}"


def _imports(path: Path) -> Iterator[tuple[str, list[str]]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, []


# --- documentation ---------------------------------------------------------------------------------------------------


def test_every_public_module_says_what_it_is() -> None:
    assert [module.__name__ for module in modules() if not (module.__doc__ or "").strip()] == []


def test_everything_exported_is_documented() -> None:
    """An overriding method may inherit its docstring."""
    silent = []
    for room in ROOMS:
        module = importlib.import_module(f"fairground.{room}")
        for export in module.__all__:
            thing = getattr(module, export)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)):
                continue
            if not inspect.getdoc(thing):
                silent.append(f"{room}.{export}")
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                spoken = inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)
                if spoken and not member.startswith("_") and not inspect.getdoc(getattr(thing, member)):
                    silent.append(f"{room}.{export}.{member}")
    assert silent == []


def test_the_changelog_has_an_entry_for_this_version() -> None:
    assert f"## [{fairground.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_licence_is_the_one_that_is_declared() -> None:
    assert PROJECT["project"]["license"] == "Apache-2.0"
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License\n                           Version 2.0" in text and "END OF TERMS AND CONDITIONS" in text


def test_every_command_of_the_makefile_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text()
    commands = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    assert {"run", "test", "test-all", "check", "bench", "setup", "clean", "help"} <= commands
    assert commands == set(re.findall(r"^([a-z][a-z-]*):.*## \S", makefile, re.MULTILINE))


# --- names and sizes -------------------------------------------------------------------------------------------------


def test_no_module_is_named_after_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "stuff"}
    assert [name(path) for path in files(".py") if path.stem in vague or path.parent.name in vague] == []


def test_no_module_is_too_long() -> None:
    lengths = {name(path): len(path.read_text().splitlines()) for path in files(".py")}
    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}


def test_nothing_sleeps_for_a_fixed_time() -> None:
    asleep = [name(path) for path in PROGRAMS if name(path).startswith(("src/", "suites/")) and _sleeps(path)]
    assert sorted(asleep) == sorted(SLEEPS), "wait for a condition with a deadline, or give the reason in SLEEPS"


def _sleeps(path: Path) -> bool:
    text = path.read_text()
    for node in ast.walk(ast.parse(text)) if "sleep" in text else ():
        if isinstance(node, ast.Attribute) and node.attr == "sleep":
            return True
        if isinstance(node, ast.ImportFrom) and any(alias.name == "sleep" for alias in node.names):
            return True
    return False


# --- no machine-specific content -------------------------------------------------------------------------------------

# Each pattern is written so that it does not match itself.
FOREIGN = re.compile(
    r"(?:^|[^\w.])/(?:work|farm|root)[/]|[.]pyenv|/home/(?!user\b|agent\b)[a-z]+[/]"  # paths
    r"|pypi[.]org|pythonhosted[.]org|deb[.]debian[.]org|archive[.]ubuntu[.]com|registry[.]npmjs|conda[.]anaconda[.]org"
    r"|--(?:extra-)?index[-]url|--find[-]links|PIP_INDEX[_]URL",
    re.MULTILINE,
)


def test_nothing_in_the_tree_belongs_to_one_machine_or_names_a_registry() -> None:
    found = []
    for path in files():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue  # a picture or another binary file
        found += [f"{name(path)}: {match.group().strip()}" for match in FOREIGN.finditer(text)]
    assert found == []


def test_constraints_are_exact_versions_and_nothing_else() -> None:
    for line in (ROOT / "requirements" / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!_-]+", line), line


def test_every_system_package_has_its_reason() -> None:
    for line in (ROOT / "scripts" / "apt-packages.txt").read_text().splitlines():
        assert not line or line.startswith("#") or re.fullmatch(r"(run|more|test) +[a-z0-9.+-]+ +# \S.*", line), line


def test_ci_runs_what_people_run() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert script.read_text().splitlines()[-1] == "make test"
