"""Is a configuration sound: coherent, feasible, not already done, solved by its oracle, and rejecting near misses.

`prove` tries every instance on every profile and keeps what it finds; proof tables say to a suite what it may serve.
Imports `rollout` and below; pages and commands are built over it.
"""

from fairground.prove.cache import Cache
from fairground.prove.findings import AgentScore, Fault, MutantProof, PairProof, ScreenProof, Status, Survivor
from fairground.prove.keys import RULES, Keys
from fairground.prove.proof import Proof, ScenarioProof
from fairground.prove.proving import Options, load_suite, prove, select
from fairground.prove.table import Stale, check_tables, write_tables

__all__ = [
    "RULES",
    "AgentScore",
    "Cache",
    "Fault",
    "Keys",
    "MutantProof",
    "Options",
    "PairProof",
    "Proof",
    "ScenarioProof",
    "ScreenProof",
    "Stale",
    "Status",
    "Survivor",
    "check_tables",
    "load_suite",
    "prove",
    "select",
    "write_tables",
]
