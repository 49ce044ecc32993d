"""The code in the documents works: the blocks of each file are run in order.

Each file becomes one program with the same line numbers, so that a traceback points into the document. Python blocks
are used unchanged. In blocks tagged `console run`, each line that starts with `$` is a command that must succeed
(`tests/document.py`).
"""

import ast
import importlib
import os
import re
import shlex
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from fairground.cli.loading import load
from fairground.cli.main import _COMMANDS
from fairground.cli.main import _UsageError as UsageError
from scripts.docs_pages import front_matter, generated_pages

from .document import run_document

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUNNER = ROOT / "tests" / "document.py"
GENERATED = {ROOT / "docs" / page for page in generated_pages()}
SECONDS = 280  # timeout; the longest document takes a tenth of this on an idle machine

_BLOCK = re.compile(r"^(?P<indent> *)```(?P<tag>[^\n`]+)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_REASON = re.compile(r"<!-- no-run: \S.* -->\s*\Z")


@dataclass(frozen=True)
class Block:
    """A fenced block: its tag, its lines, and the number of its first line."""

    tag: str
    lines: list[str]
    first: int
    reason: bool
    """Whether the line above the block says why it is not run."""


def blocks(text: str) -> list[Block]:
    found = []
    for match in _BLOCK.finditer(text):
        first = text.count("\n", 0, match.start("body")) + 1
        lines = textwrap.dedent(match["body"]).splitlines()
        reason = _REASON.search(text[: match.start()]) is not None
        found.append(Block(" ".join(match["tag"].split()), lines, first, reason))
    return found


def program(text: str) -> str:
    """Convert a document to one Python program with the same line numbers."""
    lines = [""] * (text.count("\n") + 2)
    for block in blocks(text):
        if block.tag == "python":
            lines[block.first - 1 : block.first - 1 + len(block.lines)] = block.lines
        elif block.tag == "console run":
            for number, line in enumerate(block.lines, block.first - 1):
                if line.startswith("$ "):
                    lines[number] = f"run_command({line[2:]!r})"
    return "\n".join(lines).rstrip() + "\n"


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


WITH_CODE = [path for path in DOCUMENTS if program(path.read_text()).strip()]
NO_PROGRAMS = {"actions.md", "judges.md", "native-actions.md", "new-app.md", "studio.md"}
PURE = [
    path
    for path in WITH_CODE
    if (path.parent.name == "statistics" and path.name != "tables.md")
    or name(path) in {f"docs/{page}" for page in NO_PROGRAMS}
]
LONG = {
    "agents.md", "environments.md", "interventions.md", "remote-clients.md", "remote.md", "runs.md", "studies.md",
    "training-data.md", "worlds.md",
}  # fmt: skip
IN_SLOW_RUNS = [path for path in WITH_CODE if path.name in LONG]
OWN_PROCESS = {"pocket.md", "proofs.md", "suites.md"}  # their source or their worker processes need a `__main__`
WITH_PROGRAMS = [path for path in WITH_CODE if path not in PURE and path not in IN_SLOW_RUNS]


@pytest.mark.parametrize("document", PURE, ids=name)
def test_the_code_of_a_document_without_programs_runs(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_here(document, tmp_path, monkeypatch)


@pytest.mark.process
@pytest.mark.timeout(SECONDS + 20)
@pytest.mark.parametrize("document", [path for path in WITH_PROGRAMS if path.name not in OWN_PROCESS], ids=name)
def test_the_code_of_a_short_document_runs(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_here(document, tmp_path, monkeypatch)


def run_here(document: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in this process: importing the library takes longer than most documents."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    script = folder / document.name
    script.write_text(program(document.read_text()))
    run_document(script)


@pytest.mark.process
@pytest.mark.timeout(SECONDS + 20)
@pytest.mark.parametrize(
    "document",
    [
        *(path for path in WITH_PROGRAMS if path.name in OWN_PROCESS),
        *(pytest.param(path, marks=pytest.mark.slow) for path in IN_SLOW_RUNS),
    ],
    ids=name,
)
def test_the_code_of_a_document_runs(document: Path, tmp_path: Path) -> None:
    script = tmp_path / document.name
    script.write_text(program(document.read_text()))
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    runner = (
        [str(RUNNER)] if "run_command(" in script.read_text() else []
    )  # otherwise run it directly, as a reader does
    command = [sys.executable, "-W", "error", *runner, str(script)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


@pytest.mark.parametrize("document", IN_SLOW_RUNS, ids=name)
def test_a_long_document_names_only_what_there_is(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rename shows before the document itself is run, which takes long."""
    monkeypatch.chdir(tmp_path)
    for node in ast.walk(ast.parse(program(document.read_text()))):
        check_imports(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "run_command":
            (line,) = (word.value for word in node.args if isinstance(word, ast.Constant))
            check_command(str(line))


def check_imports(node: ast.AST) -> None:
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fairground"):
        module = importlib.import_module(str(node.module))
        for imported in node.names:
            assert hasattr(module, imported.name), f"{node.module} has no {imported.name}"
    elif isinstance(node, ast.Import):
        for imported in node.names:
            if imported.name.startswith("fairground"):
                importlib.import_module(imported.name)


def check_command(line: str) -> None:
    """Parse the options of a command without running it."""
    if line.startswith("fairground "):
        _, command, *words = shlex.split(line.partition(" || ")[0].partition(" > ")[0])
        load(command, _COMMANDS[command]).make_context(command, words)


@pytest.mark.parametrize("line", ["fairground run pocket --no-such-option", "fairground nothing-here"])
def test_a_line_with_an_unknown_option_or_command_is_noticed(line: str) -> None:
    with pytest.raises((UsageError, KeyError)):
        check_command(line)


def test_an_import_of_what_is_not_there_is_noticed() -> None:
    (node,) = ast.parse("from fairground.core import Clack").body
    with pytest.raises(AssertionError, match="fairground.core has no Clack"):
        check_imports(node)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_a_block_that_is_not_run_says_why(document: Path) -> None:
    known = {
        "python",
        "python no-run",
        "console",
        "console run",
        "bash",
        "sh",
        "toml",
        "json",
        "text",
        "html",
        "javascript",
        "make",
    }
    for block in blocks(document.read_text()):
        assert block.tag in known, f"{name(document)}:{block.first - 1}: unknown tag {block.tag!r}"
        if block.tag == "python no-run":
            assert block.reason, f"{name(document)}:{block.first - 1}: say why above it: <!-- no-run: ... -->"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_inside_the_repository_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text()):
        if not re.match(r"[a-z]+:", target):
            path = (document.parent / target).resolve()
            assert path.exists() or path in GENERATED, f"{name(document)} links to {target}"


def test_the_quickstart_page_shows_the_agent_that_the_command_writes() -> None:
    agent = (ROOT / "src/fairground/cli/quickstart_agent.py").read_text()
    assert f"```python\n{agent}```" in (ROOT / "docs/quickstart.md").read_text()


def test_generated_pages_say_something_of_every_command_and_field() -> None:
    text = {path: write() for path, write in generated_pages().items()}
    assert "## fairground run\n" in text["reference/cli.md"] and "--rollouts" in text["reference/cli.md"]
    assert "### Episode\n" in text["reference/schemas.md"] and "| `outcome` |" in text["reference/schemas.md"]
    assert "](docs/" not in text["contributing.md"]


EXAMPLE = """\
# A document

```python
x = 1
```

- in a list:

  ```python
  x += 1
  ```

```console run
$ echo "$((40 + 2))" > answer
this is what it prints
```

```console
$ exit 1
```

<!-- no-run: needs a key -->
```python no-run
raise SystemExit("not run")
```

```python
assert x == 2
assert open("answer").read() == "42\\n"
```
"""


@pytest.mark.process
def test_blocks_run_in_order_and_in_one_namespace(tmp_path: Path) -> None:
    script = tmp_path / "example.md"
    script.write_text(program(EXAMPLE))
    subprocess.run([sys.executable, str(RUNNER), str(script)], cwd=tmp_path, check=True)


@pytest.mark.process
def test_a_failure_points_into_the_document(tmp_path: Path) -> None:
    script = tmp_path / "example.md"
    script.write_text(program(EXAMPLE + "\n```python\n1 / 0\n```\n"))
    done = subprocess.run([sys.executable, str(RUNNER), str(script)], cwd=tmp_path, capture_output=True, text=True)
    line = EXAMPLE.count("\n") + 3
    assert f'example.md", line {line}' in done.stderr


@pytest.mark.process
@pytest.mark.parametrize("line", ["fairground nothing-here", "exit 1"])
def test_a_command_that_fails_fails_the_document(line: str, tmp_path: Path) -> None:
    script = tmp_path / "example.md"
    script.write_text(program(f"```console run\n$ {line}\n```\n"))
    done = subprocess.run([sys.executable, str(RUNNER), str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and f"{line!r} failed" in done.stderr


def test_a_reason_counts_only_right_above_its_block() -> None:
    assert [block.reason for block in blocks(EXAMPLE) if block.tag == "python no-run"] == [True]
    assert [block.reason for block in blocks("```python no-run\n1\n```\n")] == [False]


def test_search_results_list_guides_before_reference_pages() -> None:
    last = {path for path in generated_pages() if "boost: 0.1" in front_matter(path)}
    assert {"reference/cli.md", "reference/python/env.md", "changelog.md"} <= last
    assert "contributing.md" not in last
