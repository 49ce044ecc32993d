"""A connection to an X server: batched requests, and replies with a timeout.

Not an existing library, for two reasons: a click must take only about a millisecond, and an untrusted agent can reach
the server, so nothing it sends may block us forever or allocate memory without limit.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections import deque

from fairground.core import ScreenError
from fairground.screen import xrequests as x

MAX_REPLY = 4 << 20
MAX_EVENTS = 1024
_ERRORS = {1: "Request", 2: "Value", 3: "Window", 5: "Atom", 8: "Match", 9: "Drawable", 10: "Access", 11: "Alloc"}
_SEND_EVENT = 25  # the one request that may fail silently: its window may be gone when it arrives


class XConnection:
    """One client of an X server. Owns the socket.

    Attributes:
        root: The root window.
        size: Width and height of the screen, as announced by the server.
        keycodes: The range of keycodes of the server.
        mapping_stale: Set when any client changed the keyboard mapping. Code that caches the mapping clears it.
    """

    def __init__(self, sock: socket.socket, *, timeout: float = 5.0) -> None:
        self.timeout = timeout
        self.events: deque[bytes] = deque(maxlen=MAX_EVENTS)
        self.mapping_stale = False
        self._sock = sock
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self._in = bytearray()
        self._sequence = 0
        self._waiting: dict[int, bytes | None] = {}
        self._unanswered: set[int] = set()
        self._abandoned: set[int] = set()
        self._refusal = ""
        self._faults: list[str] = []
        self._dead: str | None = None
        sock.setblocking(False)
        try:
            self._set_up()
        except BaseException:
            sock.close()
            raise

    def send(self, *requests: bytes) -> None:
        """Send requests without replies, in one write. `sync` raises if the server refused one."""
        self._sequence += len(requests)
        self._write(b"".join(requests))

    def ask(self, *requests: bytes) -> list[bytes]:
        """Send requests in one write and return their replies in order.

        Raises:
            ScreenError: The server refused a request.
        """
        replies = self.ask_each(*requests)
        if None in replies:
            raise ScreenError(f"the X server refused a request: {self._refusal}")
        return [reply for reply in replies if reply is not None]

    def ask_each(self, *requests: bytes) -> list[bytes | None]:
        """Like `ask`, with None for refused requests, because windows of others can vanish at any time."""
        first = self._sequence + 1
        numbers = [number & 0xFFFF for number in range(first, first + len(requests))]
        self._sequence += len(requests)
        self._abandoned -= set(numbers)  # sequence numbers repeat
        self._waiting = dict.fromkeys(numbers)
        self._unanswered = set(numbers)
        self._write(b"".join(requests))
        deadline = time.monotonic() + self.timeout
        while self._unanswered:
            if not self._receive(deadline - time.monotonic()):
                # It may be frozen, and answer when it is thawed.
                self._abandoned |= self._unanswered
                self._unanswered = set()
                raise ScreenError(f"the X server did not answer within {self.timeout:g} s")
        return [self._waiting[number] for number in numbers]

    def sync(self) -> None:
        """Wait until the server has executed everything sent so far."""
        self.ask(x.get_input_focus())
        if self._faults:
            faults, self._faults = self._faults, []
            raise ScreenError(f"the X server refused a request: {'; '.join(faults)}")

    def wait_event(self, timeout: float) -> bool:
        """Read received data, waiting at most this long for it. False if there was none."""
        return self._receive(timeout)

    def check(self) -> None:
        """Check that the server still runs.

        Takes microseconds and reads nothing, so it may be called while another thread waits for an answer.

        Raises:
            ScreenError: The server is gone.
        """
        if self._dead:
            raise ScreenError(self._dead)
        poll = select.poll()  # a separate one, because a poll object serves one thread at a time
        poll.register(self._sock, 0)
        if poll.poll(0):
            raise ScreenError("the X server is gone (it closed the connection)")

    @property
    def alive(self) -> bool:
        """Whether the server still runs."""
        try:
            self.check()
        except ScreenError:
            return False
        return True

    def atoms(self, *names: str) -> dict[str, int]:
        """Return the atoms of names."""
        return dict(zip(names, (x.value(reply) for reply in self.ask(*map(x.intern_atom, names))), strict=True))

    def extension(self, name: str) -> int:
        """Return the major opcode of an extension.

        Raises:
            ScreenError: The server lacks it.
        """
        opcode = x.extension_opcode(self.ask(x.query_extension(name))[0])
        if opcode is None:
            raise ScreenError(f"the X server has no {name} extension", fix="start the server with that extension")
        return opcode

    def new_id(self) -> int:
        """Return a new resource ID."""
        self._next_id += 1
        return int(self._id_base | self._next_id)

    def close(self) -> None:
        """Close the connection. Calling it twice is allowed."""
        self._dead = self._dead or "the screen was closed"
        self._sock.close()

    # Internals: encoding and buffers.

    def _set_up(self) -> None:
        self._write(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
        deadline = time.monotonic() + self.timeout
        head = self._read_exactly(8, deadline)
        success, reason_length, major, _minor, words = struct.unpack("<BBHHH", head)
        body = self._read_exactly(words * 4, deadline)
        if success != 1:
            reason = body[: reason_length or len(body)].decode("latin-1").strip("\0\n ")
            raise self._die(f"the X server refused the connection: {reason or 'no reason given'}")
        try:
            self._parse_setup(body)
            self._parse()
        except (struct.error, IndexError):
            raise self._die(f"the X server sent an invalid greeting (protocol {major}, {words * 4} bytes)") from None

    def _parse_setup(self, body: bytes) -> None:
        self._id_base, _mask, _motion, vendor, self.max_request = struct.unpack_from("<IIIHH", body, 4)
        self._next_id = 0
        _screens, formats, _, _, _, _, low, high = struct.unpack_from("<8B", body, 20)
        self.keycodes = range(low, high + 1)
        screen = 32 + (vendor + 3) // 4 * 4 + formats * 8
        self.root, _map, _white, _black, _masks, width, height = struct.unpack_from("<IIIIIHH", body, screen)
        self.size = (width, height)

    def _read_exactly(self, count: int, deadline: float) -> bytes:
        # Only for the greeting, before packets begin.
        while len(self._in) < count:
            self._fill(deadline - time.monotonic(), f"the X server did not answer within {self.timeout:g} s")
        taken = bytes(self._in[:count])
        del self._in[:count]
        return taken

    def _write(self, data: bytes) -> None:
        if self._dead:
            raise ScreenError(self._dead)
        view = memoryview(data)
        deadline = time.monotonic() + self.timeout
        while view:
            try:
                view = view[self._sock.send(view, socket.MSG_NOSIGNAL) :]
            except BlockingIOError:
                # The buffer is full: the server may itself be waiting for us to read.
                self._receive(0.001)
                if time.monotonic() > deadline:
                    raise self._die(f"the X server did not read our input within {self.timeout:g} s") from None
            except OSError as error:
                raise self._die(f"the connection to the X server broke: {error.strerror}") from None

    def _receive(self, timeout: float) -> bool:
        """Receive what is available. False if nothing arrived in time."""
        if self._dead:
            raise ScreenError(self._dead)
        if not self._poll.poll(max(0.0, timeout) * 1000):
            return False
        self._fill(0, "")
        self._parse()
        return True

    def _fill(self, timeout: float, late: str) -> None:
        if late and not self._poll.poll(max(0.0, timeout) * 1000):
            raise self._die(late)
        try:
            data = self._sock.recv(1 << 18)
        except BlockingIOError:
            return
        except OSError as error:
            raise self._die(f"the connection to the X server broke: {error.strerror}") from None
        if not data:
            raise self._die("the X server is gone (it closed the connection)")
        self._in += data

    def _parse(self) -> None:
        taken = 0
        while len(self._in) - taken >= 32:
            kind, number, words = self._in[taken], *struct.unpack_from("<HI", self._in, taken + 2)
            size = 32 + 4 * words if kind == 1 or kind & 0x7F == 35 else 32
            if size > MAX_REPLY:
                raise self._die(f"the X server sent a reply of {size} bytes; the limit is {MAX_REPLY}")
            if len(self._in) - taken < size:
                break
            self._dispatch(kind, number, bytes(self._in[taken : taken + size]))
            taken += size
        del self._in[:taken]

    def _dispatch(self, kind: int, number: int, packet: bytes) -> None:
        if kind == 1 and number in self._unanswered:
            self._waiting[number] = packet
            self._unanswered.discard(number)
        elif kind == 1 and number in self._abandoned:
            self._abandoned.discard(number)
        elif kind == 1:
            raise self._die("the X server sent a reply without a request")
        elif kind == 0:
            fault = f"Bad{_ERRORS.get(packet[1], packet[1])} for request {packet[10]}.{packet[8]}"
            if number in self._unanswered:
                self._unanswered.discard(number)
                self._refusal = fault
            elif packet[10] != _SEND_EVENT and len(self._faults) < 16:
                self._faults.append(fault)
        elif kind & 0x7F == x.MAPPING_NOTIFY:
            self.mapping_stale = True
        else:
            self.events.append(packet)

    def _die(self, reason: str) -> ScreenError:
        self._dead = reason
        self._sock.close()
        return ScreenError(reason)
