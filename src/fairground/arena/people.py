"""Who may do what: visitors look, judges vote, admins see to the arena. Nobody has to say who they are."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select, update

from fairground.arena.schema import ROLES, invitations, people
from fairground.arena.store import Store, now
from fairground.core import InvalidInput

CONSENT = (
    "Your votes, marks and comments, and what you type into an arena's tasks, are kept with the recordings of both "
    "agents, and may be published as a data set. Do not enter personal data. You may stop at any time."
)
_DAY = 86_400.0


@dataclass(frozen=True)
class Person:
    """Somebody at the arena.

    Attributes:
        id: Random; the only thing that is known.
        role: `admin`, `judge` or `visitor`.
        consented: Whether the person has agreed to what becomes of votes.
    """

    id: str
    role: str
    consented: bool

    @property
    def may_vote(self) -> bool:
        """Judges and admins may, once they agreed."""
        return self.role in ("judge", "admin") and self.consented


class Refused(InvalidInput):
    """Somebody asked for what is not theirs to have."""


class Absent(Refused):
    """Somebody asked for what is not there, or is not to be known to be there."""


def new_person(store: Store, role: str = "visitor", invitation: str | None = None) -> Person:
    """Somebody new."""
    if role not in ROLES:
        raise InvalidInput(f"a role is one of {', '.join(ROLES)}, not {role!r}")
    with store.write() as connection:
        return _add(connection, role, invitation)


def find_person(store: Store, id_: str) -> Person | None:
    """The person with this id."""
    with store.read() as connection:
        return _find(connection, id_)


def consent(store: Store, person: Person) -> Person:
    """The person has read what becomes of votes, and agrees."""
    with store.write() as connection:
        query = update(people).where(people.c.id == person.id, people.c.consented.is_(None)).values(consented=now())
        connection.execute(query)
    return Person(person.id, person.role, True)


def invite(store: Store, role: str = "judge", *, uses: int = 1, days: float = 14.0, note: str = "") -> str:
    """The secret of a new invitation link; only its digest is kept."""
    if role not in ("judge", "admin"):
        raise InvalidInput(f"people are invited as judge or admin, not as {role!r}")
    if not 1 <= uses <= 10_000 or not 0 < days <= 366:
        raise InvalidInput(f"{uses} uses within {days:g} days", fix="at most 10,000 uses within a year")
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
    """An invitation as it stands. Its link cannot be had again: `id` is a digest of the secret in it."""

    id: str
    role: str
    created: float
    expires: float
    uses_left: int
    note: str

    @property
    def open(self) -> bool:
        """Whether somebody can still come in by it."""
        return self.uses_left > 0 and self.expires > now()


def all_invitations(store: Store) -> list[Invitation]:
    """Every invitation that was made, the newest first."""
    with store.read() as connection:
        rows = connection.execute(select(invitations).order_by(invitations.c.created.desc(), invitations.c.id))
        return [Invitation(**row._mapping) for row in rows]


def revoke(store: Store, id_: str) -> None:
    """Nobody comes in by this invitation any more; who did stays what they are.

    Raises:
        Refused: When there is no such invitation.
    """
    with store.write() as connection:
        query = update(invitations).where(invitations.c.id == id_).values(uses_left=0)
        if connection.execute(query).rowcount != 1:
            raise Absent("there is no such invitation")


def accept(store: Store, secret: str, person: Person | None = None) -> Person:
    """Makes somebody what an invitation says, once for each of its uses.

    A person who has that role already, or a higher one, keeps their id. Everybody else gets a new id, so that a cookie
    which a stranger put into their browser does not get the role too. The old id is remembered for one thing: names
    that were told to it are known to the new one.

    Raises:
        Refused: When it is none, has expired or is used up.
    """
    digest = _digest(secret)
    with store.write() as connection:
        # Counted down in one statement, so that two at once cannot share the last use.
        role = connection.execute(
            update(invitations)
            .where(invitations.c.id == digest, invitations.c.uses_left > 0, invitations.c.expires > now())
            .values(uses_left=invitations.c.uses_left - 1)
            .returning(invitations.c.role)
        ).scalar_one_or_none()
        if role is None:
            raise Refused("this invitation is unknown, used up or expired", fix="ask for a new one")
        known = _find(connection, person.id) if person is not None else None
        if known is not None and ROLES.index(known.role) <= ROLES.index(role):
            return known
        return _add(connection, role, digest, known)


def _find(connection: Connection, id_: str) -> Person | None:
    row = connection.execute(_PERSON, {"person": id_}).one_or_none()
    return None if row is None else Person(row.id, row.role, row.consented is not None)


def _add(connection: Connection, role: str, invitation: str | None, before: Person | None = None) -> Person:
    """Somebody new; `before` is who the same browser was."""
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
