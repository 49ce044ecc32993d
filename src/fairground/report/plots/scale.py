"""Linear and logarithmic scales, round ticks and number formatting."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Write = Callable[[float], str]


@dataclass(frozen=True)
class Scale:
    """A mapping from numbers to pixels, with ticks.

    Attributes:
        low: The smallest number shown.
        high: The largest number shown.
        start: Pixel of the smallest number.
        end: Pixel of the largest number.
        ticks: Round numbers in between.
        log: Whether the scale is logarithmic.
    """

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the pixel of a number. Numbers outside, including infinite ones, are clamped to the edge."""
        clamped = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(clamped / self.low) / math.log(self.high / self.low)
        else:
            share = (clamped - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def holds(self, value: float) -> bool:
        """Whether a number is within the scale, up to rounding."""
        slack = (self.high - self.low) * 1e-9
        return self.low - slack <= value <= self.high + slack


def around(
    values: Iterable[float],
    start: float,
    end: float,
    *,
    floor: float = -math.inf,
    ceiling: float = math.inf,
    include: Iterable[float] = (),
    count: int = 5,
) -> Scale:
    """Return a linear scale with round ends around the finite values, between floor and ceiling."""
    finite = [value for value in (*values, *include) if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    if high - low < 1e-12 * max(1.0, abs(high)):
        pad = 0.05 * max(abs(high), 1.0)
        low, high = low - pad, high + pad
    low, high = max(low, floor), min(high, ceiling)
    if high <= low:  # all values are at the floor or at the ceiling
        low, high = (low, low + 1.0) if low == floor else (high - 1.0, high)
    step = nice_step((high - low) / count)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    first = max(first, math.ceil(floor / step - 1e-9)) if math.isfinite(floor) else first
    last = min(last, math.floor(ceiling / step + 1e-9)) if math.isfinite(ceiling) else last
    if last <= first:
        last = first + 1
    ticks = tuple(round(index * step, 12) for index in range(first, last + 1))
    return Scale(min(ticks[0], low), max(ticks[-1], high), start, end, ticks)


def whole(start: float, end: float, *, ticks: int = 5) -> Scale:
    """Return the scale of shares, always from 0 to 1, so that figures of rates can be compared at a glance."""
    return Scale(0.0, 1.0, start, end, tuple(index / ticks for index in range(ticks + 1)))


def logarithmic(values: Iterable[float], start: float, end: float) -> Scale:
    """Return a logarithmic scale around the positive finite values."""
    positive = [value for value in values if math.isfinite(value) and value > 0] or [1.0]
    low, high = min(positive) / 1.15, max(positive) * 1.15
    ticks: tuple[float, ...] = ()
    for parts in ((1, 2, 5), (1, 3), (1,)):
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = tuple(part * 10.0**decade for decade in decades for part in parts)
        ticks = tuple(tick for tick in ticks if low <= tick <= high)
        if len(ticks) <= 7:
            break
    return Scale(low, high, start, end, ticks, log=True)


def nice_step(rough: float) -> float:
    """Return the smallest round number (1, 2, 2.5 or 5 times a power of ten) that is at least the given one."""
    size = 10.0 ** math.floor(math.log10(rough))
    return next(part * size for part in (1, 2, 2.5, 5, 10) if part * size >= rough * (1 - 1e-9))


def percent(value: float) -> str:
    """Format a share as a tick: `40%`, `2.5%`."""
    return f"{value * 100:.1f}".removesuffix(".0") + "%"


def points(value: float) -> str:
    """Format a difference of shares in percentage points with its sign: `+10`, `-2.5` (a true minus)."""
    return signed(value * 100)


def signed(value: float) -> str:
    """Format a number with its sign, and a true minus."""
    text = f"{value:+.1f}".removesuffix(".0").replace("-", "\N{MINUS SIGN}")
    return "0" if text.strip("+\N{MINUS SIGN}") == "0" else text


def plainly(value: float) -> str:
    """Format any number with about three digits: `0.0123`, `1.23`, `123`, `12,300`."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "\N{MINUS SIGN}∞"
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{min(digits, 6)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "\N{MINUS SIGN}")


def rounded(value: float, digits: int = 1) -> str:
    """Format a number with this many decimals, and a true minus."""
    if not math.isfinite(value):
        return plainly(value)
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text.replace("-", "\N{MINUS SIGN}")
