"""The email app's logic: search, send, move, apply rules. No HTML."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from fairground_pocket.kit import Database

ADDRESS: Final = re.compile(r"[^@\s,<>]{1,64}@[^@\s,<>]{1,120}\.[a-z]{2,24}", re.IGNORECASE)
PAGE: Final = 25

_ROW: Final = """
SELECT *, (SELECT count(*) FROM attachments a JOIN mails x ON x.id = a.mail WHERE x.thread = found.thread) AS attached
FROM (
    SELECT t.id AS thread, t.subject, m.id AS mail, m.sender, m.address, m.body, m.time, m.folder,
        count(*) OVER whole AS count, max(m.unread) OVER whole AS unread, max(m.starred) OVER whole AS starred,
        row_number() OVER (PARTITION BY t.id ORDER BY m.time DESC, m.id DESC) AS place
    FROM mails m JOIN threads t ON t.id = m.thread WHERE {} WINDOW whole AS (PARTITION BY t.id)
) found
WHERE place = 1 ORDER BY time DESC, thread DESC
"""


def threads(db: Database, where: str, *values: Any) -> list[sqlite3.Row]:
    """Conversations with a mail that meets `where`, newest first; each row is about its newest such mail."""
    return db.rows(_ROW.format(where), *values)


def row_name(subject: str, sender: str) -> str:
    """The name of a conversation in a list."""
    return f"{subject}, {sender}"


def search(db: Database, text: str, only: str = "") -> list[sqlite3.Row]:
    """Conversations outside spam and trash that match a search; `only` is one of the page's filters."""
    parts: list[str] = ["m.folder NOT IN ('spam', 'trash')"]
    values: list[Any] = []
    for token in re.findall(r'\w+:"[^"]*"|"[^"]*"|\S+', text):
        sql, bound = _condition(token)
        parts.append(sql)
        values += bound
    parts += [_FILTERS[only]] if only in _FILTERS else []
    return threads(db, " AND ".join(parts), *values)


_FILTERS: Final = {
    "unread": "m.unread = 1",
    "starred": "m.starred = 1",
    "attachment": "EXISTS (SELECT 1 FROM attachments a WHERE a.mail = m.id)",
}


def _condition(token: str) -> tuple[str, list[Any]]:
    operator, colon, value = token.partition(":")
    value = value.strip('"')
    like = f"%{_escape(value.casefold())}%"
    match operator.casefold() if colon else "":
        case "from":
            return r"(fold(m.sender) LIKE ? ESCAPE '\' OR fold(m.address) LIKE ? ESCAPE '\')", [like, like]
        case "to":
            return (
                r"EXISTS (SELECT 1 FROM recipients r WHERE r.mail = m.id AND (fold(r.name) LIKE ? ESCAPE '\' "
                r"OR fold(r.address) LIKE ? ESCAPE '\'))",
                [like, like],
            )
        case "subject":
            return r"fold(m.subject) LIKE ? ESCAPE '\'", [like]
        case "label":
            return (
                r"EXISTS (SELECT 1 FROM mail_labels ml JOIN labels l ON l.id = ml.label WHERE ml.mail = m.id "
                r"AND fold(l.name) LIKE ? ESCAPE '\')",
                [like],
            )
        case "in":
            return r"fold(m.folder) = ?", [value.casefold()]
        case "has" if value.casefold() in ("attachment", "attachments", "file"):
            return _FILTERS["attachment"], []
        case "is" if value.casefold() in ("unread", "starred"):
            return _FILTERS[value.casefold()], []
        case "is" if value.casefold() == "read":
            return "m.unread = 0", []
        case "before" | "after" as when if _is_day(value):
            return ("m.time < ?" if when == "before" else "substr(m.time, 1, 10) >= ?"), [value]
    plain = f"%{_escape(token.strip(chr(34)).casefold())}%"
    columns = (rf"fold(m.{column}) LIKE ? ESCAPE '\'" for column in ("subject", "body", "sender"))
    return f"({' OR '.join(columns)})", [plain] * 3


def _escape(text: str) -> str:
    return re.sub(r"([%_\\])", r"\\\1", text)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def resolve(db: Database, text: str) -> tuple[list[tuple[str, str]], str]:
    """The people that a To field names, as (name, address) pairs, and the first entry that matches nobody."""
    people: list[tuple[str, str]] = []
    for entry in (part.strip() for part in re.split(r"[,;]", text)):
        if not entry:
            continue
        bare = re.sub(r"^.*<(.*)>$", r"\1", entry).strip()
        contact = db.row(
            "SELECT name, address FROM contacts WHERE fold(address) = fold(?1) OR fold(name) = fold(?2) ORDER BY id",
            bare,
            entry,
        )
        if contact is not None:
            people.append((contact["name"], contact["address"]))
        elif ADDRESS.fullmatch(bare):
            people.append((bare, bare))
        else:
            return people, entry
    return list(dict.fromkeys(people)), ""


