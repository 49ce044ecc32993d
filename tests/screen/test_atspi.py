"""The accessibility tree: of real programs on a real display, and of programs that lie."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jeepney import DBusAddress, HeaderFields, Message, MessageType, new_error, new_method_call, new_method_return
from jeepney.io.blocking import DBusConnection, open_dbus_connection

from fairground.core import Node, ScreenError
from fairground.screen.atspi import MAX_TEXT, find_bus, read_tree
from fairground.screen.dbuswire import Call, Incoming, Malformed, Refusal, Wire, encode_call, message_sizes

pytestmark = pytest.mark.process

DEADLINE = 30.0


def connect(address: str) -> socket.socket:
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        found.connect("\0" + address[1:] if address.startswith("@") else address)
    except OSError:
        found.close()
        raise
    return found


@dataclass
class Session:
    """A display, a session D-Bus and a window manager of our own."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)
    programs: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *argv: str, **more: Any) -> subprocess.Popen[bytes]:
        with (self.folder / f"{len(self.programs)}-{Path(argv[0]).name}.log").open("wb") as log:
            program = subprocess.Popen(
                argv, env=self.env, cwd=self.folder, stdout=log, stderr=log, start_new_session=True, **more
            )
        self.programs.append(program)
        return program

    def run(self, *argv: str) -> str:
        return subprocess.run(argv, env=self.env, check=True, capture_output=True, text=True, timeout=DEADLINE).stdout

    @property
    def bus(self) -> str:
        return find_bus(connect, self.env["DBUS_SESSION_BUS_ADDRESS"])

    def tree(self, **how: Any) -> Node:
        return read_tree(connect, self.bus, **{"timeout": DEADLINE, **how})

    def wait_for(self, condition: Callable[[Node], Any]) -> Node:
        """The first tree that meets a condition."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            tree = self.tree()
            if condition(tree):
                return tree
            time.sleep(0.02)
        raise AssertionError("the tree never came to show it:\n" + outline(tree))


def outline(node: Node, depth: int = 0) -> str:
    line = "  " * depth + f"{node.role} {node.name!r} {node.value[:40]!r} {node.bounds} {node.states}"
    return "\n".join([line, *(outline(child, depth + 1) for child in node.children[:40])])


def wait_until(condition: Callable[[], Any], what: str) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, f"no {what} in time"
        time.sleep(0.005)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with open_session(tmp_path_factory.mktemp("session")) as opened:
        yield opened


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session of its own for programs that lie, without any others."""
    with open_session(tmp_path_factory.mktemp("stage")) as opened:
        yield opened


@contextmanager
def open_session(folder: Path) -> Iterator[Session]:
    (folder / "run").mkdir(mode=0o700)
    (folder / "home").mkdir()
    opened = Session(folder)
    opened.env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder / "home"),
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "LANG": "C.UTF-8",
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/run/bus",
        "SAL_USE_VCLPLUGIN": "gtk3",
    }
    reader, writer = os.pipe()
    try:
        opened.start(
            *("Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x720x24", "-nolisten", "tcp", "-noreset"),
            pass_fds=(writer,),
        )
        os.close(writer)
        opened.env["DISPLAY"] = ":" + os.read(reader, 32).decode().strip()
        opened.start("dbus-daemon", "--session", "--nofork", f"--address=unix:path={folder}/run/bus")
        wait_until((folder / "run/bus").exists, "session bus")
        opened.start("openbox")
        yield opened
    finally:
        os.close(reader)
        _end(opened)


