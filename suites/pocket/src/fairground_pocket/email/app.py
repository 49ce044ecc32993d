"""The email app as a world: its profiles and UI states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fairground_pocket.email import filing, filling, people, preferences, reading, writing
from fairground_pocket.email.schema import SITE
from fairground_pocket.kit import Cast, Database, Draw, PocketApp

PAGES = (reading, filing, writing, people, preferences)
"""The modules with handlers; importing them registers their pages."""

_NEWEST = "SELECT thread FROM mails WHERE folder = 'inbox' ORDER BY time DESC LIMIT 1"


class Email(PocketApp):
    """Email on a phone: folders, conversations, search, writing, rules, contacts."""

    name = "email"
    title = "Email"
    site = SITE
    ui_states: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "inbox": {"path": "/"},
        "unread-only": {"path": "/?only=unread"},
        "second-page": {"path": "/?page=2"},
        "newest-mail": {"path": "/t/{thread}?in=inbox", "facts": {"thread": _NEWEST}},
        "mail-menu": {"path": "/t/{thread}?in=inbox#more", "facts": {"thread": _NEWEST}},
        "search": {"path": "/search?q=has%3Aattachment"},
        "half-written": {
            "path": "/compose?to={address}&subject=About+the+weekend&body=Hi%2C+I+was+wondering",
            "facts": {"address": "SELECT address FROM contacts ORDER BY id LIMIT 1"},
        },
        "contact": {
            "path": "/contacts/{number}",
            "facts": {"number": "SELECT id FROM contacts WHERE favourite = 1 ORDER BY id LIMIT 1"},
        },
        "archive": {"path": "/folder/archive"},
        "settings": {"path": "/settings"},
    }

    def fill(self, database: Database, cast: Cast, draw: Draw) -> None:
        """Fills the mailbox with conversations between the people of the cast."""
        filling.fill(database, cast, draw)
