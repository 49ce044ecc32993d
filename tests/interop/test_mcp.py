"""A seat over MCP, driven by the official client in a process of its own, as any client would start it."""

from __future__ import annotations

import base64
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Any, get_args

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, types
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from fairground.agents import Turn
from fairground.core import ACTION_KINDS, Action, Fail, Frame, InvalidInput, MissingPrerequisite, Outcome
from fairground.interop import serve_mcp
from fairground.interop.mcp.tools import read_call, tool_specs
from fairground.rollout import read_episode
from fairground.screen import decode
from fairground.worlds import resolve
from tests.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
WORLD = str(ROOT / "examples/shopping-list/add-item/tea")
SERVER = """
import sys
from pathlib import Path
from fairground.interop import serve_mcp
from fairground.worlds import resolve
episode = serve_mcp(resolve(sys.argv[1]), Path(sys.argv[2]), on_step=lambda step: print("step", step.index))
sys.stderr.write(f"ended: {episode and episode.outcome}\\n")
"""

pytestmark = pytest.mark.process


def command(folder: Path, world: str = WORLD) -> list[str]:
    return [sys.executable, "-c", SERVER, world, str(folder)]


@asynccontextmanager
async def client(
    folder: Path, errors: IO[str] | None = None, world: str = WORLD, **options: Any
) -> AsyncIterator[Client]:
    program, *words = command(folder, world)
    wanted = StdioServerParameters(command=program, args=words, env=dict(os.environ))
    async with Client(stdio_client(wanted, errlog=errors or sys.__stderr__), **options) as found:
        yield found


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def in_time() -> None:
        with anyio.fail_after(90):
            await story()

    anyio.run(in_time)


def words(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


def picture(result: types.CallToolResult) -> Frame:
    (image,) = (part for part in result.content if isinstance(part, types.ImageContent))
    assert image.mime_type == "image/png"
    return decode(base64.b64decode(image.data))


# --- a whole episode --------------------------------------------------------------------------------------------------


def test_a_client_reads_the_task_acts_ends_and_is_not_told_the_verdict(tmp_path: Path) -> None:
    async def story() -> None:
        async with client(tmp_path / "e", errors) as seat:
            assert [tool.name for tool in (await seat.list_tools()).tools] == ["task", "tree", *ACTION_KINDS]
            prompt = (await seat.get_prompt("task")).messages[0].content
            assert isinstance(prompt, types.TextContent) and "Add a line that says tea" in prompt.text
            (text,) = (await seat.read_resource("fairground://task")).contents
            assert isinstance(text, types.TextResourceContents) and text.text == prompt.text

            task = await seat.call_tool("task", {})
            assert "Add a line that says tea" in words(task) and "Step 0 of 15" in words(task)
            assert picture(task).size == (1024, 640)
            looked = await seat.call_tool("look", {"region": [0, 0, 500, 250], "space": "grid1000"})
            assert picture(looked).size == (512, 160) and words(looked) == "Step 1 of 15."
            tree = await seat.call_tool("tree", {})
            assert not tree.is_error and "menu" in words(tree) and "Search" in words(tree)
            await seat.call_tool("key", {"keys": ["ctrl", "End"], "thought": "to the end"})
            typed = await seat.call_tool("type", {"text": "tea\n"})
            assert picture(typed) != picture(task) and not typed.is_error
            await seat.call_tool("key", {"keys": ["ctrl", "s"]})
            done = await seat.call_tool("done", {})
            assert not done.is_error and words(done).startswith("The episode has ended and was recorded.")
            assert not any(word in words(done).lower() for word in ("passed", "failed", "reward", "verdict"))
            again = await seat.call_tool("click", {"point": [5, 5]})
            assert again.is_error and "has ended" in words(again)
            assert (await seat.call_tool("task", {})).is_error
            assert (await seat.call_tool("tree", {})).is_error

    with open(tmp_path / "errors", "w+") as errors:
        run(story)
        errors.seek(0)
        said = errors.read()
    folder = read_episode(tmp_path / "e")
    assert folder.complete and folder.episode.agent == "mcp"
    assert (folder.episode.outcome, folder.episode.ended_by) == (Outcome.PASSED, "agent")
    assert [step.action.kind for step in folder.steps] == ["look", "key", "type", "key", "done"]
    assert folder.steps[1].thought == "to the end"
    assert "ended: passed" in said and "step 4" in said  # and what was printed did not get between the messages


@pytest.mark.slow
def test_bad_arguments_are_errors_of_the_tool_and_the_episode_goes_on(tmp_path: Path) -> None:
    async def story() -> None:
        async with client(tmp_path / "e", mode="legacy") as seat:  # a client from before the protocol of 2026
            for name, arguments, message in (
                ("click", {"point": [1, 2, 3]}, "click.point"),
                ("click", {"pont": [1, 2]}, "click.pont: unknown field"),
                ("key", {"keys": ["Retrun"]}, "unknown key 'Retrun'"),
                ("type", {}, "type.text: required"),
                ("type", {"text": 5}, "type.text"),
                ("type", {"text": "a", "kind": "done"}, "the tool's name is the kind"),
                ("wait", {"seconds": 1e9}, "wait.seconds"),
                ("clik", {}, "did you mean click"),
            ):
                result = await seat.call_tool(name, arguments)
                assert result.is_error and message in words(result)
            off = await seat.call_tool("click", {"point": [5000, 5]})
            assert off.is_error and "off the 1024x640 screen" in words(off) and picture(off).size == (1024, 640)
            for call in (seat.get_prompt("tusk"), seat.read_resource("fairground://answer")):
                with pytest.raises(MCPError, match="unknown"):
                    await call
            given_up = await seat.call_tool("fail", {"reason": "too hard"})
            assert not given_up.is_error

    run(story)
    folder = read_episode(tmp_path / "e")
    assert (folder.episode.outcome, folder.episode.steps) == (Outcome.FAILED, 2)
    assert "off the" in folder.steps[0].refused, "what cannot be carried out costs a step, as for every agent"


@pytest.mark.slow
def test_the_step_budget_ends_the_episode(tmp_path: Path) -> None:
    async def story() -> None:
        async with client(tmp_path / "e") as seat:
            results = [await seat.call_tool("move", {"point": [step, step]}) for step in range(15)]
            assert "Step 14 of 15" in words(results[13]) and "has ended" in words(results[14])
            assert (await seat.call_tool("look", {})).is_error

    run(story)
    episode = read_episode(tmp_path / "e").episode
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.FAILED, "step_budget", 15)


