"""The tables of the flights app, its tabs, and the site that its pages register with."""

from __future__ import annotations

from typing import Final

from fairground_pocket.kit import Site, Tab

SCHEMA: Final = """
CREATE TABLE airports (
    code TEXT PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL UNIQUE, country TEXT NOT NULL, timezone TEXT NOT NULL
);
CREATE TABLE airlines (code TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE);
-- Times are local at each airport; `starts` and `ends` are minutes of world time, so durations are exact. `price` is
-- for an adult in Economy Light. `delay` is known only around the present.
CREATE TABLE flights (
    id INTEGER PRIMARY KEY, number TEXT NOT NULL, airline TEXT NOT NULL REFERENCES airlines,
    origin TEXT NOT NULL REFERENCES airports, destination TEXT NOT NULL REFERENCES airports,
    departs TEXT NOT NULL, arrives TEXT NOT NULL, starts INTEGER NOT NULL, ends INTEGER NOT NULL,
    price INTEGER NOT NULL, aircraft TEXT NOT NULL, gate TEXT NOT NULL, plan INTEGER NOT NULL,
    delay INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX flights_by_origin ON flights (origin, starts);
CREATE TABLE plan_seats (
    plan INTEGER NOT NULL, seat TEXT NOT NULL, row INTEGER NOT NULL, letter TEXT NOT NULL, cabin TEXT NOT NULL,
    legroom INTEGER NOT NULL, taken INTEGER NOT NULL, PRIMARY KEY (plan, seat)
) WITHOUT ROWID;
-- What a fare allows; `change_fee` is for each traveller, NULL when it cannot be changed; `refund` is in percent.
CREATE TABLE fares (
    key TEXT PRIMARY KEY, name TEXT NOT NULL, factor INTEGER NOT NULL, bags INTEGER NOT NULL, change_fee INTEGER,
    refund INTEGER NOT NULL, free_seats INTEGER NOT NULL
);
CREATE TABLE travellers (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, born TEXT NOT NULL, nationality TEXT NOT NULL,
    document TEXT NOT NULL, number TEXT NOT NULL, expires TEXT NOT NULL, email TEXT NOT NULL DEFAULT '',
    me INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE cards (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last4 TEXT NOT NULL, expires TEXT NOT NULL,
    preferred INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE bookings (
    id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, status TEXT NOT NULL, cabin TEXT NOT NULL,
    fare TEXT NOT NULL REFERENCES fares, fare_total INTEGER NOT NULL, booked TEXT NOT NULL, email TEXT NOT NULL
);
CREATE TABLE riders (
    id INTEGER PRIMARY KEY, booking INTEGER NOT NULL REFERENCES bookings, traveller INTEGER REFERENCES travellers
    ON DELETE SET NULL, name TEXT NOT NULL, child INTEGER NOT NULL, extra_bags INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE coupons (
    id INTEGER PRIMARY KEY, booking INTEGER NOT NULL REFERENCES bookings, rider INTEGER NOT NULL REFERENCES riders,
    flight INTEGER NOT NULL REFERENCES flights, leg TEXT NOT NULL, seat TEXT NOT NULL DEFAULT '',
    checked_in INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX coupons_by_booking ON coupons (booking);
CREATE TABLE payments (
    id INTEGER PRIMARY KEY, booking INTEGER NOT NULL REFERENCES bookings, time TEXT NOT NULL, what TEXT NOT NULL,
    amount INTEGER NOT NULL, card INTEGER REFERENCES cards ON DELETE SET NULL
);
CREATE TABLE points (
    id INTEGER PRIMARY KEY, time TEXT NOT NULL, what TEXT NOT NULL, points INTEGER NOT NULL, booking INTEGER
);
CREATE TABLE vouchers (id INTEGER PRIMARY KEY, reward TEXT NOT NULL, code TEXT NOT NULL UNIQUE, time TEXT NOT NULL);
CREATE TABLE alerts (
    id INTEGER PRIMARY KEY, origin TEXT NOT NULL REFERENCES airports, destination TEXT NOT NULL REFERENCES airports,
    month TEXT NOT NULL, below INTEGER NOT NULL, active INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE notices (
    id INTEGER PRIMARY KEY, text TEXT NOT NULL, time TEXT NOT NULL, booking INTEGER REFERENCES bookings,
    seen INTEGER NOT NULL
);
CREATE TABLE recent (
    place INTEGER PRIMARY KEY, origin TEXT NOT NULL, destination TEXT NOT NULL, day TEXT NOT NULL, back TEXT NOT NULL,
    adults INTEGER NOT NULL, children INTEGER NOT NULL, cabin TEXT NOT NULL
);
"""

SITE: Final = Site(
    name="flights",
    title="Flights",
    icon="plane",
    schema=SCHEMA,
    tabs=(
        Tab("book", "Book", "/flights/", "search"),
        Tab("trips", "Trips", "/flights/trips", "bag"),
        Tab("status", "Status", "/flights/status", "clock"),
        Tab("rewards", "Rewards", "/flights/rewards", "star"),
        Tab("account", "Account", "/flights/account", "person"),
    ),
    free=(
        "notices.seen", "recent.origin", "recent.destination", "recent.day", "recent.back", "recent.adults",
        "recent.children", "recent.cabin",
    ),
)  # fmt: skip

CABINS: Final = {"economy": ("Economy", 100), "premium": ("Premium", 180), "business": ("Business", 320)}
"""Cabins: name, and price in percent of Economy."""

DAYS_AHEAD: Final = 40
"""How many days ahead flights can be booked."""

REWARDS: Final = (
    ("lounge", "Lounge pass", 6_000, "One visit to any partner lounge"),
    ("bag", "Extra bag voucher", 4_500, "One checked bag on any flight"),
    ("legroom", "Legroom voucher", 3_000, "One extra legroom seat"),
    ("wifi", "Wi-Fi pass", 1_500, "A whole flight online"),
    ("trees", "Plant ten trees", 2_000, "Given to a reforestation fund"),
)
"""Rewards: key, name, points, words."""

TIERS: Final = (("Member", 0), ("Silver", 20_000), ("Gold", 45_000), ("Platinum", 90_000))
"""Tiers of the loyalty programme, and the points within twelve months that each requires."""

POINT_VALUE: Final = 100
"""The number of points worth one euro when paying."""
