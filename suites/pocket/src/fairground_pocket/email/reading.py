"""Screens for reading: inbox, folders, labels, search, a conversation, notifications."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from fairground_pocket.email.schema import FOLDERS, SITE
from fairground_pocket.email.store import PAGE, row_name, search, thread_labels, threads
from fairground_pocket.kit import Go, Gone, Html, Screen, Visit, formats, html, icon, join, parts

ICONS = {key: symbol for key, _, symbol in FOLDERS}


@SITE.get("/")
def inbox(visit: Visit) -> Screen:
    """The inbox: all, unread or starred conversations."""
    only = visit.query("only")
    conversations = threads(visit.db, "m.folder = 'inbox'")
    conversations = [row for row in conversations if only not in ("unread", "starred") or row[only]]
    filters = [
        (name, SITE.url("/", only=key), only == key)
        for key, name in (("", "All"), ("unread", "Unread"), ("starred", "Starred"))
    ]
    body = join([parts.chips(filters), _list(visit, conversations, "inbox", SITE.url("/"), only=only)])
    unseen = visit.db.one("SELECT count(*) FROM notices WHERE seen = 0")
    return Screen(
        "Inbox",
        body,
        tab="inbox",
        subtitle=visit.db.setting("address"),
        actions=[parts.bar_link(SITE.url("/notices"), "Notifications", "bell", count=unseen)],
        fab=parts.fab(SITE.url("/compose"), "Compose", "edit"),
        badges={"inbox": _unread(visit, "inbox")},
    )


@SITE.get("/mailboxes")
def mailboxes(visit: Visit) -> Screen:
    """The list of folders and labels."""
    folders = [
        parts.row(
            SITE.url(f"/folder/{row['key']}"), row["name"], name=f"Folder {row['name']}",
            lead=icon(ICONS.get(row["key"], "folder")), meta=_number(visit, row["key"]),
        )
        for row in visit.db.rows("SELECT * FROM folders ORDER BY place, key")
    ]  # fmt: skip
    labels = [
        parts.row(
            SITE.url(f"/label/{row['id']}"), row["name"], name=f"Label {row['name']}", lead=icon("label"),
            meta=str(row["count"]),
        )
        for row in visit.db.rows(
            "SELECT l.id, l.name, count(DISTINCT m.thread) AS count FROM labels l "
            "LEFT JOIN mail_labels ml ON ml.label = l.id LEFT JOIN mails m ON m.id = ml.mail "
            "AND m.folder NOT IN ('spam', 'trash') GROUP BY l.id ORDER BY l.id"
        )
    ]  # fmt: skip
    body = join([
        parts.section("Folders", parts.rows(folders)),
        parts.link(SITE.url("/folders/new"), "New folder", symbol="plus", style="quiet slim"),
        parts.section("Labels", parts.rows(labels)),
        parts.link(SITE.url("/labels"), "Edit labels", symbol="label", style="quiet slim"),
    ])  # fmt: skip
    return Screen("Mailboxes", body, tab="mailboxes", badges={"inbox": _unread(visit, "inbox")})


@SITE.get("/folder/{key}")
def folder(visit: Visit, key: str) -> Screen:
    """The conversations of a folder."""
    row = visit.found("SELECT * FROM folders WHERE key = ?", key)
    conversations = threads(visit.db, "m.folder = ?", key)
    here = SITE.url(f"/folder/{key}")
    actions, sheets, top = [], [], Html()
    if key in ("trash", "spam") and conversations:
        actions.append(parts.bar_link("#empty", f"Empty {key}", "trash"))
        words = f"{len(conversations)} conversations cannot be brought back."
        sheets.append(
            parts.confirm("empty", f"Empty {key}?", words, SITE.url(f"/folder/{key}/empty"), "Delete for ever")
        )
    if row["own"]:
        actions.append(parts.bar_link("#remove", "Delete folder", "trash"))
        words = "What is in it goes to the archive."
        question = f"Delete the folder {row['name']}?"
        sheets.append(parts.confirm("remove", question, words, SITE.url(f"/folder/{key}/delete"), "Delete"))
    body = join([top, _list(visit, conversations, key, here)])
    return Screen(
        row["name"], body, back=SITE.url("/mailboxes"), subtitle=_size(conversations), actions=actions, sheets=sheets
    )


@SITE.get("/label/{number:int}")
def label(visit: Visit, number: int) -> Screen:
    """The conversations with a label."""
    row = visit.found("SELECT * FROM labels WHERE id = ?", number)
    sql = (
        "m.folder NOT IN ('spam', 'trash') AND EXISTS (SELECT 1 FROM mail_labels x WHERE x.mail = m.id AND x.label = ?)"
    )
    conversations = threads(visit.db, sql, number)
    body = _list(visit, conversations, "", SITE.url(f"/label/{number}"))
    return Screen(row["name"], body, back=SITE.url("/mailboxes"), subtitle=_size(conversations))


@SITE.get("/search")
def search_page(visit: Visit) -> Screen:
    """Search by words and operators."""
    words, only = visit.query("q").strip()[:200], visit.query("only")
    here = SITE.url("/search")
    filters = [
        (name, parts.url(here, q=words, only=key), only == key)
        for key, name in (
            ("", "Everything"),
            ("unread", "Unread"),
            ("starred", "Starred"),
            ("attachment", "Attachments"),
        )
    ]
    if words or only:
        conversations = search(visit.db, words, only)
        count = html('<p class="muted small">{}</p>', _size(conversations))
        results = join([parts.chips(filters), count, _list(visit, conversations, "", here, q=words, only=only)])
    else:
        hint = (
            "Try from:name, to:name, subject:word, label:name, in:archive, has:attachment, is:unread, "
            "before:2025-01-31, after:2025-01-31"
        )
        results = join([parts.chips(filters), parts.empty("search", "Search your mail", hint)])
    body = join([parts.search_box(here, words, "Search mail", only=only), parts.live(results)])
    return Screen("Search", body, tab="search", badges={"inbox": _unread(visit, "inbox")})


@SITE.get("/t/{number:int}")
def conversation(visit: Visit, number: int) -> Screen:
    """A conversation, oldest mail first; opening it marks it as read."""
    db = visit.db
    thread = visit.found("SELECT * FROM threads WHERE id = ?", number)
    place = visit.query("in")
    hidden = () if place == "trash" else ("trash",)
    mails = [
        mail
        for mail in db.rows("SELECT * FROM mails WHERE thread = ? ORDER BY time, id", number)
        if mail["folder"] not in (*hidden, "drafts")
    ]
    if not mails:
        raise Gone
    db.run("UPDATE mails SET unread = 0 WHERE thread = ?", number)
    folders = [mail["folder"] for mail in mails]
    place = place if place in folders else next((name for name in reversed(folders) if name != "sent"), "sent")
    labels = thread_labels(db, number)
    head = join([
        html('<h2 class="lead" dir="auto">{}</h2>', thread["subject"]),
        html('<p class="row-of small"><span class="fixed tag strong">{}</span>{}</p>',
             db.one("SELECT name FROM folders WHERE key = ?", place),
             join(html('<span class="fixed">{}</span>', parts.tag(row["name"], dot=True)) for row in labels)),
    ])  # fmt: skip
    last = mails[-1]["id"]
    answers = parts.side_by_side(
        parts.link(SITE.url("/compose", reply=last), "Reply", symbol="reply", style="quiet slim"),
        parts.link(SITE.url("/compose", reply=last, all=1), "Reply all", symbol="reply-all", style="quiet slim"),
        parts.link(SITE.url("/compose", forward=last), "Forward", symbol="forward", style="quiet slim"),
    )
    body = join([head, *(_mail(visit, mail) for mail in mails), answers])
    return Screen(
        "Conversation" if len(mails) > 1 else "Mail",
        body,
        back=SITE.url("/") if place == "inbox" else SITE.url(f"/folder/{place}"),
        actions=_actions(number, place),
        sheets=_sheets(visit, number, place, [row["id"] for row in labels]),
    )


@SITE.get("/m/{number:int}")
def single(visit: Visit, number: int) -> Screen:
    """A single mail with its own actions."""
    mail = visit.found("SELECT * FROM mails WHERE id = ?", number)
    people = visit.db.rows("SELECT * FROM recipients WHERE mail = ? ORDER BY id", number)
    rows = [
        ("From", f"{mail['sender']} <{mail['address']}>"),
        *((person["kind"].capitalize(), f"{person['name']} <{person['address']}>") for person in people),
        ("Sent", formats.moment(datetime.fromisoformat(mail["time"]))),
        ("Folder", visit.db.one("SELECT name FROM folders WHERE key = ?", mail["folder"])),
    ]
    body = join([
        html('<h2 class="lead" dir="auto">{}</h2>', mail["subject"]),
        parts.card(parts.facts(rows)),
        _attachments(visit, number),
        html('<div class="prose" dir="auto">{}</div>', mail["body"]),
        parts.side_by_side(
            parts.link(SITE.url("/compose", reply=number), "Reply to this mail", symbol="reply", style="quiet slim"),
            parts.link(SITE.url("/compose", forward=number), "Forward this mail", symbol="forward", style="quiet slim"),
        ),
        parts.button(SITE.url(f"/m/{number}/delete"), "Delete only this mail", symbol="trash", style="quiet slim"),
    ])  # fmt: skip
    return Screen("Mail", body, back=SITE.url(f"/t/{mail['thread']}"))


@SITE.get("/notices")
def notices(visit: Visit) -> Screen:
    """The app's notifications."""
    records = visit.db.rows("SELECT * FROM notices ORDER BY time DESC, id DESC")
    rows = [
        parts.row(
            SITE.url(f"/t/{notice['thread']}") if notice["thread"] else "", notice["text"], lead=icon("bell"),
            meta=formats.when(datetime.fromisoformat(notice["time"]), visit.db.now),
            style="plain" if notice["seen"] else "strong",
        )
        for notice in records
    ]  # fmt: skip
    body = parts.rows(rows) if rows else parts.empty("bell", "Nothing new")
    actions = [parts.icon_button(SITE.url("/notices/clear"), "Clear all", "check")] if rows else []
    return Screen("Notifications", body, back=SITE.url("/"), actions=actions)


