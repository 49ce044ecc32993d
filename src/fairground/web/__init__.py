"""What people look at in a browser: for now the live view of a seat.

Stands above everything but the command line. A page is plain files in `static/`: no build step, no other host.
"""

from fairground.web.live import Exposed, LiveServer, serve_live
from fairground.web.watching import Watched

__all__ = ["Exposed", "LiveServer", "Watched", "serve_live"]
