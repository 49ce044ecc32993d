"""Units, scales and currencies of quantities in answers."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

SCALES: Final = {
    "hundred": 100, "dozen": 12, "thousand": 1_000, "k": 1_000, "lakh": 100_000, "lakhs": 100_000, "lac": 100_000,
    "million": 1_000_000, "millions": 1_000_000, "mn": 1_000_000, "mio": 1_000_000, "mln": 1_000_000,
    "m": 1_000_000, "crore": 10_000_000, "crores": 10_000_000, "billion": 1_000_000_000, "bn": 1_000_000_000,
    "b": 1_000_000_000, "trillion": 1_000_000_000_000,
}  # fmt: skip

_DOLLARS: Final = frozenset({"USD", "CAD", "COP", "AUD", "NZD", "SGD", "HKD", "MXN"})
_KRONOR: Final = frozenset({"SEK", "NOK", "DKK", "ISK"})
_PESOS: Final = frozenset({"COP", "MXN", "ARS", "CLP", "PHP"})
_CODES: Final = re.findall(
    r"\w+",
    "EUR USD CAD COP AUD NZD SGD HKD MXN GBP JPY CNY INR TRY NGN SEK NOK DKK ISK MAD CHF PLN CZK HUF BRL KRW ZAR AED "
    "ARS CLP PHP ILS RUB UAH VND THB IDR EGP KES GHS PKR",
)

CURRENCIES: Final[dict[str, frozenset[str]]] = {
    **{code.casefold(): frozenset({code}) for code in _CODES},
    **dict.fromkeys(("€", "euro", "euros"), frozenset({"EUR"})),
    **dict.fromkeys(("£", "pound", "pounds", "sterling", "quid"), frozenset({"GBP"})),
    **dict.fromkeys(("¥", "yen", "円"), frozenset({"JPY", "CNY"})),
    **dict.fromkeys(("yuan", "rmb", "renminbi"), frozenset({"CNY"})),
    **dict.fromkeys(("₹", "rupee", "rupees", "rs"), frozenset({"INR", "PKR"})),
    **dict.fromkeys(("₺", "lira", "liras", "tl"), frozenset({"TRY"})),
    **dict.fromkeys(("₦", "naira", "nairas"), frozenset({"NGN"})),
    **dict.fromkeys(("kr", "kronor", "krona", "kroner", "krone", "crowns"), _KRONOR),
    **dict.fromkeys(("dh", "dhs", "dirham", "dirhams"), frozenset({"MAD", "AED"})),
    **dict.fromkeys(("peso", "pesos"), _PESOS),
    **dict.fromkeys(("$", "dollar", "dollars", "buck", "bucks"), _DOLLARS),
    **dict.fromkeys(("us$", "u.s. dollars", "us dollars", "american dollars"), frozenset({"USD"})),
    **dict.fromkeys(("ca$", "c$", "canadian dollars"), frozenset({"CAD"})),
    **dict.fromkeys(("col$", "colombian pesos"), frozenset({"COP"})),
    **dict.fromkeys(("swedish kronor", "swedish krona"), frozenset({"SEK"})),
    **dict.fromkeys(("moroccan dirhams", "moroccan dirham"), frozenset({"MAD"})),
    **dict.fromkeys(("franc", "francs"), frozenset({"CHF"})),
    **dict.fromkeys(("a$",), frozenset({"AUD"})),
    **dict.fromkeys(("₩", "won"), frozenset({"KRW"})),
    **dict.fromkeys(("₽", "rubles", "roubles"), frozenset({"RUB"})),
    **dict.fromkeys(("₪",), frozenset({"ILS"})), **dict.fromkeys(("฿",), frozenset({"THB"})),
}  # fmt: skip

MINOR: Final[dict[str, frozenset[str]]] = {
    "kobo": frozenset({"NGN"}),
    **dict.fromkeys(("cent", "cents", "ct", "c", "¢"), _DOLLARS | {"EUR"}),
    **dict.fromkeys(("pence", "penny", "pennies", "p"), frozenset({"GBP"})),
    **dict.fromkeys(("öre", "ore", "øre"), _KRONOR),
    **dict.fromkeys(("paise", "paisa"), frozenset({"INR", "PKR"})),
    **dict.fromkeys(("kuruş", "kurus"), frozenset({"TRY"})),
    **dict.fromkeys(("centavo", "centavos"), _PESOS),
    **dict.fromkeys(("centime", "centimes"), frozenset({"MAD", "EUR", "CHF"})),
    "sen": frozenset({"JPY"}),
}
"""Hundredths of a currency."""

MINUTES: Final = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), Decimal(1) / 60),
    **dict.fromkeys(("minute", "minutes", "min", "mins", "mn", "m", "'"), Decimal(1)),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), Decimal(60)),
    **dict.fromkeys(("day", "days", "d"), Decimal(1440)),
    **dict.fromkeys(("week", "weeks", "wk", "wks"), Decimal(10080)),
}
"""Units of time -> minutes."""

MEASURES: Final[dict[str, tuple[str, tuple[Decimal, ...]]]] = {
    **dict.fromkeys(("%", "percent", "pct", "percentage"), ("percent", (Decimal(1),))),
    **dict.fromkeys(("mm", "millimetre", "millimetres", "millimeter", "millimeters"), ("length", (Decimal(1),))),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), ("length", (Decimal(10),))),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), ("length", (Decimal(1000),))),
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometers"), ("length", (Decimal(1_000_000),))),
    **dict.fromkeys(("inch", "inches"), ("length", (Decimal("25.4"),))),
    **dict.fromkeys(("mile", "miles"), ("length", (Decimal("1609344"),))),
    **dict.fromkeys(("byte", "bytes"), ("data", (Decimal(1),))),
    **dict.fromkeys(("kb", "kilobytes"), ("data", (Decimal(1000), Decimal(1024)))),
    "kib": ("data", (Decimal(1024),)), "mib": ("data", (Decimal(1024**2),)), "gib": ("data", (Decimal(1024**3),)),
    **dict.fromkeys(("mb", "megabytes"), ("data", (Decimal(1000**2), Decimal(1024**2)))),
    **dict.fromkeys(("gb", "gigabytes"), ("data", (Decimal(1000**3), Decimal(1024**3)))),
    "wh": ("energy", (Decimal(1),)), "kwh": ("energy", (Decimal(1000),)), "mwh": ("energy", (Decimal(1_000_000),)),
    **dict.fromkeys(("watt-hours",), ("energy", (Decimal(1),))),
    **dict.fromkeys(("kilowatt-hours", "kilowatt-hour"), ("energy", (Decimal(1000),))),
    **dict.fromkeys(("°c", "celsius", "centigrade", "c"), ("celsius", (Decimal(1),))),
    **dict.fromkeys(("°f", "fahrenheit", "f"), ("fahrenheit", (Decimal(1),))),
    **dict.fromkeys(("°", "degrees", "degree", "deg"), ("degrees", (Decimal(1),))),
    **dict.fromkeys(("px", "pixel", "pixels"), ("pixels", (Decimal(1),))),
    **dict.fromkeys(("dpi", "ppi"), ("density", (Decimal(1),))),
    "g": ("mass", (Decimal(1),)), "kg": ("mass", (Decimal(1000),)), "mg": ("mass", (Decimal("0.001"),)),
    **dict.fromkeys(("grams", "gram"), ("mass", (Decimal(1),))),
    **dict.fromkeys(("kilograms", "kilogram", "kilos"), ("mass", (Decimal(1000),))),
    **dict.fromkeys(("lb", "lbs"), ("mass", (Decimal("453.59237"),))),
    **dict.fromkeys(("month", "months"), ("months", (Decimal(1),))),
    **dict.fromkeys(("year", "years", "yr", "yrs"), ("months", (Decimal(12),))),
}  # fmt: skip
"""Other units -> dimension and factors; several factors if usage differs."""
