"""Tasks about writing: new mails, replies, forwarding, drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from fairground.worlds import Fill, Move, Tap
from fairground_pocket.email.scenarios.finding import CONTACT, MAIL, NEWEST_FROM, NTH, PERSON, TEXTS, open_mail
from fairground_pocket.kit import Add, Change, Database, Expect, Known, Remove, Task, formats

NEW: Final = "(SELECT max(id) FROM after.mails WHERE folder = 'sent' AND id NOT IN (SELECT id FROM before.mails))"
SENT: Final = Expect(
    "one mail was sent",
    "SELECT count(*) FROM after.mails WHERE folder = 'sent' AND id NOT IN (SELECT id FROM before.mails)",
)
SAYS: Final = Expect(
    "it says what it should", f"SELECT substr(body, 1, length(:text)) FROM after.mails WHERE id = {NEW}", "{text}"
)
TO: Final = f"SELECT group_concat(address) FROM after.recipients WHERE mail = {NEW}"
ANSWERS: Final = Expect(
    "it answers the right mail", f"SELECT count(*) FROM after.mails WHERE id = {NEW} AND answers = :mail_id"
)
FILES: Final = f"SELECT group_concat(name) FROM after.attachments WHERE mail = {NEW}"
ONE_MAIL: Final = (
    Add("mails", "folder = 'sent'"),
    Add("threads"),
    Add("recipients", at_most=9),
    Add("attachments", at_most=9),
)
ERRANDS: Final = {
    "lunch": {"subject": "Lunch this week?", "text": "Are you free for lunch on Thursday?"},
    "keys": {"subject": "Spare keys", "text": "Could you bring the spare keys tonight?"},
    "ladder": {"subject": "Your ladder", "text": "May I borrow your ladder on Saturday?"},
    "photos": {"subject": "Those photos", "text": "Please send me the photos from the party."},
    "train": {"subject": "My train", "text": "My train arrives at 18:40 on platform 3."},
    "thanks": {"subject": "Thank you", "text": "Thank you so much for your help yesterday."},
    "report": {"subject": "Report", "text": "The report is done. Have a look when you can."},
    "dentist": {"subject": "Dentist on Tuesday", "text": "I have to leave at three on Tuesday."},
    "bike": {"subject": "Bicycle for sale", "text": "I am selling my old bicycle. Are you interested?"},
    "garden": {"subject": "Garden day", "text": "We dig over the garden on Sunday. Come if you like."},
}
FILE_NAMES: Final = (
    "boarding-pass.pdf", "contract-signed.pdf", "family-photo.jpg", "floor-plan.pdf", "invoice-march.pdf",
    "meeting-notes.docx", "passport-scan.jpg", "shopping-list.txt", "tax-summary.xlsx", "travel-plan.pdf",
)  # fmt: skip
DRAFTS: Final = (
    "Plans for the long weekend", "Thank you for the flowers", "Question about the keys", "Notes for our call",
    "Sorry for the silence", "A book you should read",
)  # fmt: skip


class SendMail(Task):
    """Send a new mail to a contact."""

    name = "send-mail"
    app = "email"
    template = "Send an email to {person.name} with the subject “{subject}” that says “{text}”"
    domain = {"errand": ERRANDS, "nth": (6,)}
    facts = {"person": CONTACT}
    expect = (
        SENT,
        Expect("it goes to the right person and nobody else", TO, "{person.address}"),
        Expect("the subject is right", f"SELECT subject FROM after.mails WHERE id = {NEW}", "{subject}"),
        SAYS,
    )
    allowed = ONE_MAIL

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        to = Fill("To", known.person.name)
        return [Tap("Compose"), to, Fill("Subject", known.subject), Fill("Message", known.text), Tap("Send")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_name = data.one("SELECT name FROM contacts WHERE id != ? ORDER BY id LIMIT 1", known.person.id)
        fill: list[Move] = [Fill("Subject", known.subject), Fill("Message", known.text)]
        return {
            "saved as a draft": [Tap("Compose"), Fill("To", known.person.name), *fill, Tap("Save draft")],
            "also to somebody else": [
                Tap("Compose"),
                Fill("To", f"{known.person.name}, {other_name}"),
                *fill,
                Tap("Send"),
            ],
        }


class SendFile(Task):
    """Send a new mail with a file from the phone."""

    name = "send-file"
    app = "email"
    template = "Email the file {file} from my phone to {person.name}, with the subject “{subject}”."
    domain = {"file": FILE_NAMES, "subject": ("As promised", "Here it is", "For your records"), "nth": (3,)}
    facts = {"person": CONTACT}
    expect = (
        SENT,
        Expect("it goes to the right person", TO, "{person.address}"),
        Expect("the file is attached, and no other", FILES, "{file}"),
        Expect("the subject is right", f"SELECT subject FROM after.mails WHERE id = {NEW}", "{subject}"),
    )
    allowed = ONE_MAIL

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        to = Fill("To", known.person.address)
        return [Tap("Compose"), to, Fill("Subject", known.subject), Tap(known.file), Tap("Send")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        other_file = data.one("SELECT name FROM files WHERE name != ? ORDER BY id LIMIT 1", known.file)
        start: list[Move] = [Tap("Compose"), Fill("To", known.person.address), Fill("Subject", known.subject)]
        return {"another file": [*start, Tap(other_file), Tap("Send")], "no file": [*start, Tap("Send")]}


class ReplyToNewest(Task):
    """Reply to the newest mail from a person."""

    name = "reply-to-newest"
    app = "email"
    template = "Reply to the newest email from {person.name} in my inbox: “{text}”"
    domain = {"text": TEXTS, "nth": (1,)}
    facts = {"person": PERSON, "mail": NEWEST_FROM}
    expect = (SENT, ANSWERS, Expect("it goes to the sender only", TO, "{person.address}"), SAYS)
    allowed = ONE_MAIL

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        """Replies from the mail's details, because the conversation may have continued since."""
        details = Tap(details_of(data, known.mail.id))
        answer: list[Move] = [Tap("Reply to this mail"), Fill("Message", known.text), Tap("Send")]
        return [*open_mail(data, known.mail.thread), details, *answer]


