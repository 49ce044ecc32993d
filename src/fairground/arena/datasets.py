"""Votes out of an arena and into one: data sets with frames by reference, and other arenas' tables."""

from __future__ import annotations

import csv
import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from fairground.arena.battles import add_agents, retire
from fairground.arena.people import Person, new_person
from fairground.arena.schema import agents as known_agents
from fairground.arena.schema import battles, people, sides, step_marks, votes
from fairground.arena.seeing import note_reveals
from fairground.arena.store import Store, now
from fairground.arena.tables import all_votes, open_battles
from fairground.core import InvalidInput
from fairground.stats import WINNERS, Votes, read_votes

Format = Literal["jsonl", "parquet", "csv"]
FORMATS = ("jsonl", "parquet", "csv")
MAX_NAME = 200
"""Letters of an agent's name."""

_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
_SIDES = {"left": "a", "right": "b", "tie": "tie", "both_bad": "both_bad"}


def export_votes(store: Store, path: Path, *, whole: bool = False, reader: Person | None = None) -> int:
    """Writes the votes that count, one a row, with marks of steps; frames are named by their episodes' folders.

    Voters are told apart by numbers that mean nothing elsewhere.

    Args:
        store: The arena.
        path: Ends in .jsonl or .parquet; or in .csv, for spreadsheets: see `harmless`.
        whole: Flagged votes too, with the reasons.
        reader: Who will read it, if that is somebody who may vote: they know the names in it from now on.

    Returns:
        How many were written.

    Raises:
        InvalidInput: When the path ends otherwise, or cannot be written.
    """
    kind = path.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise InvalidInput(f"{path.name}: a data set ends in .jsonl or .parquet (or .csv)")
    rows = [row for row in all_votes(store) if whole or row.counts]
    if reader is not None:
        note_reveals(store, {row.battle for row in rows} & open_battles(store), reader, "export")
    marks = _marks(store)
    salt = secrets.token_bytes(16)
    found: list[dict[str, Any]] = []
    for row in rows:
        told = asdict(row)
        told["voter"] = _alias(told.pop("person"), salt)
        told["marks"] = marks.get((row.battle, row.person), [])
        told["flagged"] = list(row.flagged)
        del told["open"]
        found.append(told)
    try:
        if kind == "jsonl":
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
        elif kind == "csv":
            _write_csv(path, found)
        else:
            pq.write_table(pa.Table.from_pylist(found, schema=_schema()), path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from None
    return len(found)


def harmless(text: str) -> str:
    """Text for a cell of a CSV file: a spreadsheet would run what begins like a formula, so a quote goes before it."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def import_votes(
    store: Store,
    path: Path,
    *,
    name: str = "",
    rename: Mapping[str, str] | None = None,
    agents: Mapping[str, str] | None = None,
    values: Mapping[str, str] | None = None,
    missing: str | None = None,
    recognising: bool = True,
) -> int:
    """Takes in the votes of another arena (CSV, JSON or Parquet); a file that was taken in adds nothing again.

    Columns are those of `fairground.stats.read_votes`: left, right, winner, and voter, task, category where known.

    Args:
        store: The arena.
        path: The file.
        name: What the other arena is called; the file's name unless given.
        rename: What the file's columns are called here, such as `{"model_a": "left", "model_b": "right"}`.
        agents: What its agents are called here, where they are called otherwise.
        values: What words in its column of winners mean.
        missing: `skip` leaves votes without a winner out.
        recognising: Whether columns that are not renamed may be recognised by their names.

    Returns:
        How many votes are new.

    Raises:
        InvalidInput: Names the line and column at fault; nothing is taken in then.
    """
    table = read_votes(path, rename=rename, values=values, missing=missing, recognising=recognising)
    names = [(agents or {}).get(one, one).strip() for one in table.agents]
    _check_names(table, names)
    source = name or path.stem
    digest = hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()
    with store.read() as connection:
        if connection.execute(select(battles.c.id).where(battles.c.id == f"{digest}-0")).one_or_none() is not None:
            return 0
    _add_strangers(store, names)
    owner = new_person(store, "visitor", f"import {digest}")
    try:
        _take_in(store, table, names, source, digest, owner.id)
    except IntegrityError:  # the same file, sent twice at once: the other one was first
        return 0
    return len(table)


def _add_strangers(store: Store, names: Sequence[str]) -> None:
    """Agents of elsewhere have no program here that could be drawn for a battle, so they come in as retired."""
    with store.read() as connection:
        known = set(connection.execute(select(known_agents.c.name)).scalars())
    fresh = [one for one in dict.fromkeys(names) if one not in known]
    add_agents(store, fresh)
    for one in fresh:
        retire(store, one, "known from another arena's votes only")


def _check_names(table: Votes, names: Sequence[str]) -> None:
    for one in names:
        if not one or len(one) > MAX_NAME or "\0" in one:
            raise InvalidInput(
                f"an agent cannot be called {one[:40]!r}: a name has 1 to {MAX_NAME} letters", fix="call it otherwise"
            )
    for left, right in {*zip(table.left.tolist(), table.right.tolist(), strict=True)}:
        if names[left] == names[right]:
            raise InvalidInput(
                f"{table.agents[left]!r} and {table.agents[right]!r} met, and would both be called {names[left]!r}",
                fix="give them two names",
            )


def _take_in(store: Store, table: Votes, names: Sequence[str], source: str, digest: str, owner: str) -> None:
    voters: dict[str, str] = {}
    with store.write() as connection:
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
                    "owner": owner,
                    "world": f"import/{source}"[:500],
                    "task": (table.task.name(number) if table.task is not None else "")[:4000].replace("\0", ""),
                    "own_task": False,
                    "category": (table.category.name(number) if table.category is not None else "")[:100].replace(
                        "\0", ""
                    ),
                    "platform": "import",
                    "preparation": "{}",
                    "a": names[table.left[number]],
                    "b": names[table.right[number]],
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


def _write_csv(path: Path, found: Sequence[Mapping[str, Any]]) -> None:
    names = [name for name in _schema().names if name not in ("marks", "flagged")]
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*names, "marks", "flagged"])
        for one in found:
            plain = [harmless(one[name]) if isinstance(one[name], str) else one[name] for name in names]
            marks = json.dumps(one["marks"], ensure_ascii=False) if one["marks"] else ""
            lines.writerow([*plain, marks, harmless(" ".join(one["flagged"]))])


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
            *(("counted", pa.int64()), ("after_reveal", pa.bool_()), ("winner_after_reveal", text)),
            ("identified", text),
            ("marks", pa.list_(mark)),
            ("flagged", pa.list_(text)),
        ]
    )
