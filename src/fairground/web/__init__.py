"""The web site (studio and arena) and the live view of a single seat.

Only the command line builds on this package. Pages are rendered on the server. Scripts and styles are plain files in
`static/`: no build step, no other host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairground.core.late import late_names

if TYPE_CHECKING:
    from fairground.web.live import LiveServer as LiveServer
    from fairground.web.live import serve_live as serve_live
    from fairground.web.site import Site as Site
    from fairground.web.site import serving as serving
    from fairground.web.watching import Watched as Watched

__all__ = ["LiveServer", "Site", "Watched", "serve_live", "serving"]

# Imported lazily, so that a port in use is reported before a web server is loaded.
_LATE = {
    "LiveServer": "live",
    "Site": "site",
    "Watched": "watching",
    "serve_live": "live",
    "serving": "site",
}

__getattr__ = late_names(__name__, _LATE)
