"""Environments over the wire: a server of seats for trainers on other machines, and its Python clients.

`EnvironmentServer` serves worlds; `fairground serve-env` does so from the command line. `RemoteEnv` is a Gymnasium
environment at such a server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairground.core.late import late_names

if TYPE_CHECKING:
    from fairground.remote.answers import ServerLost as ServerLost
    from fairground.remote.async_client import AsyncClient as AsyncClient
    from fairground.remote.client import RemoteEnv as RemoteEnv
    from fairground.remote.client import open_group as open_group
    from fairground.remote.errors import Busy as Busy
    from fairground.remote.errors import Cancelled as Cancelled
    from fairground.remote.errors import Capacity as Capacity
    from fairground.remote.errors import Closing as Closing
    from fairground.remote.errors import EpisodeOver as EpisodeOver
    from fairground.remote.errors import RemoteError as RemoteError
    from fairground.remote.errors import SessionLost as SessionLost
    from fairground.remote.errors import TooLarge as TooLarge
    from fairground.remote.errors import Unauthorized as Unauthorized
    from fairground.remote.host import Host as Host
    from fairground.remote.host import LocalHost as LocalHost
    from fairground.remote.server import EnvironmentServer as EnvironmentServer
    from fairground.remote.trl import trl_environment as trl_environment

__all__ = [
    "AsyncClient",
    "Busy",
    "Cancelled",
    "Capacity",
    "Closing",
    "EnvironmentServer",
    "EpisodeOver",
    "Host",
    "LocalHost",
    "RemoteEnv",
    "RemoteError",
    "ServerLost",
    "SessionLost",
    "TooLarge",
    "Unauthorized",
    "open_group",
    "trl_environment",
]

# Imported on first use: a client needs no web server, and a server no client.
_LATE = {
    "AsyncClient": "async_client",
    "Busy": "errors",
    "Cancelled": "errors",
    "Capacity": "errors",
    "Closing": "errors",
    "EnvironmentServer": "server",
    "EpisodeOver": "errors",
    "Host": "host",
    "LocalHost": "host",
    "RemoteEnv": "client",
    "RemoteError": "errors",
    "ServerLost": "answers",
    "SessionLost": "errors",
    "TooLarge": "errors",
    "Unauthorized": "errors",
    "open_group": "client",
    "trl_environment": "trl",
}

__getattr__ = late_names(__name__, _LATE)
