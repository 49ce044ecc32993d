"""What was copied on a screen can be read, whoever holds it, and nobody who does can keep us waiting."""

from __future__ import annotations

import itertools
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from fairground.core import Key, Move, ScreenError, Type
from fairground.sandbox import SandboxSpec, open_sandbox
from fairground.screen import Browser, CdpScreen, Clipping, Screen, read_clipboard
from fairground.screen import xrequests as x
from fairground.screen.clipboard import MOST_BYTES, clipping

from .cdp.site import Browser as Page
from .cdp.site import browser
from .conftest import Bench, until

pytestmark = pytest.mark.process

PART = 200_000  # bytes of one part of a long text; a request of X holds no more than 262,140


@dataclass(frozen=True)
class Request:
    """Somebody asks for the clipboard."""

    time: int
    window: int
    selection: int
    target: int
    place: int


class Owner:
    """A program that has copied something, and answers who asks for it as `answer` does."""

    def __init__(self, bench: Bench, answer: Callable[[Owner, Request], None]) -> None:
        self.connection = bench.connect()
        self.atom = self.connection.atoms("CLIPBOARD", "UTF8_STRING", "STRING", "INCR", "image/png")
        self.window = self.connection.new_id()
        self.asked: list[Request] = []
        self.parts: Iterator[bytes] = iter(())
        self._answer = answer
        own = struct.pack("<BxHIII", 22, 4, self.window, self.atom["CLIPBOARD"], 0)
        self.connection.send(x.create_hidden_window(self.window, self.connection.root, 0), own)
        self.connection.sync()
        bench.run(self._work)

    def leave(self, request: Request, kind: str, content: bytes, *, width: int = 8, mode: int = 0) -> None:
        """Puts something where it was asked for."""
        padded = content + bytes(-len(content) % 4)
        head = (18, mode, 6 + len(padded) // 4, request.window, request.place, self.atom[kind], width)
        self.connection.send(struct.pack("<BBHIIIB3xI", *head, len(content) * 8 // width) + padded)

    def tell(self, request: Request, place: int | None = None) -> None:
        """Says that it is there; a place of 0 says that there is none."""
        place = request.place if place is None else place
        event = (31, 0, request.time, request.window, request.selection, request.target, place)
        self.connection.send(struct.pack("<BBHII", 25, 0, 11, request.window, 0) + struct.pack("<BxHIIIII8x", *event))

    def in_parts(self, request: Request, parts: Iterable[bytes]) -> None:
        """Says that it comes in parts, each when the last was taken."""
        self.parts = iter(parts)
        self.connection.send(x.select_events(request.window, x.PROPERTY_CHANGE))
        self.leave(request, "INCR", struct.pack("<I", 1), width=32)
        self.tell(request)

    def _work(self) -> None:
        self.connection.wait_event(0.02)
        while self.connection.events:
            event = self.connection.events.popleft()
            if event[0] == 30:
                when, _, window, selection, target, place = struct.unpack_from("<6I", event, 4)
                self.asked.append(Request(when, window, selection, target, place))
                self._answer(self, self.asked[-1])
            elif event[0] == x.PROPERTY_NOTIFY and event[16] == 1:
                part = next(self.parts, None)
                if part is not None:
                    self.leave(self.asked[-1], "UTF8_STRING", part)


def at_once(text: bytes, kind: str = "UTF8_STRING") -> Callable[[Owner, Request], None]:
    """Answers in one go who asks for this kind, and has nothing for others."""

    def answer(owner: Owner, request: Request) -> None:
        if request.target != owner.atom[kind]:
            return owner.tell(request, 0)
        owner.leave(request, kind, text)
        return owner.tell(request)

    return answer


def in_parts(*parts: bytes) -> Callable[[Owner, Request], None]:
    return lambda owner, request: owner.in_parts(request, parts)


def never(_: Owner, __: Request) -> None: ...


def a_picture(owner: Owner, request: Request) -> None:
    owner.leave(request, "image/png", b"\x89PNG")
    owner.tell(request)


def nothing_at_all(owner: Owner, request: Request) -> None:
    owner.tell(request)


def at_another_place(owner: Owner, request: Request) -> None:
    owner.leave(request, "UTF8_STRING", b"text")
    owner.tell(request, owner.atom["STRING"])


def drops(owner: Owner, request: Request) -> None:
    owner.in_parts(request, itertools.repeat(b"x"))


def parts_that_stop(owner: Owner, request: Request) -> None:
    owner.in_parts(request, (b"a part",))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no reason to fail."""
    monkeypatch.setattr("fairground.screen.x11.SECONDS", 30.0)


@pytest.fixture
def impatient(patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.screen.x11.SECONDS", 0.3)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (never, "in time"),
        (at_another_place, "in time"),
        (drops, "in time"),
        (parts_that_stop, "in time"),
        (a_picture, "not text"),
        (nothing_at_all, "not text"),
    ],
)
def test_an_owner_that_lies_or_keeps_silent_is_an_error_and_no_hang(
    bench: Bench, impatient: None, answer: Callable[[Owner, Request], None], said: str
) -> None:
    Owner(bench, answer)
    with pytest.raises(ScreenError, match=said):
        bench.screen.clipboard()


def test_what_is_far_too_long_is_cut(bench: Bench) -> None:
    long = "é" * (PART // 2)

    def one_property(owner: Owner, request: Request) -> None:
        for _ in range(20):
            owner.leave(request, "UTF8_STRING", long.encode(), mode=2)
        owner.tell(request)

    def endless(owner: Owner, request: Request) -> None:
        owner.in_parts(request, itertools.repeat(long.encode()))

    for answer in (one_property, in_parts(*[long.encode()] * 500, b""), endless):
        Owner(bench, answer)
        found = bench.screen.clipboard()
        assert found.cut and found.text == "é" * (MOST_BYTES // 2)


def test_a_screen_that_stands_still_is_an_error(bench: Bench, impatient: None) -> None:
    bench.sandbox.freeze()
    try:
        with pytest.raises(ScreenError, match="did not answer within"):
            bench.screen.clipboard()
    finally:
        bench.sandbox.thaw()
    assert bench.screen.clipboard() == Clipping("")


def test_control_characters_are_left_out_and_bytes_that_are_no_text_are_shown_as_such(bench: Bench) -> None:
    Owner(bench, at_once(b"a\x00b\x1b[31mc\td\r\ne\rf\x7f \xff <b>\xc2\x85"))
    assert bench.screen.clipboard() == Clipping("ab[31mc\td\ne\nf \ufffd <b>")


@pytest.mark.parametrize("text", ["lone \ud800 half", "\x80\x9f"])
def test_what_no_file_or_message_could_hold_is_left_out(text: str) -> None:
    assert clipping(text).text in ("lone  half", "")


def test_a_character_is_never_cut_in_two() -> None:
    found = clipping("x" + "é" * MOST_BYTES)
    assert found == Clipping("x" + "é" * (MOST_BYTES // 2 - 1), cut=True)


def test_text_comes_whole_in_the_kind_that_its_owner_has(bench: Bench) -> None:
    assert read_clipboard(bench.screen) == Clipping("")  # nobody has copied anything
    for answer, text in (
        (at_once("Grüße 🎪\n".encode()), "Grüße 🎪\n"),
        (at_once("Grüße".encode("latin-1"), "STRING"), "Grüße"),
        (at_once(b"\x89PNG", "image/png"), ""),
        (at_once(b""), ""),
        (in_parts("Grü".encode()[:3], "Grü".encode()[3:], b"x" * PART, b""), "Grü" + "x" * PART),
    ):
        owner = Owner(bench, answer)
        assert bench.screen.clipboard() == Clipping(text)
        held = bench.screen._connection.ask(struct.pack("<BxHI", 23, 2, owner.atom["CLIPBOARD"]))[0]
        assert x.value(held) == owner.window  # it is still theirs
        assert bench.screen.clipboard() == Clipping(text)


def test_the_screen_is_used_meanwhile(bench: Bench) -> None:
    slow, found = threading.Event(), list[Clipping]()

    def when_told(owner: Owner, request: Request) -> None:
        assert slow.wait(20)
        at_once(b"late")(owner, request)

    owner = Owner(bench, when_told)
    reader = threading.Thread(target=lambda: found.append(bench.screen.clipboard()))
    reader.start()
    until(lambda: owner.asked, "the question")
    for point in ((10.0, 20.0), (300.0, 200.0)):
        bench.screen.act(Move(point=point))
        assert bench.screen.cursor() == point
    assert bench.screen.settle().quiet and not found
    slow.set()
    reader.join(20)
    assert found == [Clipping("late")]


def test_a_real_editor_hands_over_what_was_copied_in_it(bench: Bench) -> None:
    long = "".join(f"{number} Zeilen, größer als eine Nachricht\n" for number in range(12_000))
    bench.sandbox.write_file("~/long.txt", long.encode())
    bench.open("mousepad", f"{bench.sandbox.home}/long.txt", title="long.txt")
    for keys in (("ctrl", "a"), ("ctrl", "c")):
        bench.screen.act(Key(keys=keys))
        bench.screen.settle()
    assert len(long.encode()) > 2 * PART
    assert bench.screen.clipboard() == Clipping(long)


def test_a_screen_without_a_clipboard_says_so() -> None:
    class Bare:
        backend = "vm"

    bare: Any = Bare()
    screen: Screen = bare
    with pytest.raises(ScreenError, match="the screen backend vm does not support reading the clipboard"):
        read_clipboard(screen)


FIELD = "<textarea id=t autofocus style='width:300px;height:200px'></textarea>"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as opened:
        yield opened


def copy_all(screen: CdpScreen) -> None:
    for keys in (("ctrl", "a"), ("ctrl", "c")):
        screen.act(Key(keys=keys))


def test_what_was_copied_in_a_page_is_read_without_the_page_noticing(page: Page) -> None:
    note = "for (const kind of ['blur', 'paste', 'visibilitychange', 'keydown']) "
    note += "addEventListener(kind, (event) => noted.push(event.type), true)"
    page.screen.renew()
    screen = page.show(f"{FIELD}<script>let noted = []; {note}</script>")
    assert screen.clipboard() == Clipping("")
    screen.evaluate("t.focus(); 1")
    screen.act(Type(text="Grüße 🎪\nund mehr"))
    copy_all(screen)
    screen.evaluate("noted = []; 1")
    before = screen.settle(), screen.grab().digest
    assert screen.clipboard() == screen.clipboard() == Clipping("Grüße 🎪\nund mehr")
    assert screen.evaluate("[noted, document.hasFocus(), document.activeElement.id]") == [[], True, "t"]
    assert before[0].quiet and screen.grab().digest == before[1]
    screen.renew()
    assert screen.clipboard() == Clipping("")


def test_a_page_cannot_put_more_on_it_than_is_read_nor_say_what_is_read(page: Page) -> None:
    lie = "navigator.clipboard.readText = async () => 'a lie'; "
    lie += "addEventListener('paste', (event) => event.preventDefault(), true)"
    screen = page.show(f"{FIELD}<script>{lie}</script>")
    screen.evaluate(f"t.value = 'é'.repeat({MOST_BYTES}); t.select(); document.execCommand('copy'); 1", 20.0)
    assert screen.clipboard() == Clipping("é" * (MOST_BYTES // 2), cut=True)


def test_pages_that_share_a_browser_have_each_their_own() -> None:
    sandbox = open_sandbox(SandboxSpec())
    try:
        shared = Browser(sandbox)
        one, other = (shared.open_page((300, 300), own_clipboard=True) for _ in range(2))
        for screen, text in ((one, "mine"), (other, "yours")):
            screen.navigate(f"data:text/html,{FIELD}<script>t.value='{text}';t.focus()</script>")
        copy_all(one)
        assert (one.clipboard(), other.clipboard()) == (Clipping("mine"), Clipping(""))
        copy_all(other)
        assert (one.clipboard(), other.clipboard()) == (Clipping("mine"), Clipping("yours"))
        shared.close()
    finally:
        sandbox.discard()