@pytest.mark.slow
def test_a_call_that_the_client_no_longer_waits_for_is_carried_out_and_the_next_one_comes_after_it(
    tmp_path: Path,
) -> None:
    async def story() -> None:
        async with client(tmp_path / "e") as seat:
            await seat.call_tool("task", {})
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(seat.call_tool, "wait", {"seconds": 1})
                for _ in range(2):  # the first lets the call go out; when the second is answered, the server has it
                    await seat.list_tools()
                tasks.cancel_scope.cancel()
            assert "Step 2 of 15" in words(await seat.call_tool("look", {}))

    run(story)
    assert [step.action.kind for step in read_episode(tmp_path / "e").steps[:2]] == ["wait", "look"]


# --- clients that leave -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_client_that_leaves_has_given_up_and_is_judged_on_what_it_did(tmp_path: Path) -> None:
    async def story() -> None:
        async with client(tmp_path / "e") as seat:
            for keys in (["ctrl", "end"], ["t"], ["e"], ["a"], ["ctrl", "s"]):
                await seat.call_tool("key", {"keys": keys})

    run(story)
    folder = read_episode(tmp_path / "e")
    assert folder.complete and folder.episode.outcome == Outcome.PASSED
    assert folder.steps[-1].action == Fail(reason="the client disconnected without ending the episode")


@pytest.mark.slow
def test_a_client_that_calls_nothing_leaves_no_episode(tmp_path: Path) -> None:
    async def story() -> None:
        async with client(tmp_path / "e") as seat:
            await seat.list_tools()

    run(story)
    assert not (tmp_path / "e").exists()


KILLED_CLIENT = """
import os, sys, anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

async def main():
    wanted = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ))
    async with Client(stdio_client(wanted)) as seat:
        await seat.call_tool("task", {})
        print("seated", flush=True)
        await seat.call_tool("wait", {"seconds": 1})

anyio.run(main)
"""


