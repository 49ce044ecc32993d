"""What people look at in a browser: the site (studio and arena), and the live view of a single seat.

Stands above everything but the command line. Pages are written on the server; scripts and styles are plain files in
`static/`: no build step, no other host.
"""

from fairground.web.listening import Exposed
from fairground.web.live import LiveServer, serve_live
from fairground.web.site import Site, serving
from fairground.web.watching import Watched

__all__ = ["Exposed", "LiveServer", "Site", "Watched", "serve_live", "serving"]