def _end(session: Session) -> None:
    """Ends what the session started, and what D-Bus started for it: all that have its runtime folder."""
    mark = f"XDG_RUNTIME_DIR={session.folder}/run".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                ours = mark in (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if ours and int(entry.name) != session.programs[0].pid:
                os.kill(int(entry.name), signal.SIGKILL)
    session.programs[0].terminate()  # a killed Xvfb would leave its lock and its socket behind
    for program in session.programs:
        program.wait()


@pytest.fixture(scope="module")
def editor(session: Session) -> Iterator[subprocess.Popen[bytes]]:
    (session.folder / "notes.txt").write_text("Grüße an alle\nzweite Zeile")
    program = session.start("mousepad", "--disable-server", str(session.folder / "notes.txt"))
    session.wait_for(lambda tree: tree.find("text"))
    yield program
    program.kill()
    program.wait()
    session.wait_for(lambda tree: not tree.children)


def test_a_text_editor_shows_its_title_menus_and_text_where_they_are(session: Session, editor: object) -> None:
    def laid_out(tree: Node) -> bool:  # the menu has its name before it has its place
        window, menu = tree.find("frame"), tree.find("menu", "Search")
        placed = window and menu and window.bounds and menu.bounds
        return bool(placed and window.bounds[0] <= menu.bounds[0] and window.bounds[1] < menu.bounds[1])

    tree = session.wait_for(laid_out)
    window = tree.find("frame")
    assert window is not None and "notes.txt" in window.name
    text = tree.find("text")
    assert text is not None and text.value == "Grüße an alle\nzweite Zeile"
    assert "cut" not in {state for node in tree.walk() for state in node.states}


def test_a_menu_s_items_are_there_only_while_it_is_open(session: Session, editor: object) -> None:
    tree = session.wait_for(lambda tree: tree.find("menu", "Search"))
    assert tree.find("menu item", "Find...") is None
    menu = tree.find("menu", "Search")
    assert menu is not None and menu.center is not None
    x, y = menu.center
    session.run("xdotool", "mousemove", str(x), str(y), "click", "1")
    opened = session.wait_for(lambda tree: any(node.name.startswith("Find") for node in tree.walk()))
    item = next(node for node in opened.walk() if node.name.startswith("Find"))
    assert item.bounds is not None and menu.bounds is not None
    assert item.bounds[1] >= menu.bounds[1] + menu.bounds[3], "an item hangs below its menu"
    session.run("xdotool", "key", "Escape")
    session.wait_for(lambda tree: not any(node.name.startswith("Find") for node in tree.walk()))


def test_a_limit_or_a_depth_cuts_the_tree_and_says_so(session: Session, editor: object) -> None:
    few = session.tree(limit=6)
    assert len(list(few.walk())) == 6
    assert any("cut" in node.states for node in few.walk())
    flat = session.tree(depth=2)
    application = flat.children[0]
    assert all(not window.children and "cut" in window.states for window in application.children)
    assert session.tree(limit=1).states == ("cut",)


def test_a_frozen_program_is_marked_and_costs_no_more_than_its_time(session: Session, editor: Any) -> None:
    os.kill(editor.pid, signal.SIGSTOP)
    try:
        tree = session.tree(timeout=0.3)
    finally:
        os.kill(editor.pid, signal.SIGCONT)
    assert [child.states for child in tree.children] == [("unresponsive",)]


def test_a_missing_bus_is_an_error_that_says_what_to_do(session: Session, tmp_path: Path) -> None:
    with pytest.raises(ScreenError, match=r"no D-Bus at .*nowhere") as error:
        read_tree(connect, f"unix:path={tmp_path}/nowhere,guid=0")
    assert "at-spi2-core" in (error.value.fix or "")
    with pytest.raises(ScreenError, match="not the address"):
        read_tree(connect, "tcp:host=localhost,port=1")
    with pytest.raises(ScreenError, match="the accessibility registry does not answer"):
        read_tree(connect, session.env["DBUS_SESSION_BUS_ADDRESS"])


# Calc


@pytest.fixture(scope="module")
def sheet(session: Session) -> Iterator[None]:
    (session.folder / "book.fods").write_text(_FLAT_BOOK)
    flags = ("--norestore", "--nologo", "--nofirststartwizard", "--nodefault", "--calc")
    program = session.start("soffice", *flags, str(session.folder / "book.fods"))
    session.wait_for(lambda tree: tree.find("table cell", "B2"))
    yield
    os.killpg(program.pid, signal.SIGKILL)
    program.wait()


_FLAT_BOOK = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="Sales">
<table:table-row><table:table-cell office:value-type="string"><text:p>Region</text:p></table:table-cell>
</table:table-row>
<table:table-row><table:table-cell/><table:table-cell office:value-type="float" office:value="1.5"><text:p>1.5</text:p>
</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body></office:document>"""


@pytest.mark.slow
def test_of_a_sheet_with_a_thousand_million_cells_only_those_in_sight_are_read(session: Session, sheet: None) -> None:
    tree = session.wait_for(lambda tree: tree.find("table cell", "B2"))
    table = tree.find("table")
    assert table is not None and "cut" in table.states
    assert 50 < len(table.children) < 2_000
    texts = {cell.name: cell.value for cell in table.children if cell.value}
    assert texts == {"A1": "Region", "B2": "1.5"}


@pytest.mark.slow
def test_a_cell_is_where_the_tree_says(session: Session, sheet: None) -> None:
    tree = session.wait_for(lambda tree: tree.find("table cell", "C7"))
    cell = tree.find("table cell", "C7")
    assert cell is not None and cell.center is not None
    session.run("xdotool", "mousemove", str(cell.center[0]), str(cell.center[1]), "click", "1")

    def is_chosen(tree: Node) -> bool:
        cell = tree.find("table cell", "C7")
        return cell is not None and "focused" in cell.states

    tree = session.wait_for(is_chosen)
    names = [node.value for node in tree.walk() if node.role == "text"]
    assert "C7" in names, "the name box beside the formula says so too"


# Programs that lie


Handler = Callable[[Message], "tuple[str, tuple[Any, ...]] | None"]
NULL = (":0.0", "/org/a11y/atspi/null")


class Liar:
    """A program that puts itself on the accessibility bus and answers as a handler says.

    The handler returns a signature and a body, or None for no answer at all; a KeyError is an honest refusal.
    """

    def __init__(self, bus: str, handler: Handler) -> None:
        self._connection: DBusConnection = open_dbus_connection(bus)
        self.name = self._connection.unique_name
        self._handler = handler
        registry = DBusAddress(
            "/org/a11y/atspi/accessible/root", bus_name="org.a11y.atspi.Registry", interface="org.a11y.atspi.Socket"
        )
        root = (self.name, "/org/a11y/atspi/accessible/root")
        # The registry asks back before it answers, so this is not a call that waits.
        self._connection.send(new_method_call(registry, "Embed", "(so)", (root,)))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                message = self._connection.receive()
                if message.header.message_type is not MessageType.method_call:
                    continue
                try:
                    answer = self._handler(message)
                except KeyError:
                    self._connection.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))
                    continue
                if answer is not None:
                    self._connection.send(new_method_return(message, *answer))
            except (OSError, EOFError):
                return

    def close(self) -> None:
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._connection.close()


SHOWING = 1 << 25


def member(message: Message) -> str:
    return str(message.header.fields[HeaderFields.member])


def path(message: Message) -> str:
    return str(message.header.fields[HeaderFields.path])


def properties(name: str, children: int) -> tuple[str, tuple[Any, ...]]:
    return "a{sv}", ({"Name": ("s", name), "ChildCount": ("i", children)},)


def honest(name: str = "liar") -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Answers of a program with one push button."""
    return {
        "GetState": ("au", ([SHOWING, 0],)),
        "GetRole": ("u", (43,)),
        "GetAll": properties(name, 0),
        "GetExtents": ("(iiii)", ((1, 2, 3, 4),)),
        "GetChildren": ("a(so)", ([],)),
    }


@pytest.fixture
def lie(stage: Session) -> Iterator[Callable[[Handler], Liar]]:
    liars: list[Liar] = []

    def start(handler: Handler) -> Liar:
        liars.append(Liar(stage.bus, handler))
        name = liars[-1].name
        registered = Call(
            "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root", "org.a11y.atspi.Accessible", "GetChildren",
            "a(so)",
        )  # fmt: skip

        def known() -> bool:
            found = stage.bus.removeprefix("unix:path=").split(",")[0]
            with Wire(connect(found), time.monotonic() + DEADLINE) as wire:
                reply = wire.ask(registered)
            return not isinstance(reply, Refusal) and any(bus == name for bus, _ in reply[0])

        wait_until(known, "entry in the registry")
        return liars[-1]

    yield start
    for liar in liars:
        liar.close()


def read_lies(stage: Session, **how: Any) -> Node:
    tree = stage.tree(**how)
    return next(child for child in tree.children if child.name in ("liar", ""))


def test_an_endless_tree_ends_at_the_limit(stage: Session, lie: Callable[[Handler], Liar]) -> None:
    count = 0

    def handler(message: Message) -> tuple[str, tuple[Any, ...]]:
        nonlocal count
        if member(message) == "GetChildren":
            count += 3
            own = message.header.fields[HeaderFields.destination]
            return "a(so)", ([(own, f"/n{count - number}") for number in range(3)],)
        return {**honest(), "GetAll": properties("liar", 3)}[member(message)]

    lie(handler)
    tree = stage.tree(limit=200, depth=500)
    assert len(list(tree.walk())) <= 200
    assert any("cut" in node.states for node in tree.walk())


def test_endless_objects_that_do_not_show_end_too(stage: Session, lie: Callable[[Handler], Liar]) -> None:
    asked = 0

    def handler(message: Message) -> tuple[str, tuple[Any, ...]]:
        nonlocal asked
        own = message.header.fields[HeaderFields.destination]
        depth = path(message).count("/x")
        if member(message) == "GetChildren":
            if depth == 0:
                return "a(so)", ([(own, "/x"), (own, "/x/x")],)
            return "a(so)", ([(own, f"{path(message)}/h{number}") for number in range(10_000)],)
        asked += 1
        answers = {**honest(), "GetAll": properties("liar", 2 if depth == 0 else 100)}
        answers["GetState"] = ("au", ([0, 0] if "/h" in path(message) else [SHOWING, 0],))
        return answers[member(message)]

    lie(handler)
    found = read_lies(stage, limit=100)
    assert len(list(found.walk())) == 3
    assert asked < 10_000
    assert any("cut" in node.states for node in found.walk())


def test_a_cycle_is_read_once(stage: Session, lie: Callable[[Handler], Liar]) -> None:
    def handler(message: Message) -> tuple[str, tuple[Any, ...]]:
        own = message.header.fields[HeaderFields.destination]
        if member(message) == "GetChildren":
            return "a(so)", ([(own, "/a"), (own, "/b"), (own, "/org/a11y/atspi/accessible/root")],)
        return {**honest(), "GetAll": properties("liar", 3)}[member(message)]

    lie(handler)
    assert len(list(read_lies(stage).walk())) == 3


@pytest.mark.parametrize("columns", [None, 16384, -5, 2**31 - 1])
def test_a_thousand_million_children_are_never_asked_for(
    stage: Session, lie: Callable[[Handler], Liar], columns: int | None
) -> None:
    asked: list[str] = []

    def handler(message: Message) -> tuple[str, tuple[Any, ...]]:
        own = message.header.fields[HeaderFields.destination]
        asked.append(member(message))
        answers = {**honest(), "GetAll": properties("liar", 0)}
        answers["GetAccessibleAtPoint"] = ("(so)", ((own, f"/corner{len(asked)}"),))
        answers["GetIndexInParent"] = ("i", (len(asked) * 10_000_000,))
        if columns is not None:
            answers["Get"] = ("v", (("i", columns),))
        if path(message).endswith("root"):
            answers["GetAll"] = properties("liar", 2**31 - 1)
            answers["GetExtents"] = ("(iiii)", ((0, 0, 1000, 1000),))
            answers["GetChildAtIndex"] = answers["GetAccessibleAt"] = ("(so)", ((own, f"/child{len(asked)}"),))
        return answers[member(message)]

    lie(handler)
    found = read_lies(stage, limit=50)
    assert "GetChildren" not in asked
    assert len(asked) < 1_000
    assert len(list(found.walk())) <= 50
    assert "cut" in found.states


def test_texts_are_cut_and_nonsense_is_left_out(stage: Session, lie: Callable[[Handler], Liar]) -> None:
    def handler(message: Message) -> tuple[str, tuple[Any, ...]]:
        own = message.header.fields[HeaderFields.destination]
        if path(message).endswith("root"):
            answers = {**honest(), "GetAll": properties("liar", 5)}
            strangers = [("garbage name", "/a"), ("", "/b"), (":1.99999", "/gone"), NULL, (own, "/real")]
            return {**answers, "GetChildren": ("a(so)", (strangers,))}[member(message)]
        answers = {
            "GetState": ("au", ([SHOWING, 0, 0xFFFFFFFF, 7],)),
            "GetRole": ("u", (0xFFFFFFFF,)),
            "GetAll": ("a{sv}", ({"Name": ("s", "n" * 1_000_000), "ChildCount": ("s", "many")},)),
            "GetExtents": ("(iiii)", ((-(2**31), 0, 2**31 - 1, -7),)),
        }
        return answers[member(message)]

    lie(handler)
    (child,) = read_lies(stage).children
    assert child == Node("unknown", "n" * MAX_TEXT)


def test_answers_of_the_wrong_type_or_size_are_refused(stage: Session, lie: Callable[[Handler], Liar]) -> None:
    def handler(message: Message) -> tuple[str, tuple[Any, ...]]:
        if member(message) == "GetAll":
            return properties("liar" + "x" * 10_000_000, 1)
        if member(message) == "GetChildren":
            return "s", ("no list",)
        return honest()[member(message)]

    lie(handler)
    found = read_lies(stage)
    assert (found.name, found.children) == ("", ())


def test_one_that_never_answers_leaves_time_for_the_others(stage: Session, lie: Callable[[Handler], Liar]) -> None:
    lie(lambda message: None)
    lie(lambda message: honest("honest")[member(message)])
    tree = stage.tree(timeout=1.0)
    assert ("unresponsive",) in [child.states for child in tree.children]
    assert "honest" in [child.name for child in tree.children]


# The wire


def answer_with(script: bytes) -> tuple[socket.socket, threading.Thread]:
    """A bus that says this, whatever it is asked."""
    ours, theirs = socket.socketpair()

    def speak() -> None:
        with theirs:
            try:
                theirs.sendall(script)
                while theirs.recv(65536):
                    pass
            except OSError:
                pass

    thread = threading.Thread(target=speak, daemon=True)
    thread.start()
    return ours, thread


GREETING = b"DATA\r\nOK 1234\r\n"


def message(kind: int, fields: bytes, body: bytes = b"") -> bytes:
    head = bytes((0x6C, kind, 0, 1)) + len(body).to_bytes(4, "little") + (1).to_bytes(4, "little")
    return head + len(fields).to_bytes(4, "little") + fields + bytes(-len(fields) % 8) + body


REPLIES_TO_FIRST = b"\x05\x01u\0\x01\0\0\0"


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        (b"\xff" * 10_000, "invalid answer to the authentication"),
        (b"REJECTED EXTERNAL\r\n", "refused"),
        (GREETING + b"HTTP/1.1 200 OK\r\n\r\n<html>", "invalid D-Bus message"),
        (GREETING + b"l\x02\0\x01" + b"\xff" * 12, "invalid D-Bus message"),
        # An empty struct in an array: elements without bytes, so a reader that only counts bytes never ends.
        (GREETING + message(2, REPLIES_TO_FIRST + b"\x08\x03a()\0" + bytes(2)), "invalid D-Bus message"),
        (GREETING + message(2, REPLIES_TO_FIRST + b"\x08\x01g\0\x03a()\0"), "instead of 's'"),
        (GREETING + message(2, REPLIES_TO_FIRST + b"\x08\x01g\0\x01s\0", b"\xff\xff\xff\x7fhi\0"), "past the end"),
        (GREETING + message(3, REPLIES_TO_FIRST), "unnamed error"),
    ],
    ids=["noise", "rejected", "http", "absurd sizes", "bad field", "wrong type", "long text", "error"],
)
def test_a_bus_that_speaks_nonsense_is_an_error(script: bytes, complaint: str) -> None:
    ours, thread = answer_with(script)
    with pytest.raises(ScreenError, match=complaint):
        Wire(ours, time.monotonic() + DEADLINE)
    thread.join()


