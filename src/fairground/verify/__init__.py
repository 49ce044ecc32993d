"""From what was recorded to a verdict: checks, safe readers of untrusted files, judging.

Scenarios use the checks and readers; the environment uses `judge`. Imports `worlds` and below.
"""

from fairground.verify.judging import judge

__all__ = ["judge"]
