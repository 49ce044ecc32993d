"""Prove that configurations are sound.

A sound configuration is coherent, feasible, not already done, solved by its oracle, and rejects near misses. `prove`
tries every instance on every profile and stores the results. Proof tables tell a suite which configurations it may
serve. This room imports `rollout` and below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairground.core.late import late_names

if TYPE_CHECKING:
    from fairground.prove.cache import Cache as Cache
    from fairground.prove.findings import AgentScore as AgentScore
    from fairground.prove.findings import Fault as Fault
    from fairground.prove.findings import MutantProof as MutantProof
    from fairground.prove.findings import PairProof as PairProof
    from fairground.prove.findings import ScreenProof as ScreenProof
    from fairground.prove.findings import Status as Status
    from fairground.prove.findings import Survivor as Survivor
    from fairground.prove.keys import RULES as RULES
    from fairground.prove.keys import Keys as Keys
    from fairground.prove.proof import Proof as Proof
    from fairground.prove.proof import ScenarioProof as ScenarioProof
    from fairground.prove.proving import Options as Options
    from fairground.prove.proving import load_suite as load_suite
    from fairground.prove.proving import prove as prove
    from fairground.prove.proving import select as select
    from fairground.prove.table import Stale as Stale
    from fairground.prove.table import check_tables as check_tables
    from fairground.prove.table import write_tables as write_tables

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

# Imported lazily: comparing what an episode changed needs none of the proving code.
_LATE = {
    "AgentScore": "findings",
    "Cache": "cache",
    "Fault": "findings",
    "Keys": "keys",
    "MutantProof": "findings",
    "Options": "proving",
    "PairProof": "findings",
    "Proof": "proof",
    "RULES": "keys",
    "ScenarioProof": "proof",
    "ScreenProof": "findings",
    "Stale": "table",
    "Status": "findings",
    "Survivor": "findings",
    "check_tables": "table",
    "load_suite": "proving",
    "prove": "proving",
    "select": "proving",
    "write_tables": "table",
}

__getattr__ = late_names(__name__, _LATE)
