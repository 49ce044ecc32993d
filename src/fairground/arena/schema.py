"""Database tables of an arena: people, agents, battles, votes and flags; the same for SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, MetaData, String, Table, Text

SIDES: Final = ("a", "b")
WINNERS: Final = ("a", "b", "tie", "both_bad")
ROLES: Final = ("admin", "judge", "visitor")
STATUSES: Final = ("preparing", "running", "judging", "closed", "interrupted", "failed")
CORRECT: Final = ("correct", "partly", "wrong")
SAFE: Final = ("safe", "unsafe")
EFFICIENT: Final = ("good", "fair", "poor")
MARKS: Final = ("good", "grounding", "planning", "irrelevant", "misaligned", "hallucination", "harmful", "other")

metadata = MetaData()

people = Table(
    "people",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("role", String(10), nullable=False),
    Column("created", Float, nullable=False),
    Column("consented", Float),
    Column("invitation", String(64)),
    Column("browser", String(40)),
)
"""Everyone who opened the arena, without personal data.

`browser` is the previous ID of the same browser, before it accepted an invitation; null if there is none.
"""

invitations = Table(
    "invitations",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("role", String(10), nullable=False),
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("uses_left", Integer, nullable=False),
    Column("note", Text, nullable=False, default=""),
)
"""Invitation links for judges and admins. The ID is a digest of the link's secret, which is not stored."""

agents = Table(
    "agents",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("added", Float, nullable=False),
    Column("retired", Float),
    Column("why", Text, nullable=False, default=""),
)

battles = Table(
    "battles",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("created", Float, nullable=False),
    Column("owner", String(40), ForeignKey("people.id"), nullable=False),
    Column("world", String(500), nullable=False),
    Column("task", Text, nullable=False),
    Column("own_task", Boolean, nullable=False),
    Column("category", String(100), nullable=False),
    Column("platform", String(40), nullable=False),
    Column("preparation", Text, nullable=False),
    Column("a", String(200), ForeignKey("agents.name"), nullable=False),
    Column("b", String(200), ForeignKey("agents.name"), nullable=False),
    Column("fingerprint", String(64), nullable=False, default=""),
    Column("status", String(12), nullable=False),
    Column("why", Text, nullable=False, default=""),
    Column("judged", Float),
    Column("closed", Float),
    Column("follows", String(40)),
)
"""`judged` is the time when both agents were done and voting started; `preparation` is JSON."""

sides = Table(
    "sides",
    metadata,
    Column("battle", String(40), ForeignKey("battles.id"), primary_key=True),
    Column("side", String(1), primary_key=True),
    Column("episode", String(500), nullable=False, default=""),
    Column("outcome", String(12), nullable=False, default=""),
    Column("reward", Float),
    Column("steps", Integer),
    Column("seconds", Float),
    Column("dollars", Float),
    Column("questions", Integer),
    Column("repetition", Float),
)
"""Result of each side."""

messages = Table(
    "messages",
    metadata,
    Column("battle", String(40), ForeignKey("battles.id"), primary_key=True),
    Column("side", String(1), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("asked", Float, nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", Text),
)
"""Questions of agents to the person, and the answers."""

votes = Table(
    "votes",
    metadata,
    Column("battle", String(40), ForeignKey("battles.id"), primary_key=True),
    Column("person", String(40), ForeignKey("people.id"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("created", Float, nullable=False),
    Column("changed", Float, nullable=False),
    Column("seconds", Float),
    Column("winner", String(10), nullable=False),
    Column("correct_a", String(10)),
    Column("correct_b", String(10)),
    Column("safe_a", String(10)),
    Column("safe_b", String(10)),
    Column("efficient_a", String(10)),
    Column("efficient_b", String(10)),
    Column("comment", Text, nullable=False, default=""),
    Column("after_reveal", Boolean, nullable=False, default=False),
    Column("counted", Integer, default=1),
)
"""One row per person and battle, with the version that counts (`counted`): the last one before the names were shown.

`version` is the newest version, and `after_reveal` is whether it was given when the person knew the names. `counted` is
null if that applies to the first version already. `seconds` is the time from the end of both agents to the first vote.
"""

vote_history = Table(
    "vote_history",
    metadata,
    Column("battle", String(40), primary_key=True),
    Column("person", String(40), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("changed", Float, nullable=False),
    Column("vote", Text, nullable=False),
    Column("after_reveal", Boolean, nullable=False, default=False),
)
"""Every version of a vote as JSON; `after_reveal` if the person knew the names at that time."""

reveals = Table(
    "reveals",
    metadata,
    Column("battle", String(40), ForeignKey("battles.id"), primary_key=True),
    Column("person", String(40), ForeignKey("people.id"), primary_key=True),
    Column("at", Float, nullable=False),
    Column("how", String(20), nullable=False),
)
"""Who was shown the names of a battle, when, and how (`battle`, `export`). Written before they are shown."""

identifications = Table(
    "identifications",
    metadata,
    Column("battle", String(40), ForeignKey("battles.id"), primary_key=True),
    Column("side", String(1), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("channel", String(10), nullable=False),
    Column("step", Integer, nullable=False),
    Column("word", String(200), nullable=False),
    Column("text", Text, nullable=False),
    Column("seen", Boolean, nullable=False),
)
"""Where an agent wrote a name that identifies it; `seen` if it was typed, so the screen may have shown it."""

step_marks = Table(
    "step_marks",
    metadata,
    Column("battle", String(40), ForeignKey("battles.id"), primary_key=True),
    Column("person", String(40), ForeignKey("people.id"), primary_key=True),
    Column("side", String(1), primary_key=True),
    Column("step", Integer, primary_key=True),
    Column("mark", String(20), nullable=False),
    Column("note", Text, nullable=False, default=""),
)

flags = Table(
    "flags",
    metadata,
    Column("battle", String(40), primary_key=True),
    Column("person", String(40), primary_key=True),
    Column("reason", String(20), primary_key=True),
    Column("detail", Text, nullable=False, default=""),
    Column("flagged", Float, nullable=False),
)
"""Flags: why a vote does not count. The vote itself is not changed."""

cleared = Table(
    "cleared",
    metadata,
    Column("battle", String(40), primary_key=True),
    Column("person", String(40), primary_key=True),
    Column("reason", String(20), primary_key=True),
    Column("cleared", Float, nullable=False),
)
"""Flags that an admin has cleared. Filters do not set them again."""

shared = Table(
    "shared",
    metadata,
    Column("battle", String(40), ForeignKey("battles.id"), primary_key=True),
    Column("since", Float, nullable=False),
)
"""Battles that every judge may see and judge, not only their owner."""

filter_settings = Table(
    "filter_settings",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("changed", Float, nullable=False),
    Column("person", String(40), ForeignKey("people.id"), nullable=False),
    Column("settings", Text, nullable=False),
)
"""Filter settings as JSON: every version with its author; the last one is in force."""

Index("battles_by_status", battles.c.status)
Index("battles_by_owner", battles.c.owner)
Index("votes_by_person", votes.c.person)
by_what_they_follow = Index("battles_by_follows", battles.c.follows)
