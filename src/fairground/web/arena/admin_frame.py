"""Shared parts of the admin pages: access control, layout, and types of submitted text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import Depends, Path, Query, Request, Response
from pydantic import Field

from fairground.report.html import Child, Html, tag
from fairground.web.arena.leaderboard_data import Trouble
from fairground.web.shell import page
from fairground.web.visit import need

ADMINS: Final = [Depends(need("admin"))]
"""Dependency of every admin router: only admins have access."""

TROUBLES: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Trouble} for status in (400, 403, 404, 413, 422, 429)
}
PLACES: Final = (
    ("/admin", "Overview"),
    ("/admin/invitations", "Invitations"),
    ("/admin/agents", "Agents"),
    ("/admin/battles", "Battles"),
    ("/admin/votes", "Votes"),
    ("/admin/filters", "Filters"),
    ("/admin/data", "Data"),
)

# PostgreSQL does not store text that contains NUL.
NO_NUL: Final = r"^[^\x00]*$"
Words = Annotated[str, Field(max_length=500, pattern=NO_NUL)]
AgentName = Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NUL)]
BattleId = Annotated[str, Path(pattern=r"^[0-9a-f-]{1,40}$")]
Limit = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]


def frame(request: Request, title: str, *content: Child) -> Response:
    """Render an admin page."""
    here = request.url.path
    links = [tag("a", name, href=path, aria_current="page" if path == here else None) for path, name in PLACES]
    return page(
        request,
        title,
        tag("nav", links, class_="tabs", aria_label="Admin"),
        tag("h1", title),
        *content,
        place="/admin",
        scripts=("admin.js",),
        styles=("admin.css",),
    )


def sending(path: str, *content: Child, class_: str = "inline", then: str = "reload", ask: str | None = None) -> Html:
    """Render a form whose fields `admin.js` sends as JSON.

    Args:
        path: URL to send to.
        content: Fields and a button. Hidden fields are sent too.
        class_: CSS class.
        then: What to do afterwards: `reload`, or the name of an action in the script.
        ask: Question to confirm before sending.
    """
    return tag("form", *content, data_send=path, data_then=then, data_ask=ask, class_=class_)


def hidden(name: str, value: str) -> Html:
    """Render a hidden field."""
    return tag("input", type="hidden", name=name, value=value)


def moment(at: float) -> Html:
    """Render a time. The page's script converts it to the reader's time zone."""
    when = datetime.fromtimestamp(at, UTC)
    return tag("time", f"{when:%Y-%m-%d %H:%M} UTC", datetime=when.isoformat(timespec="seconds"))


def words(text: str, most: int = 140) -> Html:
    """Render user-written text, shortened if it is long."""
    short = text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
    return tag("bdi", short, title=text[:2_000] if short != text else None)


def pager(path: str, asked: dict[str, str], offset: int, limit: int, total: int) -> Html | None:
    """Render links to newer and older rows, or return None if all rows fit."""
    if total <= limit and not offset:
        return None

    def link(name: str, start: int) -> Html:
        query = {key: value for key, value in {**asked, "offset": str(start) if start else ""}.items() if value}
        return tag("a", name, href=f"{path}?{urlencode(query)}" if query else path, class_="button plain")

    return tag(
        "div",
        link("Newer", max(0, offset - limit)) if offset else None,
        tag("span", f"{min(offset + 1, total):,} to {min(offset + limit, total):,} of {total:,}", class_="muted small"),
        link("Older", offset + limit) if offset + limit < total else None,
        class_="row",
    )
