"""Recordings of oracles played on seats: states before and after, by cache key.

A proof on a seat takes seconds, mostly for starting the program. Judging a recording takes milliseconds. So recordings
are stored separately from results: if only checks or readers change, everything is judged again without a seat.

They are stored in one SQLite file, shared by all processes. File contents are stored once, compressed, by their digest.
A kill at any time leaves the file intact.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from fairground.core import State
from fairground.core.anytext import pack, unpack
from fairground.core.writing import writing
from fairground.prove.cache import cache_errors
from fairground.prove.pairs import Open
from fairground.sandbox.layers import cache_folder
from fairground.worlds import Move, Rehearsal, Stuck, World

_TABLES = """
CREATE TABLE IF NOT EXISTS contents (digest BLOB PRIMARY KEY, packed BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS starts (world TEXT PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS moves (world TEXT, moves TEXT, said TEXT NOT NULL, PRIMARY KEY (world, moves)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ends (world TEXT, moves TEXT, state BLOB NOT NULL, PRIMARY KEY (world, moves)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Made:
    """The result of a move.

    Attributes:
        said: The answer it gave.
        stuck: Why it could not be made; empty if it could.
    """

    said: str | None = None
    stuck: str = ""


class Recordings:
    """Recordings of worlds. Each method is one transaction.

    Args:
        path: The file. Default: in the user's cache folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_folder() / "recordings.sqlite"
        with cache_errors(self.path), writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=60.0)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_TABLES)

    def start(self, world: str) -> State | None:
        """Return the initial state of a world."""
        return self._state("SELECT state FROM starts WHERE world = ?", world)

    def end(self, world: str, moves: str) -> State | None:
        """Return the state after these moves."""
        return self._state("SELECT state FROM ends WHERE world = ? AND moves = ?", world, moves)

    def made(self, world: str, moves: str) -> Made | None:
        """Return the result of the last of these moves."""
        with cache_errors(self.path):
            row = self._db.execute("SELECT said FROM moves WHERE world = ? AND moves = ?", (world, moves)).fetchone()
        return Made(*json.loads(row[0])) if row else None

    def keep_start(self, world: str, state: State) -> None:
        """Store the initial state of a world."""
        self._keep(state, "INSERT OR IGNORE INTO starts VALUES (?, ?)", world)

    def keep_end(self, world: str, moves: str, state: State) -> None:
        """Store the state after these moves."""
        self._keep(state, "INSERT OR IGNORE INTO ends VALUES (?, ?, ?)", world, moves)

    def keep_made(self, world: str, moves: str, made: Made) -> None:
        """Store the result of the last of these moves."""
        with cache_errors(self.path):
            said = json.dumps([made.said, made.stuck])
            self._db.execute("INSERT OR IGNORE INTO moves VALUES (?, ?, ?)", (world, moves, said))

    def forget(self, world: str) -> None:
        """Delete the recordings of a world, so that it is recorded again."""
        with cache_errors(self.path):
            for table in ("starts", "moves", "ends"):
                self._db.execute(f"DELETE FROM {table} WHERE world = ?", (world,))

    def __len__(self) -> int:
        """Number of stored end states."""
        with cache_errors(self.path):
            return int(self._db.execute("SELECT count(*) FROM ends").fetchone()[0])

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _keep(self, state: State, insert: str, *key: str) -> None:
        contents = {_digest(content): content for content in state.files.values()}
        files = {pack(name): _digest(content).hex() for name, content in state.files.items()}
        manifest = json.dumps(
            {"files": files, "data": pack(dict(state.data)), "missing": pack(dict(state.missing))}
        ).encode()
        contents[_digest(manifest)] = manifest
        with cache_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                for digest, content in contents.items():
                    known = self._db.execute("SELECT 1 FROM contents WHERE digest = ?", (digest,)).fetchone()
                    if not known:
                        packed = zlib.compress(content, 6)
                        self._db.execute("INSERT INTO contents VALUES (?, ?)", (digest, packed))
                self._db.execute(insert, (*key, _digest(manifest)))
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _state(self, query: str, *key: str) -> State | None:
        with cache_errors(self.path):
            row = self._db.execute(query, key).fetchone()
            if row is None or (manifest := self._content(row[0])) is None:
                return None
            facts: dict[str, Any] = json.loads(manifest)
            files: dict[str, bytes] = {}
            for name, digest in facts["files"].items():
                content = self._content(bytes.fromhex(digest))
                if content is None:
                    return None  # damaged: treated as not recorded
                files[unpack(name)] = content
        return State(files, unpack(facts["data"]), unpack(facts["missing"]))

    def _content(self, digest: bytes) -> bytes | None:
        row = self._db.execute("SELECT packed FROM contents WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            return None
        try:
            content = zlib.decompress(row[0])
        except zlib.error:
            return None
        return content if _digest(content) == digest else None


class Recorded:
    """A recorded world as a rehearsal. A seat is opened only for what was not recorded.

    Args:
        world: The world.
        key: Its cache key.
        recordings: Where recordings are stored.
        open_: Opens a seat.
        take: Which of several recordings of the same moves to use, for comparing two.
    """

    def __init__(self, world: World, key: str, recordings: Recordings, open_: Open, *, take: int = 1) -> None:
        self._world, self._recordings, self._open_seat = world, recordings, open_
        self._key = key if take == 1 else f"{key}/{take}"
        self._moves: list[Move] = []
        self._live: Rehearsal | None = None
        start = recordings.start(self._key)
        if start is None:
            self._live = open_(world)
            start = self._live.before
            recordings.keep_start(self._key, start)
        self.before = start

    def play(self, moves: Sequence[Move]) -> str | None:
        """Play the moves, or return their recorded result."""
        answer: str | None = None
        for move in moves:
            self._moves.append(move)
            chain = moves_digest(self._moves)
            made = self._recordings.made(self._key, chain) if self._live is None else None
            if made is None:
                made = self._make(move)
                self._recordings.keep_made(self._key, chain, made)
            if made.stuck:
                raise Stuck(made.stuck)
            answer = made.said if made.said is not None else answer
        return answer

    def state(self) -> State:
        """Return the state after the moves that were made."""
        chain = moves_digest(self._moves)
        if self._live is None and (known := self._recordings.end(self._key, chain)) is not None:
            return known
        state = self._seat().state()
        self._recordings.keep_end(self._key, chain, state)
        return state

    def close(self) -> None:
        """Give the seat back, if one was opened."""
        live, self._live = self._live, None
        if live is not None:
            live.close()

    def _make(self, move: Move) -> Made:
        live = self._seat(self._moves[:-1])
        try:
            return Made(live.play([move]))
        except Stuck as stuck:
            return Made(stuck=stuck.message)

    def _seat(self, moves: Sequence[Move] | None = None) -> Rehearsal:
        """Return the seat. If it is opened only now, the earlier moves are played first."""
        if self._live is None:
            self._live = self._open_seat(self._world)
            for move in self._moves if moves is None else moves:
                with contextlib.suppress(Stuck):
                    self._live.play([move])
        return self._live


def moves_digest(moves: Sequence[Move]) -> str:
    """Return a digest of a list of moves."""
    digest = hashlib.blake2b(digest_size=16)
    for move in moves:
        digest.update(f"{type(move).__name__} {vars(move)!r}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()