class ReplyAll(Task):
    """Reply to everyone in a work conversation."""

    name = "reply-all"
    app = "email"
    template = "Reply to everyone on the email “{mail.subject}” and write: “{text}”"
    domain = {"text": TEXTS, "nth": (0,)}
    facts = {
        "mail": f"{MAIL} WHERE m.folder = 'inbox' AND m.answers IS NULL AND (SELECT count(*) FROM mails x WHERE "
        "x.thread = m.thread) = 1 AND EXISTS (SELECT 1 FROM recipients r WHERE r.mail = m.id AND r.kind = 'cc') "
        "ORDER BY m.time DESC LIMIT 1 OFFSET :nth",
        "others": "SELECT count(*) AS number FROM recipients WHERE mail = :mail_id AND kind = 'cc'",
    }
    expect = (
        SENT,
        ANSWERS,
        Expect("it goes to the sender", f"SELECT address FROM after.recipients WHERE mail = {NEW} AND kind = 'to'",
               "{mail.address}"),
        Expect("and to everybody who had a copy",
               f"SELECT count(*) = :others FROM after.recipients WHERE mail = {NEW} AND kind = 'cc' AND address IN "
               "(SELECT address FROM before.recipients WHERE mail = :mail_id AND kind = 'cc')"),
        SAYS,
    )  # fmt: skip
    allowed = ONE_MAIL

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_mail(data, known.mail.thread), Tap("Reply all"), Fill("Message", known.text), Tap("Send")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        answer: list[Move] = [Tap("Reply"), Fill("Message", known.text), Tap("Send")]
        return {"only to the sender": [*open_mail(data, known.mail.thread), *answer]}


