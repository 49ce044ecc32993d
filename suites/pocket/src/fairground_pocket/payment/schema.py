"""The tables of the payment app, its tabs, and the site that its pages register with.

All amounts are whole numbers of the smallest coin. The wallet's balance is the sum of its transactions.
"""

from __future__ import annotations

from typing import Final

from fairground_pocket.kit import Site, Tab

SCHEMA: Final = """
CREATE TABLE wallet (currency TEXT PRIMARY KEY, unit INTEGER NOT NULL, worth INTEGER NOT NULL);
CREATE TABLE contacts (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, handle TEXT NOT NULL UNIQUE COLLATE NOCASE, phone TEXT NOT NULL,
    email TEXT NOT NULL, role TEXT NOT NULL, favourite INTEGER NOT NULL DEFAULT 0, blocked INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE cards (
    id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE COLLATE NOCASE, network TEXT NOT NULL, last4 TEXT NOT NULL,
    expires TEXT NOT NULL, frozen INTEGER NOT NULL DEFAULT 0, main INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE banks (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last4 TEXT NOT NULL);
CREATE TABLE recurring (
    id INTEGER PRIMARY KEY, contact INTEGER NOT NULL REFERENCES contacts, amount INTEGER NOT NULL, note TEXT NOT NULL,
    every TEXT NOT NULL, due TEXT NOT NULL, category TEXT NOT NULL, status TEXT NOT NULL
);
CREATE TABLE transactions (
    id INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, amount INTEGER NOT NULL,
    category TEXT NOT NULL, note TEXT NOT NULL, contact INTEGER REFERENCES contacts, card INTEGER REFERENCES cards,
    bank INTEGER REFERENCES banks, recurring INTEGER REFERENCES recurring
);
CREATE INDEX transactions_by_time ON transactions (time);
CREATE INDEX transactions_by_contact ON transactions (contact);
CREATE TABLE bills (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, total INTEGER NOT NULL, mine INTEGER NOT NULL, category TEXT NOT NULL,
    time TEXT NOT NULL
);
CREATE TABLE requests (
    id INTEGER PRIMARY KEY, contact INTEGER NOT NULL REFERENCES contacts, direction TEXT NOT NULL,
    amount INTEGER NOT NULL, note TEXT NOT NULL, time TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'open',
    reminders INTEGER NOT NULL DEFAULT 0,
    bill INTEGER REFERENCES bills, payment INTEGER REFERENCES transactions
);
CREATE INDEX requests_by_contact ON requests (contact);
CREATE TABLE notices (
    id INTEGER PRIMARY KEY, text TEXT NOT NULL, time TEXT NOT NULL, href TEXT NOT NULL, seen INTEGER NOT NULL
);
"""
# `wallet.worth` is the purchasing power of one euro in the smallest coin; it scales amounts to any currency.

SITE: Final = Site(
    name="payment",
    title="Payment",
    icon="wallet",
    schema=SCHEMA,
    tabs=(
        Tab("wallet", "Wallet", "/payment/", "wallet"),
        Tab("activity", "Activity", "/payment/activity", "list"),
        Tab("people", "People", "/payment/people", "people"),
        Tab("requests", "Requests", "/payment/requests", "inbox"),
        Tab("more", "More", "/payment/more", "more"),
    ),
    free=("notices.seen",),
)

CATEGORIES: Final = {
    "Groceries": "bag", "Eating out": "food", "Transport": "ticket", "Home": "home", "Bills": "bolt",
    "Shopping": "cart", "Health": "heart", "Fun": "music",
    "Travel": "plane", "Gifts": "gift", "Work": "file", "Other": "label",
}  # fmt: skip
"""Categories of spending with their symbols. Other transactions have no category."""

KINDS: Final = {
    "payment": ("Sent", "send"),
    "received": ("Received", "arrow-down"),
    "purchase": ("Purchase", "cart"),
    "refund": ("Refund", "restore"),
    "income": ("Income", "receipt"),
    "topup": ("Added from bank", "plus"),
    "withdrawal": ("Withdrawn to bank", "bank"),
}
"""Kinds of transactions: name and symbol."""

EVERY: Final = {"week": "Every week", "fortnight": "Every two weeks", "month": "Every month"}
"""How often a recurring payment is made."""
