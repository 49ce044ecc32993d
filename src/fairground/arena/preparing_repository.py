"""Fetching of untrusted repositories on the host, without checking out or executing anything.

A bare clone followed by `git archive`: no hooks, filters, links or working tree, and git reads only our configuration.
The server's name is resolved once, here, and git gets the address. A name that later resolves to another machine (DNS
rebinding) has no effect.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import quote, urlsplit

from fairground.arena.preparing_uploads import safe_name
from fairground.core import InfrastructureError, InvalidInput, MissingPrerequisite

MAX_FETCHED: Final = 128 << 20
"""Maximum size in bytes of a pack, and of all files together."""

MAX_FILES: Final = 5_000
SECONDS: Final = 120.0

_LOOK: Final = 0.1
# other characters are interpreted differently by different parsers
_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]+")
_RELAYS: Final = ipaddress.IPv4Network("192.88.99.0/24")  # 6to4 relays
_PUBLIC: Final = ipaddress.IPv6Network("2000::/3")
_TUNNELS: Final = tuple(
    map(ipaddress.IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))  # Teredo, 6to4, reserved
)
_ISATAP: Final = 0x5EFE  # the middle of an address that ends in an IPv4 address (ISATAP); likewise 200:5efe
_SETTINGS: Final = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=false", "credential.helper=",
    "http.followRedirects=false", "http.lowSpeedLimit=1000", "http.lowSpeedTime=30", "submodule.recurse=false",
    "transfer.fsckObjects=true", "protocol.allow=never",
)  # fmt: skip


def check_address(address: str, *, local: bool) -> None:
    """Check whether a repository may be fetched from this address.

    Args:
        address: `https://...`, `http://...` or the path of a folder.
        local: Whether it may be a folder on this machine or a server in its network; only for admins.

    Raises:
        InvalidInput: If it may not.
    """
    if address.startswith("/"):
        if not local:
            raise InvalidInput("only an admin can use a folder on this machine", fix="give the URL of a repository")
        if not address.isprintable() or not Path(address).is_dir():
            raise InvalidInput("this folder does not exist on the server")
        return
    if not is_web_address(address):
        raise InvalidInput(
            "this is not the address of a repository", fix="use an address such as https://example.org/repository.git"
        )
    if not local:
        _outside(urlsplit(address).hostname or "")


def is_web_address(text: str) -> bool:
    """Whether this is the URL of a page or file on the web, without a user name or password."""
    try:
        parts = urlsplit(text)
        named = parts.scheme in ("http", "https") and parts.hostname and parts.username is None and parts.port != 0
    except ValueError:
        return False
    return bool(named) and text.isprintable() and " " not in text


def folder_name(address: str) -> str:
    """Return the name of the folder for its files."""
    last = (urlsplit(address).path if "://" in address else address).rstrip("/").rpartition("/")[2]
    return safe_name(last.removesuffix(".git") or "repository")


def clone(address: str, *, local: bool, stopped: Callable[[], bool] = lambda: False) -> dict[str, bytes]:
    """Return the files of a repository's newest commit by path; regular files only.

    Raises:
        InvalidInput: If it cannot be fetched, or is too large.
        InfrastructureError: If this machine cannot run git.
    """
    check_address(address, local=local)
    here = address.startswith("/")
    protocols = ("https", "http", "file") if here else ("https", "http")
    source = f"file://{quote(os.path.abspath(address))}" if here else address
    deadline = time.monotonic() + SECONDS
    with tempfile.TemporaryDirectory(prefix="fairground-clone-") as folder:
        place, archive = Path(folder, "repository"), Path(folder, "archive.tar")
        settings = [*_SETTINGS, *(f"protocol.{name}.allow=always" for name in protocols)]
        if not local:
            settings.append(f"http.curloptResolve={_pin(address)}")
        git = ["git", *(part for setting in settings for part in ("-c", setting))]
        bare = ["clone", "--bare", "--depth=1", "--single-branch", "--no-tags", "--template=", "--quiet"]
        _run([*git, *bare, "--", source, str(place)], folder, protocols, deadline, stopped)
        command = [*git, f"--git-dir={place}", "archive", "--format=tar", f"--output={archive}", "HEAD"]
        _run(command, folder, protocols, deadline, stopped)
        return _read(archive)


def _run(
    argv: list[str], folder: str, protocols: tuple[str, ...], deadline: float, stopped: Callable[[], bool]
) -> None:
    env = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": folder, "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "/bin/false", "GIT_ALLOW_PROTOCOL": ":".join(protocols),
    }  # fmt: skip
    with tempfile.TemporaryFile() as errors:
        try:
            # The output is limited, because a server can send endlessly.
            limited = ["prlimit", f"--fsize={MAX_FETCHED}", "--", *argv]
            process = subprocess.Popen(
                limited,
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise MissingPrerequisite("git cannot be run", fix="apt-get install git util-linux") from error
        try:
            while True:
                try:
                    code = process.wait(_LOOK)
                    break
                except subprocess.TimeoutExpired:
                    if stopped():
                        raise InvalidInput("the battle was stopped before the repository was fetched") from None
                    if time.monotonic() > deadline:
                        raise InvalidInput(f"the repository was not fetched within {SECONDS:g} s") from None
        except BaseException:
            os.killpg(process.pid, 9)  # including its child processes
            process.wait()
            raise
        errors.seek(max(0, errors.tell() - 4_000))
        words = errors.read().decode(errors="replace").strip().splitlines()
    if code != 0:
        why = re.sub(r"[^\x20-\x7e]", "?", words[-1])[:200].replace(folder, "") if words else "git was killed"
        raise InvalidInput(f"the repository cannot be fetched: {why}", fix="check its address, and that it is public")


def _read(archive: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = MAX_FETCHED
    try:
        with tarfile.open(archive, "r:") as tar:
            for member in tar:
                if not member.isfile() or not _is_plain(member.name):
                    continue
                left -= member.size
                if left < 0 or len(files) >= MAX_FILES:
                    most = f"{MAX_FILES:,} files and {MAX_FETCHED >> 20} MB"
                    raise InvalidInput(f"the repository is too large: the maximum is {most}")
                content = tar.extractfile(member)
                assert content is not None
                files[member.name] = content.read()
    except (tarfile.TarError, OSError) as error:
        raise InfrastructureError(f"the repository's files cannot be read: {error}") from error
    return files


def _is_plain(name: str) -> bool:
    path = PurePosixPath(name)
    odd = path.is_absolute() or ".." in path.parts or any(part.lower() == ".git" for part in path.parts)
    return not odd and name.isprintable() and len(name.encode()) <= 1_000


def _pin(address: str) -> str:
    """Resolve the address for curl, so that curl does not resolve it again."""
    parts = urlsplit(address)
    host, port = parts.hostname or "", parts.port or {"http": 80}.get(parts.scheme, 443)
    addresses = ",".join(f"[{address}]" if ":" in address else address for address in _outside(host))
    return f"{f'[{host}]' if ':' in host else host}:{port}:{addresses}"


def _outside(host: str) -> list[str]:
    """Resolve a name to addresses. Raises `InvalidInput` unless there are some and all are public."""
    addresses = _addresses(host) if _HOST.fullmatch(host) else []
    if not addresses:
        raise InvalidInput("no server of that name was found", fix="check the repository's address")
    if any(_is_inside(address) for address in addresses):
        raise InvalidInput("only an admin can use a server on this machine or in its network")
    return addresses


def _addresses(host: str) -> list[str]:
    try:
        return sorted({str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)})
    except (OSError, UnicodeError):
        return []


def _is_inside(address: str) -> bool:
    """Whether an address is, or may lead to, this machine or its network. Only ordinary public addresses are not."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if not parsed.is_global or parsed.is_multicast:
        return True
    if isinstance(parsed, ipaddress.IPv4Address):
        return parsed in _RELAYS
    return parsed not in _PUBLIC or any(parsed in net for net in _TUNNELS) or int(parsed) >> 32 & 0xFDFFFFFF == _ISATAP
