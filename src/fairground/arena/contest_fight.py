"""One battle: opens and prepares two identical seats, starts both agents together, and records both."""

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
"""Called with a battle, a side and its seat when it can be watched. Returns the seat's ID for watching."""

OnLeft: TypeAlias = Callable[[str, str], None]
"""Called with a battle and a side when its seat can no longer be watched."""

NOBODY: Final = "Nobody answered in time. Continue as you think best."
_log = logging.getLogger(__name__)


class Unprepared(InvalidInput):
    """A battle cannot start. The reason names no agent, so it can be shown to the person."""


@dataclass
class Ground:
    """Settings shared by all battles of a server; see `Contests`."""

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
    """What may be shown of a side while its battle runs (see `pacing`).

    Attributes:
        seat: ID under which its screen can be watched.
    """

    state: State
    steps: int
    questions: int
    seat: str | None


@dataclass
class Fight:
    """A battle that waits, runs, or has ended with its seats still open.

    Attributes:
        seats: Both seats. A follow-up has them from the start, as the agents left them.
        earlier: Earlier instructions in these seats.
        stopped: Set when it should end.
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
        """Return what may be shown of both sides."""
        paced = self.pacing
        return {
            side: SideNow(paced.state(side), paced.steps(side), paced.questions(side), self._shown.get(side))
            for side in SIDES
        }

    def carry_out(self) -> bool:
        """Run the battle from opening seats to recordings. Returns whether there is something to judge.

        Raises:
            Unprepared: If it could not start, for a reason that can be shown.
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
        """End the battle as soon as possible. What both have done can be judged. Thread-safe."""
        self.stopped.set()
        for agent in tuple(self._agents.values()):
            agent.stop()
        self.pacing.wake()
        self.wake()

    def wake(self) -> None:
        """Check whether a question was answered. Thread-safe."""
        with self._answered:
            self._answered.notify_all()

    def close_seats(self) -> None:
        """Close both seats. Can be called twice."""
        while self.seats:
            _, seat = self.seats.popitem()
            try:
                seat.close()
            except FairgroundError:
                _log.exception("a seat of battle %s could not be closed", self.id)

    def _make_ready(self, battle: Battle) -> World:
        """Open both seats and prepare them identically; the battle starts if they are the same."""
        ground = self.ground
        names = dict(zip(SIDES, kept.contenders(ground.store, self.id), strict=True))
        if not all(name in ground.agents for name in names.values()):
            raise Unprepared("an agent of this battle is no longer in the arena")
        gate = threading.Barrier(2)
        for side in SIDES:
            self._agents[side] = Reined(ground.agents[names[side]](), side, gate)
        task = battle.task
        world = find_world(task.world, own=task.own)
        if task.own:
            world = own_world(world, task.text)
        made_of = self._take_over(battle, world) if self.seats else self._open(battle, world)
        if self.stopped.is_set():
            raise Unprepared("the battle was stopped before it started")
        kept.begin(ground.store, self.id, made_of)
        return world

    def _take_over(self, battle: Battle, world: World) -> dict[str, str]:
        """Reuse the seats of the previous battle as the agents left them. They were identical when it started."""
        for seat in self.seats.values():
            seat.thaw()
            seat.world = world
            seat.before = seat.capture()
            seat.check()
        return dict.fromkeys(SIDES, fingerprint({"follows": battle.follows}))

    def _open(self, battle: Battle, world: World) -> dict[str, str]:
        """Open both seats. Returns the fingerprint of each and what was placed in it."""
        ground, preparation = self.ground, battle.task.preparation
        owner = find_person(ground.store, battle.owner)
        local = owner is not None and owner.role == "admin"
        try:
            check_preparation(preparation, world, local=local)
            content = gather(preparation, ground.uploads, battle.owner, local=local, stopped=self.stopped.is_set)
        except InvalidInput as error:
            raise Unprepared(error.message) from None

        def open_one(side: str) -> str:
            seat = self.seats[side] = open_seat(world, runner=ground.runner)
            return fingerprint({"seat": seat.fingerprint.digest, "prepared": lay_out(seat, content)})

        with ThreadPoolExecutor(2, thread_name_prefix="arena-seat") as makers:
            return dict(zip(SIDES, makers.map(open_one, SIDES), strict=True))

    def _run(self, battle: Battle, world: World, side: SideName) -> bool:
        """Run and record one side."""
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
            episode = run_episode(world, agent, folder, pool=seats, on_step=on_step, companion=messenger)
        finally:
            agent.stop()  # the other side no longer waits for this one to start
            self.pacing.ended(side)
        steps = read_episode(folder).steps
        findings = identify(side, steps, battle_redactor(ground.store, battle, ground.agents))
        keep_identifications(ground.store, self.id, findings)
        kept.end_side(ground.store, self.id, _side(side, episode, folder, ground.home, messenger, own=battle.task.own))
        if episode.error:
            _log.warning("battle %s, side %s: %s", self.id, side, episode.error)
        return episode.outcome in (Outcome.PASSED, Outcome.FAILED)

    def _ask(self, side: SideName, question: str) -> str:
        """Ask the person, and wait until the question is answered, the timeout expires or the battle is stopped.

        The person sees the question when the other side has reached the same step; the timeout starts then.
        """
        ground = self.ground
        number = kept.ask(ground.store, self.id, side, question)
        self.pacing.wait_until_shown(side, self.pacing.asked(side), self.stopped.is_set)

        def is_settled() -> bool:
            answers = {
                (message["side"], message["number"]): message["answer"]
                for message in kept.conversation(ground.store, self.id)
            }
            return self.stopped.is_set() or answers[side, number] is not None

        with self._answered:
            self._answered.wait_for(is_settled, ground.answer_seconds)
        answer = kept.settle(ground.store, self.id, side, number, NOBODY)
        self.pacing.answered(side)
        return answer

    def _leave_seats(self) -> None:
        """Stop showing both seats at once: removing only one would reveal which agent has ended."""
        self.pacing.close()
        self._shown.clear()
        if self.ground.on_left is not None:
            for side in SIDES:
                self.ground.on_left(self.id, side)


def _glance(screen: Screen) -> Glimpse:
    """Return the current screen; None if it cannot be captured or has failed, which ends the episode."""
    try:
        return screen.glance() if isinstance(screen, Glanced) else (None, None)
    except ScreenError:
        return (None, None)


def _side(side: str, episode: Episode, folder: Path, home: Path, messenger: Messenger, *, own: bool) -> kept.Side:
    """Convert the result of a side for storage. A custom task has no score."""
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
