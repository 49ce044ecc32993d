"""The report of a study: which conditions made agents more reliable, with all terms explained."""

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
"""Maximum number of flows drawn; the table lists all."""

MOST_TASKS = 30
"""Maximum number of tasks named in a list."""


def write_study_page(study: Study, result: StudyResult, path: Path) -> Path:
    """Write the page atomically as one HTML file that works offline. Returns its path."""
    write_page(path, study_page(study, result))
    return path


def study_page(study: Study, result: StudyResult) -> str:
    """Render the page."""
    heading = printable(result.title) or _heading(result)
    sections = _sections(result)
    main = tag(
        "main",
        _short(result),
        _conditions(study, result),
        _words(result),
        [section_of(section) for section in sections],
        _advice(result),
    )
    return page_of(heading, _header(study, result, heading, sections), main, tag("footer", _footer(study, result)))


def study_figures(result: StudyResult) -> dict[str, str]:
    """Return every figure of the page as a standalone SVG document, by name."""
    sections = _sections(result)
    return {exhibit.figure.name: exhibit.figure.standalone() for section in sections for exhibit in section.exhibits}


def _sections(result: StudyResult) -> list[Section]:
    return [section for section in (_reliability(result), _differences(result), _flows(result)) if section.exhibits]


def _heading(result: StudyResult) -> str:
    agents = {condition.agent for condition in result.conditions}
    changed = {condition.condition for condition in result.conditions if condition.condition != result.baseline}
    return f"{counted(len(agents), 'agent')} under {counted(len(changed), 'condition')} and a baseline"


def _tasks(result: StudyResult) -> int:
    return max(
        (condition.reliability.tasks for condition in result.conditions if condition.reliability is not None), default=0
    )


def _name(result: StudyResult, scored: ConditionResult) -> str:
    several = len({condition.agent for condition in result.conditions}) > 1
    return str(scored) if several else scored.condition


