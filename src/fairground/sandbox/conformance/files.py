"""Files: reading, writing and listing, also when programs replace them with something else."""

from __future__ import annotations

import os
from functools import partial

from fairground.core import InvalidInput, SandboxError, StateError
from fairground.sandbox.conformance.subject import RunnerSubject, exists, raised, says, until
from fairground.sandbox.protocol import MEGABYTE, Limits, SandboxSpec


class FileConformance(RunnerSubject):
    """Tests of `read_file`, `write_file` and `list_files`."""

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
                raised(StateError, partial(box.read_file, path))
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
                raised(StateError, partial(box.read_file, f"~/link{number}"))
            box.run(["ln", "-s", "/proc/self/fd", "open"])
            for number in range(12):
                raised(StateError, partial(box.read_file, f"~/open/{number}"))
                raised(SandboxError, partial(box.write_file, f"~/open/{number}", b"x"))

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
                raised(SandboxError, partial(box.write_file, path, b"x"))
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
            entries = {entry.path: entry for entry in box.list_files("~/top")}
            assert list(entries) == sorted(entries) == ["a", "b", "b/file", "link", "pipe"]
            kinds = {path: entry.kind for path, entry in entries.items()}
            assert kinds == {"a": "folder", "b": "folder", "b/file": "file", "link": "link", "pipe": "other"}
            assert entries["b/file"].size == 5 and entries["b/file"].modified == 1_000_000_000

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
            # Hard links to two files, because a file has a maximum number of links, and creating files takes longer.
            make = "mkdir 'many'; for (1..2) { open(F, '>', $_) } for (1..100_000) { link($_ % 2 + 1, qq(many/$_)) }"
            box.run(["perl", "-e", make])
            assert len(box.list_files("~/many")) == 100_000
            box.write_file("~/many/one-more", b"")
            raised(StateError, lambda: box.list_files("~/many"))
            raised(StateError, lambda: box.list_files(limit=1000))
