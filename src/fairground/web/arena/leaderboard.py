"""The leaderboard: ratings from people's votes, with intervals. It is public."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from fairground.arena import Absent
from fairground.report.html import tag
from fairground.web.arena.leaderboard_count import Count, View, counter_of
from fairground.web.arena.leaderboard_data import Leaderboard, Trouble, leaderboard
from fairground.web.arena.leaderboard_page import board, stale_note
from fairground.web.shell import page

router = APIRouter()

Name = Annotated[str, Query(max_length=100)]


@router.get("/leaderboard", include_in_schema=False)
async def show(request: Request, category: Name = "", platform: Name = "") -> Response:
    """Show the leaderboard for all votes, or for one category or platform."""
    view = _view(category, platform)
    count, fresh = await counter_of(request).look(view)
    body = await _made(count, "page", board)
    return page(
        request,
        f"Leaderboard: {view.name}" if view.name else "Leaderboard",
        tag("h1", "Leaderboard", (": ", tag("bdi", view.name)) if view.name else None),
        tag("p", "Agents rated by people who compare two at a time without knowing their names.", class_="lead"),
        None if fresh else stale_note(),
        body,
        place="/leaderboard",
        styles=("leaderboard.css",),
    )


@router.get(
    "/api/leaderboard",
    response_model=Leaderboard,
    responses={status: {"model": Trouble} for status in (400, 404, 422, 429)},
    tags=["leaderboard"],
)
async def data(request: Request, kind: Literal["", "category", "platform"] = "", name: Name = "") -> Response:
    """Return everything on the page with intervals, for all votes or for one category or platform."""
    if bool(kind) != bool(name):
        raise Absent("no such group: give kind and name together")
    count, fresh = await counter_of(request).look(View(kind, name))
    body = await _made(count, f"data {fresh}", lambda newest: leaderboard(newest, fresh).model_dump_json().encode())
    return Response(body, media_type="application/json")


async def _made(count: Count, name: str, make: Callable[[Count], Any]) -> Any:
    """Return a value derived from a count: cached if it exists, otherwise computed in a thread."""
    return count.kept[name] if name in count.kept else await run_in_threadpool(count.of, name, make)


def _view(category: str, platform: str) -> View:
    if category and platform:
        raise Absent("no such page: choose either a category or a platform", fix="remove one of the two parameters")
    return View("category", category) if category else View("platform", platform) if platform else View()
