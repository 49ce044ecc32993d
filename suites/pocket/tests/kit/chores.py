"""A small app for the tests of the kit: a list, a form with every kind of field, a sheet that asks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from fairground.core import Configuration
from fairground.worlds import Fill, Move, Suite, Tap, World
from fairground_pocket.kit import (
    Add,
    Balance,
    Cast,
    Database,
    Draw,
    Expect,
    Field,
    Filled,
    Form,
    Go,
    Known,
    MaxCount,
    PocketApp,
    Row,
    Screen,
    Site,
    Tab,
    Task,
    Visit,
    join,
    parts,
)

SITE = Site(
    name="chores",
    title="Chores",
    icon="list",
    schema="CREATE TABLE chores (id INTEGER PRIMARY KEY, title TEXT NOT NULL, who TEXT NOT NULL, seen INTEGER);",
    tabs=(Tab("all", "All", "/chores/", "list"),),
    free=("chores.seen=1",),
)
FORM = Form(
    Field("title", "What", required=True, limit=20),
    Field("note", "Note", "area", limit=50),
    Field("pin", "PIN", "secret", limit=4),
    Field("who", "Who", "radio", required=True, options=(("me", "Me"), ("you", "You"))),
    Field("how", "How", "sheet", options=(("fast", "Fast"), ("slow", "Slow"))),
    Field("days", "Days", "checks", options=(("mo", "Monday"), ("tu", "Tuesday"))),
    Field("loud", "Loudly", "toggle"),
    Field("times", "Times", "stepper", low=1, high=3),
    Field("when", "When", "date", start=date(2025, 1, 31), high=40),
)


@SITE.get("/")
def chores(visit: Visit) -> Screen:
    words = visit.query("q")
    found = [
        row for row in visit.db.rows("SELECT * FROM chores ORDER BY id") if words.casefold() in row["title"].casefold()
    ]
    rows = [parts.row(SITE.url(f"/{row['id']}"), row["title"], name=f"{row['title']} {row['id']}") for row in found]
    body = join([parts.search_box(SITE.url("/"), words, "Find"), parts.live(parts.rows(rows))])
    return Screen("Chores", body, tab="all", fab=parts.fab(SITE.url("/new"), "New"))


@SITE.get("/{number:int}")
def chore(visit: Visit, number: int) -> Screen:
    row = visit.found("SELECT * FROM chores WHERE id = ?", number)
    visit.db.run("UPDATE chores SET seen = 1 WHERE id = ?", number)
    ask = parts.confirm("ask", "Sure?", "It is gone then.", SITE.url(f"/{number}/delete"), "Delete it")
    return Screen(
        row["title"],
        parts.text(row["who"]),
        back=SITE.url("/"),
        actions=[parts.bar_link("#ask", "Delete", "trash")],
        sheets=[ask],
    )


@SITE.post("/{number:int}/delete")
def delete(visit: Visit, number: int) -> Go:
    visit.db.run("DELETE FROM chores WHERE id = ?", number)
    return Go(SITE.url("/"), "Deleted", undo=True)


@SITE.get("/new")
def new(visit: Visit) -> Screen:
    return page(Filled({"who": "me"}))


@SITE.post("/new")
def add(visit: Visit) -> Screen | Go:
    filled = FORM.read(visit)
    if not filled.ok:
        return page(filled)
    said = [*filled.values.values(), *filled.chosen["days"]]
    visit.db.insert("chores", title=filled["title"], who="|".join(said))
    return Go(SITE.url("/"), "Added")


@SITE.post("/break")
def fail(visit: Visit) -> Go:
    visit.db.run("DELETE FROM chores")
    raise RuntimeError("half way")


def page(filled: Filled) -> Screen:
    body, sheets = FORM.show(SITE.url("/new"), filled, submit="Add")
    return Screen("New chore", body, back=SITE.url("/"), close=True, sheets=sheets)


class Chores(PocketApp):
    """The app."""

    name = "chores"
    title = "Chores"
    site = SITE

    def fill(self, database: Database, cast: Cast, draw: Draw) -> None:
        """Six chores."""
        for number in range(6):
            database.insert(
                "chores", title=f"{draw.choice(('Sweep', 'Polish'))} {number}", who=draw.choice(cast.people).name
            )


class AddOne(Task):
    """Adds a chore; another one lies in the way."""

    name = "add-one"
    app = "chores"
    template = "Add “{title}”, like {other.title} of {other.who}."
    domain = {"title": {"soap": "Buy soap", "lamp": "Fix the lamp"}}
    given = {"third": "SELECT id, who FROM chores ORDER BY id LIMIT 1 OFFSET 2"}
    inject = (Row("chores", {"title": "Call {third.who}", "who": "{third.who}"}),)
    facts = {"other": "SELECT id, title, who FROM chores WHERE title LIKE 'Call %'"}
    needs = (MaxCount("chores", "1", 50), Balance("SELECT count(*) FROM chores", "7"))
    expect = (Expect("it is there", "SELECT count(*) FROM after.chores WHERE title = :title"),)
    allowed = (Add("chores", "title = :title"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """By the form."""
        return [Tap("New"), Fill("What", known.title), Tap("Add")]


def world(task: type[Task] = AddOne, instance: str = "soap", profile: str = "elif-izmir") -> World:
    """A configuration of a suite with this app and this task only."""
    suite = Suite(name="test", title="Test", version="1", apps=(Chores(),), scenarios=(task(),))
    names = {"app": "chores", "scenario": task.name, "instance": instance, "profile": profile}
    return World.of(suite, Configuration(suite="test", theme="paper", ui_state="start", **names))
