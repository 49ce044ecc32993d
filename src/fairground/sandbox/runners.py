"""Choice of the runner: namespaces where the machine allows them, otherwise bare, or one from a plugin."""

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
from fairground.sandbox.channel import Refusal
from fairground.sandbox.hidden import hidden_now
from fairground.sandbox.launch import make_sandbox
from fairground.sandbox.protocol import Sandbox, SandboxSpec

Runner = Callable[[SandboxSpec], Sandbox]
_warn_once = threading.Lock()
_warned = False
_FORBIDDING = ("EPERM", "EACCES", "ENOSYS", "EINVAL", "EOPNOTSUPP", "ENODEV")
_SETTINGS = {
    "kernel/unprivileged_userns_clone": ("0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    "user/max_user_namespaces": ("0", "sysctl -w user.max_user_namespaces=15000"),
    "kernel/apparmor_restrict_unprivileged_userns": ("1", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
}
"""System settings by file in /proc/sys: the value that forbids namespaces, and the command that allows them."""


class NotIsolated(UserWarning):
    """Issued once if the machine does not allow namespaces and programs run without isolation."""


@dataclass(frozen=True)
class Support:
    """Whether this machine supports isolation. If not, the reason and what to do."""

    ok: bool
    reason: str = ""
    fix: str = ""


def open_sandbox(spec: SandboxSpec | None = None, *, runner: str | None = None) -> Sandbox:
    """Create a sandbox.

    Args:
        spec: Describes it. The default has no layers, no network and the default limits.
        runner: A name from `runners()`. None uses `default_runner()`.
    """
    spec = spec or SandboxSpec()
    name = runner or default_runner()
    known = runners()
    if name not in known:
        raise unknown("runner", name, known)
    return known[name](spec)


def runners() -> dict[str, Runner]:
    """All runners by name: built-in ones, and those of installed packages (entry point group `fairground.runners`)."""
    by_name: dict[str, Runner] = {"namespace": _namespace, "bare": _bare}
    for point in entry_points(group="fairground.runners"):
        by_name[point.name] = point.load()
    return by_name


def default_runner() -> str:
    """`FAIRGROUND_RUNNER` if set, else `namespace` if this machine allows it, else `bare` with a warning."""
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
                "isolation. `fairground doctor` shows how to allow them.",
                NotIsolated,
                stacklevel=3,
            )
    return "bare"


@cache
def namespace_support() -> Support:
    """Test by creating a sandbox, because system settings alone do not tell.

    Raises:
        SandboxError: The test failed although the kernel does not forbid namespaces, for example because memory or
            processes ran out. Nothing is cached, so the next call tests again. Running without isolation then would
            let an agent escape by exhausting the machine.
    """
    try:
        _namespace(SandboxSpec()).discard()
    except (FairgroundError, OSError) as error:
        reason = error.message if isinstance(error, FairgroundError) else str(error)
        if _forbidden(error):
            return Support(False, reason, _advice(reason))
        raise SandboxError(
            f"could not test whether this machine allows namespaces: {reason}",
            fix="free memory, processes or files and run again, or run without isolation: FAIRGROUND_RUNNER=bare",
        ) from error
    return Support(True)


def _forbidden(error: Exception) -> bool:
    """Whether the kernel refused a system call for good. Otherwise something may be lacking for the moment."""
    code = error.__cause__.code if isinstance(error.__cause__, Refusal) else ""
    return code in _FORBIDDING or (code == "ENOSPC" and bool(_forbidding_settings()))  # at most 0 namespaces


def _namespace(spec: SandboxSpec) -> Sandbox:
    return make_sandbox(spec, kind="namespace", hide=hidden_now())


def _bare(spec: SandboxSpec) -> Sandbox:
    if spec.layers or spec.writable is not None:
        raise SandboxError(
            "the bare runner has no file system of its own, so it does not support layers",
            fix="allow namespaces on this machine (`fairground doctor` shows how)",
        )
    return make_sandbox(spec, kind="bare")


def _forbidding_settings() -> list[str]:
    """Return the commands that change the system settings which forbid namespaces."""
    return [
        fix
        for name, (forbidding, fix) in _SETTINGS.items()
        if (path := Path("/proc/sys") / name).exists() and path.read_text().strip() == forbidding
    ]


def _advice(reason: str) -> str:
    """What to change on this machine, based on the error and the system settings."""
    for fix in _forbidding_settings():
        return f"as root: {fix}"
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return (
            "this is a container: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined"
        )
    if "overlay" in reason or "mount_setattr" in reason:
        return "use Linux 5.12 or newer, which has overlays in user namespaces and mount_setattr"
    return "the kernel or a security module refuses namespaces; running as root usually helps"
