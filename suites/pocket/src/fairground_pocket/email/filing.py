"""Actions on mails: stars, folders, labels, deleting. Every change can be undone."""

from __future__ import annotations

import re

from fairground_pocket.email.schema import SITE
from fairground_pocket.email.store import discard, move, set_labels
from fairground_pocket.kit import Field, Filled, Form, Go, Gone, Screen, Visit, html, join, parts

_FOLDER = Form(Field("name", "Folder name", required=True, limit=30))
_LABEL = Form(Field("name", "Label name", required=True, limit=30))


@SITE.post("/m/{number:int}/star")
def star(visit: Visit, number: int) -> Go:
    """Adds or removes the star of a mail."""
    mail = visit.found("SELECT * FROM mails WHERE id = ?", number)
    on = visit.db.one("SELECT max(starred) FROM mails WHERE thread = ? AND folder = ?", mail["thread"], mail["folder"])
    if on:
        visit.db.run("UPDATE mails SET starred = 0 WHERE thread = ? AND folder = ?", mail["thread"], mail["folder"])
    else:
        visit.db.run("UPDATE mails SET starred = 1 WHERE id = ?", number)
    return Go(_back(visit.form("back")), "Star removed" if on else "Starred", undo=True)


@SITE.post("/m/{number:int}/delete")
def delete_one(visit: Visit, number: int) -> Go:
    """Moves one mail of a conversation to the trash."""
    mail = visit.found("SELECT * FROM mails WHERE id = ?", number)
    visit.db.run("UPDATE mails SET folder = 'trash' WHERE id = ?", number)
    return Go(_back(mail["folder"]), "Moved to trash", undo=True)


@SITE.post("/t/{number:int}/move")
def move_thread(visit: Visit, number: int) -> Go:
    """Moves a conversation from one folder to another."""
    source, target = visit.form("source"), visit.form("target")
    known = visit.db.column("SELECT key FROM folders WHERE key NOT IN ('sent', 'drafts')")
    if target not in known or not visit.db.one("SELECT 1 FROM mails WHERE thread = ? AND folder = ?", number, source):
        raise Gone
    move(visit.db, number, source, target)
    name = visit.db.one("SELECT name FROM folders WHERE key = ?", target)
    words = {"archive": "Archived", "trash": "Moved to trash"}.get(target, f"Moved to {name}")
    return Go(_back(source), words, undo=True)


@SITE.post("/t/{number:int}/spam")
def spam(visit: Visit, number: int) -> Go:
    """Reports a conversation as spam."""
    source = visit.form("source")
    visit.found("SELECT 1 FROM mails WHERE thread = ? AND folder = ?", number, source)
    move(visit.db, number, source, "spam")
    return Go(_back(source), "Reported as spam", undo=True)


@SITE.post("/t/{number:int}/unread")
def unread(visit: Visit, number: int) -> Go:
    """Marks the newest incoming mail of a conversation as unread."""
    newest = (
        "SELECT id FROM mails WHERE thread = ? AND folder NOT IN ('sent', 'drafts') ORDER BY time DESC, id DESC LIMIT 1"
    )
    mail = visit.found(newest, number)
    visit.db.run("UPDATE mails SET unread = 1 WHERE id = ?", mail["id"])
    return Go(SITE.url("/"), "Marked as unread")


@SITE.post("/t/{number:int}/labels")
def label_thread(visit: Visit, number: int) -> Go:
    """Sets the labels of a conversation to the ticked ones."""
    visit.found("SELECT 1 FROM threads WHERE id = ?", number)
    known = set(visit.db.column("SELECT id FROM labels"))
    wanted = {int(text) for text in visit.forms("label") if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII)}
    set_labels(visit.db, number, wanted & known)
    return Go(SITE.url(f"/t/{number}"), "Labels saved", undo=True)


@SITE.post("/t/{number:int}/delete")
def delete_thread(visit: Visit, number: int) -> Go:
    """Permanently deletes a conversation's mails in the trash."""
    for mail in visit.db.column("SELECT id FROM mails WHERE thread = ? AND folder = 'trash'", number):
        discard(visit.db, mail)
    return Go(SITE.url("/folder/trash"), "Deleted for ever")


@SITE.post("/folder/{key}/empty")
def empty_folder(visit: Visit, key: str) -> Go:
    """Permanently deletes everything in the trash or the spam folder."""
    if key not in ("trash", "spam"):
        raise Gone
    for mail in visit.db.column("SELECT id FROM mails WHERE folder = ?", key):
        discard(visit.db, mail)
    return Go(SITE.url(f"/folder/{key}"), "Emptied")


@SITE.get("/folders/new")
def new_folder(visit: Visit) -> Screen:
    """A form for a new folder."""
    return _folder_page(Filled())


