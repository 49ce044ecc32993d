"""Data: export votes as a data set, and import votes from another arena's table after a preview."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from fairground.arena import Absent, export_votes, import_votes, preview_votes
from fairground.arena.preview import COLUMNS
from fairground.core import InvalidInput, Record
from fairground.report.html import Html, tag
from fairground.web.arena.admin_frame import ADMINS, NO_NUL, TROUBLES, AgentName, frame
from fairground.web.visit import Admin, TooLong, site_of

router = APIRouter(dependencies=ADMINS)

MAX_IMPORT: Final = 16 << 20
"""Maximum size of an imported table in bytes."""

_KEPT: Final = 20  # maximum number of uploads waiting to be imported
_KEPT_SECONDS: Final = 86_400.0

UploadId = Annotated[str, InPath(pattern="^[0-9a-f]{16}$")]
Ours = Literal["left", "right", "winner", "left_won", "right_won", "tied", "voter", "task", "category"]
Theirs = Annotated[str, Field(max_length=200)]


class Looking(Record):
    """How to read a table."""

    rename: dict[Theirs, Ours] | None = Field(None, description="Maps its columns to ours; guessed if null.")
    agents: dict[Theirs, AgentName] = Field({}, max_length=500, description="Maps its agent names to ours.")


class Taking(Looking):
    """How to read a table, and the name of the other arena."""

    name: str = Field("another arena", min_length=1, max_length=100, pattern=NO_NUL)


class Wrong(Record):
    """A row that is not a vote. Rows are counted from 1, below the header."""

    row: int
    column: str
    problem: str


class Looked(Record):
    """Preview of a table."""

    id: str
    columns: tuple[str, ...]
    rename: dict[str, str]
    missing: tuple[str, ...] = Field(description="Required columns that are missing.")
    rows: int
    first: tuple[dict[str, str], ...] = Field(description="The first rows, as they were read.")
    agents: dict[str, int]
    faults: tuple[Wrong, ...]
    wrong: int = Field(description="Total number of rows that are not votes.")
    notes: tuple[str, ...] = Field(description="How the table was read.")
    good: bool = Field(description="Whether it can be imported.")


class Taken(Record):
    """Number of imported votes; 0 if this exact file was imported before."""

    added: int


@router.get("/admin/data", include_in_schema=False)
def show(request: Request) -> Response:
    """Show the forms for export and import."""
    return frame(request, "Data", _exporting(), _importing())


@router.get(
    "/api/admin/export",
    responses={**TROUBLES, 200: {"content": {"application/octet-stream": {}}, "description": "The data set."}},
    response_class=FileResponse,
    tags=["admin"],
)
def download(
    request: Request,
    admin: Admin,
    format: Annotated[Literal["jsonl", "parquet", "csv"], Query()] = "jsonl",
    whole: bool = False,
) -> Response:
    """Download the votes that count, or with `whole` all votes with their flags. Voters are pseudonymous.

    The file names the agents. Later votes by this admin on these battles are stored but do not count.
    """
    folder = Path(tempfile.mkdtemp(prefix="fairground-export-"))
    try:
        export_votes(site_of(request).store, folder / f"votes.{format}", whole=whole, reader=admin)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        folder / f"votes.{format}",
        media_type="application/octet-stream",
        filename=f"votes.{format}",
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )


@router.post(
    "/api/admin/imports/uploads",
    status_code=201,
    responses=TROUBLES,
    tags=["admin"],
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload(request: Request) -> Looked:
    """Upload a CSV file as the request body and return a preview. Nothing is imported yet."""
    folder = site_of(request).home / "imports"
    await run_in_threadpool(_tidy, folder)
    id_ = secrets.token_hex(8)
    path = folder / f"{id_}.csv"
    try:
        with path.open("xb") as file:
            async for part in request.stream():
                if file.tell() + len(part) > MAX_IMPORT:
                    raise TooLong(f"a table may have at most {MAX_IMPORT:,} bytes", fix="split it into several files")
                file.write(part)
        return await run_in_threadpool(_looked, id_, path, None, {})
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@router.post("/api/admin/imports/{upload}/preview", responses=TROUBLES, tags=["admin"])
def look_again(request: Request, upload: UploadId, how: Looking) -> Looked:
    """Preview the same table with other settings."""
    return _looked(upload, _find(request, upload), how.rename, how.agents)


@router.post("/api/admin/imports/{upload}", responses=TROUBLES, tags=["admin"])
def take_in(request: Request, upload: UploadId, how: Taking) -> Taken:
    """Import the votes: all of them, or none if any row is not a vote."""
    path = _find(request, upload)
    looked = _looked(upload, path, how.rename, how.agents)
    if not looked.good:
        raise InvalidInput("this table cannot be imported", fix="the preview lists what is missing or wrong")
    with _unnamed(path):
        added = import_votes(
            site_of(request).store,
            path,
            name=how.name,
            rename=dict(looked.rename),
            agents=how.agents,
            recognising=False,
        )
    path.unlink(missing_ok=True)
    return Taken(added=added)


def _find(request: Request, upload: str) -> Path:
    """Look the upload up among existing files. No part of the request is used as a path."""
    for path in sorted((site_of(request).home / "imports").glob("*.csv")):
        if path.stem == upload and path.is_file() and not path.is_symlink():
            return path
    raise Absent("no such upload", fix="upload the file again")


def _looked(id_: str, path: Path, rename: Mapping[str, str] | None, agents: Mapping[str, str]) -> Looked:
    with _unnamed(path):
        preview = preview_votes(path, rename=rename, agents=agents, recognising=rename is None)
    return Looked(
        id=id_,
        columns=tuple(name[:200] for name in preview.columns),
        rename=preview.rename,
        missing=preview.missing,
        rows=preview.rows,
        first=preview.first,
        agents=preview.agents,
        faults=tuple(Wrong(row=fault.row, column=fault.column, problem=fault.problem) for fault in preview.faults),
        wrong=preview.wrong,
        notes=tuple(note.replace(str(path), "the file") for note in preview.notes),
        good=preview.good,
    )


@contextlib.contextmanager
def _unnamed(path: Path) -> Iterator[None]:
    """Remove the server's path from a message."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(error.message.replace(str(path), "the file"), fix=error.fix) from None


