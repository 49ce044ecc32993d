"""Agents that are programs: what they are told, and that nothing they do wrong hangs, leaks or becomes a score."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.agents import Agent, Brief, Turn
from fairground.agents.jsonlines import LineProgram, ProgramFault
from fairground.agents.program import MAX_REFUSED, ProgramAgent, Screens, program_agent, read_reply
from fairground.core import (
    ACTION_KINDS,
    Done,
    Frame,
    InvalidInput,
    Look,
    MissingPrerequisite,
    Node,
    Observation,
    Outcome,
    Type,
    Window,
)
from fairground.rollout import Budget, read_episode, run_episode
from fairground.screen import decode
from fairground.worlds import resolve

ROOT = Path(__file__).resolve().parents[2]
BRIEF = Brief("Grüß “everybody”.\nTwice.", (64, 48), 10, "answer", seed=7)
PIXELS = np.random.default_rng(1).integers(0, 256, (48, 64, 3), np.uint8)
SEEN = Observation(Frame(PIXELS), step=0, cursor=(3, 4))

# What most of the programs below begin with.
TALK = """
import json, os, signal, subprocess, sys, threading
def hear(): return json.loads(sys.stdin.readline())
def say(text): sys.stdout.write(text + "\\n"); sys.stdout.flush()
def act(action, **more): say(json.dumps({"action": action, **more}))
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., ProgramAgent]]:
    """Makes an agent of a few lines of Python, begun; everything is closed in the end."""
    made: list[ProgramAgent] = []

    def make(source: str, *, begun: bool = True, screens: Screens = "inline", **options: float) -> ProgramAgent:
        path = tmp_path / f"agent{len(made)}.py"
        path.write_text(TALK + textwrap.dedent(source))
        agent = ProgramAgent([sys.executable, "-S", str(path)], screens=screens, **options)  # type: ignore[arg-type]
        made.append(agent)
        if begun:
            agent.begin(BRIEF)
        return agent

    yield make
    for agent in made:
        agent.close()


# --- what is said ----------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_program_that_reads_only_the_tree_is_sent_no_screen(program: Callable[..., ProgramAgent]) -> None:
    agent = program('hear(); act({"kind": "type", "text": json.dumps(sorted(hear()))})', begun=False)
    agent.begin(replace(BRIEF, observations=("tree",)))
    turn = agent.act(Observation(SEEN.frame, tree=Node("window", "Notes")))
    assert isinstance(turn.action, Type) and json.loads(turn.action.text) == ["kind", "messages", "step", "tree"]


@pytest.mark.process
def test_a_program_is_told_the_task_and_everything_it_may_see(program: Callable[..., ProgramAgent]) -> None:
    agent = program('act({"kind": "type", "text": json.dumps([hear(), hear()])}, thought="I repeat what I heard.")')
    assert isinstance(agent, Agent)
    tree = Node("window", "Notes", children=(Node("button", "Save", bounds=(1, 2, 3, 4), states=("focused",)),))
    windows = (Window("Notes", (0, 0, 64, 48), focused=True),)
    turn = agent.act(Observation(SEEN.frame, 3, (3, 4), tree, windows, ("Refused: no such key",)))
    assert turn.thought == "I repeat what I heard." and isinstance(turn.action, Type)
    begin, observe = json.loads(turn.action.text)
    assert begin == {
        "kind": "begin", "protocol": 1, "instruction": BRIEF.instruction, "task": "answer",
        "size": [64, 48], "step_budget": 10, "seed": 7, "observations": ["screen", "cursor"],
    }  # fmt: skip
    assert decode(base64.b64decode(observe.pop("screen")["png"])) == SEEN.frame
    button = {"role": "button", "name": "Save", "bounds": [1, 2, 3, 4], "states": ["focused"]}
    assert observe == {
        "kind": "observe", "step": 3, "cursor": [3, 4], "messages": ["Refused: no such key"],
        "tree": {"role": "window", "name": "Notes", "children": [button]},
        "windows": [{"title": "Notes", "bounds": [0, 0, 64, 48], "focused": True}],
    }  # fmt: skip


