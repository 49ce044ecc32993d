"""What is written, on a disk of its own that is full or nearly so; `test_full_disk` looks at what came of it."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Integer, MetaData, Table, Text

from fairground.arena.store import Store
from fairground.cli import main, output
from fairground.core import FairgroundError, Outcome
from fairground.prove.cache import Cache
from fairground.prove.findings import PairProof, Status
from fairground.rollout import Finished, Job, RunStore, carry_out, start_run
from fairground.rollout.label import RunLabel, write_label
from fairground.rollout.verifying import verify_results

from .damage_stage import EPISODES, PASSED, SPEC, Inline, edit_index, passes, record_job, sound_run
from .test_damage_index import as_format_2

ROOMS = [0, *(4096 << power for power in range(7)), 3 * 4096, 5 * 4096, 7 * 4096]
if "few" in sys.argv:
    ROOMS = ROOMS[::3]


@contextmanager
def only(room: int, root: Path) -> Iterator[None]:
    """Leaves so many bytes free on the disk."""
    filler = root / "filler"
    with filler.open("wb", buffering=0) as file:
        left = max(shutil.disk_usage(root).free - room, 0)
        with contextlib.suppress(OSError):
            while left > 0:
                left -= file.write(b"x" * min(left, 4096))
    try:
        yield
    finally:
        filler.unlink()


def attempted(what: Callable[[], object]) -> list[str] | None:
    """What an attempt was refused with; None when it did what it should."""
    try:
        what()
    except FairgroundError as error:
        return [type(error).__name__, str(error)]
    return None


def command(*words: object) -> tuple[int, str]:
    said = io.StringIO()
    output.errors.file = said
    with contextlib.redirect_stdout(said):
        status = main([*map(str, words)])
    return status, said.getvalue()


def starting(root: Path) -> list[Any]:
    found = []
    for room in ROOMS:
        run = root / f"run-{room}"
        with only(room, root):
            said = attempted(lambda run=run: start_run(run, SPEC).close())  # type: ignore[misc]
            half = sorted(path.name for path in run.glob("*") if not path.name.endswith(".lock")) if said else []
        if said and not (run / "run.sqlite").exists():
            start_run(run, SPEC).close()
        with RunStore.open(run, write=True) as store:
            whole = store.progress().planned == EPISODES
        found.append([room, said, half, whole])
        shutil.rmtree(run)
    return found


def committing(root: Path) -> list[Any]:
    found = []
    for room in ROOMS:
        run = root / f"run-{room}"
        with start_run(run, SPEC) as store:
            finished = record_job(run, Job(next(store.unfinished()).planned, 0, "episodes/000000"))
            with only(room, root):
                said = attempted(lambda store=store, finished=finished: store.finish(0, finished))  # type: ignore[misc]
            committed = store.progress().finished
        with RunStore.open(run, write=True) as store:
            doing = Inline(run)
            carry_out(store, executor=doing)
        found.append([room, said, committed, len(doing.did), verify_results(run).intact])
        shutil.rmtree(run)
    return found


def going_on(root: Path) -> list[Any]:
    """A run of the version before, which is brought up to date as it is opened; and one whose episodes are damaged."""
    found = []
    for old in (True, False):
        for room in ROOMS:
            run = sound_run(root / f"run-{room}")
            if old:
                as_format_2(run)
            else:
                edit_index(run, "UPDATE episodes SET reward = 0.9 WHERE number = 1")

            def go_on(run: Path = run) -> None:
                with RunStore.open(run, write=True) as store:
                    store.reopen_damaged()

            with only(room, root):
                said = attempted(go_on)
            with RunStore.open(run, write=True) as store:
                carry_out(store, executor=Inline(run))
            found.append([room, said, sorted(passes(run)[0]) == sorted(PASSED)])
            shutil.rmtree(run)
    return found


def files(root: Path) -> list[Any]:
    """Commands and functions that write one file: whole, or as it was."""
    run = sound_run(root / "run")
    out = root / "out"
    out.mkdir()
    writers: dict[str, Callable[[], object]] = {
        "report.html": lambda: command("report", run, "-o", out / "report.html"),
        "figures": lambda: command("report", run, "-o", root / "aside.html", "--figures", out),
        "table.csv": lambda: command("export", run, "-o", out / "table.csv"),
        "table.jsonl": lambda: command("export", run, "-o", out / "table.jsonl"),
        "table.parquet": lambda: command("export", run, "-o", out / "table.parquet"),
        "label.json": lambda: write_label(run, name="a name " * 10),
    }
    found = []
    for name, write in writers.items():
        for room in (0, 4096) if name != "label.json" else (0,):
            for path in out.iterdir():
                path.unlink()
            (out / name).write_text("<!-- old -->") if name in ("table.csv", "table.jsonl") else None
            (root / "aside.html").unlink(missing_ok=True)
            before = {path.name: path.read_bytes() for path in out.iterdir()}
            with only(room, root):
                try:
                    said = write()
                except FairgroundError as error:
                    said = (1, str(error))
                after = {path.name: path.read_bytes() for path in out.iterdir()}
            broken = sorted(key for key in after if after[key] != before.get(key)) if said else []
            found.append([name, room, said if isinstance(said, tuple) else None, broken])
    assert isinstance(write_label(run, name="short"), RunLabel)
    return found


def databases(root: Path) -> list[Any]:
    found = []
    table = Table("words", MetaData(), Column("number", Integer), Column("word", Text))
    for room in ROOMS:
        path = root / f"arena-{room}.sqlite"

        def open_arena(path: Path = path) -> None:
            Store(path).close()

        with only(room, root):
            said = attempted(open_arena)
        open_arena()
        found.append(["open the arena", room, said, True])
        for one in root.glob("arena-*"):
            one.unlink()
    with Store(root / "votes.sqlite") as store:
        with store.write() as connection:
            table.create(connection)
            connection.execute(table.insert(), [{"number": 0, "word": "kept"}])

        def vote() -> None:
            with store.write() as connection:
                connection.execute(table.insert(), [{"number": 1, "word": "x" * 200_000}])

        with only(0, root):
            said = attempted(vote)
            with store.read() as connection:
                kept = connection.execute(table.select()).all()
        vote()
        with store.read() as connection:
            found.append(["vote", 0, said, len(kept) == 1 and len(connection.execute(table.select()).all()) == 2])
    for room in ROOMS:
        path = root / f"cache-{room}.sqlite"

        def remember(path: Path = path) -> None:
            with Cache(path) as cache:
                for number in range(50):
                    cache.put("kind", str(number), PairProof(status=Status.PROVEN, message="n" * 80))

        with only(room, root):
            said = attempted(remember)
        remember()
        with Cache(path) as cache:
            found.append(["prove", room, said, len(cache.get("kind", map(str, range(50)), PairProof)) == 50])
        for one in root.glob("cache-*"):
            one.unlink()
    return found


def ended(root: Path) -> list[Any]:
    """An end without a recording, committed again and again until there is no room: what was committed stays."""
    with start_run(root / "run", SPEC) as store, only(8192, root):
        said = None
        for number in range(EPISODES):
            finished = Finished(Outcome.ERRORED, ended_by="error", error="e" * 30_000)
            said = said or attempted(lambda number=number, finished=finished: store.finish(number, finished))  # type: ignore[misc]
        committed = store.progress().finished
    with RunStore.open(root / "run") as store:
        return [[said, committed, store.progress().finished]]


def all_parts(disk: Path) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for part in (starting, committing, going_on, files, databases, ended):
        try:
            results[part.__name__] = part(disk)
        finally:
            for path in disk.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    return results


if __name__ == "__main__":
    print(json.dumps(all_parts(Path(sys.argv[1]))))
