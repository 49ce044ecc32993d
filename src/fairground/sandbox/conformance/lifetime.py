"""Freezing, resource usage, concurrent callers, and the end."""

from __future__ import annotations

import select
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from fairground.core import SandboxError, StateError
from fairground.sandbox.conformance.subject import SECONDS, RunnerSubject, exists, raised, says, until
from fairground.sandbox.protocol import MEGABYTE, Limits, Sandbox, SandboxSpec


class LifetimeConformance(RunnerSubject):
    """Tests of `freeze`, `thaw`, `cpu_seconds`, `memory_bytes` and `discard`."""

    # --- freezing ----------------------------------------------------------------------------------------------------

    def test_a_frozen_sandbox_stands_still_and_goes_on(self) -> None:
        with self.sandbox() as box:
            box.start(["sh", "-c", "while :; do echo x >> counter; done"])
            box.start(["sh", "-c", "while :; do (echo x >> forks); done"])
            until(lambda: exists(box, "~/counter", "\n") and exists(box, "~/forks"), "the programs did not start")
            for _ in range(3):
                box.freeze()
                assert box.frozen and box.alive
                box.freeze()  # a second call has no effect
                before = (box.read_file("~/counter"), box.read_file("~/forks"))
                watched = time.monotonic() + 0.2
                while time.monotonic() < watched:
                    assert (box.read_file("~/counter"), box.read_file("~/forks")) == before
                box.write_file("~/while-frozen", b"x")
                assert box.list_files()
                box.thaw()
                box.thaw()
                assert not box.frozen
                until(lambda before=before: box.read_file("~/counter") != before[0], "it did not continue")

    def test_nothing_is_started_while_frozen(self) -> None:
        with self.sandbox() as box:
            box.freeze()
            raised(SandboxError, lambda: box.run(["true"]))
            raised(SandboxError, lambda: box.start(["true"]))
            box.thaw()
            assert box.run(["echo", "on"]).stdout == b"on\n"

    def test_a_frozen_sandbox_can_be_discarded(self) -> None:
        with self.sandbox() as box:
            program = box.start(["sh", "-c", "while :; do :; done"])
            box.freeze()
            box.discard()
            assert not box.alive and program.poll() is not None

    # --- resource usage ----------------------------------------------------------------------------------------------

    def test_processor_time_advances_when_busy_and_rests_when_idle(self) -> None:
        with self.sandbox() as box:
            box.start(["sleep", "1000"])
            until(lambda: self._rests(box), "an idle sandbox uses CPU time")
            before = box.cpu_seconds()
            busy = box.start(["sh", "-c", "while :; do :; done"])
            until(lambda: box.cpu_seconds() > before + 0.2, "a busy sandbox uses no CPU time")
            busy.kill()
            busy.wait(SECONDS)
            until(lambda: self._rests(box), "a sandbox uses CPU time after its program ended")
            assert box.cpu_seconds() > before + 0.1

    def _rests(self, box: Sandbox) -> bool:
        before = box.cpu_seconds()
        select.select([], [], [], 0.1)
        return box.cpu_seconds() - before < 0.02

    def test_memory_in_use_is_counted(self) -> None:
        with self.sandbox() as box:
            before = box.memory_bytes()
            assert before >= 0
            box.start(["perl", "-e", "$x = 'x' x 80_000_000; sleep 1000"])
            until(lambda: box.memory_bytes() > before + 70 * MEGABYTE, "memory in use is not counted")

    def test_limits_are_kept_or_the_notes_say_so(self) -> None:
        limits = Limits(memory=64 * MEGABYTE, processes=40, cpus=0.5)
        with self.sandbox(SandboxSpec(limits=limits)) as box:
            if not says(box, "memory"):
                done = box.run(["perl", "-e", "$x = 'x' x 200_000_000; print 'got it'"], check=False)
                assert done.code != 0 and b"got it" not in done.stdout
                error = raised(SandboxError, lambda: box.run(["perl", "-e", "$x = 'x' x 200_000_000"]))
                assert "memory" in error.message
            if not says(box, "process"):
                assert int(box.run(["perl", "-e", _FORK_200]).stdout) < 45
            assert box.alive

    # --- discarding --------------------------------------------------------------------------------------------------

    def test_everything_ends_with_the_sandbox(self) -> None:
        box = self.make(SandboxSpec())
        programs = [box.start(["sh", "-c", "trap '' TERM INT HUP; while :; do sleep 0.1; done"]) for _ in range(3)]
        box.run(["sh", "-c", "(setsid sleep 1000 &)"])
        box.discard()
        assert not box.alive
        assert all(program.poll() is not None and program.wait(0) is not None for program in programs)
        box.discard()  # a second call has no effect

    def test_every_call_after_the_end_is_a_sandbox_error(self) -> None:
        box = self.make(SandboxSpec())
        program = box.start(["sleep", "1000"])
        box.discard()
        calls: list[Callable[[], object]] = [
            lambda: box.run(["true"]),
            lambda: box.start(["true"]),
            lambda: box.read_file("~/x"),
            lambda: box.write_file("~/x", b""),
            lambda: box.list_files(),
            lambda: box.connect(1),
            lambda: box.listen(),
            lambda: box.cpu_seconds(),
            lambda: box.memory_bytes(),
            lambda: box.freeze(),
            lambda: box.thaw(),
        ]
        for call in calls:
            raised(SandboxError, call)
        program.kill()
        assert program.wait(1) != 0
        program.output()

    def test_discarding_ends_what_other_threads_wait_for(self) -> None:
        box = self.make(SandboxSpec())
        box.run(["true"])
        with ThreadPoolExecutor(2) as pool:
            waiting = pool.submit(box.run, ["sleep", "1000"])
            program = box.start(["sleep", "1000"])
            also = pool.submit(program.wait)
            box.discard()
            assert isinstance(waiting.exception(SECONDS), SandboxError)
            assert also.result(SECONDS) != 0

    # --- concurrency -------------------------------------------------------------------------------------------------

    def test_several_threads_use_it_at_once(self) -> None:
        def work(number: int) -> None:
            for turn in range(8):
                data = f"{number} {turn}".encode() * 1000
                box.write_file(f"~/{number}/file", data)
                assert box.run(["cat", f"{number}/file"]).stdout == data
                assert box.read_file(f"~/{number}/file") == data
                program = box.start(["sh", "-c", f"echo {number}; exit {number}"])
                assert program.wait(SECONDS) == number and program.output() == f"{number}\n"
                raised(StateError, lambda: box.read_file("~/missing"))

        with self.sandbox() as box, ThreadPoolExecutor(6) as pool:
            for result in [pool.submit(work, number) for number in range(6)]:
                result.result(SECONDS * 3)

    def test_sandboxes_live_side_by_side(self) -> None:
        with self.sandbox() as first, self.sandbox() as second:
            first.write_file("~/mine", b"one")
            raised(StateError, lambda: second.read_file("~/mine"))
            first.discard()
            assert second.run(["echo", "here"]).stdout == b"here\n"


_FORK_200 = """
my $n = 0;
while ($n < 200) { my $p = fork; last if !defined $p; if (!$p) { sleep 1000 } $n++ }
print $n
"""