def test_a_bus_that_says_nothing_is_given_up_at_the_deadline() -> None:
    ours, theirs = socket.socketpair()
    with theirs, pytest.raises(ScreenError, match="in time"):
        Wire(ours, time.monotonic() + 0.05)


def test_our_calls_are_what_another_implementation_reads() -> None:
    call = Call(":1.7", "/a/b_2", "org.example.Some", "Do", "s", "siiu", ("Grüße", -5, 7, 2**32 - 1))
    read = Message.from_buffer(encode_call(call, 77))
    assert read.header.serial == 77
    assert read.body == ("Grüße", -5, 7, 2**32 - 1)
    fields = read.header.fields
    assert (fields[HeaderFields.destination], fields[HeaderFields.path]) == (":1.7", "/a/b_2")
    assert (fields[HeaderFields.interface], fields[HeaderFields.member]) == ("org.example.Some", "Do")


variants = st.one_of(
    st.tuples(st.just("s"), st.text(max_size=20)),
    st.tuples(st.just("i"), st.integers(-(2**31), 2**31 - 1)),
    st.tuples(st.just("d"), st.floats(allow_nan=False)),
    st.tuples(st.just("b"), st.booleans()),
    st.tuples(st.just("(so)"), st.tuples(st.text(max_size=9), st.just("/x"))),
    st.tuples(st.just("as"), st.lists(st.text(max_size=9), max_size=5)),
)


