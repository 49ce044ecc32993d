"""Battles of two anonymous agents, people's votes on them, and the rankings that follow.

Everything is kept in one database, SQLite or PostgreSQL; pages and the running of agents stand above it.
"""

from fairground.arena.battles import (
    Battle,
    Preparation,
    Side,
    Task,
    active_agents,
    add_agents,
    answer,
    ask,
    begin,
    close,
    contenders,
    conversation,
    end_side,
    fail,
    find_battle,
    interrupt_all,
    new_battle,
    retire,
    to_judge,
)
from fairground.arena.datasets import export_votes, import_votes
from fairground.arena.drawing import Retirement, draw_pair, pair_weights
from fairground.arena.filters import Finding, Judged, find_bad_votes
from fairground.arena.people import CONSENT, Person, Refused, accept, consent, find_person, invite, new_person
from fairground.arena.standings import Standings, Style, agreement, standings
from fairground.arena.store import Store
from fairground.arena.tables import Row, all_votes, apply_filters, counted
from fairground.arena.voting import Counted, StepMark, Vote, cast, flag, history, reveal, unflag

__all__ = [
    "CONSENT",
    "Battle",
    "Counted",
    "Finding",
    "Judged",
    "Person",
    "Preparation",
    "Refused",
    "Retirement",
    "Row",
    "Side",
    "Standings",
    "StepMark",
    "Store",
    "Style",
    "Task",
    "Vote",
    "accept",
    "active_agents",
    "add_agents",
    "agreement",
    "all_votes",
    "answer",
    "apply_filters",
    "ask",
    "begin",
    "cast",
    "close",
    "consent",
    "contenders",
    "conversation",
    "counted",
    "draw_pair",
    "end_side",
    "export_votes",
    "fail",
    "find_bad_votes",
    "find_battle",
    "find_person",
    "flag",
    "history",
    "import_votes",
    "interrupt_all",
    "invite",
    "new_battle",
    "new_person",
    "pair_weights",
    "retire",
    "reveal",
    "standings",
    "to_judge",
    "unflag",
]
