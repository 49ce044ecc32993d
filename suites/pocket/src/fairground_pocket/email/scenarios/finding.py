"""Shared by the tasks of the email app: queries for mails that can be identified uniquely, and routes to them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.email.store import row_name, threads
from fairground_pocket.kit import Database, Known

MAIL: Final = (
    "SELECT m.id, m.thread, t.subject, m.sender, m.address, m.time, m.body "
    "FROM mails m JOIN threads t ON t.id = m.thread"
)

PERSON: Final = """
SELECT c.id, c.name, c.address FROM contacts c JOIN mails m ON m.address = c.address AND m.folder = 'inbox'
GROUP BY c.id ORDER BY max(m.time) DESC LIMIT 1 OFFSET :nth
"""
"""The nth person with mail in the inbox, ordered by their newest mail."""

CONTACT: Final = "SELECT id, name, address, phone FROM contacts ORDER BY id LIMIT 1 OFFSET :nth"
"""A contact by its position in the address book."""

NEWEST_FROM: Final = f"{MAIL} WHERE m.folder = 'inbox' AND m.address = :person_address ORDER BY m.time DESC LIMIT 1"
"""The newest mail in the inbox from `person`."""

NTH_IN_INBOX: Final = (
    f"{MAIL} WHERE m.folder = 'inbox' AND {{}} GROUP BY m.thread HAVING m.time = max(m.time) "
    "ORDER BY max(m.time) DESC LIMIT 1 OFFSET :nth"
)
"""A conversation of the inbox that meets a condition, by its position in the list from 0."""

PLACES: Final = {
    word: {"nth": number, "place": word}
    for number, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    )
}
"""A domain of ten positions in a list, with their words."""

NTH: Final = {f"no-{number + 1}": number for number in range(10)}
"""A domain of ten positions that the instruction does not mention."""

TEXTS: Final = {
    "thanks": "Thank you, that suits me very well.",
    "monday": "Can we talk about it on Monday instead?",
    "yes": "Yes, count me in!",
    "no": "I am afraid I cannot this time.",
    "late": "I will be about twenty minutes late.",
    "price": "Could you tell me the price first?",
    "call": "Please call me when you have a moment.",
    "confirm": "I confirm the date and the place.",
    "sorry": "Sorry for my late answer, I was away.",
    "address": "Please send me the exact address.",
    "weather": "Only if the weather holds.",
    "signed": "I have signed it and put it in the post.",
}
"""A domain of twelve short texts, by name."""


def open_mail(data: Database, thread: int) -> list[Move]:
    """From the first screen to a conversation, by a search for its subject."""
    subject = data.one("SELECT subject FROM threads WHERE id = ?", thread)
    return [Tap("Search"), Fill("Search mail", f'subject:"{subject}"'), Tap(found_name(data, thread))]


def open_in(data: Database, folder: str, thread: int) -> list[Move]:
    """From the first screen to a conversation in a folder, through the list of folders."""
    row = threads(data, "m.folder = ? AND t.id = ?", folder, thread)[0]
    name = data.one("SELECT name FROM folders WHERE key = ?", folder)
    return [Tap("Mailboxes"), Tap(f"Folder {name}"), Tap(row_name(row["subject"], row["sender"]))]


def found_name(data: Database, thread: int) -> str:
    """The name of a conversation in search results."""
    row = threads(data, "m.folder NOT IN ('spam', 'trash') AND t.id = ?", thread)[0]
    sender = row["sender"]
    if row["folder"] in ("sent", "drafts"):
        sender = f"To {data.one('SELECT name FROM recipients WHERE mail = ? ORDER BY id', row['mail'])}"
    return row_name(row["subject"], sender)


def receive(
    sender: str, address: str, subject: str, body: str, *, after: int = 3, folder: str = "inbox"
) -> Callable[[Database, Known], None]:
    """Injects a mail into a folder, just before the `after`-th newest mail there; texts have placeholders."""

    def inject(db: Database, known: Known) -> None:
        times = db.column("SELECT time FROM mails WHERE folder = ? ORDER BY time DESC LIMIT ?", folder, after)
        time = (datetime.fromisoformat(times[-1]) - timedelta(seconds=30)).isoformat()
        title = known.fill(subject)
        thread = db.insert("threads", subject=title)
        mail = db.insert(
            "mails", thread=thread, folder=folder, sender=known.fill(sender), address=known.fill(address),
            subject=title, body=known.fill(body), time=time, unread=int(folder == "inbox"),
        )  # fmt: skip
        db.insert("recipients", mail=mail, kind="to", name=db.setting("owner"), address=db.setting("address"))

    return inject
