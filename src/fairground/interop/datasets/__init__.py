"""Training data from recorded episodes: fine-tuning and RL tables, ATIF trajectories, and dataset folders."""

from fairground.interop.datasets.dialects import ALIASES, Voice, voice
from fairground.interop.datasets.export import (
    Export,
    Format,
    Layout,
    Options,
    default_outcomes,
    export_dataset,
)
from fairground.interop.datasets.reading import Filters, LeftOut

__all__ = [
    "ALIASES",
    "Export",
    "Filters",
    "Format",
    "Layout",
    "LeftOut",
    "Options",
    "Voice",
    "default_outcomes",
    "export_dataset",
    "voice",
]
