"""From recorded states to a verdict."""

from __future__ import annotations

from fairground.core import Check, FairgroundError, InvalidConfiguration, State, StateError, Verdict
from fairground.worlds import World


def judge(world: World, before: State, after: State, answer: str | None = None) -> Verdict:
    """Applies a scenario's checks to what was recorded.

    A state that cannot be read (a file the agent deleted, truncated or stuffed) is a failed check, because only
    the agent touched it. A scenario whose checks break is `InvalidConfiguration`: its author's fault, no score.
    """
    try:
        return Verdict.of(world.scenario.checks(world, before, after, answer))
    except StateError as error:
        found = Check(name="the recorded state can be read", passed=False, expected="readable", found=error.message)
        return Verdict.of([found])
    except FairgroundError:
        raise
    except Exception as error:
        raise InvalidConfiguration(
            f"{world.id}: the checks of scenario {world.scenario.name} broke: {type(error).__name__}: {error}",
            fix="repair the scenario; the recorded state can be judged again",
        ) from error