@pytest.mark.process
def test_screens_can_come_as_files_that_nobody_else_reads_and_that_are_gone_afterwards(
    program: Callable[..., ProgramAgent],
) -> None:
    agent = program('hear()\nact({"kind": "type", "text": hear()["screen"]["file"]})', screens="file")
    action = agent.act(SEEN).action
    assert isinstance(action, Type)
    path = Path(action.text)
    assert decode(path.read_bytes()) == SEEN.frame
    assert path.parent.stat().st_mode & 0o077 == 0
    agent.close()
    assert not path.parent.exists()


@pytest.mark.process
def test_every_episode_has_a_process_of_its_own_and_the_last_one_is_told_that_it_is_over(
    program: Callable[..., ProgramAgent], tmp_path: Path
) -> None:
    agent = program(f"""
        hear(); hear(); act({{"kind": "type", "text": str(os.getpid())}})
        open({str(tmp_path / "over")!r}, "a").write(sys.stdin.read())
        """)
    first = agent.act(SEEN)
    agent.begin(BRIEF)
    assert (tmp_path / "over").read_text() == '{"kind": "end"}\n'
    assert agent.act(SEEN) != first


@pytest.mark.process
def test_a_frame_larger_than_any_pipe_passes_while_the_program_prints_at_the_same_time(
    program: Callable[..., ProgramAgent],
) -> None:
    noise = np.random.default_rng(2).integers(0, 256, (1080, 1920, 3), np.uint8)  # 8 MB of base64
    agent = program("""
        sys.stderr.write("chatter\\n" * 100_000); hear()
        act({"kind": "type", "text": str(len(hear()["screen"]["png"]))}, thought="t" * 900_000)
        """)
    turn = agent.act(Observation(Frame(noise)))
    assert isinstance(turn.action, Type) and int(turn.action.text) > 8_000_000 and len(turn.thought) == 900_000


