"""A minimal D-Bus client for many concurrent requests to untrusted programs.

Existing libraries wait for each answer before the next request, and trust the answers. Reading an accessibility tree
takes thousands of small requests, so this connection keeps hundreds in flight. The answers come from inside a sandbox,
so only the exact requested types are decoded, within limits.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from fairground.core import ScreenError

MAX_MESSAGE = 8 << 20  # maximum bytes per message; honest answers to our requests are far smaller
MAX_HEAD = 1 << 16  # maximum bytes of its header: names and a path
MAX_VALUES = 200_000  # maximum values per message
MAX_DEPTH = 16  # maximum nesting of arrays, structs and variants
WINDOW = 256  # requests in flight: enough to hide the round trip, too few to flood a queue

_METHOD_CALL, _METHOD_RETURN, _ERROR = 1, 2, 3
_ERROR_NAME, _REPLY_SERIAL, _SIGNATURE = 4, 5, 8
_SIZES = {
    "y": ("B", 1), "b": ("I", 4), "n": ("h", 2), "q": ("H", 2), "i": ("i", 4), "u": ("I", 4), "x": ("q", 8),
    "t": ("Q", 8), "d": ("d", 8),
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """A method call: the object, string and number arguments, and the signature of the answer."""

    destination: str
    path: str
    interface: str
    member: str
    returns: str
    signature: str = ""
    arguments: tuple[str | int, ...] = ()


@dataclass(frozen=True)
class Refusal:
    """A failed request: an error, a wrong type, an answer over the limits, or a timeout."""

    reason: str


Reply: TypeAlias = tuple[Any, ...] | Refusal
UNANSWERED = Refusal("no answer in time")


class Malformed(ValueError):
    """Bytes that are not a valid D-Bus message."""


class Wire:
    """A client connection to a bus, over a connected socket.

    Args:
        sock: Connected to the bus. This object owns and closes it.
        deadline: In seconds of `time.monotonic`. Nothing waits longer.
    """

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._socket = sock
        self.deadline = deadline
        self._serial = 0
        self._received = bytearray()
        self._skip = 0
        sock.setblocking(False)
        self._poll = select.poll()
        self._poll.register(sock)
        try:
            self._authenticate()
            hello = self.ask(
                Call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello", "s")
            )
        except BaseException:
            sock.close()
            raise
        if isinstance(hello, Refusal):
            sock.close()
            raise ScreenError(f"the bus did not answer Hello: {hello.reason}")

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, call: Call) -> Reply:
        """Send a request and return its answer."""
        return self.ask_all([call])[0]

    def ask_all(self, calls: Sequence[Call]) -> list[Reply]:
        """Send requests and return the answers in the same order. `UNANSWERED` for those without one at the deadline.

        Raises:
            ScreenError: The bus closes the connection or sends something that is not a D-Bus message.
        """
        replies: list[Reply] = [UNANSWERED] * len(calls)
        waiting: dict[int, int] = {}
        outgoing = bytearray()
        following = 0
        while following < len(calls) or waiting:
            while following < len(calls) and len(waiting) < WINDOW:
                self._serial += 1
                waiting[self._serial] = following
                outgoing += encode_call(calls[following], self._serial)
                following += 1
            if not self._exchange(outgoing):
                break
            for serial, message in self._messages():
                index = waiting.pop(serial, None)
                if index is not None:
                    replies[index] = message.reply(calls[index].returns)
        return replies

    def _exchange(self, outgoing: bytearray) -> bool:
        """Send and receive, waiting until either is possible. False if the deadline came first."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return False
        self._poll.modify(self._socket, select.POLLIN | (select.POLLOUT if outgoing else 0))
        events = sum(event for _, event in self._poll.poll(left * 1000))
        try:
            if events & select.POLLOUT:
                del outgoing[: self._socket.send(outgoing)]
            if events & ~select.POLLOUT:
                data = self._socket.recv(1 << 18)
                if not data:
                    raise ScreenError("the bus closed the connection", fix="check that the desktop session is alive")
                self._received += data
        except BlockingIOError:
            pass
        except OSError as error:
            raise ScreenError(f"the connection to the bus broke: {error}") from None
        return True

    def _messages(self) -> Iterator[tuple[int, Incoming]]:
        """The received replies, by the serial number they answer. Everything else is dropped."""
        data = self._received
        try:
            while True:
                dropped = min(self._skip, len(data))
                del data[:dropped]
                self._skip -= dropped
                if self._skip or len(data) < 16:
                    return
                head, size = message_sizes(data)
                # Of a message over the limit only the header is kept, to know which request it answers.
                needed = size if size <= MAX_MESSAGE else head
                if len(data) < needed:
                    return
                message = Incoming(bytes(data[:needed]), complete=needed == size)
                self._skip = size
                if message.reply_serial is not None:
                    yield message.reply_serial, message
        except (Malformed, struct.error, UnicodeDecodeError) as error:
            raise ScreenError(f"the bus sent an invalid D-Bus message: {error}") from None

    def _authenticate(self) -> None:
        # No identity is claimed: the bus uses that of the socket's peer as reported by the kernel, which is right both
        # inside and outside of a user namespace.
        outgoing = bytearray(b"\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n")
        for _ in range(2):
            while b"\r\n" not in self._received:
                if len(self._received) > 4096:
                    raise ScreenError("the bus sent an invalid answer to the authentication")
                if not self._exchange(outgoing):
                    raise ScreenError("the bus did not answer in time", fix="check that the desktop is not frozen")
            line, _, rest = bytes(self._received).partition(b"\r\n")
            self._received[:] = rest
            if line.startswith(b"OK "):
                break
            if not line.startswith(b"DATA"):
                raise ScreenError(f"the bus refused the authentication: {line[:200]!r}")
        while outgoing:
            if not self._exchange(outgoing):
                raise ScreenError("the bus did not answer in time")


