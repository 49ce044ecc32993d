"""Votes out of an arena and into one: data sets with frames by reference, and other arenas' tables."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import select

from fairground.arena.battles import add_agents
from fairground.arena.people import new_person
from fairground.arena.schema import battles, people, sides, step_marks, votes
from fairground.arena.store import Store, now
from fairground.arena.tables import all_votes
from fairground.core import InvalidInput
from fairground.stats import WINNERS, read_votes

Format = Literal["jsonl", "parquet"]

_SIDES = {"left": "a", "right": "b", "tie": "tie", "both_bad": "both_bad"}


def export_votes(store: Store, path: Path, *, whole: bool = False) -> int:
    """Writes the votes that count, one a row, with marks of steps; frames are named by their episodes' folders.

    Voters are told apart by numbers that mean nothing elsewhere.

    Args:
        store: The arena.
        path: Ends in .jsonl or .parquet.
        whole: Flagged votes too, with the reasons.

    Returns:
        How many were written.

    Raises:
        InvalidInput: When the path ends otherwise, or cannot be written.
    """
    kind = path.suffix.removeprefix(".")
    if kind not in ("jsonl", "parquet"):
        raise InvalidInput(f"{path.name}: a data set ends in .jsonl or .parquet")
    rows = [row for row in all_votes(store) if whole or row.counts]
    marks = _marks(store)
    salt = secrets.token_bytes(16)
    found: list[dict[str, Any]] = []
    for row in rows:
        told = asdict(row)
        told["voter"] = _alias(told.pop("person"), salt)
        told["marks"] = marks.get((row.battle, row.person), [])
        told["flagged"] = list(row.flagged)
        found.append(told)
    try:
        if kind == "jsonl":
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
        else:
            pq.write_table(pa.Table.from_pylist(found, schema=_schema()), path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from None
    return len(found)


def import_votes(store: Store, path: Path, *, name: str = "", rename: Mapping[str, str] | None = None) -> int:
    """Takes in the votes of another arena (CSV, JSON lines or Parquet); a file that was taken in adds nothing again.

    Columns are those of `fairground.stats.read_votes`: left, right, winner, and voter, task, category where known.

    Args:
        store: The arena.
        path: The file.
        name: What the other arena is called; the file's name unless given.
        rename: What the file's columns are called here, such as `{"model_a": "left", "model_b": "right"}`.

    Returns:
        How many votes are new.
    """
    table = read_votes(path, rename=rename)
    source = name or path.stem
    digest = hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()
    add_agents(store, table.agents)
    owner = new_person(store, "judge", f"import {digest}")
    voters: dict[str, str] = {}
    with store.write() as connection:
        first = f"{digest}-0"
        if connection.execute(select(battles.c.id).where(battles.c.id == first)).one_or_none() is not None:
            return 0
        known: list[dict[str, Any]] = []
        fought: list[dict[str, Any]] = []
        ended: list[dict[str, Any]] = []
        judged: list[dict[str, Any]] = []
        for number in range(len(table)):
            told = table.voter.name(number) if table.voter is not None else source
            person = voters.get(told)
            if person is None:
                person = voters[told] = secrets.token_hex(16)
                known.append({"id": person, "role": "visitor", "created": now(), "invitation": f"import {digest}"})
            battle = f"{digest}-{number}"
            fought.append(
                {
                    "id": battle,
                    "created": now(),
                    "owner": owner.id,
                    "world": f"import/{source}"[:500],
                    "task": (table.task.name(number) if table.task is not None else "")[:4000],
                    "own_task": False,
                    "category": (table.category.name(number) if table.category is not None else "")[:100],
                    "platform": "import",
                    "preparation": "{}",
                    "a": table.agents[table.left[number]],
                    "b": table.agents[table.right[number]],
                    "fingerprint": "",
                    "status": "closed",
                    "why": "",
                }
            )
            ended += [{"battle": battle, "side": side, "episode": "", "outcome": ""} for side in ("a", "b")]
            winner = _SIDES[WINNERS[table.winner[number]]]
            at = now()
            judged.append(
                {"battle": battle, "person": person, "version": 1, "created": at, "changed": at, "winner": winner}
                | {"comment": ""}
            )
        for into, rows in ((people, known), (battles, fought), (sides, ended), (votes, judged)):
            if rows:
                connection.execute(into.insert(), rows)
    return len(table)


def _marks(store: Store) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    with store.read() as connection:
        for row in connection.execute(select(step_marks).order_by(step_marks.c.side, step_marks.c.step)):
            told = {"side": row.side, "step": row.step, "mark": row.mark, "note": row.note}
            found.setdefault((row.battle, row.person), []).append(told)
    return found


def _alias(person: str, salt: bytes) -> str:
    return hashlib.blake2b(person.encode(), digest_size=6, salt=salt).hexdigest()


def _schema() -> pa.Schema:
    """The same columns and types whatever the votes are."""
    text, number = pa.string(), pa.float64()
    mark = pa.struct([("side", text), ("step", pa.int64()), ("mark", text), ("note", text)])
    sided = [
        (f"{name}_{side}", kind)
        for name, kind in (
            ("correct", text), ("safe", text), ("efficient", text), ("episode", text), ("reward", number),
            ("outcome", text), ("steps", pa.int64()), ("questions", pa.int64()), ("repetition", number),
        )
        for side in ("a", "b")
    ]  # fmt: skip
    return pa.schema(
        [
            *((name, text) for name in ("battle", "voter", "world", "task", "category", "platform", "fingerprint")),
            *(("own_task", pa.bool_()), ("created", number), ("changed", number), ("version", pa.int64())),
            *(("seconds", number), ("a", text), ("b", text), ("winner", text), ("comment", text), *sided),
            ("marks", pa.list_(mark)),
            ("flagged", pa.list_(text)),
        ]
    )
