"""Where a server listens. Imports no web server, so that a port in use is said before anything slow begins."""

from __future__ import annotations

import errno
import socket

from fairground.core import InfrastructureError


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises `InfrastructureError` when the address cannot be had."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # Named as TCP, because asyncio sends small messages at once only on sockets that say so.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(2048)
        except OSError:
            listener.close()
            raise
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise InfrastructureError(
                f"port {port} on {host} is in use by another program, such as another `fairground serve`",
                fix="use that one, or choose another port: --port 0 takes a free one",
            ) from None
        raise InfrastructureError(
            f"cannot listen on {host} port {port}: {error}", fix="choose another --host or --port; 0 takes a free port"
        ) from None
    return listener


def check_port(host: str, port: int) -> None:
    """Raises `InfrastructureError` when nothing can listen there now, such as when the port is in use."""
    listen(host, port).close()
