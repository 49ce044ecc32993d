"""Tests that any runner can be put through: what the `Sandbox` protocol says, as things that happen.

Subclass `RunnerConformance` in a test module and name your runner; pytest does the rest:

    from fairground.sandbox.conformance import IsolationConformance, RunnerConformance

    class TestMine(RunnerConformance):
        runner = "mine"

    class TestMineIsolates(IsolationConformance):
        runner = "mine"

Inside a sandbox the tests use a POSIX shell, the usual small tools, and Perl, which every Debian machine has.
Nothing of pytest is imported, so they also run under another runner of tests, or by hand.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fairground.core import FairgroundError, InvalidInput, MissingPrerequisite, SandboxError, StateError
from fairground.sandbox.protocol import MEGABYTE, Limits, Process, Sandbox, SandboxSpec
from fairground.sandbox.runners import open_sandbox

_SECONDS = 20.0  # a deadline that a busy machine does not miss


class RunnerSubject:
    """Which runner is put to the test: set `runner`, or override `make`."""

    runner: str = ""

    def make(self, spec: SandboxSpec) -> Sandbox:
        """Opens a sandbox with the runner under test."""
        return open_sandbox(spec, runner=self.runner)

    @contextlib.contextmanager
    def sandbox(self, spec: SandboxSpec | None = None) -> Iterator[Sandbox]:
        """A sandbox for one test, discarded after it."""
        box = self.make(spec or SandboxSpec())
        try:
            yield box
        finally:
            box.discard()


class RunnerConformance(RunnerSubject):
    """What every runner does, isolated or not."""

    # --- what it says of itself --------------------------------------------------------------------------------------

    def test_it_is_a_sandbox_and_says_who_made_it(self) -> None:
        with self.sandbox() as box:
            assert isinstance(box, Sandbox)
            assert box.runner and isinstance(box.isolated, bool) and isinstance(box.notes, tuple)
            assert box.alive and not box.frozen
            assert box.home.startswith("/")

    # --- run ---------------------------------------------------------------------------------------------------------

    def test_a_command_gives_its_output_and_status(self) -> None:
        with self.sandbox() as box:
            done = box.run(["sh", "-c", "echo out; echo err >&2; exit 3"], check=False)
            assert (done.stdout, done.stderr, done.code) == (b"out\n", b"err\n", 3)
            assert done.argv[0] == "sh" and done.seconds >= 0

    def test_a_failing_command_raises_with_what_it_said(self) -> None:
        with self.sandbox() as box:
            error = raised(SandboxError, lambda: box.run(["sh", "-c", "echo the reason >&2; exit 4"]))
            assert "the reason" in error.message and "4" in error.message

    def test_death_by_signal_is_a_negative_status(self) -> None:
        with self.sandbox() as box:
            assert box.run(["sh", "-c", "kill -TERM $$"], check=False).code == -signal.SIGTERM

    def test_input_is_read_from_stdin(self) -> None:
        data = os.urandom(3 * MEGABYTE)
        with self.sandbox() as box:
            assert box.run(["cat"], input=data).stdout == data
            assert box.run(["cat"]).stdout == b""

    def test_a_command_that_does_not_end_in_time_is_killed(self) -> None:
        with self.sandbox() as box:
            script = "echo $$ > ~/pid; sleep 1000 & wait"
            raised(SandboxError, lambda: box.run(["sh", "-c", script], timeout=1.0))
            pid = box.read_file("~/pid").decode().strip()
            until(lambda: box.run(["kill", "-0", pid], check=False).code != 0, "the command was not killed")

    def test_a_flood_of_output_is_stopped_at_the_limit(self) -> None:
        with self.sandbox() as box:
            error = raised(SandboxError, lambda: box.run(["yes"], limit=100_000))
            assert "100000" in error.message
            assert len(box.run(["head", "-c", "100000", "/dev/zero"], limit=100_000).stdout) == 100_000
            raised(SandboxError, lambda: box.run(["head", "-c", "100001", "/dev/zero"], limit=100_000))

    def test_a_command_ends_although_a_grandchild_keeps_its_output_open(self) -> None:
        with self.sandbox() as box:
            done = box.run(["sh", "-c", "(setsid sleep 1000 &) ; echo done"])
            assert done.stdout == b"done\n"
            done = box.run(["sh", "-c", "(setsid yes &) ; echo done"])  # and although it writes for ever
            assert b"done\n" in done.stdout

    def test_the_working_folder_is_home_unless_another_is_given(self) -> None:
        with self.sandbox() as box:
            assert box.run(["pwd"]).stdout.decode().strip() == box.home
            box.write_file("~/a b/file", b"")
            assert box.run(["pwd"], cwd="~/a b").stdout.decode() == f"{box.home}/a b\n"
            assert box.run(["pwd"], cwd="/").stdout == b"/\n"
            error = raised(SandboxError, lambda: box.run(["pwd"], cwd="~/nowhere"))
            assert "nowhere" in error.message
            raised((SandboxError, InvalidInput), lambda: box.run(["pwd"], cwd="relative"))
            assert box.run(["pwd"]).stdout.decode().strip() == box.home

    def test_the_environment_is_the_specs_then_the_calls(self) -> None:
        with self.sandbox(SandboxSpec(env={"COLOUR": "red", "SHAPE": "round"})) as box:
            seen = box.run(["sh", "-c", 'echo "$COLOUR $SHAPE $HOME"'], env={"COLOUR": "blue"}).stdout.decode()
            assert seen == f"blue round {box.home}\n"
            assert box.run(["sh", "-c", 'echo "$COLOUR"']).stdout == b"red\n"

    def test_nothing_of_the_hosts_environment_is_inside(self) -> None:
        os.environ["FAIRGROUND_CONFORMANCE_SECRET"] = "from the host"
        try:
            with self.sandbox() as box:
                assert b"from the host" not in box.run(["env"]).stdout
        finally:
            del os.environ["FAIRGROUND_CONFORMANCE_SECRET"]

    def test_unicode_and_odd_words_arrive_as_they_are(self) -> None:
        words = ["größe", "日本語", "🎪", "", " ", "a\nb", "'\"$HOME\\", "-n"]
        with self.sandbox() as box:
            got = box.run(["printf", "%s\\0", *words], env={"WORT": "straße"}).stdout
            assert got.decode().split("\0")[:-1] == words
            assert box.run(["sh", "-c", 'printf %s "$WORT"'], env={"WORT": "straße"}).stdout.decode() == "straße"

    def test_what_cannot_be_a_command_is_refused(self) -> None:
        with self.sandbox() as box:
            raised(InvalidInput, lambda: box.run([]))
            raised(InvalidInput, lambda: box.run(["echo", "a\0b"]))
            raised(InvalidInput, lambda: box.run(["echo"], env={"A=B": "c"}))
            raised(InvalidInput, lambda: box.run(["echo"], env={"A": "c\0"}))
            raised(InvalidInput, lambda: box.run(["echo"], cwd="/\0"))
            raised((InvalidInput, SandboxError), lambda: box.run(["echo", "x" * (4 * MEGABYTE)]))
            assert box.run(["echo", "still here"]).stdout == b"still here\n"

    def test_a_program_that_is_not_there_is_a_missing_prerequisite(self) -> None:
        with self.sandbox() as box:
            error = raised(MissingPrerequisite, lambda: box.run(["no-such-program-at-all"]))
            assert "no-such-program-at-all" in error.message and error.fix
            box.write_file("~/plain", b"not a program", mode=0o644)
            raised(SandboxError, lambda: box.run([f"{box.home}/plain"]))

    # --- start -------------------------------------------------------------------------------------------------------

    def test_a_started_program_runs_on_and_is_waited_for(self) -> None:
        with self.sandbox() as box:
            program = box.start(["sh", "-c", "echo begun; read line; echo $line; exit 7"], fds={0: self._pipe()[0]})
            assert program.poll() is None and program.pid > 1 and program.argv[0] == "sh"
            until(lambda: "begun" in program.output(), "its output was not seen")
            raised(TimeoutError, lambda: program.wait(0.05))
            os.write(self._ends[1], b"go on\n")
            assert program.wait(_SECONDS) == 7 and program.poll() == 7 and program.wait() == 7
            assert program.output() == "begun\ngo on\n"
            self._close_pipe()

    def test_killing_reaches_the_process_group(self) -> None:
        with self.sandbox() as box:
            program = box.start(["sh", "-c", "sleep 1000 & echo $! > ~/child; wait"])
            until(lambda: exists(box, "~/child", "\n"), "the program did not start")
            program.kill()
            assert program.wait(_SECONDS) == -signal.SIGKILL
            child = box.read_file("~/child").decode().strip()
            until(lambda: box.run(["kill", "-0", child], check=False).code != 0, "its child lives on")
            program.kill()  # once more does no harm

    def test_another_signal_can_be_sent(self) -> None:
        with self.sandbox() as box:
            program = box.start(["sh", "-c", "trap 'exit 9' USR1; echo ready; while :; do sleep 0.01; done"])
            until(lambda: "ready" in program.output(), "the program did not start")
            program.kill(signal.SIGUSR1)
            assert program.wait(_SECONDS) == 9

    def test_output_is_the_end_of_both_streams(self) -> None:
        with self.sandbox() as box:
            program = box.start(["sh", "-c", "seq 1 200000; echo the end >&2"])
            assert program.wait(_SECONDS) == 0
            text = program.output(1000)
            assert len(text) <= 1000 and text.endswith("200000\nthe end\n")

    def test_a_program_that_floods_its_output_harms_nobody(self) -> None:
        with self.sandbox() as box:
            flood = box.start(["yes", "flood"])
            until(lambda: "flood" in flood.output(), "nothing was written")
            other = box.start(["sh", "-c", "echo quiet voice; exec sleep 1000"])
            until(lambda: other.output() == "quiet voice\n", "another program was not heard")
            assert flood.poll() is None
            assert box.run(["echo", "alive"]).stdout == b"alive\n"

    def test_open_files_are_handed_over(self) -> None:
        with self.sandbox() as box, tempfile.TemporaryFile() as outside:
            outside.write(b"from outside\n")
            outside.flush()
            read_end, write_end = os.pipe()
            try:
                fds = {9: outside.fileno(), 3: write_end, 40: write_end}
                program = box.start(["perl", "-e", _COPY_9_TO_3_AND_40], fds=fds)
                os.close(write_end)
                write_end = -1
                assert program.wait(_SECONDS) == 0, program.output()
                with os.fdopen(read_end, "rb", closefd=False) as pipe:
                    assert pipe.read() == b"from outside\nand 40\n"
            finally:
                os.close(read_end)
                if write_end >= 0:
                    os.close(write_end)

    def test_a_program_has_no_open_files_but_its_own(self) -> None:
        with self.sandbox() as box:
            listing = box.run(["sh", "-c", "for f in /proc/$$/fd/*; do echo ${f##*/}; done"]).stdout.split()
            assert set(listing) <= {b"0", b"1", b"2", b"3", b"10", b"255"}, listing  # the listing's own, the shell's
            program = box.start(["perl", "-e", 'opendir(D, "/proc/self/fd"); print join(" ", sort readdir(D))'])
            program.wait(_SECONDS)
            assert set(program.output().split()) <= {".", "..", "0", "1", "2", "3"}, program.output()

    # --- files -------------------------------------------------------------------------------------------------------

    def test_what_is_written_is_read_back(self) -> None:
        data = os.urandom(5 * MEGABYTE)
        with self.sandbox() as box:
            box.write_file("~/new/folders/data.bin", data)
            assert box.read_file("~/new/folders/data.bin") == data
            assert box.read_file(f"{box.home}/new/folders/data.bin") == data
            box.write_file("~/new/folders/data.bin", b"short")
            assert box.read_file("~/new/folders/data.bin") == b"short"
            box.write_file("~/program", b"#!/bin/sh\necho ran\n", mode=0o755)
            assert box.run([f"{box.home}/program"]).stdout == b"ran\n"

    def test_what_cannot_be_read_is_a_state_error(self) -> None:
        with self.sandbox() as box:
            box.run(["sh", "-c", "mkdir folder; mkfifo pipe; ln -s loop loop; echo secret > shut; chmod 0 shut"])
            box.run(["ln", "-s", "/dev/zero", "zero"])
            for path in ("~/missing", "~/folder", "~/pipe", "~/loop", "~/zero", "/dev/zero", "/dev/tty", "~"):
                raised(StateError, lambda path=path: box.read_file(path))
            raised((StateError, InvalidInput), lambda: box.read_file("relative"))
            raised((StateError, InvalidInput), lambda: box.read_file("~/a\0b"))
            raised(StateError, lambda: box.read_file("~/" + "x" * 300))
            raised((StateError, InvalidInput), lambda: box.read_file("~/" + "x/" * 100_000))
            assert box.alive

    def test_links_into_the_kernels_files_are_not_followed(self) -> None:
        targets = ("/proc/1/environ", "/proc/1/fd/0", "/proc/self/environ", "/proc/1/root/etc/passwd", "/proc/self/mem",
                   "/proc/self/fd/0", "/proc/self/maps", "/proc/kcore", "/proc/1/cwd/etc/passwd")  # fmt: skip
        with self.sandbox() as box:
            for number, target in enumerate(targets):
                box.run(["ln", "-s", target, f"link{number}"])
                raised(StateError, lambda number=number: box.read_file(f"~/link{number}"))
            box.run(["ln", "-s", "/proc/self/fd", "open"])
            for number in range(12):
                raised(StateError, lambda number=number: box.read_file(f"~/open/{number}"))
                raised(SandboxError, lambda number=number: box.write_file(f"~/open/{number}", b"x"))

    def test_a_file_over_the_limit_is_refused(self) -> None:
        with self.sandbox() as box:
            box.write_file("~/file", b"x" * 1000)
            assert len(box.read_file("~/file", limit=1000)) == 1000
            raised(StateError, lambda: box.read_file("~/file", limit=999))
            box.run(["truncate", "-s", "1000G", "huge"])
            raised(StateError, lambda: box.read_file("~/huge"))

    def test_a_file_that_grows_while_it_is_read_stays_within_the_limit(self) -> None:
        with self.sandbox() as box:
            box.write_file("~/grows", b"begin\n")
            box.start(["sh", "-c", "while :; do head -c 10000 /dev/zero >> grows; [ -e stop ] && exit; done"])
            for _ in range(30):
                try:
                    assert len(box.read_file("~/grows", limit=200_000)) <= 200_000
                except StateError:
                    break
            box.write_file("~/stop", b"")

    def test_what_cannot_be_written_is_a_sandbox_error(self) -> None:
        with self.sandbox() as box:
            box.run(["sh", "-c", "mkdir folder; mkfifo pipe; echo > file; mkdir shut; chmod 500 shut"])
            for path in (
                "~/folder",
                "~/pipe",
                "~/file/below",
                "/proc/version",
                "/usr/new",
                "/dev/full",
                "~/shut/in/it",
            ):
                raised(SandboxError, lambda path=path: box.write_file(path, b"x"))
            raised((SandboxError, InvalidInput), lambda: box.write_file("relative", b"x"))
            raised((SandboxError, InvalidInput), lambda: box.write_file("~/a\0b", b"x"))
            assert box.alive

    def test_a_full_disk_is_an_error_or_a_note(self) -> None:
        with self.sandbox(SandboxSpec(limits=Limits(disk=4 * MEGABYTE))) as box:
            if says(box, "disk"):
                return
            error = raised(SandboxError, lambda: box.write_file("~/big", b"x" * (8 * MEGABYTE)))
            assert error.fix and "disk" in error.fix
            done = box.run(["sh", "-c", "head -c 20000000 /dev/zero > more"], check=False)
            assert done.code != 0
            box.run(["rm", "-f", "big", "more"])
            box.write_file("~/small", b"fits again")

    def test_a_tree_is_listed_with_links_not_followed(self) -> None:
        with self.sandbox() as box:
            box.write_file("~/top/b/file", b"12345")
            box.run(["sh", "-c", "cd top; mkdir a; mkfifo pipe; ln -s / link; touch -d @1000000000 b/file"])
            found = {entry.path: entry for entry in box.list_files("~/top")}
            assert list(found) == sorted(found) == ["a", "b", "b/file", "link", "pipe"]
            kinds = {path: entry.kind for path, entry in found.items()}
            assert kinds == {"a": "folder", "b": "folder", "b/file": "file", "link": "link", "pipe": "other"}
            assert found["b/file"].size == 5 and found["b/file"].modified == 1_000_000_000

    def test_what_cannot_be_listed_is_a_state_error(self) -> None:
        with self.sandbox() as box:
            box.write_file("~/file", b"")
            raised(StateError, lambda: box.list_files("~/missing"))
            raised(StateError, lambda: box.list_files("~/file"))
            raised((StateError, InvalidInput), lambda: box.list_files("relative"))

    def test_a_tree_is_listed_while_it_changes(self) -> None:
        with self.sandbox() as box:
            script = (
                "mkdir t; while :; do mkdir -p t/a/b/c; touch t/a/b/c/f t/g; rm -rf t/a t/g; ln -s / t/a; rm t/a; done"
            )
            box.start(["sh", "-c", script])
            until(lambda: exists(box, "~/t"), "the program did not start")
            for _ in range(50):
                assert len(box.list_files("~/t")) <= 6

    def test_names_that_are_not_utf8_survive(self) -> None:
        with self.sandbox() as box:
            box.run(["sh", "-c", r"printf content > $(printf 'bad\377name')"])
            (entry,) = [entry for entry in box.list_files() if entry.path.startswith("bad")]
            assert os.fsencode(entry.path) == b"bad\xffname"
            assert box.read_file(f"~/{entry.path}") == b"content"
            box.write_file(f"~/{entry.path}", b"changed")
            assert box.read_file(f"~/{entry.path}") == b"changed"

    def test_a_hundred_thousand_entries_are_listed_and_one_more_is_refused(self) -> None:
        with self.sandbox() as box:
            box.run(["sh", "-c", "mkdir many; cd many; seq 1 100000 | xargs touch"])
            assert len(box.list_files("~/many")) == 100_000
            box.write_file("~/many/one-more", b"")
            raised(StateError, lambda: box.list_files("~/many"))
            assert len(box.list_files("~/many", limit=100_001)) == 100_001

    # --- connections -------------------------------------------------------------------------------------------------

    def test_servers_inside_are_reached_by_port_path_and_abstract_name(self) -> None:
        with self.sandbox() as box:
            far = f"{box.home}/{'deep' * 40}"  # longer than a socket's address may be
            box.write_file(f"{far}/x", b"")
            unique = f"fairground-{os.getpid()}-{time.monotonic_ns()}"
            servers = {
                "port": ["perl", "-MIO::Socket", "-e", _TCP_SERVER],
                "path": ["perl", "-MIO::Socket", "-e", _UNIX_SERVER, f"{far}/s"],
                "name": ["perl", "-MIO::Socket", "-e", _UNIX_SERVER, f"@{unique}"],
            }
            programs = {name: box.start(argv, cwd=far) for name, argv in servers.items()}
            said = {name: first_line(program) for name, program in programs.items()}
            addresses: dict[str, int | str] = {
                "port": int(said["port"]),
                "path": f"~/{'deep' * 40}/s",
                "name": f"@{unique}",
            }
            for name, address in addresses.items():
                with box.connect(address) as connection:
                    connection.settimeout(_SECONDS)
                    connection.sendall(b"hello\n")
                    assert connection.makefile("rb").readline() == b"you said hello\n", name

    def test_connecting_to_nothing_is_a_sandbox_error(self) -> None:
        with self.sandbox() as box:
            with box.listen() as server:
                port = server.getsockname()[1]
            box.write_file("~/file", b"")
            for address in (port, "~/missing", "~/file", "@no-such-name", "~"):
                raised(SandboxError, lambda address=address: box.connect(address))
            for address in (0, -1, 70_000, "relative", "~/a\0b"):
                raised((SandboxError, InvalidInput), lambda address=address: box.connect(address))

    def test_a_program_inside_reaches_a_socket_that_we_listen_on(self) -> None:
        with self.sandbox() as box, box.listen() as server:
            port = server.getsockname()[1]
            program = box.start(["perl", "-MIO::Socket", "-e", _TCP_CLIENT, str(port)])
            server.settimeout(_SECONDS)
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"hello\n")
                assert connection.makefile("rb").readline() == b"you said hello\n"
            assert program.wait(_SECONDS) == 0
            raised(SandboxError, lambda: box.listen(port))
            raised((SandboxError, InvalidInput), lambda: box.listen(70_000))

    # --- freezing ----------------------------------------------------------------------------------------------------

    def test_a_frozen_sandbox_stands_still_and_goes_on(self) -> None:
        with self.sandbox() as box:
            box.start(["sh", "-c", "i=0; while :; do i=$((i+1)); echo $i > counter; done"])
            box.start(["sh", "-c", "while :; do (echo x >> forks); done"])
            until(lambda: exists(box, "~/counter", "\n") and exists(box, "~/forks"), "the programs did not start")
            for _ in range(3):
                box.freeze()
                assert box.frozen and box.alive
                box.freeze()  # twice is once
                before = (box.read_file("~/counter"), box.read_file("~/forks"))
                watched = time.monotonic() + 0.2
                while time.monotonic() < watched:
                    assert (box.read_file("~/counter"), box.read_file("~/forks")) == before
                box.write_file("~/while-frozen", b"x")
                assert box.list_files()
                box.thaw()
                box.thaw()
                assert not box.frozen
                until(lambda before=before: box.read_file("~/counter") not in (b"", before[0]), "it did not go on")

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

    # --- use of the machine ------------------------------------------------------------------------------------------

    def test_processor_time_advances_when_busy_and_rests_when_idle(self) -> None:
        with self.sandbox() as box:
            box.start(["sleep", "1000"])
            until(lambda: self._rests(box), "an idle sandbox uses the processor")
            before = box.cpu_seconds()
            busy = box.start(["sh", "-c", "while :; do :; done"])
            until(lambda: box.cpu_seconds() > before + 0.2, "a busy sandbox does not use the processor")
            busy.kill()
            busy.wait(_SECONDS)
            until(lambda: self._rests(box), "a sandbox that came to rest uses the processor")
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
                script = "my $n = 0; while ($n < 200) { my $p = fork; last if !defined $p; if (!$p) { sleep 1000 } $n++ } print $n"
                assert int(box.run(["perl", "-e", script]).stdout) < 45
            assert box.alive

    # --- the end -----------------------------------------------------------------------------------------------------

    def test_everything_ends_with_the_sandbox(self) -> None:
        box = self.make(SandboxSpec())
        programs = [box.start(["sh", "-c", "trap '' TERM INT HUP; while :; do sleep 0.1; done"]) for _ in range(3)]
        box.run(["sh", "-c", "(setsid sleep 1000 &)"])
        box.discard()
        assert not box.alive
        assert all(program.poll() is not None and program.wait(0) is not None for program in programs)
        box.discard()  # twice does no harm

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
            assert isinstance(waiting.exception(_SECONDS), SandboxError)
            assert also.result(_SECONDS) != 0

    # --- at once -----------------------------------------------------------------------------------------------------

    def test_several_threads_use_it_at_once(self) -> None:
        def work(number: int) -> None:
            for turn in range(8):
                data = f"{number} {turn}".encode() * 1000
                box.write_file(f"~/{number}/file", data)
                assert box.run(["cat", f"{number}/file"]).stdout == data
                assert box.read_file(f"~/{number}/file") == data
                program = box.start(["sh", "-c", f"echo {number}; exit {number}"])
                assert program.wait(_SECONDS) == number and program.output() == f"{number}\n"
                raised(StateError, lambda: box.read_file("~/missing"))

        with self.sandbox() as box, ThreadPoolExecutor(6) as pool:
            for result in [pool.submit(work, number) for number in range(6)]:
                result.result(_SECONDS * 3)

    def test_sandboxes_live_side_by_side(self) -> None:
        with self.sandbox() as one, self.sandbox() as two:
            one.write_file("~/mine", b"one")
            raised(StateError, lambda: two.read_file("~/mine"))
            one.discard()
            assert two.run(["echo", "here"]).stdout == b"here\n"

    # A pipe to a program's stdin, for the tests that hold a conversation with it.
    _ends: tuple[int, int] = (-1, -1)

    def _pipe(self) -> tuple[int, int]:
        self._ends = os.pipe()
        return self._ends

    def _close_pipe(self) -> None:
        for fd in self._ends:
            os.close(fd)


class IsolationConformance(RunnerSubject):
    """What a runner does whose sandboxes say that they are `isolated`."""

    def test_it_says_that_it_isolates(self) -> None:
        with self.sandbox() as box:
            assert box.isolated

    def test_the_hosts_processes_are_not_seen(self) -> None:
        with self.sandbox() as box:
            assert box.run(["kill", "-0", str(os.getpid())], check=False).code != 0
            found = box.run(["sh", "-c", "cat /proc/[0-9]*/comm | wc -l"]).stdout
            assert int(found) < 10

    def test_a_sandbox_does_not_see_the_processes_of_another(self) -> None:
        with self.sandbox() as one, self.sandbox() as two:
            one.start(["perl", "-e", "$0 = 'hiding-here'; sleep 1000"])
            until(lambda: b"hiding-here" in one.run(["sh", "-c", "cat /proc/[0-9]*/cmdline"]).stdout, "not started")
            assert b"hiding-here" not in two.run(["sh", "-c", "cat /proc/[0-9]*/cmdline"]).stdout

    def test_the_hosts_files_are_neither_seen_nor_changed(self) -> None:
        with tempfile.TemporaryDirectory() as folder, self.sandbox() as box:
            secret = Path(folder, "secret")
            secret.write_text("of the host")
            for place in (folder, str(Path.home()), str(Path(__file__).parent)):
                assert box.run(["ls", "-A", place], check=False).stdout == b"", place
            raised(StateError, lambda: box.read_file(str(secret)))
            marker = f"fairground-conformance-{os.getpid()}"
            for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/etc", "/usr", "/opt", "/"):
                box.run(["sh", "-c", f"echo x > {place}/{marker}"], check=False)
                assert not Path(place, marker).exists(), place

    def test_programs_have_no_rights(self) -> None:
        with self.sandbox() as box:
            status = box.run(["cat", "/proc/self/status"]).stdout.decode()
            rights = dict(line.split(":\t") for line in status.splitlines() if line.startswith(("Cap", "NoNewPrivs")))
            assert all(int(value, 16) == 0 for name, value in rights.items() if name.startswith("Cap")), rights
            assert rights["NoNewPrivs"] == "1"
            assert box.run(["id", "-u"]).stdout != b"0\n"

    def test_without_a_network_nothing_of_the_host_answers(self) -> None:
        name = f"fairground-{os.getpid()}-{time.monotonic_ns()}"
        with contextlib.ExitStack() as stack:
            loopback = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            everywhere = stack.enter_context(socket.create_server(("0.0.0.0", 0)))
            abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
            abstract.bind("\0" + name)
            abstract.listen()
            box = stack.enter_context(self.sandbox())
            connect = ["perl", "-MIO::Socket", "-e", "exit(IO::Socket::INET->new($ARGV[0]) ? 0 : 1)"]
            for server in (loopback, everywhere):
                port = server.getsockname()[1]
                for host in {"127.0.0.1", "10.0.2.2", _own_address()}:
                    assert box.run([*connect, f"{host}:{port}"], check=False).code == 1, host
            raised(SandboxError, lambda: box.connect(f"@{name}"))

    def test_what_the_keeper_is_made_of_is_out_of_reach(self) -> None:
        with self.sandbox() as box:
            for path in (
                "/proc/1/environ",
                "/proc/1/mem",
                "/proc/1/maps",
                "/proc/1/fd/",
                "/proc/1/root/",
                "/proc/1/cwd/",
            ):
                assert box.run(["sh", "-c", f"cat {path} || ls {path}/"], check=False).stdout == b"", path
            for number in ("KILL", "STOP", "TERM", "INT", "SEGV", "USR1", "CHLD", "ABRT"):
                box.run(["sh", "-c", f"kill -{number} 1"], check=False)
            assert box.run(["echo", "alive"]).stdout == b"alive\n"

    def test_layers_are_seen_and_never_changed(self) -> None:
        with tempfile.TemporaryDirectory(dir=_layer_place()) as folder:
            lower, upper = Path(folder, "lower"), Path(folder, "upper")
            for layer, text in ((lower, "lower"), (upper, "upper")):
                for place in ("usr/share/fairground-test", "opt/fairground-test", "home"):
                    (layer / place).mkdir(parents=True)
                    (layer / place / "which").write_text(text)
            (lower / "home" / "only-lower").write_text("here")
            _let_in(Path(folder))
            before = _content(Path(folder))
            with self.sandbox(SandboxSpec(layers=(lower, upper))) as box:
                for place in ("/usr/share/fairground-test", "/opt/fairground-test", "~"):
                    assert box.read_file(f"{place}/which") == b"upper", place
                assert box.read_file("~/only-lower") == b"here"
                box.run(["sh", "-c", "rm -f which only-lower; echo changed > which; echo x > new"], check=False)
                assert box.run(["ls", "/usr/bin/env"]).code == 0
            assert _content(Path(folder)) == before

    def test_what_is_written_to_a_folder_is_a_layer_for_the_next(self) -> None:
        with tempfile.TemporaryDirectory(dir=_layer_place()) as folder:
            tree = Path(folder, "tree")
            tree.mkdir()
            _let_in(Path(folder))
            with self.sandbox(SandboxSpec(writable=tree)) as box:
                box.write_file("~/kept/file", b"by the first")
            with self.sandbox(SandboxSpec(layers=(tree,))) as box:
                assert box.read_file("~/kept/file") == b"by the first"
                box.write_file("~/kept/file", b"by the second")
            with self.sandbox(SandboxSpec(layers=(tree,))) as box:
                assert box.read_file("~/kept/file") == b"by the first"
            box_leftovers(tree)

    def test_a_layer_that_is_missing_is_a_sandbox_error(self) -> None:
        error = raised(SandboxError, lambda: self.make(SandboxSpec(layers=(Path("/nowhere/at/all"),))))
        assert "/nowhere/at/all" in error.message

    def test_hidden_paths_are_empty(self) -> None:
        with self.sandbox(SandboxSpec(hide=(Path("/usr/share"), Path("/usr/bin/env"), Path("/not/there")))) as box:
            assert box.run(["ls", "-A", "/usr/share"], check=False).stdout == b""
            assert box.run(["cat", "/usr/bin/env"], check=False).stdout == b""


# --- what the tests are written with ---------------------------------------------------------------------------------


def raised(kind: type[BaseException] | tuple[type[BaseException], ...], call: Callable[[], object]) -> FairgroundError:
    """Calls, and returns the error that must come; another error passes through."""
    try:
        result = call()
    except kind as error:
        return error  # type: ignore[return-value]
    raise AssertionError(f"expected an error, got {result!r}")


def until(condition: Callable[[], bool], otherwise: str, seconds: float = _SECONDS) -> None:
    """Waits for a condition, and fails with these words when it does not come."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(otherwise)
        pause.wait(0.005)


