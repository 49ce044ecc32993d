"""One battle on its way: both seats opened and prepared alike, both agents let loose together, both recorded."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from fairground.agents import Agent
from fairground.arena import battles as kept
from fairground.arena.battles import Battle
from fairground.arena.contest_changes import Changes
from fairground.arena.contest_side import Messenger, ReadySeat, Reined, going_on, own_world
from fairground.arena.identification import battle_redactor, identify, keep_identifications
from fairground.arena.pacing import Glanced, Glimpse, Pacing, State
from fairground.arena.people import find_person
from fairground.arena.preparing import check_preparation, find_world, gather, lay_out
from fairground.arena.preparing_uploads import Uploads
from fairground.arena.store import Store
from fairground.core import Episode, FairgroundError, InvalidInput, Outcome, ScreenError, Step, fingerprint
from fairground.rollout import measure, read_episode, run_episode
from fairground.screen import Screen
from fairground.worlds import Seat, World, open_seat

SideName: TypeAlias = Literal["a", "b"]
SIDES: Final[tuple[SideName, ...]] = ("a", "b")

OnSeat: TypeAlias = Callable[[str, str, Seat], str | None]
"""Told of a battle, a side and its seat when that can be watched; returns under which id."""

OnLeft: TypeAlias = Callable[[str, str], None]
"""Told of a battle and a side when its seat cannot be watched any more."""

NOBODY: Final = "Nobody answered in time; go on as you think best."
_log = logging.getLogger(__name__)


class Unprepared(InvalidInput):
    """A battle cannot begin, for a reason that the person may know: it names no agent."""


@dataclass
class Ground:
    """What all battles of a server have in common; see `Contests`."""

    store: Store
    home: Path
    agents: Mapping[str, Callable[[], Agent]]
    uploads: Uploads
    changes: Changes
    on_seat: OnSeat | None
    on_left: OnLeft | None
    answer_seconds: float
    runner: str | None


@dataclass(frozen=True)
class SideNow:
    """What may be seen of a side while its battle runs (`pacing`).

    Attributes:
        seat: Under which id its screen can be watched.
    """

    state: State
    steps: int
    questions: int
    seat: str | None


@dataclass
class Fight:
    """A battle that waits, runs, or has ended in seats that are still open.

    Attributes:
        seats: Both; a follow-up has them from the beginning, as they were left.
        earlier: What was asked in these seats before.
        stopped: Set when it is to end.
    """

    id: str
    ground: Ground
    seats: dict[str, Seat] = field(default_factory=dict)
    earlier: str = ""
    stopped: threading.Event = field(default_factory=threading.Event)
    pacing: Pacing = field(init=False)
    _agents: dict[str, Reined] = field(default_factory=dict)
    _answered: threading.Condition = field(default_factory=threading.Condition)
    _shown: dict[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pacing = Pacing(lambda: self.ground.changes.tell(self.id))

    def now(self) -> dict[str, SideNow]:
        """What may be seen of both sides."""
        paced = self.pacing
        return {
            side: SideNow(paced.state(side), paced.steps(side), paced.questions(side), self._shown.get(side))
            for side in SIDES
        }

    def carry_out(self) -> bool:
        """From seats to recordings; says whether there is something to judge.

        Raises:
            Unprepared: When it could not begin, for a reason that can be told.
        """
        battle = kept.find_battle(self.ground.store, self.id)
        try:
            world = self._make_ready(battle)
        except BaseException:
            for agent in self._agents.values():
                agent.close()
            raise
        self.ground.changes.tell(self.id)
        try:
            with ThreadPoolExecutor(2, thread_name_prefix="arena-side") as both:
                return all(list(both.map(lambda side: self._run(battle, world, side), SIDES)))
        finally:
            self._leave_seats()

    def halt(self) -> None:
        """From another thread: it ends as soon as it can. What both have done until then is judged."""
        self.stopped.set()
        for agent in tuple(self._agents.values()):
            agent.stop()
        self.pacing.wake()
        self.wake()

    def wake(self) -> None:
        """From another thread: a question may have been answered."""
        with self._answered:
            self._answered.notify_all()

    def close_seats(self) -> None:
        """Throws both seats away; may be called twice."""
        while self.seats:
            _, seat = self.seats.popitem()
            try:
                seat.close()
            except FairgroundError:
                _log.exception("a seat of battle %s could not be closed", self.id)

    def _make_ready(self, battle: Battle) -> World:
        """Opens both seats and prepares them alike; the battle then runs, if they are the same."""
        ground = self.ground
        names = dict(zip(SIDES, kept.contenders(ground.store, self.id), strict=True))
        if not all(name in ground.agents for name in names.values()):
            raise Unprepared("an agent of this battle is not in the arena any more")
        gate = threading.Barrier(2)
        for side in SIDES:
            self._agents[side] = Reined(ground.agents[names[side]](), side, gate)
        task = battle.task
        world = find_world(task.world, own=task.own)
        if task.own:
            world = own_world(world, task.text)
        made_of = self._take_over(battle, world) if self.seats else self._open(battle, world)
        if self.stopped.is_set():
            raise Unprepared("it was stopped before it began")
        kept.begin(ground.store, self.id, made_of)
        return world

    def _take_over(self, battle: Battle, world: World) -> dict[str, str]:
        """Seats that were the same when the battle before began go on as the two agents left them."""
        for seat in self.seats.values():
            seat.thaw()
            seat.world = world
            seat.before = seat.capture()
            seat.check()
        return dict.fromkeys(SIDES, fingerprint({"follows": battle.follows}))

    def _open(self, battle: Battle, world: World) -> dict[str, str]:
        """Opens both seats; returns what each is made of, and what was put into it."""
        ground, asked = self.ground, battle.task.preparation
        owner = find_person(ground.store, battle.owner)
        local = owner is not None and owner.role == "admin"
        try:
            check_preparation(asked, world, local=local)
            things = gather(asked, ground.uploads, battle.owner, local=local, stopped=self.stopped.is_set)
        except InvalidInput as error:
            raise Unprepared(error.message) from None

        def open_one(side: str) -> str:
            seat = self.seats[side] = open_seat(world, runner=ground.runner)
            return fingerprint({"seat": seat.fingerprint.digest, "prepared": lay_out(seat, things)})

        with ThreadPoolExecutor(2, thread_name_prefix="arena-seat") as makers:
            return dict(zip(SIDES, makers.map(open_one, SIDES), strict=True))

    def _run(self, battle: Battle, world: World, side: SideName) -> bool:
        """One side, recorded."""
        ground, agent, screen = self.ground, self._agents[side], self.seats[side].screen
        folder = ground.home / "battles" / self.id / side
        words = going_on(self.earlier, battle.task.text) if self.earlier else ""
        messenger = Messenger(lambda question: self._ask(side, question), self.stopped.is_set, words)

        def on_step(step: Step) -> None:
            self.pacing.stepped(side, _glance(screen))

        try:
            if ground.on_seat is not None:
                self._shown[side] = ground.on_seat(self.id, side, self.seats[side])
            self.pacing.began(side, _glance(screen))
            seats = ReadySeat(self.seats[side])
            episode = run_episode(
                world, agent, folder, pool=seats, on_step=on_step, companion=messenger, agent_errors="excluded"
            )
        finally:
            agent.stop()  # the other waits for this one no longer, where it has not begun
            self.pacing.ended(side)
        steps = read_episode(folder).steps
        found = identify(side, steps, battle_redactor(ground.store, battle, ground.agents))
        keep_identifications(ground.store, self.id, found)
        kept.end_side(ground.store, self.id, _side(side, episode, folder, ground.home, messenger, own=battle.task.own))
        if episode.error:
            _log.warning("battle %s, side %s: %s", self.id, side, episode.error)
        return episode.outcome in (Outcome.PASSED, Outcome.FAILED)

    def _ask(self, side: SideName, question: str) -> str:
        """Puts a question to the person, and waits until it is answered, the time is over or the battle is stopped.

        The person sees it when the other side has come as far; the time for an answer begins then.
        """
        ground = self.ground
        number = kept.ask(ground.store, self.id, side, question)
        self.pacing.wait_until_shown(side, self.pacing.asked(side), self.stopped.is_set)

        def is_settled() -> bool:
            said = {(one["side"], one["number"]): one["answer"] for one in kept.conversation(ground.store, self.id)}
            return self.stopped.is_set() or said[side, number] is not None

        with self._answered:
            self._answered.wait_for(is_settled, ground.answer_seconds)
        answer = kept.settle(ground.store, self.id, side, number, NOBODY)
        self.pacing.answered(side)
        return answer

    def _leave_seats(self) -> None:
        """Shows neither seat any more. Both at once: that one is gone would tell who has ended."""
        self.pacing.close()
        self._shown.clear()
        if self.ground.on_left is not None:
            for side in SIDES:
                self.ground.on_left(self.id, side)


def _glance(screen: Screen) -> Glimpse:
    """What is on a screen; nothing of one that cannot be looked at, or has just broken, which ends the episode."""
    try:
        return screen.glance() if isinstance(screen, Glanced) else (None, None)
    except ScreenError:
        return (None, None)


def _side(side: str, episode: Episode, folder: Path, home: Path, messenger: Messenger, *, own: bool) -> kept.Side:
    """What became of a side, as it is kept. Somebody's own task has no score."""
    scored = episode.outcome in (Outcome.PASSED, Outcome.FAILED)
    usage = episode.extra.get("usage") or {}
    return kept.Side(
        side,
        episode=str(folder.relative_to(home)),
        outcome="ended" if own and scored else str(episode.outcome or Outcome.ERRORED),
        reward=episode.verdict.reward if episode.verdict is not None and not own else None,
        steps=episode.steps,
        seconds=episode.seconds,
        dollars=usage.get("dollars"),
        questions=messenger.questions,
        repetition=measure(read_episode(folder)).repetition if scored else None,
    )
