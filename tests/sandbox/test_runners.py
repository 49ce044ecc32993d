"""Which runner is taken: isolation where the machine allows it, a plain warning where it does not."""

import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from fairground.core import SandboxError, UnknownName
from fairground.sandbox import (
    NotIsolated,
    Sandbox,
    SandboxSpec,
    Support,
    default_runner,
    namespace_support,
    open_sandbox,
    runners,
)
from fairground.sandbox import runners as runners_function
from fairground.sandbox.hidden import hidden_paths

pytestmark = pytest.mark.process

Attack = Callable[..., list[str]]
module = sys.modules[runners_function.__module__]

# A real machine that forbids namespaces: one in which no more of them may be made.
FORBIDDING = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" -c "$1"'
LOOK = """
import json, warnings
from fairground.sandbox import namespace_support, open_sandbox
support = namespace_support()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    boxes = [open_sandbox() for _ in range(3)]
found = {
    "support": [support.ok, support.reason, support.fix],
    "runner": [box.runner for box in boxes],
    "isolated": [box.isolated for box in boxes],
    "notes": boxes[0].notes,
    "warnings": [[type(w.message).__name__, str(w.message)] for w in caught],
    "ran": boxes[0].run(["echo", "on"]).stdout.decode(),
}
for box in boxes:
    box.discard()
print(json.dumps(found))
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare, of util-linux")
@pytest.mark.skipif(not namespace_support().ok, reason="namespaces are needed to make a machine that forbids them")
def test_a_machine_that_forbids_namespaces_gets_bare_sandboxes_after_one_warning() -> None:
    found = _run(["unshare", "-Ur", "sh", "-c", FORBIDDING, sys.executable, LOOK])
    ok, reason, fix = found["support"]
    assert not ok and "unshare" in reason and "max_user_namespaces" in fix
    assert found["runner"] == ["bare"] * 3 and not any(found["isolated"])
    assert found["ran"] == "on\n"
    assert any("not isolated" in note for note in found["notes"])
    assert len(found["warnings"]) == 1
    kind, text = found["warnings"][0]
    assert kind == "NotIsolated" and "doctor" in text and "\n" not in text


EXHAUSTED = """
import json, os, resource
from fairground.core import SandboxError
from fairground.sandbox import open_sandbox
limits = resource.getrlimit(resource.RLIMIT_NOFILE)
free = os.open("/", os.O_RDONLY)
os.close(free)
resource.setrlimit(resource.RLIMIT_NOFILE, (free + 4, limits[1]))
try:
    open_sandbox().discard()
    found = {"runner": "one that was opened all the same"}
except SandboxError as error:
    found = {"message": error.message, "fix": error.fix}
resource.setrlimit(resource.RLIMIT_NOFILE, limits)
box = open_sandbox()
box.discard()
print(json.dumps({**found, "afterwards": box.runner}))
"""


@pytest.mark.skipif(not namespace_support().ok, reason="namespaces are needed")
def test_a_machine_that_is_exhausted_for_a_moment_does_not_run_programs_without_isolation() -> None:
    found = _run([sys.executable, "-c", EXHAUSTED])
    assert "Too many open files" in found["message"] and "FAIRGROUND_RUNNER=bare" in found["fix"]
    assert found["afterwards"] == "namespace"


def test_the_chosen_runner_is_taken_without_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRGROUND_RUNNER", "bare")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        box = open_sandbox()
        assert box.runner == "bare" == default_runner()
        box.discard()


def test_a_warning_is_said_once_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRGROUND_RUNNER", raising=False)
    monkeypatch.setattr(module, "namespace_support", lambda: Support(False, "it said no\nand why", "do this"))
    monkeypatch.setattr(module, "_warned", False)
    with pytest.warns(NotIsolated, match="it said no") as said:
        assert default_runner() == "bare"
        assert default_runner() == "bare"
    assert len(said) == 1


def test_an_unknown_runner_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="namespace"):
        open_sandbox(runner="namespaces")


def test_a_runner_of_another_package_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", "fairground.sandbox.runners:_bare", "fairground.runners")
    monkeypatch.setattr(module, "entry_points", lambda group: [point] if group == "fairground.runners" else [])
    assert "mine" in runners()
    box = open_sandbox(runner="mine")
    assert isinstance(box, Sandbox)
    box.discard()


def test_a_bare_sandbox_refuses_layers() -> None:
    with pytest.raises(SandboxError, match="layers") as refused:
        open_sandbox(SandboxSpec(layers=(Path("/tmp"),)), runner="bare")
    assert refused.value.fix


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("mount overlay overlay at etc: Invalid argument", "5.12"), ("something else", "root")],
)
def test_advice_follows_what_the_machine_said(reason: str, expected: str) -> None:
    advice = module._advice(reason)  # type: ignore[attr-defined]
    assert expected in advice or "sysctl" in advice or "container" in advice


# --- what is hidden --------------------------------------------------------------------------------------------------


def install_suite(site: Path) -> None:
    """Puts a package into a folder as an installer does: a module, a package with data, and its record."""
    info = site / "oracles-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "oracles").mkdir()
    (site / "oracles" / "__init__.py").write_text("answer = 42")
    (site / "oracles" / "expected.json").write_text('{"answer": 42}')
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: oracles\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fairground.suites]\noracles = oracles:suite\n")
    files = ("oracles/__init__.py", "oracles/expected.json", f"{info.name}/METADATA", f"{info.name}/RECORD")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))


def test_an_installed_suite_is_among_what_is_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install_suite(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    hidden = hidden_paths.__wrapped__()
    assert tmp_path / "oracles" in hidden
    assert any(path.name == "fairground" for path in hidden)
    if sys.prefix != sys.base_prefix:
        assert Path(sys.prefix).resolve() in hidden


def test_the_project_around_an_editable_suite_is_hidden(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    project = tmp_path / "project"
    install_suite(tmp_path / "site")
    (project / "src").mkdir(parents=True)
    (tmp_path / "site" / "oracles").rename(project / "src" / "oracles")
    (project / "pyproject.toml").write_text("")
    info = tmp_path / "site" / "oracles-1.0.dist-info"
    (info / "direct_url.json").write_text(json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}}))
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.syspath_prepend(project / "src")
    hidden = hidden_paths.__wrapped__()
    assert {project, project / "src" / "oracles"} <= set(hidden)


def test_a_suite_installed_below_usr_is_not_seen_inside(software: Path) -> None:
    install_suite(software)
    look = """
import json, sys
from fairground.sandbox import open_sandbox
with open_sandbox(runner="namespace") as box:
    done = box.run(["sh", "-c", "ls -A $0/oracles; cat $0/oracles/*; ls $0", sys.argv[1]], check=False)
print(json.dumps(done.stdout.decode()))
"""
    seen = _run([sys.executable, "-c", look, str(software)], path=software)
    assert seen.split() == ["oracles", "oracles-1.0.dist-info"], "only the empty name is left"


def _run(command: list[str], path: Path | None = None) -> Any:
    places = [*([str(path)] if path else []), *sys.path]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    env.pop("FAIRGROUND_RUNNER", None)
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
