"""Where a profile's money goes: shops, reasons for payments, recurring payments. Amounts are tenths of a euro."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from fairground_pocket.kit import Cast

WORTH: Final = {
    "NGN": 90_000, "SEK": 1_100, "EUR": 100, "JPY": 160, "TRY": 3_800, "MAD": 1_100, "GBP": 100, "COP": 4_500,
    "INR": 9_000, "CAD": 200,
}  # fmt: skip
"""Purchasing power of one euro in the smallest coin, by currency."""


@dataclass(frozen=True)
class Shop:
    """A shop: the range of its prices, and how often the owner goes there."""

    name: str
    category: str
    low: int
    high: int
    often: float


def shops(cast: Cast) -> list[Shop]:
    """The shops of a profile's town, and companies that are everywhere."""
    districts, streets = cast.districts, cast.streets
    local = [_local(name) for name in cast.shops]
    return [
        *local,
        Shop(f"{districts[0]} Market", "Groceries", 80, 640, 5.0),
        Shop(f"Supermarket {districts[1]}", "Groceries", 120, 980, 5.0),
        Shop("Green Basket", "Groceries", 60, 450, 2.5),
        Shop(f"{streets[0]} Coffee", "Eating out", 24, 90, 3.5),
        Shop(f"Noodle Bar {districts[2]}", "Eating out", 90, 380, 2.0),
        Shop(f"Grill House {districts[3]}", "Eating out", 140, 620, 1.2),
        Shop(f"{cast.city} Transit", "Transport", 15, 60, 4.0),
        Shop("Swiftcab", "Transport", 60, 290, 2.0),
        Shop("Northway Rail", "Travel", 180, 900, 0.6),
        Shop("Meridian Air", "Travel", 900, 3400, 0.25),
        Shop("Hotel Lindgren", "Travel", 700, 2400, 0.2),
        Shop("Brightline Power", "Bills", 350, 900, 0.8),
        Shop("Northcell Mobile", "Bills", 120, 320, 0.9),
        Shop("Fibrewave Internet", "Bills", 250, 420, 0.8),
        Shop("Tidewater Insurance", "Bills", 220, 610, 0.6),
        Shop("Quarter Gazette", "Fun", 50, 120, 0.6),
        Shop("Lantern Films", "Fun", 80, 260, 1.2),
        Shop("Tunebox", "Fun", 49, 119, 0.9),
        Shop(f"{districts[4]} Climbing Hall", "Fun", 90, 210, 0.8),
        Shop("Corner Clinic", "Health", 150, 1100, 0.4),
        Shop("Stillwater Gym", "Health", 190, 390, 0.7),
        Shop("Homely & Sons", "Home", 90, 1900, 0.8),
        Shop("Paint and Timber", "Home", 70, 900, 0.6),
        Shop("Pixelworks", "Shopping", 150, 3900, 0.5),
        Shop("Thread & Needle", "Shopping", 120, 980, 1.2),
        Shop("Ribbon Gifts", "Gifts", 60, 520, 0.7),
        Shop("Desk and Paper", "Work", 40, 480, 0.6),
        Shop("Fernhill School", "Other", 90, 600, 0.4),
    ]


def _local(name: str) -> Shop:
    """A shop of the cast, recognised by words of its name."""
    for pattern, category, low, high in _SIGNS:
        if re.search(pattern, name):
            return Shop(name, category, low, high, 1.6)
    return Shop(name, "Shopping", 110, 1400, 0.9)


_SIGNS: Final = (
    (r"House|Kitchen|Café|Bakery|Osteria|Gelateria|Kissa|Takoyaki|Kahve|Pâtisserie|Deli|Roasters|Tostaduría|Vaishali"
     r"|Stanfords", "Eating out", 40, 420),
    (r"Pharmac|Farmacia|Eczanesi|Chemist|Droguería|Medical", "Health", 50, 380),
    (r"Ost\b|Fisk|Mercado|Balık|Baharat|Marée|Fish|Souk|Forno|Fırın|Panadería", "Groceries", 50, 460),  # noqa: RUF001
)  # fmt: skip

