"""The frame of a page of figures: head, style and script in one file that works offline, exhibits, writing it whole.

Names on such a page are text, never markup (see `html.py`); besides, the page's own security policy lets no script run
but the one written here, and nothing be fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from pathlib import Path

import fairground
from fairground.core import InvalidInput
from fairground.core.writing import replace_with, writing
from fairground.report.html import Child, Html, tag
from fairground.report.palette import LIGHT
from fairground.report.plots import Figure, theme
from fairground.report.plots.svg import GENERATOR
from fairground.report.statistics_sections import Exhibit, Section


def page_of(title: str, header: Html, main: Html, footer: Html) -> str:
    """A whole page as text."""
    static = files("fairground.report") / "static"
    style, script = ((static / name).read_text("utf-8") for name in ("statistics.css", "statistics.js"))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"Fairground {fairground.__version__}"),
        tag("title", title),
        tag("style", Html(theme() + style)),
    )
    body = tag(
        "body",
        tag("div", class_="awning", aria_hidden="true"),
        header,
        main,
        footer,
        tag("div", id="tip", role="status", hidden=True),
        tag("script", Html(script)),
        data_light=json.dumps(LIGHT, separators=(",", ":")),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def section_of(section: Section) -> Html | None:
    """A section as a card; None where it has nothing to show."""
    if not section.exhibits:
        return None
    intro = section.intro
    return tag(
        "section",
        tag("h2", section.title),
        tag("p", intro, class_="intro") if isinstance(intro, str) and not isinstance(intro, Html) else intro,
        [exhibit_of(one) for one in section.exhibits],
        id=section.name,
        class_="card",
    )


def exhibit_of(one: Exhibit) -> Html:
    """A figure, and beside it what it means and what it does not."""
    return tag(
        "div",
        tag("div", tag("h3", tag("bdi", one.figure.title)), figure_tools(one.figure), class_="head"),
        tag("figure", one.figure.svg(), one.figure.svg(narrow=True)),
        tag("div", tag("div", one.says), not_said(one.silent), class_="says"),
        tag(
            "div",
            tag("ul", [tag("li", note) for note in one.notes], class_="notes") if one.notes else None,
            one.below,
            class_="below",
        )
        if one.below or one.notes
        else None,
        class_="exhibit drawn",
    )


def not_said(said: Child) -> Html:
    """What may not be concluded."""
    return tag("p", tag("b", "What this does not say"), said, class_="not")


def figure_tools(drawn: Figure) -> Html:
    """Buttons that save a figure."""
    return tag(
        "div",
        [tag("button", kind.upper(), type="button", data_export=kind, data_figure=drawn.name,
             aria_label=f"Save {drawn.title} as {kind.upper()}") for kind in ("svg", "png")],
        class_="tools",
    )  # fmt: skip


def write_page(path: Path, text: str, *, force: bool = False) -> None:
    """Writes beside the path and renames over it. Not `write_whole`, which syncs folders as only POSIX can.

    Raises:
        InvalidInput: When the path is a folder, its folder does not exist, or a file is there that we did not write;
            unless `force` replaces it.
        CannotWrite: When it cannot be written; a page that was there stays as it was.
    """
    with writing(path):
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder", fix=f"name a file in it, such as {path / 'report.html'}")
        if not path.parent.is_dir():
            raise InvalidInput(f"there is no folder {path.parent}", fix="make it, or write elsewhere")
        if not force and path.exists() and not is_ours(path):
            raise InvalidInput(
                f"{path} is there already, and Fairground did not write it",
                fix="choose another name for the page, or move that file away",
            )
        replace_with(path, text.encode("utf-8", "replace"), durable=False)


def is_ours(path: Path) -> bool:
    """Whether a file is a page or a figure that Fairground wrote, which may be written again."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return any(mark in head for mark in _MARKS)


_HEAD = 4096  # bytes
_MARKS = (b'<meta name="generator" content="Fairground ', f"<!-- {GENERATOR} -->".encode())


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # `data:` for drawings on their way to becoming PNG files; nothing is ever fetched.
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
