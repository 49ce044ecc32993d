"""Find out from SDK exceptions why there is no connection to a server."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from fairground.agents.models.calling import NotConnected, Transient, Unreachable

_NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL)
_BROKEN_OFF = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)  # during TLS; these may be temporary
_PORTS = {"http": 80, "https": 443}
_TIMEOUT = 10.0  # seconds
_CORRECT = "start the server, or correct its address"


def passing(error: BaseException, where: str, place: str = "") -> Transient:
    """Convert an SDK error into `Transient`, or into `NotConnected` if there was no connection.

    Args:
        error: The SDK's exception, which is not an answer of the server.
        where: The server's address.
        place: Where the user wrote the address, such as `after @`; empty for the vendor's own server.
    """
    cause = next(filter(None, map(_no_connection, _causes(error))), None)
    if cause is None:
        return Transient(f"{type(error).__name__}: {error}"[:300])
    why, fix = cause
    if not place:
        return NotConnected(where, why, "check this machine's network: connection, DNS, proxy, firewall")
    return NotConnected(where, why, f"{fix or _CORRECT} {place}")


def reach(where: str, place: str) -> None:
    """Connect to a server without a request. Behind a proxy, only the first request can tell.

    Raises:
        Unreachable: If nothing listens there, or the host is unknown.
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
    """Return where the user wrote the address of a vendor's server: an argument, or an environment variable."""
    if base_url is not None:
        return "(base_url)"
    return f"in {variable}" if os.environ.get(variable) else ""


def _no_connection(cause: BaseException) -> tuple[str, str] | None:
    """Return why there is no connection, and a fix if known. None for other errors."""
    if isinstance(cause, ConnectionRefusedError):
        return "connection refused", ""
    if isinstance(cause, socket.gaierror):
        return f"unknown host: {cause.strerror}", ""
    if isinstance(cause, ssl.SSLCertVerificationError):
        return (
            f"TLS: {cause.verify_message}",
            "set SSL_CERT_FILE to the server's certificate, or correct its address",
        )
    if isinstance(cause, ssl.SSLError) and not isinstance(cause, _BROKEN_OFF):
        return f"TLS: {cause.reason or cause}", "write http:// if the server does not use TLS, or correct its address"
    if isinstance(cause, OSError) and cause.errno in _NO_ROUTE:
        return os.strerror(cause.errno).lower(), ""
    return None


def _causes(error: BaseException | None) -> list[BaseException]:
    causes: list[BaseException] = []
    while error is not None and len(causes) < 10:
        causes.append(error)
        error = error.__cause__ or error.__context__
    return causes