@pytest.mark.slow
def test_a_client_that_is_killed_leaves_no_process_and_a_whole_episode(tmp_path: Path) -> None:
    mark = f"FAIRGROUND_TEST_{os.getpid()}_{tmp_path.name}"
    dying = subprocess.Popen(
        [sys.executable, "-c", KILLED_CLIENT, *command(tmp_path / "e")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, mark: "1"},
    )  # fmt: skip
    assert dying.stdout is not None
    with dying:
        assert dying.stdout.readline() == "seated\n"
        (server,) = (pid for pid in processes(mark) if pid != dying.pid and serves(pid))
        below = descendants(server)
        assert len(below) > 3, "the keeper of the sandbox and what runs in it"
        ended = os.pidfd_open(server)
        dying.kill()
        dying.stdout.read()
    wait_for_end(ended)
    eventually(lambda: not [pid for pid in below if state(pid) != "Z"])
    folder = read_episode(tmp_path / "e")
    assert folder.complete and folder.episode.outcome == Outcome.FAILED


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_lines_that_are_no_messages_do_not_end_the_server_and_a_signal_ends_it_as_a_client_that_leaves_does(
    tmp_path: Path, number: signal.Signals
) -> None:
    with subprocess.Popen(
        command(tmp_path / "e"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        try:
            server.stdin.write(b"garbage\n\xff\xfe\n" + b"[" * 100_000 + b'\n{"jsonrpc": "2.0", "id": 7}\n\n')
            speak_to(server)
            server.send_signal(number)
            _, errors = server.communicate(timeout=60)  # its input was still open until here
        finally:
            server.kill()
    assert server.returncode == 0 and b"Traceback" not in errors and b"ended: failed" in errors
    assert read_episode(tmp_path / "e").complete


def speak_to(server: subprocess.Popen[bytes]) -> None:
    """The least that a client says before it looks."""
    assert server.stdin is not None and server.stdout is not None
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    for message in (
        {"id": "a", "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": "b", "method": "tools/call", "params": {"name": "task", "arguments": {}}},
    ):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        server.stdin.flush()
    for line in server.stdout:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        if message.get("id") == "b":
            assert message["result"]["content"][1]["type"] == "image"
            return
    raise AssertionError("the server ended without an answer")


def processes(mark: str) -> list[int]:
    """Processes that inherited this environment variable."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def serves(pid: int) -> bool:
    return b"serve_mcp" in Path(f"/proc/{pid}/cmdline").read_bytes()


def descendants(pid: int) -> list[int]:
    below: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            below += [child, *descendants(child)]
    return below


def state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def wait_for_end(pidfd: int) -> None:
    try:
        assert select.select([pidfd], [], [], 60)[0], "the server still runs"
    finally:
        os.close(pidfd)


# --- faults of ours ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_app_that_does_not_open_is_an_error_and_the_client_is_told_no_details(tmp_path: Path) -> None:
    world = tmp_path / "broken"
    world.mkdir()
    toml = (ROOT / "examples/shopping-list/world.toml").read_text()
    (world / "world.toml").write_text(toml.replace('launch = ["mousepad", "~/list.txt"]', 'launch = ["false"]'))
    for part in ("setup", "files"):
        (world / part).symlink_to(ROOT / "examples/shopping-list" / part)

    async def story() -> None:
        async with client(tmp_path / "e", world=str(world)) as seat:
            result = await seat.call_tool("look", {})
            assert result.is_error and "broke on our side" in words(result) and "status" not in words(result)

    run(story)
    episode = read_episode(tmp_path / "e").episode
    assert episode.outcome == Outcome.ERRORED and "exited with status 1" in episode.error


def test_without_the_sdk_the_line_that_installs_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.interop.mcp.find_spec", lambda name: None)
    with pytest.raises(MissingPrerequisite) as found:
        serve_mcp(resolve(WORLD), tmp_path / "e")
    assert found.value.fix == "pip install 'fairground[mcp]'"


# --- tools ------------------------------------------------------------------------------------------------------------


def test_schemas_are_plain_enough_for_every_model() -> None:
    text = json.dumps([tool.schema for tool in tool_specs()])
    assert not any(word in text for word in ("anyOf", "prefixItems", "$ref", '"null"', '"const"', '"title"'))
    click = next(tool.schema for tool in tool_specs() if tool.name == "click")
    point = click["properties"]["point"]
    assert (point["type"], point["items"], point["minItems"], point["maxItems"]) == ("array", {"type": "number"}, 2, 2)
    assert click["properties"]["button"]["enum"] == ["left", "middle", "right", "back", "forward"]


@pytest.mark.parametrize("model", get_args(Action), ids=ACTION_KINDS)
def test_a_schema_has_every_field_of_its_action(model: Any) -> None:
    kind = model.model_fields["kind"].default
    schema = next(tool.schema for tool in tool_specs() if tool.name == kind)
    assert set(schema["properties"]) == set(model.model_fields) - {"kind"} | {"thought"}
    assert schema["required"] == [name for name, field in model.model_fields.items() if field.is_required()]


plain = st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.lists(st.floats(), max_size=3)


@given(st.sampled_from(ACTION_KINDS) | st.text(max_size=9), st.none() | st.dictionaries(st.text(max_size=5), plain))
def test_whatever_a_client_sends_is_an_action_or_is_refused(name: str, arguments: dict[str, Any] | None) -> None:
    with suppress(InvalidInput):
        assert isinstance(read_call(name, arguments), Turn)
