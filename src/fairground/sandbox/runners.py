"""Which runner makes a sandbox: namespaces where the machine allows, bare where it does not, or one plugged in."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from fairground.core import FairgroundError, SandboxError, unknown
from fairground.sandbox.hidden import hidden_now
from fairground.sandbox.launch import make_sandbox
from fairground.sandbox.protocol import Sandbox, SandboxSpec

Runner = Callable[[SandboxSpec], Sandbox]
_warn_once = threading.Lock()
_warned = False


class NotIsolated(UserWarning):
    """Said once when the machine forbids namespaces and programs run unconfined."""


@dataclass(frozen=True)
class Support:
    """Whether this machine lets us isolate, and if not, why and what to do."""

    ok: bool
    reason: str = ""
    fix: str = ""


def open_sandbox(spec: SandboxSpec | None = None, *, runner: str | None = None) -> Sandbox:
    """Makes a sandbox.

    Args:
        spec: How; the default has no layers, no network and the default limits.
        runner: A name from `runners()`. None takes what `default_runner()` says.
    """
    spec = spec or SandboxSpec()
    name = runner or default_runner()
    known = runners()
    if name not in known:
        raise unknown("runner", name, known)
    return known[name](spec)


def runners() -> dict[str, Runner]:
    """Every runner by name: ours, and those of installed packages (entry point group `fairground.runners`)."""
    found: dict[str, Runner] = {"namespace": _namespace, "bare": _bare}
    for point in entry_points(group="fairground.runners"):
        found[point.name] = point.load()
    return found


def default_runner() -> str:
    """`FAIRGROUND_RUNNER` if set, else `namespace` where this machine allows it, else `bare` after one warning."""
    global _warned
    if chosen := os.environ.get("FAIRGROUND_RUNNER"):
        return chosen
    support = namespace_support()
    if support.ok:
        return "namespace"
    with _warn_once:
        if not _warned:
            _warned = True
            warnings.warn(
                f"this machine does not allow namespaces ({support.reason.splitlines()[0]}); programs run without "
                "isolation. `fairground doctor` says how to allow them.",
                NotIsolated,
                stacklevel=3,
            )
    return "bare"


@cache
def namespace_support() -> Support:
    """Finds out by making a sandbox, because no setting tells the whole truth."""
    try:
        _namespace(SandboxSpec()).discard()
    except (FairgroundError, OSError) as error:
        reason = error.message if isinstance(error, FairgroundError) else str(error)
        return Support(False, reason, _advice(reason))
    return Support(True)


def _namespace(spec: SandboxSpec) -> Sandbox:
    return make_sandbox(spec, kind="namespace", hide=hidden_now())


def _bare(spec: SandboxSpec) -> Sandbox:
    if spec.layers or spec.writable is not None:
        raise SandboxError(
            "the bare runner has no file system of its own, so it cannot stack layers",
            fix="allow namespaces on this machine (fairground doctor says how)",
        )
    return make_sandbox(spec, kind="bare")


def _advice(reason: str) -> str:
    """What to change on this machine, from what it said and what its settings are."""
    settings = {
        "kernel/unprivileged_userns_clone": ("0", "sysctl -w kernel.unprivileged_userns_clone=1"),
        "user/max_user_namespaces": ("0", "sysctl -w user.max_user_namespaces=15000"),
        "kernel/apparmor_restrict_unprivileged_userns": (
            "1",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    }
    for name, (forbidding, fix) in settings.items():
        path = Path("/proc/sys") / name
        if path.exists() and path.read_text().strip() == forbidding:
            return f"as root: {fix}"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "this is a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined"
        )
    if "overlay" in reason or "mount_setattr" in reason:
        return "the kernel needs overlays in user namespaces and mount_setattr: Linux 5.12 or newer"
    return "namespaces are refused by the kernel or a security module; running as root usually helps"
