"""One attempt, carried out and written down: the episode loop, the recorder, the episode folder."""

from fairground.rollout.folder import EpisodeFolder, read_episode
from fairground.rollout.loop import run_episode
from fairground.rollout.recorder import Recorder

__all__ = ["EpisodeFolder", "Recorder", "read_episode", "run_episode"]
