"""Delivery addresses."""

from __future__ import annotations

from fairground_pocket.eats.schema import SITE
from fairground_pocket.eats.searching import areas
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Html, Screen, Visit, icon, join, parts


@SITE.get("/addresses")
def addresses(visit: Visit) -> Screen:
    """All addresses, the default first."""
    rows = visit.db.rows("SELECT * FROM addresses ORDER BY is_default DESC, id")
    lines = [
        parts.row(
            SITE.url(f"/addresses/{row['id']}"), row["label"], note=f"{row['street']}, {row['area']}, {row['door']}",
            lead=icon("map"), below=parts.tag("Default", strong=True) if row["is_default"] else parts.NOTHING,
        )
        for row in rows
    ]  # fmt: skip
    body = parts.rows(lines) if rows else parts.empty("map", "No address yet", "Tell us where you eat.")
    return Screen(
        "Addresses", body, back=SITE.url("/account"), fab=parts.fab(SITE.url("/addresses/new"), "New address")
    )


@SITE.get("/addresses/new")
def new(visit: Visit) -> Screen:
    """A form for an address; query parameters fill fields in."""
    names = ("label", "street", "area", "door", "note")
    return _page(visit.db, Filled({name: visit.query(name) for name in (*names, "next")}), 0)


@SITE.get("/addresses/{number:int}")
def address(visit: Visit, number: int) -> Screen:
    """An address with its actions."""
    row = visit.found("SELECT * FROM addresses WHERE id = ?", number)
    facts = [
        ("Street", row["street"]),
        ("Area", row["area"]),
        ("Door", row["door"]),
        ("For the courier", row["note"] or "\u2013"),
    ]
    body: list[Html] = [
        parts.card(parts.facts(facts)),
        parts.link(SITE.url(f"/addresses/{number}/edit"), "Edit address", symbol="edit"),
    ]
    sheets = []
    if row["is_default"]:
        body.append(parts.notice("This is your default address.", "check"))
    else:
        body.append(parts.button(SITE.url(f"/addresses/{number}/default"), "Make it the default", style="quiet"))
        body.append(parts.link("#delete", "Delete address", style="quiet"))
        action = SITE.url(f"/addresses/{number}/delete")
        sheets.append(
            parts.confirm("delete", f"Delete {row['label']}?", "Past orders keep it.", action, "Yes, delete it")
        )
    return Screen(row["label"], join(body), back=SITE.url("/addresses"), sheets=sheets)


@SITE.get("/addresses/{number:int}/edit")
def edit(visit: Visit, number: int) -> Screen:
    """A form to edit an address."""
    row = visit.found("SELECT * FROM addresses WHERE id = ?", number)
    values = {name: str(row[name]) for name in ("label", "street", "area", "door", "note", "is_default")}
    return _page(visit.db, Filled(values), number)


@SITE.post("/addresses/new")
def create(visit: Visit) -> Screen | Go:
    """Adds an address; from the checkout, it is chosen for the order at once."""
    return _save(visit, 0)


@SITE.post("/addresses/{number:int}/edit")
def update(visit: Visit, number: int) -> Screen | Go:
    """Saves an address."""
    visit.found("SELECT 1 FROM addresses WHERE id = ?", number)
    return _save(visit, number)


@SITE.post("/addresses/{number:int}/default")
def make_default(visit: Visit, number: int) -> Go:
    """Makes an address the default."""
    visit.found("SELECT 1 FROM addresses WHERE id = ?", number)
    visit.db.run("UPDATE addresses SET is_default = (id = ?)", number)
    return Go(SITE.url("/addresses"), "Default address changed", undo=True)


@SITE.post("/addresses/{number:int}/delete")
def delete(visit: Visit, number: int) -> Go:
    """Deletes an address that is not the default."""
    visit.found("SELECT 1 FROM addresses WHERE id = ? AND is_default = 0", number)
    visit.db.run("DELETE FROM addresses WHERE id = ?", number)
    return Go(SITE.url("/addresses"), "Address deleted", undo=True)


def _form(db: Database) -> Form:
    return Form(
        Field("label", "Label", required=True, limit=40, hint="Such as Home, or a friend's name"),
        Field("street", "Street and number", required=True, limit=100),
        Field("area", "Area", "sheet", required=True, options=[(area, area) for area in areas(db)]),
        Field("door", "Floor or door", limit=60),
        Field("note", "Note for the courier", limit=120),
        Field("is_default", "Use as default", "toggle"),
        Field("next", "", "hidden"),
        key="address",
    )


def _save(visit: Visit, number: int) -> Screen | Go:
    db = visit.db
    filled = _form(db).read(visit)
    if filled.ok and db.one("SELECT 1 FROM addresses WHERE label = ? AND id != ?", filled["label"], number):
        filled = filled.wrong("label", "You have an address with this label")
    if not filled.ok:
        return _page(db, filled, number)
    values = {name: filled[name] for name in ("label", "street", "area", "door", "note")}
    if number:
        sets = ", ".join(f"{name} = ?" for name in values)
        db.run(f"UPDATE addresses SET {sets} WHERE id = ?", *values.values(), number)
    else:
        number = db.insert("addresses", **values, is_default=0)
        if filled["next"] == "checkout":
            db.run("UPDATE cart SET address = ? WHERE restaurant IS NOT NULL", number)
    if filled["is_default"] == "1":
        db.run("UPDATE addresses SET is_default = (id = ?)", number)
    if filled["next"] == "checkout" and db.one("SELECT restaurant FROM cart"):
        return Go(SITE.url("/checkout"))
    return Go(SITE.url("/addresses"), "Address saved", undo=True)


def _page(db: Database, filled: Filled, number: int) -> Screen:
    action = SITE.url(f"/addresses/{number}/edit") if number else SITE.url("/addresses/new")
    body, sheets = _form(db).show(action, filled)
    back = SITE.url(f"/addresses/{number}") if number else SITE.url("/addresses")
    save = [parts.submit("Save", "address")]
    return Screen("Edit address" if number else "New address", body, back=back, close=True, actions=save, sheets=sheets)
