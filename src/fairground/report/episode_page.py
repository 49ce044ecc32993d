"""The page of an episode: one `index.html` in its folder that works when opened as a file.

Text from an agent, an app or a check is escaped and never becomes markup (see `html.py`). In addition, the page's
Content Security Policy allows only the script written here.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote as url

from fairground.core import Check, EpisodeError, Step, Type, ended_by_words
from fairground.report.describe import describe, evidence, worth
from fairground.report.html import Child, Html, join, tag
from fairground.report.marks import Box, Mark, Ring, Trail, arrow_head, caption, marks, scale
from fairground.report.outcomes import outcome_pill
from fairground.report.palette import theme
from fairground.report.plural import counted
from fairground.report.scenes import Scene, outcome_of, scenes_of
from fairground.report.state_changes import changes_section, state_changes
from fairground.rollout.disk import write_whole
from fairground.rollout.folder import MOMENTS, EpisodeFolder, read_episode
from fairground.rollout.video import hold_times

LONG = 20_000  # maximum characters of a value or thought on the page; the files hold the full text
LOG = 60_000  # characters shown from the end of a log


def write_episode_page(folder: EpisodeFolder | Path | str) -> Path:
    """Write `index.html` into an episode folder and return its path."""
    episode_folder = folder if isinstance(folder, EpisodeFolder) else read_episode(folder)
    path = episode_folder.path / "index.html"
    write_whole(path, episode_page(episode_folder).encode("utf-8", "replace"))
    return path


def episode_page(folder: EpisodeFolder) -> str:
    """Render the page. Frames and video are linked relative to the folder."""
    episode = folder.episode
    style, script = ((files("fairground.report") / "static" / name).read_text("utf-8") for name in _STATIC)
    outcome = outcome_of(folder)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{outcome.capitalize()}: {_clip(' '.join(episode.instruction.split()), 80)}"),
        tag("style", Html(theme() + style)),
    )
    body = tag(
        "body",
        tag("div", class_="awning", aria_hidden="true"),
        _header(folder, outcome),
        tag("main", _replay(folder), _facts(folder), _verdict(folder), _changes(folder), _about(folder), _logs(folder)),
        tag("footer", _footer(folder)),
        tag("script", Html(script)),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


_STATIC = ("episode.css", "episode.js")


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # `file:` in addition to 'self', because a page opened as a file has no origin.
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src 'self' file:; media-src 'self' file:; base-uri 'none'; form-action 'none'"
    )


def _header(folder: EpisodeFolder, outcome: str) -> Html:
    """Render the instruction on one line that can be expanded, to leave room for the screen."""
    episode = folder.episode
    warnings = [tag("li", _clip(note, LONG), class_="warning") for note in _warnings(folder)]
    instruction = tag("details", tag("summary", tag("h1", _clip(episode.instruction, LONG))), class_="told")
    return tag(
        "header",
        tag("div", tag("b", "Fairground"), tag("span", "Episode ", tag("code", episode.id)), class_="brand"),
        tag("div", outcome_pill(outcome), instruction, class_="head"),
        tag("ul", warnings, class_="notes") if warnings else None,
    )


def _facts(folder: EpisodeFolder) -> Html:
    episode, verdict = folder.episode, folder.episode.verdict
    facts: list[tuple[str, str]] = []
    if verdict is not None:
        passed = sum(check.passed for check in verdict.checks)
        facts += [("Reward", f"{verdict.reward:.2f}"), ("Checks", f"{passed} of {len(verdict.checks)}")]
    facts += [("Steps", f"{len(folder.steps)} of {episode.step_budget}")]
    facts += [("Time", _seconds(episode.seconds))] if episode.seconds else []
    facts += [("Agent", episode.agent)]
    facts += [("Ended by", ended_by_words(episode.ended_by))] if episode.ended_by else []
    if episode.answer is not None:
        facts += [("Answer", _clip(episode.answer, 200))]
    notes = [tag("li", _clip(note, LONG)) for note in episode.notes]
    return tag(
        "div",
        tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts], class_="facts"),
        tag("ul", notes, class_="notes") if notes else None,
    )


def _warnings(folder: EpisodeFolder) -> list[str]:
    """Render warnings that affect how far to trust the episode."""
    warnings = []
    if not folder.complete:
        warnings.append("The recording was cut short. Only the readable part is shown; it is not a result.")
    warnings += folder.problems[:20]
    if folder.episode.error:
        warnings.append(folder.episode.error)
    if not folder.episode.fingerprint.isolated:
        runner = folder.episode.fingerprint.runner
        warnings.append(f"Not isolated: this machine could not isolate the agent from the host (runner {runner}).")
    return warnings


def _replay(folder: EpisodeFolder) -> Html | None:
    scenes = list(scenes_of(folder))
    if not scenes:
        return None
    holds = hold_times([0.0, *(step.seconds for step in folder.steps)])
    times = [scene.step.seconds if scene.step else folder.episode.seconds for scene in scenes]
    rows = []
    for place, (scene, seconds) in enumerate(zip(scenes, times, strict=True)):
        words = describe(scene.step.action) if scene.step else "final screen"
        refused = "refused" if scene.step and scene.step.refused else None
        row = (
            tag("span", str(scene.number) if scene.step else "end", class_="n"),
            tag("span", words, class_=refused),
            tag("time", f"{seconds:.1f} s") if seconds else None,
        )
        rows.append(tag("li", tag("a", row, href=f"#step-{place + 1}")))
    controls = tag(
        "div",
        tag("button", _icon("M15 5 7 12l8 7z"), id="back", type="button", aria_label="Previous step"),
        tag(
            "button", _icon("M8 5v14l11-7z", "go"), _icon("M7 5h4v14H7zm6 0h4v14h-4z", "pause"),
            id="play", type="button", aria_label="Play",
        ),
        tag("button", _icon("m9 5 8 7-8 7z"), id="next", type="button", aria_label="Next step"),
        tag("input", id="scrubber", type="range", min=0, max=len(scenes) - 1, value=0, aria_label="Step"),
        tag("output", id="where"),
        class_="controls",
    )  # fmt: skip
    shots = [_scene(folder, scene, hold) for scene, hold in zip(scenes, holds, strict=True)]
    steps = tag("nav", tag("ol", rows), class_="list", aria_label="Steps")
    width, height = folder.frame_sizes.get(scenes[0].frame, (16, 9))
    return tag("section", shots, controls, steps, class_="card replay tall" if height > width else "card replay")


def _icon(path: str, name: str | None = None) -> Html:
    return tag("svg", tag("path", d=path), viewBox="0 0 24 24", class_=name, aria_hidden="true")


def _scene(folder: EpisodeFolder, scene: Scene, hold: float) -> Html:
    try:
        width, height = folder.frame_size(scene.frame)
        source = folder.frame_path(scene.frame).as_posix()
        alt = f"What the agent saw before step {scene.number}" if scene.step else "The screen at the end"
        image = tag(
            "img", src=source, width=width, height=height, alt=alt, loading="lazy" if scene.number > 1 else None
        )
    except EpisodeError:
        if folder.complete:
            raise
        width, height = 1280, 720
        image = tag("div", "This frame is missing.", class_="lost")
    drawn: list[Child] = []
    if scene.step is not None:
        if not scene.step.refused:
            unit = scale((width, height))
            shapes = [_svg(mark, unit) for mark in marks(scene.step.action, (width, height), scene.cursor)]
            drawn.append(tag("svg", shapes, viewBox=f"0 0 {width} {height}", aria_hidden="true"))
        if words := caption(scene.step.action):
            drawn.append(tag("div", words, class_="typed"))
    return tag(
        "article",
        tag("div", tag("div", image, drawn, class_="frame", style=f"--w:{width};--h:{height}"), class_="shot"),
        _said(scene.step) if scene.step else _left(),
        id=f"step-{scene.number}", class_="step", data_hold=round(hold * 1000),
        data_end=None if scene.step else "1",
    )  # fmt: skip


def _left() -> Html:
    return tag("div", tag("div", "Final screen", class_="does"), class_="about")


def _said(step: Step) -> Html:
    """Render what the agent did and wrote in a step, and the times it took."""
    chips = [
        tag("li", f"at {step.seconds:.1f} s"),
        tag("li", f"agent {_ms(step.agent_ms)}") if step.agent_ms else None,
        tag("li", f"act {_ms(step.act_ms)}"),
        tag("li", f"settled in {_ms(step.settle_ms)}")
        if step.settled
        else tag("li", f"not settled after {_ms(step.settle_ms)}", class_="late"),
    ]
    # The agent gets a refusal as a message; it is shown only once here.
    messages = [message for message in step.messages[:20] if not (step.refused and step.refused in message)]
    long_text = step.action.text if isinstance(step.action, Type) and len(step.action.text) > 48 else ""
    return tag(
        "div",
        tag("div", tag("i", f"Step {step.index + 1}"), describe(step.action), class_="does"),
        tag("div", f"Refused: {_clip(step.refused, LONG)}", class_="why") if step.refused else None,
        tag("pre", _clip(long_text, LONG), class_="text") if long_text else None,
        tag("blockquote", _clip(step.thought, LONG)) if step.thought else None,
        [tag("div", f"Message from the environment: {_clip(message, LONG)}", class_="why") for message in messages],
        tag("ul", chips, class_="chips"),
        class_="about",
    )


def _svg(mark: Mark, unit: float) -> Html:
    def both(name: str, width: float, /, **attributes: str | int | float) -> list[Html]:
        around = tag(name, class_="halo", stroke_width=_n((width + 4) * unit), **attributes)
        return [around, tag(name, class_="mark", stroke_width=_n(width * unit), **attributes)]

    match mark:
        case Ring():
            x, y = (_n(value) for value in mark.at)
            rings = [both("circle", 4, cx=x, cy=y, r=_n((17 + 9 * turn) * unit)) for turn in range(mark.count)]
            pulse = tag("circle", class_="mark pulse", stroke_width=_n(3 * unit), cx=x, cy=y, r=_n(17 * unit))
            dot = tag("circle", class_="mark solid", stroke_width=0, cx=x, cy=y, r=_n(3.5 * unit))
            return join((rings, dot, pulse))
        case Trail():
            line = both("polyline", 4.5, points=" ".join(f"{_n(x)},{_n(y)}" for x, y in mark.points))
            head = arrow_head(mark.points, 20 * unit)
            corners = " ".join(f"{_n(x)},{_n(y)}" for x, y in head or ())
            tip = tag("polygon", class_="mark solid", stroke_width=_n(2 * unit), points=corners)
            back = tag("polygon", class_="halo solid", stroke_width=_n(6 * unit), points=corners)
            return join((line[0], back, line[1], tip) if head else line)
        case Box():
            left, top, right, bottom = mark.region
            place = {"x": _n(left), "y": _n(top), "width": _n(right - left), "height": _n(bottom - top)}
            return join(both("rect", 4, **place))


def _verdict(folder: EpisodeFolder) -> Html | None:
    verdict = folder.episode.verdict
    if verdict is None:
        return None
    total = sum(check.weight for check in verdict.checks) or 1.0
    text = "All checks passed." if verdict.success else "Some checks failed."
    if not verdict.integrity:
        text = "A guard failed, so the reward is 0."
    return tag(
        "section",
        tag("div", tag("h2", "Verdict"), tag("span", f"Reward {verdict.reward:.2f}. {text}"), class_="sum"),
        tag(
            "table",
            tag("thead", tag("tr", tag("th"), [tag("th", name) for name in ("Check", "Expected", "Found")])),
            tag("tbody", [_check(check, total) for check in verdict.checks]),
            class_="checks",
        ),
        class_="card",
    )


def _changes(folder: EpisodeFolder) -> Html | None:
    changes = state_changes(folder)
    if not changes.recorded:
        return None
    return tag("section", tag("h2", "State changes"), changes_section(changes), class_="card")


def _check(check: Check, total: float) -> Html:
    sign = "m7 12.4 3.4 3.4L17 9" if check.passed else "m8.2 8.2 7.6 7.6m0-7.6-7.6 7.6"
    icon = tag(
        "svg", tag("circle", cx=12, cy=12, r=11), tag("path", d=sign), viewBox="0 0 24 24", role="img",
        class_="check" if check.passed else "check cross", aria_label="passed" if check.passed else "failed",
    )  # fmt: skip
    values = [
        tag("td", tag("pre", _clip(evidence(value, indent=_indent(value)), LONG)), class_=kind, data_label=label)
        for kind, label, value in (
            ("value expected", "Expected", check.expected),
            ("value found", "Found", check.found),
        )
    ]
    name = tag("td", check.name, tag("small", worth(check, total)), class_="name")
    return tag("tr", tag("td", icon), name, values, class_=None if check.passed else "no")


def _indent(value: object) -> int | None:
    return 2 if len(evidence(value)) > 60 else None


def _about(folder: EpisodeFolder) -> Html:
    episode = folder.episode
    configuration, fingerprint = episode.configuration, episode.fingerprint
    axes = {"instance": configuration.instance, "profile": configuration.profile, "theme": configuration.theme}
    world = {"suite": configuration.suite, "app": configuration.app, "scenario": configuration.scenario}
    marks_of_it = {
        "digest": fingerprint.digest, "fairground": fingerprint.fairground, "suite": fingerprint.suite,
        "runner": fingerprint.runner, "isolated": "yes" if fingerprint.isolated else "no",
        "screen": fingerprint.screen, "seed": str(fingerprint.seed),
    }  # fmt: skip
    film = None
    if folder.video is not None:
        first = folder.frame_path(folder.digests[0]).as_posix() if folder.digests else None
        player = tag("video", src="video.mp4", controls=True, preload="none", playsinline=True, poster=first)
        film = tag("section", tag("h2", "Video"), player, class_="card")
    return tag(
        "div",
        film,
        tag(
            "section",
            tag("h2", "Configuration"),
            tag("p", tag("code", configuration.id)),
            _rows(world),
            tag("h3", "Axes"),
            _rows({**axes, "ui_state": configuration.ui_state}),
            _titled("Parameters", {name: str(value) for name, value in episode.parameters.items()}),
            class_="card",
        ),
        tag(
            "section",
            tag("h2", "Fingerprint"),
            _rows(marks_of_it),
            _titled("Packages", fingerprint.packages),
            _titled("Stages", fingerprint.stages),
            class_="card",
        ),
        _state(folder),
        class_="pair",
    )


def _titled(title: str, rows: dict[str, str]) -> Html | None:
    return join((tag("h3", title), _rows(rows))) if rows else None


def _rows(rows: dict[str, str]) -> Html:
    pairs = [(tag("dt", name), tag("dd", _clip(value, LONG), class_="mono")) for name, value in rows.items()]
    return tag("dl", pairs, class_="rows")


def _state(folder: EpisodeFolder) -> Html | None:
    parts: list[Child] = []
    for when in MOMENTS:
        index = folder.states.at(when)
        if index is None:
            continue
        links = [
            tag("li", tag("a", name, href=f"state/{when}/{url(entry.file)}"), tag("small", f" {_bytes(entry.size)}"))
            for name, entry in index.files.items()
        ]
        links += [tag("li", name, tag("small", f" missing: {why}")) for name, why in index.missing.items()]
        live = None
        if index.data:
            shown = tag("pre", _clip(evidence(index.data, indent=2), LONG))
            live = tag("details", tag("summary", "Data from the app"), shown)
        parts += [tag("h3", when.capitalize()), tag("ul", links, class_="files"), live, tag("br")]
    return tag("section", tag("h2", "Recorded state"), parts, class_="card") if parts else None


def _logs(folder: EpisodeFolder) -> Html | None:
    parts = []
    for name in folder.log_names():
        text = folder.log(name)
        shown = text if len(text) <= LOG else f"[the last {LOG:,} of {len(text):,} characters]\n{text[-LOG:]}"
        size = tag("small", f" {counted(text.count(chr(10)), 'line')}")
        parts.append(tag("details", tag("summary", name, size), tag("pre", shown)))
    return tag("section", tag("h2", "Logs"), parts, class_="card") if parts else None


def _footer(folder: EpisodeFolder) -> list[Child]:
    keys = tag("span", [(tag("kbd", key), " ") for key in ("←", "→", "space")], "step and play. ", class_="keys")
    links = [tag("a", "episode.json", href="episode.json"), " · ", tag("a", "steps.jsonl", href="steps.jsonl")]
    return [tag("p", keys, f"Started {folder.episode.started}. ", links)]


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… [{len(text):,} characters in total]"


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else _seconds(milliseconds / 1000)


def _seconds(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _bytes(size: int) -> str:
    if size < 10_000:
        return f"{size:,} bytes"
    return f"{size / 1000:,.0f} kB" if size < 10_000_000 else f"{size / 1e6:,.0f} MB"
