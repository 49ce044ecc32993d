"""The page of a study: which conditions made agents more reliable, for a reader who knows none of the words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import fairground
from fairground.core import Outcome
from fairground.report.data_table import Rows, Value, behind, table
from fairground.report.html import Child, Html, tag
from fairground.report.page_frame import page_of, section_of, write_page
from fairground.report.palette import paint
from fairground.report.plots import Figure, Look, Row, figure, flow, forest, look_of
from fairground.report.plots.scale import percent, points, rounded
from fairground.report.plots.svg import printable
from fairground.report.statistics_behaviour import CLASSES
from fairground.report.statistics_sections import Exhibit, Section
from fairground.report.statistics_words import (
    attributed,
    chance,
    counted,
    ends,
    point_range,
    rate,
    rate_range,
    who,
)

if TYPE_CHECKING:
    from fairground.rollout.study_results import Change, ConditionResult, StudyResult
    from fairground.rollout.study_run import Study

MOST_FLOWS = 12
"""So many flows are drawn; the table has them all."""

MOST_TASKS = 30
"""So many tasks of a list are named."""


def write_study_page(study: Study, result: StudyResult, path: Path) -> Path:
    """Writes the page as one HTML file that works offline, whole or not at all; returns its path."""
    write_page(path, study_page(study, result))
    return path


def study_page(study: Study, result: StudyResult) -> str:
    """The page as text."""
    heading = printable(result.title) or _heading(result)
    sections = _sections(result)
    main = tag(
        "main",
        _short(result),
        _conditions(study, result),
        _words(result),
        [section_of(one) for one in sections],
        _advice(result),
    )
    return page_of(heading, _header(study, result, heading, sections), main, tag("footer", _footer(study, result)))


def study_figures(result: StudyResult) -> dict[str, str]:
    """Every figure of the page as a standalone SVG document, by its name."""
    sections = _sections(result)
    return {one.figure.name: one.figure.standalone() for section in sections for one in section.exhibits}


def _sections(result: StudyResult) -> list[Section]:
    return [one for one in (_reliability(result), _differences(result), _flows(result)) if one.exhibits]


def _heading(result: StudyResult) -> str:
    agents = {one.agent for one in result.conditions}
    changed = {one.condition for one in result.conditions if one.condition != result.baseline}
    return f"{counted(len(agents), 'agent')} under {counted(len(changed), 'condition')} and a baseline"


def _tasks(result: StudyResult) -> int:
    return max((one.reliability.tasks for one in result.conditions if one.reliability is not None), default=0)


def _name(result: StudyResult, one: ConditionResult) -> str:
    several = len({other.agent for other in result.conditions}) > 1
    return str(one) if several else one.condition


def _header(study: Study, result: StudyResult, heading: str, sections: Sequence[Section]) -> Html:
    total = {outcome: sum(one.outcomes.get(outcome, 0) for one in result.conditions) for outcome in Outcome}
    planned = sum(one.planned for one in result.conditions)
    facts = [
        ("Episodes planned", planned, False),
        ("Scored", total[Outcome.PASSED] + total[Outcome.FAILED], False),
        ("Errored", total[Outcome.ERRORED], True),
        ("Invalid", total[Outcome.INVALID], True),
        ("Tasks", _tasks(result), False),
        ("Rollouts a task", result.rollouts, False),
    ]
    about = (
        f"Every condition was run on the same {counted(_tasks(result), 'task')}, {result.rollouts} times each, so that "
        "only what was changed differs. "
    )
    links = [("Conditions", "conditions"), ("Words", "words"), *((one.link or one.title, one.name) for one in sections)]
    links += [("Advice", "advice")] if any(one.advice for one in result.conditions) else []
    return tag(
        "header",
        tag(
            "div", tag("b", "Fairground"), tag("span", "Report of a study"),
            tag("button", "Dark", id="theme", type="button", class_="push", aria_label="Switch between light and dark"),
            class_="brand",
        ),
        tag("h1", tag("bdi", heading)),
        tag("p", about, "Agents: ", [(", " if place else "", who(agent)) for place, agent in
                                     enumerate(study.spec.agents)],
            ". Worlds: ", ", ".join(map(printable, study.spec.worlds)), ".", class_="measured"),
        tag(
            "dl",
            [tag("div", tag("dt", name), tag("dd", f"{count:,}"), class_="odd" if odd and count else None)
             for name, count, odd in facts],
            class_="facts",
        ),
        tag("p", "Errors are never scores: every rate below is out of the scored episodes.", class_="law"),
        tag("nav", [tag("a", said, href=f"#{name}") for said, name in links], aria_label="Sections"),
    )  # fmt: skip


def _short(result: StudyResult) -> Html:
    """What each condition did, in a sentence, and whether that is decided."""
    items = []
    for one in result.conditions:
        if one.change is None:
            continue
        change = one.change
        gained, lost = len(change.transitions.improved), len(change.transitions.regressed)
        way = "more" if change.difference.estimate > 0 else "less"
        decided = _decided(result, change)
        said: list[Child] = [who(_name(result, one)), " against ", who(change.base), ": "]
        said.append(
            f"agents solved tasks {way} often, by {point_range(change.difference)} percentage points"
            if change.difference.estimate
            else "no difference in how often tasks were solved"
        )
        said.append(
            f"; {counted(gained, 'task')} became reliable, {lost} ceased to be."
            if gained or lost
            else "; no task became reliable, and none ceased to be."
        )
        pill = tag("span", "decided" if decided else "open", class_="pill yes" if decided else "pill no")
        items.append(tag("li", pill, tag("span", said)))
    clear = sum(_decided(result, one.change) for one in result.conditions if one.change is not None)
    first = (
        f"In {clear or 'none'} of {counted(len(items), 'comparison')} the change is decided, which means more than "
        "chance would do, counting how many comparisons were made. "
        if items
        else "There is nothing to compare yet. "
    )
    tail = "Open means that these data cannot tell, which is not the same as no effect." if clear < len(items) else ""
    # What has not ended is said before anything else about a condition.
    unfinished = [one for one in result.conditions if sum(one.outcomes.values()) < max(one.planned, 1)]
    missing = [(_name(result, one), one.notes[0]) for one in unfinished]
    return tag(
        "section",
        tag("h2", "In short"),
        tag("p", first, tail),
        tag("ul", items) if items else None,
        tag("ul", [tag("li", note) for note in attributed(missing, len(result.conditions), 12)], class_="notes")
        if missing
        else None,
        id="verdict",
        class_="card verdict",
    )


def _decided(result: StudyResult, change: Change) -> bool:
    """By the one test that knows that tasks of a scenario are alike, adjusted for the number of comparisons."""
    return change.difference_p <= 1 - result.level


def _conditions(study: Study, result: StudyResult) -> Html:
    """What each condition changes, in words."""
    items = []
    for one in study.spec.everything:
        base = one.base or result.baseline
        against: Child = "the baseline" if one.name == result.baseline else ("compared with ", who(base))
        parts: list[Child] = []
        for intervention in one.interventions:
            about = (type(intervention).__doc__ or "").strip().splitlines()[0]
            fields = intervention.model_dump(mode="json", exclude={"name", "runs"}, exclude_defaults=True)
            with_ = ", ".join(f"{name} {printable(str(value))}" for name, value in fields.items())
            parts.append(tag("div", tag("code", intervention.name), f": {about}", f" ({with_})" if with_ else None))
        if one.learns:
            parts.append(tag("div", counted(one.iterations, "iteration"), ", each learning from the one before."))
        items.append(tag("li", who(one.name), ", ", against, ". ", parts or "Nothing is changed."))
    return tag(
        "section",
        tag("h2", "The conditions"),
        tag("ul", items, class_="notes"),
        id="conditions",
        class_="card",
    )


def _words(result: StudyResult) -> Html:
    k = result.rollouts
    terms = (
        ("Task", "One configuration: a thing to do, with given data, in a given look, from a given start."),
        ("Solved", "The recorded state of the software passes every check; no model's opinion is asked."),
        ("Reliable", f"Solved in all {k} rollouts. Sometimes solved is not reliable: nobody knows when."),
        ("Pass^1", "How often a task is solved, on average: capability."),
        (f"Pass^{k}", f"How many tasks are solved in all of {k} tries: reliability. Never more than Pass^1."),
        (f"pass@{k}", f"How many tasks are solved in at least one of {k} tries: what luck could reach. Never less."),
        ("b \N{MINUS SIGN} c", "Tasks that became reliable under a condition, minus those that ceased to be. "
         "McNemar's test asks whether that is more than chance."),
        ("Change a task", f"By how many of {k} rollouts a task is solved more often, on average. Wilcoxon's test also "
         "sees a task go from one to two."),
        ("p, adjusted", "How easily chance alone would do as much, after Holm's adjustment for the number of "
         f"comparisons. At most {1 - result.level:.2g} counts as decided."),
    )  # fmt: skip
    return tag(
        "section",
        tag("h2", "The words"),
        behind(
            "What Pass^k, b \N{MINUS SIGN} c and the others mean",
            tag("table", tag("tbody", [tag("tr", tag("th", name, scope="row", class_="name"), tag("td", said))
                                       for name, said in terms])),
        ),
        id="words", class_="card",
    )  # fmt: skip


def _reliability(result: StudyResult) -> Section:
    """Pass^1 and Pass^k of everybody, as a forest and a table."""
    scored = [one for one in result.conditions if one.reliability is not None]
    if not scored:
        return Section("reliability", "How reliable")
    k = max(one.k for one in scored)
    rows = []
    for place, one in enumerate(scored):
        assert one.reliability is not None
        look, name = look_of(place), _name(result, one)
        first, last = one.reliability.pass_hat.points[0], one.reliability.pass_hat.points[-1]
        rows.append(
            Row(f"{name}: Pass^1", first, look, note=rate_range(first), said=f"{name}: Pass^1 {rate(first.estimate)}")
        )
        if k > 1:
            rows.append(
                Row(f"{name}: Pass^{one.k}", last, look, note=rate_range(last), hollow=True,
                    said=f"{name}: Pass^{one.k} {rate(last.estimate)}")
            )  # fmt: skip
    drawn = figure(
        "reliability",
        f"Solved at all, and solved {k} times of {k}",
        "Pass^1 and the last Pass^k of every condition with intervals. " + "; ".join(row.said for row in rows[:20]),
        lambda width: forest(rows, width=width, write=percent, axis="Percent of tasks", floor=0.0, ceiling=1.0),
    )
    exhibit = Exhibit(
        drawn,
        tag("p", f"Solid: how often a task is solved. Dotted: how many tasks are solved in every one of {k} tries. The "
            "gap between the two is unreliability: tasks that an agent can do, and does not always do."),
        "That two conditions differ or are alike because of where their intervals lie: they were run on the same "
        "tasks, so the next section compares them task by task, which is sharper.",
        _scores(result, k),
        attributed(
            ((_name(result, one), note) for one in scored for note in one.notes), len(scored), 12
        ),
    )  # fmt: skip
    return Section("reliability", "How reliable", (exhibit,))


def _scores(result: StudyResult, k: int) -> Html:
    broke = any(one.outcomes.get(Outcome.ERRORED, 0) for one in result.conditions)
    heads = (
        "Agent", "Condition", "Pass^1", *(["Pass^1, errors as failures"] if broke else []), f"Pass^{k}", f"pass@{k}",
        "Scored", "Errored, invalid",
    )  # fmt: skip
    rows: Rows = []
    for one in result.conditions:
        scores = [Value("", None)] * 3
        if (found := one.reliability) is not None:
            curves = (found.pass_hat.points[0], found.pass_hat.points[-1], found.pass_at.points[-1])
            scores = [
                Value(rate_range(point), point.estimate) if place == 0 or one.k == k else Value("", None)
                for place, point in enumerate(curves)
            ]
        lost = one.outcomes.get(Outcome.ERRORED, 0), one.outcomes.get(Outcome.INVALID, 0)
        strict = one.score_errors_failed
        if broke:
            scores.insert(1, Value(rate_range(strict), strict.estimate) if strict is not None else scores[0])
        rows.append([
            one.agent, one.condition, *scores, Value(f"{one.scored:,} of {one.planned:,}", one.scored),
            Value(f"{lost[0]:,}, {lost[1]:,}", sum(lost)),
        ])  # fmt: skip
    return table("study-scores", heads, rows)


def _tests(changed: Sequence[tuple[ConditionResult, Change]]) -> Html:
    heads = (
        "Agent", "Condition", "Points", "p", "b \N{MINUS SIGN} c", "p, McNemar", "Change a task", "p, Wilcoxon",
    )  # fmt: skip
    rows: Rows = []
    for one, change in changed:
        gap, moved = change.difference, change.transitions
        gained, lost = len(moved.improved), len(moved.regressed)
        rows.append([
            one.agent, one.condition, Value(point_range(gap), gap.estimate),
            Value(chance(change.difference_p), change.difference_p),
            Value(f"{_signed(gained - lost)} ({gained} \N{MINUS SIGN} {lost})", gained - lost),
            Value(chance(change.mcnemar_p), change.mcnemar_p), Value(_delta(change), moved.delta.estimate),
            Value(chance(change.wilcoxon_p), change.wilcoxon_p),
        ])  # fmt: skip
    return table("study-tests", heads, rows)


def _delta(change: Change) -> str:
    moved = change.transitions
    unit = "" if moved.unit == "counts" else ", rate"
    return f"{rounded(moved.delta.estimate, 2)} {ends(moved.delta, 1, 2)}{unit}"


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"\N{MINUS SIGN}{-number}" if number < 0 else "0"


def _differences(result: StudyResult) -> Section:
    """By how much each condition moves the success rate."""
    rows = []
    changed = [(one, one.change) for one in result.conditions if one.change is not None]
    title = "What each condition changed"
    if not changed:
        return Section("differences", title)
    for one, change in changed:
        gap, decided = change.difference, _decided(result, change)
        colour = paint("muted") if not decided else paint("more" if gap.estimate > 0 else "less")
        rows.append(
            Row(
                _name(result, one), gap, Look(colour, 0, None), note=point_range(gap), hollow=not decided,
                said=f"{_name(result, one)} minus {change.base}: {point_range(gap)} points, "
                f"p {chance(change.difference_p)}",
            )
        )  # fmt: skip
    drawn = figure(
        "differences",
        "Change in how often tasks are solved, against the base",
        "Differences in the success rate with intervals. " + "; ".join(row.said for row in rows[:20]),
        lambda width: forest(
            rows, width=width, write=points, axis="Percentage points", zero=0.0, ends=("worse", "better")
        ),
    )
    exhibit = Exhibit(
        drawn,
        (
            tag("p", "How many percentage points more often tasks are solved than under the base. What makes a task "
                "hard is the same on both sides and cancels out. Filled marks are decided after Holm's adjustment; "
                "dotted lines are open."),
            tag("p", "These intervals know that tasks of one scenario resemble each other, which McNemar's and "
                "Wilcoxon's tests do not: where the two disagree, trust these. All p-values are adjusted."),
        ),
        "That an open condition does nothing: it means that this study is too small to tell. That a decided one "
        "helps elsewhere: it was measured with these agents on these tasks.",
        _tests(changed),
        attributed(
            ((_name(result, one), note) for one, change in changed for note in change.notes), len(changed), 12
        ),
    )  # fmt: skip
    return Section("differences", title, (exhibit,), link="Differences")


def _flows(result: StudyResult) -> Section:
    """What became of the tasks, for each condition."""
    changed = [(one, one.change) for one in result.conditions if one.change is not None]
    exhibits = tuple(_flow(result, one, change, place) for place, (one, change) in enumerate(changed[:MOST_FLOWS]))
    left = len(changed) - len(exhibits)
    intro = f"The first {MOST_FLOWS} comparisons are drawn; {left} more are in the table above." if left else None
    return Section("flows", "Task by task", exhibits, intro=intro)


def _flow(result: StudyResult, one: ConditionResult, change: Change, place: int) -> Exhibit:
    moved = change.transitions
    gained, lost = len(moved.improved), len(moved.regressed)
    name = _name(result, one)
    drawn: Figure = figure(
        f"flow-{place + 1}",
        f"From {printable(change.base)} to {printable(name)}",
        f"Of {moved.tasks} tasks, {gained} became reliable under {name} and {lost} ceased to be.",
        lambda width: flow(moved.flow, CLASSES, (change.base, one.condition), width=width),
    )
    lists = tag("div", _named("Became reliable", moved.improved), _named("Ceased to be", moved.regressed),
                class_="changes")  # fmt: skip
    return Exhibit(
        drawn,
        (
            tag("p", f"{counted(moved.tasks, 'task')}, by how often they were solved: left under ", who(change.base),
                ", right under ", who(one.condition), ". Blue flows rise, orange flows fall, grey ones stay."),
            tag("p", f"Reliable: {gained} gained, {lost} lost (McNemar, adjusted p {chance(change.mcnemar_p)}). "
                f"Mean change {rounded(moved.delta.estimate, 2)} {ends(moved.delta, 1, 2)} "
                f"{'solved rollouts a task' if moved.unit == 'counts' else 'in the rate of a task'} "
                f"(Wilcoxon, adjusted p {chance(change.wilcoxon_p)})."),
        ),
        "That each task was improved or broken: even the same condition, run twice, would move tasks both ways.",
        behind("Which tasks", lists, aside=f"{gained} gained, {lost} lost") if gained or lost else None,
    )  # fmt: skip


def _named(title: str, tasks: Sequence[object]) -> Html:
    more = tag("li", f"and {len(tasks) - MOST_TASKS} more") if len(tasks) > MOST_TASKS else None
    named = [tag("li", tag("bdi", printable(str(task)))) for task in tasks[:MOST_TASKS]]
    return tag("div", tag("h4", f"{title} ({len(tasks)})"), tag("ul", named, more) if tasks else None)


def _advice(result: StudyResult) -> Html | None:
    """What agents were told beside the task, what was rejected of it, and what it cost."""
    rows: Rows = []
    for one in result.conditions:
        said = one.advice
        if not said:
            continue
        dollars = "not known" if said.dollars is None else f"{said.dollars:.2f}"
        rows.append([
            one.agent, one.condition,
            Value(f"{said.plans - said.without_plan} of {said.plans}" if said.plans else "", said.plans),
            Value(f"{said.rejected} of {said.clarified}" if said.clarified else "", said.rejected),
            Value(f"{said.rounds:,}", said.rounds), Value(f"{said.sent_back:,} of {one.scored:,}", said.sent_back),
            Value(f"{said.tokens:,}", said.tokens), Value(dollars if said.tokens else "", said.dollars),
        ])  # fmt: skip
    if not rows:
        return None
    heads = ("Agent", "Condition", "Tasks with a plan", "Clarifications rejected", "Times sent back",
             "Episodes sent back", "Advisers' tokens", "Advisers' dollars")  # fmt: skip
    return tag(
        "section",
        tag("h2", "What agents were told beside the task"),
        tag("p", "Plans, clarifications and feedback come from other models or from the verdict. A task without a plan "
            "had nothing to learn from, was reliable already, or its plan was dropped because it gave the answer away.",
            class_="intro"),
        table("advice-numbers", heads, rows),
        id="advice", class_="card",
    )  # fmt: skip


def _footer(study: Study, result: StudyResult) -> list[Child]:
    facts = {
        "Study": printable(str(study.folder)),
        "Worlds": ", ".join(map(printable, study.spec.worlds)),
        "Seed": str(result.seed),
        "Intervals": f"{result.level:.0%}, scenarios drawn whole",
        "Version": f"Fairground {fairground.__version__}",
    }
    said = "The same file, agents and version give the same plan again, and the same episodes the same numbers."
    return [
        tag("h3", "To reproduce"),
        tag("dl", [(tag("dt", name), tag("dd", tag("bdi", value))) for name, value in facts.items()]),
        tag("p", said),
    ]