REASONS: Final = {
    "family": (
        ("Groceries for Sunday", "Groceries"), ("Birthday present", "Gifts"), ("Phone bill", "Bills"),
        ("Train ticket", "Travel"), ("Dinner at ours", "Eating out"), ("Medicine", "Health"), ("Garden tools", "Home"),
        ("School books", "Other"), ("New curtains", "Home"),
    ),
    "friend": (
        ("Concert tickets", "Fun"), ("Pizza on Friday", "Eating out"), ("Taxi home", "Transport"),
        ("Board game night", "Fun"), ("Football pitch", "Fun"), ("Weekend trip", "Travel"), ("Coffee", "Eating out"),
        ("Cinema", "Fun"), ("Birthday flowers", "Gifts"),
    ),
    "work": (
        ("Lunch", "Eating out"), ("Farewell present", "Gifts"), ("Coffee round", "Eating out"),
        ("Taxi to the client", "Work"), ("Team dinner", "Work"), ("Printer paper", "Work"),
        ("Train to the fair", "Work"),
    ),
    "neighbour": (
        ("Ladder and paint", "Home"), ("Parcel fee", "Other"), ("Summer party", "Fun"), ("Bicycle repair", "Transport"),
        ("Cat food", "Other"), ("Light bulbs", "Home"),
    ),
    "service": (("Materials", "Home"), ("Extra hour", "Other"), ("Invoice", "Bills"), ("Deposit", "Other")),
    "other": (
        ("Ticket for the match", "Fun"), ("Workshop fee", "Other"), ("Second-hand lamp", "Shopping"),
        ("Shared parking", "Transport"), ("Snacks", "Groceries"),
    ),
}  # fmt: skip
"""What people pay each other for, by relation, with its category."""

SERVICES: Final = {
    "doctor": ("Consultation", "Health", 300, 900), "hairdresser": ("Haircut", "Other", 180, 520),
    "mechanic": ("Car repair", "Transport", 400, 2600),
}  # fmt: skip

RECURRING: Final = (
    ("landlord", "Rent", "Home", "month", 3800, 4700), ("piano teacher", "Piano lesson", "Fun", "week", 180, 340),
    ("mother", "Allowance", "Other", "month", 500, 1200), ("brother", "Phone plan", "Bills", "month", 90, 220),
    ("sister", "Streaming share", "Fun", "month", 40, 90), ("neighbour", "Shared internet", "Bills", "month", 110, 230),
    ("neighbour upstairs", "Stairwell cleaning", "Home", "fortnight", 60, 140),
    ("best friend", "Holiday savings", "Travel", "month", 300, 700),
    ("bandmate", "Rehearsal room", "Fun", "fortnight", 90, 200),
    ("running partner", "Club fee", "Health", "month", 80, 190), ("cousin", "Gym share", "Health", "month", 100, 210),
    ("colleague", "Lunch club", "Eating out", "week", 60, 150), ("aunt", "Garden plot", "Home", "month", 70, 180),
    ("father", "Car insurance", "Transport", "month", 210, 480),
)  # fmt: skip
"""Recurring payments: role, note, category, how often, minimum and maximum amount."""

BILLS: Final = (
    ("Dinner at {place}", "Eating out", 600, 2200), ("Cabin for the weekend", "Travel", 1800, 5200),
    ("Present for {first}", "Gifts", 300, 1200), ("Concert in {district}", "Fun", 900, 2600),
    ("Petrol to the coast", "Transport", 300, 900),
    ("Barbecue in {district}", "Groceries", 400, 1300), ("Moving van", "Transport", 500, 1600),
    ("Cleaning the stairwell", "Home", 200, 700),
    ("Football shirts", "Shopping", 800, 2100), ("Karaoke night", "Fun", 500, 1500),
    ("Taxi from the airport", "Transport", 250, 800),
    ("Picnic at {street}", "Groceries", 250, 800), ("Escape room", "Fun", 700, 1500),
    ("Flowers for {first}", "Gifts", 200, 600),
    ("Ski passes", "Travel", 1500, 4000), ("Brunch at {street}", "Eating out", 350, 1100),
)  # fmt: skip
"""Shared bills: title, category, minimum and maximum total."""

ACQUAINTANCES: Final = (
    "old flatmate", "from the gym", "from the choir", "maths tutor", "from the book club", "babysitter", "plumber",
    "electrician", "yoga teacher", "football captain", "photographer", "tailor", "gardener", "dog sitter",
)  # fmt: skip
"""People outside the cast, each used once."""
