"""A person's attempt at a world through the site: opened, played, judged and recorded in its own thread."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, TypeAlias

from fairground.agents import HumanAgent
from fairground.agents.human import SETTLE_SECONDS
from fairground.arena import Person, Refused
from fairground.core import Action, Episode, FairgroundError, Step
from fairground.rollout import run_episode
from fairground.web.house import Hosted, House, new_id
from fairground.worlds import Seat, World

Status: TypeAlias = Literal["opening", "open", "judging", "over"]
_JUDGES: Final = ("judge", "admin")
_GIVE_UP: Final = 60.0


def play_name(world: World) -> str:
    """Return a unique folder name for an attempt."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return f"{stamp}-{world.configuration.scenario}-human-{secrets.token_hex(3)}"


class Play:
    """One attempt, recorded as an episode.

    Args:
        house: Shows the seat.
        world: The configuration to attempt.
        folder: Folder for the recording. Must not exist.
        owner: ID of the person who plays. If empty, the first person with the `key` becomes the owner.
        runner: Sandbox runner.
        video: Whether to record a video.

    Attributes:
        id: ID of the attempt's page and of the seat.
        status: Current phase.
        steps: Number of actions so far.
        episode: The result, after the end.
        failure: Why it could not be recorded.
        key: The first person who opens the page with it becomes the owner.
        read: Set after somebody has seen the result.
    """

    def __init__(
        self,
        house: House,
        world: World,
        folder: Path,
        owner: str = "",
        *,
        runner: str | None = None,
        video: bool = False,
    ) -> None:
        self.id = new_id()
        self.key = secrets.token_urlsafe(18)
        self.world, self.folder, self.owner = world, folder, owner
        self.status: Status = "opening"
        self.steps = 0
        self.episode: Episode | None = None
        self.failure = ""
        self.read = threading.Event()
        self._house, self._runner, self._video = house, runner, video
        self._hosted: Hosted | None = None
        self._asked = time.monotonic()
        self._began: float | None = None
        self._lock = threading.Lock()
        self._agent = HumanAgent(self._show, self._hide, lambda: bool(self._hosted and self._hosted.watcher.watched))
        self._thread = threading.Thread(target=self._run, name=f"play-{world.configuration.scenario}", daemon=True)

    @property
    def over(self) -> bool:
        """Whether the attempt has ended."""
        return self.status == "over"

    @property
    def seconds(self) -> float:
        """Seconds in the current phase (opening or playing)."""
        if self.episode is not None:
            return self.episode.seconds
        return time.monotonic() - (self._began or self._asked)

    @property
    def title(self) -> str:
        """Title in lists."""
        return f"{self.world.app.title or self.world.app.name}: {self.world.scenario.name}"

    def may_watch(self, person: Person) -> bool:
        """Whether this person may watch: judges, admins and the owner."""
        return person.role in _JUDGES or person.id == self.owner

    def start(self) -> None:
        """Start the attempt without waiting for it. Raises `Full` if too many seats are open."""
        self._house.admit(self)
        self._thread.start()

    def claim(self, key: str, person: Person) -> None:
        """Make this person the owner, if they are the first with the correct key.

        Raises:
            Refused: If the key is wrong or somebody else has used it.
        """
        with self._lock:
            right = hmac.compare_digest(key.encode(), self.key.encode())
            if not right or self.owner not in ("", person.id):
                raise Refused("this link is wrong or was already used", fix="ask for a new link")
            self.owner = person.id
            if self._hosted is not None:
                self._hosted.owner = person.id

    def leave(self, reason: str) -> None:
        """Give up the attempt for the person."""
        self._agent.leave(reason)

    def join(self, timeout: float = _GIVE_UP) -> None:
        """Wait until the attempt is over."""
        if self._thread.ident is not None:
            self._thread.join(timeout)

    def wait(self) -> None:
        """Wait asynchronously until the attempt is over, without a timeout."""
        self._thread.join()

    def _run(self) -> None:
        try:
            self.episode = run_episode(
                self.world,
                self._agent,
                self.folder,
                runner=self._runner,
                video=self._video,
                on_step=self._count,
                settle_seconds=SETTLE_SECONDS,
            )
        except FairgroundError as error:  # the folder cannot be written
            self.failure = str(error)
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            self._house.remove(self.id)
            self.status = "over"

    def _show(self, seat: Seat) -> None:
        with self._lock:
            self._hosted = self._house.add(
                seat, owner=self.owner, drive="owner", title=self.title, steer=self._steer, id_=self.id
            )
        self._began = time.monotonic()
        self.status = "open"

    def _steer(self, action: Action) -> Future[None]:
        if action.ends:
            self.status = "judging"
        return self._agent.put(action)

    def _hide(self) -> None:
        self._house.remove(self.id)

    def _count(self, step: Step) -> None:
        self.steps = step.index + 1
