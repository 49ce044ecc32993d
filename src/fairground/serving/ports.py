"""Sockets to listen on. Imports no web server, so that a port in use is reported before any slow import."""

from __future__ import annotations

import errno
import socket

from fairground.core import InfrastructureError


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises `InfrastructureError` if the address is not available."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # Created with the protocol TCP, because asyncio sets TCP_NODELAY only on such sockets.
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
                fix="use that server, or choose another port (--port 0 chooses a free one)",
            ) from None
        raise InfrastructureError(
            f"cannot listen on {host} port {port}: {error}",
            fix="choose another --host or --port (--port 0 chooses a free port)",
        ) from None
    return listener


def check_port(host: str, port: int) -> None:
    """Raise `InfrastructureError` if the address is not available, for example because the port is in use."""
    listen(host, port).close()
