"""Live pages: list of open seats, opening a seat, using it, and the verdict."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from fairground.arena import Absent, Person, Refused
from fairground.core import EpisodeError, InvalidInput, Record, unknown
from fairground.report.html import Child, tag
from fairground.rollout import EpisodeFolder
from fairground.rollout.disk import read_inside
from fairground.screen.encoding import MAX_BYTES
from fairground.web.playing import Play, Status, play_name
from fairground.web.shell import page
from fairground.web.studio import live_stream
from fairground.web.studio.live_pages import (
    app_form,
    chooser,
    confirmation,
    opening_page,
    seat_page,
    seats_list,
    verdict_page,
)
from fairground.web.studio.replay_data import Replay, replay_data
from fairground.web.studio.replay_episodes import open_episode
from fairground.web.visit import Here, Judge, has_role, site_of
from fairground.worlds import World, find_app, resolve, suites

MAX_ID: Final = 400  # maximum length of a world's ID in characters
router = APIRouter()
router.include_router(live_stream.router)


class Trouble(Record):
    """Body of an error response."""

    error: str
    fix: str | None


class Progress(Record):
    """State of a person's attempt."""

    status: Status
    steps: int
    step_budget: int
    seconds: float
    time_budget: float


_TROUBLES: Final[dict[int | str, dict[str, object]]] = {
    404: {"model": Trouble, "description": "The seat does not exist, or is not visible to you"}
}


@router.get("/live", include_in_schema=False)
def live(request: Request, visitor: Here) -> Response:
    """Show the seats that this person may watch, and a form to open one."""
    house, person, may_open = site_of(request).house, visitor.person, has_role(request, "judge")
    opening = [play for play in house.plays(person) if play.status == "opening"]
    lead = "Take a seat, do a task yourself and get a verdict, or watch an open seat."
    return _page(
        request,
        "Live",
        tag("h1", "Live seats"),
        tag("p", lead if may_open else "Watch open seats.", class_="lead"),
        seats_list(house.listed(person), opening, person, may_open=may_open),
        app_form()
        if may_open
        else tag("p", "Opening a seat requires an invitation as a judge or admin.", class_="note"),
    )


@router.get("/live/new", include_in_schema=False)
def new(request: Request, _: Judge, world: str = "", app: str = "") -> Response:
    """Choose a scenario of an app, or confirm opening a seat."""
    if world:
        return _page(request, "Open a seat", *confirmation(request, _known(world)))
    suite, found_app = find_app(_checked(app, "app"))
    return _page(request, "Choose a task", *chooser(suite, found_app))


@router.post("/live/new", include_in_schema=False)
def open_one(request: Request, person: Judge, world: Annotated[str, Form(max_length=MAX_ID)]) -> Response:
    """Open a seat in the background and redirect to its page."""
    site = site_of(request)
    configuration = _known(world)
    play = Play(site.house, configuration, site.home / "plays" / play_name(configuration), person.id)
    play.start()
    return RedirectResponse(f"/live/{play.id}", 303)


@router.get("/live/{seat}", include_in_schema=False)
def one(request: Request, visitor: Here, seat: str) -> Response:
    """Show a seat: while it opens, in use, or with its verdict."""
    house, person = site_of(request).house, visitor.person
    play = house.play(seat)
    if play is None:
        return seat_page(request, house.seen_by(seat, person), None, person)
    _allow(play, person)
    hosted = house.find(seat)
    if play.over:
        play.read.set()
        return verdict_page(request, play)
    if hosted is None:
        return opening_page(request, play)
    return seat_page(request, hosted, play, person)


@router.post("/live/{seat}/end", include_in_schema=False)
def end(request: Request, visitor: Here, seat: str) -> Response:
    """End an attempt. Allowed for its owner and for admins, because a forgotten seat blocks others."""
    play = _play(request, visitor.person, seat)
    if visitor.person.role != "admin" and visitor.person.id != play.owner:
        raise Refused("only the owner or an admin can end this attempt", fix="ask an admin")
    play.leave("ended on the site")
    return RedirectResponse(f"/live/{quote(play.id)}", 303)


@router.get("/live/{seat}/join/{key}", include_in_schema=False)
def join(request: Request, visitor: Here, seat: str, key: str) -> Response:
    """Make the first person with this link the owner. `fairground play` prints the link."""
    play = site_of(request).house.play(seat)
    if play is None:
        raise _nothing()
    play.claim(key, visitor.person)
    return RedirectResponse(f"/live/{quote(play.id)}", 303)


@router.get("/api/live/{seat}", responses=_TROUBLES)
def progress(request: Request, visitor: Here, seat: str) -> Progress:
    """Return the state of an attempt (opening, open, judging or over), its actions, seconds and budgets."""
    play = _play(request, visitor.person, seat)
    scenario = play.world.scenario
    return Progress(
        status=play.status,
        steps=play.steps,
        step_budget=scenario.step_budget,
        seconds=round(play.seconds, 1),
        time_budget=scenario.time_budget,
    )


@router.get("/api/live/{seat}/replay", response_model=Replay, responses=_TROUBLES)
def replay(request: Request, visitor: Here, seat: str) -> Response:
    """Return the recording of an attempt that has ended."""
    folder = _recording(request, visitor.person, seat)
    replayed = replay_data(folder, frame_url=lambda digest: f"/api/live/{seat}/frames/{digest}.png")
    return Response(replayed.model_dump_json(), media_type="application/json")


@router.get(
    "/api/live/{seat}/frames/{digest}.png",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}, **_TROUBLES},
)
def frame(request: Request, visitor: Here, seat: str, digest: str) -> Response:
    """Return a frame of that recording."""
    folder = _recording(request, visitor.person, seat)
    if digest not in folder.digests:
        raise Absent(f"there is no frame {digest[:40]!r} in this episode")
    try:
        content = read_inside(folder.path, "frames", f"{digest}.png", limit=MAX_BYTES)
    except EpisodeError:
        raise Absent("this frame no longer exists") from None
    return Response(content, media_type="image/png", headers={"Cache-Control": "private, max-age=86400, immutable"})


def _known(text: str) -> World:
    return resolve(_checked(text, "world"))


def _checked(text: str, what: str) -> str:
    """Return the name of an installed world. Folders are not accepted from a browser."""
    text = text.strip()
    if len(text) > MAX_ID:
        raise InvalidInput(f"{what}: {len(text)} characters; the maximum is {MAX_ID}")
    if text.partition("/")[0] not in suites():
        raise unknown("suite", text.partition("/")[0][:80], suites())
    return text


def _play(request: Request, person: Person, seat: str) -> Play:
    play = site_of(request).house.play(seat)
    if play is None:
        raise _nothing()
    _allow(play, person)
    return play


def _allow(play: Play, person: Person) -> None:
    if not play.may_watch(person):
        raise _nothing()


def _nothing() -> Refused:
    return Absent("no such seat, or it is no longer open")


def _recording(request: Request, person: Person, seat: str) -> EpisodeFolder:
    play = _play(request, person, seat)
    if not play.over or play.episode is None:
        raise Absent("there is no recording yet", fix="end the attempt first")
    try:
        return open_episode(play.folder)
    except EpisodeError as error:
        problem = error.message.removeprefix(f"{play.folder}: ")  # without the path on the server
        raise Absent(f"the recording cannot be read: {problem}") from None


def _page(request: Request, title: str, *content: Child) -> Response:
    return page(request, title, *content, place="/live", styles=("live.css",))
