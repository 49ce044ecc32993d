"""Results in words: numbers with their intervals, and who is better than whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fairground.report.html import Child, Html, join, tag
from fairground.report.plots.scale import plainly, points, rounded
from fairground.report.plots.svg import printable
from fairground.stats.interval import Interval

if TYPE_CHECKING:
    from fairground.stats.summary import Duel, Standing, Summary
    from fairground.stats.tables.table import Contender

STATISTICS = {
    "mean": "the mean of the apps' success rates",
    "median": "the median of the apps' success rates",
    "trimmed-mean": "the trimmed mean of the apps' success rates",
    "iqm": "the interquartile mean of the apps' success rates",
}
SHORT = 60


def rate(value: float) -> str:
    """`62.5%`."""
    return f"{rounded(value * 100)}%"


def rate_range(found: Interval) -> str:
    """`62.5 [57.1, 67.9]`, in percent."""
    return f"{rounded(found.estimate * 100)} {ends(found, 100)}"


def reward_range(found: Interval | None) -> str:
    """`0.63 [0.57, 0.68]`, or `none` where there are no rewards."""
    return "none" if found is None else f"{rounded(found.estimate, 2)} {ends(found, 1, 2)}"


def how_intervals_are_made(scheme: str) -> str:
    """The interval of a score, explained in two sentences."""
    if scheme == "prism":
        return (
            "The interval comes from a nested bootstrap that draws scenarios, axes and rollouts again and keeps the "
            "apps (scheme prism). Simulations show that it does not hold its level in small suites."
        )
    return (
        "The interval says where the score would lie with other scenarios of these apps: scenarios are the sample, and "
        "what configurations and rollouts add is part of each scenario's rate. It is Wilson's interval for the number "
        "of independent trials that would vary as much, with Student's t for few scenarios."
    )


def ends(found: Interval, times: float = 1, digits: int = 1) -> str:
    """`[57.1, 67.9]`."""
    return f"[{rounded(found.low * times, digits)}, {rounded(found.high * times, digits)}]"


def point_range(found: Interval) -> str:
    """`+4.2 [-1.0, +9.4]`, in percentage points, with true minus signs."""
    return f"{_one(found.estimate)} [{_one(found.low)}, {_one(found.high)}]"


def plain_range(found: Interval) -> str:
    """`1.23 [1.11, 1.36]`, in whatever unit."""
    return f"{plainly(found.estimate)} [{plainly(found.low)}, {plainly(found.high)}]"


def chance(p: float) -> str:
    """`p = 0.012`, `p < 0.001`."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def who(name: object) -> Html:
    """A name as part of a sentence: cut when it is long, with all of it for a reader who points at it."""
    full = printable(str(name)) or "(no name)"
    short = full if len(full) <= SHORT else f"{full[: SHORT - 1].rstrip()}…"
    return tag("bdi", short, class_="name", title=full if short != full else None)


def listed(names: Sequence[object], last: str = "and") -> Html:
    """Names with commas between them."""
    pieces: list[Child] = []
    for place, name in enumerate(names):
        if place:
            pieces.append(f" {last} " if last and place == len(names) - 1 else ", ")
        pieces.append(who(name))
    return join(pieces)