@dataclass(frozen=True)
class Letter:
    """A mail to be written."""

    to: Sequence[tuple[str, str]] = ()
    cc: Sequence[tuple[str, str]] = ()
    subject: str = ""
    body: str = ""
    files: Sequence[str] = ()
    answers: int | None = None
    draft: int | None = None


def write(db: Database, letter: Letter, *, send: bool) -> int:
    """Sends a mail or saves it as a draft, and returns its id. An existing draft is updated in place."""
    subject = letter.subject or "(no subject)"
    body = letter.body
    if send and db.setting("signature_on") == "1":
        body = f"{body}\n\n-- \n{db.setting('signature')}"
    folder, time = "sent" if send else "drafts", db.now.isoformat()
    mail = letter.draft
    if mail is not None:
        db.run(
            "UPDATE mails SET folder = ?, subject = ?, body = ?, time = ? WHERE id = ?",
            folder,
            subject,
            body,
            time,
            mail,
        )
        if letter.answers is None:
            db.run("UPDATE threads SET subject = ? WHERE id = (SELECT thread FROM mails WHERE id = ?)", subject, mail)
        db.run("DELETE FROM recipients WHERE mail = ?", mail)
        db.run("DELETE FROM attachments WHERE mail = ?", mail)
    else:
        thread = db.one("SELECT thread FROM mails WHERE id = ?", letter.answers) if letter.answers else None
        thread = thread or db.insert("threads", subject=subject)
        me, address = db.setting("owner"), db.setting("address")
        mail = db.insert(
            "mails", thread=thread, folder=folder, sender=me, address=address, subject=subject, body=body, time=time,
            answers=letter.answers,
        )  # fmt: skip
    for kind, people in (("to", letter.to), ("cc", letter.cc)):
        for name, where in people:
            db.insert("recipients", mail=mail, kind=kind, name=name, address=where)
    for name in letter.files:
        size = db.one("SELECT size FROM files WHERE name = ?", name)
        size = size or db.one("SELECT size FROM attachments WHERE name = ? ORDER BY id", name) or 0
        db.insert("attachments", mail=mail, name=name, size=size)
    return mail


def discard(db: Database, mail: int) -> None:
    """Permanently deletes a mail, and its conversation if that is now empty."""
    thread = db.one("SELECT thread FROM mails WHERE id = ?", mail)
    db.run("UPDATE mails SET answers = NULL WHERE answers = ?", mail)
    db.run("DELETE FROM mails WHERE id = ?", mail)
    if thread is not None and db.one("SELECT 1 FROM mails WHERE thread = ?", thread) is None:
        db.run("UPDATE notices SET thread = NULL WHERE thread = ?", thread)
        db.run("DELETE FROM threads WHERE id = ?", thread)


def move(db: Database, thread: int, source: str, target: str) -> None:
    """Moves a conversation's mails from one folder to another."""
    db.run("UPDATE mails SET folder = ? WHERE thread = ? AND folder = ?", target, thread, source)


def set_labels(db: Database, thread: int, labels: Iterable[int]) -> None:
    """Sets the labels of every mail of a conversation to exactly these."""
    wanted = sorted(labels)
    for mail in db.column("SELECT id FROM mails WHERE thread = ? ORDER BY id", thread):
        db.run("DELETE FROM mail_labels WHERE mail = ?", mail)
        for label in wanted:
            db.insert("mail_labels", mail=mail, label=label)


def thread_labels(db: Database, thread: int) -> list[sqlite3.Row]:
    """The labels of a conversation."""
    return db.rows(
        "SELECT DISTINCT l.id, l.name FROM labels l JOIN mail_labels ml ON ml.label = l.id "
        "JOIN mails m ON m.id = ml.mail WHERE m.thread = ? ORDER BY l.id",
        thread,
    )


def apply_rule(db: Database, rule: sqlite3.Row) -> int:
    """Applies a rule to every matching conversation in the inbox and returns their number."""
    column = {"from": "m.sender || ' ' || m.address", "subject": "m.subject"}[rule["field"]]
    like = f"%{_escape(rule['contains'].casefold())}%"
    matching = threads(db, rf"m.folder = 'inbox' AND fold({column}) LIKE ? ESCAPE '\'", like)
    for row in matching:
        match rule["action"]:
            case "label":
                label = db.one("SELECT id FROM labels WHERE name = ?", rule["target"])
                held = [entry["id"] for entry in thread_labels(db, row["thread"])]
                set_labels(db, row["thread"], {*held, label} if label else held)
            case "move":
                move(db, row["thread"], "inbox", rule["target"])
            case "star":
                db.run("UPDATE mails SET starred = 1 WHERE id = ?", row["mail"])
            case "read":
                db.run("UPDATE mails SET unread = 0 WHERE thread = ?", row["thread"])
    return len(matching)
