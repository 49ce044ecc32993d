"""The tables of the email app, its tabs, and the site that its pages register with."""

from __future__ import annotations

from typing import Final

from fairground_pocket.kit import Site, Tab

SCHEMA: Final = """
CREATE TABLE folders (key TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, own INTEGER NOT NULL, place INTEGER NOT NULL);
CREATE TABLE labels (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
CREATE TABLE contacts (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, address TEXT NOT NULL UNIQUE COLLATE NOCASE, phone TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '', favourite INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE threads (id INTEGER PRIMARY KEY, subject TEXT NOT NULL);
CREATE TABLE mails (
    id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES threads, folder TEXT NOT NULL REFERENCES folders,
    sender TEXT NOT NULL, address TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, time TEXT NOT NULL,
    unread INTEGER NOT NULL DEFAULT 0, starred INTEGER NOT NULL DEFAULT 0, answers INTEGER REFERENCES mails
);
CREATE INDEX mails_by_thread ON mails (thread);
CREATE INDEX mails_by_folder ON mails (folder, time);
CREATE TABLE recipients (
    id INTEGER PRIMARY KEY, mail INTEGER NOT NULL REFERENCES mails ON DELETE CASCADE, kind TEXT NOT NULL,
    name TEXT NOT NULL, address TEXT NOT NULL
);
CREATE INDEX recipients_by_mail ON recipients (mail);
CREATE TABLE mail_labels (
    mail INTEGER NOT NULL REFERENCES mails ON DELETE CASCADE,
    label INTEGER NOT NULL REFERENCES labels ON DELETE CASCADE,
    PRIMARY KEY (mail, label)
);
CREATE TABLE files (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL);
CREATE TABLE attachments (
    id INTEGER PRIMARY KEY, mail INTEGER NOT NULL REFERENCES mails ON DELETE CASCADE, name TEXT NOT NULL,
    size INTEGER NOT NULL
);
CREATE INDEX attachments_by_mail ON attachments (mail);
CREATE TABLE rules (
    id INTEGER PRIMARY KEY, field TEXT NOT NULL, contains TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL,
    enabled INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE notices (
    id INTEGER PRIMARY KEY, text TEXT NOT NULL, time TEXT NOT NULL, thread INTEGER REFERENCES threads,
    seen INTEGER NOT NULL
);
"""

SITE: Final = Site(
    name="email",
    title="Email",
    icon="mail",
    schema=SCHEMA,
    tabs=(
        Tab("inbox", "Inbox", "/email/", "inbox"),
        Tab("mailboxes", "Mailboxes", "/email/mailboxes", "folder"),
        Tab("search", "Search", "/email/search", "search"),
        Tab("contacts", "Contacts", "/email/contacts", "people"),
        Tab("settings", "Settings", "/email/settings", "settings"),
    ),
    free=("mails.unread=0", "notices.seen=1"),
)

FOLDERS: Final = (
    ("inbox", "Inbox", "inbox"), ("sent", "Sent", "send"), ("drafts", "Drafts", "draft"),
    ("archive", "Archive", "archive"), ("spam", "Spam", "spam"), ("trash", "Trash", "trash"),
)  # fmt: skip
"""The folders that every mailbox has: key, name, icon."""

OWN_FOLDERS: Final = (("projects", "Projects"), ("house", "House"), ("taxes", "Taxes"))
LABELS: Final = ("Work", "Family", "Travel", "Money", "Receipts", "Home", "Health", "Later")
