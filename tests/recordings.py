"""Recorded episodes for tests that read, replay and show them: normal ones, and ones with hostile text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fairground.core import (
    Action,
    Answer,
    CallUser,
    Check,
    Click,
    Configuration,
    Done,
    Drag,
    Episode,
    Fail,
    Fingerprint,
    Frame,
    Key,
    Outcome,
    Scroll,
    Step,
    Type,
    Verdict,
)
from fairground.rollout import Recorder

EVIL = (
    "</script></style></title></pre></textarea>--></svg><script>window.pwned=1</script>"
    "<img src=x onerror=\"window.pwned=2\"><svg onload='window.pwned=3'>' onmouseover=window.pwned=4 \" autofocus "
    "onfocus=window.pwned=5 javascript:alert(1) ${window.pwned=6} {{7*7}} &lt;b&gt; &#x41; \u2028"
)
CONFIGURATION = Configuration(suite="desk", app="calc", scenario="sum")
ACTIONS: list[Action] = [
    Click(point=(0.5, 0.25), space="unit", count=2), Type(text="Hello"), Drag(path=((1, 1), (90, 50))), Scroll(dy=3),
    Key(keys=("ctrl", "s")), Click(point=(9_999, 5)), Done(),
]  # fmt: skip
REFUSED = 5  # index of the action that is off the screen


def an_episode(**changed: Any) -> Episode:
    fingerprint = Fingerprint(
        digest="0" * 32, fairground="0.1.0", suite="0.1.0", packages={"calc": "7.4"}, stages={"setup": "1" * 32},
        seed=7, runner="namespace", isolated=True, screen="x11 320x200",
    )  # fmt: skip
    fields: dict[str, Any] = {
        "id": "ep-secret-id", "status": "running", "agent": "shrewd-actor:effort=high", "instruction": "Add it up.",
        "seed": 7, "configuration": CONFIGURATION, "step_budget": 600, "started": "2026-01-01T00:00:00Z",
        "fingerprint": fingerprint, "seconds": 70.0, "extra": {"usage": {"tokens": 1234, "dollars": 0.5}},
    }  # fmt: skip
    return Episode(**{**fields, **changed})


def a_frame(seed: int) -> Frame:
    pixels = np.full((200, 320, 3), 235, np.uint8)
    pixels[:, : 1 + seed % 320] = (seed % 251, (seed // 251) % 251, 90)
    return Frame(pixels)


def a_step(index: int, action: Action, **changed: Any) -> Step:
    fields: dict[str, Any] = {
        "seconds": index + 0.5, "act_ms": 1.0, "settle_ms": 20.0, "settled": True, "agent_ms": 120.0, "frame": "",
        "thought": f"thought {index}", "cursor": (77, 66),
    }  # fmt: skip
    return Step(index=index, action=action, **{**fields, **changed})


CHECKS = (Check(name="the total", passed=False, expected=10, found={"sum": 9}), Check(name="saved", passed=True))


def record(
    folder: Path,
    actions: list[Action],
    *,
    close: bool = True,
    video: bool = False,
    step: Callable[[int], dict[str, Any]] = lambda _: {},
    checks: tuple[Check, ...] = CHECKS,
    before: tuple[Any, ...] = ({"sum.ods": b"empty sheet"},),
    wrote: str = EVIL,
    **changed: Any,
) -> Path:
    with Recorder(folder, an_episode(**changed), video=video) as recorder:
        recorder.state("before", *before)
        recorder.first(a_frame(0))
        for index, action in enumerate(actions):
            recorder.step(a_step(index, action, **step(index)), a_frame(index + 1))
        recorder.log("app", f"the app wrote {wrote}")
        recorder.state("after", {"sum.ods": b"sheet"})
        if close:
            verdict = Verdict.of(checks)
            outcome = Outcome.PASSED if verdict.success else Outcome.FAILED
            recorder.close(an_episode(**{"outcome": outcome, "verdict": verdict, "ended_by": "agent", **changed}))
    return folder


def refusal(index: int) -> dict[str, Any]:
    return {"refused": "off the screen", "messages": ("Refused: off the screen",)} if index == REFUSED else {}


def hostile(folder: Path, said: str = EVIL) -> Path:
    """Record an episode with untrusted text in every field that can hold text."""
    typed = said.replace("\0", "")  # `Type` rejects NUL characters
    actions: list[Action] = [Type(text=typed), Answer(text=said), CallUser(text=said), Fail(reason=said)]
    fingerprint = an_episode().fingerprint.model_copy(
        update={"digest": said, "runner": said, "screen": said, "packages": {said: said}, "stages": {said: said},
                "isolated": False, "suite": said, "fairground": said}
    )  # fmt: skip
    told = {"thought": said, "refused": said, "messages": (said, "and " + said[:40])}
    checks = (Check(name=said, passed=False, expected=said, found={said: [said]}), Check(name="x", passed=True))
    return record(
        folder, actions, step=lambda _: told, checks=checks, before=({said: b"x"}, {said: said}, {f"{said}3": said}),
        wrote=said, id=said, agent=said, instruction=said, started=said,
        answer=said, error=said, notes=(said,), parameters={said: said}, fingerprint=fingerprint,
        extra={"usage": {"tokens": said, "dollars": said}},
    )  # fmt: skip
