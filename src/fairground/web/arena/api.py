"""The arena for programs and for its own pages: begin a battle, follow it, answer, stop, judge.

Before a person's vote, nothing here says who the two agents are or how they did.
"""

from __future__ import annotations

import re
from typing import Final

from fastapi import APIRouter, Request, Response

from fairground.arena import CONSENT, Absent, Battle, Person, Refused, Task, Vote, cast, close, consent, history, reveal
from fairground.arena.battles import MAX_TASK, share
from fairground.arena.preparing import PRESETS, find_world
from fairground.arena.tables import battles_of
from fairground.core import EpisodeError, InvalidInput, unknown
from fairground.rollout import EpisodeFolder
from fairground.rollout.disk import read_inside
from fairground.screen.encoding import MAX_BYTES
from fairground.web.arena import news, uploads
from fairground.web.arena.models import (
    Answered,
    Begun,
    Consent,
    CountedVote,
    FollowUp,
    Listed,
    PresetShown,
    Shown,
    SideName,
    Version,
    Wanted,
)
from fairground.web.arena.news import look_at, redactor_of, seen_battle, show_battle
from fairground.web.studio.replay_data import Replay, replay_data
from fairground.web.studio.replay_episodes import open_episode
from fairground.web.trouble import ABSENT, REFUSED, Responses, Trouble
from fairground.web.visit import Admin, Here, Judge, site_of

__all__ = ["router", "show_battle"]

router = APIRouter(tags=["arena"])
router.include_router(uploads.router)
router.include_router(news.router)

_FORBIDDEN: Final[Responses] = {403: {"model": Trouble, "description": "Not for this person, or not now"}}
_TROUBLES: Final[Responses] = {**ABSENT, **_FORBIDDEN}
_ONE: Final = "/api/battles/{battle}"
_DIGEST: Final = re.compile(r"[0-9a-f]{24}", re.ASCII)
_FOREVER: Final = {"Cache-Control": "private, max-age=86400, immutable"}


@router.get("/api/consent")
def what_becomes_of_votes(visitor: Here) -> Consent:
    """What becomes of votes, and whether this person has agreed to it."""
    return _consent(visitor.person)


@router.post("/api/consent", responses=_FORBIDDEN)
def agree(request: Request, visitor: Here) -> Consent:
    """The person has read what becomes of votes, and agrees."""
    return _consent(consent(site_of(request).store, visitor.person))


@router.get("/api/presets")
def presets() -> list[PresetShown]:
    """Worlds to write tasks of one's own for."""
    return [PresetShown(name=name, title=one.title, about=one.about, world=one.world) for name, one in PRESETS.items()]


@router.get("/api/battles")
def mine(request: Request, visitor: Here) -> list[Listed]:
    """The battles that this person has begun, and those that they may judge; the newest first."""
    found = battles_of(site_of(request).store, visitor.person)
    return [
        Listed.parse(
            {"id": one.id, "created": one.created, "task": one.task, "own": one.own_task, "status": one.status,
             "mine": one.mine, "vote": one.vote}
        )
        for one in found
    ]  # fmt: skip


@router.post("/api/battles", status_code=201, responses={**REFUSED, **_FORBIDDEN, 404: ABSENT[404]})
def begin(request: Request, person: Judge, wanted: Wanted) -> Begun:
    """Begins a battle: two agents are drawn, and start together when it is their turn."""
    return Begun(id=site_of(request).contests.propose(person, _task(wanted)).id)


@router.get(_ONE, responses=_TROUBLES)
def one(request: Request, visitor: Here, battle: str) -> Shown:
    """How a battle stands; `/battles/ID/news` sends the same whenever it changes."""
    return show_battle(site_of(request), visitor.person, battle)


@router.post(_ONE + "/stop", responses=_TROUBLES)
def stop(request: Request, visitor: Here, battle: str) -> Begun:
    """Stops both agents. What they have done can be judged; what has not begun has failed."""
    found = _own(request, visitor.person, battle)
    site_of(request).contests.stop(found)
    return Begun(id=found)


@router.post(_ONE + "/follow-up", status_code=201, responses=_TROUBLES)
def follow_up(request: Request, person: Judge, battle: str, said: FollowUp) -> Begun:
    """Another instruction for the same two, in the seats as they left them: a battle of its own."""
    site = site_of(request)
    return Begun(id=site.contests.follow_up(seen_battle(site, person, battle).id, person, said.text).id)


@router.post(_ONE + "/rerun", responses=_TROUBLES)
def rerun(request: Request, person: Judge, battle: str) -> Begun:
    """Has a battle that failed or was interrupted fought again, by the same two."""
    site = site_of(request)
    found = seen_battle(site, person, battle).id
    site.contests.rerun(found, person)
    return Begun(id=found)


@router.post(_ONE + "/answers", responses=_TROUBLES)
def answer(request: Request, person: Judge, battle: str, said: Answered) -> Begun:
    """Answers a question of an agent, once."""
    site = site_of(request)
    found = seen_battle(site, person, battle).id
    site.contests.answer(found, person, said.side, said.number, said.text)
    return Begun(id=found)