@SITE.post("/folders/new")
def add_folder(visit: Visit) -> Screen | Go:
    """Adds a folder."""
    filled = _FOLDER.read(visit)
    name = filled["name"]
    if filled.ok and visit.db.one("SELECT 1 FROM folders WHERE fold(name) = fold(?)", name):
        filled = filled.wrong("name", "There is a folder with this name")
    if not filled.ok:
        return _folder_page(filled)
    number = visit.db.one("SELECT count(*) FROM folders") + 1
    visit.db.insert("folders", key=f"folder-{number}-{visit.db.now:%H%M%S}", name=name, own=1, place=number)
    return Go(SITE.url("/mailboxes"), f"Folder {name} added", undo=True)


@SITE.post("/folder/{key}/delete")
def delete_folder(visit: Visit, key: str) -> Go:
    """Deletes a user-made folder; its mails move to the archive."""
    row = visit.found("SELECT * FROM folders WHERE key = ? AND own = 1", key)
    visit.db.run("UPDATE mails SET folder = 'archive' WHERE folder = ?", key)
    visit.db.run("DELETE FROM rules WHERE action = 'move' AND target = ?", key)
    visit.db.run("DELETE FROM folders WHERE key = ?", key)
    return Go(SITE.url("/mailboxes"), f"Folder {row['name']} deleted", undo=True)


@SITE.get("/labels")
def labels(visit: Visit) -> Screen:
    """All labels with rename and delete, and a form for a new one."""
    return _labels_page(visit, Filled())


@SITE.post("/labels")
def add_label(visit: Visit) -> Screen | Go:
    """Adds a label."""
    filled = _LABEL.read(visit)
    if filled.ok and visit.db.one("SELECT 1 FROM labels WHERE fold(name) = fold(?)", filled["name"]):
        filled = filled.wrong("name", "There is a label with this name")
    if not filled.ok:
        return _labels_page(visit, filled)
    visit.db.insert("labels", name=filled["name"])
    return Go(SITE.url("/labels"), "Label added", undo=True)


@SITE.get("/labels/{number:int}")
def label_page(visit: Visit, number: int) -> Screen:
    """A form to rename a label."""
    row = visit.found("SELECT * FROM labels WHERE id = ?", number)
    return _label_page(number, row["name"], Filled({"name": row["name"]}))


@SITE.post("/labels/{number:int}")
def rename_label(visit: Visit, number: int) -> Screen | Go:
    """Renames a label."""
    row = visit.found("SELECT * FROM labels WHERE id = ?", number)
    filled = _LABEL.read(visit)
    if filled.ok and visit.db.one(
        "SELECT 1 FROM labels WHERE fold(name) = fold(?) AND id != ?", filled["name"], number
    ):
        filled = filled.wrong("name", "There is a label with this name")
    if not filled.ok:
        return _label_page(number, row["name"], filled)
    visit.db.run("UPDATE labels SET name = ? WHERE id = ?", filled["name"], number)
    return Go(SITE.url("/labels"), "Label renamed", undo=True)


@SITE.post("/labels/{number:int}/delete")
def delete_label(visit: Visit, number: int) -> Go:
    """Deletes a label and removes it from all mails."""
    visit.found("SELECT 1 FROM labels WHERE id = ?", number)
    visit.db.run("DELETE FROM labels WHERE id = ?", number)
    return Go(SITE.url("/labels"), "Label deleted", undo=True)


def _folder_page(filled: Filled) -> Screen:
    body, sheets = _FOLDER.show(SITE.url("/folders/new"), filled, submit="Add folder")
    return Screen("New folder", body, back=SITE.url("/mailboxes"), close=True, sheets=sheets)


def _labels_page(visit: Visit, filled: Filled) -> Screen:
    rows = [
        parts.row(
            SITE.url(f"/labels/{row['id']}"),
            row["name"],
            name=f"Edit {row['name']}",
            lead=parts.avatar(row["name"], "label"),
        )
        for row in visit.db.rows("SELECT * FROM labels ORDER BY id")
    ]
    form, sheets = _LABEL.show(SITE.url("/labels"), filled, submit="Add label")
    body = join([parts.rows(rows) if rows else html(""), parts.section("New label", form)])
    return Screen("Labels", body, back=SITE.url("/mailboxes"), sheets=sheets)


def _label_page(number: int, name: str, filled: Filled) -> Screen:
    body, sheets = _LABEL.show(SITE.url(f"/labels/{number}"), filled, submit="Rename")
    words = "Mails that have it lose it."
    ask = parts.confirm("delete", f"Delete the label {name}?", words, SITE.url(f"/labels/{number}/delete"), "Delete")
    actions = [parts.bar_link("#delete", "Delete label", "trash")]
    return Screen(name, body, back=SITE.url("/labels"), actions=actions, sheets=[*sheets, ask])


def _back(place: str) -> str:
    return SITE.url(f"/folder/{place}") if place and place != "inbox" else SITE.url("/")
