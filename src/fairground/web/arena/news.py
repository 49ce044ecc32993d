"""A battle as one person may see it, sent on every change, and the battle's seats for watching."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from starlette.concurrency import run_in_threadpool

from fairground.arena import (
    Absent,
    Battle,
    Person,
    Refused,
    Seen,
    Side,
    conversation,
    find_battle,
    find_person,
    reveal,
    see,
)
from fairground.arena.battles import may_see
from fairground.arena.contest import Contests
from fairground.arena.identification import battle_redactor
from fairground.arena.preparing import check_preparation, find_world
from fairground.arena.redaction import Redactor
from fairground.core import FairgroundError, ScreenError
from fairground.web.arena.models import MessageShown, Prepared, Result, Shown, SideName, SideShown, TaskShown
from fairground.web.spectating import Unexamined
from fairground.web.visit import site_of, visitor_of
from fairground.worlds import Seat

if TYPE_CHECKING:
    from fairground.web.site import Site

router = APIRouter(include_in_schema=False)
_SIDES: Final[tuple[SideName, ...]] = ("a", "b")
_ID: Final = re.compile(r"[0-9a-f]{1,40}(-[0-9]{1,12})?", re.ASCII)
_IDENTIFIED: Final = (
    "An agent typed a name that identifies it, so it may have been visible on the screen. Your vote is stored but "
    "does not count for ratings, unless an admin decides otherwise."
)
_log = logging.getLogger(__name__)


@router.websocket("/battles/{battle}/news")
async def news(websocket: WebSocket, battle: str) -> None:
    """Send the content of `GET /api/battles/ID` at once and on every change."""
    site, person = site_of(websocket), visitor_of(websocket).person
    await websocket.accept()
    changed, loop = asyncio.Event(), asyncio.get_running_loop()

    def tell() -> None:
        with contextlib.suppress(RuntimeError):  # the server has shut down in the meantime
            loop.call_soon_threadsafe(changed.set)

    end = site.contests.changes.listen(battle, tell)
    gone = asyncio.create_task(_until_gone(websocket))
    last = ""
    try:
        while not gone.done():
            changed.clear()
            now = await run_in_threadpool(_told, site, person.id, battle)
            if now != last:
                last = now
                await websocket.send_text(now)
            waiting = asyncio.create_task(changed.wait())
            await asyncio.wait((waiting, gone), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
    except Refused as error:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await websocket.close(4404, error.message[:100])
    except WebSocketDisconnect:
        pass
    finally:
        end()
        gone.cancel()


def look_at(site: Site, person: Person, id_: str) -> Seen:
    """Return a battle and its state for a person who may see it.

    Raises:
        Refused: If it does not exist or the person may not see it. The message does not say which.
    """
    seen = see(site.store, id_, person) if _ID.fullmatch(id_) else None
    if seen is None or not seen.allowed:
        raise Absent("no such battle")
    reveal(site.store, id_, person, seen)  # record this before the response, which may contain the names
    return seen


def redactor_of(site: Site, battle: Battle) -> Redactor:
    """Return the redactor that hides all agent names in the texts of a battle."""
    return battle_redactor(site.store, battle, site.agents)


def seen_battle(site: Site, person: Person, id_: str) -> Battle:
    """Return a battle for a person who may see it. Raises `Refused` as `look_at` does."""
    return look_at(site, person, id_).battle


def show_battle(site: Site, person: Person, id_: str) -> Shown:
    """Return a battle as this person may see it now. Raises `Refused` as `look_at` does."""
    seen = look_at(site, person, id_)
    battle, names, vote = seen.battle, seen.names, seen.vote
    mine = battle.owner == person.id
    notes = _notes(battle) if mine else []
    if vote is not None and names is None:
        notes.append("The names are shown after you have voted on the follow-up battle, too.")
    if vote is not None and names is not None and seen.identified:
        notes.append(_IDENTIFIED)
    known = dict(zip(_SIDES, names, strict=True)) if names is not None else None
    shown = Shown(
        id=battle.id,
        created=battle.created,
        status=battle.status,  # type: ignore[arg-type]
        why=battle.why,
        task=_task(site, battle, whole=mine or person.role == "admin"),
        follows=battle.follows if mine else None,
        position=site.contests.position(battle.id),
        notes=notes,
        sides=_sides(site, battle),
        messages=_messages(site, battle) if seen.asked else [],
        mine=mine,
        may_vote=person.may_vote and battle.status == "judging",
        can_follow=site.contests.can_follow(battle, person),
        vote=vote,
        counted=seen.counted,  # type: ignore[arg-type]
        after_reveal=seen.after_reveal,
        revealed=seen.revealed or known is not None,
        names=known,
        verdicts={side: _verdict(battle, battle.sides[side]) for side in _SIDES} if known else None,
        results={side: _result(battle.sides[side]) for side in _SIDES} if known else None,
    )
    if known is not None:
        return shown
    hide, plain = redactor_of(site, battle), shown.plain()
    for side in _SIDES:  # a name can be split over several questions
        messages = [message for message in plain["messages"] if message["side"] == side]
        for item, question in zip(
            messages, hide.consecutive([message["question"] for message in messages]), strict=True
        ):
            item["question"] = question
    return Shown.parse({**hide.data({**plain, "task": None}), "task": plain["task"]})


def open_contests(site: Site) -> Contests:
    """Create the runner of a site's battles. Their seats can be watched."""
    shown: dict[tuple[str, str], str] = {}

    def on_seat(battle: str, side: str, seat: Seat) -> str | None:
        found_battle = find_battle(site.store, battle)
        title = f"Battle, agent {side.upper()}"
        try:
            # Only people who may see the battle may watch its seats. Other judges could recognise an agent by its
            # behaviour.
            paced = site.contests.pacing(battle)
            hosted = site.house.add(
                seat if paced is None else Unexamined(seat.screen, seat.world),
                owner=found_battle.owner,
                title=title,
                seen_by=lambda person: may_see(site.store, found_battle, person),
                look=None if paced is None else partial(paced.picture, side),
            )
        except ScreenError:
            _log.exception("a seat of battle %s cannot be watched", battle)
            return None
        shown[battle, side] = hosted.id
        return hosted.id

    def on_left(battle: str, side: str) -> None:
        if (id_ := shown.pop((battle, side), None)) is not None:
            site.house.remove(id_)

    return Contests(
        site.store,
        site.home,
        site.agents,
        limit=site.battles,
        retirement=site.retirement,
        on_seat=on_seat,
        on_left=on_left,
    )


