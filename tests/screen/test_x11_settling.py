"""When settling returns: not before a program has reacted, not after the screen has come to rest."""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any

import pytest

from fairground.core import Click, Key, Move, Type
from fairground.screen.framebuffer import Box
from fairground.screen.settling import Meter, wait_until_quiet

pytestmark = pytest.mark.process

RED, GREEN = 0xFF0000, 0x00FF00
# Works for a while without drawing anything, then turns the window red.
COMPUTE = "read -r line; i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; printf '\\033[41m\\033[2J'; sleep 600"


def red(frame: Any) -> float:
    """The share of the screen that is red."""
    pixels = frame.pixels.astype(int)
    return float(((pixels[..., 0] > 180) & (pixels[..., 1] < 60) & (pixels[..., 2] < 60)).mean())


def test_an_empty_desktop_is_quiet(bench: Any) -> None:
    bench.screen.act(Click(point=(640, 400)))
    settled = bench.screen.settle()
    assert settled.quiet
    assert settled.reason == ""


def test_settling_waits_for_a_program_that_computes_before_it_draws(bench: Any) -> None:
    bench.open("xterm", "-T", "compute", "-e", "sh", "-c", COMPUTE, title="compute")
    bench.screen.act(Key(keys=("enter",)))
    assert bench.screen.settle(60).quiet
    assert red(bench.screen.grab()) > 0.1


def test_settling_waits_for_a_window_that_answers_late(bench: Any) -> None:
    client = bench.client(ping=True)
    bench.screen.act(Click(point=(400, 300)))

    def react() -> None:
        # Answers long after the input, having drawn: nothing moves on the screen and no time is used until then.
        deadline = time.monotonic() + 0.4
        while time.monotonic() < deadline:
            client.read()
            bench.stop.wait(0.01)
        client.fill((0, 0, 600, 400), RED)
        client.pong()

    thread = threading.Thread(target=react)
    thread.start()
    settled = bench.screen.settle(20)
    frame = bench.screen.grab()
    thread.join()
    assert settled.quiet
    assert red(frame) > 0.2


def test_a_window_that_never_answers_is_named(bench: Any) -> None:
    bench.client(title="stuck ü", ping=True)
    bench.screen.act(Click(point=(400, 300)))
    settled = bench.screen.settle(0.3)
    assert not settled.quiet
    assert settled.reason == "the window 'stuck ü' has not answered"
    assert settled.seconds >= 0.3


def test_a_window_that_never_answers_costs_its_whole_deadline_only_once(bench: Any) -> None:
    client = bench.client(ping=True)
    bench.screen.act(Click(point=(400, 300)))
    bench.screen.settle(1.0)
    bench.screen.act(Click(point=(450, 350)))
    settled = bench.screen.settle(60)
    assert not settled.quiet
    assert settled.seconds < 30
    bench.run(lambda: client.pong() or bench.stop.wait(0.005))  # type: ignore[func-returns-value]
    bench.screen.act(Click(point=(400, 300)))
    assert bench.screen.settle(10).quiet


def test_a_window_that_the_input_closes_is_not_waited_for(bench: Any) -> None:
    client = bench.client(ping=True)
    bench.screen.act(Click(point=(400, 300)))
    closer = threading.Timer(0.2, client.connection.close)
    closer.start()
    assert bench.screen.settle(30).quiet
    closer.join()
    assert bench.screen.windows() == ()


def test_an_endless_animation_is_given_up_at_the_deadline(bench: Any) -> None:
    loop = "while :; do i=$((i+1)); printf '%s ' $i; done"
    bench.start("xterm", "-T", "endless", "-e", "sh", "-c", loop)
    assert bench.screen.wait_change(20)
    settled = bench.screen.settle(0.5)
    assert not settled.quiet
    assert settled.reason in ("the picture keeps changing", "programs are still working")
    assert settled.seconds >= 0.5


def test_a_small_animation_is_not_mistaken_for_a_caret() -> None:
    places = itertools.count(20, 8)
    reason = wait_until_quiet(
        lambda: Box(next(places), 100, 3, 12), time.sleep, Meter(None), deadline=time.monotonic() + 0.2, reacted=False
    )
    assert reason == "the picture keeps changing"


