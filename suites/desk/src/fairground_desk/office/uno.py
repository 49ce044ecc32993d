"""Queries to a running LibreOffice from outside of the seat, through a short-lived UNO program inside it.

Answers are only as trustworthy as the programs in the seat. So we use them only for what is nowhere else: which
documents have unsaved changes, copies of those, and where the user is in them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from fairground.core import AppError, FairgroundError, StateError
from fairground.worlds import Seat

PIPE = "desk"
ACCEPT = f"--accept=pipe,name={PIPE};urp;StarOffice.ComponentContext"
"""LibreOffice option that enables queries over UNO."""

_PYTHON = "/usr/bin/python3"
_SECONDS = 30.0
_MOST_DOCUMENTS = 20


def open_documents(seat: Seat) -> list[dict[str, Any]]:
    """Return the open documents: URL, title, kind, whether modified. Modified ones have the path of an ODF `copy`.

    Raises:
        AppError: LibreOffice does not answer.
    """
    copies = f"{seat.sandbox.home}/.cache"
    answer = _ask(seat, {"do": "documents", "copies": copies})
    if not isinstance(answer, list) or not all(isinstance(entry, dict) for entry in answer):
        raise AppError("LibreOffice answered, but not with a list of documents")
    return answer[:_MOST_DOCUMENTS]


def unsaved_copies(seat: Seat, documents: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """Return the content of the documents with unsaved changes, by URL or title."""
    copies = {}
    for document in documents:
        place = document.get("copy")
        if isinstance(place, str):
            try:
                copies[str(document.get("url") or document.get("title"))] = seat.sandbox.read_file(place)
            except StateError as error:
                raise AppError(f"LibreOffice wrote no copy of {document.get('title')!r}: {error.message}") from error
    return copies


def dispatch(seat: Seat, commands: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Carry out commands such as `.uno:Bold`, in order, on the active document.

    Raises:
        AppError: LibreOffice refuses a command or does not answer.
    """
    _ask(seat, {"do": "dispatch", "commands": [[name, dict(arguments)] for name, arguments in commands]})


def call(seat: Seat, script: str, calls: Sequence[Sequence[Any]]) -> None:
    """Carry out calls of the programming interface, each a function of a side script and its arguments.

    Raises:
        AppError: LibreOffice refuses a call or does not answer.
    """
    _run(seat, script, {"home": seat.sandbox.home, "calls": list(calls)})


def _ask(seat: Seat, order: Mapping[str, Any]) -> Any:
    output = _run(seat, files(__package__).joinpath("uno_side.py").read_text(encoding="utf-8"), order)
    try:
        return json.loads(output)
    except ValueError as error:
        raise AppError(f"LibreOffice's answer is not JSON: {error}") from None


def _run(seat: Seat, script: str, order: Mapping[str, Any]) -> bytes:
    given = json.dumps({"pipe": PIPE, **order}).encode()
    argv = [_PYTHON, "-I", "-c", script]
    try:
        done = seat.sandbox.run(argv, env=seat.env, input=given, timeout=_SECONDS, check=False)
    except FairgroundError as error:
        raise AppError(f"LibreOffice does not answer: {error.message}") from error
    if done.code != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise AppError(f"LibreOffice does not answer: {lines[-1][:300] if lines else f'status {done.code}'}")
    return done.stdout