@router.put(_ONE + "/vote", responses=_TROUBLES)
def vote(request: Request, visitor: Here, battle: str, said: Vote) -> CountedVote:
    """Gives a vote, or changes it; the same again changes nothing. Says who the two were.

    A version that is given after the person was told is kept with the mark `after_reveal`; the one before it counts.
    """
    site, person = site_of(request), visitor.person
    seen = look_at(site, person, battle)
    counted = cast(site.store, battle, person, said, seen)
    if counted.changed:
        site.contests.voted(battle)
    names = seen.names or reveal(site.store, battle, person)
    told: dict[SideName, str] | None = {"a": names[0], "b": names[1]} if names is not None else None
    return CountedVote(version=counted.version, changed=counted.changed, after_reveal=counted.after_reveal, names=told)


@router.get(_ONE + "/history", responses=_TROUBLES)
def versions(request: Request, visitor: Here, battle: str) -> list[Version]:
    """Every version of this person's vote, the oldest first."""
    site, person = site_of(request), visitor.person
    found = history(site.store, seen_battle(site, person, battle).id, person.id)
    return [Version.parse(one) for one in found]


@router.post(_ONE + "/close", responses=_TROUBLES)
def end(request: Request, visitor: Here, battle: str) -> Begun:
    """No vote on it can be given or changed any more."""
    site, found = site_of(request), _own(request, visitor.person, battle)
    close(site.store, found)
    site.contests.let_go(found)
    site.contests.changes.tell(found)
    return Begun(id=found)


@router.post(_ONE + "/judges", responses=_TROUBLES)
def open_to_judges(request: Request, person: Admin, battle: str) -> Begun:
    """Lets every judge see a battle and vote on it, to study how far they agree."""
    site = site_of(request)
    found = seen_battle(site, person, battle).id
    share(site.store, found)
    return Begun(id=found)


@router.get(_ONE + "/{side}/replay", response_model=Replay, responses=_TROUBLES)
def replay(request: Request, visitor: Here, battle: str, side: SideName) -> Response:
    """What one side did, step by step. Who it was, how it ended and how long it took is left out before the vote."""
    site, person = site_of(request), visitor.person
    seen = look_at(site, person, battle)
    found, names = seen.battle, seen.names
    base = f"/api/battles/{found.id}/{side}/frames"
    folder = _recording(request, found, side)
    hide = redactor_of(site, found) if names is None else None
    told = replay_data(folder, frame_url=lambda digest: f"{base}/{digest}.png", anonymous=hide)
    if names is not None and told.about is not None:
        about: dict[str, str | None] = {"agent": names[0] if side == "a" else names[1]}
        if found.task.own:
            about |= {"verdict": None, "outcome": "ended"}
        told = told.model_copy(update={"about": told.about.model_copy(update=about)})
    return Response(told.model_dump_json(), media_type="application/json")


@router.get(
    _ONE + "/{side}/frames/{digest}.png",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}, **_TROUBLES},
)
def frame(request: Request, visitor: Here, battle: str, side: SideName, digest: str) -> Response:
    """What was on the screen of one side."""
    folder = _recording(request, seen_battle(site_of(request), visitor.person, battle), side)
    if not _DIGEST.fullmatch(digest) or digest not in folder.digests:
        raise Absent("there is no such frame")
    content = read_inside(folder.path, "frames", f"{digest}.png", limit=MAX_BYTES)
    return Response(content, media_type="image/png", headers=_FOREVER)


def _consent(person: Person) -> Consent:
    return Consent.parse({"text": CONSENT, "consented": person.consented, "role": person.role})


def _task(wanted: Wanted) -> Task:
    """The task that is meant, with what follows from its world filled in."""
    preset = wanted.preparation.preset
    if preset and preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    if preset and not wanted.own:
        raise InvalidInput("a preset is for a task in your own words", fix="choose a scenario, or write a task")
    text = wanted.text.strip()
    if wanted.own != bool(text):
        said = "say what is to be done" if wanted.own else "a scenario has its own words; say `own` to use yours"
        raise InvalidInput(said)
    name = wanted.world or (PRESETS[preset].world if preset else "")
    if not name:
        raise InvalidInput("say in which world", fix="a scenario such as desk/calc/region-total, or a preset")
    world = find_world(name, own=wanted.own)
    return Task(
        world=world.id,
        text=text if wanted.own else world.instruction[:MAX_TASK],
        own=wanted.own,
        category=wanted.category or world.app.name,
        platform="desktop" if world.app.screen.has_desktop else "phone",
        preparation=wanted.preparation,
    )


def _own(request: Request, person: Person, battle: str) -> str:
    found = seen_battle(site_of(request), person, battle)
    if found.owner != person.id and person.role != "admin":
        raise Refused("only who began a battle can do this")
    return found.id


def _recording(request: Request, battle: Battle, side: SideName) -> EpisodeFolder:
    if battle.status not in ("judging", "closed") or not battle.sides[side].episode:
        raise Absent("there is no recording of it yet")
    try:
        return open_episode(site_of(request).home / "battles" / battle.id / side)
    except EpisodeError:  # whose words say where it lies
        raise Absent("there is no recording of it any more") from None
