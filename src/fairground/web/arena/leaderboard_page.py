"""Content of the leaderboard page: plots, each with its table and with what not to conclude from it."""

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

_MOST_DRAWN: Final = 60  # maximum number of agents in a matrix plot
_MOST_PAIRS: Final = 20  # maximum number of agents in a table of pairs


def board(count: Count) -> Html:
    """Render everything below the heading."""
    return tag("div", _tabs(count), _facts(count), _sections(count), class_="board")


def address(view: View) -> str:
    """Return the URL of a view."""
    return f"/leaderboard?{urlencode({view.kind: view.name})}" if view.kind else "/leaderboard"


def stale_note() -> Html:
    """Render a note that newer votes are being counted."""
    return tag("p", "Newer votes are being counted. Reload the page in a moment to see them.", class_="note")


def _sections(count: Count) -> list[Child]:
    standings = count.standings
    if not standings.votes:
        return [_nothing(count), _left_out(count)]
    return [
        _ranking(count) if standings.ranking is not None else _unranked(standings.why),
        _order_tests(count),
        _judged(count),
        _win_rates(count),
        _groups(count, "category", "By category"),
        _groups(count, "platform", "By platform"),
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
    standings = count.standings
    left_out = sum(standings.left_out.values())
    agents = len(standings.observed.agents) if standings.observed is not None else 0
    at = datetime.fromtimestamp(count.at, UTC)
    return tag(
        "dl",
        fact("Votes that count", f"{standings.votes:,}"),
        fact("Agents", f"{agents:,}"),
        fact("Excluded", f"{left_out:,}") if left_out else None,
        fact("Waiting", f"{count.waiting:,}") if count.waiting else None,
        fact("Updated", tag("time", f"{at:%d %b %Y, %H:%M} UTC", datetime=at.isoformat(timespec="seconds"))),
        class_="facts",
    )


def _nothing(count: Count) -> Html:
    if count.waiting:
        return empty(
            "No votes to show yet",
            f"{counted(count.waiting, 'vote')} will count when those battles can no longer be judged.",
        )
    return empty(
        "No votes yet",
        "The ranking is based on votes that compare two agents on the same task, in the ",
        tag("a", "arena", href="/arena"),
        ".",
    )


def _unranked(why: str) -> Html:
    return tag(
        "section",
        tag("h2", "No ranking yet"),
        tag("p", f"{why[:1].upper()}{why[1:]}."),
        tag("p", "It needs more votes. The arena prefers pairs that have rarely met.", class_="muted"),
        class_="card",
    )


def _ranking(count: Count) -> Html:
    standings, ranking = count.standings, count.standings.ranking
    assert ranking is not None
    rows = []
    for agent in ranking.agents:
        correct, verified = standings.correct.get(agent.agent), standings.verified.get(agent.agent)
        rows.append(
            (
                str(agent.rank),
                (who(agent.agent), _retired(count, agent.agent)),
                tag(
                    "span",
                    f"{agent.rating.estimate:.0f} ",
                    tag("small", f"[{agent.rating.low:.0f}, {agent.rating.high:.0f}]"),
                ),
                _span(agent.ranks),
                _span(agent.sure_ranks),
                f"{agent.votes:,}",
                _with_ends(agent.win_rate),
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
        _few_votes(standings.unranked),
    )  # fmt: skip


def _few_votes(unranked: Mapping[str, int]) -> Html | None:
    if not unranked:
        return None
    names = [(", " if at else "", who(name), f" ({counted(number, 'vote')})") for at, (name, number)
             in enumerate(unranked.items())]  # fmt: skip
    return tag("p", f"Too few votes for a rating (minimum {FEWEST}): ", names, ".", class_="small muted")


def _leaders(ranking: Ranking) -> Html:
    first = [agent.agent for agent in ranking.agents if agent.sure_ranks[0] == 1]
    if len(first) == 1:
        return tag("p", who(first[0]), " is preferred to every other agent, with statistical significance.")
    more = len(first) - 6
    names = listed(first[:6], "" if more > 0 else "and")
    return tag(
        "p",
        "The votes do not yet decide which agent is best. Candidates: ",
        names,
        f" and {more} more." if more > 0 else ".",
    )


def _order_tests(count: Count) -> Html | None:
    ranking, tests = count.standings.ranking, count.standings.tests
    if ranking is None or tests is None:
        return None
    return _card(
        "order",
        "Is the order significant?",
        tag("ul", [tag("li", sentence) for sentence in order_sentences(tests, ranking.level)]),
        tag("div", pair_tables(tests, [agent.agent for agent in ranking.agents]), noise_table(tests), class_="columns"),
        tag("p", ORDER.says, class_="small muted"),
        _not_said(ORDER.silent),
    )


def _judged(count: Count) -> Html | None:
    standings = count.standings
    agents = _order(count, {**standings.correct, **standings.verified})
    if not agents:
        return None
    rows = []
    for name in agents:
        correct, verified = standings.correct.get(name), standings.verified.get(name)
        rows.append(
            (
                (who(name), _retired(count, name)),
                _with_ends(correct.interval, correct.number) if correct else "not judged",
                _with_ends(verified.interval, verified.number) if verified else "no verifier",
            )
        )
    same = standings.agreed
    numbers = table(("Agent", "People: correct, %", "Verifier: passed, %"), rows, label="People and verifiers")
    return _card(
        "judged",
        "People and verifiers",
        tag(
            "p",
            f"People and the verifier agree about a side in {rate(same.interval.estimate)} "
            f"[{rate(same.interval.low)}, {rate(same.interval.high)}] of {counted(same.number, 'judgement')}.",
        )
        if same
        else None,
        _exhibit(judged_figure(agents, standings.correct, standings.verified), JUDGED, numbers)
        if standings.correct
        else numbers,
    )


def _win_rates(count: Count) -> Html | None:
    standings = count.standings
    if standings.observed is None or len(standings.observed.agents) < 2:
        return None
    order = _order(count, dict.fromkeys(standings.observed.agents))
    place = {name: index for index, name in enumerate(standings.observed.agents)}
    spans, votes = standings.observed.intervals, standings.observed.votes

    def seen(one: str, other: str) -> str:
        span = spans[place[one]][place[other]]
        return "" if span is None else f"{rate_range(span)} of {votes[place[one]][place[other]]:,}"

    drawn = win_rate_figure("win-rates-observed", "Observed win rates", standings.observed, order[:_MOST_DRAWN])
    label = "Observed win rates, percent with interval, and number of votes"
    exhibits = [tag("div", tag("h3", drawn.title), _exhibit(drawn, OBSERVED, _pairs(order, seen, label)))]
    if standings.ranking is not None and standings.predicted is not None:
        likely = predicted_spans(standings.ranking)
        known = [agent for agent in order if agent in standings.predicted.agents]
        drawn = win_rate_figure(
            "win-rates-predicted", "Win rates predicted by the ratings", standings.predicted, known[:_MOST_DRAWN]
        )
        label = "Win rates predicted by the ratings, percent with interval"
        numbers = _pairs(known, lambda agent, opponent: rate_range(likely[agent, opponent]), label)
        exhibits.append(tag("div", tag("h3", drawn.title), _exhibit(drawn, PREDICTED, numbers)))
    return _card("pairs", "Win rates", tag("div", exhibits, class_="columns"))


def _pairs(order: Sequence[str], write: Callable[[str, str], str], label: str) -> Html:
    if len(order) > _MOST_PAIRS:
        return tag(
            "p",
            f"The table of {len(order)} agents is too large for this page; the API returns it.",
            class_="small muted",
        )
    heads = ["Agent", *(str(place) for place in range(1, len(order) + 1))]
    rows = [
        ((f"{place} ", who(agent)), *("" if agent == opponent else write(agent, opponent) for opponent in order))
        for place, agent in enumerate(order, 1)
    ]
    return tag("details", tag("summary", "Table"), table(heads, rows, label=label, class_="tight"))


def _groups(count: Count, kind: str, title: str) -> Html | None:
    rankings = count.standings.categories if kind == "category" else count.standings.platforms
    numbers = count.categories if kind == "category" else count.platforms
    if rankings is None or len(numbers) < 2:
        return None
    shown = {name: rankings.rankings[name] for name in numbers if name in rankings.rankings}
    refused = [tag("li", tag("bdi", name), f": {why}.") for name, why in rankings.refused.items() if name in numbers]
    agents = _order(count, {agent.agent: None for ranking in shown.values() for agent in ranking.agents})
    parts: list[Child] = []
    if shown:
        spans = {(agent.agent, name): agent.rating for name, ranking in shown.items() for agent in ranking.agents}
        rows = [(who(agent), *(_rating(spans.get((agent, name))) for name in shown)) for agent in agents]
        heads = ["Agent", *(tag("a", tag("bdi", name), href=address(View(kind, name))) for name in shown)]
        drawn = group_figure(f"by-{kind}", title, agents, list(shown), spans)
        parts.append(_exhibit(drawn, GROUPS, table(heads, rows, label=title)))
    if refused:
        parts.append(tag("div", tag("p", "Not ranked:"), tag("ul", refused), class_="small muted"))
    return _card(f"by-{kind}", title, *parts)


def _general(count: Count) -> Html | None:
    scores = count.standings.general
    spans = {name: score.interval for name, score in scores.items() if score.interval is not None}
    if not spans:
        return None
    agents = sorted(spans, key=lambda name: -spans[name].estimate)
    rows = [
        (
            (who(name), _retired(count, name)),
            f"{spans[name].estimate:.2f} [{spans[name].low:.2f}, {spans[name].high:.2f}]",
            rate(scores[name].mean),
            rate(scores[name].worst),
            f"{scores[name].cv:.2f}",
        )
        for name in agents
    ]
    numbers = table(("Agent", "GenScore", "Mean", "Worst", "Variation"), rows, label="GenScore")
    missing = [name for name in _order(count, count.standings.correct) if name not in scores]
    return _card(
        "general",
        "GenScore: generality over categories",
        tag("p", f"Over the {len(count.standings.general_categories)} categories in which all of these agents were "
                 "judged: ", listed(count.standings.general_categories), "."),
        _exhibit(general_figure(agents, spans), GENERAL, numbers),
        tag("p", "Too few judgements, or too few of these categories: ", listed(missing), ".", class_="small muted")
        if missing
        else None,
    )  # fmt: skip


def _styles(count: Count) -> Html | None:
    styles = count.standings.styles
    if not styles:
        return None
    rows = [(style.what, style.how, _with_ends(style.wins), f"{style.votes:,}") for style in styles]
    heads = ("Behaviour", "Level", "Preferred, %", "Sides")
    numbers = table(heads, rows, label="Behaviour and preference")
    return _card("styles", "Behaviour and preference", _exhibit(style_figure(styles), STYLES, numbers))


def _agreement(count: Count) -> Html:
    rows = []
    for name, interval in count.agreement.items():
        if isinstance(interval, Agreement):
            alpha = interval.alpha
            rows.append(
                (
                    name,
                    str(interval.scale),
                    f"{alpha.estimate:.2f} [{alpha.low:.2f}, {alpha.high:.2f}]",
                    f"{interval.units:,}",
                    tag("span", " ".join(interval.notes), class_="said"),
                )
            )
        else:
            rows.append((name, "", "unknown", "", tag("span", _sentence(interval), class_="said")))
    known = any(isinstance(alpha, Agreement) for alpha in count.agreement.values())
    if not known:
        return _card("agreement", "Agreement between people", tag("p", NO_AGREEMENT))
    return _card(
        "agreement",
        "Agreement between people",
        tag("p", AGREEMENT.says),
        table(
            ("Question", "Scale", "Alpha", "Battles with several judges", "Notes"),
            rows,
            label="Agreement between people",
        ),
        _not_said(AGREEMENT.silent),
    )


def _left_out(count: Count) -> Html | None:
    reasons = count.standings.left_out
    waiting = tag("p", f"{counted(count.waiting, 'vote')} {WAITING}") if count.waiting else None
    if not reasons:
        return _card("left-out", "Excluded votes", tag("p", "No votes were excluded."), waiting)
    rows = [
        (pill(why), f"{number:,}", tag("span", REASONS.get(why, "excluded by an admin"), class_="said"))
        for why, number in sorted(reasons.items())
    ]
    return _card(
        "left-out",
        "Excluded votes",
        tag("p", "Filters flag votes and never delete them. A vote can have several flags."),
        table(("Reason", "Votes", "Meaning"), rows, label="Excluded votes"),
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


def _not_said(text: Child) -> Html:
    return tag("p", tag("b", "This does not show: "), text, class_="note")


def _order(count: Count, names: Mapping[str, object]) -> list[str]:
    """Return names in ranking order, then the unranked ones."""
    ranking = count.standings.ranking
    ranked = [agent.agent for agent in ranking.agents if agent.agent in names] if ranking is not None else []
    return [*ranked, *sorted(set(names) - set(ranked))]


def _retired(count: Count, name: str) -> Child:
    if name not in count.retired:
        return None
    return (" ", tag("span", "retired", class_="pill", title=count.retired[name] or None))


def _rating(interval: Interval | None) -> Child:
    return "" if interval is None else f"{interval.estimate:.0f} [{interval.low:.0f}, {interval.high:.0f}]"


def _with_ends(interval: Interval, of: int | None = None) -> Html:
    estimate, _, ends = rate_range(interval).partition(" ")
    return tag("span", f"{estimate} ", tag("small", f"{ends}{f' of {of:,}' if of is not None else ''}"))


def _span(ranks: tuple[int, int]) -> str:
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
