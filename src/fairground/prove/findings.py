"""Results of a proof as data: of an instance on a profile, of a mutant, of a run on a screen."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from fairground.core import Record
from fairground.worlds import MutantCount


class Status(StrEnum):
    """Status of an instance on a profile."""

    PROVEN = "proven"
    INFEASIBLE = "infeasible"
    """Not in the suite, but not a fault: the task makes no sense with this profile's data."""
    FAULTY = "faulty"
    """Not in the suite because of a fault in the suite."""


class Fault(StrEnum):
    """Kinds of faults of a suite. The value is the message."""

    INCOHERENT = "the instruction does not resolve"
    NO_ORACLE = "nobody has written an oracle"
    ORACLE_BROKE = "the oracle broke"
    STUCK = "the oracle got stuck"
    UNSOLVED = "the oracle does not reach full reward"
    OVER_BUDGET = "the oracle takes more moves than an agent has steps"
    TRIVIAL = "it is solved before anything is done"
    ANSWER = "an answer that says nothing is taken"
    CHECKS_BROKE = "the checks broke"
    NOT_DETERMINISTIC = "the same state is judged in two ways"
    TOO_SLOW = "it takes too long"
    WORLD_BROKE = "the world could not be made"
    LOST = "the process that tried it ended"


class Traced(Record):
    """A result, with the code that took part in it."""

    units: tuple[str, ...] = Field((), description="units of code with their digests; see `worlds.code_trace`")


class PairProof(Traced):
    """Result for one instance on one profile."""

    status: Status
    fault: Fault | None = None
    message: str = Field("", description="why it is not proven")
    tried: str = Field("", description="the configuration that was tried")
    moves: int = Field(0, ge=0)
    answer: str | None = Field(None, description="the oracle's answer")
    start: float = Field(0.0, ge=0, le=1, description="the reward for doing nothing; more than 0 is a head start")
    guessed: tuple[str, ...] = Field((), description="stock answers that happen to be right here")
    ms: float = Field(0.0, ge=0)

    @property
    def reason(self) -> str:
        """Fault and message in one line."""
        return ": ".join(part for part in (self.fault.value if self.fault else "", self.message) if part)


class Survivor(Record):
    """A near miss that the verifier accepted as the solution, with details for inspection."""

    configuration: str
    kind: str
    name: str
    moves: tuple[str, ...] = ()
    differs: dict[str, str] = Field({}, description="where its end differs from the oracle's, unnoticed by the checks")
    answer: str | None = None
    broke: str = Field("", description="the error, if the checks raised one instead of deciding")


class MutantProof(Traced):
    """Results for the mutants of one instance on one profile."""

    count: MutantCount = MutantCount()
    kinds: dict[str, MutantCount] = {}
    survivors: tuple[Survivor, ...] = ()
    error: str = ""
    ms: float = Field(0.0, ge=0)


class ScreenProof(Traced):
    """Result of running the oracle once on a real screen."""

    configuration: str
    solved: bool
    message: str = ""
    picture: str = Field("", description="final screen if it was not solved: a PNG, as base64")
    ms: float = Field(0.0, ge=0)


class AgentScore(Record):
    """Score of an agent that must score nothing."""

    agent: str
    about: str = Field(description="what it does")
    passed: int = Field(ge=0)
    scored: int = Field(ge=0)
    errored: int = Field(0, ge=0, description="never a score")
    reward: float = Field(0.0, ge=0, le=1, description="mean over scored episodes")
    low: float = Field(0.0, ge=0, le=1, description="lower bound of the success rate, 95% Wilson interval")
    high: float = Field(1.0, ge=0, le=1)
    successes: tuple[str, ...] = Field((), description="configurations it passed, for inspection")
    folder: str = Field("", description="folder of the run")
