"""Asking a running LibreOffice, from outside of the seat: a short-lived program inside speaks UNO for us.

What it says can be no better than what runs in the seat. So only what is nowhere else is taken from it: which documents
have unsaved changes, a copy of those, and where the user is in them.
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
"""What LibreOffice is started with, so that it can be asked."""

_PYTHON = "/usr/bin/python3"
_SECONDS = 30.0
_MOST_DOCUMENTS = 20


def open_documents(seat: Seat) -> list[dict[str, Any]]:
    """The open documents: URL, title, kind, whether modified; those that are have their content as `copy`, in ODF.

    Raises:
        AppError: When the program does not answer.
    """
    copies = f"{seat.sandbox.home}/.cache"
    found = _ask(seat, {"do": "documents", "copies": copies})
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise AppError("LibreOffice answered, but not with a list of documents")
    return found[:_MOST_DOCUMENTS]


def unsaved_copies(seat: Seat, documents: Sequence[Mapping[str, Any]]) -> dict[str, bytes]:
    """The content of the documents with unsaved changes, by their URL or title."""
    found = {}
    for one in documents:
        place = one.get("copy")
        if isinstance(place, str):
            try:
                found[str(one.get("url") or one.get("title"))] = seat.sandbox.read_file(place)
            except StateError as error:
                raise AppError(f"LibreOffice wrote no copy of {one.get('title')!r}: {error.message}") from error
    return found


def dispatch(seat: Seat, commands: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Has LibreOffice carry commands out, such as `.uno:Bold`, one after the other, on the document in front.

    Raises:
        AppError: When it refuses or does not answer.
    """
    _ask(seat, {"do": "dispatch", "commands": [[name, dict(arguments)] for name, arguments in commands]})


def call(seat: Seat, script: str, calls: Sequence[Sequence[Any]]) -> None:
    """Has LibreOffice carry calls of its programming interface out, each a name of a side's script and its arguments.

    Raises:
        AppError: When it refuses or does not answer.
    """
    _run(seat, script, {"home": seat.sandbox.home, "calls": list(calls)})


def _ask(seat: Seat, order: Mapping[str, Any]) -> Any:
    said = _run(seat, files(__package__).joinpath("uno_side.py").read_text(encoding="utf-8"), order)
    try:
        return json.loads(said)
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
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise AppError(f"LibreOffice does not answer: {said[-1][:300] if said else f'status {done.code}'}")
    return done.stdout
