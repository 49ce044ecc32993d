"""Runs a program that `test_documents.py` made from a document: `python tests/document.py FILE`.

A line with a single `fairground` command runs in this process, which has already imported the library. The line may end
with `> FILE` or `|| [ $? = STATUS ]`. All other lines run in a shell.
"""

import contextlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

_OURS = re.compile(r"fairground (?P<words>[^|&;<>$`*?]+?)(?: > (?P<file>[\w.]+)| \|\| \[ \$\? = (?P<status>\d+) \])?")


def run_command(line: str) -> None:
    """Run one console line.

    Raises:
        SystemExit: The command failed.
    """
    if ours := _OURS.fullmatch(line):
        from fairground.cli import main

        with contextlib.ExitStack() as stack:
            if ours["file"]:
                stack.enter_context(contextlib.redirect_stdout(stack.enter_context(open(ours["file"], "w"))))
            status = main(shlex.split(ours["words"]))
        if ours["status"] and status == int(ours["status"]):
            status = 0
    else:
        status = subprocess.run(line, shell=True).returncode
    if status:
        raise SystemExit(f"{line!r} failed with status {status}")


def run_document(path: Path) -> None:
    """Run a program in a new namespace."""
    text = path.read_text()
    exec(compile(text, str(path), "exec"), {"__name__": "__main__", "run_command": run_command})


if __name__ == "__main__":  # worker processes of a run import this file again
    run_document(Path(sys.argv[1]))
