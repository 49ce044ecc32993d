"""Which runner makes a sandbox: namespaces where the machine allows, bare where it does not, or one plugged in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from fairground.core import FairgroundError, MissingPrerequisite, SandboxError, unknown
from fairground.sandbox.kept import KeptSandbox, make_sandbox
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
        runner: A name from `runners()`. None takes `FAIRGROUND_RUNNER` if set, else `namespace` where this
            machine allows it and `bare` (with one warning) where it does not.
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


@cache
def namespace_support() -> Support:
    """Finds out by making a sandbox, because no setting tells the whole truth."""
    try:
        _namespace(SandboxSpec()).discard()
    except (FairgroundError, OSError) as error:
        reason = error.message if isinstance(error, FairgroundError) else str(error)
        return Support(False, reason, _advice(reason))
    return Support(True)


def hidden_paths() -> tuple[Path, ...]:
    """Where suites' checks and oracles live on this machine: never to be seen from inside."""
    paths = {Path(__file__).resolve().parents[1]}
    if sys.prefix != sys.base_prefix:
        paths.add(Path(sys.prefix).resolve())
    for point in entry_points(group="fairground.suites"):
        distribution = point.dist
        for file in (distribution.files or []) if distribution else []:
            place = Path(str(distribution.locate_file(file))).resolve()  # type: ignore[union-attr]
            site = Path(sysconfig.get_paths()["purelib"]).resolve()
            if place.is_relative_to(site):
                paths.add(site / place.relative_to(site).parts[0])
            elif place.suffix == ".py":
                paths.add(place.parent)
    return tuple(sorted(paths))


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


def _namespace(spec: SandboxSpec) -> Sandbox:
    sandbox = make_sandbox(spec, kind="namespace", hide=hidden_paths())
    if spec.network == "outbound":
        try:
            _connect_outbound(sandbox)
        except BaseException:
            sandbox.discard()
            raise
    return sandbox


def _bare(spec: SandboxSpec) -> Sandbox:
    if spec.layers or spec.writable is not None:
        raise SandboxError(
            "the bare runner has no file system of its own, so it cannot stack layers",
            fix="allow namespaces on this machine (fairground doctor says how)",
        )
    sandbox = make_sandbox(spec, kind="bare")
    sandbox.notes = ("not isolated: the machine forbids namespaces, so programs can reach the host", *sandbox.notes)
    return sandbox


def _connect_outbound(sandbox: KeptSandbox) -> None:
    """Gives a sandbox a way out through slirp4netns, which refuses the host's own loopback."""
    program = shutil.which("slirp4netns")
    if program is None:
        raise MissingPrerequisite(
            "network 'outbound' needs slirp4netns, which is not installed", fix="apt-get install slirp4netns"
        )
    probe = sandbox.start(["sleep", "infinity"])  # lives in the namespaces, whose number on the host we need
    try:
        with open(f"/proc/self/fdinfo/{probe.pidfd}", encoding="ascii") as file:
            pid = next(line.split()[1] for line in file if line.startswith("Pid:"))
        ready_r, ready_w = os.pipe()
        helper = subprocess.Popen(
            [
                program, "--configure", "--mtu=65520", "--disable-host-loopback", f"--ready-fd={ready_w}",
                f"--userns-path=/proc/{pid}/ns/user", "--netns-type=path", f"/proc/{pid}/ns/net", "tap0",
            ],
            pass_fds=[ready_w],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        os.close(ready_w)
        with os.fdopen(ready_r, "rb") as pipe:
            if pipe.read(1) != b"1":
                _, said = helper.communicate()
                raise SandboxError(f"slirp4netns failed: {said.decode(errors='replace').strip()[-500:]}")
        sandbox.adopt(helper)
    finally:
        probe.kill()


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
    if "overlay" in reason:
        return "the kernel needs overlayfs in user namespaces: Linux 5.11 or newer"
    return "namespaces are refused by the kernel or a security module; running as root usually helps"
