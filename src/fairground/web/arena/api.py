"""Arena API, used by programs and by the arena's pages: start, follow, stop and judge battles.

No response reveals the agents or their results before the person has voted.
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

_FORBIDDEN: Final[Responses] = {
    403: {"model": Trouble, "description": "Not allowed for this person, or not at this time"}
}
_TROUBLES: Final[Responses] = {**ABSENT, **_FORBIDDEN}
_ONE: Final = "/api/battles/{battle}"
_DIGEST: Final = re.compile(r"[0-9a-f]{24}", re.ASCII)
_FOREVER: Final = {"Cache-Control": "private, max-age=86400, immutable"}


@router.get("/api/consent")
def what_becomes_of_votes(visitor: Here) -> Consent:
    """Return the consent text, and whether this person has agreed to it."""
    return _consent(visitor.person)


@router.post("/api/consent", responses=_FORBIDDEN)
def agree(request: Request, visitor: Here) -> Consent:
    """Record that the person agrees to the consent text."""
    return _consent(consent(site_of(request).store, visitor.person))


@router.get("/api/presets")
def presets() -> list[PresetShown]:
    """List the worlds for custom tasks."""
    return [
        PresetShown(name=name, title=preset.title, about=preset.about, world=preset.world)
        for name, preset in PRESETS.items()
    ]


@router.get("/api/battles")
def mine(request: Request, visitor: Here) -> list[Listed]:
    """List the battles that this person started or may judge, newest first."""
    battles = battles_of(site_of(request).store, visitor.person)
    return [
        Listed.parse(
            {"id": battle.id, "created": battle.created, "task": battle.task, "own": battle.own_task,
             "status": battle.status, "mine": battle.mine, "vote": battle.vote}
        )
        for battle in battles
    ]  # fmt: skip


@router.post("/api/battles", status_code=201, responses={**REFUSED, **_FORBIDDEN, 404: ABSENT[404]})
def begin(request: Request, person: Judge, wanted: Wanted) -> Begun:
    """Start a battle. Two agents are drawn; both start at the same time when it is the battle's turn."""
    return Begun(id=site_of(request).contests.propose(person, _task(wanted)).id)


@router.get(_ONE, responses=_TROUBLES)
def one(request: Request, visitor: Here, battle: str) -> Shown:
    """Return the state of a battle. `/battles/ID/news` sends the same data on every change."""
    return show_battle(site_of(request), visitor.person, battle)


@router.post(_ONE + "/stop", responses=_TROUBLES)
def stop(request: Request, visitor: Here, battle: str) -> Begun:
    """Stop both agents. What they have done can be judged. A battle that has not started fails."""
    own = _own(request, visitor.person, battle)
    site_of(request).contests.stop(own)
    return Begun(id=own)


@router.post(_ONE + "/follow-up", status_code=201, responses=_TROUBLES)
def follow_up(request: Request, person: Judge, battle: str, said: FollowUp) -> Begun:
    """Give both agents another instruction in their current seats. This creates a new battle."""
    site = site_of(request)
    return Begun(id=site.contests.follow_up(seen_battle(site, person, battle).id, person, said.text).id)


@router.post(_ONE + "/rerun", responses=_TROUBLES)
def rerun(request: Request, person: Judge, battle: str) -> Begun:
    """Run a failed or interrupted battle again with the same two agents."""
    site = site_of(request)
    battle_id = seen_battle(site, person, battle).id
    site.contests.rerun(battle_id, person)
    return Begun(id=battle_id)


@router.post(_ONE + "/answers", responses=_TROUBLES)
def answer(request: Request, person: Judge, battle: str, said: Answered) -> Begun:
    """Answer an agent's question. A question can be answered once."""
    site = site_of(request)
    battle_id = seen_battle(site, person, battle).id
    site.contests.answer(battle_id, person, said.side, said.number, said.text)
    return Begun(id=battle_id)


@router.put(_ONE + "/vote", responses=_TROUBLES)
def vote(request: Request, visitor: Here, battle: str, said: Vote) -> CountedVote:
    """Vote, or change a vote, and return the agents' names. Sending the same vote again changes nothing.

    A version given after the person saw the names is stored with the mark `after_reveal`; the version before it counts.
    """
    site, person = site_of(request), visitor.person
    seen = look_at(site, person, battle)
    counted = cast(site.store, battle, person, said, seen)
    if counted.changed:
        site.contests.voted(battle)
    names = seen.names or reveal(site.store, battle, person)
    by_side: dict[SideName, str] | None = {"a": names[0], "b": names[1]} if names is not None else None
    return CountedVote(
        version=counted.version, changed=counted.changed, after_reveal=counted.after_reveal, names=by_side
    )


