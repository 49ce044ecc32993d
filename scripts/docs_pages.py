"""MkDocs hooks: pages of the documentation site that are generated from the code, so that they stay true.

`make docs` builds the site. Generated: the command line reference (from `--help`), the Python API (one page per room,
filled by mkdocstrings from docstrings), the schemas of files (from Pydantic models), and the project's own documents.
"""

from __future__ import annotations

import os
import re
import types
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Union, get_args, get_origin

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pydantic_core import PydanticUndefined

ROOT = Path(__file__).resolve().parents[1]

ROOMS = {
    "env": "The Gymnasium environment.",
    "agents": "Agents, and the protocol they implement.",
    "core": "The vocabulary: actions, observations, states, verdicts, errors.",
    "worlds": "Apps, scenarios, suites, seats.",
    "verify": "Checks, readers of files, judges.",
    "prove": "Proofs that configurations are sound.",
    "rollout": "Episodes, runs, studies.",
    "stats": "Statistics of episodes and votes.",
    "report": "Pages, tables and plots.",
    "screen": "X11 and browser screens.",
    "sandbox": "Sandboxes and their limits.",
    "arena": "Battles, votes, rankings.",
    "interop": "Other tools' formats and protocols.",
}

SCHEMAS: dict[str, Sequence[tuple[str, str, str]]] = {
    "Episode folder": [
        ("fairground.core", "Episode", "`episode.json`: one per episode"),
        ("fairground.core", "Verdict", "`verdict` of an episode"),
        ("fairground.core", "Check", "one entry of a verdict's `checks`"),
        ("fairground.core", "Step", "`steps.jsonl`: one line per step"),
        ("fairground.rollout.folder", "StateIndex", "`state/state.json`"),
        ("fairground.rollout.manifest", "Manifest", "`manifest.json`: sizes and digests of all files"),
    ],
    "Runs and studies": [
        ("fairground.rollout", "RunSpec", "`run.json`: what was asked for"),
        ("fairground.rollout", "Budget", "limits of an episode and of a run"),
        ("fairground.rollout", "Planned", "one planned episode"),
        ("fairground.rollout", "StudySpec", "`study.toml`"),
        ("fairground.rollout.verdicts", "LaterVerdict", "a verdict given again by `fairground reverify`"),
        ("fairground.rollout", "Judgement", "what a model judge said of an episode"),
    ],
    "Suites": [
        ("fairground.worlds", "WorldFile", "`world.toml`: software as a world, without Python"),
        ("fairground.worlds", "ProvenScenario", "one line of a proof table"),
    ],
    "Arena": [("fairground.arena", "Vote", "one vote, as the API takes it and the export holds it")],
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the generated pages."""
    for path, write in generated_pages().items():
        files.append(File.generated(config, path, content=front_matter(path) + write()))
    return files


def front_matter(path: str) -> str:
    """Returns the metadata of a generated page. In search results, guides come before reference pages."""
    last = path.startswith("reference/") or path == "changelog.md"
    return "---\nsearch:\n  boost: 0.1\n---\n\n" if last else ""


def generated_pages() -> dict[str, Callable[[], str]]:
    """Returns what writes each generated page, by its path below docs/."""
    return {
        "reference/cli.md": _cli,
        "reference/python.md": _python,
        "reference/schemas.md": _schemas,
        "changelog.md": partial(_project, "CHANGELOG.md"),
        "contributing.md": partial(_project, "CONTRIBUTING.md"),
        "security.md": partial(_project, "SECURITY.md"),
        **{f"reference/python/{room}.md": partial(_room, room) for room in ROOMS},
    }


def on_page_markdown(markdown: str, **_: object) -> str:
    """Drops from the tags of code blocks what only our tests understand."""
    return re.sub(r"^(\s*```\w+) (?:run|no-run)$", r"\1", markdown, flags=re.MULTILINE)


def _cli() -> str:
    from fairground.cli.main import command_line

    os.environ["COLUMNS"] = "80"
    command = command_line()
    parts = [
        "# Command line",
        "Every command has `--help` and `--json`. Exit status: 0 success; 1 something failed; 2 invalid input; "
        "3 recorded results are damaged; 130 interrupted.",
        _help(command, "fairground"),
    ]
    parts += [f"{'#' * level} {name}\n\n{text}" for level, name, text in _commands(command, "fairground", 2)]
    return "\n\n".join(parts) + "\n"


def _commands(command: Any, name: str, level: int) -> Iterator[tuple[int, str, str]]:
    context = click.Context(command, info_name=name)
    for entry in command.list_commands(context):
        child = command.get_command(context, entry)
        if child is None or child.hidden:
            continue
        full = f"{name} {entry}"
        yield level, full, _help(child, full)
        if hasattr(child, "list_commands"):
            yield from _commands(child, full, level + 1)


def _help(command: Any, name: str) -> str:
    context = command.context_class(command, info_name=name, terminal_width=80, max_content_width=80)
    return f"```text\n{command.get_help(context).rstrip()}\n```"


def _room(room: str) -> str:
    options = "show_root_heading: false\n      heading_level: 2"
    return f"# fairground.{room}\n\n::: fairground.{room}\n    options:\n      {options}\n"


def _python() -> str:
    rows = "\n".join(f"| [`fairground.{room}`](python/{room}.md) | {about} |" for room, about in ROOMS.items())
    return (
        "# Python API\n\nThe names in `fairground.__all__` are the stable API; each is documented with the package "
        "that defines it. Everything that a package lists in its own `__all__` is public "
        "([versions and deprecation](../versions.md)).\n\n"
        f"| package | contents |\n| --- | --- |\n{rows}\n\n## fairground\n\n{_exports()}\n"
    )


def _exports() -> str:
    import fairground

    lines = ["| name | defined in |", "| --- | --- |"]
    for name in sorted(fairground.__all__):
        home = getattr(getattr(fairground, name), "__module__", "")
        room = home.split(".")[1] if home.count(".") else ""
        lines.append(f"| `{name}` | {f'[`fairground.{room}`](python/{room}.md)' if room in ROOMS else ''} |")
    return "\n".join(lines)


def _schemas() -> str:
    from importlib import import_module

    parts = ["# Schemas", "Fields of the files that Fairground writes and reads, generated from the models that "
             "validate them. Unknown fields are errors. See [files and protocols](formats.md) for how they fit "
             "together."]  # fmt: skip
    for heading, models in SCHEMAS.items():
        parts.append(f"## {heading}")
        for module, name, about in models:
            model = getattr(import_module(module), name)
            parts.append(f"### {name}\n\n{about[0].upper()}{about[1:]}.\n\n{_fields(model)}")
    return "\n\n".join(parts) + "\n"


def _fields(model: Any) -> str:
    lines = ["| field | type | default | description |", "| --- | --- | --- | --- |"]
    for name, field in model.model_fields.items():
        default = "required" if field.is_required() else ""
        if not field.is_required() and field.default is not PydanticUndefined:
            default = f"`{field.default!r}`" if len(repr(field.default)) < 40 else ""
        about = field.description or _attribute(model, name)
        cells = (f"`{field.alias or name}`", f"`{_type(field.annotation)}`", default, about)
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(lines)


def _attribute(model: Any, name: str) -> str:
    """What the `Attributes` section of a model's docstring says of a field."""
    described = re.search(rf"^\s+{name}: (.+(?:\n\s{{12,}}.+)*)", model.__doc__ or "", re.MULTILINE)
    return " ".join(described[1].split()) if described else ""


def _type(annotation: Any) -> str:
    if get_origin(annotation) in (Union, types.UnionType):
        return " | ".join(_type(choice) for choice in get_args(annotation))
    if annotation is type(None):
        return "null"
    name = getattr(annotation, "__name__", str(annotation))
    inner = [_type(choice) if not isinstance(choice, str) else repr(choice) for choice in get_args(annotation)]
    return f"{name}[{', '.join(inner)}]" if inner else str(name).removeprefix("typing.")


def _project(name: str) -> str:
    """A document of the repository, with links that lead into the site where they can."""
    text = (ROOT / name).read_text()
    text = re.sub(r"\]\(docs/([^)]+)\)", r"](\1)", text)
    return re.sub(r"\[([^\]]+)\]\((?!https?:|#)(?![\w/-]+\.md(?:#[\w-]+)?\))[^)]+\)", r"\1", text)