async def _until_gone(websocket: WebSocket) -> None:
    """Wait until the page disconnects. Messages from it are ignored."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while (await websocket.receive())["type"] != "websocket.disconnect":
            pass


def _told(site: Site, person: str, battle: str) -> str:
    now = find_person(site.store, person)  # the person may have consented in the meantime
    if now is None:
        raise Absent("no such battle")
    return show_battle(site, now, battle).model_dump_json()


def _task(site: Site, battle: Battle, *, whole: bool) -> TaskShown:
    task, preparation = battle.task, battle.task.preparation
    names = []
    for id_ in preparation.files:
        with contextlib.suppress(FairgroundError):
            names.append(site.contests.uploads.find(battle.owner, id_).name)
    return TaskShown(
        world=task.world,
        text=task.text,
        own=task.own,
        category=task.category,
        platform=task.platform,
        preparation=Prepared(
            files=names,
            pages=list(preparation.pages),
            repository=preparation.repository if whole else "",
            preset=preparation.preset,
        ),
    )


def _notes(battle: Battle) -> list[str]:
    if battle.task.preparation.pages and battle.follows is None:
        with contextlib.suppress(FairgroundError):
            world = find_world(battle.task.world, own=True)
            return check_preparation(battle.task.preparation.model_copy(update={"repository": ""}), world, local=False)
    return []


def _sides(site: Site, battle: Battle) -> dict[SideName, SideShown]:
    now = site.contests.now(battle.id)
    if now is not None:
        return {
            side: SideShown.parse(
                {name: getattr(now[side], name) for name in ("seat", "state", "steps", "questions")}
            )
            for side in _SIDES
        }  # fmt: skip
    state = "ended" if battle.status not in ("preparing", "running") else "waiting"
    return {
        side: SideShown.parse(
            {"seat": None, "state": state, "steps": battle.sides[side].steps, "questions": battle.sides[side].questions}
        )
        for side in _SIDES
    }


def _messages(site: Site, battle: Battle) -> list[MessageShown]:
    """Return the questions that may be shown, in an order that does not reveal which agent is faster."""
    paced = site.contests.pacing(battle.id)
    return [
        MessageShown(**{name: item[name] for name in MessageShown.model_fields})
        for item in sorted(
            conversation(site.store, battle.id), key=lambda message: (message["number"], message["side"])
        )
        if paced is None or item["number"] < paced.questions(item["side"])
    ]


def _verdict(battle: Battle, side: Side) -> str:
    if battle.task.own or side.outcome not in ("passed", "failed"):
        return "This task can only be judged by people."
    if side.outcome == "passed":
        return "All checks passed."
    return f"Some checks failed; reward {side.reward or 0:.2f} of 1."


def _result(side: Side) -> Result:
    return Result(**{name: getattr(side, name) for name in Result.model_fields})
