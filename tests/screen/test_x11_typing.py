"""Text typed into real programs, and what they then hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import NAMED_KEYS, Click, Key, KeyDown, KeyUp, Type
from fairground.screen import keysyms
from fairground.screen import xrequests as x
from fairground.screen.layout import Layout

pytestmark = pytest.mark.process

OUT = "~/typed.txt"
TEXTS = {
    "every character of ASCII": "".join(map(chr, range(32, 127))),
    "accents": "àéîõüß ÀÉÎÕÜ çñÿ Œœ ǅ €",
    "typographic": "“quoted” – ‘so’ — …",
    "combining": "e\u0301 a\u0308 n\u0303 \u0301",
    "Greek and Cyrillic": "Ελληνικά Русский",
    "right to left": "שלום עולם مرحبا",
    "Chinese, Japanese, Korean": "漢字 テスト 한국어",
    "beyond the first plane": "😀🎉👩‍💻🇩🇪𝔘",
    "the same again and again": "aaaa éééé жжжж漢漢漢",
    "case within words": "aAaAéÉéÉжЖжЖ",
    "tabs": "a\tb\tc",
    "spaces": "a\u00a0b\u2009c  d",
}


QUICK = ("every character of ASCII", "combining", "Chinese, Japanese, Korean", "the same again and again")
"""What is typed into an editor, too; a terminal gets all."""


def arrives(read: Callable[[], str], text: str) -> None:
    """What arrives may take a moment to pass through the terminal, and must then be this and nothing else."""
    deadline = time.monotonic() + 10
    while read() != text and time.monotonic() < deadline:
        time.sleep(0.005)
    assert read() == text


class TestInATerminal:
    """One terminal for all of these tests."""

    @pytest.fixture(scope="class")
    @classmethod
    def bench(cls, _shared: Any) -> Iterator[Any]:
        """A desktop with xterm, and a program in it that keeps every byte it reads."""
        _shared.sandbox.write_file(OUT, b"")
        script = f"stty -echo -icanon -icrnl; cat > {OUT}"
        _shared.open("xterm", "-u8", "-T", "typing", "-e", "sh", "-c", script, title="typing")
        yield _shared
        _shared.clear()

    @pytest.fixture
    def terminal(self, bench: Any) -> Iterator[Callable[[], str]]:
        """Gives what has arrived since the test began."""
        before = len(bench.sandbox.read_file(OUT))
        yield lambda: bench.sandbox.read_file(OUT)[before:].decode(errors="replace")  # half a character may be there
        bench.screen.release()

    @pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
    def test_text_of_any_script_arrives_in_a_terminal(self, bench: Any, terminal: Callable[[], str], text: str) -> None:
        bench.screen.act(Type(text=text))
        arrives(terminal, text)

    def test_any_line_end_is_one_enter(self, bench: Any, terminal: Callable[[], str]) -> None:
        bench.screen.act(Type(text="a\nb\r\nc\rd"))
        arrives(terminal, "a\rb\rc\rd")

    def test_text_typed_without_waiting_in_between_arrives_whole_and_in_order(
        self, bench: Any, terminal: Callable[[], str]
    ) -> None:
        parts = ["plain ", "жзи ", "漢字 ", "more ", "ελλ ", "😀"]
        for part in parts:
            bench.screen.act(Type(text=part))
        arrives(terminal, "".join(parts))

    def test_more_characters_than_there_are_keys_to_lend_arrive(self, bench: Any, terminal: Callable[[], str]) -> None:
        text = "".join(f"{chr(0x4E00 + 7 * index % 300)}x" for index in range(600))
        bench.screen.act(Type(text=text))
        arrives(terminal, text)

    def test_a_long_text_arrives(self, bench: Any, terminal: Callable[[], str]) -> None:
        text = "The quick brown fox jumps over the lazy dog. " * 200
        bench.screen.act(Type(text=text))
        arrives(terminal, text)

    def test_capslock_does_not_invert_and_stays_on(self, bench: Any, terminal: Callable[[], str]) -> None:
        bench.screen.act(Key(keys=("capslock",)))
        try:
            bench.screen.act(Type(text="Grüße aus Жзи 1!"))
            arrives(terminal, "Grüße aus Жзи 1!")
            bench.screen.act(Key(keys=("a",)))
            arrives(terminal, "Grüße aus Жзи 1!A")
        finally:
            bench.screen.act(Key(keys=("capslock",)))

    def test_a_held_shift_does_not_change_the_text_and_stays_held(
        self, bench: Any, terminal: Callable[[], str]
    ) -> None:
        bench.screen.act(KeyDown(key="shift"))
        bench.screen.act(Type(text="abc 12 Öö"))
        bench.screen.act(Key(keys=("x",)))
        bench.screen.act(KeyUp(key="shift"))
        bench.screen.act(Key(keys=("x",)))
        arrives(terminal, "abc 12 ÖöXx")

    def test_another_layout_is_noticed(self, bench: Any, terminal: Callable[[], str]) -> None:
        text = "yz @€ ß ü 漢 {[]}"
        try:
            for layout in ("de", "fr", "us,ru", "us"):
                bench.screen.act(Type(text=text))  # lends keys that the next layout takes away
                bench.screen.settle()  # a program that is busy would read what was typed on the next layout
                bench.sandbox.run(["setxkbmap", layout], env=bench.desktop.env)
                bench.screen.settle()
            bench.sandbox.run(["setxkbmap", "de"], env=bench.desktop.env)
            bench.screen.act(Type(text=text))
            arrives(terminal, text * 5)
        finally:
            bench.sandbox.run(["setxkbmap", "us"], env=bench.desktop.env)
            bench.screen.settle()

    def test_text_arrives_while_another_group_of_the_layout_is_in_force(
        self, bench: Any, terminal: Callable[[], str]
    ) -> None:
        other = bench.connect()
        scroll_lock, opcode = 78, other.extension("XTEST")
        bench.sandbox.run(["setxkbmap", "us,ru", "-option", "grp:sclk_toggle"], env=bench.desktop.env)
        try:
            other.send(x.fake_input(opcode, x.KEY_PRESS, scroll_lock), x.fake_input(opcode, x.KEY_RELEASE, scroll_lock))
            other.sync()
            bench.screen.settle()
            bench.screen.act(Type(text="Latin и кириллица\n"))
            arrives(terminal, "Latin и кириллица\r")
        finally:
            bench.sandbox.run(["setxkbmap", "us", "-option", ""], env=bench.desktop.env)
            bench.screen.settle()


@pytest.mark.slow  # in namespaces as in the tests above
def test_text_arrives_whoever_runs_the_sandbox(each_bench: Any) -> None:
    text = "Grüße, Жзи 漢字 😀"
    script = f"stty -echo -icanon; touch {OUT}; cat > {OUT}"
    each_bench.open("xterm", "-u8", "-T", "typing", "-e", "sh", "-c", script, title="typing")
    each_bench.screen.act(Type(text=text))
    arrives(lambda: each_bench.sandbox.read_file(OUT).decode(), text)


class TestInAnEditor:
    """One GTK editor for all of these tests."""

    @pytest.fixture(scope="class")
    @classmethod
    def bench(cls, _shared: Any) -> Iterator[Any]:
        """A desktop with an editor that has a file open."""
        _shared.sandbox.write_file(OUT, b"")
        _shared.open("mousepad", _shared.sandbox.home + OUT[1:], title="Mousepad")
        yield _shared
        _shared.clear()

    @pytest.fixture
    def editor(self, bench: Any) -> Callable[[], str]:
        """Gives what is saved."""
        return lambda: bench.sandbox.read_file(OUT).decode()

    @pytest.mark.parametrize(
        "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in TEXTS]
    )
    def test_text_of_any_script_arrives_in_an_editor(self, bench: Any, editor: Any, name: str) -> None:
        text = TEXTS[name]
        bench.screen.act(Key(keys=("ctrl", "a")))
        bench.screen.act(Type(text=text))
        bench.screen.settle()
        bench.screen.act(Key(keys=("ctrl", "s")))
        arrives(editor, text)

    def test_three_clicks_select_a_line_to_type_over(self, bench: Any, editor: Any) -> None:
        bench.screen.act(Key(keys=("ctrl", "a")))
        bench.screen.act(Type(text="one two three"))
        bench.screen.settle()
        left, top, _, _ = bench.screen.windows()[-1].bounds
        bench.screen.act(Click(point=(left + 40, top + 75), count=3))
        bench.screen.settle()
        bench.screen.act(Type(text="four"))
        bench.screen.act(Key(keys=("ctrl", "s")))
        arrives(lambda: editor().strip(), "four")


def test_every_named_key_has_a_symbol() -> None:
    assert set(NAMED_KEYS) == set(keysyms.NAMED)


def test_every_named_key_reaches_the_program(bench: Any) -> None:
    client = bench.client()
    keys = [key for key in NAMED_KEYS if key not in ("capslock", "numlock", "scrolllock")]
    for key in keys:
        bench.screen.act(Key(keys=(key,)))
    bench.screen.settle()
    down = [event.detail for event in client.read() if event.kind == "key down"]
    assert len(down) == len(keys)


symbols = st.lists(st.integers(0x01000100, 0x01000100 + 40) | st.just(0xFFB5) | st.just(0x61), max_size=60)


@given(st.lists(symbols, max_size=5), st.sets(st.integers(182, 200), max_size=12))
def test_no_two_symbols_are_ever_lent_the_same_place(texts: list[list[int]], reserved: set[int]) -> None:
    rows = {code: (0x61, 0x41) if code == 38 else (0, 0) for code in range(8, 201)}
    layout = Layout(rows, frozenset(reserved))
    for text in texts:
        rest = text
        while rest:
            count, changed = layout.lend(rest)
            if not count:
                assert layout.capacity == 0
                break
            places = {symbol: layout.find(symbol) for symbol in rest[:count]}
            assert None not in places.values()
            assert len(set(places.values())) == len(places)
            for symbol, place in places.items():
                assert place is not None and place.keycode not in reserved
                if symbol != 0x61:
                    assert layout.row(place.keycode)[place.level] == symbol
            for code in changed:
                rows[code] = layout.row(code)
            layout = Layout(rows, frozenset(reserved), before=layout)
            assert places == {symbol: layout.find(symbol) for symbol in rest[:count]}
            rest = rest[count:]
