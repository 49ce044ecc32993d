"""Results as text: numbers with intervals, and sentences about who is better than whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from fairground.report.html import Child, Html, join, tag
from fairground.report.plots.scale import plainly, points, rounded
from fairground.report.plots.svg import printable
from fairground.report.plural import counted as counted
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
    """Format as `62.5%`."""
    return f"{rounded(value * 100)}%"


def rate_range(found: Interval) -> str:
    """Format as `62.5 [57.1, 67.9]`, in percent."""
    return f"{rounded(found.estimate * 100)} {ends(found, 100)}"


def reward_range(found: Interval | None) -> str:
    """Format as `0.63 [0.57, 0.68]`, or `none` without rewards."""
    return "none" if found is None else f"{rounded(found.estimate, 2)} {ends(found, 1, 2)}"


def how_intervals_are_made(summary: Summary) -> str:
    """Explain the interval of a score: what it covers, and how it is computed."""
    widest = max(summary.standings, key=lambda standing: standing.scenarios)
    if summary.scheme == "prism":
        alone = " There is only one scenario, so the interval says nothing about other scenarios."
        return (
            "The interval comes from a nested bootstrap that resamples scenarios, axes and rollouts and keeps the "
            "apps fixed (scheme prism). Simulations show that its coverage is too low in small suites."
        ) + (alone if widest.scenarios == 1 else "")
    if widest.scenarios == 1:
        return _of_one_scenario(widest)
    if widest.scenarios == len(widest.apps):
        return (
            "Every app has only one scenario, so the data do not show how scenarios of an app differ. The interval "
            "treats the apps as the sample: it also includes how apps differ, and may be too wide. It is Wilson's "
            "interval for the number of independent trials with the same variance, with Student's t for few apps."
        )
    return (
        "The interval contains the scores, with other scenarios of these apps, that are compatible with the results. "
        "The scenarios are the sample; the variation of configurations and rollouts is part of each scenario's rate. "
        "It is Wilson's interval for the number of independent trials with the same variance, with Student's t for "
        "few scenarios."
    )


def _of_one_scenario(standing: Standing) -> str:
    if standing.configurations == 1:
        covers, sample = "this configuration again", "its rollouts as independent trials"
    else:
        covers, sample = "other configurations of this scenario", "its configurations as the sample"
    return (
        f"There is only one scenario. The interval contains the success rates, with {covers}, that are compatible "
        f"with the results: it treats {sample}. One scenario does "
        "not show how scenarios differ, so the interval says nothing about other scenarios of the app. "
        "Run more scenarios for that. It is Wilson's interval"
        + ("." if standing.configurations == 1 else ", with Student's t for few configurations.")
    )


def what_scores_do_not_say(summary: Summary) -> str:
    """Return what not to conclude from the leaderboard."""
    one = all(standing.scenarios == 1 for standing in summary.standings)
    if one:
        beyond = "other scenarios or apps: only one scenario was run."
    elif all(standing.scenarios == len(standing.apps) for standing in summary.standings):
        beyond = "other apps: the apps here were chosen, not drawn at random."
    else:
        beyond = "other apps: the apps here are taken as fixed."
    if len(summary.standings) == 1:
        return f"That the score holds for {beyond}"
    return (
        "That two contenders are equal because their intervals overlap, or that one is better because it is listed "
        f"higher: they are compared pair by pair below. That the order holds for {beyond}"
    )


def ends(found: Interval, times: float = 1, digits: int = 1) -> str:
    """Format as `[57.1, 67.9]`."""
    return f"[{rounded(found.low * times, digits)}, {rounded(found.high * times, digits)}]"


def point_range(found: Interval) -> str:
    """Format as `+4.2 [-1.0, +9.4]`, in percentage points, with true minus signs."""
    return f"{_one(found.estimate)} [{_one(found.low)}, {_one(found.high)}]"


def plain_range(found: Interval) -> str:
    """Format as `1.23 [1.11, 1.36]`, in any unit."""
    return f"{plainly(found.estimate)} [{plainly(found.low)}, {plainly(found.high)}]"


def chance(p: float) -> str:
    """Format a p-value as `p = 0.012` or `p < 0.001`."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def who(name: object) -> Html:
    """Render a name within a sentence: shortened if it is long, with the full name as a tooltip."""
    full = printable(str(name)) or "(no name)"
    short = full if len(full) <= SHORT else f"{full[: SHORT - 1].rstrip()}…"
    return tag("bdi", short, class_="name", title=full if short != full else None)


def listed(names: Sequence[object], last: str = "and") -> Html:
    """Join names with commas."""
    pieces: list[Child] = []
    for place, name in enumerate(names):
        if place:
            pieces.append(f" {last} " if last and place == len(names) - 1 else ", ")
        pieces.append(who(name))
    return join(pieces)