def exists(box: Sandbox, path: str, holding: str = "") -> bool:
    """Whether a file (with this text in it) or a folder is there."""
    done = box.run(["sh", "-c", f"[ -e {_quoted(box, path)} ]"], check=False)
    if done.code != 0 or not holding:
        return done.code == 0
    return holding in box.read_file(path).decode(errors="replace")


def says(box: Sandbox, word: str) -> bool:
    """Whether a note speaks of something."""
    return any(word in note for note in box.notes)


def first_line(program: Process) -> str:
    """What a program says first."""
    until(lambda: "\n" in program.output() or program.poll() is not None, f"{program.argv[0]} says nothing")
    return program.output().partition("\n")[0]


def box_leftovers(tree: Path) -> None:
    """Removes what a sandbox left in a writable folder, so that the test's own folder can be removed."""
    for folder, _, _ in os.walk(tree):
        os.chmod(folder, 0o700)


def _quoted(box: Sandbox, path: str) -> str:
    return shlex.quote(box.home + path[1:] if path.startswith("~") else path)


def _content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _layer_place() -> str:
    """Where layers may lie: not below a folder that sandboxes are stacked over."""
    return "/tmp"


def _let_in(folder: Path) -> None:
    """As root, lets the sandbox's user into a test's folder, as whoever keeps layers does."""
    if os.geteuid() != 0:
        return
    from fairground.sandbox.kept import SANDBOX_UID

    for path in [folder, *folder.rglob("*")]:
        os.chown(path, SANDBOX_UID, SANDBOX_UID)