def attributed(notes: Iterable[tuple[object, str]], everyone: int, most: int = 6) -> tuple[Html, ...]:
    """Notes, each once, with the names of those that it is about unless it is about everyone."""
    told: dict[str, list[object]] = {}
    for name, note in notes:
        if name not in told.setdefault(note, []):
            told[note].append(name)
    found = []
    for note, names in told.items():
        about = listed(names[:4], "" if names[4:] else "and"), _more(len(names) - 4), ": "
        found.append(join((None if len(names) == everyone else about, note)))
    return tuple(found[:most])


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 episode`, `1,234 episodes`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def statistic_in_words(name: str) -> str:
    """What the score is."""
    return STATISTICS.get(name, f"{printable(name)} of the apps' success rates")


def verdict(summary: Summary) -> list[Html]:
    """Who leads, which differences are decided, and which are not."""
    best = summary.standings[0]
    if len(summary.standings) == 1:
        alone = f" scores {_scored(best)}. There is no other contender to compare it with."
        return [tag("p", who(best.contender), alone)]
    pairs = _against(summary, best.contender)
    open_ = [other for other, duel in pairs if duel.better is None]
    beaten = [other for other, duel in pairs if duel.better == best.contender]
    ahead = [other for other, duel in pairs if duel.better not in (None, best.contender)]
    name = who(best.contender)
    if len(beaten) == len(summary.standings) - 1:
        said = [tag("p", name, f" leads with {_scored(best)}, and is better than every other contender.")]
    elif ahead:
        said = [
            tag("p", name, f" has the highest score, {_scored(best)}. On what both were run on, though, ",
                listed(ahead), " did better.")
        ]  # fmt: skip
    elif open_:
        said = [
            tag("p", name, f" has the highest score, {_scored(best)}, but the lead is not decided: these data cannot "
                "tell it from ", listed(open_[:4], "or" if len(open_) <= 4 else ""), _more(len(open_) - 4), ".")
        ]  # fmt: skip
    else:
        said = [tag("p", name, f" has the highest score, {_scored(best)}. Not every pair could be compared.")]
    if open_ and beaten and decided_list(summary) is None:  # the list says it too, and for everybody
        said.append(tag("p", "It is better than ", listed(beaten[:6]), _more(len(beaten) - 6), "."))
    if summary.duels:
        clear, every = sum(duel.better is not None for duel in summary.duels), len(summary.duels)
        said.append(
            tag("p", f"{clear} of {counted(every, 'difference')} between two contenders "
                f"{'is' if clear == 1 else 'are'} decided at {1 - summary.level:.0%} after Holm's adjustment."
                + (" The others are open, which is not the same as equal." if clear < every else ""), class_="small")
        )  # fmt: skip
    return said


def decided_list(summary: Summary) -> Html | None:
    """For each contender, whom it is known to beat, and which pairs are open; for a handful of contenders."""
    if not 3 <= len(summary.standings) <= 6:
        return None
    items: list[Html] = []
    for standing in summary.standings:
        beaten = [other for other, duel in _against(summary, standing.contender) if duel.better == standing.contender]
        if beaten:
            told = tag("span", who(standing.contender), " is better than ", listed(beaten))
            items.append(tag("li", tag("span", "decided", class_="pill yes"), told))
    for duel in summary.duels:
        if duel.better is None:
            one = duel.comparison
            told = tag("span", who(one.a), " and ", who(one.b), f" differ by {point_range(one.difference)} points")
            items.append(tag("li", tag("span", "open", class_="pill no"), told))
    return tag("ul", items)


def rank_range(summary: Summary, standing: Standing) -> tuple[int, int]:
    """The best and the worst rank that the decided differences leave open."""
    winners = [duel.better for _, duel in _against(summary, standing.contender)]
    lost = sum(winner not in (None, standing.contender) for winner in winners)
    won = sum(winner == standing.contender for winner in winners)
    return 1 + lost, len(summary.standings) - won


def _against(summary: Summary, contender: Contender) -> list[tuple[Contender, Duel]]:
    """The others that it was compared with, each with the comparison."""
    found = []
    for duel in summary.duels:
        pair = (duel.comparison.a, duel.comparison.b)
        if contender in pair:
            found.append((pair[pair[0] == contender], duel))
    return found


def _scored(standing: Standing) -> str:
    score = standing.score
    return f"{rate(score.estimate)} [{rounded(score.low * 100)}, {rounded(score.high * 100)}]"


def _more(number: int) -> str | None:
    return f" and {number} more" if number > 0 else None


def _one(value: float) -> str:
    said = points(round(value, 3))
    return said if "." in said or said == "0" else f"{said}.0"
