"""`fairground stats FILE`: scores with intervals, and who is better than whom."""

from __future__ import annotations

from fairground.cli.output import Json, console, print_json
from fairground.cli.stats.options import (
    AS_IS,
    Design,
    Files,
    Level,
    Method,
    RandomSeed,
    Resamples,
    Scheme,
    Statistic,
    TableOptions,
    compact,
    counted,
    folded,
    grid,
    label,
    number_shown,
    p_shown,
    points,
    print_notes,
    progress,
    read,
    show,
    shown,
    takes_tables,
)
from fairground.core import Outcome
from fairground.stats import Contender, Interval, Summary, Table, plain, summarise

_BAR = 20
_APP = 28  # letters of an app's name
_BEST = 12  # contenders whose apps are listed
_DUELS = 60  # pairs that are listed
_UNSCORED = (Outcome.ERRORED, Outcome.INVALID)


@takes_tables
def summary(
    files: Files,
    tables: TableOptions = AS_IS,
    statistic: Statistic = "mean",
    level: Level = 0.95,
    scheme: Scheme = "clusters",
    resamples: Resamples = 2000,
    method: Method = "percentile",
    design: Design = "auto",
    seed: RandomSeed = 0,
    json: Json = False,
) -> None:
    """Scores with intervals, per app, and every pair compared."""
    table = read(files, tables)
    with progress("statistics", quiet=json) as bar:
        found = summarise(
            table,
            seed=seed,
            statistic=statistic,
            level=level,
            resamples=resamples,
            scheme=scheme,  # type: ignore[arg-type]  # checked there
            method=method,  # type: ignore[arg-type]
            design=design,  # type: ignore[arg-type]
            depth="scores",
            progress=lambda _, done, all_: bar.update(bar.task_ids[0], completed=done, total=all_),
        )
    if json:
        print_json(plain(found))
        return
    print_standings(found, table)
    _print_apps(found)
    _print_duels(found)
    print_notes(
        [("", note) for note in found.notes if note not in table.notes]  # which were said when it was read
        + [(str(one.contender), note) for one in found.standings for note in one.notes]
    )


def print_standings(found: Summary, table: Table) -> None:
    """The leaderboard."""
    console.print(
        f"[bold]{label(found.source, 200)}[/]  {counted(found.episodes, 'episode')}: "
        + ", ".join(f"{number:,} {outcome}" for outcome, number in found.outcomes.items() if number),
        highlight=False,
    )
    rewarded = any(one.reward for one in found.standings)
    broke = found.outcomes[Outcome.ERRORED] > 0
    scores = grid(
        f"score: {found.statistic} of the apps' success rates, with {100 * found.level:.10g}% intervals",
        *("agent", ">score", ">0%" + " " * (_BAR - 6) + "100%"),
        *([">errors as failures"] if broke else []),
        *([">mean reward"] if rewarded else []),
    )
    basis = grid(
        "what it rests on", "agent", *(">apps", ">scenarios", ">configurations", ">scored", ">errored", ">invalid")
    )
    for one in found.standings:
        name, reward = folded(one.contender), [number_shown(one.reward) if one.reward else "-"] if rewarded else []
        strict = [shown(one.score_errors_failed or one.score)] if broke else []
        scores.add_row(name, shown(one.score), _bar(one.score), *strict, *reward)
        numbers = (len(one.apps), one.scenarios, one.configurations, one.episodes)
        basis.add_row(name, *(f"{number:,}" for number in (*numbers, *(one.outcomes[kind] for kind in _UNSCORED))))
    for contender in found.unscored:
        outcomes = table.outcomes(contender)
        scores.add_row(folded(contender), "none scored", "", *(["0%"] if outcomes[Outcome.ERRORED] else []))
        basis.add_row(folded(contender), *"0000", *(f"{outcomes[kind]:,}" for kind in _UNSCORED))
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
    best = found.standings[:_BEST]
    for start in range(0, len(best), each := _abreast(found)):
        some = best[start : start + each]
        title = "each app, in percent" if start == 0 else "each app, in percent, continued"
        made = grid(title, "app", *(f">{_heading(one.contender)}" for one in some))
        for app in apps:
            made.add_row(label(app, _APP), *(compact(one.apps[app]) if app in one.apps else "-" for one in some))
        show(made)
    if len(found.standings) > _BEST:
        console.print(f"[dim]and {counted(len(found.standings) - _BEST, 'agent')} more: --json has all[/]")


def _abreast(found: Summary) -> int:
    """How many contenders fit beside each other."""
    longest = max(len(line) for one in found.standings for line in _heading(one.contender).split("\n"))
    names = max(len(label(app, _APP)) for one in found.standings for app in one.apps)
    return max(1, (console.width - names) // (max(longest, len("100 [100, 100]")) + 2))


def _heading(contender: Contender) -> str:
    """Its name, with the condition on a line of its own."""
    return label(contender, 28).replace(" \\[", "\n\\[")


def _print_duels(found: Summary) -> None:
    if not found.duels:
        return
    title = "differences in percentage points, paired where both were run; p after Holm's correction"
    made = grid(title, "agent", "", "agent", ">difference", ">p")
    for duel in found.duels[:_DUELS]:
        one, other = duel.comparison.a, duel.comparison.b
        verdict = "[dim]undecided[/]"
        if duel.better is not None:
            verdict = "[green]better than[/]" if duel.better == one else "[red]worse than[/]"
        made.add_row(folded(one), verdict, folded(other), points(duel.comparison.difference), p_shown(duel.adjusted))
    show(made)
    if len(found.duels) > _DUELS:
        console.print(f"[dim]and {counted(len(found.duels) - _DUELS, 'pair')} more: --json has all[/]", highlight=False)
