"""`fairground stats summary`: scores with intervals, per app, and every pair compared."""

from __future__ import annotations

from fairground.cli.output import Json, console, print_entry, print_json
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
_APP = 28  # maximum length of an app's name
_BEST = 12  # contenders with a column per app
_DUELS = 60  # listed pairs
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
    """Show scores with intervals, per app, and compare every pair.

    \b
    Examples:
      fairground stats runs/first
      fairground stats summary results.csv --rename model=agent
    """  # noqa: D301 (\b keeps line breaks)
    table = read(files, tables)
    with progress("statistics", quiet=json) as bar:
        result = summarise(
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
        print_json(plain(result))
        return
    print_standings(result, table)
    _print_apps(result)
    _print_duels(result)
    print_notes(
        [("", note) for note in result.notes if note not in table.notes]  # printed when the table was read
        + [(str(standing.contender), note) for standing in result.standings for note in standing.notes]
    )


def print_standings(summary: Summary, table: Table) -> None:
    """Prints the leaderboard, and the counts of episodes that it rests on."""
    print_entry(
        "",
        f"[bold]{label(summary.source, 200)}[/]  {counted(summary.episodes, 'episode')}: "
        + ", ".join(f"{number:,} {outcome}" for outcome, number in summary.outcomes.items() if number),
        indent=2,
    )
    rewarded = any(standing.reward for standing in summary.standings)
    with_errors = summary.outcomes[Outcome.ERRORED] > 0
    scores = grid(
        f"score: {summary.statistic} of the apps' success rates, with {100 * summary.level:.10g}% intervals",
        *("agent", ">score", ">0%" + " " * (_BAR - 6) + "100%"),
        *([">errors as failures"] if with_errors else []),
        *([">mean reward"] if rewarded else []),
    )
    basis = grid(
        "sample sizes", "agent", *(">apps", ">scenarios", ">configurations", ">scored", ">errored", ">invalid")
    )
    for standing in summary.standings:
        name, reward = (
            folded(standing.contender),
            [number_shown(standing.reward) if standing.reward else "-"] if rewarded else [],
        )
        strict = [shown(standing.score_errors_failed or standing.score)] if with_errors else []
        scores.add_row(name, shown(standing.score), _bar(standing.score), *strict, *reward)
        numbers = (len(standing.apps), standing.scenarios, standing.configurations, standing.episodes)
        basis.add_row(name, *(f"{number:,}" for number in (*numbers, *(standing.outcomes[kind] for kind in _UNSCORED))))
    for contender in summary.unscored:
        outcomes = table.outcomes(contender)
        scores.add_row(folded(contender), "none scored", "", *(["0%"] if outcomes[Outcome.ERRORED] else []))
        basis.add_row(folded(contender), *"0000", *(f"{outcomes[kind]:,}" for kind in _UNSCORED))
    show(scores)
    show(basis)


def _bar(interval: Interval) -> str:
    """Draws the interval on a line from 0 to 1."""
    low, mid, high = (
        min(_BAR - 1, max(0, round(value * (_BAR - 1)))) for value in (interval.low, interval.estimate, interval.high)
    )
    line = ["━" if low <= at <= high else "·" for at in range(_BAR)]
    line[mid] = "●"
    return "".join(line)


def _print_apps(summary: Summary) -> None:
    apps = sorted({app for standing in summary.standings for app in standing.apps})
    if len(apps) < 2:
        return
    best = summary.standings[:_BEST]
    for start in range(0, len(best), each := _abreast(summary)):
        abreast = best[start : start + each]
        title = "each app, in percent" if start == 0 else "each app, in percent, continued"
        table = grid(title, "app", *(f">{_heading(standing.contender)}" for standing in abreast))
        for app in apps:
            table.add_row(
                label(app, _APP),
                *(compact(standing.apps[app]) if app in standing.apps else "-" for standing in abreast),
            )
        show(table)
    if len(summary.standings) > _BEST:
        console.print(f"[dim]and {counted(len(summary.standings) - _BEST, 'agent')} more: --json has all[/]")


def _abreast(summary: Summary) -> int:
    """Returns how many columns of contenders fit the terminal."""
    longest = max(len(line) for standing in summary.standings for line in _heading(standing.contender).split("\n"))
    names = max(len(label(app, _APP)) for standing in summary.standings for app in standing.apps)
    return max(1, (console.width - names) // (max(longest, len("100 [100, 100]")) + 2))


def _heading(contender: Contender) -> str:
    """Returns the name with the condition on a second line."""
    return label(contender, 28).replace(" \\[", "\n\\[")


def _print_duels(summary: Summary) -> None:
    if not summary.duels:
        return
    title = "differences in percentage points, paired where both were run; p after Holm's correction"
    table = grid(title, "agent", "", "agent", ">difference", ">p")
    for duel in summary.duels[:_DUELS]:
        a, b = duel.comparison.a, duel.comparison.b
        verdict = "[dim]undecided[/]"
        if duel.better is not None:
            verdict = "[green]better than[/]" if duel.better == a else "[red]worse than[/]"
        table.add_row(folded(a), verdict, folded(b), points(duel.comparison.difference), p_shown(duel.adjusted))
    show(table)
    if len(summary.duels) > _DUELS:
        console.print(
            f"[dim]and {counted(len(summary.duels) - _DUELS, 'pair')} more: --json has all[/]", highlight=False
        )
