"""The errors for recorded results that are not as they were written."""

from __future__ import annotations

from fairground.core import DamagedData, EpisodeError, InfrastructureError


class DamagedEpisode(DamagedData, EpisodeError):
    """An episode folder that claims to be complete and is not as it was recorded."""


class DamagedIndex(DamagedData, InfrastructureError):
    """A `run.sqlite` that cannot be read as the index of a run. Nothing was written to it."""