@given(st.dictionaries(st.text(max_size=9), variants, max_size=6), st.lists(st.integers(0, 2**32 - 1), max_size=4))
def test_another_implementation_s_answers_are_read_as_they_were_meant(
    found: dict[str, tuple[str, Any]], words: list[int]
) -> None:
    request = Message.from_buffer(encode_call(Call(":1.1", "/a", "a.b", "C", ""), 5))
    sent = new_method_return(request, "a{sv}au", (found, words)).serialise(serial=9)
    read = Incoming(sent)
    assert read.reply_serial == 5
    assert read.reply("a{sv}au") == ([(key, value[1]) for key, value in found.items()], words)


@given(st.data())
def test_a_damaged_message_is_refused_or_read_but_never_breaks(data: st.DataObject) -> None:
    request = Message.from_buffer(encode_call(Call(":1.1", "/a", "a.b", "C", ""), 5))
    body = ([(":1.2", "/x"), (":1.3", "/y")], {"Name": ("s", "text"), "Deep": ("v", ("v", ("as", ["a"])))})
    raw = bytearray(new_method_return(request, "a(so)a{sv}", body).serialise(serial=9))
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        _, size = message_sizes(raw)
        if size <= len(raw):
            Incoming(bytes(raw[:size])).reply("a(so)a{sv}")
    except (Malformed, struct.error, UnicodeDecodeError) as error:
        assert str(error)
