"""The `fairground` command line: one module per command, `--json` everywhere, errors that state a fix."""

from fairground.cli.main import main

__all__ = ["main"]
