"""What a proof finds, as data: of an instance on a profile, of a mutant, of a try on a screen."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from fairground.core import Record
from fairground.worlds import MutantCount


class Status(StrEnum):
    """What is known of an instance on a profile."""

    PROVEN = "proven"
    INFEASIBLE = "infeasible"
    """Not in the suite, and nobody's fault: the task makes no sense with this profile's data."""
    FAULTY = "faulty"
    """Not in the suite, and a mistake of it."""


class Fault(StrEnum):
    """Kinds of mistakes that a suite can have; the value says it in words."""

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


class PairProof(Record):
    """What was found of one instance on one profile."""

    status: Status
    fault: Fault | None = None
    message: str = Field("", description="why, for what is not proven")
    tried: str = Field("", description="the configuration it was tried at")
    moves: int = Field(0, ge=0)
    answer: str | None = Field(None, description="what the oracle said")
    start: float = Field(0.0, ge=0, le=1, description="the reward of doing nothing: more than 0 is a head start")
    guessed: tuple[str, ...] = Field((), description="stock answers that are the right one here")
    ms: float = Field(0.0, ge=0)

    @property
    def reason(self) -> str:
        """Status, fault and message in a line."""
        return ": ".join(part for part in (self.fault.value if self.fault else "", self.message) if part)


class Survivor(Record):
    """A near miss that the verifier took for the solution, with what to look at."""

    configuration: str
    kind: str
    name: str
    moves: tuple[str, ...] = ()
    differs: dict[str, str] = Field({}, description="where its end differs from the oracle's: what no check looks at")
    answer: str | None = None
    broke: str = Field("", description="the checks raised on it, instead of deciding")


class MutantProof(Record):
    """What became of the mutants of one instance on one profile."""

    count: MutantCount = MutantCount()
    kinds: dict[str, MutantCount] = {}
    survivors: tuple[Survivor, ...] = ()
    error: str = ""
    ms: float = Field(0.0, ge=0)


class ScreenProof(Record):
    """The oracle on a real screen, once."""

    configuration: str
    solved: bool
    message: str = ""
    picture: str = Field("", description="how a screen that was not solved looked in the end: a PNG, as base64")
    ms: float = Field(0.0, ge=0)


class AgentScore(Record):
    """What an agent scores that should score nothing."""

    agent: str
    about: str = Field(description="what it does, in words")
    passed: int = Field(ge=0)
    scored: int = Field(ge=0)
    errored: int = Field(0, ge=0, description="never a score")
    reward: float = Field(0.0, ge=0, le=1, description="mean over what was scored")
    low: float = Field(0.0, ge=0, le=1, description="of the success rate, 95% Wilson")
    high: float = Field(1.0, ge=0, le=1)
    successes: tuple[str, ...] = Field((), description="configurations it passed: what to look at")
    folder: str = Field("", description="the run")