@SITE.post("/notices/clear")
def clear_notices(visit: Visit) -> Go:
    """Deletes all notifications."""
    visit.db.run("DELETE FROM notices")
    return Go(SITE.url("/notices"), "Notifications cleared", undo=True)


def _list(visit: Visit, found: Sequence[sqlite3.Row], place: str, path: str, **query: object) -> Html:
    if not found:
        return parts.empty(ICONS.get(place, "mail"), "No mail here")
    pages = -(-len(found) // PAGE)
    page = min(visit.page(), pages)
    shown = found[(page - 1) * PAGE : page * PAGE]
    rows = [_row(visit, row, place) for row in shown]
    return join([parts.rows(rows, "Conversations"), parts.pager(path, page, pages, **query)])


def _row(visit: Visit, row: sqlite3.Row, place: str) -> Html:
    subject, sender = row["subject"], row["sender"]
    if row["folder"] in ("sent", "drafts"):
        to = visit.db.one("SELECT name FROM recipients WHERE mail = ? ORDER BY id", row["mail"])
        sender = f"To {to}" if to else "To nobody yet"
    href = (
        SITE.url("/compose", draft=row["mail"])
        if row["folder"] == "drafts"
        else SITE.url(f"/t/{row['thread']}", **{"in": place})
    )
    tags = [parts.tag(entry["name"], dot=True) for entry in thread_labels(visit.db, row["thread"])]
    if not place:
        tags.insert(0, parts.tag(visit.db.one("SELECT name FROM folders WHERE key = ?", row["folder"])))
    word = "Unstar" if row["starred"] else "Star"
    star = parts.icon_button(
        SITE.url(f"/m/{row['mail']}/star"), f"{word} {subject}", "star", on=bool(row["starred"]), back=place
    )
    time = datetime.fromisoformat(row["time"])
    note = html(
        "<b>{}</b>{}",
        subject,
        "" if visit.db.setting("previews") == "0" else " · " + " ".join(row["body"].split())[:140],
    )
    return parts.row(
        href,
        f"{sender} ({row['count']})" if row["count"] > 1 else sender,
        name=row_name(subject, sender),
        note=note,
        meta=html("{}{}", icon("attach") if row["attached"] else "", formats.when(time, visit.db.now)),
        lead=parts.avatar(row["sender"]),
        below=join(tags),
        side=star if row["folder"] != "drafts" else Html(),
        style="strong" if row["unread"] else "",
    )  # fmt: skip


def _mail(visit: Visit, mail: sqlite3.Row) -> Html:
    moment = formats.moment(datetime.fromisoformat(mail["time"]))
    people = visit.db.column("SELECT name FROM recipients WHERE mail = ? ORDER BY id", mail["id"])
    head = parts.row(
        SITE.url(f"/m/{mail['id']}"),
        mail["sender"],
        name=f"Details of {mail['sender']}, {moment}",
        note=f"to {', '.join(people)}" if people else "",
        meta=formats.when(datetime.fromisoformat(mail["time"]), visit.db.now),
        lead=parts.avatar(mail["sender"]),
    )
    text = html('<div class="prose" dir="auto">{}</div>', mail["body"])
    return parts.card(html("<ul>{}</ul>", head), text, _attachments(visit, mail["id"]))


def _attachments(visit: Visit, mail: int) -> Html:
    files = visit.db.rows("SELECT * FROM attachments WHERE mail = ? ORDER BY id", mail)
    chips = [
        html('<span class="chip">{}{} · {}</span>', icon("file"), file["name"], size(file["size"])) for file in files
    ]
    return html('<div class="chips">{}</div>', join(chips)) if chips else Html()


def size(number: int) -> str:
    """The size of a file: kilobytes, or megabytes with one decimal."""
    return f"{number} KB" if number < 1000 else f"{number / 1000:.1f} MB"


def _actions(number: int, place: str) -> list[Html]:
    post = SITE.url(f"/t/{number}")
    actions = []
    if place in ("trash", "spam", "archive"):
        name = "Not spam" if place == "spam" else "Move to inbox"
        actions.append(parts.icon_button(f"{post}/move", name, "inbox", source=place, target="inbox"))
    elif place != "sent":
        actions.append(parts.icon_button(f"{post}/move", "Archive", "archive", source=place, target="archive"))
    if place == "trash":
        actions.append(parts.bar_link("#for-ever", "Delete for ever", "trash"))
    else:
        actions.append(parts.icon_button(f"{post}/move", "Delete", "trash", source=place, target="trash"))
    return [*actions, parts.bar_link("#more", "More", "more")]


def _sheets(visit: Visit, number: int, place: str, labels: Sequence[int]) -> list[Html]:
    post = SITE.url(f"/t/{number}")
    folders = visit.db.rows("SELECT * FROM folders WHERE key NOT IN ('sent', 'drafts', ?) ORDER BY place, key", place)
    moves = [
        parts.menu_button(f"{post}/move", row["name"], ICONS.get(row["key"], "folder"), source=place, target=row["key"])
        for row in folders
    ]
    boxes = join(
        html(
            '<label class="choice"><input type="checkbox" name="label" value="{id}" aria-label="{name}"{checked}>'
            '<i></i><span dir="auto">{name}</span></label>',
            id=row["id"], name=row["name"], checked=Html(" checked") if row["id"] in labels else "",
        )
        for row in visit.db.rows("SELECT * FROM labels ORDER BY id")
    )  # fmt: skip
    form = html(
        '<form class="form" method="post" action="{}/labels"><div class="choices">{}</div>'
        '<button class="wide">Save labels</button></form>',
        post, boxes,
    )  # fmt: skip
    more = [
        parts.menu_link("#move", "Move to folder", "folder"),
        parts.menu_link("#labels", "Labels", "label"),
        parts.menu_button(f"{post}/unread", "Mark as unread", "mail"),
        parts.menu_button(f"{post}/spam", "Report spam", "spam", source=place),
        parts.menu_link(SITE.url("/rules/new", thread=number), "Make a rule from this", "rule"),
    ]
    return [
        parts.menu(
            "more",
            "More",
            more if place not in ("spam", "sent") else [item for item in more if "Report spam" not in item],
        ),
        parts.menu("move", "Move to", moves),
        parts.sheet("labels", "Labels", form),
        parts.confirm("for-ever", "Delete for ever?", "It cannot be brought back.", f"{post}/delete", "Delete now"),
    ]


def _unread(visit: Visit, key: str) -> int:
    return int(visit.db.one("SELECT count(DISTINCT thread) FROM mails WHERE folder = ? AND unread = 1", key))


def _number(visit: Visit, key: str) -> str:
    if key == "inbox":
        return f"{_unread(visit, key)} unread"
    return str(visit.db.one("SELECT count(DISTINCT thread) FROM mails WHERE folder = ?", key))


def _size(found: Sequence[object]) -> str:
    return "1 conversation" if len(found) == 1 else f"{len(found)} conversations"
