"""The command line: one file a command, `--json` on every one, errors that say what to do."""

from fairground.cli.main import main

__all__ = ["main"]
