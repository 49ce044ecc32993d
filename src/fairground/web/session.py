"""Sessions: signed cookies and CSRF tokens.

A cookie holds only the ID of a person in the arena's database and the time when it was issued. It is signed with a key
that never leaves the server. A CSRF token is another signature, over the cookie: another site can make a browser send
the cookie, but it cannot read the token.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fairground.arena import Person, Store, find_person
from fairground.core import InfrastructureError

COOKIE: Final = "fairground"
MAX_AGE: Final = 60 * 60 * 24 * 60  # lifetime of a cookie in seconds
_KEY_BYTES: Final = 32


@dataclass(frozen=True)
class Signer:
    """Signs and verifies cookies and CSRF tokens.

    Attributes:
        key: The server's secret key.
    """

    key: bytes

    def cookie(self, person: str, at: float | None = None) -> str:
        """Return a signed cookie for a person."""
        payload = f"{person}.{int(time.time() if at is None else at):x}"
        return f"{payload}.{self._sign('cookie', payload)}"

    def person(self, cookie: str) -> str | None:
        """Return the ID of the cookie's person, or None if it is forged, damaged or expired."""
        payload, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("cookie", payload).encode()):
            return None
        person, _, at = payload.partition(".")
        return person if 0 <= time.time() - int(at, 16) < MAX_AGE else None

    def token(self, cookie: str) -> str:
        """Return the CSRF token of this cookie."""
        return self._sign("token", cookie)

    def is_token(self, cookie: str, token: str) -> bool:
        """Whether this is the CSRF token of this cookie."""
        return hmac.compare_digest(token.encode(), self.token(cookie).encode())

    def _sign(self, purpose: str, payload: str) -> str:
        return hmac.new(self.key, f"{purpose}:{payload}".encode(), hashlib.sha256).hexdigest()


class Known:
    """Cache of people who made requests recently, so that not every request queries the database.

    A person's entry is removed when they change something, so they see their own changes at once. Changes made by
    others, or by other servers, become visible after `seconds`.

    Args:
        seconds: Lifetime of an entry.
        most: Maximum number of entries.
    """

    def __init__(self, seconds: float = 2.0, most: int = 10_000) -> None:
        self._seconds, self._most = seconds, most
        self._people: dict[str, tuple[Person, float]] = {}
        self._forgotten = 0
        self._lock = threading.Lock()

    def find(self, id_: str) -> Person | None:
        """Return the cached person, or None."""
        person, until = self._people.get(id_, (None, 0.0))
        return person if time.monotonic() < until else None

    def look_up(self, store: Store, id_: str) -> Person | None:
        """Read the person from the database and cache them."""
        forgotten = self._forgotten
        person = find_person(store, id_)
        with self._lock:
            # If an entry was removed in the meantime, this person may have been read before the change.
            if person is not None and forgotten == self._forgotten:
                if len(self._people) >= self._most:
                    self._people.clear()
                self._people[id_] = (person, time.monotonic() + self._seconds)
        return person

    def forget(self, id_: str) -> None:
        """Remove a person whose data may have changed."""
        with self._lock:
            self._forgotten += 1
            self._people.pop(id_, None)


def load_key(path: Path) -> bytes:
    """Return the server's key. It is created on first use and readable only by this user.

    Raises:
        InfrastructureError: If it cannot be read or written, or if other users can read it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if path.stat().st_mode & 0o077:
                raise InfrastructureError(f"{path} can be read by other users", fix=f"chmod 600 {path}") from None
            key = path.read_bytes()
            if len(key) != _KEY_BYTES:
                raise InfrastructureError(
                    f"{path} holds {len(key)} bytes, expected a key of {_KEY_BYTES}",
                    fix="delete the file; all users then have to log in again",
                ) from None
            return key
        with os.fdopen(handle, "wb") as file:
            file.write(key := secrets.token_bytes(_KEY_BYTES))
        return key
    except OSError as error:
        raise InfrastructureError(f"{path} cannot be used: {error.strerror or error}") from error