def test_what_is_drawn_while_the_programs_are_counted_is_waited_for() -> None:
    drawn: list[Box] = []
    counted = itertools.count()

    def count() -> int:
        if next(counted) == 0:  # counting waits for the kernel, and meanwhile a program draws and rests again
            drawn.append(Box(0, 0, 600, 400))
        return 0

    reason = wait_until_quiet(
        lambda: drawn.pop() if drawn else None,
        time.sleep,
        Meter(None),
        deadline=time.monotonic() + 60,
        reacted=False,
        at_work=count,
    )
    assert reason == ""
    assert next(counted) == 2


def test_a_blinking_caret_is_not_waited_for(bench: Any) -> None:
    client = bench.client()
    colours = itertools.cycle((0x000000, 0xFFFFFF))
    bench.run(lambda: client.fill((100, 100, 2, 18), next(colours)) or bench.stop.wait(0.008))  # type: ignore[func-returns-value]
    assert bench.screen.settle(30).quiet


def test_the_caret_of_an_editor_does_not_blink(bench: Any) -> None:
    bench.open("mousepad", title="Mousepad")
    bench.screen.act(Type(text="caret"))
    assert bench.screen.settle().quiet
    assert not bench.screen.wait_change(1.5)


@pytest.mark.parametrize("keys", [("alt", "d"), pytest.param(("enter",), marks=pytest.mark.slow)])
def test_settling_waits_for_a_button_that_a_key_presses(bench: Any, keys: tuple[str, ...]) -> None:
    bench.open("mousepad", title="Mousepad")
    bench.screen.act(Type(text="unsaved"))
    bench.screen.settle()
    bench.screen.act(Key(keys=("ctrl", "w")))
    bench.screen.settle()
    question = [window.title for window in bench.screen.windows()]
    assert len(question) == 2
    bench.screen.act(Key(keys=keys))  # do not save; or cancel, or save as
    bench.screen.settle()
    assert [window.title for window in bench.screen.windows()] != question


def test_busy_programs_are_waited_for_although_nothing_is_drawn(bench: Any) -> None:
    bench.keep_busy()
    settled = bench.screen.settle(0.3)
    assert not settled.quiet
    assert settled.reason == "programs are still working"


def test_a_window_manager_that_died_is_not_waited_for(own_bench: Any) -> None:
    own_bench.screen.settle()
    manager = own_bench.desktop.processes["openbox"]
    manager.kill()
    manager.wait(10)
    own_bench.screen.act(Click(point=(100, 100)))
    assert own_bench.screen.settle(20).quiet


def test_a_timeout_of_nothing_returns_at_once(bench: Any) -> None:
    assert bench.screen.settle(0).seconds < 5


def test_a_change_wakes_whoever_waits_for_it(bench: Any) -> None:
    client = bench.client()
    bench.screen.act(Move(point=(20, 20)))
    bench.screen.settle()
    assert not bench.screen.wait_change(0.05)
    painter = threading.Timer(0.1, client.fill, ((10, 10, 50, 50), RED))
    painter.start()
    assert bench.screen.wait_change(30)
    painter.join()


@pytest.mark.parametrize("used", [0.0, 1.0])
def test_without_knowing_processor_time_the_picture_decides(used: float) -> None:
    changes = iter([Box(0, 0, 9, 9), Box(5, 5, 90, 9)])
    reason = wait_until_quiet(
        lambda: next(changes, None), time.sleep, Meter(None, used), deadline=time.monotonic() + 60, reacted=False
    )
    assert reason == ""
    assert next(changes, None) is None


def test_a_program_that_is_kept_from_running_is_not_taken_for_one_at_rest(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What a loaded machine does: no processor time is used, and yet there is work to do.
    waiting = iter([2, 1, 1])
    monkeypatch.setattr(bench.screen, "_at_work", lambda: next(waiting, 0))
    assert bench.screen.settle(5.0).quiet
    assert next(waiting, None) is None, "it asked until nobody was at work"