# --- programs that are not there --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "error", "message"),
    [
        ("program:no-such-agent --fast", MissingPrerequisite, "'no-such-agent' was not found"),
        ("program:/no/such/agent", MissingPrerequisite, "was not found"),
        ("program:/tmp", MissingPrerequisite, "was not found"),
        ("program:", InvalidInput, "needs a command"),
        ("program:''", InvalidInput, "needs a command"),
        ("program:python 'agent.py", InvalidInput, "No closing quotation"),
        ("program:python a\0b", InvalidInput, "NUL"),
    ],
)
def test_a_program_that_is_not_there_is_said_before_anything_starts(
    command: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        program_agent(command)


def test_a_file_without_the_right_to_run_gets_the_line_that_gives_it(tmp_path: Path) -> None:
    script = tmp_path / "my agent.sh"
    script.write_text("#!/bin/sh\n")
    with pytest.raises(MissingPrerequisite, match="is not executable") as found:
        ProgramAgent([str(script)])
    assert found.value.fix == f"chmod +x '{script}'"


@pytest.mark.process
def test_a_program_of_another_machine_cannot_be_started(tmp_path: Path) -> None:
    script = tmp_path / "agent"
    script.write_bytes(b"\x7fELF of nowhere")
    script.chmod(0o755)
    agent = ProgramAgent([str(script)])
    with pytest.raises(ProgramFault, match="cannot be started: Exec format error"):
        agent.begin(BRIEF)


def test_the_command_line_is_the_name_and_is_not_given_to_a_shell() -> None:
    agent = program_agent("program:python3 'my agent.py' $HOME; ls")
    assert agent.command == ("python3", "my agent.py", "$HOME;", "ls")
    assert agent.name == "program:python3 'my agent.py' '$HOME;' ls"


# --- programs that misbehave ------------------------------------------------------------------------------------------

FLOOD = 'hear()\nline = "x" * 1000 + "\\n"\nwhile True: sys.stdout.write(line)'


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('print("no key", file=sys.stderr); sys.exit(3)', "exited with status 3 before it answered; .*ends:\nno key"),
        ("sys.exit(0)", "exited with status 0 before it answered; it wrote nothing to standard error"),
        ("hear(); hear(); os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
        ('hear(); hear(); sys.stdout.write(\'{"action": {"ki\')', "exited with status 0 in the middle of a line"),
        ("hear(); os.close(1); threading.Event().wait()", "closed its standard output while it was running"),
        ("os.close(0); threading.Event().wait()", "closed its standard input while it was running"),
        ('hear(); hear()\nwhile True: sys.stdout.write("x" * 4096)', "a line of more than 1,048,576 bytes"),
        (FLOOD, "prints without reading its input"),
        ('while True: hear(); say("Hello, I am an agent!")', "5 invalid answers in a row; .*'Hello, I am an agent!'"),
        ('while True: hear(); say(\'{"action": {"kind": "do\')', "5 invalid answers in a row"),
        ('while True: hear(); sys.stdout.buffer.write(b"\\xff\\xfe\\n"); sys.stdout.flush()', "not UTF-8"),
        ('while True: hear(); act({"kind": "clcik"})', "did you mean click"),
    ],
)
@pytest.mark.process
def test_what_a_program_does_wrong_is_a_fault_that_says_what(
    program: Callable[..., ProgramAgent], source: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "while it was running" in message:
        monkeypatch.setattr("fairground.agents.jsonlines._LAST_WORDS", 0.1)
    big = Observation(Frame(np.random.default_rng(3).integers(0, 256, (300, 400, 3), np.uint8)))  # fills a pipe
    agent = program(source)
    with pytest.raises(ProgramFault, match=f"(?s){message}"):
        agent.act(big)
    with pytest.raises((ProgramFault, InvalidInput)):
        agent.act(big)


@pytest.mark.process
def test_an_answer_given_before_the_end_counts(program: Callable[..., ProgramAgent]) -> None:
    agent = program('act({"kind": "look"}); act({"kind": "done"})')
    assert [agent.act(SEEN).action for _ in range(2)] == [Look(), Done()]
    with pytest.raises(ProgramFault, match="exited with status 0"):
        agent.act(SEEN)


@pytest.mark.process
def test_only_the_end_of_standard_error_is_kept(program: Callable[..., ProgramAgent]) -> None:
    agent = program('sys.stderr.write("é" * 1_000_000 + "the cause\\n"); sys.exit(1)')
    with pytest.raises(ProgramFault, match="the cause") as found:
        agent.act(SEEN)
    assert len(str(found.value)) < 3_000


@pytest.mark.process
def test_a_program_is_told_why_it_was_refused_and_may_try_again(program: Callable[..., ProgramAgent]) -> None:
    agent = program("""
        hear(); hear()
        say("loading weights ..."); first = hear()
        act({"kind": "key", "keys": ["Retrun"]}); second = hear()
        act({"kind": "type", "text": json.dumps([first, second])})
        """)
    action = agent.act(SEEN).action
    assert isinstance(action, Type)
    first, second = json.loads(action.text)
    assert first["kind"] == second["kind"] == "refused"
    assert "not valid JSON" in first["message"] and "unknown key 'Retrun'" in second["message"]
    assert (first["tries_left"], second["tries_left"]) == (MAX_REFUSED - 1, MAX_REFUSED - 2)


@pytest.mark.process
def test_closing_ends_a_wait_for_a_program_that_never_answers(program: Callable[..., ProgramAgent]) -> None:
    agent = program("""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("deaf", file=sys.stderr, flush=True); threading.Event().wait()
        """)
    running = agent._program
    assert running is not None
    raised: list[BaseException] = []

    def wait() -> None:
        try:
            agent.act(SEEN)
        except ProgramFault as error:
            raised.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while "deaf" not in running.errors:  # read by the other thread
        thread.join(0.01)
    agent.close()
    thread.join(60)
    assert not thread.is_alive() and ("was stopped" in str(raised[0]) or "SIGKILL" in str(raised[0]))
    assert not running_group(running.pid)


@pytest.mark.parametrize("ends", ["pass", "threading.Event().wait()"])
@pytest.mark.process
def test_children_that_outlive_the_program_are_ended_with_it(program: Callable[..., ProgramAgent], ends: str) -> None:
    agent = program(f"""
        hear(); hear()
        child = subprocess.Popen([sys.executable, "-S", "-c", "import threading; threading.Event().wait()"])
        act({{"kind": "type", "text": str(child.pid)}}); {ends}
        """, grace=0.2)  # fmt: skip
    action = agent.act(SEEN).action
    assert isinstance(action, Type)
    child = os.pidfd_open(int(action.text))
    with closing(os.fdopen(child)):
        if ends == "pass":  # it holds the program's output open; that the program is gone is seen all the same
            with pytest.raises(ProgramFault, match="exited with status 0"):
                agent.act(SEEN)
        agent.close()
        assert select.select([child], [], [], 60)[0], "the child is still there"


@pytest.mark.process
def test_a_program_ends_with_the_agent_that_was_forgotten() -> None:
    running = LineProgram([sys.executable, "-S", "-c", "import threading; threading.Event().wait()"])
    pid = running.pid
    del running
    assert not running_group(pid)


def running_group(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


# --- answers ----------------------------------------------------------------------------------------------------------


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_garbage_is_refused_and_nothing_else_happens(line: bytes) -> None:
    with pytest.raises(InvalidInput):
        read_reply(line)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["kind", "point", "keys"]), inner),
    max_leaves=6,
)


