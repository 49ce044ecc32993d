"""The report of a proof: proven configurations, faults, surviving mutants, and the scores of cheaters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import fairground
from fairground.prove import AgentScore, Proof, ScenarioProof, ScreenProof, Status, Survivor
from fairground.report.data_table import Rows, Value, behind, table
from fairground.report.html import Child, Html, tag
from fairground.report.page_frame import page_of, write_page
from fairground.report.plural import counted
from fairground.worlds import MutantCount

LEAST = 0.8
"""A scenario with a lower share of rejected mutants needs an explanation."""

_EACH = 8  # maximum number of survivors shown per scenario
_MOST = 40  # maximum number of rows per kind; counts include all


def write_proof_page(proof: Proof, path: Path) -> Path:
    """Write the page atomically as one HTML file that works offline. Returns its path."""
    write_page(path, proof_page(proof))
    return path


def proof_page(proof: Proof) -> str:
    """Render the page."""
    main = tag(
        "main",
        _apps(proof),
        _faults(proof),
        _survivors(proof),
        _screens(proof),
        _agents(proof.agents),
        _infeasible(proof),
        _scenarios(proof),
    )
    return page_of(f"Proof of {proof.suite}", _header(proof), main, tag("footer", _footer(proof)))


def _header(proof: Proof) -> Html:
    totals = proof.summary()["totals"]
    faulty = totals["faulty"] + totals["errors"]
    unsolved = totals["screen"]["tried"] - totals["screen"]["solved"]
    if proof.sound:
        heading = f"{proof.suite}: no faults found"
    else:
        parts = [
            counted(totals["faulty"], "faulty pair"),
            counted(totals["errors"], "error"),
            counted(unsolved, "screen") + " not solved" if unsolved else "",
        ]
        summary = ", ".join(part for part in parts if part and not part.startswith("0 "))
        heading = f"{proof.suite}: {summary or 'not everything was tried'}"
    facts: list[tuple[str, str, bool]] = [
        ("Proven configurations", f"{totals['proven_configurations']:,}", False),
        ("Scenarios", f"{totals['scenarios']:,}", False),
        ("Instances", f"{totals['instances']:,}", False),
        ("(instance, profile) pairs", f"{totals['pairs']:,}", False),
        ("Infeasible", f"{totals['infeasible']:,}", False),
        ("Faulty or errored", f"{faulty:,}", faulty > 0),
        ("Mutants rejected", _share(proof.mutants), (proof.mutants.share or 1) < 0.95),
    ]
    if tried := totals["screen"]["tried"]:  # if every pair was solved on a screen, this repeats the number of pairs
        facts.append(("Solved on screens", f"{totals['screen']['solved']:,} of {tried:,}", unsolved > 0))
    sampled = " Only a sample was tried; the rest is not proven." if proof.sampled else ""
    return tag(
        "header",
        tag(
            "div",
            tag("b", "Fairground"),
            tag("span", f"Proof of {proof.suite} {proof.version}"),
            tag("button", "Theme", id="theme", type="button", class_="push"),
            class_="brand",
        ),
        tag("h1", heading),
        tag(
            "p",
            "Every instance was tried with every profile: its instruction resolves, the task makes sense with the "
            f"data, it is not solved at the start, and its oracle reaches full reward.{sampled}",
            class_="measured",
        ),
        tag(
            "dl",
            [
                tag("div", tag("dt", name), tag("dd", value), class_="odd" if odd else None)
                for name, value, odd in facts
            ],
            class_="facts",
        ),
    )


def _apps(proof: Proof) -> Html:
    rows: Rows = []
    for app, figures in proof.summary()["apps"].items():
        count = sum((scenario.mutant_count for scenario in proof.scenarios if scenario.app == app), MutantCount())
        rows.append(
            [
                app,
                _number(figures["scenarios"]),
                _number(figures["action"]),
                _number(figures["answer"]),
                _number(figures["instances"]),
                _number(figures["proven"]),
                _number(figures["infeasible"]),
                _number(figures["faulty"]),
                _number(figures["proven_configurations"]),
                Value(_share(count), count.share),
            ]
        )
    heads = ("App", "Scenarios", "Action", "Answer", "Instances", "Proven pairs", "Infeasible", "Faulty",
             "Proven configurations", "Mutants rejected")  # fmt: skip
    intro = "A pair is an instance with a profile. A proven pair counts once for every theme and UI state."
    return _card("Apps", intro, table("apps", heads, rows), name="apps")


def _faults(proof: Proof) -> Html | None:
    rows: Rows = []
    for scenario in proof.scenarios:
        for (fault, message), pairs in scenario.faults.items():
            rows.append([scenario.name, fault.value, message, "@".join(pairs[0]), _number(len(pairs))])
        rows += [
            [scenario.name, "infrastructure error", why, where, _number(1)] for where, why in scenario.errors.items()
        ]
        rows += [
            [scenario.name, "its mutants could not be tried", mutants.error, "", _number(1)]
            for mutants in scenario.mutants
            if mutants.error
        ]
        if not proof.sampled and (left := scenario.wanted - len(scenario.pairs) - len(scenario.errors)) > 0:
            rows.append([scenario.name, "not tried", "it needs a seat: prove with --browser", "", _number(left)])
    if not rows:
        return None
    heads = ("Scenario", "Fault", "Details", "Example", "Pairs")
    intro = "Faults of the suite. None of these pairs is served."
    return _card("Faults", intro, table("faults", heads, rows[:_MOST]), _cut(rows), name="faults")


def _survivors(proof: Proof) -> Html:
    weak = sorted(
        (scenario for scenario in proof.scenarios if scenario.mutant_count.survived),
        key=lambda scenario: (scenario.mutant_count.share or 0.0, scenario.name),
    )
    intro = (
        "A mutant is the oracle with a mistake. A surviving mutant ends in another state than the oracle and still "
        "passes. The differences in its final state are listed below it: something that no check covers, or "
        "something that the task leaves open."
    )
    kinds = _kinds(proof)
    if not weak:
        note = "No mutants survived." if proof.mutants.counted else "No mutants were tried."
        return _card("Mutants", intro, tag("p", note), kinds, name="mutants")
    blocks = []
    for scenario in weak[:_MOST]:
        count = scenario.mutant_count
        low = (count.share or 0.0) < LEAST
        pill = tag("span", f"{_share(count)} rejected", class_="pill no" if low else "pill yes")
        title = tag("summary", scenario.name, " ", pill, tag("small", f" {counted(count.survived, 'survivor')}"))
        rows = [_survivor(survivor) for survivor in _various(scenario.survivors)[:_EACH]]
        heads = tag(
            "tr",
            [tag("th", head, scope="col") for head in ("Mistake", "Differences in the final state", "Configuration")],
        )
        shown = tag("div", tag("table", tag("thead", heads), tag("tbody", rows)), class_="scroll")
        blocks.append(tag("details", title, shown, open=low))
    return _card("Mutants", intro, kinds, blocks, _cut(weak), name="mutants")


def _kinds(proof: Proof) -> Html | None:
    counts: dict[str, MutantCount] = {}
    for scenario in proof.scenarios:
        for mutants in scenario.mutants:
            for kind, count in mutants.kinds.items():
                counts[kind] = counts.get(kind, MutantCount()) + count
    if not counts:
        return None
    rows: Rows = [
        [
            kind,
            Value(_share(count), count.share),
            _number(count.rejected),
            _number(count.survived),
            _number(count.unmoved),
            _number(count.equivalent),
            _number(count.not_made),
        ]
        for kind, count in sorted(counts.items())
    ]
    heads = (
        "Kind",
        "Rejected",
        "Rejected",
        "Survived",
        "Ended at the start",
        "Same as the oracle",
        "Could not be made",
    )
    return behind("By kind of mistake", table("kinds", heads, rows), aside=counted(proof.mutants.counted, "mutant"))


def _various(survivors: Sequence[Survivor]) -> list[Survivor]:
    """Return survivors, first those that show another kind of mistake or another location."""
    seen: set[tuple[str, ...]] = set()
    new: list[Survivor] = []
    for survivor in survivors:
        sort = (survivor.kind, *sorted({place.partition("[")[0] for place in survivor.differs}))
        if sort not in seen:
            new.append(survivor)
        seen.add(sort)
    return new + [survivor for survivor in survivors if survivor not in new]


def _survivor(survivor: Survivor) -> Html:
    differences: list[Child] = [(tag("code", place), f": {change}") for place, change in survivor.differs.items()]
    if survivor.broke:
        differences.append(f"the checks raised an error: {survivor.broke}")
    if survivor.answer is not None:
        differences.append(("it answered ", tag("code", survivor.answer)))
    differs = [tag("div", line) for line in differences] or [
        tag("div", "no difference from the oracle's state was found")
    ]
    moves = behind("Its actions", tag("ol", [tag("li", tag("code", move)) for move in survivor.moves]))
    mistake = (tag("b", survivor.kind), tag("div", survivor.name), moves)
    cells = (tag("td", mistake), tag("td", differs), tag("td", tag("code", survivor.configuration)))
    return tag("tr", cells)


def _screens(proof: Proof) -> Html | None:
    tried = [screen for scenario in proof.scenarios for screen in scenario.screens]
    if not tried:
        return None
    unsolved = [screen for screen in tried if not screen.solved]
    rows: Rows = [[screen.configuration, screen.message, _number(round(screen.ms))] for screen in unsolved]
    looks = {screen.configuration.partition("@")[2].partition("/")[2] for screen in tried}
    slow = sorted(screen.ms for screen in tried)[len(tried) // 2]
    intro = (
        f"The oracle with real input on a real screen: {counted(len(tried), 'try', 'tries')} over "
        f"{counted(len(looks), 'combination')} of theme and UI state; {slow / 1000:.1f} s at the median."
    )
    shown: Child = tag("p", "It solved all of them.")
    if rows:
        pictures = [_picture(screen) for screen in unsolved[:_MOST] if screen.picture]
        shown = (table("screens", ("Configuration", "Details", "ms"), rows[:_MOST]), pictures)
    return _card("On real screens", intro, shown, _cut(rows), name="screens")


def _picture(screen: ScreenProof) -> Html:
    source, about = f"data:image/png;base64,{screen.picture}", f"Screen of {screen.configuration}"
    return behind(f"Screenshot of {screen.configuration}", tag("img", src=source, alt=about, loading="lazy"))


def _agents(agents: Sequence[AgentScore]) -> Html | None:
    if not agents:
        return None
    rows: Rows = []
    for agent in agents:
        rate = agent.passed / agent.scored if agent.scored else None
        scored = f"{rate:.1%} ({agent.low:.1%} to {agent.high:.1%})" if rate is not None else "nothing scored"
        where = "; ".join(agent.successes[:3])
        numbers = [_number(agent.passed), _number(agent.scored), _number(agent.errored)]
        rows.append(
            [agent.agent, agent.about, Value(scored, rate), Value(f"{agent.reward:.3f}", agent.reward), *numbers, where]
        )
    heads = ("Agent", "Behaviour", "Success (95%)", "Mean reward", "Passed", "Scored", "Errored", "Passed in")
    intro = "Agents that cannot or will not do the task. Each should score close to zero; the oracle shows the scale."
    return _card("Baseline agents", intro, table("agents", heads, rows), name="agents")


def _infeasible(proof: Proof) -> Html | None:
    rows: Rows = []
    for scenario in proof.scenarios:
        nowhere = scenario.nowhere
        rows += [[scenario.name, instance, "every profile", message] for instance, message in nowhere.items()]
        for (instance, profile), pair in scenario.pairs.items():
            if pair.status is Status.INFEASIBLE and instance not in nowhere:
                rows.append([scenario.name, instance, profile, pair.message])
    if not rows:
        return None
    heads = ("Scenario", "Instance", "Profile", "Reason")
    intro = (
        "Not faults: the task makes no sense with this data. Check instances that are infeasible with every profile."
    )
    shown = behind(counted(len(rows), "row"), table("infeasible", heads, rows[:500]))
    return _card("Infeasible pairs", intro, shown, name="infeasible")


def _scenarios(proof: Proof) -> Html:
    rows: Rows = []
    for scenario in proof.scenarios:
        count = scenario.mutant_count
        head_start = max((pair.start for pair in scenario.pairs.values()), default=0.0)
        guessed = sum(bool(pair.guessed) for pair in scenario.pairs.values())
        rows.append(
            [
                scenario.name,
                scenario.kind,
                _number(scenario.count(Status.PROVEN)),
                _number(scenario.count(Status.INFEASIBLE)),
                _number(scenario.count(Status.FAULTY)),
                _number(scenario.proven),
                Value(_share(count), count.share),
                _number(_typical(scenario)),
                Value(f"{head_start:.2f}", head_start),
                _number(guessed),
            ]
        )
    heads = ("Scenario", "Kind", "Proven", "Infeasible", "Faulty", "Configurations", "Mutants rejected", "Actions",
             "Reward at the start", "Guessed")  # fmt: skip
    intro = (
        "Reward at the start: the maximum reward for doing nothing. Guessed: pairs whose answer can be guessed "
        "without looking, such as 1 or yes."
    )
    return _card("Scenarios", intro, table("scenarios", heads, rows), name="scenarios")


def _typical(scenario: ScenarioProof) -> int:
    moves = sorted(pair.moves for pair in scenario.pairs.values() if pair.moves)
    return moves[len(moves) // 2] if moves else 0


def _card(title: str, intro: str, *children: Child, name: str) -> Html:
    return tag("section", tag("h2", title), tag("p", intro, class_="intro"), children, id=name, class_="card")


def _cut(rows: Sequence[object]) -> Html | None:
    return tag("p", f"{len(rows) - _MOST:,} more.", class_="absent") if len(rows) > _MOST else None


def _number(value: int) -> Value:
    return Value(f"{value:,}", float(value))


def _share(count: MutantCount) -> str:
    return f"{count.share:.1%}" if count.share is not None else "none tried"


def _footer(proof: Proof) -> Iterable[Child]:
    known = f", {counted(proof.reused, 'result')} reused" if proof.reused else ""
    return [tag("p", f"Fairground {fairground.__version__}. Proven in {proof.seconds:.0f} s{known}.")]
