"""`fairground doctor`: checks the machine, and states a fix for everything that is missing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

import typer
from rich.markup import escape
from rich.table import Table

from fairground.cli.output import Json, console, print_json
from fairground.core import FairgroundError
from fairground.report.plural import counted
from fairground.sandbox import LayerStore, SandboxSpec, cache_folder, namespace_support, open_sandbox
from fairground.worlds import package_versions, suites

# program: (Debian package, purpose, whether every world needs it)
_PROGRAMS = {
    "Xvfb": ("xvfb", "screens of desktop apps", True),
    "openbox": ("openbox", "windows on the desktop", True),
    "dbus-daemon": ("dbus", "accessibility trees", True),
    "ffmpeg": ("ffmpeg", "videos of episodes", False),
    "chromium": ("chromium", "apps that run in a page", False),
    "slirp4netns": ("slirp4netns", "worlds with network = outbound", False),
}
_GIGABYTE = 1 << 30
_MARKS = {"ok": "[green]ok[/]", "warning": "[yellow]warning[/]", "missing": "[red]missing[/]"}


@dataclass(frozen=True)
class Finding:
    """The result of one examination."""

    what: str
    status: Literal["ok", "warning", "missing"]
    detail: str
    fix: str = ""


def doctor(json: Json = False) -> None:
    """Check this machine and print fixes for what is missing.

    \b
    Example:
      fairground doctor

    The exit status is 1 when something that every world needs is missing. Warnings concern only some worlds.
    """  # noqa: D301 (\b keeps line breaks)
    findings = list(examine())
    if json:
        print_json([asdict(finding) for finding in findings])
    else:
        table = Table(box=None, pad_edge=False, show_header=False)
        for finding in findings:
            table.add_row(_MARKS[finding.status], f"[bold]{escape(finding.what)}[/]", escape(finding.detail))
            if finding.fix:
                table.add_row("", "", f"[bold]fix:[/] {escape(finding.fix)}")
        console.print(table)
    if any(finding.status == "missing" for finding in findings):
        raise typer.Exit(1)


def examine() -> Iterator[Finding]:
    """Yields the findings of `doctor` one by one."""
    yield Finding("python", "ok", f"{platform.python_version()} at {sys.executable}")
    yield Finding("kernel", "ok", f"{platform.system()} {platform.release()} {platform.machine()}")
    yield from _isolation()
    for program, (package, purpose, needed) in _PROGRAMS.items():
        path = shutil.which(program)
        if path:
            yield Finding(program, "ok", path)
        else:
            status: Literal["warning", "missing"] = "missing" if needed else "warning"
            yield Finding(program, status, f"not installed; needed for {purpose}", f"apt-get install {package}")
    yield from _suites()
    yield from _space()


def _isolation() -> Iterator[Finding]:
    support = namespace_support()
    if not support.ok:
        detail = f"namespaces are not allowed ({support.reason.splitlines()[0]}); programs run without isolation"
        yield Finding("isolation", "warning", detail, support.fix)
        return
    with_root = "as root" if os.geteuid() == 0 else "without root"
    yield Finding("isolation", "ok", f"namespace sandboxes work, {with_root}")
    sandbox = open_sandbox(SandboxSpec(), runner="namespace")
    try:
        if sandbox.notes:
            for note in sandbox.notes:
                yield Finding("limits", "warning", note, "run as root, or under `systemd-run --user --scope`")
        else:
            yield Finding("limits", "ok", "memory, processes and CPU are limited by cgroups")
    finally:
        sandbox.discard()


def _suites() -> Iterator[Finding]:
    for suite in suites().values():
        for app in suite.apps:
            what = f"{suite.name}/{app.name}"
            try:
                versions = package_versions(app.packages)
            except FairgroundError as error:
                yield Finding(what, "warning", error.message, error.fix or "")
            else:
                detail = ", ".join(f"{name} {version}" for name, version in versions.items())
                yield Finding(what, "ok", detail or "needs no packages")
    if not suites():
        yield Finding("suites", "missing", "no suite is installed", "pip install -e suites/desk -e suites/pocket")


def _space() -> Iterator[Finding]:
    folder = cache_folder()
    try:
        store = LayerStore()
    except FairgroundError as error:
        yield Finding("checkpoints", "missing", error.message, error.fix or "")
        return
    free = shutil.disk_usage(store.folder).free
    status: Literal["ok", "warning"] = "ok" if free > 2 * _GIGABYTE else "warning"
    fix = "" if status == "ok" else "fairground prune, or set FAIRGROUND_HOME to a larger disk"
    yield Finding("checkpoints", status, f"in {folder}, {free / _GIGABYTE:.1f} GB free", fix)
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield Finding("memory", "ok", f"{memory / _GIGABYTE:.1f} GB free, {counted(os.cpu_count() or 1, 'processor')}")
