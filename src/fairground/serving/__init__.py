"""Serving over HTTP: listening sockets, a web server in a thread, TLS, and checks of who asks.

`web` and `remote` build on this package. It knows nothing of worlds or seats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairground.core.late import late_names

if TYPE_CHECKING:
    from fairground.serving.access import Headers as Headers
    from fairground.serving.access import Refusal as Refusal
    from fairground.serving.access import is_loopback as is_loopback
    from fairground.serving.access import is_ours as is_ours
    from fairground.serving.access import refuse as refuse
    from fairground.serving.access import same_place as same_place
    from fairground.serving.access import values_of as values_of
    from fairground.serving.listening import Exposed as Exposed
    from fairground.serving.listening import Listening as Listening
    from fairground.serving.listening import Tls as Tls
    from fairground.serving.ports import check_port as check_port
    from fairground.serving.ports import listen as listen

__all__ = [
    "Exposed",
    "Headers",
    "Listening",
    "Refusal",
    "Tls",
    "check_port",
    "is_loopback",
    "is_ours",
    "listen",
    "refuse",
    "same_place",
    "values_of",
]

# Imported lazily, so that a port in use is reported before a web server is loaded.
_LATE = {
    "Exposed": "listening",
    "Headers": "access",
    "Listening": "listening",
    "Refusal": "access",
    "Tls": "listening",
    "check_port": "ports",
    "is_loopback": "access",
    "is_ours": "access",
    "listen": "ports",
    "refuse": "access",
    "same_place": "access",
    "values_of": "access",
}

__getattr__ = late_names(__name__, _LATE)