class ForwardWithFile(Task):
    """Forward a mail with an attachment."""

    name = "forward-with-file"
    app = "email"
    template = "Forward the email “{mail.subject}” from {mail.sender}, with its attachment, to {person.name}."
    domain = {"at": NTH, "nth": (15,)}
    facts = {
        "person": CONTACT,
        "mail": f"{MAIL} WHERE m.folder = 'inbox' AND (SELECT count(*) FROM mails x WHERE x.thread = m.thread) = 1 AND "
        "(SELECT count(*) FROM attachments a WHERE a.mail = m.id) = 1 ORDER BY m.time DESC LIMIT 1 OFFSET :at",
        "file": "SELECT name FROM attachments WHERE mail = :mail_id",
    }
    expect = (
        SENT,
        ANSWERS,
        Expect("it goes to the right person", TO, "{person.address}"),
        Expect("its attachment goes along", FILES, "{file}"),
        Expect("the text is in it", f"SELECT instr(body, :mail_body) > 0 FROM after.mails WHERE id = {NEW}"),
    )
    allowed = ONE_MAIL

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        return [*open_mail(data, known.mail.thread), Tap("Forward"), Fill("To", known.person.name), Tap("Send")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        start: list[Move] = [*open_mail(data, known.mail.thread), Tap("Forward"), Fill("To", known.person.name)]
        return {"without the attachment": [*start, Tap(known.file), Tap("Send")]}


class FinishDraft(Task):
    """Complete a draft and send it."""

    name = "finish-draft"
    app = "email"
    template = "Open my draft “{title}”, replace its text with “{text}” and send it."
    domain = {"title": DRAFTS, "text": {key: TEXTS[key] for key in ("thanks", "monday", "yes", "call", "sorry")}}
    facts = {
        "draft": "SELECT id, thread FROM mails WHERE folder = 'drafts' AND subject = :title",
        "to": "SELECT address FROM recipients WHERE mail = :draft_id",
    }
    expect = (
        Expect("it is sent", "SELECT folder FROM after.mails WHERE id = :draft_id", "sent"),
        Expect("it says what it should", "SELECT substr(body, 1, length(:text)) FROM after.mails WHERE id = :draft_id",
               "{text}"),
        Expect("it goes to the same person",
               "SELECT group_concat(address) FROM after.recipients WHERE mail = :draft_id", "{to}"),
    )  # fmt: skip
    allowed = (
        Change("mails", ("folder", "body", "time"), "id = :draft_id"), Change("recipients", (), "mail = :draft_id"),
        Add("recipients"), Remove("recipients", "mail = :draft_id"),
    )  # fmt: skip

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        folder: list[Move] = [Tap("Mailboxes"), Tap("Folder Drafts"), Tap(f"{known.title}, ")]
        return [*folder, Fill("Message", known.text), Tap("Send")]


class SaveDraft(Task):
    """Save a new mail as a draft."""

    name = "save-draft"
    app = "email"
    template = "Write to {person.name} with the subject “{subject}” and the text “{text}”, but only save it as a draft."
    domain = {"errand": ERRANDS, "nth": (9,)}
    facts = {"person": CONTACT}
    expect = (
        Expect("one draft more", "SELECT count(*) FROM after.mails WHERE folder = 'drafts' AND subject = :subject AND "
               "body = :text AND id NOT IN (SELECT id FROM before.mails)"),
        Expect("for the right person", "SELECT group_concat(address) FROM after.recipients WHERE id NOT IN "
               "(SELECT id FROM before.recipients)", "{person.address}"),
    )  # fmt: skip
    allowed = (Add("mails", "folder = 'drafts'"), Add("threads"), Add("recipients"))

    def moves(self, known: Known, data: Database) -> Sequence[Move]:
        fields: list[Move] = [
            Fill("To", known.person.name),
            Fill("Subject", known.subject),
            Fill("Message", known.text),
        ]
        return [Tap("Compose"), *fields, Tap("Save draft")]

    def near_misses(self, known: Known, data: Database) -> Mapping[str, Sequence[Move]]:
        fields: list[Move] = [
            Fill("To", known.person.name),
            Fill("Subject", known.subject),
            Fill("Message", known.text),
        ]
        return {"sent": [Tap("Compose"), *fields, Tap("Send")]}


def details_of(data: Database, mail: int) -> str:
    """The name of a mail's header row in its conversation."""
    row = data.row("SELECT sender, time FROM mails WHERE id = ?", mail)
    assert row is not None
    return f"Details of {row['sender']}, {formats.moment(datetime.fromisoformat(row['time']))}"
