"""The mailbox of a profile: conversations from this folder's letters, between the people of its cast."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Final

from fairground_pocket.email.schema import FOLDERS, LABELS, OWN_FOLDERS
from fairground_pocket.kit import Cast, Database, Draw, ascii_of, formats

GREETINGS: Final = {
    "amara-lagos": "How far", "astrid-malmo": "Hej", "chiara-bologna": "Ciao", "daichi-osaka": "Hello",
    "elif-izmir": "Merhaba", "fatima-casablanca": "Salam", "george-bristol": "Hiya", "mateo-medellin": "Hola",
    "noah-toronto": "Hey", "priya-pune": "Namaste",
}  # fmt: skip
_CONVERSATIONS: Final = 250
_DAYS: Final = 150
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_WEEK: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FILES: Final = (
    ("boarding-pass.pdf", 210), ("contract-signed.pdf", 840), ("family-photo.jpg", 3200), ("floor-plan.pdf", 1250),
    ("invoice-march.pdf", 180), ("meeting-notes.docx", 64), ("passport-scan.jpg", 1900), ("shopping-list.txt", 2),
    ("tax-summary.xlsx", 96), ("travel-plan.pdf", 420),
)  # fmt: skip
_SCALE: Final = {
    "NGN": 900,
    "SEK": 11,
    "EUR": 1,
    "JPY": 160,
    "TRY": 38,
    "MAD": 11,
    "GBP": 1,
    "COP": 4400,
    "INR": 90,
    "CAD": 2,
}


@dataclass(frozen=True)
class Letter:
    """A conversation template: sender, labels, subject, attachment, and the texts in order."""

    sender: str
    labels: tuple[str, ...]
    subject: str
    file: str
    texts: tuple[tuple[str, str], ...]


@cache
def letters() -> tuple[Letter, ...]:
    """All conversation templates."""
    text = files(__package__).joinpath("letters.txt").read_text(encoding="utf-8")
    return tuple(_letter(block) for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:])


def fill(db: Database, cast: Cast, draw: Draw) -> None:
    """Fills the mailbox of a cast."""
    db.many(
        "INSERT INTO folders VALUES (?, ?, ?, ?)",
        [(key, name, 0, place) for place, (key, name, _) in enumerate(FOLDERS)]
        + [(key, name, 1, 10 + place) for place, (key, name) in enumerate(OWN_FOLDERS)],
    )
    db.many("INSERT INTO labels (name) VALUES (?)", [(name,) for name in LABELS])
    db.many("INSERT INTO files (name, size) VALUES (?, ?)", _FILES)
    for person in cast.people:
        note = f"{person.role.capitalize()}, {draw.choice(cast.districts)}"
        db.insert(
            "contacts", name=person.name, address=person.email, phone=person.phone, note=note,
            favourite=int(person.role in ("mother", "best friend", "manager")),
        )  # fmt: skip
    for name, value in _settings(cast).items():
        db.set(name, value)
    _Mailbox(db, cast, draw).fill()
    _rules(db)


def _settings(cast: Cast) -> dict[str, object]:
    return {
        "signature_on": True,
        "signature": f"{cast.owner.name}\n{cast.job.capitalize()}, {cast.employer}",
        "vacation_on": False,
        "vacation_from": "",
        "vacation_to": "",
        "vacation_subject": "",
        "vacation_text": "",
        "notify": True,
        "sound": False,
        "previews": True,
        "images": False,
    }


def _rules(db: Database) -> None:
    db.insert("rules", field="from", contains="quarter.gazette", action="read", target="")
    db.insert("rules", field="subject", contains="receipt", action="label", target="Receipts")
    db.insert("rules", field="from", contains="brightline", action="move", target="house", enabled=0)


class _Mailbox:
    def __init__(self, db: Database, cast: Cast, draw: Draw) -> None:
        self.db, self.cast, self.draw = db, cast, draw
        self.labels = {row["name"]: row["id"] for row in db.rows("SELECT * FROM labels")}
        self.subjects: set[str] = set()
        self.times: set[datetime] = set()
        self.me = cast.owner.name.split()[0]

    def fill(self) -> None:
        everyone = [*letters()] * (_CONVERSATIONS // len(letters()) + 1)
        plans = []
        for letter in self.draw.shuffled(everyone)[:_CONVERSATIONS]:
            slots = self._slots(letter)
            subject = letter.subject.format(**slots)
            if subject not in self.subjects:
                self.subjects.add(subject)
                # Recent mail is more frequent than old mail, as in a mailbox that is cleaned up now and then.
                plans.append((int(_DAYS * self.draw.share() ** 1.6), letter, slots, subject))
        plans.sort(key=lambda plan: -plan[0])
        for days, letter, slots, subject in plans:
            self._conversation(days, letter, slots, subject)
        for number in range(6):
            self._draft(number)
        newest = self.db.rows(
            "SELECT thread, sender, subject, time FROM mails WHERE folder = 'inbox' ORDER BY time DESC LIMIT 6"
        )
        for place, row in enumerate(newest):
            text = f"{row['sender']}: {row['subject']}"
            self.db.insert("notices", text=text, time=row["time"], thread=row["thread"], seen=int(place > 2))

    def _slots(self, letter: Letter) -> dict[str, str]:
        draw, cast = self.draw, self.cast
        kind, _, company = letter.sender.partition(" ")
        person = draw.choice(cast.of(kind)) if kind in ("family", "friend", "work", "neighbour", "service") else None
        decimals = formats.CURRENCIES[cast.currency].decimals
        worth = draw.integer(12, 480) * _SCALE[cast.currency]
        cents = draw.choice((0, 50, 90)) if decimals and cast.currency in ("EUR", "GBP", "CAD") else 0
        slots = {
            "hi": GREETINGS[cast.name],
            "me": self.me,
            "first": person.first if person else "",
            "person": person.name if person else "",
            "other": draw.choice([candidate for candidate in cast.people if candidate is not person]).first,
            "city": cast.city,
            "street": draw.choice(cast.streets),
            "district": draw.choice(cast.districts),
            "shop": draw.choice(cast.shops),
            "employer": cast.employer,
            "weekday": draw.choice(_WEEK),
            "day": str(draw.integer(1, 28)),
            "month": draw.choice(_MONTHS),
            "time": f"{draw.integer(8, 19):02}:{draw.choice((0, 15, 30, 45)):02}",
            "n": str(draw.integer(11, 99)),
            "few": str(draw.integer(3, 12)),
            "code": "".join(draw.choice("BCDFGHJKLMNPQRSTVWXZ23456789") for _ in range(6)),
            "amount": formats.money(worth * 10**decimals + cents, cast.currency),
        }
        slots["company"] = company.format(**slots)
        return slots

    def _conversation(self, days: int, letter: Letter, slots: dict[str, str], subject: str) -> None:
        db, draw = self.db, self.draw
        name, address = self._sender(letter, slots)
        folder = self._folder(letter, days)
        thread = db.insert("threads", subject=subject)
        time = self._moment(days)
        unread = folder in ("inbox", "spam") and draw.chance(0.55 if days < 6 else 0.08)
        previous: int | None = None
        # People use Cc; companies never do.
        others = (
            draw.sample([colleague for colleague in self.cast.of("work") if colleague.name != name], 2)
            if letter.sender == "work"
            else []
        )
        for place, (who, text) in enumerate(letter.texts):
            mine = who == "me"
            last = place == len(letter.texts) - 1
            mail = db.insert(
                "mails", thread=thread, folder="sent" if mine else folder,
                sender=self.cast.owner.name if mine else name,
                address=self.cast.owner.email if mine else address, subject=subject if place == 0 else f"Re: {subject}",
                body=text.format(**slots), time=time.isoformat(), unread=int(unread and last and not mine),
                answers=previous,
                starred=int(place == 0 and folder != "spam" and draw.chance(0.1)),
            )  # fmt: skip
            to = (name, address) if mine else (self.cast.owner.name, self.cast.owner.email)
            db.insert("recipients", mail=mail, kind="to", name=to[0], address=to[1])
            for recipient in others:
                db.insert("recipients", mail=mail, kind="cc", name=recipient.name, address=recipient.email)
            if letter.file and place == 0:
                db.insert(
                    "attachments", mail=mail, name=letter.file.format(**slots).lower(), size=draw.integer(40, 2900)
                )
            for label in letter.labels:
                db.insert("mail_labels", mail=mail, label=self.labels[label])
            previous = mail
            later = time + timedelta(minutes=draw.integer(25, 600))
            if later >= self.cast.now - timedelta(minutes=5):
                break  # the reply would be in the future
            time = self._free(later)

    def _sender(self, letter: Letter, slots: dict[str, str]) -> tuple[str, str]:
        kind = letter.sender.partition(" ")[0]
        if kind in ("company", "spam"):
            return slots["company"], f"hello@{ascii_of(slots['company'])}.example.com"
        person = next(candidate for candidate in self.cast.people if candidate.name == slots["person"])
        return person.name, person.email

    def _folder(self, letter: Letter, days: int) -> str:
        if letter.sender.startswith("spam"):
            return "spam"
        if days < 12:
            return "inbox"
        return self.draw.weighted(
            [("inbox", 0.42), ("archive", 0.40), ("trash", 0.06), ("projects", 0.05), ("house", 0.04), ("taxes", 0.03)]
        )

    def _moment(self, days: int) -> datetime:
        day = self.cast.now - timedelta(days=days)
        if days == 0:
            return self._free(day - timedelta(minutes=self.draw.integer(20, 280)))
        start = day.replace(hour=7, minute=0, second=0)
        return self._free(start + timedelta(minutes=self.draw.integer(0, 13 * 60)))

    def _free(self, moment: datetime) -> datetime:
        """A minute that no other mail has, so that every list has a unique order."""
        while moment in self.times:
            moment -= timedelta(minutes=1)
        self.times.add(moment)
        return moment

    def _draft(self, number: int) -> None:
        subject, text = _DRAFTS[number]
        person = self.draw.choice(self.cast.of("family", "friend", "work"))
        thread = self.db.insert("threads", subject=subject)
        time = self._moment(number + 1)
        mail = self.db.insert(
            "mails", thread=thread, folder="drafts", sender=self.cast.owner.name, address=self.cast.owner.email,
            subject=subject, body=text, time=time.isoformat(),
        )  # fmt: skip
        self.db.insert("recipients", mail=mail, kind="to", name=person.name, address=person.email)


_DRAFTS: Final[Sequence[tuple[str, str]]] = (
    ("Plans for the long weekend", "I have been thinking about the long weekend. What if we"),
    ("Thank you for the flowers", "They are still standing on the table, and"),
    ("Question about the keys", "Do you still have the spare keys? I"),
    ("Notes for our call", "Three things I would like to talk about:\n1. dates\n2. money\n3."),
    ("Sorry for the silence", "It has been a full month. First the move, then"),
    ("A book you should read", "It is short, it is strange, and it"),
)


def _letter(block: str) -> Letter:
    head, _, rest = block.partition("\n")
    sender, _, labels = head.partition("|")
    subject, _, body = rest.partition("\n")
    subject, _, file = subject.partition(" | ")
    texts = []
    for part in re.split(r"^---", body, flags=re.MULTILINE)[1:]:
        who, _, text = part.partition("\n")
        texts.append((who.strip() or "them", text.strip()))
    names = tuple(name.strip() for name in labels.split(",") if name.strip())
    return Letter(sender.strip(), names, subject.strip(), file.strip(), tuple(texts))
