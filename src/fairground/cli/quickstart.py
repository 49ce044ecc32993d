"""`fairground quickstart`: write, run and score a first agent, step by step in the terminal."""

from __future__ import annotations

import io
import json as json_
import shlex
import shutil
import sys
from contextlib import redirect_stdout
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.syntax import Syntax

from fairground.cli.output import Json, console, print_entry, print_json
from fairground.core import InvalidInput, MissingPrerequisite
from fairground.core.writing import writing

if TYPE_CHECKING:
    from fairground.rollout.ended import Ended

SCENARIO = "pocket/notes/count-label"
CONFIGS = 6
OLD_LINE = 'self.taps = re.findall("“(.+?)”", brief.instruction)'
NEW_LINE = 'self.taps = ["Back", "Notes", *re.findall("“(.+?)”", brief.instruction)]'
"""Replaces `OLD_LINE` of the example: the agent first goes to the list of notes, so it works from every start page."""

CONDITION = "back-first"
"""Name of the changed agent's run. The agent keeps its name, so the condition distinguishes the two versions."""

_BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

_WHAT_IT_IS = """\
Fairground opens an app in a sandbox, shows it to an agent, performs the agent's
actions and checks the result. An agent is a Python class with two methods:

  begin(brief)       receives the task, once per episode
  act(observation)   receives the screen, and returns the next action
"""

_WHAT_RUNS = """\
The task is a question about a notes app on a phone: how many notes have a
certain label? Fairground varies it: other labels, other notes, other themes,
other start pages. Each variant is a configuration. This run tries {configs} of them:
"""

_WHAT_IT_MEANS = """\
A configuration is named INSTANCE@PROFILE/THEME/UI_STATE. The UI state is the
page that the app starts on. This agent taps the label on the first page that it
sees, so it cannot work where the app starts elsewhere. It also fails where the
label is outside the screen: a node that is not visible has no center.
"""


def quickstart(
    file: Annotated[Path, typer.Option(metavar="FILE", help="The Python file to write.")] = Path("my_agent.py"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not wait for Enter. Implied without a terminal.")
    ] = False,
    json: Json = False,
) -> None:
    """Write, run and score an agent of your own.

    \b
    Examples:
      fairground quickstart
      fairground quickstart --yes --file first.py

    Takes less than a minute. Writes one small Python file, runs it on a few configurations of a phone app, shows the
    scores, and tells what to change next. Needs the suite Pocket and Chromium.
    """  # noqa: D301 (\b keeps line breaks)
    waits = not (yes or json) and sys.stdin.isatty() and console.is_terminal
    agent = f"{file}:MyAgent"
    _check_file(file, agent, ask=waits, force=force)
    _check_world()
    code = example_source()
    if not json:
        _heading("1", "What an agent is")
        console.print(_WHAT_IT_IS, highlight=False)
        _pause(waits, f"write {file}")
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code, encoding="utf-8")
    folder = _free_folder()
    command = run_command(agent, folder)
    if not json:
        _heading("2", f"Your first agent, in {file}")
        console.print(Syntax(code, "python", theme="ansi_light", background_color="default"))
        _pause(waits, "run it")
        _heading("3", "Run it")
        console.print(_WHAT_RUNS.format(configs=CONFIGS), highlight=False)
        console.print(f"  $ {escape(command)}\n", highlight=False, soft_wrap=True)
    result = _run(agent, folder, quiet=json)
    episodes = _episodes(folder)
    steps = next_commands(agent, folder)
    if json:
        print_json(
            {
                "file": str(file),
                "agent": agent,
                "command": command,
                "run": result,
                "episodes": [
                    {"configuration": episode.configuration.id, "outcome": episode.finished.outcome.value}
                    for episode in episodes
                ],
                "next": {"replace": OLD_LINE, "with": NEW_LINE, "commands": steps},
            }
        )
        return
    _print_results(episodes)
    _pause(waits, "see what to do next")
    _print_next(file, steps)


def example_source() -> str:
    """Returns the source code of the example agent, which `quickstart` copies."""
    return (files("fairground.cli") / "quickstart_agent.py").read_text(encoding="utf-8")


def run_command(agent: str, folder: Path, condition: str = "") -> str:
    """Returns the command line that runs an agent on the configurations of the quickstart."""
    words = ["fairground", "run", SCENARIO, "--agent", agent, "--configs", str(CONFIGS), "--rollouts", "1"]
    words += ["--condition", condition] if condition else []
    return shlex.join([*words, "--out", str(folder)])


