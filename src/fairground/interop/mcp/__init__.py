"""A Model Context Protocol (MCP) server over a seat. It needs the extra `mcp`."""

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
    """Serve a seat over standard input and output until the client disconnects or a signal arrives.

    Call it at most once per process. The episode begins with the first tool call and ends with `done`, `answer`, `fail`
    or a budget. It is judged and recorded like any other episode. If the client disconnects before the end, the state
    is judged as it is. The client never sees the verdict.

    Args:
        world: The world to serve.
        folder: Where to record the episode; must be empty or not exist.
        agent: Name of the client in results.
        runner: Which runner creates the sandbox.
        observations: What every call returns besides the screen: `cursor`, `tree`, `windows`.
        video: Whether to create a video. This takes time after the episode, which some clients do not allow.
        on_step: Called with every step.

    Returns:
        The episode, or None if no tool was called.

    Raises:
        MissingPrerequisite: The official SDK is not installed.
    """
    if find_spec("mcp") is None or find_spec("mcp_types") is None:  # version 1 has no package mcp_types
        raise MissingPrerequisite(
            "the MCP server needs the package mcp, version 2", fix="pip install 'fairground[mcp]'"
        )
    from fairground.interop.mcp.server import serve

    return serve(world, folder, agent=agent, runner=runner, observations=observations, video=video, on_step=on_step)
