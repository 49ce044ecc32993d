"""Settings: signature, vacation reply, rules, notifications."""

from __future__ import annotations

import sqlite3
from datetime import date

from fairground_pocket.email.schema import SITE
from fairground_pocket.email.store import apply_rule
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Gone, Screen, Visit, icon, join, parts

SWITCHES = (
    ("notify", "Notify about new mail", "A banner for every mail that comes in"),
    ("sound", "Play a sound", "When a mail comes in or goes out"),
    ("previews", "Show previews", "The first words of a mail in lists"),
    ("images", "Load remote images", "Off keeps senders from knowing that you read"),
)
_SIGNATURE = Form(
    Field("signature_on", "Add a signature", "toggle"),
    Field("signature", "Signature", "area", limit=300),
)
_NEEDED = {
    "vacation_from": "Choose the first day",
    "vacation_to": "Choose the last day",
    "vacation_text": "Write what to answer",
}
_ACTIONS = (("label", "Add a label"), ("move", "Move to a folder"), ("star", "Star it"), ("read", "Mark as read"))


@SITE.get("/settings")
def settings(visit: Visit) -> Screen:
    """The list of settings."""
    db = visit.db
    rules = db.one("SELECT count(*) FROM rules")
    vacation = "On" if db.setting("vacation_on") == "1" else "Off"
    links = [
        parts.row(SITE.url("/signature"), "Signature", note=db.setting("signature") or "None", lead=icon("signature")),
        parts.row(SITE.url("/vacation"), "Vacation reply", note=vacation, lead=icon("sun")),
        parts.row(SITE.url("/rules"), "Rules", note=f"{rules} rules", lead=icon("rule")),
        parts.row(SITE.url("/labels"), "Labels", note="Add, rename, delete", lead=icon("label")),
    ]
    switches = [
        parts.switch_row(SITE.url("/settings"), name, db.setting(key) == "1", note=note, key=key)
        for key, name, note in SWITCHES
    ]
    body = join([
        parts.hero(db.setting("owner"), db.setting("address")),
        parts.section("Mail", parts.rows(links)),
        parts.section("Behaviour", parts.rows(switches)),
    ])  # fmt: skip
    return Screen("Settings", body, tab="settings")


@SITE.post("/settings")
def switch(visit: Visit) -> Go:
    """Sets one of the switches."""
    key = visit.form("key")
    if key not in {name for name, *_ in SWITCHES}:
        raise Gone
    visit.db.set(key, visit.form("on") == "1")
    return Go(SITE.url("/settings"))


@SITE.get("/signature")
def signature(visit: Visit) -> Screen:
    """The signature that is added to sent mails."""
    values = {name: visit.db.setting(name) for name in ("signature_on", "signature")}
    return _form_page(_SIGNATURE, "Signature", "/signature", Filled(values))


@SITE.post("/signature")
def save_signature(visit: Visit) -> Screen | Go:
    """Saves the signature."""
    filled = _SIGNATURE.read(visit)
    if filled["signature_on"] == "1" and not filled["signature"]:
        filled = filled.wrong("signature", "Write a signature first")
    if not filled.ok:
        return _form_page(_SIGNATURE, "Signature", "/signature", filled)
    for name, value in filled.values.items():
        visit.db.set(name, value)
    return Go(SITE.url("/settings"), "Signature saved", undo=True)


@SITE.get("/vacation")
def vacation(visit: Visit) -> Screen:
    """The vacation reply."""
    names = ("vacation_on", "vacation_from", "vacation_to", "vacation_subject", "vacation_text")
    values = {name: visit.db.setting(name) for name in names}
    return _form_page(_vacation(visit.db), "Vacation reply", "/vacation", Filled(values))


@SITE.post("/vacation")
def save_vacation(visit: Visit) -> Screen | Go:
    """Saves the vacation reply."""
    form = _vacation(visit.db)
    filled = form.read(visit)
    if filled["vacation_on"] == "1":
        for name, words in _NEEDED.items():
            if not filled[name]:
                filled = filled.wrong(name, words)
    if filled["vacation_from"] and filled["vacation_to"] and filled["vacation_to"] < filled["vacation_from"]:
        filled = filled.wrong("vacation_to", "The last day is before the first")
    if not filled.ok:
        return _form_page(form, "Vacation reply", "/vacation", filled)
    for name, value in filled.values.items():
        visit.db.set(name, value)
    return Go(SITE.url("/settings"), "Vacation reply saved", undo=True)


@SITE.get("/rules")
def rules(visit: Visit) -> Screen:
    """The list of rules."""
    records = visit.db.rows("SELECT * FROM rules ORDER BY id")
    rows = [
        parts.row(
            SITE.url(f"/rules/{row['id']}"), _when(row), note=_then(visit.db, row), lead=icon("rule"),
            meta="" if row["enabled"] else "Off", style="" if row["enabled"] else "off",
        )
        for row in records
    ]  # fmt: skip
    body = parts.rows(rows) if rows else parts.empty("rule", "No rules yet", "A rule sorts mail as it comes in.")
    return Screen("Rules", body, back=SITE.url("/settings"), fab=parts.fab(SITE.url("/rules/new"), "New rule"))


