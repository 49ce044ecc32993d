"""The page of a proof: what is proven, what fails and why, which near misses survive, what cheaters score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import fairground
from fairground.prove import AgentScore, Proof, ScenarioProof, ScreenProof, Status, Survivor
from fairground.report.data_table import Rows, Value, behind, table
from fairground.report.html import Child, Html, tag
from fairground.report.page_frame import page_of, write_page
from fairground.worlds import MutantCount

LEAST = 0.8
"""A scenario that rejects fewer of its mutants needs a reason."""

_EACH = 8  # survivors of a scenario that are shown
_MOST = 40  # of a kind that are spelt out; the counts are of all


def write_proof_page(proof: Proof, path: Path) -> Path:
    """Writes the page as one HTML file that works offline, whole or not at all; returns its path."""
    write_page(path, proof_page(proof))
    return path


def proof_page(proof: Proof) -> str:
    """The page as text."""
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
        heading = f"{proof.suite}: everything that was tried is sound"
    else:
        found = [
            _many(totals["faulty"], "faulty pair"),
            _many(totals["errors"], "error"),
            _many(unsolved, "screen") + " not solved" if unsolved else "",
        ]
        told = ", ".join(part for part in found if part and not part.startswith("0 "))
        heading = f"{proof.suite}: {told or 'not all of it was tried'}"
    facts: list[tuple[str, str, bool]] = [
        ("Proven configurations", f"{totals['proven_configurations']:,}", False),
        ("Scenarios", f"{totals['scenarios']:,}", False),
        ("Instances", f"{totals['instances']:,}", False),
        ("Instances on profiles", f"{totals['pairs']:,}", False),
        ("Infeasible", f"{totals['infeasible']:,}", False),
        ("Faulty or errored", f"{faulty:,}", faulty > 0),
        ("Mutants rejected", _share(proof.mutants), (proof.mutants.share or 1) < 0.95),
    ]
    if tried := totals["screen"]["tried"]:  # where every pair is solved on one, there are no others
        facts.append(("Solved on screens", f"{totals['screen']['solved']:,} of {tried:,}", unsolved > 0))
    sampled = " Only a sample was tried: the rest is not proven by it." if proof.sampled else ""
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
            "Every instance was tried on every profile: its instruction resolves, the task makes sense with the data, "
            f"it is not solved at the start, and its oracle reaches full reward.{sampled}",
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
        count = sum((one.mutant_count for one in proof.scenarios if one.app == app), MutantCount())
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
    intro = "A pair is an instance on a profile; a proven one counts once for every theme and UI state."
    return _card("Apps", intro, table("apps", heads, rows), name="apps")


def _faults(proof: Proof) -> Html | None:
    rows: Rows = []
    for one in proof.scenarios:
        for (fault, message), pairs in one.faults.items():
            rows.append([one.name, fault.value, message, "@".join(pairs[0]), _number(len(pairs))])
        rows += [[one.name, "an error of the machine", why, where, _number(1)] for where, why in one.errors.items()]
        rows += [
            [one.name, "its mutants could not be tried", mutants.error, "", _number(1)]
            for mutants in one.mutants
            if mutants.error
        ]
        if not proof.sampled and (left := one.wanted - len(one.pairs) - len(one.errors)) > 0:
            rows.append([one.name, "not tried", "it needs a seat: prove with --browser", "", _number(left)])
    if not rows:
        return None
    heads = ("Scenario", "What is wrong", "What was found", "For example", "Pairs")
    intro = "Mistakes of the suite. None of these pairs is served."
    return _card("What fails, and why", intro, table("faults", heads, rows[:_MOST]), _cut(rows), name="faults")


def _survivors(proof: Proof) -> Html:
    weak = sorted(
        (one for one in proof.scenarios if one.mutant_count.survived),
        key=lambda one: (one.mutant_count.share or 0.0, one.name),
    )
    intro = (
        "A mutant is the oracle with a mistake in it. One that survives ends otherwise than the oracle and is taken "
        "for the solution. Below each is where its end differs: what no check looks at, or what the task leaves open."
    )
    kinds = _kinds(proof)
    if not weak:
        said = "No mutant survives." if proof.mutants.counted else "No mutants were tried."
        return _card("Near misses", intro, tag("p", said), kinds, name="mutants")
    blocks = []
    for one in weak[:_MOST]:
        count = one.mutant_count
        low = (count.share or 0.0) < LEAST
        pill = tag("span", f"{_share(count)} rejected", class_="pill no" if low else "pill yes")
        title = tag("summary", one.name, " ", pill, tag("small", f" {_many(count.survived, 'survivor')}"))
        rows = [_survivor(survivor) for survivor in _various(one.survivors)[:_EACH]]
        heads = tag("tr", [tag("th", head, scope="col") for head in ("Mistake", "Where its end differs", "At")])
        shown = tag("div", tag("table", tag("thead", heads), tag("tbody", rows)), class_="scroll")
        blocks.append(tag("details", title, shown, open=low))
    return _card("Near misses", intro, kinds, blocks, _cut(weak), name="mutants")


def _kinds(proof: Proof) -> Html | None:
    counts: dict[str, MutantCount] = {}
    for one in proof.scenarios:
        for mutants in one.mutants:
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
    return behind("By kind of mistake", table("kinds", heads, rows), aside=_many(proof.mutants.counted, "mutant"))


def _various(survivors: Sequence[Survivor]) -> list[Survivor]:
    """Survivors, those first that show something new: another kind of mistake, or another place."""
    seen: set[tuple[str, ...]] = set()
    new: list[Survivor] = []
    for one in survivors:
        sort = (one.kind, *sorted({place.partition("[")[0] for place in one.differs}))
        if sort not in seen:
            new.append(one)
        seen.add(sort)
    return new + [one for one in survivors if one not in new]


def _survivor(one: Survivor) -> Html:
    found: list[Child] = [(tag("code", place), f": {change}") for place, change in one.differs.items()]
    if one.broke:
        found.append(f"the checks broke on it: {one.broke}")
    if one.answer is not None:
        found.append(("it answered ", tag("code", one.answer)))
    differs = [tag("div", line) for line in found] or [tag("div", "it could not be told from the oracle's")]
    moves = behind("Its moves", tag("ol", [tag("li", tag("code", move)) for move in one.moves]))
    mistake = (tag("b", one.kind), tag("div", one.name), moves)
    cells = (tag("td", mistake), tag("td", differs), tag("td", tag("code", one.configuration)))
    return tag("tr", cells)


def _screens(proof: Proof) -> Html | None:
    tried = [screen for one in proof.scenarios for screen in one.screens]
    if not tried:
        return None
    unsolved = [screen for screen in tried if not screen.solved]
    rows: Rows = [[screen.configuration, screen.message, _number(round(screen.ms))] for screen in unsolved]
    looks = {screen.configuration.partition("@")[2].partition("/")[2] for screen in tried}
    slow = sorted(screen.ms for screen in tried)[len(tried) // 2]
    intro = (
        f"The oracle, with real input on a real screen: {_many(len(tried), 'try', 'tries')} over "
        f"{_many(len(looks), 'pair')} of theme and UI state; {slow / 1000:.1f} s at the median."
    )
    shown: Child = tag("p", "It solved every one.")
    if rows:
        pictures = [_picture(screen) for screen in unsolved[:_MOST] if screen.picture]
        shown = (table("screens", ("Configuration", "What was found", "ms"), rows[:_MOST]), pictures)
    return _card("On real screens", intro, shown, _cut(rows), name="screens")


def _picture(screen: ScreenProof) -> Html:
    source, about = f"data:image/png;base64,{screen.picture}", f"The screen of {screen.configuration}"
    return behind(f"How {screen.configuration} looked", tag("img", src=source, alt=about, loading="lazy"))


def _agents(agents: Sequence[AgentScore]) -> Html | None:
    if not agents:
        return None
    rows: Rows = []
    for one in agents:
        rate = one.passed / one.scored if one.scored else None
        scored = f"{rate:.1%} ({one.low:.1%} to {one.high:.1%})" if rate is not None else "nothing was scored"
        where = "; ".join(one.successes[:3])
        numbers = [_number(one.passed), _number(one.scored), _number(one.errored)]
        rows.append(
            [one.agent, one.about, Value(scored, rate), Value(f"{one.reward:.3f}", one.reward), *numbers, where]
        )
    heads = ("Agent", "What it does", "Success (95%)", "Mean reward", "Passed", "Scored", "Errored", "Where it passed")
    intro = (
        "Agents that cannot do the work, or will not. Each should score next to nothing; the oracle shows the scale."
    )
    return _card("Agents that should fail", intro, table("agents", heads, rows), name="agents")


def _infeasible(proof: Proof) -> Html | None:
    rows: Rows = []
    for one in proof.scenarios:
        nowhere = one.nowhere
        rows += [[one.name, instance, "every profile", message] for instance, message in nowhere.items()]
        for (instance, profile), pair in one.pairs.items():
            if pair.status is Status.INFEASIBLE and instance not in nowhere:
                rows.append([one.name, instance, profile, pair.message])
    if not rows:
        return None
    heads = ("Scenario", "Instance", "Profile", "Why")
    intro = (
        "No fault: with this data the task makes no sense. An instance that makes sense on no profile is worth a look."
    )
    shown = behind(_many(len(rows), "row"), table("infeasible", heads, rows[:500]))
    return _card("Not feasible", intro, shown, name="infeasible")


def _scenarios(proof: Proof) -> Html:
    rows: Rows = []
    for one in proof.scenarios:
        count = one.mutant_count
        head_start = max((pair.start for pair in one.pairs.values()), default=0.0)
        guessed = sum(bool(pair.guessed) for pair in one.pairs.values())
        rows.append(
            [
                one.name,
                one.kind,
                _number(one.count(Status.PROVEN)),
                _number(one.count(Status.INFEASIBLE)),
                _number(one.count(Status.FAULTY)),
                _number(one.proven),
                Value(_share(count), count.share),
                _number(_typical(one)),
                Value(f"{head_start:.2f}", head_start),
                _number(guessed),
            ]
        )
    heads = ("Scenario", "Kind", "Proven", "Infeasible", "Faulty", "Configurations", "Mutants rejected", "Moves",
             "Reward at the start", "Guessed")  # fmt: skip
    intro = (
        "Reward at the start: what doing nothing earns at most. Guessed: pairs whose right answer is one that somebody "
        "says who has not looked, such as 1 or yes."
    )
    return _card("Scenarios", intro, table("scenarios", heads, rows), name="scenarios")


def _typical(one: ScenarioProof) -> int:
    moves = sorted(pair.moves for pair in one.pairs.values() if pair.moves)
    return moves[len(moves) // 2] if moves else 0


def _card(title: str, intro: str, *children: Child, name: str) -> Html:
    return tag("section", tag("h2", title), tag("p", intro, class_="intro"), children, id=name, class_="card")


def _cut(rows: Sequence[object]) -> Html | None:
    return tag("p", f"And {len(rows) - _MOST:,} more.", class_="absent") if len(rows) > _MOST else None


def _number(value: int) -> Value:
    return Value(f"{value:,}", float(value))


def _share(count: MutantCount) -> str:
    return f"{count.share:.1%}" if count.share is not None else "none tried"


def _many(count: int, what: str, several: str = "") -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {several or what + 's'}"


def _footer(proof: Proof) -> Iterable[Child]:
    known = f", {proof.reused:,} of its results known before" if proof.reused else ""
    return [tag("p", f"Fairground {fairground.__version__}. Proven in {proof.seconds:.0f} s{known}.")]
