"""Roles and invitations: visitors watch, judges vote, admins manage the arena. There are no accounts."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select, update

from fairground.arena.schema import ROLES, invitations, people
from fairground.arena.store import Store, now
from fairground.core import InvalidInput

CONSENT = (
    "Your votes, marks and comments, and what you type into the arena's tasks, are stored with the recordings of "
    "both agents and may be published as a data set. Do not enter personal data. You may stop at any time."
)
_DAY = 86_400.0


@dataclass(frozen=True)
class Person:
    """A person in the arena.

    Attributes:
        id: Random ID; nothing else is known about the person.
        role: `admin`, `judge` or `visitor`.
        consented: Whether the person has accepted the consent text.
    """

    id: str
    role: str
    consented: bool

    @property
    def may_vote(self) -> bool:
        """Whether the person may vote: judges and admins who have consented."""
        return self.role in ("judge", "admin") and self.consented


class Refused(InvalidInput):
    """The person may not do this."""


class Absent(Refused):
    """The requested object does not exist, or the person may not know that it exists."""


def new_person(store: Store, role: str = "visitor", invitation: str | None = None) -> Person:
    """Create a person."""
    if role not in ROLES:
        raise InvalidInput(f"a role is one of {', '.join(ROLES)}, got {role!r}")
    with store.write() as connection:
        return _add(connection, role, invitation)


def find_person(store: Store, id_: str) -> Person | None:
    """Return the person with this ID, or None."""
    with store.read() as connection:
        return _find(connection, id_)


def consent(store: Store, person: Person) -> Person:
    """Record that the person accepted the consent text."""
    with store.write() as connection:
        query = update(people).where(people.c.id == person.id, people.c.consented.is_(None)).values(consented=now())
        connection.execute(query)
    return Person(person.id, person.role, True)


def invite(store: Store, role: str = "judge", *, uses: int = 1, days: float = 14.0, note: str = "") -> str:
    """Create an invitation and return its secret. Only a digest of the secret is stored."""
    if role not in ("judge", "admin"):
        raise InvalidInput(f"an invitation is for a judge or an admin, got {role!r}")
    if not 1 <= uses <= 10_000 or not 0 < days <= 366:
        raise InvalidInput(f"{uses} uses within {days:g} days", fix="use at most 10,000 uses within a year")
    secret = secrets.token_urlsafe(24)
    row = {
        "id": _digest(secret),
        "role": role,
        "created": now(),
        "expires": now() + days * _DAY,
        "uses_left": uses,
        "note": note[:500],
    }
    with store.write() as connection:
        connection.execute(invitations.insert().values(row))
    return secret


@dataclass(frozen=True)
class Invitation:
    """An invitation. Its link cannot be retrieved: `id` is a digest of its secret."""

    id: str
    role: str
    created: float
    expires: float
    uses_left: int
    note: str

    @property
    def open(self) -> bool:
        """Whether it can still be used."""
        return self.uses_left > 0 and self.expires > now()


def all_invitations(store: Store) -> list[Invitation]:
    """List all invitations, newest first."""
    with store.read() as connection:
        rows = connection.execute(select(invitations).order_by(invitations.c.created.desc(), invitations.c.id))
        return [Invitation(**row._mapping) for row in rows]


def revoke(store: Store, id_: str) -> None:
    """Revoke an invitation. People who used it keep their role.

    Raises:
        Refused: If there is no such invitation.
    """
    with store.write() as connection:
        query = update(invitations).where(invitations.c.id == id_).values(uses_left=0)
        if connection.execute(query).rowcount != 1:
            raise Absent("no such invitation")


def accept(store: Store, secret: str, person: Person | None = None) -> Person:
    """Accept an invitation, which uses it once.

    A person who already has the role or a higher one keeps their ID. Otherwise, accepting creates a new session ID
    (this prevents session fixation). The new session has not consented yet. The old ID is stored for one purpose: names
    that were shown to it count as known to the new one.

    Raises:
        Refused: If the invitation is unknown, expired or used up.
    """
    digest = _digest(secret)
    with store.write() as connection:
        # Decremented in one statement, so that two concurrent requests cannot share the last use.
        role = connection.execute(
            update(invitations)
            .where(invitations.c.id == digest, invitations.c.uses_left > 0, invitations.c.expires > now())
            .values(uses_left=invitations.c.uses_left - 1)
            .returning(invitations.c.role)
        ).scalar_one_or_none()
        if role is None:
            raise Refused("this invitation is unknown, used up or expired", fix="ask for a new invitation")
        known = _find(connection, person.id) if person is not None else None
        if known is not None and ROLES.index(known.role) <= ROLES.index(role):
            return known
        return _add(connection, role, digest, known)


def _find(connection: Connection, id_: str) -> Person | None:
    row = connection.execute(_PERSON, {"person": id_}).one_or_none()
    return None if row is None else Person(row.id, row.role, row.consented is not None)


def _add(connection: Connection, role: str, invitation: str | None, before: Person | None = None) -> Person:
    """Create a person; `before` is the previous ID of the same browser."""
    person = Person(secrets.token_hex(16), role, False)
    browser = None
    if before is not None:
        older = connection.execute(select(people.c.browser).where(people.c.id == before.id)).scalar_one()
        browser = older or before.id
    row = {"id": person.id, "role": role, "created": now(), "consented": None, "invitation": invitation}
    connection.execute(people.insert(), {**row, "browser": browser})
    return person


_PERSON = select(people.c.id, people.c.role, people.c.consented).where(people.c.id == bindparam("person"))


def _digest(secret: str) -> str:
    return hashlib.blake2b(secret.encode(), digest_size=32).hexdigest()
