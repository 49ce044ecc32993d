"""What the leaderboard's page shows of a count: figures, each with its table, and what they do not say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode

from fairground.arena import FEWEST
from fairground.arena.filters import REASONS
from fairground.report.html import Child, Html, tag
from fairground.report.plots import Figure
from fairground.report.statistics_votes import win_rate_figure
from fairground.report.statistics_words import counted, listed, rate, rate_range, who
from fairground.stats import Agreement, Interval, Ranking
from fairground.web.arena.leaderboard_count import Count, View
from fairground.web.arena.leaderboard_figures import (
    general_figure,
    group_figure,
    judged_figure,
    predicted_spans,
    ratings_figure,
    style_figure,
)
from fairground.web.arena.leaderboard_order import noise_table, order_sentences, pair_tables
from fairground.web.arena.leaderboard_words import (
    AGREEMENT,
    GENERAL,
    GROUPS,
    JUDGED,
    NO_AGREEMENT,
    OBSERVED,
    ORDER,
    PREDICTED,
    RATINGS,
    STYLES,
    WAITING,
    Words,
)
from fairground.web.shell import empty, fact, pill, table

_MOST_DRAWN: Final = 60  # agents; with more, a matrix cannot be read
_MOST_PAIRS: Final = 20  # agents; with more, a table of pairs is no help to anybody


def board(count: Count) -> Html:
    """All of it below the heading."""
    return tag("div", _tabs(count), _facts(count), _sections(count), class_="board")


def address(view: View) -> str:
    """Where a view is found."""
    return f"/leaderboard?{urlencode({view.kind: view.name})}" if view.kind else "/leaderboard"


def stale_note() -> Html:
    """What is said while newer votes are being counted."""
    return tag("p", "Newer votes are being counted. Load the page again in a moment to see them.", class_="note")


def _sections(count: Count) -> list[Child]:
    found = count.standings
    if not found.votes:
        return [_nothing(count), _left_out(count)]
    return [
        _ranking(count) if found.ranking is not None else _unranked(found.why),
        _order_tests(count),
        _judged(count),
        _win_rates(count),
        _groups(count, "category", "Category by category"),
        _groups(count, "platform", "Platform by platform"),
        _general(count),
        _styles(count),
        _agreement(count),
        _left_out(count),
    ]


def _tabs(count: Count) -> Html:
    def link(view: View, name: str) -> Html:
        return tag("a", tag("bdi", name), href=address(view), aria_current="page" if view == count.view else None)

    rows: list[Child] = [tag("nav", link(View(), "All votes"), class_="tabs", aria_label="Votes")]
    for kind, plural, names in (
        ("category", "Categories", count.categories),
        ("platform", "Platforms", count.platforms),
    ):
        if len(names) > 1 or count.view.kind == kind:
            links = [link(View(kind, name), name) for name in names]
            rows.append(tag("nav", tag("span", plural, class_="muted small"), links, class_="tabs", aria_label=plural))
    return tag("div", rows, class_="views")


def _facts(count: Count) -> Html:
    found = count.standings
    left_out = sum(found.left_out.values())
    agents = len(found.observed.agents) if found.observed is not None else 0
    at = datetime.fromtimestamp(count.at, UTC)
    return tag(
        "dl",
        fact("Votes that count", f"{found.votes:,}"),
        fact("Agents", f"{agents:,}"),
        fact("Left out", f"{left_out:,}") if left_out else None,
        fact("Waiting", f"{count.waiting:,}") if count.waiting else None,
        fact("Counted", tag("time", f"{at:%d %b %Y, %H:%M} UTC", datetime=at.isoformat(timespec="seconds"))),
        class_="facts",
    )


def _nothing(count: Count) -> Html:
    if count.waiting:
        return empty(
            "No vote can be shown yet",
            f"{counted(count.waiting, 'vote')} will count when nobody can judge those battles any more.",
        )
    return empty(
        "Nobody has voted yet",
        "The ranking comes from what people say of two agents with the same task in the ",
        tag("a", "arena", href="/arena"),
        ".",
    )


def _unranked(why: str) -> Html:
    return tag(
        "section",
        tag("h2", "No ranking yet"),
        tag("p", f"{why[:1].upper()}{why[1:]}."),
        tag("p", "More votes will do: the arena prefers pairs that have seldom met.", class_="muted"),
        class_="card",
    )


def _ranking(count: Count) -> Html:
    found, ranking = count.standings, count.standings.ranking
    assert ranking is not None
    rows = []
    for one in ranking.agents:
        correct, verified = found.correct.get(one.agent), found.verified.get(one.agent)
        rows.append(
            (
                str(one.rank),
                (who(one.agent), _retired(count, one.agent)),
                tag(
                    "span",
                    f"{one.rating.estimate:.0f} ",
                    tag("small", f"[{one.rating.low:.0f}, {one.rating.high:.0f}]"),
                ),
                _span(one.ranks),
                _span(one.sure_ranks),
                f"{one.votes:,}",
                _with_ends(one.win_rate),
                _with_ends(correct.interval, correct.number) if correct else "",
                _with_ends(verified.interval, verified.number) if verified else "",
            )
        )
    heads = ("Rank", "Agent", "Rating", "Ranks", "Sure ranks", "Votes", "Won, %", "Judged correct, %", "Verified, %")
    notes = [tag("li", note) for note in ranking.notes]
    return _card(
        "ranking",
        "Ranking",
        _leaders(ranking),
        _exhibit(ratings_figure(ranking), RATINGS, table(heads, rows, label="Ranking")),
        tag(
            "p",
            f"{ranking.level:.0%} intervals ({ranking.method}), {ranking.clustered}.",
            class_="small muted",
        ),
        tag("ul", notes, class_="small muted") if notes else None,
        _few_votes(found.unranked),
    )  # fmt: skip


def _few_votes(unranked: Mapping[str, int]) -> Html | None:
    if not unranked:
        return None
    names = [(", " if at else "", who(name), f" ({counted(number, 'vote')})") for at, (name, number)
             in enumerate(unranked.items())]  # fmt: skip
    return tag("p", f"Too few votes for a rating (at least {FEWEST}): ", names, ".", class_="small muted")


def _leaders(ranking: Ranking) -> Html:
    first = [one.agent for one in ranking.agents if one.sure_ranks[0] == 1]
    if len(first) == 1:
        return tag("p", who(first[0]), " is preferred to every other agent, and the votes are enough to say so.")
    more = len(first) - 6
    names = listed(first[:6], "" if more > 0 else "or")
    return tag("p", "The votes do not decide who is best: it may be ", names, f" or {more} more." if more > 0 else ".")


def _order_tests(count: Count) -> Html | None:
    ranking, tests = count.standings.ranking, count.standings.tests
    if ranking is None or tests is None:
        return None
    return _card(
        "order",
        "Is the order more than chance?",
        tag("ul", [tag("li", sentence) for sentence in order_sentences(tests, ranking.level)]),
        tag("div", pair_tables(tests, [one.agent for one in ranking.agents]), noise_table(tests), class_="columns"),
        tag("p", ORDER.says, class_="small muted"),
        _not_said(ORDER.silent),
    )


def _judged(count: Count) -> Html | None:
    found = count.standings
    agents = _order(count, {**found.correct, **found.verified})
    if not agents:
        return None
    rows = []
    for name in agents:
        correct, verified = found.correct.get(name), found.verified.get(name)
        rows.append(
            (
                (who(name), _retired(count, name)),
                _with_ends(correct.interval, correct.number) if correct else "not judged",
                _with_ends(verified.interval, verified.number) if verified else "no verifier",
            )
        )
    same = found.agreed
    numbers = table(("Agent", "People: correct, %", "Verifier: passed, %"), rows, label="People and verifiers")
    return _card(
        "judged",
        "People and verifiers",
        tag(
            "p",
            f"People's judgement of a side and the verifier's verdict are the same in {rate(same.interval.estimate)} "
            f"[{rate(same.interval.low)}, {rate(same.interval.high)}] of {counted(same.number, 'judgement')}.",
        )
        if same
        else None,
        _exhibit(judged_figure(agents, found.correct, found.verified), JUDGED, numbers) if found.correct else numbers,
    )


def _win_rates(count: Count) -> Html | None:
    found = count.standings
    if found.observed is None or len(found.observed.agents) < 2:
        return None
    order = _order(count, dict.fromkeys(found.observed.agents))
    place = {name: index for index, name in enumerate(found.observed.agents)}
    spans, votes = found.observed.intervals, found.observed.votes

    def seen(one: str, other: str) -> str:
        span = spans[place[one]][place[other]]
        return "" if span is None else f"{rate_range(span)} of {votes[place[one]][place[other]]:,}"

    drawn = win_rate_figure("win-rates-observed", "Win rates in the votes", found.observed, order[:_MOST_DRAWN])
    label = "Win rates in the votes, percent with interval, and of how many votes"
    exhibits = [tag("div", tag("h3", drawn.title), _exhibit(drawn, OBSERVED, _pairs(order, seen, label)))]
    if found.ranking is not None and found.predicted is not None:
        likely = predicted_spans(found.ranking)
        known = [one for one in order if one in found.predicted.agents]
        drawn = win_rate_figure("win-rates-predicted", "Win rates by the ratings", found.predicted, known[:_MOST_DRAWN])
        label = "Win rates by the ratings, percent with interval"
        numbers = _pairs(known, lambda one, other: rate_range(likely[one, other]), label)
        exhibits.append(tag("div", tag("h3", drawn.title), _exhibit(drawn, PREDICTED, numbers)))
    return _card("pairs", "Who beats whom", tag("div", exhibits, class_="columns"))


def _pairs(order: Sequence[str], write: Callable[[str, str], str], label: str) -> Html:
    if len(order) > _MOST_PAIRS:
        return tag("p", f"The table of {len(order)} agents is left out here: the API has it.", class_="small muted")
    heads = ["Agent", *(str(place) for place in range(1, len(order) + 1))]
    rows = [
        ((f"{place} ", who(one)), *("" if one == other else write(one, other) for other in order))
        for place, one in enumerate(order, 1)
    ]
    return tag("details", tag("summary", "As a table"), table(heads, rows, label=label, class_="tight"))


def _groups(count: Count, kind: str, title: str) -> Html | None:
    found = count.standings.categories if kind == "category" else count.standings.platforms
    numbers = count.categories if kind == "category" else count.platforms
    if found is None or len(numbers) < 2:
        return None
    shown = {name: found.rankings[name] for name in numbers if name in found.rankings}
    refused = [tag("li", tag("bdi", name), f": {why}.") for name, why in found.refused.items() if name in numbers]
    agents = _order(count, {one.agent: None for ranking in shown.values() for one in ranking.agents})
    parts: list[Child] = []
    if shown:
        spans = {(one.agent, name): one.rating for name, ranking in shown.items() for one in ranking.agents}
        rows = [(who(agent), *(_rating(spans.get((agent, name))) for name in shown)) for agent in agents]
        heads = ["Agent", *(tag("a", tag("bdi", name), href=address(View(kind, name))) for name in shown)]
        drawn = group_figure(f"by-{kind}", title, agents, list(shown), spans)
        parts.append(_exhibit(drawn, GROUPS, table(heads, rows, label=title)))
    if refused:
        parts.append(tag("div", tag("p", "Without a ranking of their own:"), tag("ul", refused), class_="small muted"))
    return _card(f"by-{kind}", title, *parts)


def _general(count: Count) -> Html | None:
    found = count.standings.general
    spans = {name: one.interval for name, one in found.items() if one.interval is not None}
    if not spans:
        return None
    agents = sorted(spans, key=lambda name: -spans[name].estimate)
    rows = [
        (
            (who(name), _retired(count, name)),
            f"{spans[name].estimate:.2f} [{spans[name].low:.2f}, {spans[name].high:.2f}]",
            rate(found[name].mean),
            rate(found[name].worst),
            f"{found[name].cv:.2f}",
        )
        for name in agents
    ]
    numbers = table(("Agent", "GenScore", "Mean", "Worst", "Variation"), rows, label="GenScore")
    missing = [name for name in _order(count, count.standings.correct) if name not in found]
    return _card(
        "general",
        "Good at everything? GenScore",
        tag("p", f"Over the {len(count.standings.general_categories)} categories in which all of these agents were "
            "judged: ", listed(count.standings.general_categories), "."),
        _exhibit(general_figure(agents, spans), GENERAL, numbers),
        tag("p", "Judged too seldom, or in too few of these categories: ", listed(missing), ".", class_="small muted")
        if missing
        else None,
    )  # fmt: skip


def _styles(count: Count) -> Html | None:
    styles = count.standings.styles
    if not styles:
        return None
    rows = [(one.what, one.how, _with_ends(one.wins), f"{one.votes:,}") for one in styles]
    heads = ("Behaviour", "How much", "Preferred, %", "Sides")
    numbers = table(heads, rows, label="Behaviour and preference")
    return _card("styles", "Behaviour and preference", _exhibit(style_figure(styles), STYLES, numbers))


def _agreement(count: Count) -> Html:
    rows = []
    for name, one in count.agreement.items():
        if isinstance(one, Agreement):
            alpha = one.alpha
            rows.append(
                (
                    name,
                    str(one.scale),
                    f"{alpha.estimate:.2f} [{alpha.low:.2f}, {alpha.high:.2f}]",
                    f"{one.units:,}",
                    tag("span", " ".join(one.notes), class_="said"),
                )
            )
        else:
            rows.append((name, "", "unknown", "", tag("span", _sentence(one), class_="said")))
    known = any(isinstance(one, Agreement) for one in count.agreement.values())
    if not known:
        return _card("agreement", "Do people agree?", tag("p", NO_AGREEMENT))
    return _card(
        "agreement",
        "Do people agree?",
        tag("p", AGREEMENT.says),
        table(("About", "Scale", "Alpha", "Judged by several", "Notes"), rows, label="Agreement of people"),
        _not_said(AGREEMENT.silent),
    )


def _left_out(count: Count) -> Html | None:
    found = count.standings.left_out
    waiting = tag("p", f"{counted(count.waiting, 'vote')} {WAITING}") if count.waiting else None
    if not found:
        return _card("left-out", "Left out", tag("p", "No vote was left out."), waiting)
    rows = [
        (pill(why), f"{number:,}", tag("span", REASONS.get(why, "set aside by an admin"), class_="said"))
        for why, number in sorted(found.items())
    ]
    return _card(
        "left-out",
        "Left out",
        tag("p", "Filters mark votes and never delete them. A vote may be marked for several reasons."),
        table(("Reason", "Votes", "What it means"), rows, label="Votes that were left out"),
        waiting,
    )


def _card(name: str, title: str, *content: Child) -> Html:
    return tag("section", tag("h2", title), *content, class_="card", id=name)


def _exhibit(drawn: Figure, words: Words, numbers: Child) -> Html:
    return tag(
        "div",
        tag("figure", drawn.svg(), drawn.svg(narrow=True), tag("figcaption", words.says)),
        _not_said(words.silent),
        numbers,
        class_="exhibit",
    )


def _not_said(said: Child) -> Html:
    return tag("p", tag("b", "What this does not say. "), said, class_="note")


def _order(count: Count, names: Mapping[str, object]) -> list[str]:
    """Names as the ranking has them, then the others."""
    ranking = count.standings.ranking
    ranked = [one.agent for one in ranking.agents if one.agent in names] if ranking is not None else []
    return [*ranked, *sorted(set(names) - set(ranked))]


def _retired(count: Count, name: str) -> Child:
    if name not in count.retired:
        return None
    return (" ", tag("span", "retired", class_="pill", title=count.retired[name] or None))


def _rating(found: Interval | None) -> Child:
    return "" if found is None else f"{found.estimate:.0f} [{found.low:.0f}, {found.high:.0f}]"


def _with_ends(found: Interval, of: int | None = None) -> Html:
    said, _, ends = rate_range(found).partition(" ")
    return tag("span", f"{said} ", tag("small", f"{ends}{f' of {of:,}' if of is not None else ''}"))


def _span(ranks: tuple[int, int]) -> str:
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
