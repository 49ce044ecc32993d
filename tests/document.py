"""Runs a document that became a program (`test_documents.py`): `python tests/document.py FILE`.

A line that is only a `fairground` command runs in this process, which has imported the library already; any other is
the shell's.
"""

import shlex
import subprocess
import sys
from pathlib import Path


def run_command(line: str) -> None:
    """Runs a line of a console; it must succeed."""
    words = shlex.split(line)
    if words[0] == "fairground" and not set(line) & set("|&;<>$`*?"):
        from fairground.cli import main

        status = main(words[1:])
    else:
        status = subprocess.run(line, shell=True).returncode
    if status:
        raise SystemExit(f"{line!r} failed with status {status}")


def run_document(path: Path) -> None:
    """Runs a program in a namespace of its own."""
    text = path.read_text()
    exec(compile(text, str(path), "exec"), {"__name__": "__main__", "run_command": run_command})


if __name__ == "__main__":  # worker processes of a run import this file once more
    run_document(Path(sys.argv[1]))
