"""Running of battles on a server: the queue, running battles, and seats kept open for a follow-up.

Persistent data is in the database and in recordings. The state of a running battle is in its `Fight`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from traceback import format_exc
from typing import Final

from fairground.agents import Agent, TakesSeat
from fairground.agents.keys import without_keys
from fairground.arena import battles as kept
from fairground.arena.battles import Battle, Task
from fairground.arena.contest_changes import Changes
from fairground.arena.contest_fight import SIDES, Fight, Ground, OnLeft, OnSeat, SideNow, Unprepared
from fairground.arena.contest_ratings import Ratings
from fairground.arena.drawing import Retirement
from fairground.arena.pacing import Pacing
from fairground.arena.people import Absent, Person, Refused
from fairground.arena.preparing import check_preparation, find_world
from fairground.arena.preparing_uploads import Uploads
from fairground.arena.store import Store
from fairground.arena.voting import find_vote, retire_due
from fairground.core import FairgroundError
from fairground.worlds import Scenario, World

MOST_UNFINISHED: Final = 2
"""Maximum number of waiting and running battles per person."""

_NOT_READY: Final = "the seats could not be prepared; neither you nor an agent caused this"
_BROKE: Final = "an agent could not continue because of a fault of the machine or of its program; there is no score"
_WEIGH_SECONDS: Final = 0.5  # delay from a vote to the check of the retirement rule
_log = logging.getLogger(__name__)


class Contests:
    """Runs battles in threads.

    Args:
        store: The arena.
        home: Folder with recordings in `battles` and uploads in `uploads`.
        agents: Agent factories by name.
        limit: Number of battles that run at once.
        on_seat: Called when a side's seat can be watched.
        on_left: Called when it can no longer be watched.
        retirement: When to retire an agent.
        answer_seconds: How long an agent waits for a person's answer.
        keep_seconds: How long seats stay open for a follow-up.
        runner: Sandbox runner.
    """

    def __init__(
        self,
        store: Store,
        home: Path,
        agents: Mapping[str, Callable[[], Agent]],
        *,
        limit: int = 1,
        on_seat: OnSeat | None = None,
        on_left: OnLeft | None = None,
        retirement: Retirement | None = None,
        answer_seconds: float = 300.0,
        keep_seconds: float = 600.0,
        runner: str | None = None,
    ) -> None:
        self.changes = Changes()
        self.uploads = Uploads(home / "uploads")
        self.ground = Ground(
            store, home, agents, self.uploads, self.changes, on_seat, on_left, answer_seconds, runner
        )  # fmt: skip
        self._store, self._limit, self._ratings = store, limit, Ratings(store)
        self._retirement, self._keep_seconds = retirement or Retirement(), keep_seconds
        self._lock = threading.RLock()
        self._waiting: list[Fight] = []
        self._running: dict[str, Fight] = {}
        self._kept: dict[str, tuple[Fight, threading.Timer]] = {}
        self._threads: set[threading.Thread] = set()
        self._seated: dict[str, bool] = {}
        self._judged: set[str] = set()
        self._weighing = False
        self._closed = False
        self._ending = threading.Event()

    # --- actions of people --------------------------------------------------------------------------------------------

    def propose(self, person: Person, task: Task) -> Battle:
        """Create a battle for a task. Two agents are drawn; they start when it is the battle's turn.

        Raises:
            InvalidInput: If the task does not exist, or cannot be prepared as requested.
            Refused: If the person may not start battles, or has too many unfinished ones.
        """
        if not person.may_vote:
            raise Refused(
                "you cannot start a battle", fix="open an invitation link, and agree to the use of your votes"
            )
        world = find_world(task.world, own=task.own)
        check_preparation(task.preparation, world, local=person.role == "admin")
        for id_ in task.preparation.files:
            self.uploads.find(person.id, id_)
        task = task.model_copy(update={"world": world.id})
        fit = self._fit(world, own=task.own)
        known = self._ratings.intervals()
        battle = kept.new_battle(self._store, person, task, ratings=known, among=fit, most=MOST_UNFINISHED)
        self.start(battle.id)
        return battle

    def start(self, id_: str) -> None:
        """Run a battle that waits in the database: now, or when it is its turn."""
        self._queue(Fight(id_, self.ground))

    def stop(self, id_: str) -> None:
        """Stop a battle at any time. What both have done can be judged. A battle that has not started fails.

        Raises:
            Refused: If it is neither waiting nor running.
        """
        status = kept.find_battle(self._store, id_).status
        with self._lock:
            fight = self._find(id_)
            if fight is None or status not in kept.UNFINISHED:
                raise Refused(f"this battle is {status}, and cannot be stopped")
            waits = fight in self._waiting
            if waits:
                self._waiting.remove(fight)
        fight.halt()
        if waits:
            kept.fail(self._store, id_, "the battle was stopped before it started")
            fight.close_seats()
        self._tell(id_, *self._ids_waiting())

    def answer(self, id_: str, person: Person, side: str, number: int, text: str) -> None:
        """Answer an agent's question. Raises `Refused` as `arena.answer` does."""
        paced = self.pacing(id_)
        if paced is not None and side in SIDES and number >= paced.questions(side):
            raise Absent("no such question waits for an answer")
        kept.answer(self._store, id_, person, side, number, text)
        with self._lock:
            fight = self._running.get(id_)
        if fight is not None:
            fight.wake()
        self._tell(id_)

    def follow_up(self, id_: str, person: Person, text: str) -> Battle:
        """Give both agents another instruction in their current seats, on the same sides. This creates a new battle.

        Raises:
            Refused: If it belongs to somebody else, they have voted on it, or the seats are closed.
        """
        battle = kept.find_battle(self._store, id_)
        if not self.can_follow(battle, person):
            raise Refused(
                "this battle cannot continue: its seats are closed, or you have voted on it", fix="start another battle"
            )
        task = battle.task.model_copy(update={"text": text, "own": True})
        follows = kept.new_battle(self._store, person, task, follows=id_, most=MOST_UNFINISHED)
        before = self._take_kept(id_)
        if before is None:
            kept.fail(self._store, follows.id, "the seats of the previous battle were closed in the meantime")
        else:
            self._queue(Fight(follows.id, self.ground, before.seats, battle.task.text))
        self._tell(id_)
        return follows

    def can_follow(self, battle: Battle, person: Person) -> bool:
        """Whether this person can continue a battle. Not possible after the vote, which reveals the agents."""
        with self._lock:
            there = battle.id in self._kept
        mine = battle.owner == person.id and person.may_vote and battle.status == "judging"
        return there and mine and find_vote(self._store, battle.id, person) is None

    def rerun(self, id_: str, person: Person) -> None:
        """Run a failed or interrupted battle again with the same agents.

        Raises:
            Refused: If it belongs to somebody else, did not fail, or is a follow-up, whose seats no longer exist.
        """
        if kept.find_battle(self._store, id_).follows is not None:
            raise Refused("a follow-up cannot be started again: its seats no longer exist")
        kept.begin_again(self._store, id_, person, MOST_UNFINISHED)
        place = self.ground.home / "battles" / id_
        if place.exists():
            number = sum(1 for _ in place.parent.glob(f"{id_}-failed-*")) + 1
            place.rename(place.with_name(f"{id_}-failed-{number}"))
        self.start(id_)

    def voted(self, id_: str) -> None:
        """Handle a new or changed vote: close the seats and check the retirement rule.

        The voter waits for neither. The rule is checked once for all new votes.
        """
        with self._lock:
            if id_ in self._kept:
                self._spawn(partial(self.let_go, id_))
            self._judged.add(id_)
            if not self._weighing and not self._closed:
                self._weighing = True
                self._spawn(self._weigh)
        self._tell(id_)

    def let_go(self, id_: str) -> None:
        """Close the seats of a battle that has ended. It can no longer be continued."""
        fight = self._take_kept(id_)
        if fight is not None:
            fight.close_seats()
            self._tell(id_)

    # --- current state ------------------------------------------------------------------------------------------------

    def now(self, id_: str) -> Mapping[str, SideNow] | None:
        """Return both sides of a waiting or running battle; None for others."""
        with self._lock:
            fight = self._find(id_)
        return fight.now() if fight is not None else None

    def pacing(self, id_: str) -> Pacing | None:
        """Return what may be shown of a waiting or running battle; None for others, which may be shown completely."""
        with self._lock:
            fight = self._find(id_)
        return fight.pacing if fight is not None else None

    def position(self, id_: str) -> int | None:
        """Return the number of battles before a waiting one; None if it is not waiting."""
        with self._lock:
            ids = self._ids_waiting()
            return ids.index(id_) + len(self._running) if id_ in ids else None

    def close(self) -> None:
        """Stop all battles. Unfinished ones are marked as interrupted."""
        with self._lock:
            self._closed = True
            self._ending.set()
            waiting, self._waiting = self._waiting, []
            running, left, threads = list(self._running.values()), list(self._kept), list(self._threads)
        kept.interrupt(self._store, [fight.id for fight in (*waiting, *running)])
        for fight in running:
            fight.halt()
        for fight in waiting:  # a follow-up already has seats
            fight.close_seats()
        for id_ in left:
            self.let_go(id_)
        for thread in threads:
            thread.join()

    # --- progress -----------------------------------------------------------------------------------------------------

    def _fit(self, world: World, *, own: bool) -> list[str]:
        """Return the agents that can attempt a task. An agent that uses the seat needs a scenario with an oracle."""
        solvable = not own and type(world.scenario).oracle is not Scenario.oracle
        for name, make in self.ground.agents.items():
            if name not in self._seated:
                try:
                    self._seated[name] = isinstance(make(), TakesSeat)
                except FairgroundError:  # the message may contain the agent's name
                    _log.error("agent %s cannot be created:\n%s", name, without_keys(format_exc()))
        return [name for name, seated in self._seated.items() if solvable or not seated]

    def _queue(self, fight: Fight) -> None:
        with self._lock:
            self._waiting.append(fight)
        self._next()

    def _next(self) -> None:
        """Start the waiting battles that fit the limit."""
        with self._lock:
            while self._waiting and len(self._running) < self._limit and not self._closed:
                fight = self._waiting.pop(0)
                self._running[fight.id] = fight
                self._spawn(partial(self._fight, fight))
            waiting = self._ids_waiting()
        self._tell(*waiting)

    def _fight(self, fight: Fight) -> None:
        """Run a battle and store its result, without agent names."""
        fine, why = False, _NOT_READY
        try:
            fine = fight.carry_out()
        except Unprepared as error:
            why = error.message
        except Exception:
            _log.error("battle %s failed:\n%s", fight.id, without_keys(format_exc()))
        try:
            self._conclude(fight, fine=fine, why=why)
        finally:
            self._tell(fight.id)
            self._next()

    def _conclude(self, fight: Fight, *, fine: bool, why: str) -> None:
        stays_open = False
        if fine:
            with suppress(Refused):  # the server is stopping
                kept.to_judge(self._store, fight.id)
                stays_open = self._keep(fight)
        if not stays_open:
            fight.close_seats()
        with self._lock:
            del self._running[fight.id]
        if not fine:  # last, because from now on it can be started again
            began = kept.find_battle(self._store, fight.id).status == "running"
            with suppress(Refused):  # the server is stopping, or the two seats differ, which is already stored
                kept.fail(self._store, fight.id, _BROKE if began else why)

    def _weigh(self) -> None:
        while True:
            # votes that arrive during a check are covered by the next one, because it takes longer than a vote
            self._ending.wait(_WEIGH_SECONDS)
            with self._lock:
                judged, self._judged = self._judged, set()
                self._weighing = bool(judged)
            if not judged:
                return
            try:
                retire_due(self._store, judged, self._retirement)
            except Exception:
                _log.exception("the retirement rule could not be checked")

    def _spawn(self, work: Callable[[], None]) -> None:
        """Run something in a thread that `close` waits for."""

        def run() -> None:
            try:
                work()
            finally:
                with self._lock:
                    self._threads.discard(thread)

        thread = threading.Thread(target=run, name="arena", daemon=True)
        with self._lock:
            self._threads.add(thread)
        thread.start()

    def _keep(self, fight: Fight) -> bool:
        """Keep the seats open for a follow-up, for at most as many battles as may run at once."""
        timer = threading.Timer(self._keep_seconds, self.let_go, (fight.id,))
        timer.daemon = True
        with self._lock:
            if self._closed:
                return False
            self._kept[fight.id] = (fight, timer)
            over = list(self._kept)[: -self._limit]
        timer.start()
        for id_ in over:
            self.let_go(id_)
        return True

    def _take_kept(self, id_: str) -> Fight | None:
        with self._lock:
            if id_ not in self._kept:
                return None
            fight, timer = self._kept.pop(id_)
        timer.cancel()
        return fight

    def _find(self, id_: str) -> Fight | None:
        return self._running.get(id_) or next((fight for fight in self._waiting if fight.id == id_), None)

    def _ids_waiting(self) -> list[str]:
        return [fight.id for fight in self._waiting]

    def _tell(self, *ids: str) -> None:
        for id_ in ids:
            self.changes.tell(id_)