def _header(study: Study, result: StudyResult, heading: str, sections: Sequence[Section]) -> Html:
    total = {outcome: sum(condition.outcomes.get(outcome, 0) for condition in result.conditions) for outcome in Outcome}
    planned = sum(condition.planned for condition in result.conditions)
    facts = [
        ("Episodes planned", planned, False),
        ("Scored", total[Outcome.PASSED] + total[Outcome.FAILED], False),
        ("Errored", total[Outcome.ERRORED], True),
        ("Invalid", total[Outcome.INVALID], True),
        ("Tasks", _tasks(result), False),
        ("Rollouts per task", result.rollouts, False),
    ]
    about = (
        f"Every condition was run on the same {counted(_tasks(result), 'task')}, "
        f"{counted(result.rollouts, 'time')} each, so only the condition differs. "
    )
    links = [
        ("Conditions", "conditions"),
        ("Terms", "words"),
        *((section.link or section.title, section.name) for section in sections),
    ]
    links += [("Advice", "advice")] if any(condition.advice for condition in result.conditions) else []
    return tag(
        "header",
        tag(
            "div", tag("b", "Fairground"), tag("span", "Study"),
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
        tag("p", "Errors are not scored: every rate below is out of the scored episodes.", class_="law"),
        tag("nav", [tag("a", label, href=f"#{name}") for label, name in links], aria_label="Sections"),
    )  # fmt: skip


def _short(result: StudyResult) -> Html:
    """State the effect of each condition in one sentence, and whether it is significant."""
    items = []
    for condition in result.conditions:
        if condition.change is None:
            continue
        change = condition.change
        gained, lost = len(change.transitions.improved), len(change.transitions.regressed)
        way = "more" if change.difference.estimate > 0 else "less"
        decided = _decided(result, change)
        parts: list[Child] = [who(_name(result, condition)), " compared with ", who(change.base), ": "]
        parts.append(
            f"agents solved tasks {way} often, by {point_range(change.difference)} percentage points"
            if change.difference.estimate
            else "no difference in how often tasks were solved"
        )
        parts.append(
            f"; {counted(gained, 'task')} became reliable, {counted(lost, 'is', 'are')} no longer reliable."
            if gained or lost
            else "; no task became reliable or unreliable."
        )
        pill = tag("span", "significant" if decided else "open", class_="pill yes" if decided else "pill no")
        items.append(tag("li", pill, tag("span", parts)))
    clear = sum(_decided(result, condition.change) for condition in result.conditions if condition.change is not None)
    first = (
        f"In {clear or 'none'} of {counted(len(items), 'comparison')} the change is significant, with a correction "
        "for the number of comparisons. "
        if items
        else "There is nothing to compare yet. "
    )
    tail = "Open means that the data show neither an effect nor its absence." if clear < len(items) else ""
    # Unfinished episodes are reported before anything else about a condition.
    unfinished = [
        condition for condition in result.conditions if sum(condition.outcomes.values()) < max(condition.planned, 1)
    ]
    missing = [(_name(result, condition), condition.notes[0]) for condition in unfinished]
    return tag(
        "section",
        tag("h2", "Summary"),
        tag("p", first, tail),
        tag("ul", items) if items else None,
        tag("ul", [tag("li", note) for note in attributed(missing, len(result.conditions), 12)], class_="notes")
        if missing
        else None,
        id="verdict",
        class_="card verdict",
    )


def _decided(result: StudyResult, change: Change) -> bool:
    """Whether the change is significant, by the corrected test that accounts for similar tasks within a scenario."""
    return change.difference_p <= 1 - result.level


def _conditions(study: Study, result: StudyResult) -> Html:
    """Describe what each condition changes."""
    items = []
    for condition in study.spec.everything:
        base = condition.base or result.baseline
        against: Child = "the baseline" if condition.name == result.baseline else ("compared with ", who(base))
        parts: list[Child] = []
        for intervention in condition.interventions:
            about = (type(intervention).__doc__ or "").strip().splitlines()[0]
            fields = intervention.model_dump(mode="json", exclude={"name", "runs"}, exclude_defaults=True)
            with_ = ", ".join(f"{name} {printable(str(value))}" for name, value in fields.items())
            parts.append(tag("div", tag("code", intervention.name), f": {about}", f" ({with_})" if with_ else None))
        if condition.learns:
            parts.append(tag("div", counted(condition.iterations, "iteration"), ", each learning from the one before."))
        items.append(tag("li", who(condition.name), ", ", against, ". ", parts or "Nothing is changed."))
    return tag(
        "section",
        tag("h2", "Conditions"),
        tag("ul", items, class_="notes"),
        id="conditions",
        class_="card",
    )


def _words(result: StudyResult) -> Html:
    k = result.rollouts
    terms = (
        ("Task", "One configuration: an instruction with given data, appearance and starting point."),
        ("Solved", "The recorded state of the software passes every check. No model's opinion is involved."),
        ("Reliable", f"Solved in all {k} rollouts. A task that is solved only sometimes is not reliable."),
        ("Pass^1", "How often a task is solved on average: capability."),
        (f"Pass^{k}", f"The share of tasks solved in all of {k} attempts: reliability. Never more than Pass^1."),
        (f"pass@{k}", f"The share of tasks solved in at least one of {k} attempts: the potential with luck. Never "
                      "less than Pass^1."),
        ("b \N{MINUS SIGN} c", "Tasks that became reliable under a condition, minus tasks that are no longer "
                               "reliable. McNemar's test checks whether this is more than chance."),
        ("Change per task", f"How many more of {k} rollouts of a task are solved, on average. Unlike McNemar's, "
                          "Wilcoxon's test also detects a change from one to two solved rollouts."),
        ("p, adjusted", "The probability of a result at least as extreme by chance, after Holm's correction for the "
                        f"number of comparisons. At most {1 - result.level:.2g} counts as significant."),
    )  # fmt: skip
    return tag(
        "section",
        tag("h2", "Terms"),
        behind(
            "Pass^k, b \N{MINUS SIGN} c and others",
            tag("table", tag("tbody", [tag("tr", tag("th", name, scope="row", class_="name"), tag("td", meaning))
                                       for name, meaning in terms])),
        ),
        id="words", class_="card",
    )  # fmt: skip


def _reliability(result: StudyResult) -> Section:
    """Pass^1 and Pass^k of all conditions, as a forest plot and a table."""
    scored = [condition for condition in result.conditions if condition.reliability is not None]
    if not scored:
        return Section("reliability", "Reliability")
    k = max(condition.k for condition in scored)
    rows = []
    for place, condition in enumerate(scored):
        assert condition.reliability is not None
        look, name = look_of(place), _name(result, condition)
        first, last = condition.reliability.pass_hat.points[0], condition.reliability.pass_hat.points[-1]
        rows.append(
            Row(f"{name}: Pass^1", first, look, note=rate_range(first), said=f"{name}: Pass^1 {rate(first.estimate)}")
        )
        if k > 1:
            rows.append(
                Row(f"{name}: Pass^{condition.k}", last, look, note=rate_range(last), hollow=True,
                    said=f"{name}: Pass^{condition.k} {rate(last.estimate)}")
            )  # fmt: skip
    drawn = figure(
        "reliability",
        f"Solved once, and solved {k} times of {k}",
        "Pass^1 and the last Pass^k of every condition with intervals. " + "; ".join(row.said for row in rows[:20]),
        lambda width: forest(rows, width=width, write=percent, axis="Percent of tasks", floor=0.0, ceiling=1.0),
    )
    exhibit = Exhibit(
        drawn,
        tag("p", f"Solid: how often a task is solved. Dotted: how many tasks are solved in all of {k} attempts. The "
                 "gap between the two is unreliability: tasks that an agent can solve but does not always solve."),
        "That two conditions differ or are equal because of their intervals: they were run on the same tasks, so "
        "the next section compares them task by task, which is more precise.",
        _scores(result, k),
        attributed(
            ((_name(result, condition), note) for condition in scored for note in condition.notes), len(scored), 12
        ),
    )  # fmt: skip
    return Section("reliability", "Reliability", (exhibit,))


def _scores(result: StudyResult, k: int) -> Html:
    broke = any(condition.outcomes.get(Outcome.ERRORED, 0) for condition in result.conditions)
    heads = (
        "Agent", "Condition", "Pass^1", *(["Pass^1, errors as failures"] if broke else []), f"Pass^{k}", f"pass@{k}",
        "Scored", "Errored, invalid",
    )  # fmt: skip
    rows: Rows = []
    for condition in result.conditions:
        scores = [Value("", None)] * 3
        if (reliability := condition.reliability) is not None:
            curves = (reliability.pass_hat.points[0], reliability.pass_hat.points[-1], reliability.pass_at.points[-1])
            scores = [
                Value(rate_range(point), point.estimate) if place == 0 or condition.k == k else Value("", None)
                for place, point in enumerate(curves)
            ]
        lost = condition.outcomes.get(Outcome.ERRORED, 0), condition.outcomes.get(Outcome.INVALID, 0)
        strict = condition.score_errors_failed
        if broke:
            scores.insert(1, Value(rate_range(strict), strict.estimate) if strict is not None else scores[0])
        rows.append([
            condition.agent, condition.condition, *scores,
            Value(f"{condition.scored:,} of {condition.planned:,}", condition.scored),
            Value(f"{lost[0]:,}, {lost[1]:,}", sum(lost)),
        ])  # fmt: skip
    return table("study-scores", heads, rows)


def _tests(changed: Sequence[tuple[ConditionResult, Change]]) -> Html:
    heads = (
        "Agent", "Condition", "Points", "p", "b \N{MINUS SIGN} c", "p, McNemar", "Change per task", "p, Wilcoxon",
    )  # fmt: skip
    rows: Rows = []
    for condition, change in changed:
        gap, moved = change.difference, change.transitions
        gained, lost = len(moved.improved), len(moved.regressed)
        rows.append([
            condition.agent, condition.condition, Value(point_range(gap), gap.estimate),
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
    """Change of the success rate under each condition."""
    rows = []
    changed = [(condition, condition.change) for condition in result.conditions if condition.change is not None]
    title = "Effect of each condition"
    if not changed:
        return Section("differences", title)
    for condition, change in changed:
        gap, decided = change.difference, _decided(result, change)
        colour = paint("muted") if not decided else paint("more" if gap.estimate > 0 else "less")
        rows.append(
            Row(
                _name(result, condition), gap, Look(colour, 0, None), note=point_range(gap), hollow=not decided,
                said=f"{_name(result, condition)} minus {change.base}: {point_range(gap)} points, "
                f"p {chance(change.difference_p)}",
            )
        )  # fmt: skip
    drawn = figure(
        "differences",
        "Change of the success rate, compared with the base",
        "Differences in the success rate with intervals. " + "; ".join(row.said for row in rows[:20]),
        lambda width: forest(
            rows, width=width, write=points, axis="Percentage points", zero=0.0, ends=("worse", "better")
        ),
    )
    exhibit = Exhibit(
        drawn,
        (
            tag("p", "Change of the success rate compared with the base, in percentage points. What makes a task "
                     "hard is the same on both sides and cancels out. Filled marks are significant after Holm's "
                     "correction; dotted lines are open."),
            tag("p", "These intervals account for similar tasks within a scenario; McNemar's and Wilcoxon's tests "
                     "do not. If they disagree, trust the intervals. All p-values are corrected."),
        ),
        "That an open condition has no effect: the study may be too small. That a significant one helps elsewhere: "
        "it was measured with these agents on these tasks.",
        _tests(changed),
        attributed(
            ((_name(result, condition), note) for condition, change in changed for note in change.notes),
            len(changed), 12
        ),
    )  # fmt: skip
    return Section("differences", title, (exhibit,), link="Differences")


def _flows(result: StudyResult) -> Section:
    """Changes of tasks, per condition."""
    changed = [(condition, condition.change) for condition in result.conditions if condition.change is not None]
    exhibits = tuple(
        _flow(result, condition, change, place) for place, (condition, change) in enumerate(changed[:MOST_FLOWS])
    )
    left = len(changed) - len(exhibits)
    intro = f"Only the first {MOST_FLOWS} comparisons are drawn; {left} more are in the table above." if left else None
    return Section("flows", "Changes per task", exhibits, intro=intro)


def _flow(result: StudyResult, condition: ConditionResult, change: Change, place: int) -> Exhibit:
    moved = change.transitions
    gained, lost = len(moved.improved), len(moved.regressed)
    name = _name(result, condition)
    drawn: Figure = figure(
        f"flow-{place + 1}",
        f"From {printable(change.base)} to {printable(name)}",
        f"Of {counted(moved.tasks, 'task')}, {gained} became reliable under {name} and "
        f"{counted(lost, 'is', 'are')} no longer reliable.",
        lambda width: flow(moved.flow, CLASSES, (change.base, condition.condition), width=width),
    )
    lists = tag("div", _named("Became reliable", moved.improved), _named("No longer reliable", moved.regressed),
                class_="changes")  # fmt: skip
    return Exhibit(
        drawn,
        (
            tag("p", f"{counted(moved.tasks, 'task')}, by how often they were solved: on the left under "
                     "", who(change.base),
                ", on the right under "
                "", who(condition.condition), ". Blue flows are improvements, orange flows are regressions, "
                                                      "grey flows are unchanged."),
            tag("p", f"Reliable: {gained} gained, {lost} lost (McNemar, adjusted p {chance(change.mcnemar_p)}). "
                     f"Mean change {rounded(moved.delta.estimate, 2)} {ends(moved.delta, 1, 2)} "
                     f"{'solved rollouts per task' if moved.unit == 'counts' else 'in the success rate of a task'} "
                     f"(Wilcoxon, adjusted p {chance(change.wilcoxon_p)})."),
        ),
        "That each task was really improved or broken: even the same condition, run twice, would move tasks both "
        "ways.",
        behind("Tasks", lists, aside=f"{gained} gained, {lost} lost") if gained or lost else None,
    )  # fmt: skip


def _named(title: str, tasks: Sequence[object]) -> Html:
    more = tag("li", f"and {len(tasks) - MOST_TASKS} more") if len(tasks) > MOST_TASKS else None
    named = [tag("li", tag("bdi", printable(str(task)))) for task in tasks[:MOST_TASKS]]
    return tag("div", tag("h4", f"{title} ({len(tasks)})"), tag("ul", named, more) if tasks else None)


def _advice(result: StudyResult) -> Html | None:
    """Render the additional information given to agents, what was rejected, and its cost."""
    rows: Rows = []
    for condition in result.conditions:
        advice = condition.advice
        if not advice:
            continue
        dollars = "unknown" if advice.dollars is None else f"{advice.dollars:.2f}"
        rows.append([
            condition.agent, condition.condition,
            Value(f"{advice.plans - advice.without_plan} of {advice.plans}" if advice.plans else "", advice.plans),
            Value(f"{advice.rejected} of {advice.clarified}" if advice.clarified else "", advice.rejected),
            Value(f"{advice.rounds:,}", advice.rounds),
            Value(f"{advice.sent_back:,} of {condition.scored:,}", advice.sent_back),
            Value(f"{advice.tokens:,}", advice.tokens), Value(dollars if advice.tokens else "", advice.dollars),
        ])  # fmt: skip
    if not rows:
        return None
    heads = ("Agent", "Condition", "Tasks with a plan", "Clarifications rejected", "Times sent back",
             "Episodes sent back", "Advisers' tokens", "Advisers' dollars")  # fmt: skip
    return tag(
        "section",
        tag("h2", "Additional information for agents"),
        tag("p", "Plans, clarifications and feedback come from other models or from the verdict. A task has no plan "
                 "if there was nothing to learn from, if it was already reliable, or if its plan was dropped "
                 "because it revealed the answer.",
            class_="intro"),
        table("advice-numbers", heads, rows),
        id="advice", class_="card",
    )  # fmt: skip


def _footer(study: Study, result: StudyResult) -> list[Child]:
    facts = {
        "Study": printable(str(study.folder)),
        "Worlds": ", ".join(map(printable, study.spec.worlds)),
        "Seed": str(result.seed),
        "Intervals": f"{result.level:.0%}, clustered by scenario",
        "Version": f"Fairground {fairground.__version__}",
    }
    note = "The same file, agents and version give the same plan, and the same episodes give the same numbers."
    return [
        tag("h3", "To reproduce"),
        tag("dl", [(tag("dt", name), tag("dd", tag("bdi", value))) for name, value in facts.items()]),
        tag("p", note),
    ]