def next_commands(agent: str, folder: Path) -> dict[str, str]:
    """Returns the commands to try next, by what they do."""
    second = _free_folder(after=folder)
    return {
        "Run the same configurations again": run_command(agent, second, CONDITION),
        "Compare the two runs": shlex.join(["fairground", "compare", str(second), str(folder)]),
        "Look at the failures": shlex.join(["fairground", "show", str(folder)]),
        "Find other tasks": "fairground list pocket",
    }


def _check_file(file: Path, agent: str, *, ask: bool, force: bool) -> None:
    """Raises `InvalidInput` where the file is not named FILE.py, or exists and may not be overwritten."""
    if file.suffix != ".py":
        raise InvalidInput(f"--file: expected a name that ends in .py, got {file.name!r}", fix="my_agent.py")
    if force or not file.exists() or (file.is_file() and file.read_bytes() == example_source().encode()):
        return
    if ask and file.is_file() and typer.confirm(f"{file} already exists. Overwrite it?", default=False):
        return
    raise InvalidInput(
        f"{file} already exists; the quickstart does not overwrite it",
        fix="choose another file with --file NAME.py, or overwrite it with --force; to run the file that you have: "
        + shlex.join(["fairground", "run", SCENARIO, "--agent", agent]),
    )


def _check_world() -> None:
    """Raises `MissingPrerequisite` where the suite or the browser is not installed."""
    from fairground.worlds import package_versions, suites

    suite, app, _ = SCENARIO.split("/")
    known = suites()
    if suite not in known:
        raise MissingPrerequisite(
            f"the quickstart needs the suite {suite}, which is not installed",
            fix=f"pip install fairground-{suite}, or in a checkout: pip install -e suites/{suite}",
        )
    package_versions(known[suite].app(app).packages)
    if not any(map(shutil.which, _BROWSERS)):
        raise MissingPrerequisite(
            "the quickstart needs Chromium, which is not installed", fix="apt-get install chromium   (as root)"
        )


def _free_folder(after: Path | None = None) -> Path:
    """Returns the first of runs/quickstart, runs/quickstart-2, ... that does not exist and is not `after`."""
    folder, number = Path("runs") / "quickstart", 1
    while folder.exists() or folder == after:
        number += 1
        folder = Path("runs") / f"quickstart-{number}"
    return folder


def _run(agent: str, folder: Path, *, quiet: bool) -> Any:
    """Runs the agent as `fairground run` does. Returns its JSON value if `quiet`, else prints what it prints."""
    from fairground.cli.run import run  # late, here and below: help needs neither

    printed = io.StringIO()
    with redirect_stdout(printed if quiet else sys.stdout):
        run([SCENARIO], agent=[agent], configs=CONFIGS, rollouts=1, out=folder, json=quiet)
    return json_.loads(printed.getvalue()) if quiet else None


def _episodes(folder: Path) -> list[Ended]:
    from fairground.rollout.ended import ended_episodes

    return ended_episodes(folder)[0]


def _heading(number: str, text: str) -> None:
    console.print(f"\n[bold]{number}. {escape(text)}[/]\n", highlight=False)


def _pause(waits: bool, action: str) -> None:
    if waits:
        console.input(f"[dim]Press Enter to {escape(action)} (Ctrl-C stops).[/] ")


def _print_results(episodes: list[Ended]) -> None:
    from fairground.report.outcomes import outcome_markup

    _heading("4", "What happened")
    for episode in episodes:
        name = episode.configuration.id.removeprefix(f"{SCENARIO}/")
        console.print(f"  {outcome_markup(episode.finished.outcome)}  {escape(name)}", highlight=False)
    console.print(f"\n{_WHAT_IT_MEANS}", highlight=False)


def _print_next(file: Path, commands: dict[str, str]) -> None:
    _heading("5", "What to do next")
    console.print(f"Make it reliable. In {escape(str(file))}, replace the line\n", highlight=False)
    indent = " " * 8  # as in the file, so that the line can be pasted
    console.print(
        f"{indent}{escape(OLD_LINE)}\n\nwith\n\n{indent}{escape(NEW_LINE)}\n", highlight=False, soft_wrap=True
    )
    for words, command in commands.items():
        console.print(f"{words}:\n  $ {escape(command)}", highlight=False, soft_wrap=True)
    console.print()
    print_entry(
        "",
        "The agent keeps its name when you edit its file. --condition names the new version, so that results show it "
        f"as AGENT \\[{CONDITION}].",
        indent=0,
    )
    console.print()
    print_entry(
        "",
        f"Scores of {CONFIGS} episodes have wide intervals, and differences stay undecided: raise --configs to narrow "
        "them. To connect a model or to write a larger agent, read the documentation page on agents (docs/agents.md).",
        indent=0,
    )
