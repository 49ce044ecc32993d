"""Windows as a screen lists them, and the desktop around them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from fairground.core import Click, Key
from fairground.screen import open_desktop

pytestmark = pytest.mark.process


def until(condition: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + 30
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited for {what}"
        time.sleep(0.005)
    return found


def titles(bench: Any) -> list[str]:
    return [window.title for window in bench.screen.windows()]


def test_windows_have_titles_bounds_and_an_order(bench: Any) -> None:
    bench.client((100, 100, 300, 200), "first ü漢")
    bench.client((500, 100, 300, 200), "second")
    assert titles(bench) == ["first ü漢", "second"]
    first, second = bench.screen.windows()
    assert (first.focused, second.focused) == (False, True)
    left, top, width, height = first.bounds
    # The frame that the window manager draws belongs to the window.
    assert 80 <= left <= 100 and 70 <= top <= 100
    assert 300 <= width <= 320 and 200 < height <= 240


def test_a_click_brings_a_window_to_the_front(bench: Any) -> None:
    bench.client((100, 100, 300, 200), "first")
    bench.client((300, 150, 300, 200), "second")
    bench.screen.act(Click(point=(150, 200)))
    bench.screen.settle()
    assert titles(bench) == ["second", "first"]
    assert bench.screen.windows()[-1].focused


def test_alt_tab_goes_to_the_other_window(bench: Any) -> None:
    bench.client((100, 100, 300, 200), "first")
    bench.client((500, 150, 300, 200), "second")
    bench.screen.act(Key(keys=("alt", "tab")))
    bench.screen.settle()
    assert next(window.title for window in bench.screen.windows() if window.focused) == "first"


def test_the_close_button_closes(bench: Any) -> None:
    bench.open("xterm", "-T", "victim", title="victim")
    left, top, width, _ = bench.screen.windows()[0].bounds
    bench.screen.act(Click(point=(left + width - 10, top + 8)))
    bench.screen.settle()
    assert titles(bench) == []


@pytest.mark.parametrize("button", ["left", "middle", "right"])
def test_the_background_offers_no_way_out(bench: Any, button: Any) -> None:
    bench.screen.act(Click(point=(900, 600)))
    bench.screen.settle()
    before = bench.screen.grab()
    bench.screen.act(Click(point=(900, 600), button=button))
    bench.screen.settle()
    assert bench.screen.grab().digest == before.digest
    assert titles(bench) == []


@pytest.mark.parametrize("title", ["a\nb\x07c", "x" * 5_000, "\u202ebackwards\U0010ffff"])
def test_a_strange_title_is_made_readable(bench: Any, title: str) -> None:
    bench.client(title=title, wait=False)
    until(lambda: titles(bench), "a window")
    (found,) = titles(bench)
    assert 0 < len(found) <= 512
    assert found.isprintable()


def test_very_many_windows_are_listed_up_to_a_limit(bench: Any) -> None:
    for number in range(140):
        bench.client((number, number, 50, 50), f"window {number}", wait=False)
    until(lambda: len(titles(bench)) >= 128, "many windows")
    bench.screen.settle(20)
    assert len(titles(bench)) == 128


def test_windows_are_listed_without_a_window_manager(each_bench: Any) -> None:
    other = open_desktop(each_bench.sandbox, window_manager=False, accessibility=False)
    try:
        each_bench.sandbox.start(["xterm", "-T", "lonely"], env=other.env)
        until(lambda: [window.title for window in other.screen.windows()] == ["lonely"], "the window")
        assert other.screen.settle().quiet
        other.screen.act(Click(point=(50, 50)))
        assert other.screen.settle().quiet
    finally:
        other.close()


def test_the_accessibility_tree_of_a_program_can_be_read(bench: Any) -> None:
    bench.open("mousepad", title="Mousepad")
    frame = until(lambda: bench.screen.tree().find("frame"), "the program in the tree")
    assert "Mousepad" in frame.name
