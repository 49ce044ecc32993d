"""A judge behind a real server: it finds an item met when the last picture is of the letter y."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from fairground.agents.models import Asker, Pace, make_asker
from fairground.core import Check, Click, Done, Verdict
from fairground.rollout import EpisodeFolder
from tests.agents.models.wire.openai_wire import OpenAIServer, completes
from tests.agents.models.wire.server import Answered, Asked

from .recordings import an_episode, record

KEY = "test-key"
CHECKS = ("the note is there", "its label is home")


def looks(asked: Asked) -> Answered:
    """Decides by what it sees; guards hold."""
    parts = asked.body["messages"][-1]["content"]
    last = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"][-1]
    shade = Image.open(io.BytesIO(base64.b64decode(last.partition(",")[2]))).convert("L").getpixel((0, 0))
    kinds = re.findall(r"^\d+\. \((task|guard)\)", parts[-1]["text"], re.MULTILINE)
    items = [
        {"item": number, "met": kind == "guard" or shade == ord("y"), "evidence": "<b>seen</b>", "pictures": [1]}
        for number, kind in enumerate(kinds, 1)
    ]
    return completes(json.dumps({"items": items}))(asked)


def serving(number: int, *first: Callable[[Asked], Answered]) -> OpenAIServer:
    """A server that answers so many questions, after what is to come first."""
    return OpenAIServer([*first, *[looks] * number])


def asker(server: OpenAIServer) -> Callable[[], Asker]:
    pace = Pace(wait=lambda seconds: None)
    return lambda: make_asker(f"compatible:judge@{server.url}/v1", api_key=KEY, pace=pace)


def verdict(*passed: bool) -> Verdict:
    return Verdict.of(
        Check(name=name, passed=met, expected=f"expected of {name}", found="SECRET-FOUND")
        for name, met in zip(CHECKS, passed, strict=False)
    )


def episode(last: str, *passed: bool, **more: Any) -> Callable[[Path], EpisodeFolder]:
    """Records an episode that ends with a letter on the screen, and passes these checks."""

    def details(index: int) -> dict[str, Any]:
        return {"thought": "SECRET-THOUGHT", "messages": ("SECRET-MESSAGE",)}

    def made(folder: Path) -> EpisodeFolder:
        actions = [Click(point=(1, 1)), Click(point=(2, 2)), Done()]
        return record(
            folder, f"aab{last}", actions, verdict=verdict(*passed), details=details, episode=an_episode(**more)
        )

    return made
