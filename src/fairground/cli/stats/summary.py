"""`fairground stats FILE`: scores with intervals, and who is better than whom."""

from __future__ import annotations

from rich.markup import escape

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import (
    Design,
    Files,
    Level,
    Method,
    RandomSeed,
    Rename,
    Resamples,
    Statistic,
    SuccessAt,
    Where,
    compact,
    grid,
    p_shown,
    percent,
    print_notes,
    progress,
    read,
    show,
    shown,
)
from fairground.core import Outcome
from fairground.stats import Contender, Interval, Summary, plain, summarise

_BAR = 24


def summary(
    files: Files,
    rename: Rename = None,
    success_at: SuccessAt = None,
    where: Where = None,
    statistic: Statistic = "mean",
    level: Level = 0.95,
    resamples: Resamples = 2000,
    method: Method = "percentile",
    design: Design = "auto",
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Scores with hierarchical bootstrap intervals, per app, and every pair compared."""
    table = read(files, rename, success_at, where)
    with progress("bootstrap", quiet=json) as bar:
        found = summarise(
            table,
            seed=seed,
            statistic=statistic,
            level=level,
            resamples=resamples,
            method=method,  # type: ignore[arg-type]  # checked there
            design=design,  # type: ignore[arg-type]
            depth="scores",
            progress=lambda _, done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )
    if json:
        print_json(plain(found))
        return
    _print_standings(found)
    _print_apps(found)
    _print_duels(found)
    print_notes(
        [("", note) for note in found.notes]
        + [(str(one.contender), note) for one in found.standings for note in one.notes]
    )


def _print_standings(found: Summary) -> None:
    console.print(
        f"[bold]{escape(found.source)}[/]  {found.episodes:,} episodes: "
        + ", ".join(f"{number:,} {outcome}" for outcome, number in found.outcomes.items() if number),
        highlight=False,
    )
    scores = grid(
        f"score: {found.statistic} of the apps' success rates, with {percent(found.level, 0)} intervals",
        *("agent", ">score", ">0%" + " " * (_BAR - 6) + "100%", ">coin flips"),
    )
    basis = grid(
        "what it rests on", "agent", *(">apps", ">scenarios", ">configurations", ">scored", ">errored", ">invalid")
    )
    for one in found.standings:
        name = escape(str(one.contender))
        scores.add_row(name, shown(one.score), _bar(one.score), f"[dim]±{50 * one.coin_flip.width:.1f}[/]")
        numbers = (len(one.apps), one.scenarios, one.configurations, one.episodes)
        unscored = (one.outcomes[Outcome.ERRORED], one.outcomes[Outcome.INVALID])
        basis.add_row(name, *(f"{number:,}" for number in (*numbers, *unscored)))
    for contender in found.unscored:
        scores.add_row(escape(str(contender)), "none scored")
    show(scores)
    show(basis)


def _bar(interval: Interval) -> str:
    """The interval on a line from 0 to 1."""
    low, mid, high = (
        min(_BAR - 1, max(0, round(value * (_BAR - 1)))) for value in (interval.low, interval.estimate, interval.high)
    )
    line = ["━" if low <= at <= high else "·" for at in range(_BAR)]
    line[mid] = "●"
    return "".join(line)


def _print_apps(found: Summary) -> None:
    apps = sorted({app for one in found.standings for app in one.apps})
    if len(apps) < 2:
        return
    made = grid("each app, in percent", "app", *(f">{_folded(one.contender)}" for one in found.standings))
    for app in apps:
        made.add_row(escape(app), *(compact(one.apps[app]) if app in one.apps else "-" for one in found.standings))
    show(made)


def _folded(contender: Contender) -> str:
    """Its name, with the condition on a line of its own."""
    return escape(str(contender)).replace(" \\[", "\n\\[")


def _print_duels(found: Summary) -> None:
    if not found.duels:
        return
    title = "differences, paired where both were run; p after Holm's correction"
    made = grid(title, "", "against", ">difference", ">p", "better")
    for duel in found.duels:
        made.add_row(
            escape(str(duel.comparison.a)),
            escape(str(duel.comparison.b)),
            shown(duel.comparison.difference, signed=True),
            p_shown(duel.adjusted),
            f"[green]{escape(str(duel.better))}[/]" if duel.better else "[dim]not decided[/]",
        )
    show(made)
