"""Errors for recorded results that changed after they were written."""

from __future__ import annotations

from fairground.core import DamagedData, EpisodeError, InfrastructureError


class DamagedEpisode(DamagedData, EpisodeError):
    """An episode folder that is marked complete but differs from what was recorded."""


class DamagedIndex(DamagedData, InfrastructureError):
    """A `run.sqlite` that cannot be read as the index of a run. Nothing was written to it."""
