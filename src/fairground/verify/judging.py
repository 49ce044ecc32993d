"""Judging recorded states."""

from __future__ import annotations

from fairground.core import Check, FairgroundError, InvalidConfiguration, State, StateError, Verdict
from fairground.worlds import World


def judge(world: World, before: State, after: State, answer: str | None = None) -> Verdict:
    """Apply a scenario's checks to recorded states.

    A state that cannot be read (a file that the agent deleted, truncated or overfilled) is a failed check, because only
    the agent changed it.

    Raises:
        InvalidConfiguration: The scenario's checks failed with an error, which is its author's fault and never a score.
    """
    try:
        return Verdict.of(world.scenario.checks(world, before, after, answer))
    except StateError as error:
        unreadable = Check(
            name="the recorded state can be read", passed=False, expected="readable", found=error.message
        )
        return Verdict.of([unreadable])
    except FairgroundError:
        raise
    except Exception as error:
        raise InvalidConfiguration(
            f"{world.id}: the checks of scenario {world.scenario.name} broke: {type(error).__name__}: {error}",
            fix="repair the scenario; the recorded state can be judged again",
        ) from error
