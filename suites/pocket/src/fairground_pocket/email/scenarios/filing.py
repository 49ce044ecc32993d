"""Tasks about organising mail: archive, folders, labels, stars, spam, trash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.email.scenarios.finding import (
    MAIL,
    NEWEST_FROM,
    NTH,
    NTH_IN_INBOX,
    PERSON,
    PLACES,
    open_in,
    open_mail,
    receive,
)
from fairground_pocket.email.schema import LABELS
from fairground_pocket.email.store import row_name
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Remove, Task

IN_INBOX: Final = "SELECT count(*) FROM after.mails WHERE thread = :mail_thread AND folder = 'inbox'"
MOVED: Final = (
    "SELECT count(*) = (SELECT count(*) FROM before.mails WHERE thread = :mail_thread AND folder = 'inbox') "
    "FROM after.mails a JOIN before.mails b ON b.id = a.id AND b.folder = 'inbox' "
    "WHERE a.thread = :mail_thread AND a.folder = "
)
MOVES: Final = (Change("mails", ("folder",), "thread = :mail_thread AND folder = 'inbox'"),)
FOLDERS: Final = {
    "projects": {"key": "projects", "folder": "Projects"},
    "house": {"key": "house", "folder": "House"},
    "taxes": {"key": "taxes", "folder": "Taxes"},
}


class ArchiveNewest(Task):
    """Archive the newest conversation with a person."""

    name = "archive-newest"
    app = "email"
    template = "Archive the newest email from {person.name} that is in my inbox."
    domain = {"nth": NTH}
    facts = {"person": PERSON, "mail": NEWEST_FROM}
    expect = (Expect("it is in the archive", MOVED + "'archive'"),)
    allowed = MOVES

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_mail(data, known.mail.thread), Tap("Archive")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"deleted": [*open_mail(data, known.mail.thread), Tap("Delete")]}


class DeleteByPlace(Task):
    """Move one of the newest conversations to the trash."""

    name = "delete-by-place"
    app = "email"
    template = "Delete the {place} conversation in my inbox, counted from the top of the list."
    domain = {"place": PLACES}
    facts = {"mail": NTH_IN_INBOX.format("1")}
    expect = (Expect("it is in the trash", MOVED + "'trash'"),)
    allowed = MOVES

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [Tap(row_name(known.mail.subject, known.mail.sender)), Tap("Delete")]


class MoveToFolder(Task):
    """Move a conversation to a user-made folder."""

    name = "move-to-folder"
    app = "email"
    template = "Move the email “{mail.subject}” to my folder {folder}."
    domain = {"folder": FOLDERS, "nth": (2, 5, 8, 11)}
    facts = {"mail": NTH_IN_INBOX.format("1")}
    expect = (Expect("it is in the folder", MOVED + ":key"),)
    allowed = MOVES

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_mail(data, known.mail.thread), Tap("More"), Tap("Move to folder"), Tap(known.folder)]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_folder = next(folder["folder"] for folder in FOLDERS.values() if folder["key"] != known.key)
        return {
            "another folder": [
                *open_mail(data, known.mail.thread),
                Tap("More"),
                Tap("Move to folder"),
                Tap(other_folder),
            ]
        }


class LabelMail(Task):
    """Add a label to a conversation and keep its other labels."""

    name = "label-mail"
    app = "email"
    template = "Put the label {label} on the email “{mail.subject}” and keep the labels it has."
    domain = {"label": LABELS, "nth": (1, 4)}
    facts = {
        "mail": NTH_IN_INBOX.format(
            "NOT EXISTS (SELECT 1 FROM mails x JOIN mail_labels ml ON ml.mail = x.id JOIN labels l ON l.id = ml.label "
            "WHERE x.thread = m.thread AND l.name = :label)"
        )
    }
    expect = (
        Expect("every mail of it has the label", "SELECT count(*) = (SELECT count(*) FROM after.mails WHERE thread = "
               ":mail_thread) FROM after.mail_labels ml JOIN after.labels l ON l.id = ml.label JOIN after.mails m ON "
               "m.id = ml.mail WHERE m.thread = :mail_thread AND l.name = :label"),
    )  # fmt: skip
    allowed = (
        Add("mail_labels", "label = (SELECT id FROM after.labels WHERE name = :label) AND mail IN "
            "(SELECT id FROM after.mails WHERE thread = :mail_thread)", at_most=None),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        sheet: list[Move] = [Tap("More"), Tap("Labels"), Tap(known.label), Tap("Save labels")]
        return [*open_mail(data, known.mail.thread), *sheet]


class StarNewest(Task):
    """Star the newest mail from a person."""

    name = "star-newest"
    app = "email"
    template = "Star the newest email from {mail.sender} in my inbox."
    domain = {"nth": NTH}
    facts = {
        "mail": f"{MAIL} WHERE m.folder = 'inbox' AND m.time = (SELECT max(x.time) FROM mails x WHERE x.address = "
        "m.address AND x.folder = 'inbox') AND NOT EXISTS (SELECT 1 FROM mails x WHERE x.thread = m.thread AND "
        # A star goes to the newest mail of a conversation, and another person may have replied since.
        "(x.starred OR (x.folder = 'inbox' AND x.time > m.time))) ORDER BY m.time DESC LIMIT 1 OFFSET :nth"
    }
    expect = (Expect("it has a star", "SELECT starred FROM after.mails WHERE id = :mail_id"),)
    allowed = (Change("mails", ("starred",), "id = :mail_id"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        search = Fill("Search mail", f'in:inbox subject:"{known.mail.subject}"')
        return [Tap("Search"), search, Tap(f"Star {known.mail.subject}")]


class MarkUnread(Task):
    """Star a read conversation and mark it as unread."""

    name = "mark-unread"
    app = "email"
    template = "Star the email “{mail.subject}” and mark it as unread, so that I do not forget it."
    domain = {"nth": NTH}
    facts = {
        "mail": NTH_IN_INBOX.format(
            "NOT EXISTS (SELECT 1 FROM mails x WHERE x.thread = m.thread AND (x.unread OR x.starred))"
        )
    }
    expect = (
        Expect("it has a star", "SELECT count(*) FROM after.mails WHERE thread = :mail_thread AND starred"),
        Expect("it is unread", "SELECT max(unread) FROM after.mails WHERE thread = :mail_thread AND folder = 'inbox'"),
    )
    allowed = (Change("mails", ("unread", "starred"), "thread = :mail_thread"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        search = Fill("Search mail", f'in:inbox subject:"{known.mail.subject}"')
        star: list[Move] = [Tap("Search"), search, Tap(f"Star {known.mail.subject}")]
        return [*star, *open_mail(data, known.mail.thread), Tap("More"), Tap("Mark as unread")]


class ReportScam(Task):
    """Report a fraudulent mail as spam."""

    name = "report-scam"
    app = "email"
    template = "Somebody pretends to be {name}. Find that email in my inbox and report it as spam."
    domain = {
        "case": {
            key: {"name": name, "subject": subject}
            for key, name, subject in (
                ("bank", "Cedar Trust Bank", "Confirm your account today"),
                ("post", "City Parcel Post", "Your parcel is held"),
                ("tax", "the Revenue Office", "A refund is waiting for you"),
                ("phone", "Lumen Mobile", "Your number will be switched off"),
                ("film", "Starlight Streaming", "Payment failed"),
                ("prize", "Golden Ticket Draw", "You have won"),
                ("job", "Apex Recruiting", "Work from home, start now"),
                ("police", "Traffic Police", "Unpaid fine"),
                ("cloud", "SkyVault Storage", "Your storage is full"),
                ("shop", "Bargain Barn", "Your order cannot be sent"),
            )
        }
    }
    inject = (
        receive("{name}", "alerts@not-what-it-seems.example.net", "{subject}",
                "Dear customer,\n\nwe need your password and the number of your card within the hour. "
                "Answer this mail with both.\n\n{name}"),
    )  # fmt: skip
    facts = {"mail": f"{MAIL} WHERE m.folder = 'inbox' AND m.sender = :name"}
    expect = (Expect("it is in the spam folder", MOVED + "'spam'"),)
    allowed = MOVES

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_mail(data, known.mail.thread), Tap("More"), Tap("Report spam")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        return {"only deleted": [*open_mail(data, known.mail.thread), Tap("Delete")]}


class RestoreFromTrash(Task):
    """Restore a conversation from the trash."""

    name = "restore-from-trash"
    app = "email"
    template = "I deleted the email “{mail.subject}” by mistake. Take it out of the trash and into my {where}."
    domain = {
        "nth": (0, 1, 2, 3, 4),
        "to": {
            "inbox": {"where": "inbox", "target": "inbox", "button": "Inbox"},
            "projects": {"where": "folder Projects", "target": "projects", "button": "Projects"},
        },
    }
    facts = {"mail": f"{MAIL} WHERE m.folder = 'trash' GROUP BY m.thread ORDER BY max(m.time) DESC LIMIT 1 OFFSET :nth"}
    expect = (
        Expect("it is where it should be", "SELECT count(*) = (SELECT count(*) FROM before.mails WHERE thread = "
               ":mail_thread AND folder = 'trash') FROM after.mails a JOIN before.mails b ON b.id = a.id AND "
               "b.folder = 'trash' WHERE a.thread = :mail_thread AND a.folder = :target"),
    )  # fmt: skip
    allowed = (Change("mails", ("folder",), "thread = :mail_thread AND folder = 'trash'"),)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        menu: list[Move] = [Tap("More"), Tap("Move to folder"), Tap(known.button)]
        return [*open_in(data, "trash", known.mail.thread), *menu]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        menu: list[Move] = [Tap("More"), Tap("Move to folder"), Tap("Archive", role="button")]
        return {"into the archive": [*open_in(data, "trash", known.mail.thread), *menu]}


class DeleteForEver(Task):
    """Permanently delete one conversation in the trash."""

    name = "delete-for-ever"
    app = "email"
    template = "Delete the email “{subject}” in my trash for ever, and nothing else."
    domain = {
        "subject": (
            "Old password list", "Quote from the painter", "Photos nobody should see", "Last year's budget",
            "A poem of mine", "Blood pressure diary", "Letter to the editor", "The other flat",
            "Résumé, third version", "Seating plan",
        )
    }  # fmt: skip
    inject = (
        receive("Notes to Self", "me@notes.example.org", "{subject}", "This was only meant for me.", folder="trash"),
    )
    facts = {"mail": f"{MAIL} WHERE m.folder = 'trash' AND t.subject = :subject"}
    expect = (Expect("it is gone", "SELECT count(*) FROM after.mails WHERE thread = :mail_thread", 0),)
    allowed = (
        Remove("mails", "thread = :mail_thread AND folder = 'trash'"),
        Remove("threads", "id = :mail_thread"),
        Remove("recipients", "mail IN (SELECT id FROM before.mails WHERE thread = :mail_thread)"),
        Remove("attachments", "mail IN (SELECT id FROM before.mails WHERE thread = :mail_thread)"),
        Remove("mail_labels", "mail IN (SELECT id FROM before.mails WHERE thread = :mail_thread)"),
    )

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_in(data, "trash", known.mail.thread), Tap("Delete for ever"), Tap("Delete now")]


class NewFolder(Task):
    """Create a folder and move a conversation into it."""

    name = "new-folder"
    app = "email"
    template = "Make a new folder called {folder} and move the email “{mail.subject}” into it."
    domain = {
        "folder": ["Garden", "Wedding", "Passport", "Car", "Choir", "Letters", "Studies", "Recipes", "Bills", "Club"],
        "nth": (6,),
    }
    facts = {"mail": NTH_IN_INBOX.format("1")}
    expect = (
        Expect("there is one such folder", "SELECT count(*) FROM after.folders WHERE name = :folder AND own = 1"),
        Expect("the conversation is in it", MOVED + "(SELECT key FROM after.folders WHERE name = :folder)"),
    )
    allowed = (*MOVES, Add("folders", "name = :folder"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        folder: list[Move] = [Tap("Mailboxes"), Tap("New folder"), Fill("Folder name", known.folder), Tap("Add folder")]
        return [*folder, *open_mail(data, known.mail.thread), Tap("More"), Tap("Move to folder"), Tap(known.folder)]


class NewLabel(Task):
    """Create a label and add it to the newest mail from a person."""

    name = "new-label"
    app = "email"
    template = "Make a new label {label} and put it on the newest email from {person.name} in my inbox."
    domain = {
        "label": ["Urgent", "Reading", "Summer", "Shared", "Gifts", "Ideas", "School", "Sport", "Theatre", "Waiting"],
        "nth": (3,),
    }
    facts = {"person": PERSON, "mail": NEWEST_FROM}
    expect = (
        Expect("there is one such label", "SELECT count(*) FROM after.labels WHERE name = :label"),
        LabelMail.expect[0],
    )
    allowed = (Add("labels", "name = :label"), *LabelMail.allowed)

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        label: list[Move] = [
            Tap("Mailboxes"),
            Tap("Edit labels"),
            Fill("Label name", known.label),
            Tap("Add label"),
            Tap("Back"),
        ]
        sheet: list[Move] = [Tap("More"), Tap("Labels"), Tap(known.label), Tap("Save labels")]
        return [*label, *open_mail(data, known.mail.thread), *sheet]
