"""Layout of report pages: one self-contained file with style and script that works offline.

Names on a page are escaped and never become markup (see `html.py`). In addition, the page's Content Security Policy
allows only the script written here and blocks all requests.
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
    """Render a complete page."""
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
    """Render a section as a card; None if it is empty."""
    if not section.exhibits:
        return None
    intro = section.intro
    return tag(
        "section",
        tag("h2", section.title),
        tag("p", intro, class_="intro") if isinstance(intro, str) and not isinstance(intro, Html) else intro,
        [exhibit_of(exhibit) for exhibit in section.exhibits],
        id=section.name,
        class_="card",
    )


def exhibit_of(one: Exhibit) -> Html:
    """Render a figure with its explanation."""
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
    """Render what not to conclude from a figure."""
    return tag("p", tag("b", "What this does not show"), said, class_="not")


def figure_tools(drawn: Figure) -> Html:
    """Render the buttons that save a figure."""
    return tag(
        "div",
        [tag("button", kind.upper(), type="button", data_export=kind, data_figure=drawn.name,
             aria_label=f"Save {drawn.title} as {kind.upper()}") for kind in ("svg", "png")],
        class_="tools",
    )  # fmt: skip


def write_page(path: Path, text: str, *, force: bool = False) -> None:
    """Write the page atomically (to a temporary file that replaces the path).

    Not `write_whole`, which syncs folders and works only on POSIX.

    Raises:
        InvalidInput: If the path is a folder, its folder does not exist, or it is a file that we did not write and
            `force` is not set.
        CannotWrite: If it cannot be written. An existing page is left unchanged.
    """
    with writing(path):
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder", fix=f"give a file name in it, such as {path / 'report.html'}")
        if not path.parent.is_dir():
            raise InvalidInput(f"there is no folder {path.parent}", fix="create it, or choose another path")
        if not force and path.exists() and not is_ours(path):
            raise InvalidInput(
                f"{path} exists and was not written by Fairground",
                fix="choose another name, or move that file",
            )
        replace_with(path, text.encode("utf-8", "replace"), durable=False)


def is_ours(path: Path) -> bool:
    """Whether a file is a page or figure that Fairground wrote and may overwrite."""
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
    # `data:` for figures that are converted to PNG files; nothing is ever fetched.
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
