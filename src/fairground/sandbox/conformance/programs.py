"""Commands that run to completion, and programs that keep running."""

from __future__ import annotations

import os
import signal
import tempfile

from fairground.core import InvalidInput, MissingPrerequisite, SandboxError
from fairground.sandbox.conformance.subject import SECONDS, RunnerSubject, exists, raised, until
from fairground.sandbox.protocol import MEGABYTE, Sandbox, SandboxSpec


class ProgramConformance(RunnerSubject):
    """Tests of `run` and `start`."""

    # --- properties --------------------------------------------------------------------------------------------------

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
            # Also if it writes forever. Not at full speed, or a busy machine reaches the limit before the command ends.
            done = box.run(["sh", "-c", "(setsid sh -c 'while :; do echo y; done' &) ; echo done"])
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
            assert program.wait(SECONDS) == 7 and program.poll() == 7 and program.wait() == 7
            assert program.output() == "begun\ngo on\n"
            self._close_pipe()

    def test_killing_reaches_the_process_group(self) -> None:
        with self.sandbox() as box:
            program = box.start(["sh", "-c", "sleep 1000 & echo $! > ~/child; wait"])
            until(lambda: exists(box, "~/child", "\n"), "the program did not start")
            program.kill()
            assert program.wait(SECONDS) == -signal.SIGKILL
            child = box.read_file("~/child").decode().strip()
            until(lambda: box.run(["kill", "-0", child], check=False).code != 0, "its child still runs")
            program.kill()  # a second call has no effect

    def test_another_signal_can_be_sent(self) -> None:
        with self.sandbox() as box:
            program = box.start(["sh", "-c", "trap 'exit 9' USR1; echo ready; while :; do sleep 0.01; done"])
            until(lambda: "ready" in program.output(), "the program did not start")
            program.kill(signal.SIGUSR1)
            assert program.wait(SECONDS) == 9

    def test_output_is_the_end_of_both_streams(self) -> None:
        with self.sandbox() as box:
            program = box.start(["sh", "-c", "seq 1 200000; echo the end >&2"])
            assert program.wait(SECONDS) == 0
            text = program.output(1000)
            assert len(text) <= 1000 and text.endswith("200000\nthe end\n")

    def test_a_program_that_floods_its_output_harms_nobody(self) -> None:
        with self.sandbox() as box:
            flood = box.start(["yes", "flood"])
            until(lambda: "flood" in flood.output(), "nothing was written")
            quiet = box.start(["sh", "-c", "echo quiet voice; exec sleep 1000"])
            until(lambda: quiet.output() == "quiet voice\n", "the output of another program is missing")
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
                assert program.wait(SECONDS) == 0, program.output()
                with os.fdopen(read_end, "rb", closefd=False) as pipe:
                    assert pipe.read() == b"from outside\nand 40\n"
            finally:
                os.close(read_end)
                if write_end >= 0:
                    os.close(write_end)

    def test_a_program_has_no_open_files_but_its_own(self) -> None:
        with self.sandbox() as box:
            listing = box.run(["sh", "-c", "for f in /proc/$$/fd/*; do echo ${f##*/}; done"]).stdout.split()
            # those of the listing and of the shell
            assert set(listing) <= {b"0", b"1", b"2", b"3", b"10", b"255"}, listing
            program = box.start(["perl", "-e", 'opendir(D, "/proc/self/fd"); print join(" ", sort readdir(D))'])
            program.wait(SECONDS)
            assert set(program.output().split()) <= {".", "..", "0", "1", "2", "3"}, program.output()

    # --- backstage ---------------------------------------------------------------------------------------------------

    def test_programs_run_backstage_with_the_same_files(self) -> None:
        with self.sandbox() as box:
            box.write_file("~/file", b"here")
            assert box.run(["cat", f"{box.home}/file"], backstage=True).stdout == b"here"
            box.write_file(f"{box.backstage}/settings", b"ours")
            assert box.run(["cat", f"{box.backstage}/settings"]).stdout == b"ours"
            program = box.start(["sh", "-c", "echo heard; exit 5"], backstage=True)
            assert program.wait(SECONDS) == 5 and program.output() == "heard\n"

    # A pipe to a program's stdin, for tests that talk to it.
    _ends: tuple[int, int] = (-1, -1)

    def _pipe(self) -> tuple[int, int]:
        self._ends = os.pipe()
        return self._ends

    def _close_pipe(self) -> None:
        for fd in self._ends:
            os.close(fd)


_COPY_9_TO_3_AND_40 = """
open(my $in, '<&=', 9) or die "9: $!";
open(my $out, '>&=', 3) or die "3: $!";
open(my $also, '>&=', 40) or die "40: $!";
seek($in, 0, 0); syswrite($out, <$in>); syswrite($also, "and 40\n");
"""