@SITE.get("/rules/new")
def new_rule(visit: Visit) -> Screen:
    """A form for a rule; opened from a conversation, its sender is filled in."""
    text = visit.query("thread")
    sql = "SELECT address FROM mails WHERE thread = ? AND folder != 'sent' ORDER BY time DESC LIMIT 1"
    sender = visit.db.one(sql, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else None
    return _form_page(
        _rule(visit.db),
        "New rule",
        "/rules/new",
        Filled({"field": "from", "contains": sender or "", "action": "label"}),
    )


@SITE.post("/rules/new")
def add_rule(visit: Visit) -> Screen | Go:
    """Adds a rule, and applies it to the inbox if requested."""
    form = _rule(visit.db)
    filled = form.read(visit)
    if not filled.errors:
        needed = {"label": ("label", "Choose the label"), "move": ("folder", "Choose the folder")}.get(filled["action"])
        if needed and not filled[needed[0]]:
            filled = filled.wrong(*needed)
    if not filled.ok:
        return _form_page(form, "New rule", "/rules/new", filled)
    target = {"label": filled["label"], "move": filled["folder"]}.get(filled["action"], "")
    number = visit.db.insert(
        "rules", field=filled["field"], contains=filled["contains"], action=filled["action"], target=target
    )
    words = "Rule added"
    if filled["now"] == "1":
        count = apply_rule(visit.db, visit.found("SELECT * FROM rules WHERE id = ?", number))
        words = f"Rule added, {count} conversations sorted"
    return Go(SITE.url("/rules"), words, undo=True)


@SITE.get("/rules/{number:int}")
def rule(visit: Visit, number: int) -> Screen:
    """A rule with its actions."""
    row = visit.found("SELECT * FROM rules WHERE id = ?", number)
    facts = [("When", _when(row)), ("Then", _then(visit.db, row))]
    toggle = parts.switch_row(SITE.url(f"/rules/{number}/switch"), "Rule is on", bool(row["enabled"]))
    body = join([
        parts.card(parts.facts(facts)),
        parts.rows([toggle]),
        parts.button(SITE.url(f"/rules/{number}/run"), "Apply to the inbox now", symbol="refresh", style="quiet"),
    ])  # fmt: skip
    ask = parts.confirm(
        "delete", "Delete this rule?", "Mails stay where they are.", SITE.url(f"/rules/{number}/delete"), "Delete"
    )
    actions = [parts.bar_link("#delete", "Delete rule", "trash")]
    return Screen("Rule", body, back=SITE.url("/rules"), actions=actions, sheets=[ask])


@SITE.post("/rules/{number:int}/switch")
def switch_rule(visit: Visit, number: int) -> Go:
    """Turns a rule on or off."""
    visit.found("SELECT 1 FROM rules WHERE id = ?", number)
    visit.db.run("UPDATE rules SET enabled = ? WHERE id = ?", visit.form("on") == "1", number)
    return Go(SITE.url(f"/rules/{number}"))


@SITE.post("/rules/{number:int}/run")
def run_rule(visit: Visit, number: int) -> Go:
    """Applies a rule to the inbox."""
    count = apply_rule(visit.db, visit.found("SELECT * FROM rules WHERE id = ?", number))
    return Go(SITE.url(f"/rules/{number}"), f"{count} conversations sorted", undo=True)


@SITE.post("/rules/{number:int}/delete")
def delete_rule(visit: Visit, number: int) -> Go:
    """Deletes a rule."""
    visit.found("SELECT 1 FROM rules WHERE id = ?", number)
    visit.db.run("DELETE FROM rules WHERE id = ?", number)
    return Go(SITE.url("/rules"), "Rule deleted", undo=True)


def _rule(db: Database) -> Form:
    labels = [(row["name"], row["name"]) for row in db.rows("SELECT name FROM labels ORDER BY id")]
    places = db.rows("SELECT * FROM folders WHERE key NOT IN ('inbox', 'sent', 'drafts') ORDER BY place")
    folders = [(row["key"], row["name"]) for row in places]
    return Form(
        Field("field", "Look at", "radio", required=True, options=(("from", "The sender"), ("subject", "The subject"))),
        Field("contains", "Contains", required=True, limit=100),
        Field("action", "What to do", "radio", required=True, options=_ACTIONS),
        Field("label", "Label", "sheet", options=labels),
        Field("folder", "Folder", "sheet", options=folders),
        Field("now", "Also sort what is in the inbox", "toggle"),
    )


def _vacation(db: Database) -> Form:
    today: date = db.now.date()
    return Form(
        Field("vacation_on", "Answer while I am away", "toggle"),
        Field("vacation_from", "First day", "date", start=today, high=100),
        Field("vacation_to", "Last day", "date", start=today, high=130),
        Field("vacation_subject", "Reply subject", limit=100),
        Field("vacation_text", "Reply", "area", limit=1000),
    )


def _form_page(form: Form, title: str, path: str, filled: Filled) -> Screen:
    body, sheets = form.show(SITE.url(path), filled)
    back = SITE.url("/rules") if "rule" in path else SITE.url("/settings")
    return Screen(title, body, back=back, close=True, actions=[parts.submit("Save", "form")], sheets=sheets)


def _when(row: sqlite3.Row) -> str:
    return f"{'Sender' if row['field'] == 'from' else 'Subject'} contains “{row['contains']}”"


def _then(db: Database, row: sqlite3.Row) -> str:
    match row["action"]:
        case "label":
            return f"Label {row['target']}"
        case "move":
            return (
                f"Move to {db.one('SELECT name FROM folders WHERE key = ?', row['target']) or 'a folder that is gone'}"
            )
        case "star":
            return "Star it"
    return "Mark as read"
