"""The MCP server, based on the official SDK: tools, the task as prompt and resource, standard input and output."""

from __future__ import annotations

import base64
import io
import os
import select
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Any

import anyio
import anyio.to_thread
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from fairground import __version__
from fairground.agents import Turn
from fairground.core import Episode, Frame, InvalidInput, Look, Observation, Step
from fairground.env import outline
from fairground.interop.mcp.session import Session
from fairground.interop.mcp.tools import TASK_TOOL, TREE_TOOL, read_call, tool_specs
from fairground.screen import encode_png
from fairground.worlds import World

TASK_URI = "fairground://task"
_OVER = "The episode has ended and was recorded. Nothing more can be done in it."
_BROKEN = "The episode ended because something broke on our side. It was recorded as an error, which is not a score."
_REFUSED = "Refused: "  # prefix of the episode loop's message about a refused action


def serve(
    world: World,
    folder: Path,
    *,
    agent: str,
    runner: str | None,
    observations: Sequence[str],
    video: bool,
    on_step: Callable[[Step], None] | None,
) -> Episode | None:
    """Implement `serve_mcp`."""
    session = Session(
        world, folder, agent=agent, runner=runner, observations=observations, video=video, on_step=on_step
    )
    with _interruptible_input() as lines:
        try:
            anyio.run(_serve, _server(session), lines)
        except* (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the client disconnected during the answer
        finally:
            session.close()
    if session.failure is not None:
        raise session.failure
    return session.episode


async def _serve(server: Server[Any], lines: IO[str]) -> None:
    async with stdio_server(stdin=anyio.wrap_file(lines)) as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _server(session: Session) -> Server[Any]:
    world = session.world
    task_text = task_words(world)
    one_at_a_time = anyio.CapacityLimiter(1)

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=tool.name, description=tool.description, input_schema=tool.schema)
                for tool in tool_specs()
            ]
        )

    async def call_tool(_: Any, call: types.CallToolRequestParams) -> types.CallToolResult:
        # A canceled call is still carried out: its input events cannot be undone.
        return await anyio.to_thread.run_sync(
            _call, session, call.name, call.arguments, abandon_on_cancel=True, limiter=one_at_a_time
        )

    async def list_prompts(_: Any, __: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name=TASK_TOOL, description="The task as text.")])

    async def get_prompt(_: Any, wanted: types.GetPromptRequestParams) -> types.GetPromptResult:
        if wanted.name != TASK_TOOL:
            raise MCPError(types.INVALID_PARAMS, f"unknown prompt {wanted.name[:40]!r}; expected {TASK_TOOL}")
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=task_text))
        return types.GetPromptResult(messages=[message])

    async def list_resources(_: Any, __: Any) -> types.ListResourcesResult:
        task = types.Resource(name=TASK_TOOL, uri=TASK_URI, description="The task as text.", mime_type="text/plain")
        return types.ListResourcesResult(resources=[task])

    async def read_resource(_: Any, wanted: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if str(wanted.uri) != TASK_URI:
            raise MCPError(types.INVALID_PARAMS, f"unknown resource {str(wanted.uri)[:80]!r}; expected {TASK_URI}")
        text = types.TextResourceContents(uri=TASK_URI, mime_type="text/plain", text=task_text)
        return types.ReadResourceResult(contents=[text])

    return Server(
        "fairground",
        version=__version__,
        instructions=task_text,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def task_words(world: World) -> str:
    """Return the task for the client: the same facts that every agent gets."""
    width, height = world.app.screen.size
    end = "call `answer` with the answer" if world.scenario.kind == "answer" else "call `done`"
    return (
        f"You sit at a screen of {width}x{height} pixels. Your task:\n\n{world.instruction}\n\n"
        f"Use the tools as you would mouse and keyboard; each shows you the screen afterwards. You have "
        f"{world.scenario.step_budget} steps; every tool but `{TASK_TOOL}` and `{TREE_TOOL}` takes one. When you have "
        f"finished, "
        f"{end}; if it cannot be done, call `fail`."
    )


def _call(session: Session, name: str, arguments: dict[str, Any] | None) -> types.CallToolResult:
    """Carry out a tool call. A mistake of the client is a tool error, and the episode continues."""
    try:
        if name == TASK_TOOL:
            observation = session.see()
            if observation is None:
                return _result(_end_words(session), error=True)
            return _result(task_words(session.world), *_describe(session, observation), frame=observation.frame)
        if name == TREE_TOOL:
            tree = session.tree()
            return _result(_end_words(session), error=True) if tree is None else _result(tree)
        turn = read_call(name, arguments)
        observation = session.play(turn)
    except InvalidInput as error:
        over = session.episode is not None or session.failure is not None
        return _result(_end_words(session) if over else str(error), error=True)
    if observation is None:
        return _result(_end_words(session), error=session.episode is None or not _scored(session.episode))
    refused = any(message.startswith(_REFUSED) for message in observation.messages)
    return _result(*_describe(session, observation), frame=_shown(turn, observation), error=refused)


def _scored(episode: Episode) -> bool:
    return episode.outcome is not None and episode.outcome.scored


def _end_words(session: Session) -> str:
    """Say that the episode has ended, without the verdict or an error message, which may quote a check."""
    return _OVER if session.episode is not None and _scored(session.episode) else _BROKEN


def _describe(session: Session, observation: Observation) -> list[str]:
    lines = [*observation.messages, f"Step {observation.step} of {session.world.scenario.step_budget}."]
    if observation.cursor is not None and "cursor" in session.observations:
        lines.append("The pointer is at {}, {}.".format(*observation.cursor))
    if observation.tree is not None:
        lines += ["The accessibility tree:", outline(observation.tree)]
    if observation.windows is not None:
        lines += ["Windows:", *(f"{window.title!r} at {list(window.bounds)}" for window in observation.windows)]
    return lines


def _shown(turn: Turn, observation: Observation) -> Frame:
    """Return the screen, or the requested region of it."""
    width, height = observation.frame.size
    if not isinstance(turn.action, Look) or turn.action.region is None:
        return observation.frame
    try:
        region = turn.action.to_pixels(width, height).region
    except InvalidInput:
        return observation.frame  # off screen, which the messages say
    assert region is not None
    left, top, right, bottom = (int(edge) for edge in region)
    return Frame(observation.frame.pixels[top:bottom, left:right].copy())


def _result(*words: str, frame: Frame | None = None, error: bool = False) -> types.CallToolResult:
    content: list[Any] = [types.TextContent(type="text", text="\n".join(words))]
    if frame is not None:
        data = base64.b64encode(encode_png(frame)).decode("ascii")
        content.append(types.ImageContent(type="image", data=data, mime_type="image/png"))
    return types.CallToolResult(content=content, is_error=error)


@contextmanager
def _interruptible_input() -> Iterator[IO[str]]:
    """Yield standard input, wrapped so that it also ends on a signal.

    Clients close standard input and send SIGTERM soon after. The episode is judged and recorded after that, so the
    signal must not end the process. A second Ctrl-C does.
    """
    raw = _UntilStopped(0)

    def stop(number: int, _: FrameType | None) -> None:
        raw.stop()
        if number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        with io.TextIOWrapper(io.BufferedReader(raw), encoding="utf-8", errors="replace") as lines:
            yield lines
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _UntilStopped(io.RawIOBase):
    """Reads a file until its end or until `stop`. A thread that waits for input cannot be interrupted otherwise."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._stopped, self._stop = os.pipe()

    def stop(self) -> None:
        os.write(self._stop, b"x")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        poll.register(self._stopped, select.POLLIN)
        if self._stopped in (handle for handle, _ in poll.poll()):
            return 0
        data = os.read(self._handle, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            os.close(self._stopped)
            os.close(self._stop)
        super().close()
