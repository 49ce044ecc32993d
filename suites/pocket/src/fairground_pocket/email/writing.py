"""Screens for writing: compose, reply, forward, drafts."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from datetime import datetime

from fairground_pocket.email.reading import size
from fairground_pocket.email.schema import SITE
from fairground_pocket.email.store import Letter, discard, resolve, write
from fairground_pocket.kit import Database, Field, Filled, Form, Go, Html, Screen, Visit, formats, html, parts


def _form(db: Database, extra: tuple[str, ...] = ()) -> Form:
    files = [(row["name"], row["name"], size(row["size"])) for row in db.rows("SELECT * FROM files ORDER BY name")]
    known = {name for name, *_ in files}
    files += [(name, name, "from the mail") for name in extra if name not in known]
    return Form(
        Field("to", "To", limit=500, keyboard="email", hint="Names of contacts or addresses, with commas between them"),
        Field("cc", "Cc", limit=500, keyboard="email"),
        Field("subject", "Subject", limit=200),
        Field("body", "Message", "area", limit=20_000),
        Field("files", "Attachments", "checks", options=files),
        Field("answers", "Answers", "hidden", limit=9),
        Field("draft", "Draft", "hidden", limit=9),
        key="compose",
    )


@SITE.get("/compose")
def compose(visit: Visit) -> Screen:
    """A new mail, a reply, or a draft; query parameters fill fields in."""
    db = visit.db
    if number := _number(visit.query("draft")):
        mail = visit.found("SELECT * FROM mails WHERE id = ? AND folder = 'drafts'", number)
        return _page(db, _of_draft(db, mail), "Draft", _files(db, number))
    if number := _number(visit.query("reply")):
        mail = visit.found("SELECT * FROM mails WHERE id = ?", number)
        return _page(
            db, _answer(db, mail, everyone=bool(visit.query("all"))), "Reply all" if visit.query("all") else "Reply"
        )
    if number := _number(visit.query("forward")):
        mail = visit.found("SELECT * FROM mails WHERE id = ?", number)
        return _page(db, _forwarded(db, mail), "Forward", _files(db, number))
    values = {name: visit.query(name)[:500] for name in ("to", "cc", "subject", "body")}
    return _page(db, Filled(values), "New mail")


@SITE.post("/compose")
def send(visit: Visit) -> Screen | Go:
    """Sends a mail or saves it as a draft, depending on the button."""
    db = visit.db
    answered, draft = _number(visit.form("answers")), _number(visit.form("draft"))
    extra = tuple(_files(db, answered or 0)) + tuple(_files(db, draft or 0))
    filled = _form(db, extra).read(visit)
    letter = Letter(
        subject=filled["subject"],
        body=filled["body"],
        files=filled.chosen["files"],
        answers=answered if answered and db.one("SELECT 1 FROM mails WHERE id = ?", answered) else None,
        draft=draft if draft and db.one("SELECT 1 FROM mails WHERE id = ? AND folder = 'drafts'", draft) else None,
    )
    saving = visit.form("intent") == "draft"
    for name in ("to", "cc"):
        people, nobody = resolve(db, filled[name])
        letter = replace(letter, to=people) if name == "to" else replace(letter, cc=people)
        if nobody and not saving:
            filled = filled.wrong(name, f"“{nobody[:60]}” is neither a contact nor an address")
    if not saving and not letter.to and "to" not in filled.errors:
        filled = filled.wrong("to", "Say whom it is for")
    if not saving and not (letter.subject or letter.body):
        filled = filled.wrong("body", "There is nothing in this mail yet")
    if not filled.ok:
        return _page(db, filled, "New mail", extra)
    write(db, letter, send=not saving)
    return Go(SITE.url("/folder/drafts") if saving else SITE.url("/"), "Draft saved" if saving else "Sent", undo=True)


@SITE.post("/draft/{number:int}/delete")
def delete_draft(visit: Visit, number: int) -> Go:
    """Deletes a draft."""
    visit.found("SELECT 1 FROM mails WHERE id = ? AND folder = 'drafts'", number)
    discard(visit.db, number)
    return Go(SITE.url("/folder/drafts"), "Draft deleted", undo=True)


def _page(db: Database, filled: Filled, title: str, extra: object = ()) -> Screen:
    names = tuple(str(name) for name in extra) if isinstance(extra, list | tuple) else ()
    form = _form(db, names)
    draft = html('<button class="wide quiet" name="intent" value="draft">Save draft</button>')
    body, sheets = form.show(SITE.url("/compose"), filled, extra=draft)
    note = Html()
    if db.setting("signature_on") == "1":
        note = parts.notice(f"Your signature is added when it is sent: {db.setting('signature')}", "signature")
    actions = [parts.submit("Send", "compose", "send")]
    if filled["draft"]:
        actions.insert(0, parts.bar_link("#discard", "Delete draft", "trash"))
        where = SITE.url(f"/draft/{filled['draft']}/delete")
        sheets.append(parts.confirm("discard", "Delete this draft?", "What you wrote is lost.", where, "Delete"))
    back = SITE.url("/folder/drafts") if filled["draft"] else SITE.url("/")
    return Screen(title, html("{}{}", body, note), back=back, close=True, actions=actions, sheets=sheets)


def _answer(db: Database, mail: sqlite3.Row, *, everyone: bool) -> Filled:
    me = db.setting("address")
    people = db.rows("SELECT * FROM recipients WHERE mail = ? ORDER BY id", mail["id"])
    to = (
        [mail["address"]]
        if mail["address"] != me
        else [person["address"] for person in people if person["kind"] == "to"]
    )
    cc = [person["address"] for person in people if person["address"] not in (me, *to)] if everyone else []
    subject = mail["subject"] if mail["subject"].startswith("Re: ") else f"Re: {mail['subject']}"
    values = {"to": ", ".join(to), "cc": ", ".join(cc), "subject": subject, "answers": str(mail["id"])}
    return Filled(values)


def _forwarded(db: Database, mail: sqlite3.Row) -> Filled:
    moment = formats.moment(datetime.fromisoformat(mail["time"]))
    head = f"\n\n---------- Forwarded mail ----------\nFrom: {mail['sender']} <{mail['address']}>\nDate: {moment}\n"
    body = f"{head}Subject: {mail['subject']}\n\n{mail['body']}"
    files = tuple(_files(db, mail["id"]))
    values = {"subject": f"Fwd: {mail['subject']}"[:200], "body": body, "answers": str(mail["id"])}
    return Filled(values, chosen={"files": files})


def _of_draft(db: Database, mail: sqlite3.Row) -> Filled:
    def people(kind: str) -> str:
        sql = "SELECT address FROM recipients WHERE mail = ? AND kind = ? ORDER BY id"
        return ", ".join(db.column(sql, mail["id"], kind))

    subject = "" if mail["subject"] == "(no subject)" else mail["subject"]
    values = {"to": people("to"), "cc": people("cc"), "subject": subject, "body": mail["body"]}
    numbers = {"draft": str(mail["id"]), "answers": str(mail["answers"] or "")}
    return Filled({**values, **numbers}, chosen={"files": tuple(_files(db, mail["id"]))})


def _files(db: Database, mail: int) -> list[str]:
    return list(dict.fromkeys(db.column("SELECT name FROM attachments WHERE mail = ? ORDER BY id", mail)))


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else 0