@router.get(_ONE + "/history", responses=_TROUBLES)
def versions(request: Request, visitor: Here, battle: str) -> list[Version]:
    """List all versions of this person's vote, oldest first."""
    site, person = site_of(request), visitor.person
    versions = history(site.store, seen_battle(site, person, battle).id, person.id)
    return [Version.parse(version) for version in versions]


@router.post(_ONE + "/close", responses=_TROUBLES)
def end(request: Request, visitor: Here, battle: str) -> Begun:
    """Close a battle: votes on it can no longer be given or changed."""
    site, own = site_of(request), _own(request, visitor.person, battle)
    close(site.store, own)
    site.contests.let_go(own)
    site.contests.changes.tell(own)
    return Begun(id=own)


@router.post(_ONE + "/judges", responses=_TROUBLES)
def open_to_judges(request: Request, person: Admin, battle: str) -> Begun:
    """Open a battle to all judges, to measure their agreement."""
    site = site_of(request)
    battle_id = seen_battle(site, person, battle).id
    share(site.store, battle_id)
    return Begun(id=battle_id)


@router.get(_ONE + "/{side}/replay", response_model=Replay, responses=_TROUBLES)
def replay(request: Request, visitor: Here, battle: str, side: SideName) -> Response:
    """Return the steps of one side. Agent, outcome and duration are omitted before the vote."""
    site, person = site_of(request), visitor.person
    seen = look_at(site, person, battle)
    shown, names = seen.battle, seen.names
    base = f"/api/battles/{shown.id}/{side}/frames"
    folder = _recording(request, shown, side)
    hide = redactor_of(site, shown) if names is None else None
    replayed = replay_data(folder, frame_url=lambda digest: f"{base}/{digest}.png", anonymous=hide)
    if names is not None and replayed.about is not None:
        about: dict[str, str | None] = {"agent": names[0] if side == "a" else names[1]}
        if shown.task.own:
            about |= {"verdict": None, "outcome": "ended"}
        replayed = replayed.model_copy(update={"about": replayed.about.model_copy(update=about)})
    return Response(replayed.model_dump_json(), media_type="application/json")


@router.get(
    _ONE + "/{side}/frames/{digest}.png",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}, **_TROUBLES},
)
def frame(request: Request, visitor: Here, battle: str, side: SideName, digest: str) -> Response:
    """Return a screenshot of one side."""
    folder = _recording(request, seen_battle(site_of(request), visitor.person, battle), side)
    if not _DIGEST.fullmatch(digest) or digest not in folder.digests:
        raise Absent("no such frame")
    content = read_inside(folder.path, "frames", f"{digest}.png", limit=MAX_BYTES)
    return Response(content, media_type="image/png", headers=_FOREVER)


def _consent(person: Person) -> Consent:
    return Consent.parse({"text": CONSENT, "consented": person.consented, "role": person.role})


def _task(wanted: Wanted) -> Task:
    """Return the requested task, completed with the values from its world."""
    preset = wanted.preparation.preset
    if preset and preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    if preset and not wanted.own:
        raise InvalidInput("a preset requires a custom task", fix="choose a scenario, or write a task")
    text = wanted.text.strip()
    if wanted.own != bool(text):
        problem = "the task has no text" if wanted.own else "a scenario has its own text; set `own` to use yours"
        raise InvalidInput(problem)
    name = wanted.world or (PRESETS[preset].world if preset else "")
    if not name:
        raise InvalidInput("no world given", fix="give a scenario such as desk/calc/region-total, or a preset")
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
    seen = seen_battle(site_of(request), person, battle)
    if seen.owner != person.id and person.role != "admin":
        raise Refused("only the person who started the battle can do this")
    return seen.id


def _recording(request: Request, battle: Battle, side: SideName) -> EpisodeFolder:
    if battle.status not in ("judging", "closed") or not battle.sides[side].episode:
        raise Absent("there is no recording yet")
    try:
        return open_episode(site_of(request).home / "battles" / battle.id / side)
    except EpisodeError:  # its message contains the server's path
        raise Absent("the recording no longer exists") from None
