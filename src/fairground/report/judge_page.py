"""The report on a judge: its agreement with the state verifier, and every episode where they disagree.

Text from the model, the app or the agent is escaped and never becomes markup (see `html.py`). No script runs.
"""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

import fairground
from fairground.core import Check, EpisodeError, InvalidInput
from fairground.report.data_table import Rows, Value, behind
from fairground.report.describe import evidence
from fairground.report.episode_page import write_episode_page
from fairground.report.html import Child, Html, tag
from fairground.report.palette import theme
from fairground.rollout.disk import write_whole
from fairground.rollout.judge_agreements import JudgeAgreement
from fairground.rollout.judged import Judged
from fairground.stats import Interval

SHOWN = 60
"""Maximum number of disagreements per kind shown in full; the rest is counted."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; base-uri 'none'; form-action 'none'"
_LONG = 600  # maximum characters of a value on the page; the files hold the full text


def write_judge_page(found: JudgeAgreement, path: Path) -> Path:
    """Write the page, and pages of the linked episodes that have none. Returns its path."""
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidInput(f"the page cannot be written to {path}", fix="name a file in a folder that exists")
    for judged in (*found.false_passes[:SHOWN], *found.false_fails[:SHOWN]):
        if not (judged.folder / "index.html").exists():
            write_episode_page(judged.folder)
    write_whole(path, judge_page(found, path.parent).encode("utf-8", "replace"))
    return path


def judge_page(found: JudgeAgreement, root: Path) -> str:
    """Render the page. Links to episodes are relative to `root`."""
    static = files("fairground.report") / "static"
    style = "".join((static / name).read_text("utf-8") for name in ("statistics.css", "judge.css"))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"Judge {found.model}"),
        tag("style", Html(theme() + style)),
    )
    body = tag(
        "body",
        tag("div", class_="awning", aria_hidden="true"),
        _header(found),
        tag(
            "main",
            _short(found),
            _items(found),
            _differences(
                "False passes",
                "The judge passed the episode, but the recorded state shows that it failed. This error flatters an "
                "agent.",
                found.false_passes,
                root,
            ),
            _differences(
                "False fails",
                "The judge failed the episode, but the recorded state shows that it passed.",
                found.false_fails,
                root,
            ),
            _not_judged(found, root),
        ),
        tag("footer", _footer(found)),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _header(agreement: JudgeAgreement) -> Html:
    facts: list[tuple[str, str, bool]] = [
        ("Judged", f"{agreement.judged:,}", False),
        ("Agree", f"{agreement.passed + agreement.failed:,}", False),
        ("False passes", f"{len(agreement.false_passes):,}", bool(agreement.false_passes)),
        ("False fails", f"{len(agreement.false_fails):,}", bool(agreement.false_fails)),
        ("Not judged", f"{len(agreement.not_judged):,}", bool(agreement.not_judged)),
        ("Requests", f"{agreement.usage.requests:,}", False),
        ("Tokens", f"{agreement.usage.tokens:,}", False),
        ("Cost", "unknown" if agreement.usage.dollars is None else f"${agreement.usage.dollars:,.2f}", False),
    ]
    return tag(
        "header",
        tag("div", tag("b", "Fairground"), tag("span", "Report on a judge"), class_="brand"),
        tag("h1", tag("bdi", agreement.model), " against the state verifier"),
        tag(
            "p",
            "A model judged recorded frames with a checklist. The state verifier read the recorded state of the "
            "software. The state verifier is taken as the truth: this page shows how far the model can be trusted "
            "where no state is available.",
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
        tag("p", "Errors are not scored: episodes that were not judged count in no rate below.", class_="law"),
    )


def _short(agreement: JudgeAgreement) -> Html:
    rates: list[tuple[str, Interval | None, bool]] = [
        ("Raw agreement", agreement.agreement, True),
        ("Cohen's kappa", agreement.kappa, False),
        ("Krippendorff's alpha", agreement.alpha, False),
    ]
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", tag("b", _estimate(value, share)), " ", _range(value, share)))
        for name, value, share in rates
    ]
    heads = ["", "Judge: passed", "Judge: failed", "All"]
    counts = [
        ("State: passed", agreement.passed, len(agreement.false_fails)),
        ("State: failed", len(agreement.false_passes), agreement.failed),
    ]
    cells = [
        tag("tr", tag("th", name, scope="row"), [tag("td", f"{n:,}", class_="n") for n in (yes, no, yes + no)])
        for name, yes, no in counts
    ]
    return tag(
        "section",
        tag("h2", "Summary"),
        tag(
            "div",
            tag("table", tag("tbody", rows)),
            tag(
                "table",
                tag("thead", tag("tr", [tag("th", head, class_="n" if head else None, scope="col") for head in heads])),
                tag("tbody", cells),
            ),
            class_="pair",
        ),
        tag("p", "Kappa and alpha correct for agreement by chance: 0 is chance, 1 is perfect.",
            class_="small"),
        tag("ul", [tag("li", note) for note in agreement.notes], class_="notes") if agreement.notes else None,
        class_="card verdict",
    )  # fmt: skip


def _items(agreement: JudgeAgreement) -> Html | None:
    if not agreement.items:
        return None
    rows: Rows = [
        [
            item.name,
            Value([f"{item.agreement.estimate:.0%} ", _range(item.agreement, True)]),
            Value(f"{item.episodes:,}", item.episodes),
            Value(f"{item.false_passes:,}", item.false_passes),
            Value(f"{item.false_fails:,}", item.false_fails),
        ]
        for item in agreement.items
    ]
    heads = ("Item", "Agree", "Episodes", "Met only for the judge", "Met only for the state")
    return tag(
        "section",
        tag("h2", "By checklist item"),
        tag("p", "Items that are also checks of the state verifier, lowest agreement first.", class_="intro"),
        tag("div", _table(heads, rows), class_="scroll"),
        class_="card",
    )


def _table(heads: tuple[str, ...], rows: Rows) -> Html:
    return tag(
        "table",
        tag("thead", tag("tr", [tag("th", head, class_="n" if place else None) for place, head in enumerate(heads)])),
        tag("tbody", [tag("tr", [_cell(cell) for cell in row]) for row in rows]),
    )


def _cell(cell: Value | str) -> Html:
    return tag("td", tag("bdi", _clip(cell))) if isinstance(cell, str) else tag("td", cell.shown, class_="n")


def _differences(title: str, intro: str, episodes: tuple[Judged, ...], root: Path) -> Html:
    left = len(episodes) - SHOWN
    return tag(
        "section",
        tag("h2", f"{title}: {len(episodes):,}"),
        tag("p", intro, class_="intro"),
        [_episode(episode, root) for episode in episodes[:SHOWN]] or tag("p", "None."),
        tag("p", f"{left:,} more; --json lists all.") if left > 0 else None,
        class_="card",
    )


def _episode(one: Judged, root: Path) -> Html:
    assert one.judgement is not None
    by_state = {check.name: check for check in one.checks}
    rows = [_decided(check, by_state.get(check.name)) for check in one.judgement.verdict.checks]
    judged = {check.name for check in one.judgement.verdict.checks}
    rows += [_decided(None, check) for check in one.checks if check.name not in judged]
    place = _relative(one.folder, root)
    shown = [
        tag(
            "figure",
            tag("img", src=f"{place}/frames/{digest}.png", alt=label, loading="lazy"),
            tag("figcaption", label),
        )
        for label, digest in (("First frame", one.judgement.frames[0]), ("Last frame", one.judgement.frames[-1]))
    ]
    return tag(
        "article",
        tag("h3", tag("a", tag("bdi", f"{one.configuration}, rollout {one.rollout}"), href=f"{place}/index.html")),
        tag("p", tag("bdi", _clip(one.instruction)), class_="task"),
        tag("div", shown, class_="frames"),
        tag(
            "div",
            tag(
                "table",
                tag("thead", tag("tr", [tag("th", head) for head in ("Item", "Judge", "State", "Judge's evidence",
                    "Recorded state")])),
                tag("tbody", rows),
            ),
            class_="scroll",
        ),
        class_="difference",
    )  # fmt: skip


def _decided(judge: Check | None, state: Check | None) -> Html:
    differ = judge is not None and state is not None and judge.passed != state.passed
    name = (judge or state or Check(name="-", passed=False)).name
    saw = judge.found.get("evidence", "") if judge is not None and isinstance(judge.found, dict) else ""
    pictures = judge.found.get("pictures") if judge is not None and isinstance(judge.found, dict) else None
    which = f" (picture {', '.join(map(str, pictures))})" if pictures else ""
    holds = "" if state is None else f"expected {evidence(state.expected)}, found {evidence(state.found)}"
    return tag(
        "tr",
        tag("td", tag("bdi", _clip(name))),
        tag("td", _mark(judge)),
        tag("td", _mark(state)),
        tag("td", tag("bdi", _clip(f"{saw}{which}"))),
        tag("td", tag("bdi", _clip(holds))),
        class_="differ" if differ else None,
    )


def _mark(check: Check | None) -> Html:
    if check is None:
        return tag("span", "not asked", class_="none")
    words = ("holds", "violated") if check.integrity else ("met", "not met")
    return tag("span", words[0] if check.passed else words[1], class_="met" if check.passed else "unmet")


def _not_judged(agreement: JudgeAgreement, root: Path) -> Html | None:
    if not agreement.not_judged:
        return None
    rows = [
        tag(
            "tr",
            tag("td", tag("a", tag("bdi", judged.configuration), href=f"{_relative(judged.folder, root)}/")),
            tag("td", tag("bdi", _clip(judged.problem))),
        )
        for judged in agreement.not_judged[:SHOWN]
    ]
    return tag(
        "section",
        tag("h2", f"Not judged: {len(agreement.not_judged):,}"),
        tag(
            "p",
            "These count neither as agreement nor as disagreement. The next run judges them again.",
            class_="intro",
        ),
        behind("Reason", tag("div", tag("table", tag("tbody", rows)), class_="scroll")),
        class_="card",
    )


def _footer(agreement: JudgeAgreement) -> list[Child]:
    judgement = next(
        (judged.judgement for judged in (*agreement.false_passes, *agreement.false_fails) if judged.judgement), None
    )
    facts = {"Judge": agreement.model, "Version": f"Fairground {fairground.__version__}"}
    if judgement is not None:
        facts["Prompts"] = judgement.prompt
    return [
        tag("h3", "To reproduce"),
        tag("dl", [(tag("dt", name), tag("dd", tag("bdi", value))) for name, value in facts.items()]),
        tag("p", "Each judgement is a file beside its episode, with its checklist and the frames that were shown."),
    ]


def _estimate(interval: Interval | None, share: bool) -> str:
    if interval is None:
        return "not available"
    return f"{interval.estimate:.1%}" if share else f"{interval.estimate:.2f}"


def _range(interval: Interval | None, share: bool) -> Html | None:
    if interval is None:
        return None
    ends = [f"{end:.1%}" if share else f"{end:.2f}" for end in (interval.low, interval.high)]
    return tag("span", f"{ends[0]} to {ends[1]} ({interval.level:.0%} interval)", class_="range")


def _relative(folder: Path, root: Path) -> str:
    try:
        return quote(os.path.relpath(folder.resolve(), root.resolve()))
    except ValueError as error:  # on another drive
        raise EpisodeError(f"{folder} cannot be linked from {root}: {error}") from None


def _clip(words: str) -> str:
    return words if len(words) <= _LONG else words[:_LONG] + "..."