def _tidy(folder: Path) -> None:
    """Delete old uploads that were not imported: after a day, or when there are too many."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    uploads = sorted(folder.glob("*.csv"), key=lambda path: path.stat().st_mtime, reverse=True)
    for place, path in enumerate(uploads):
        if place >= _KEPT - 1 or time.time() - path.stat().st_mtime > _KEPT_SECONDS:
            path.unlink(missing_ok=True)


def _exporting() -> Html:
    formats = (("jsonl", "JSON lines"), ("parquet", "Parquet"), ("csv", "CSV, for spreadsheets"))
    options = [tag("option", label, value=name) for name, label in formats]
    return tag(
        "section",
        tag("h2", "Export votes"),
        tag("p", "One row per vote, with marked steps. Frames are referenced by episode folder. Voters have "
                 "pseudonyms that are only valid in this file."),
        tag("p", "The file names both agents of every battle, including battles that can still be judged. Close "
                 "those battles first, or do not show the file to judges.", class_="note odd"),
        tag("form",
            tag("label", "Format", tag("select", options, name="format")),
            tag("label", "Which votes", tag("select", tag("option", "votes that count", value="false"),
                                            tag("option", "all votes, with flags", value="true"), name="whole")),
            tag("button", "Download", type="submit"),
            action="/api/admin/export", method="get", class_="inline"),
        class_="card",
    )  # fmt: skip


def _importing() -> Html:
    return tag(
        "section",
        tag("h2", "Import votes"),
        tag("p", "A CSV file from another arena with one row per vote: two agents and a winner; voter, task and "
                 "category if known. Importing the same file again adds nothing. Unknown agents are added as "
                 "retired."),
        tag("form",
            tag("label", f"File, up to {MAX_IMPORT >> 20} MB",
                tag("input", type="file", id="file", accept=".csv,text/csv", required=True)),
            tag("button", "Preview", type="submit", class_="plain"),
            id="upload", class_="inline"),
        tag("div", id="preview", data_columns=" ".join(COLUMNS), hidden=True, aria_live="polite"),
        class_="card",
    )  # fmt: skip