@given(st.fixed_dictionaries({"kind": st.sampled_from(ACTION_KINDS) | json_values, "point": json_values}), json_values)
def test_json_that_is_no_answer_is_refused_and_nothing_else_happens(action: object, thought: object) -> None:
    for message in ({"action": action}, {"action": action, "thought": thought}, {"actions": action}, action, [action]):
        try:
            turn = read_reply(json.dumps(message).encode())
        except InvalidInput:
            continue
        assert isinstance(turn, Turn)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"{}", "answer.action: required"),
        (b'{"action": "click"}', "answer.action"),
        (b'{"kind": "click"}', "answer.kind: unknown field"),
        (b'{"action": {"kind": "done"}, "thought": 3}', "answer.thought"),
        (b'{"action": {"kind": "done"}, "action": {"kind": "fail"}}', "'action' appears twice"),
        (b'{"action": {"kind": "wait", "seconds": NaN}}', "NaN is not a number"),
        (b'{"action": {"kind": "drag", "path": [[1, 1]]}}', "action.path"),
    ],
)
def test_a_wrong_answer_is_named(line: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_reply(line)


# --- in a real world --------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_the_example_solves_its_world(tmp_path: Path) -> None:
    agent = program_agent(f"program:{sys.executable} {ROOT / 'examples/json_lines_agent.py'}")
    with closing(agent):
        episode = run_episode(
            resolve(str(ROOT / "examples/shopping-list/add-item/espresso")), agent, tmp_path / "e", video=False
        )
    assert (episode.outcome, episode.error) == (Outcome.PASSED, "")
    assert [step.thought for step in read_episode(tmp_path / "e").steps][-1] == "That is all."


@pytest.mark.slow
def test_a_program_that_crashes_has_failed_and_one_that_hangs_is_judged_on_what_it_did(
    program: Callable[..., ProgramAgent], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = resolve(str(ROOT / "examples/shopping-list/add-item"))
    crashing = program('hear(); hear(); act({"kind": "look"}); hear(); raise KeyError("weights")', begun=False)
    episode = run_episode(world, crashing, tmp_path / "crash", video=False)
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.FAILED, "agent_error", 1)
    assert episode.verdict is not None and episode.verdict.reward == 0
    assert "exited with status 1" in episode.error and "KeyError: 'weights'" in episode.error

    hanging = program('hear(); hear(); act({"kind": "look"}); threading.Event().wait()', begun=False, grace=0.1)
    later = itertools.chain([0.0, 0.0], itertools.repeat(1000.0))  # begins and acts once, then time is up
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + next(later))
    monkeypatch.setattr("fairground.rollout.patience.time", clock)
    episode = run_episode(world, hanging, tmp_path / "hang", video=False, budget=Budget(seconds=1000.0))
    assert (episode.outcome, episode.ended_by, episode.steps) == (Outcome.FAILED, "time_budget", 1)
