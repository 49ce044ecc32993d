"""A client's connection to an environment server: requests and answers on one WebSocket, for any number of threads."""

from __future__ import annotations

import contextlib
import ipaddress
import itertools
import os
import ssl
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect

from fairground.core import InvalidInput
from fairground.remote.answers import ServerLost, encode_request, error_from, read_answer
from fairground.remote.frames import MAX_FRAME_BYTES, FrameCache

OPEN_SECONDS: Final = 10.0


@dataclass(frozen=True)
class Address:
    """Where a server is, and the token that it asks for.

    Args:
        url: `http://HOST:PORT` or `https://HOST:PORT`. Certificates are checked against the system's authorities, or
            those in the file that the environment variable `SSL_CERT_FILE` names.
        token: The server's token. Default: the environment variable `FAIRGROUND_TOKEN`.

    Raises:
        InvalidInput: The URL has another form.
    """

    url: str
    token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
            raise InvalidInput(f"{self.url!r}: expected the URL of a server, such as http://127.0.0.1:8470")
        object.__setattr__(self, "url", self.url.rstrip("/"))
        object.__setattr__(self, "token", self.token or os.environ.get("FAIRGROUND_TOKEN") or None)

    @property
    def socket_options(self) -> dict[str, Any]:
        """Arguments for `connect` of the websockets package. PNGs are not compressed a second time."""
        options: dict[str, Any] = {
            "uri": f"ws{self.url.removeprefix('http')}/v1/connect",
            "additional_headers": self._headers,
            "compression": None,
            "max_size": MAX_FRAME_BYTES,
            "open_timeout": OPEN_SECONDS,
        }
        if self._is_local:
            options["proxy"] = None
        return options

    def get(self, path: str) -> bytes:
        """Return the body of a GET request.

        Raises:
            ServerLost: There is no answer. Other errors are those that the server names.
        """
        request = urllib.request.Request(f"{self.url}{path}", headers=self._headers)
        handlers: list[Any] = [urllib.request.HTTPSHandler(context=ssl.create_default_context())]
        if self._is_local:
            handlers.append(urllib.request.ProxyHandler({}))
        try:
            with urllib.request.build_opener(*handlers).open(request, timeout=OPEN_SECONDS) as answer:
                body: bytes = answer.read(MAX_FRAME_BYTES)
        except urllib.error.HTTPError as error:
            with error:
                raise error_from(error.read(1 << 20), error.code) from None
        except (OSError, ValueError) as error:
            raise self.lost(error) from None
        return body

    def lost(self, error: Exception) -> Exception:
        """Return the typed error for a connection that failed."""
        if isinstance(error, InvalidStatus):
            return error_from(bytes(error.response.body or b""), error.response.status_code)
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        fix = "check that `fairground serve-env` runs there, then reset (reconnect=True) or make a new environment"
        if isinstance(cause, ssl.SSLCertVerificationError):
            fix = "name the file of its authority, or the certificate itself, in the variable SSL_CERT_FILE"
        reason = str(cause) or type(cause).__name__
        return ServerLost(f"the environment server at {self.url} does not answer: {reason}", fix=fix)

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    @property
    def _is_local(self) -> bool:
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


class Connection:
    """One WebSocket. Threads may call at the same time; whichever waits first receives for all of them.

    Args:
        address: The server.
        timeout: Maximum seconds to wait for an answer.
    """

    def __init__(self, address: Address, timeout: float) -> None:
        self.address = address
        self._timeout = timeout
        self._frames = FrameCache()
        self._numbers = itertools.count()
        self._answers: dict[int, dict[str, Any]] = {}
        self._waiting: set[int] = set()
        self._changed = threading.Condition()
        self._receiving = False
        self._failure: Exception | None = None
        self._users = 0
        self._left = contextlib.ExitStack()
        try:
            self._socket: ClientConnection = self._left.enter_context(connect(**address.socket_options))
        except (OSError, ValueError, WebSocketException) as error:
            raise address.lost(error) from None

    @property
    def alive(self) -> bool:
        """Whether no call has failed for want of the connection."""
        return self._failure is None

    def call(self, method: str, **fields: Any) -> Any:
        """Send a request and return its result. Fields that are None are left out.

        Raises:
            ServerLost: The connection ended, or no answer came in time. Other errors are those that the server names.
        """
        number = next(self._numbers)
        message = encode_request(number, method, fields)
        with self._changed:
            if self._failure is not None:
                raise self.address.lost(self._failure)
            self._waiting.add(number)
        try:
            self._send(message)
            answer = self._wait(number)
        finally:
            with self._changed:
                self._waiting.discard(number)
                self._answers.pop(number, None)
        if "error" in answer:
            raise error_from(answer)
        return answer.get("result")

    def png(self, digest: str) -> bytes:
        """Return the PNG of a frame that an answer named, from the server again if it is no longer kept."""
        return self._frames.get(digest) or self.address.get(f"/v1/frames/{digest}")

    def close(self) -> None:
        """End the connection. The server closes its sessions."""
        with self._changed:
            self._failure = self._failure or ConnectionError("this client closed the connection")
            self._changed.notify_all()
        self._left.close()

    def acquire(self) -> Connection:
        """Count a session that uses the connection."""
        with self._changed:
            self._users += 1
        return self

    def release(self) -> None:
        """Close the connection when its last session is gone."""
        with self._changed:
            self._users -= 1
            unused = self._users <= 0
        if unused:
            self.close()

    def _send(self, message: str) -> None:
        try:
            self._socket.send(message)
        except (OSError, WebSocketException) as error:
            raise self._fail(error) from None

    def _wait(self, number: int) -> dict[str, Any]:
        with self._changed:
            while number not in self._answers:
                if self._failure is not None:
                    raise self.address.lost(self._failure)
                if self._receiving:
                    self._changed.wait()
                    continue
                self._receiving = True
                self._changed.release()
                try:
                    self._receive()
                finally:
                    self._changed.acquire()
                    self._receiving = False
                    self._changed.notify_all()
            return self._answers[number]

    def _receive(self) -> None:
        """Receive one message and keep what it brings."""
        try:
            message = self._socket.recv(self._timeout)
        except TimeoutError:
            self._left.close()
            raise self._fail(TimeoutError(f"no answer within {self._timeout:g} s")) from None
        except (OSError, WebSocketException) as error:
            raise self._fail(error) from None
        if isinstance(message, bytes):
            self._frames.receive(message)
            return
        answer = read_answer(message)
        if answer.get("id") is None:
            raise self._fail(ValueError(str(error_from(answer))))
        with self._changed:
            if answer["id"] in self._waiting:
                self._answers[answer["id"]] = answer

    def _fail(self, error: Exception) -> Exception:
        """Remember why the connection is of no use, and return the typed error."""
        with self._changed:
            self._failure = self._failure or error
        return self.address.lost(self._failure)