def encode_call(call: Call, serial: int) -> bytes:
    """Encode a method call, little-endian."""
    body = _Writer()
    for kind, argument in zip(call.signature, call.arguments, strict=True):
        body.put(kind, argument)
    fields = _Writer()
    for code, kind, text in (
        (1, "o", call.path),
        (2, "s", call.interface),
        (3, "s", call.member),
        (6, "s", call.destination),
        (_SIGNATURE, "g", call.signature),
    ):
        if text:
            fields.align(8)
            fields.data += bytes((code, 1)) + kind.encode() + b"\0"
            fields.put(kind, text)
    size = len(fields.data)
    fields.align(8)
    head = struct.pack("<cBBBIII", b"l", _METHOD_CALL, 0, 1, len(body.data), serial, size)
    return head + bytes(fields.data) + bytes(body.data)


class _Writer:
    def __init__(self) -> None:
        self.data = bytearray()

    def align(self, to: int) -> None:
        self.data += bytes(-len(self.data) % to)

    def put(self, kind: str, value: str | int) -> None:
        if isinstance(value, int):
            self.align(4)
            self.data += struct.pack("<I" if kind == "u" else "<i", value)
        else:
            text = value.encode()
            if kind == "g":
                self.data += bytes((len(text),))
            else:
                self.align(4)
                self.data += struct.pack("<I", len(text))
            self.data += text + b"\0"


def message_sizes(data: bytes | bytearray) -> tuple[int, int]:
    """Return the size of the header and of the whole message, from the first 16 bytes."""
    order = {0x6C: "<", 0x42: ">"}.get(data[0])
    if order is None or data[3] != 1:
        raise Malformed(f"starts with {bytes(data[:4])!r}")
    body, _, fields = struct.unpack_from(order + "III", data, 4)
    if fields > MAX_HEAD or body > 1 << 27:
        raise Malformed(f"claims a head of {fields} and a body of {body} bytes")
    head = 16 + fields + (-fields % 8)
    return head, head + body


class Incoming:
    """A received message: which request it answers, and its content if it has the requested type."""

    def __init__(self, data: bytes, *, complete: bool = True) -> None:
        order = "<" if data[0] == 0x6C else ">"
        self._head, _ = message_sizes(data)
        self._reader = _Reader(data, order)
        self._kind = data[1]
        self._complete = complete
        fields = self._fields(struct.unpack_from(order + "I", data, 12)[0])
        serial = fields.get(_REPLY_SERIAL)
        self.reply_serial = serial if isinstance(serial, int) and self._kind in (_METHOD_RETURN, _ERROR) else None
        self._signature = fields.get(_SIGNATURE, "")
        self._error = fields.get(_ERROR_NAME, "unnamed error")

    def reply(self, returns: str) -> Reply:
        """Return its content, if it has this signature and is within the limits."""
        if self._kind == _ERROR:
            return Refusal(str(self._error)[:200])
        if not self._complete:
            return Refusal(f"more than {MAX_MESSAGE} bytes")
        if self._signature != returns:
            return Refusal(f"signature {str(self._signature)[:40]!r} instead of {returns!r}")
        self._reader.position = self._head
        try:
            return tuple(self._reader.read(kind) for kind in parse_signature(returns))
        except (Malformed, struct.error, UnicodeDecodeError) as error:
            return Refusal(f"malformed: {error}")

    def _fields(self, size: int) -> dict[int, str | int]:
        by_code: dict[int, str | int] = {}
        reader = self._reader
        reader.position = 16
        while reader.position < 16 + size:
            reader.align(8)
            code = reader.read("y")
            kind = reader.read("g")
            if kind not in ("s", "o", "g", "u"):
                raise Malformed(f"field {code} of type {str(kind)[:40]!r}")
            by_code[code] = reader.read(kind)
        return by_code