def attributed(notes: Iterable[tuple[object, str]], everyone: int, most: int = 6) -> tuple[Html, ...]:
    """Return each note once, with the names it applies to unless it applies to all."""
    by_note: dict[str, list[object]] = {}
    for name, note in notes:
        if name not in by_note.setdefault(note, []):
            by_note[note].append(name)
    texts = []
    for note, names in by_note.items():
        about = listed(names[:4], "" if names[4:] else "and"), _more(len(names) - 4), ": "
        texts.append(join((None if len(names) == everyone else about, note)))
    return tuple(texts[:most])


def statistic_in_words(name: str) -> str:
    """Return the definition of the score."""
    return STATISTICS.get(name, f"{printable(name)} of the apps' success rates")


def verdict(summary: Summary) -> list[Html]:
    """Say who leads, and which differences are significant."""
    best = summary.standings[0]
    if len(summary.standings) == 1:
        alone = f" scores {_scored(best)}. There is no other contender to compare it with."
        return [tag("p", who(best.contender), alone)]
    pairs = _against(summary, best.contender)
    open_ = [rival for rival, duel in pairs if duel.better is None]
    beaten = [rival for rival, duel in pairs if duel.better == best.contender]
    ahead = [rival for rival, duel in pairs if duel.better not in (None, best.contender)]
    name = who(best.contender)
    if len(beaten) == len(summary.standings) - 1:
        paragraphs = [tag("p", name, f" leads with {_scored(best)}, and is better than every other contender.")]
    elif ahead:
        paragraphs = [
            tag("p", name, f" has the highest score, {_scored(best)}. However, on the tasks that both ran, ",
                listed(ahead), " did better.")
        ]  # fmt: skip
    elif open_:
        paragraphs = [
            tag("p", name, f" has the highest score, {_scored(best)}, but the lead is not significant: the data do "
                           "not distinguish it from "
                           "", listed(open_[:4], "or" if len(open_) <= 4 else ""), _more(len(open_) - 4), ".")
        ]  # fmt: skip
    else:
        paragraphs = [tag("p", name, f" has the highest score, {_scored(best)}. Not every pair could be compared.")]
    if open_ and beaten and decided_list(summary) is None:  # the list says so too, for all contenders
        paragraphs.append(tag("p", "It is better than ", listed(beaten[:6]), _more(len(beaten) - 6), "."))
    if summary.duels:
        clear, every = sum(duel.better is not None for duel in summary.duels), len(summary.duels)
        paragraphs.append(
            tag("p", (f"{clear} of {every} differences between two contenders {'is' if clear == 1 else 'are'}"
                      if every > 1 else f"The difference between the two contenders is{'' if clear else ' not'}")
                     + f" significant at {1 - summary.level:.0%} after Holm's "
                     "correction."
                + (f" {'The others are' if every > 1 else 'It is'} open: the data show neither a difference nor "
                   "equality." if clear < every else ""), class_="small")
        )  # fmt: skip
    return paragraphs


def decided_list(summary: Summary) -> Html | None:
    """Render for each contender which others it beats, and which pairs are open; for few contenders."""
    if not 3 <= len(summary.standings) <= 6:
        return None
    items: list[Html] = []
    for standing in summary.standings:
        beaten = [rival for rival, duel in _against(summary, standing.contender) if duel.better == standing.contender]
        if beaten:
            text = tag("span", who(standing.contender), " is better than ", listed(beaten))
            items.append(tag("li", tag("span", "significant", class_="pill yes"), text))
    for duel in summary.duels:
        if duel.better is None:
            comparison = duel.comparison
            text = tag(
                "span",
                who(comparison.a),
                " and ",
                who(comparison.b),
                f" differ by {point_range(comparison.difference)} points",
            )
            items.append(tag("li", tag("span", "open", class_="pill no"), text))
    return tag("ul", items)


def rank_range(summary: Summary, standing: Standing) -> tuple[int, int]:
    """Return the best and worst rank that are compatible with the significant differences."""
    winners = [duel.better for _, duel in _against(summary, standing.contender)]
    lost = sum(winner not in (None, standing.contender) for winner in winners)
    won = sum(winner == standing.contender for winner in winners)
    return 1 + lost, len(summary.standings) - won


def _against(summary: Summary, contender: Contender) -> list[tuple[Contender, Duel]]:
    """Return the contenders that it was compared with, each with the comparison."""
    pairs = []
    for duel in summary.duels:
        pair = (duel.comparison.a, duel.comparison.b)
        if contender in pair:
            pairs.append((pair[pair[0] == contender], duel))
    return pairs


def _scored(standing: Standing) -> str:
    score = standing.score
    return f"{rate(score.estimate)} [{rounded(score.low * 100)}, {rounded(score.high * 100)}]"


def _more(number: int) -> str | None:
    return f" and {number} more" if number > 0 else None


def _one(value: float) -> str:
    text = points(round(value, 3))
    return text if "." in text or text == "0" else f"{text}.0"