def _own_address() -> str:
    """This machine's address on its network, or loopback; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            any_socket.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(any_socket.getsockname()[0])


_COPY_9_TO_3_AND_40 = """
open(my $in, '<&=', 9) or die "9: $!"; open(my $out, '>&=', 3) or die "3: $!"; open(my $also, '>&=', 40) or die "40: $!";
seek($in, 0, 0); syswrite($out, <$in>); syswrite($also, "and 40\n");
"""
_ANSWER = 'while (my $c = $s->accept) { my $l = <$c>; print $c "you said $l"; close $c }'
_TCP_SERVER = (
    '$| = 1; my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die $!; print $s->sockport, "\n"; '
    + _ANSWER
)
_UNIX_SERVER = (
    'use Socket; $| = 1; socket(my $s, PF_UNIX, SOCK_STREAM, 0); bless $s, "IO::Socket::UNIX"; my $a = shift; '
    'if ($a =~ s/^@//) { $a = "\\0$a" } else { $a = "s" } '
    'bind($s, pack_sockaddr_un($a)) or die $!; listen($s, 5); print "up\n"; '
    'while (accept(my $c, $s)) { my $l = <$c>; syswrite($c, "you said $l"); close $c }'
)
_TCP_CLIENT = (
    'my $c = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or die $!; my $l = <$c>; print $c "you said $l"; close $c'
)