# A parsed type: a letter, or ("a", element), or ("(", fields). A dict entry is read like a struct.
_Kind: TypeAlias = "str | tuple[str, tuple[_Kind, ...]]"


@lru_cache(maxsize=256)
def parse_signature(signature: str) -> tuple[_Kind, ...]:
    """Return the types in a signature.

    Raises:
        Malformed: D-Bus does not allow this signature.
    """
    kinds: list[_Kind] = []
    position = 0
    while position < len(signature):
        kind, position = _parse_kind(signature, position, 0)
        kinds.append(kind)
    return tuple(kinds)


def _parse_kind(signature: str, position: int, depth: int) -> tuple[_Kind, int]:
    letter = signature[position : position + 1]
    if depth > MAX_DEPTH:
        raise Malformed("a type nested too deeply")
    if letter in _SIZES or letter in tuple("sogv"):
        return letter, position + 1
    if letter == "a":
        element, position = _parse_kind(signature, position + 1, depth + 1)
        return ("a", (element,)), position
    if letter in ("(", "{"):
        closing = ")" if letter == "(" else "}"
        fields: list[_Kind] = []
        position += 1
        while signature[position : position + 1] != closing:
            field, position = _parse_kind(signature, position, depth + 1)
            fields.append(field)
        if not fields:
            # An array of elements without bytes would be endless.
            raise Malformed("an empty struct")
        return ("(", tuple(fields)), position + 1
    raise Malformed(f"type {letter!r}")


class _Reader:
    """Reads values from a message. Every read advances or raises."""

    def __init__(self, data: bytes, order: str) -> None:
        self._data = data
        self._order = order
        self._values = 0
        self.position = 0

    def align(self, to: int) -> None:
        self.position += -self.position % to

    def read(self, kind: _Kind, depth: int = 0) -> Any:
        self._values += 1
        if self._values > MAX_VALUES or depth > MAX_DEPTH:
            raise Malformed("more values than the limit allows")
        if isinstance(kind, tuple):
            return self._read_array(kind[1][0], depth) if kind[0] == "a" else self._read_struct(kind[1], depth)
        if kind in ("s", "o"):
            return self._read_text(self._read_number("u"))
        if kind == "g":
            return self._read_text(self._read_number("y"))
        if kind == "v":
            kinds = parse_signature(self.read("g", depth + 1))
            if len(kinds) != 1:
                raise Malformed(f"a variant of {len(kinds)} values")
            return self.read(kinds[0], depth + 1)
        return self._read_number(kind)

    def _read_number(self, kind: str) -> Any:
        code, size = _SIZES[kind]
        self.position += -self.position % size
        (value,) = struct.unpack_from(self._order + code, self._data, self.position)
        self.position += size
        return bool(value) if kind == "b" else value

    def _read_text(self, length: int) -> str:
        end = self.position + length
        if end >= len(self._data):
            raise Malformed("text that reaches past the end")
        text = self._data[self.position : end].decode()
        self.position = end + 1
        return text

    def _read_struct(self, fields: tuple[_Kind, ...], depth: int) -> tuple[Any, ...]:
        self.align(8)
        return tuple(self.read(field, depth + 1) for field in fields)

    def _read_array(self, element: _Kind, depth: int) -> list[Any]:
        length = self._read_number("u")
        self.align(_alignment(element))
        end = self.position + length
        if end > len(self._data):
            raise Malformed("an array that reaches past the end")
        values = []
        while self.position < end:
            values.append(self.read(element, depth + 1))
        return values


def _alignment(kind: _Kind) -> int:
    if isinstance(kind, tuple):
        return 4 if kind[0] == "a" else 8
    return {"s": 4, "o": 4, "g": 1, "v": 1}.get(kind) or _SIZES[kind][1]
