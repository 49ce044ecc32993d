"""A seat for any client of the Model Context Protocol; needs the extra `mcp`, and says so when it is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from fairground.core import Episode, MissingPrerequisite, Step
from fairground.worlds import World

__all__ = ["serve_mcp"]


def serve_mcp(
    world: World,
    folder: Path,
    *,
    agent: str = "mcp",
    runner: str | None = None,
    observations: Sequence[str] = (),
    video: bool = False,
    on_step: Callable[[Step], None] | None = None,
) -> Episode | None:
    """Serves a seat over standard input and output until the client leaves, or a signal comes; once a process.

    The episode begins with the first tool call, ends with `done`, `answer`, `fail` or a budget, and is judged and
    recorded as any other. A client that leaves in the middle has given up: the state is judged as it left it. What
    the verdict is, the client is not told.

    Args:
        world: What to sit in.
        folder: Where to record the episode; must not exist or be empty.
        agent: What the client is called in results.
        runner: Which runner makes the sandbox.
        observations: What every call shows beside the screen: `cursor`, `tree`, `windows`.
        video: Whether to make a video; it takes time that clients may not give.
        on_step: Told of every step.

    Returns:
        The episode, or None when no tool was ever called.

    Raises:
        MissingPrerequisite: When the official SDK is not installed.
    """
    if find_spec("mcp") is None or find_spec("mcp_types") is None:  # version 1 had no package of types
        raise MissingPrerequisite(
            "the MCP server needs the package mcp, version 2", fix="pip install 'fairground[mcp]'"
        )
    from fairground.interop.mcp.server import serve

    return serve(world, folder, agent=agent, runner=runner, observations=observations, video=video, on_step=on_step)
