"""Why there is no connection to a server, out of what the vendors' SDKs raise for it."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from fairground.agents.models.calling import NotConnected, Transient, Unreachable

_NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL)
_BROKEN_OFF = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)  # while TLS was spoken; these may pass
_PORTS = {"http": 80, "https": 443}
_TIMEOUT = 10.0  # seconds
_CORRECT = "start the server, or correct its address"


def passing(error: BaseException, where: str, place: str = "") -> Transient:
    """What a sender raises for an error that is no answer of the server: `NotConnected` where there was no connection.

    Args:
        error: What the SDK raised.
        where: The server's address.
        place: Where a person wrote the address, such as `after @`; empty for the vendor's own server.
    """
    cause = next(filter(None, map(_no_connection, _causes(error))), None)
    if cause is None:
        return Transient(f"{type(error).__name__}: {error}"[:300])
    why, fix = cause
    if not place:
        return NotConnected(where, why, "check this machine's network: connection, DNS, proxy, firewall")
    return NotConnected(where, why, f"{fix or _CORRECT} {place}")


def reach(where: str, place: str) -> None:
    """Connects to a server and asks it nothing; behind a proxy, only the first request can tell.

    Raises:
        Unreachable: Nothing listens there, or the host has no address.
    """
    parts = urlsplit(where)
    host = parts.hostname or ""
    if parts.scheme in getproxies() and not proxy_bypass(host):
        return
    try:
        socket.create_connection((host, parts.port or _PORTS.get(parts.scheme, 80)), timeout=_TIMEOUT).close()
    except OSError as error:
        failure = passing(error, where, place)
        if isinstance(failure, NotConnected):
            raise Unreachable(failure.what, fix=failure.fix) from None


def place_of(base_url: str | None, variable: str) -> str:
    """Where a person wrote the address of a vendor's server, for `passing`: an argument, or an environment variable."""
    if base_url is not None:
        return "(base_url)"
    return f"in {variable}" if os.environ.get(variable) else ""


def _no_connection(cause: BaseException) -> tuple[str, str] | None:
    """Why there is no connection, and what to do if that is known; None for an error of another kind."""
    if isinstance(cause, ConnectionRefusedError):
        return "connection refused", ""
    if isinstance(cause, socket.gaierror):
        return f"unknown host: {cause.strerror}", ""
    if isinstance(cause, ssl.SSLCertVerificationError):
        return (
            f"TLS: {cause.verify_message}",
            "set SSL_CERT_FILE to the certificate of the server, or correct its address",
        )
    if isinstance(cause, ssl.SSLError) and not isinstance(cause, _BROKEN_OFF):
        return f"TLS: {cause.reason or cause}", "write http:// if the server speaks no TLS, or correct its address"
    if isinstance(cause, OSError) and cause.errno in _NO_ROUTE:
        return os.strerror(cause.errno).lower(), ""
    return None


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and len(found) < 10:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found
