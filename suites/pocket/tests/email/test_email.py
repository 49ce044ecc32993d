"""The email app by itself: search operators, answering, rules, and that its tasks hold up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.worlds import Fill, Press, Tap
from fairground_pocket.email import Email
from fairground_pocket.email.store import resolve, search, threads
from fairground_pocket.kit import Database, Hand, Phone
from fairground_pocket.kit.serving import Request

pytestmark = pytest.mark.conformance

PROFILE = "mateo-medellin"


@pytest.fixture
def phone() -> Iterator[Phone]:
    app = Email()
    made = Phone([app.site], "paper", lambda _: app.content(PROFILE))
    yield made
    made.close()


@pytest.fixture
def db(phone: Phone) -> Database:
    return phone.database("email")


@pytest.fixture
def hand(phone: Phone) -> Hand:
    return Hand(phone.respond, "/email/")


@pytest.mark.parametrize(
    ("words", "sql"),
    [
        ("has:attachment", "EXISTS (SELECT 1 FROM attachments a WHERE a.mail = m.id)"),
        ("is:unread", "m.unread = 1"),
        ("is:starred in:archive", "m.starred = 1 AND m.folder = 'archive'"),
        ("before:2025-07-01", "m.time < '2025-07-01'"),
        ("after:2025-07-01", "m.time >= '2025-07-01'"),
        ("from:halyard", "m.address LIKE '%halyard%'"),
        ('subject:"statement for"', "fold(m.subject) LIKE '%statement for%'"),
        ("label:travel", "m.id IN (SELECT mail FROM mail_labels JOIN labels l ON l.id = label WHERE name = 'Travel')"),
        ("MEDELLÍN", "fold(m.subject || m.body || m.sender) LIKE '%medellín%'"),
        ("100%_", "0"),
        ("before:soon", "0"),
        ("is:nothing:here", "0"),
    ],
)  # fmt: skip
def test_search_finds_what_its_operators_say(db: Database, words: str, sql: str) -> None:
    where = f"m.folder NOT IN ('spam', 'trash') AND ({sql})"
    expected = set(db.column(f"SELECT DISTINCT thread FROM mails m WHERE {where}"))
    assert {row["thread"] for row in search(db, words)} == expected
    assert expected or sql == "0"


def test_a_row_of_a_list_is_about_the_newest_mail_of_its_conversation(db: Database) -> None:
    rows = threads(db, "m.folder = 'inbox'")
    assert [row["time"] for row in rows] == sorted((row["time"] for row in rows), reverse=True)
    long = [row for row in rows if row["count"] > 1]
    assert long
    for row in long:
        newest = db.row(
            "SELECT id, sender FROM mails WHERE thread = ? AND folder = 'inbox' ORDER BY time DESC", row["thread"]
        )
        assert newest is not None and (row["mail"], row["sender"]) == (newest["id"], newest["sender"])


def test_people_are_named_by_name_or_address(db: Database) -> None:
    assert resolve(db, "gloria restrepo, x@y.org; Gloria Restrepo") == (
        [("Gloria Restrepo", "gloria.restrepo@correovalle.co"), ("x@y.org", "x@y.org")],
        "",
    )
    assert resolve(db, "x@y.org, Nobody At All")[1] == "Nobody At All"


def test_an_answer_stays_in_its_conversation_and_goes_to_everyone(hand: Hand, db: Database) -> None:
    thread, mail = db.rows(
        "SELECT thread, id FROM mails m WHERE folder = 'inbox' "
        "AND EXISTS (SELECT 1 FROM recipients WHERE mail = m.id AND kind = 'cc') "
        "GROUP BY thread HAVING count(*) = 1 AND answers IS NULL ORDER BY time DESC LIMIT 1"
    )[0]  # fmt: skip
    hand.open(f"/email/t/{thread}")
    hand.play([Tap("Reply all"), Fill("Message", "Agreed."), Tap("Send")])
    sent = db.row("SELECT * FROM mails ORDER BY id DESC LIMIT 1")
    assert sent is not None and (sent["thread"], sent["answers"], sent["folder"]) == (thread, mail, "sent")
    assert sent["body"].startswith("Agreed.\n\n-- \nMateo Restrepo")
    copies = db.column("SELECT address FROM recipients WHERE mail = ? AND kind = 'cc'", mail)
    assert db.column("SELECT address FROM recipients WHERE mail = ? AND kind = 'cc'", sent["id"]) == copies


def test_a_mail_to_nobody_is_not_sent_and_not_lost(hand: Hand, db: Database) -> None:
    before = db.one("SELECT count(*) FROM mails")
    hand.play([Tap("Compose"), Fill("To", "Zzyzx"), Fill("Message", "Important words"), Tap("Send")])
    assert "neither a contact nor an address" in hand.page.words() and "Important words" in hand.page.html
    hand.play([Tap("Save draft")])
    assert db.one("SELECT count(*) FROM mails") == before + 1


def test_a_draft_that_is_sent_is_a_draft_no_more(hand: Hand, db: Database) -> None:
    number = db.one("SELECT id FROM mails WHERE folder = 'drafts' ORDER BY id LIMIT 1")
    hand.open(f"/email/compose?draft={number}")
    hand.play([Tap("Send")])
    assert db.one("SELECT folder FROM mails WHERE id = ?", number) == "sent"


def test_a_rule_sorts_what_is_there_when_asked_to(hand: Hand, db: Database) -> None:
    found = db.column("SELECT DISTINCT thread FROM mails WHERE folder = 'inbox' AND address LIKE '%halyard%'")
    hand.play([
        Tap("Settings"), Tap("Rules"), Tap("New rule"), Fill("Contains", "HALYARD"), Tap("Move to a folder"),
        Tap("Folder"), Tap("Taxes"), Tap("Also sort what is in the inbox"), Tap("Save"),
    ])  # fmt: skip
    assert f"{len(found)} conversations sorted" in hand.page.words() and found
    assert not db.one("SELECT count(*) FROM mails WHERE folder = 'inbox' AND address LIKE '%halyard%'")
    hand.play([Tap("Undo")])
    assert db.one("SELECT count(*) FROM mails WHERE folder = 'inbox' AND address LIKE '%halyard%'")


def test_return_in_the_search_field_changes_nothing(hand: Hand) -> None:
    hand.play([Tap("Search"), Fill("Search mail", "from:halyard"), Press("Return")])
    assert hand.page.path == "/email/search?q=from%3Ahalyard"


def test_nothing_can_be_moved_where_it_cannot_be_by_hand(phone: Phone, db: Database) -> None:
    thread = db.one("SELECT thread FROM mails WHERE folder = 'inbox' ORDER BY id LIMIT 1")
    content = db.rows("SELECT * FROM mails")
    for source, target in (("inbox", "sent"), ("inbox", "nowhere"), ("trash", "inbox"), ("", "")):
        form = {"source": [source], "target": [target]}
        assert phone.respond(Request("POST", f"/email/t/{thread}/move", {}, form)).status == 404
    assert db.rows("SELECT * FROM mails") == content
