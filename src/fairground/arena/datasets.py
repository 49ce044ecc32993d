"""Export and import of votes: data sets that reference frames, and tables of other arenas."""

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
"""Maximum length of an agent's name."""

_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
_SIDES = {"left": "a", "right": "b", "tie": "tie", "both_bad": "both_bad"}


def export_votes(store: Store, path: Path, *, whole: bool = False, reader: Person | None = None) -> int:
    """Write the votes that count, one row per vote with marked steps. Frames are referenced by episode folder.

    Voters have pseudonyms that are only valid in this file.

    Args:
        store: The arena.
        path: A .jsonl or .parquet file, or .csv for spreadsheets (see `harmless`).
        whole: Include flagged votes, with the reasons.
        reader: The person who will read it, if they can vote: they know the names from now on.

    Returns:
        Number of written votes.

    Raises:
        InvalidInput: If the path has another suffix or cannot be written.
    """
    kind = path.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise InvalidInput(f"{path.name}: the file name must end in .jsonl, .parquet or .csv")
    rows = [row for row in all_votes(store) if whole or row.counts]
    if reader is not None:
        note_reveals(store, {row.battle for row in rows} & open_battles(store), reader, "export")
    marks = _marks(store)
    salt = secrets.token_bytes(16)
    records: list[dict[str, Any]] = []
    for row in rows:
        data = asdict(row)
        data["voter"] = _alias(data.pop("person"), salt)
        data["marks"] = marks.get((row.battle, row.person), [])
        data["flagged"] = list(row.flagged)
        del data["open"]
        records.append(data)
    try:
        if kind == "jsonl":
            with path.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in records)
        elif kind == "csv":
            _write_csv(path, records)
        else:
            pq.write_table(pa.Table.from_pylist(records, schema=_schema()), path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}") from None
    return len(records)


def harmless(text: str) -> str:
    """Escape text for a CSV cell: a quote before text that a spreadsheet would execute as a formula."""
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
    """Import the votes of another arena (CSV, JSON or Parquet). Importing the same file again adds nothing.

    Columns are those of `fairground.stats.read_votes`: left, right, winner, and voter, task, category if known.

    Args:
        store: The arena.
        path: The file.
        name: Name of the other arena; by default the file's name.
        rename: Maps the file's columns to ours, such as `{"model_a": "left", "model_b": "right"}`.
        agents: Maps its agent names to ours, if they differ.
        values: Maps the values in its column of winners to ours.
        missing: `skip` leaves out votes without a winner.
        recognising: Whether to recognise columns by their names if they are not renamed.

    Returns:
        Number of new votes.

    Raises:
        InvalidInput: Names the faulty line and column. Nothing is imported then.
    """
    table = read_votes(path, rename=rename, values=values, missing=missing, recognising=recognising)
    names = [(agents or {}).get(agent, agent).strip() for agent in table.agents]
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
    except IntegrityError:  # the same file was sent twice at once, and the other request was first
        return 0
    return len(table)


def _add_strangers(store: Store, names: Sequence[str]) -> None:
    """Add unknown agents as retired: there is no program here that could be drawn for a battle."""
    with store.read() as connection:
        known = set(connection.execute(select(known_agents.c.name)).scalars())
    fresh = [name for name in dict.fromkeys(names) if name not in known]
    add_agents(store, fresh)
    for vote in fresh:
        retire(store, vote, "only known from votes of another arena")


def _check_names(table: Votes, names: Sequence[str]) -> None:
    for name in names:
        if not name or len(name) > MAX_NAME or "\0" in name:
            raise InvalidInput(
                f"invalid agent name {name[:40]!r}: a name has 1 to {MAX_NAME} letters", fix="give it another name"
            )
    for left, right in {*zip(table.left.tolist(), table.right.tolist(), strict=True)}:
        if names[left] == names[right]:
            raise InvalidInput(
                f"{table.agents[left]!r} and {table.agents[right]!r} met, but both would be named {names[left]!r}",
                fix="give them different names",
            )


def _take_in(store: Store, table: Votes, names: Sequence[str], source: str, digest: str, owner: str) -> None:
    voters: dict[str, str] = {}
    with store.write() as connection:
        known: list[dict[str, Any]] = []
        fought: list[dict[str, Any]] = []
        ended: list[dict[str, Any]] = []
        judged: list[dict[str, Any]] = []
        for number in range(len(table)):
            voter = table.voter.name(number) if table.voter is not None else source
            person = voters.get(voter)
            if person is None:
                person = voters[voter] = secrets.token_hex(16)
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


def _write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    names = [name for name in _schema().names if name not in ("marks", "flagged")]
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*names, "marks", "flagged"])
        for row in rows:
            plain = [harmless(row[name]) if isinstance(row[name], str) else row[name] for name in names]
            marks = json.dumps(row["marks"], ensure_ascii=False) if row["marks"] else ""
            lines.writerow([*plain, marks, harmless(" ".join(row["flagged"]))])


def _marks(store: Store) -> dict[tuple[str, str], list[dict[str, Any]]]:
    by_battle: dict[tuple[str, str], list[dict[str, Any]]] = {}
    with store.read() as connection:
        for row in connection.execute(select(step_marks).order_by(step_marks.c.side, step_marks.c.step)):
            mark = {"side": row.side, "step": row.step, "mark": row.mark, "note": row.note}
            by_battle.setdefault((row.battle, row.person), []).append(mark)
    return by_battle


def _alias(person: str, salt: bytes) -> str:
    return hashlib.blake2b(person.encode(), digest_size=6, salt=salt).hexdigest()


def _schema() -> pa.Schema:
    """Return the columns and types, which do not depend on the votes."""
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
