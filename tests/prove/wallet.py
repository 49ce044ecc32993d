"""A small app with real SQLite state and no screen: people, payments, settings; and tasks in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from fairground.core import Check, InvalidConfiguration, State
from fairground.verify import equal, holds, unchanged
from fairground.worlds import App, Fill, Move, Say, Scenario, Seat, Stuck, Suite, Tap, World

TABLES = """
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE payments (id INTEGER PRIMARY KEY, person INTEGER, cents INTEGER, note TEXT, at TEXT);
CREATE TABLE settings (id INTEGER PRIMARY KEY, name TEXT, value TEXT);
INSERT INTO settings VALUES (1, 'alerts', 'on');
"""


class Wallet(App):
    """Pays people."""

    name = "wallet"
    title = "Wallet"
    profiles: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "ana": {"people": ["Bo Lund", "Carla Diaz", "Dev Rao"]},
        "ben": {"people": ["Bo Lund", "Eva Kim", "Carla Diaz"]},
    }
    themes: ClassVar[Mapping[str, Mapping[str, Any]]] = {"light": {}, "dark": {}}
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {"home": {}, "deep": {}}

    def launch(self, seat: Seat) -> None:
        raise NotImplementedError

    def rehearse(self, world: World) -> Phone:
        return Phone(world.profile["people"])


class Phone:
    """The app without a screen."""

    def __init__(self, people: Sequence[str]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.executescript(TABLES)
        self._db.executemany("INSERT INTO people (name) VALUES (?)", [(name,) for name in people])
        old = [(1 + place % len(people), 500 + 125 * place, "old", "2026-01-01T09:00:01") for place in range(7)]
        self._db.executemany("INSERT INTO payments (person, cents, note, at) VALUES (?, ?, ?, ?)", old)
        self._person: int | None = None
        self._form: dict[str, str] | None = None
        self.before = self.state()

    def play(self, moves: Sequence[Move]) -> str | None:
        said = None
        for move in moves:
            match move:
                case Say(text):
                    said = text
                case Fill(field, text) if self._form is not None and field in ("Amount", "Note"):
                    self._form[field] = text
                case Tap(name):
                    self._tap(name)
                case _:
                    raise Stuck(f"nothing here takes {move}")
        return said

    def _tap(self, name: str) -> None:
        person = self._db.execute("SELECT id FROM people WHERE name = ?", (name,)).fetchone()
        if name == "Home":
            self._person = self._form = None
        elif name == "Alerts":
            self._db.execute("UPDATE settings SET value = iif(value = 'on', 'off', 'on') WHERE name = 'alerts'")
        elif person is not None and self._person is None:
            self._person = person[0]
        elif name == "Pay" and self._person is not None:
            self._form = {}
        elif name == "Send" and self._form is not None:
            try:
                cents = round(float(self._form.get("Amount", "")) * 100)
            except ValueError:
                return  # the form says that it wants an amount
            note = self._form.get("Note", "")
            sql = "INSERT INTO payments (person, cents, note, at) VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%f'))"
            self._db.execute(sql, (self._person, cents, note))
            self._form = None
        else:
            raise Stuck(f"there is no {name!r}")

    def state(self) -> State:
        data = {}
        for table in ("people", "payments", "settings"):
            rows = self._db.execute(f"SELECT * FROM {table} ORDER BY id")
            names = [column[0] for column in rows.description]
            data[table] = [dict(zip(names, row, strict=True)) for row in rows]
        return State(data=data)

    def close(self) -> None:
        self._db.close()


def person(state: State, name: object) -> int:
    for row in state.get("people"):
        if row["name"] == name:
            return int(row["id"])
    raise InvalidConfiguration(f"this profile knows no {name}")


def rows(state: State) -> dict[str, Any]:
    return {f"{table}.{row['id']}": row for table in state.data for row in state.get(table)}


class Pay(Scenario):
    """Pays one person, and nothing else."""

    name = "pay"
    app = "wallet"
    template = "Pay {person} {amount} with the note “{note}”."
    instances = {
        "bo": {"person": "Bo Lund", "amount": 12.5, "note": "lunch"},
        "carla": {"person": "Carla Diaz", "amount": 40, "note": "tickets"},
        "eva": {"person": "Eva Kim", "amount": 7.25, "note": "coffee"},
    }

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        wanted = {
            "person": person(before, world.parameters["person"]),
            "cents": round(float(world.parameters["amount"]) * 100),
            "note": world.parameters["note"],
        }
        new = {key: row for key, row in rows(after).items() if key not in rows(before)}
        found = [{name: row.get(name) for name in wanted} for row in new.values()]
        return [
            equal("the payment is there, once", [wanted], found),
            unchanged("nothing else changed", rows(before), rows(after), allowed=list(new)),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        person(before, world.parameters["person"])
        return [
            Tap("Home"),
            Tap(str(world.parameters["person"])),
            Tap("Pay"),
            Fill("Amount", str(world.parameters["amount"])),
            Fill("Note", str(world.parameters["note"])),
            Tap("Send"),
        ]

    def mutants(self, world: World, before: State) -> Mapping[str, Sequence[Move]]:
        return {"alerts too": [*self.oracle(world, before), Tap("Alerts")]}


class Careless(Pay):
    """The same, judged without a look at the note and at what else changed."""

    name = "careless"

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        who = person(before, world.parameters["person"])
        cents = round(float(world.parameters["amount"]) * 100)
        new = after.get("payments")[len(before.get("payments")) :]
        return [holds("a payment is there", any(row["person"] == who and row["cents"] == cents for row in new))]


class Spent(Scenario):
    """How much one person was paid."""

    name = "spent"
    app = "wallet"
    kind = "answer"
    template = "How much have you paid {person} in all? Answer in dollars."
    instances = {"bo": {"person": "Bo Lund"}, "carla": {"person": "Carla Diaz"}, "dev": {"person": "Dev Rao"}}

    def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
        right = total(before, world)
        return [
            equal("the amount is right", right, (answer or "").strip().removeprefix("$")),
            unchanged("nothing changed", rows(before), rows(after)),
        ]

    def oracle(self, world: World, before: State) -> Sequence[Move]:
        return [Tap("Home"), Tap(str(world.parameters["person"])), Say(f"${total(before, world)}")]


def total(state: State, world: World) -> str:
    who = person(state, world.parameters["person"])
    return f"{sum(row['cents'] for row in state.get('payments') if row['person'] == who) / 100:.2f}"


def suite() -> Suite:
    """As a package would publish it."""
    return Suite(name="tiny", title="Tiny", version="1", apps=(Wallet(),), scenarios=(Pay(), Careless(), Spent()))


def proven_suite(folder: Path) -> Suite:
    """The same, held to the proof tables in a folder."""
    return Suite(**{**vars(suite()), "proofs": folder})
