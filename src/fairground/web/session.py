"""Who is at the door: signed cookies, and the words that prove a request came from a page of ours.

A cookie says only which person of the arena's database this is, and when it was given; its signature is made with a
key that never leaves the server. A page's token is another signature, over the cookie: a page from elsewhere can make
a browser send the cookie, but cannot read the token.
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
MAX_AGE: Final = 60 * 60 * 24 * 60  # seconds that a cookie is good for
_KEY_BYTES: Final = 32


@dataclass(frozen=True)
class Signer:
    """Makes and reads cookies and tokens.

    Attributes:
        key: Known to the server alone.
    """

    key: bytes

    def cookie(self, person: str, at: float | None = None) -> str:
        """The cookie of a person."""
        said = f"{person}.{int(time.time() if at is None else at):x}"
        return f"{said}.{self._sign('cookie', said)}"

    def person(self, cookie: str) -> str | None:
        """Whose cookie it is; None when it is forged, damaged or too old."""
        said, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("cookie", said).encode()):
            return None
        person, _, at = said.partition(".")
        return person if 0 <= time.time() - int(at, 16) < MAX_AGE else None

    def token(self, cookie: str) -> str:
        """What the pages of this cookie's owner send with everything that changes something."""
        return self._sign("token", cookie)

    def is_token(self, cookie: str, token: str) -> bool:
        """Whether a request with this token came from such a page."""
        return hmac.compare_digest(token.encode(), self.token(cookie).encode())

    def _sign(self, purpose: str, said: str) -> str:
        return hmac.new(self.key, f"{purpose}:{said}".encode(), hashlib.sha256).hexdigest()


class Known:
    """People who asked a moment ago, so that not every picture of a page asks the database who it is for.

    Whoever changes something is looked up anew afterwards, so what people do here themselves shows at once; what
    others, or other servers, do with a person shows within these seconds.

    Args:
        seconds: How long somebody is known.
        most: How many are, at most.
    """

    def __init__(self, seconds: float = 2.0, most: int = 10_000) -> None:
        self._seconds, self._most = seconds, most
        self._people: dict[str, tuple[Person, float]] = {}
        self._forgotten = 0
        self._lock = threading.Lock()

    def find(self, id_: str) -> Person | None:
        """The person, if they are known."""
        person, until = self._people.get(id_, (None, 0.0))
        return person if time.monotonic() < until else None

    def look_up(self, store: Store, id_: str) -> Person | None:
        """The person as the database has them, known from now on."""
        forgotten = self._forgotten
        person = find_person(store, id_)
        with self._lock:
            # Somebody who was forgotten meanwhile may have been read before they changed.
            if person is not None and forgotten == self._forgotten:
                if len(self._people) >= self._most:
                    self._people.clear()
                self._people[id_] = (person, time.monotonic() + self._seconds)
        return person

    def forget(self, id_: str) -> None:
        """Something may have changed about them."""
        with self._lock:
            self._forgotten += 1
            self._people.pop(id_, None)


def load_key(path: Path) -> bytes:
    """The server's key, made when there is none yet; only this user can read it.

    Raises:
        InfrastructureError: When it can be neither read nor written, or others can read it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            if path.stat().st_mode & 0o077:
                raise InfrastructureError(f"{path} can be read by others", fix=f"chmod 600 {path}") from None
            key = path.read_bytes()
            if len(key) != _KEY_BYTES:
                raise InfrastructureError(
                    f"{path} holds {len(key)} bytes, expected a key of {_KEY_BYTES}", fix="remove it: all log in again"
                ) from None
            return key
        with os.fdopen(handle, "wb") as file:
            file.write(key := secrets.token_bytes(_KEY_BYTES))
        return key
    except OSError as error:
        raise InfrastructureError(f"{path} cannot be used: {error.strerror or error}") from error
