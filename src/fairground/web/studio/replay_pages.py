"""Replay pages: one episode, two side by side, and the choice of an episode to compare with.

`replay.js` shows the steps from the episode's data. This module renders everything around them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final
from urllib.parse import quote, urlencode

from fastapi import Request, Response

from fairground.core import Check, FairgroundError, ended_by_words
from fairground.report.describe import evidence, worth
from fairground.report.html import Child, Html, tag
from fairground.report.outcomes import outcome_pill
from fairground.report.scenes import outcome_of
from fairground.rollout import EpisodeFolder, Row
from fairground.web.shell import asset, empty, fact, page, table
from fairground.web.studio.replay_data import LONG, clip, served_replay, usage_of
from fairground.web.studio.runs_found import find_runs, places_of
from fairground.web.studio.runs_read import opened

_CHOICES: Final = 50  # maximum number of episodes offered for a comparison
_LOOKED_AT: Final = 20_000  # maximum number of episodes per run to search for them
_AT_ONCE: Final = 12  # number of steps embedded in the page, so that it is usable before the data has loaded
_SCRIPTS: Final = ("replay_page.js",)
_MODULES: Final = ("replay.js", "replay_stage.js", "replay_controls.js", "replay_dom.js", "replay_film.js")
_STYLES: Final = ("replay.css",)


def replay_page(request: Request, run: str, episode: str, folder: EpisodeFolder) -> Response:
    """Render the page of one episode."""
    api = f"/api/replays/{quote(run, safe='')}/{episode}"
    links = (
        tag("a", "Download", href=f"{api}/download", class_="button plain", download=True),
        tag("a", "Video", href=f"{api}/video", class_="button plain") if folder.video is not None else None,
        tag("a", "Compare", href=f"/replay/compare?{urlencode({'a': f'{run}/{episode}'})}", class_="button plain"),
    )
    return page(
        request,
        f"{outcome_of(folder).capitalize()}: {clip(' '.join(folder.episode.instruction.split()), 80)}",
        _crumbs(run, f"Episode {episode}"),
        _head(folder.episode.instruction, outcome_pill(outcome_of(folder))),
        _warnings(folder),
        _player(request, [api], {"source": api, "first": served_replay(folder, api, first=_AT_ONCE).plain()}),
        tag("div", _facts(folder), tag("div", links, class_="row"), class_="replay-facts"),
        [tag("p", clip(note, LONG), class_="note", dir="auto") for note in folder.episode.notes[:20]],
        _verdict(folder),
        _changes(folder, f"{_address(run, episode)}/changes"),
        tag("div", _configuration(folder), _fingerprint(folder), class_="columns"),
        _logs(folder, api),
        place="/runs", scripts=_SCRIPTS, styles=_STYLES, wide=True,
    )  # fmt: skip


def compare_page(request: Request, found: Sequence[tuple[str, str, EpisodeFolder]], mode: str) -> Response:
    """Render two episodes side by side, synchronised by step or by time."""
    sources = [
        {"url": f"/api/replays/{quote(run, safe='')}/{episode}", "title": f"{folder.episode.agent}, {run}/{episode}"}
        for run, episode, folder in found
    ]
    cards = [
        tag(
            "section",
            tag("h2", tag("bdi", clip(folder.episode.agent, 100)), " ", outcome_pill(outcome_of(folder))),
            tag("p", tag("a", f"{run}/{episode}", href=_address(run, episode)), dir="auto"),
            _facts(folder, short=True),
            _checks(folder, f"Checks of {run}/{episode}"),
            class_="card",
        )
        for run, episode, folder in found
    ]
    instructions = [folder.episode.instruction for _, _, folder in found]
    same = instructions[0] == instructions[1]
    second = (
        None
        if same
        else tag("p", "Instruction of the second: ", tag("bdi", clip(instructions[1], LONG)), class_="note")
    )
    return page(
        request,
        "Two episodes side by side",
        _crumbs(found[0][0], "Side by side"),
        _head(instructions[0]),
        second,
        _player(request, [source["url"] for source in sources], {"sources": sources, "mode": mode}),
        tag("div", cards, class_="columns"),
        place="/runs", scripts=_SCRIPTS, styles=_STYLES, wide=True,
    )  # fmt: skip


def choose_page(request: Request, run: str, episode: str, folder: EpisodeFolder) -> Response:
    """Render a list of other episodes of the same configuration."""
    rows = list(islice(_others(request, run, episode, folder.episode.configuration.id), _CHOICES))
    content: Child = empty(
        "No other episodes of this configuration",
        "Episodes of other agents with this configuration appear here. To compare any two episodes, open "
        "/replay/compare?a=RUN/EPISODE&b=RUN/EPISODE.",
    )
    if rows:
        content = table(("Episode", "Agent", "Outcome", "Steps"), rows, label="Episodes of the same configuration")
    return page(
        request,
        "Compare with",
        _crumbs(run, "Compare"),
        tag("h1", "Compare with which episode?"),
        tag("p", f"{run}/{episode} is an episode of ", tag("code", folder.episode.configuration.id), class_="lead"),
        tag("section", content, class_="card") if rows else content,
        place="/runs",
    )


def _others(request: Request, run: str, episode: str, configuration: str) -> Iterator[tuple[Child, ...]]:
    for candidate in find_runs(places_of(request)).values():
        try:
            with opened(candidate) as store:
                agent = store.spec.agent
                for row in islice(store.rows(), _LOOKED_AT):
                    name = _folder_name(row)
                    if row.planned.configuration == configuration and name and (candidate.name, name) != (run, episode):
                        yield _choice(candidate.name, name, agent, row, f"{run}/{episode}")
        except FairgroundError:
            continue  # a run that cannot be read is skipped; its own page says why


def _choice(run: str, episode: str, agent: str, row: Row, first: str) -> tuple[Child, ...]:
    assert row.finished is not None
    address = f"/replay/compare?{urlencode({'a': first, 'b': f'{run}/{episode}'})}"
    outcome = row.finished.outcome.value
    link = tag("a", tag("bdi", f"{run}/{episode}"), href=address)
    return link, tag("bdi", agent), outcome_pill(outcome), f"{row.finished.steps}"


def _folder_name(row: Row) -> str:
    return row.finished.folder.rpartition("/")[2] if row.finished is not None else ""


def _address(run: str, episode: str) -> str:
    return f"/replay/{quote(run, safe='')}/{episode}"


def _crumbs(run: str, here: str) -> Html:
    back = tag("a", tag("bdi", run), href=f"/runs/{quote(run, safe='')}")
    return tag("nav", tag("a", "Runs", href="/runs"), back, tag("span", here), class_="crumbs", aria_label="Breadcrumb")


def _head(instruction: str, outcome: Html | None = None) -> Html:
    """Render the instruction on one line that can be expanded, to leave room for the screen."""
    heading = tag("h1", clip(instruction, LONG), dir="auto")
    return tag("div", outcome, tag("details", tag("summary", heading), class_="told"), class_="replay-head")


def _player(request: Request, sources: Sequence[str], options: dict[str, object]) -> Html:
    """Render the container in which the script shows the steps.

    Args:
        request: The current request.
        sources: URLs of the data that the script will fetch.
        options: Options of the script.
    """
    return tag(
        "div",
        # Preload what the script will request, in parallel. Preparing the data takes the server longest; it does so
        # while the browser loads styles and scripts.
        [tag("link", rel="modulepreload", href=asset(request, name)) for name in _MODULES],
        [tag("link", rel="preload", as_="fetch", crossorigin="anonymous", href=source) for source in sources],
        tag("p", "Loading the steps. This page requires JavaScript.", class_="note"),
        id="replay",
        class_="replay-place",
        data_options=json.dumps(options),
    )


def _facts(folder: EpisodeFolder, *, short: bool = False) -> Html:
    episode, usage = folder.episode, usage_of(folder)
    facts: list[tuple[str, Child]] = [] if short else [("Outcome", outcome_pill(outcome_of(folder)))]
    if folder.complete and episode.verdict is not None:
        passed = sum(check.passed for check in episode.verdict.checks)
        facts.append(("Reward", f"{episode.verdict.reward:.2f}"))
        facts.append(("Checks", f"{passed} of {len(episode.verdict.checks)}"))
    facts.append(("Steps", f"{len(folder.steps)} of {episode.step_budget}"))
    if episode.seconds:
        facts.append(("Time", _seconds(episode.seconds)))
    if not short:
        facts.append(("Agent", tag("bdi", clip(episode.agent, 100))))
    if episode.ended_by:
        facts.append(("Ended by", ended_by_words(episode.ended_by)))
    if usage is not None and usage.tokens is not None:
        facts.append(("Tokens", f"{usage.tokens:,}"))
    if usage is not None and usage.dollars is not None:
        facts.append(("Cost", f"${usage.dollars:.2f}"))
        facts.append(("Cost per step", f"${usage.dollars / max(1, len(folder.steps)):.4f}"))
    if episode.answer is not None:
        facts.append(("Answer", tag("bdi", clip(episode.answer, 200))))
    return tag("dl", [fact(name, value) for name, value in facts], class_="facts")


def _warnings(folder: EpisodeFolder) -> Html | None:
    """Render warnings that affect how far to trust the episode: the first one, and the rest in a fold-out."""
    episode = folder.episode
    warnings: list[str] = []
    if episode.status == "running":
        warnings.append(
            "This episode has not ended: it is still running, or was cut short. Reload the page to see more."
        )
    elif not folder.complete:
        warnings.append("The recording is damaged. Only the readable part is shown; it is not a result.")
    warnings += folder.problems[:10]
    if len(folder.problems) > 10:
        warnings.append(f"and {len(folder.problems) - 10:,} more")
    warnings += [episode.error] if episode.error else []
    if not episode.fingerprint.isolated:
        warnings.append(
            "Not isolated: this machine could not isolate the agent from the host (runner "
            f"{episode.fingerprint.runner})."
        )
    if not warnings:
        return None
    first, *rest = (tag("p", clip(warning, LONG), dir="auto") for warning in warnings)
    more = tag("small", f"and {len(rest)} more") if rest else None
    return tag("details", tag("summary", first, more), rest, class_="note odd replay-warnings")


def _changes(folder: EpisodeFolder, address: str) -> Html | None:
    """Render the container for the state changes. A script loads them."""
    if folder.states.before is None or folder.states.after is None:
        return None
    wait = tag("p", "Comparing the recorded states.", class_="muted", role="status")
    intro = tag("p", "Recorded state before and after the episode, compared.", class_="muted")
    return tag("section", tag("h2", "State changes"), intro, tag("div", wait, data_changes=address), class_="card")


def _verdict(folder: EpisodeFolder) -> Html | None:
    checks = _checks(folder)
    verdict = folder.episode.verdict
    if checks is None or verdict is None:
        return None
    text = "All checks passed." if verdict.success else "Some checks failed."
    if not verdict.integrity:
        text = "A guard failed, so the reward is 0."
    summed = tag("p", f"Reward {verdict.reward:.2f}. {text}", class_="muted")
    return tag("section", tag("h2", "Verdict"), summed, checks, class_="card")


def _checks(folder: EpisodeFolder, label: str = "Checks") -> Html | None:
    verdict = folder.episode.verdict
    if verdict is None or not folder.complete:
        return None
    total = sum(check.weight for check in verdict.checks) or 1.0
    rows = [_check(check, total) for check in verdict.checks]
    return table(("Result", "Check", "Expected", "Found"), rows, label=label, class_="checks")


def _check(check: Check, total: float) -> tuple[Child, ...]:
    values = [
        tag("pre", clip(_shown(value), LONG), dir="auto", class_=kind, tabindex=0 if len(_shown(value)) > 300 else None)
        for kind, value in (("expected", check.expected), ("found", check.found))
    ]
    sign = outcome_pill("passed" if check.passed else "failed")
    return sign, (tag("bdi", check.name), tag("small", worth(check, total), class_="worth")), *values


def _shown(value: object) -> str:
    text = evidence(value)
    return text if len(text) <= 60 else evidence(value, indent=2)


def _configuration(folder: EpisodeFolder) -> Html:
    configuration = folder.episode.configuration
    rows = {
        "id": configuration.id, "instance": configuration.instance, "profile": configuration.profile,
        "theme": configuration.theme, "ui_state": configuration.ui_state, "seed": str(folder.episode.seed),
        "started": folder.episode.started,
    }  # fmt: skip
    parameters = {name: str(value) for name, value in folder.episode.parameters.items()}
    return tag("section", tag("h2", "Configuration"), _rows(rows), _titled("Parameters", parameters), class_="card")


def _fingerprint(folder: EpisodeFolder) -> Html:
    fingerprint = folder.episode.fingerprint
    rows = {
        "digest": fingerprint.digest, "fairground": fingerprint.fairground, "suite": fingerprint.suite,
        "runner": fingerprint.runner,
        "screen": fingerprint.screen,
    }  # fmt: skip
    return tag(
        "section", tag("h2", "Fingerprint"), _rows(rows), _titled("Packages", fingerprint.packages), class_="card"
    )


def _titled(title: str, rows: dict[str, str]) -> Html | None:
    if not rows:
        return None
    return tag("details", tag("summary", f"{title} ({len(rows)})"), _rows(rows))


def _rows(rows: dict[str, str]) -> Html:
    pairs = [
        tag("div", tag("dt", tag("bdi", name)), tag("dd", clip(value, LONG), dir="auto"))
        for name, value in rows.items()
    ]
    return tag("dl", pairs, class_="replay-rows")


def _logs(folder: EpisodeFolder, api: str) -> Html | None:
    links = [tag("li", tag("a", name, href=f"{api}/logs/{name}")) for name in folder.log_names()]
    return tag("section", tag("h2", "Logs"), tag("ul", links, class_="replay-logs"), class_="card") if links else None


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{int(seconds // 60)} min {int(seconds % 60)} s"
