"""The Gymnasium environment.

`reset` takes a fresh seat. `step` performs an action, waits until the screen settles, and observes.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import gymnasium

from fairground.core import (
    Action,
    Answer,
    CallUser,
    InvalidInput,
    Observation,
    Outcome,
    Pixels,
    State,
    Verdict,
    unknown,
)
from fairground.env.finishing import finish
from fairground.env.forking import fork_seat, look
from fairground.env.judging import judge_left
from fairground.env.observing import as_sample, check_observations, observation_space
from fairground.env.spaces import action_space, decode_action
from fairground.screen import Settled
from fairground.worlds import PINS, Ahead, Forking, Seat, Selection, World, forking_of, open_seat, renew, select


class SeatSource(Protocol):
    """A source of seats for an environment, such as a `Pool`.

    If it also has a method `give_back(seat)`, the environment calls that after an episode has been judged, instead of
    closing the seat.
    """

    def take(self, kind: World, timeout: float = 120.0) -> Seat:
        """Return a seat at this world, ready for use."""


class FairgroundEnv(gymnasium.Env[dict[str, Any], Any]):
    """A Gymnasium environment over one or more worlds.

    Args:
        world: A world; a configuration id or a prefix of one, such as `desk/calc/region-total`; or several of these.
            `reset` draws from all configurations that match.
        observations: Which observations to make. Others cost nothing.
        runner: Which runner creates sandboxes.
        pool: A source of warm seats. By default, each reset opens a seat.
        ahead: Open the seat of the next episode during the current one, so that `reset` does not wait. Needs memory for
            a second seat.
        user: Answers `call_user`. Without it, agents are told that no user is available.
        settle_seconds: Timeout for settling after each action.
        render_mode: `rgb_array` or None.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}

    def __init__(
        self,
        world: str | World | Sequence[str | World],
        *,
        observations: Sequence[str] = ("screen",),
        runner: str | None = None,
        pool: SeatSource | None = None,
        ahead: bool = False,
        user: Callable[[str], str] | None = None,
        settle_seconds: float = 5.0,
        render_mode: str | None = None,
    ) -> None:
        self.selection = select(*([world] if isinstance(world, str | World) else world))
        """The configurations that `reset` draws from."""
        self.size = _common_size(self.selection)
        check_observations(observations)
        if render_mode not in (None, "rgb_array"):
            raise unknown("render mode", render_mode, ["rgb_array"])
        if ahead and pool is not None:
            raise InvalidInput("`pool` and `ahead` exclude each other", fix="pass only one of them")
        self.observations = tuple(observations)
        self.render_mode = render_mode
        self.action_space = action_space()
        self.observation_space = observation_space(self.observations, self.size)
        self.seat: Seat | None = None
        self.observation: Observation | None = None
        """The last observation, as a typed object."""
        self.settled = Settled(True, 0.0)
        self.act_seconds = 0.0
        self.after: State | None = None
        self.verdict: Verdict | None = None
        self.outcome: Outcome | None = None
        self.answer: str | None = None
        self.ended_by = ""
        self._runner = runner
        self._pool = pool
        self._goes_ahead = ahead
        self._ahead: Ahead | None = None
        self._coming: World | None = None
        self._user = user
        self._settle_seconds = settle_seconds
        self._played: list[Action | None] = []
        self._steps = 0
        self._counted_from = 0
        self._started = 0.0

    @property
    def world(self) -> World:
        """The world of the current episode."""
        return self.seat.world if self.seat is not None else self.selection.first()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode in a fresh seat. The configuration is drawn at random: the same one for the same seed.

        Args:
            seed: Seeds this draw and the following ones. Without it, draws continue from the last seed.
            options: Restrict the draw. `world` is a world, a configuration id or a prefix of one. `app`, `scenario`,
                `instance`, `profile`, `theme` and `ui_state` each take a value or a list of values. `next` is the
                `world` of the following reset, for `ahead`.
        """
        super().reset(seed=seed)
        chosen = dict(options or {})
        following = chosen.pop("next", None)
        world = self._choice(chosen).draw(self.np_random)
        if following is not None:
            self._coming = self._choice({"world": following}).draw(copy.deepcopy(self.np_random))
        else:
            self._coming = None if chosen else self.selection.draw(copy.deepcopy(self.np_random))
        self.seat = self._next_seat(world)
        if self._ahead is not None:
            self._ahead.drop()  # a seat that was opened for another world
            self._order_ahead()
        self._played = []
        self._steps = self._counted_from = 0
        self._started = time.monotonic()
        self.after = self.verdict = self.outcome = self.answer = None
        self.ended_by = ""
        return self._observe(()), {"instruction": world.instruction, "world": world.id}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Perform one action.

        The reward is 0 until the episode ends, then the verdict's reward. If the step budget is used up, the episode is
        truncated, and judged as well.

        Args:
            action: A sample of the action space, a canonical action, or one as plain data.

        Raises:
            InvalidAction: The action cannot be performed. Nothing happened, and no step was counted.
        """
        seat = self._running()
        canonical = decode_action(action).to_pixels(*self.size)
        started = time.monotonic()
        seat.screen.act(canonical)
        self._played.append(canonical)
        self.act_seconds = time.monotonic() - started
        self._steps += 1
        messages = self._reply(canonical)
        terminated = canonical.ends
        if terminated:
            self.settled = Settled(True, 0.0)
        else:
            self.settled = seat.screen.settle(self._settle_seconds)
            messages += seat.screen.take_notes()
        observation = self._observe(messages)
        scenario = self.world.scenario
        late = time.monotonic() - self._started > scenario.time_budget
        truncated = not terminated and (self._steps - self._counted_from >= scenario.step_budget or late)
        info: dict[str, Any] = {"settled": self.settled.quiet, "step": self._steps, "messages": list(messages)}
        reward = 0.0
        if terminated or truncated:
            self.answer = canonical.text if isinstance(canonical, Answer) else None
            reward = self.give_up("agent" if terminated else "time_budget" if late else "step_budget")
            verdict = self.verdict.plain() if self.verdict else None
            info |= {"outcome": str(self.outcome), "ended_by": self.ended_by, "verdict": verdict}
        return observation, reward, terminated, truncated, info

    def render(self) -> Pixels | None:
        """Return the last frame if the render mode is `rgb_array`."""
        if self.render_mode != "rgb_array" or self.observation is None:
            return None
        return self.observation.frame.pixels

    def close(self) -> None:
        """Close the seat, and the one that was opened ahead."""
        self._let_go()
        if self._ahead is not None:
            self._ahead.close()
            self._ahead = None

    def give_up(self, ended_by: str = "agent") -> float:
        """End the episode without a further action: save, record and judge the state. Returns the reward."""
        seat = self._running()
        self.ended_by = ended_by
        self.after = finish(seat)
        self.verdict = judge_left(self.world, seat.before, self.after, self.answer)
        self.outcome = Outcome.PASSED if self.verdict.success else Outcome.FAILED
        return self.verdict.reward

    def go_on(self, *messages: str) -> None:
        """Continue an ended episode: unfreeze the seat and reset the agent's budgets.

        This discards the verdict; the next end counts. The observation shows the current screen, with these messages.
        """
        if self.seat is None or self.outcome is None:
            raise InvalidInput("only an episode that has ended can continue")
        self.seat.thaw()
        self.after = self.verdict = self.outcome = self.answer = None
        self.ended_by = ""
        self._counted_from, self._started = self._steps, time.monotonic()
        self._played.append(None)
        self._observe(messages)

    def excuse(self, seconds: float) -> None:
        """Exclude time from the time budget that something other than the agent used."""
        self._started += seconds

    def score(self, answer: str | None = None) -> Verdict:
        """Return the verdict on the current state. The episode continues as if nothing had happened.

        The seat is frozen, recorded and resumed. Nothing is saved: what is only in the memory of a program does not
        count here, while the end of an episode saves what a user would expect to be saved. The time that this takes is
        excluded from the time budget.

        Args:
            answer: The answer to judge, for tasks that ask for one.
        """
        started, seat = time.monotonic(), self._running()
        try:
            return look(seat, answer)
        finally:
            self.excuse(time.monotonic() - started)

    @property
    def forking(self) -> Forking:
        """How `fork` works for the current world, as its app declares: `exact`, `replay` or `none`."""
        return forking_of(self.world)

    def fork(self, count: int = 1) -> list[FairgroundEnv]:
        """Return further environments in the same state: same world, seed and step, and the same budgets left.

        They are ready to `step`, and independent of this one and of each other. Their seats come from where this one
        gets its own. The time that this takes is excluded from the time budget.

        Raises:
            ForkFailed: The state cannot be copied, or a copy differs. No fork is left; this episode can continue.
        """
        if count < 1:
            raise InvalidInput(f"expected at least 1 fork, got {count}")
        started, seat = time.monotonic(), self._running()
        used = started - self._started
        try:
            seats = fork_seat(seat, self._played, lambda: self._take(seat.world), count, self._settle_seconds)
            self._order_ahead()
            return [self._fork_with(fork, used) for fork in seats]
        finally:
            self.excuse(time.monotonic() - started)

    def _fork_with(self, seat: Seat, used: float) -> FairgroundEnv:
        fork = copy.copy(self)
        fork.action_space, fork.observation_space = copy.deepcopy((self.action_space, self.observation_space))
        fork._np_random = copy.deepcopy(self._np_random)
        fork._ahead = None
        fork._played = [*self._played]
        fork.seat = seat
        if self._steps:
            seat.screen.take_notes()  # the original has reported them
        fork._observe(self.observation.messages if self.observation else ())
        fork._started = time.monotonic() - used
        return fork

    def _running(self) -> Seat:
        if self.seat is None or self.outcome is not None:
            raise InvalidInput("the episode has ended or has not begun", fix="call reset first")
        return self.seat

    def _reply(self, action: Action) -> tuple[str, ...]:
        if not isinstance(action, CallUser):
            return ()
        return (self._user(action.text) if self._user else "No user is available. Continue as you think best.",)

    def _observe(self, messages: tuple[str, ...]) -> dict[str, Any]:
        assert self.seat is not None
        screen = self.seat.screen
        wanted = self.observations
        self.observation = Observation(
            frame=screen.grab(),
            step=self._steps,
            cursor=screen.cursor() if "cursor" in wanted else None,
            tree=screen.tree() if "tree" in wanted else None,
            windows=screen.windows() if "windows" in wanted else None,
            messages=messages,
        )
        return as_sample(self.observation, wanted, self.world.instruction)

    def _choice(self, options: dict[str, Any]) -> Selection:
        """The configurations that these options of `reset` allow."""
        for name in options:
            if name not in ("world", *PINS):
                raise unknown("option of reset", str(name), ["world", "next", *PINS])
        wanted = options.get("world")
        choice = self.selection if wanted is None else select(wanted)
        choice = choice.pinned(**{name: value for name, value in options.items() if name != "world"})
        if (size := _common_size(choice)) != self.size:
            raise InvalidInput(f"{choice.named} has a screen of {size}, but this environment has one of {self.size}")
        return choice

    def _next_seat(self, world: World) -> Seat:
        if self._goes_ahead and self._ahead is None:
            self._ahead = Ahead(lambda wanted: open_seat(wanted, runner=self._runner))
        seat = self.seat
        alone = self._ahead is None and self._pool is None
        if alone and seat is not None and self.outcome is not None and renew(seat, world):
            return seat
        self._let_go()
        return self._take(world)

    def _take(self, world: World) -> Seat:
        source = self._ahead or self._pool
        return open_seat(world, runner=self._runner) if source is None else source.take(world)

    def _order_ahead(self) -> None:
        if self._ahead is not None and self._coming is not None:
            self._ahead.order(self._coming)

    def _let_go(self) -> None:
        seat, self.seat = self.seat, None
        if seat is None:
            return
        source = self._ahead or self._pool
        if self.after is not None and callable(give_back := getattr(source, "give_back", None)):
            give_back(seat)
        else:
            seat.close()


def _common_size(selection: Selection) -> tuple[int, int]:
    sizes = {part.suite.app(part.scenario.app).screen.size: part.name for part in selection.parts}
    if len(sizes) > 1:
        listed = ", ".join(f"{width}x{height} ({name})" for (width, height), name in sizes.items())
        raise InvalidInput(f"the worlds of an environment must have the same screen size, got {listed}")
    return next(iter(sizes))
