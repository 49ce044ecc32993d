"""Data: votes out as a data set, and in from another arena's table, which is looked at before anything is taken."""

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
"""Bytes of a table that is taken in."""

_KEPT: Final = 20  # uploads that wait to be taken in
_KEPT_SECONDS: Final = 86_400.0

UploadId = Annotated[str, InPath(pattern="^[0-9a-f]{16}$")]
Ours = Literal["left", "right", "winner", "left_won", "right_won", "tied", "voter", "task", "category"]
Theirs = Annotated[str, Field(max_length=200)]


class Looking(Record):
    """How a table is to be read."""

    rename: dict[Theirs, Ours] | None = Field(None, description="What its columns are called here; guessed if null.")
    agents: dict[Theirs, AgentName] = Field({}, max_length=500, description="What its agents are called here.")


class Taking(Looking):
    """The same, and what the other arena is called."""

    name: str = Field("another arena", min_length=1, max_length=100, pattern=NO_NUL)


class Wrong(Record):
    """A row that is no vote; rows are counted from 1, below the header."""

    row: int
    column: str
    problem: str


class Looked(Record):
    """What was understood of a table."""

    id: str
    columns: tuple[str, ...]
    rename: dict[str, str]
    missing: tuple[str, ...] = Field(description="What it needs and has not.")
    rows: int
    first: tuple[dict[str, str], ...] = Field(description="The first rows, as they are understood.")
    agents: dict[str, int]
    faults: tuple[Wrong, ...]
    wrong: int = Field(description="How many rows are not votes, in all.")
    notes: tuple[str, ...] = Field(description="How it was understood.")
    good: bool = Field(description="Whether it can be taken in.")


class Taken(Record):
    """How many votes came in; none when the very file was taken in before."""

    added: int


@router.get("/admin/data", include_in_schema=False)
def show(request: Request) -> Response:
    """Forms for data out and in."""
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
    """The votes that count, or with `whole` all of them with their flags; people are told apart, not named.

    The file names the agents. So what this admin votes on these battles afterwards is kept and does not count.
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
    """Takes a CSV file, as the body, and says what was understood of it; nothing is counted yet."""
    folder = site_of(request).home / "imports"
    await run_in_threadpool(_tidy, folder)
    id_ = secrets.token_hex(8)
    path = folder / f"{id_}.csv"
    try:
        with path.open("xb") as file:
            async for part in request.stream():
                if file.tell() + len(part) > MAX_IMPORT:
                    raise TooLong(f"a table has at most {MAX_IMPORT:,} bytes", fix="cut it into several")
                file.write(part)
        return await run_in_threadpool(_looked, id_, path, None, {})
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@router.post("/api/admin/imports/{upload}/preview", responses=TROUBLES, tags=["admin"])
def look_again(request: Request, upload: UploadId, how: Looking) -> Looked:
    """The same table read otherwise."""
    return _looked(upload, _find(request, upload), how.rename, how.agents)


@router.post("/api/admin/imports/{upload}", responses=TROUBLES, tags=["admin"])
def take_in(request: Request, upload: UploadId, how: Taking) -> Taken:
    """Takes the votes in: all of them, or, when a row is no vote, none."""
    path = _find(request, upload)
    looked = _looked(upload, path, how.rename, how.agents)
    if not looked.good:
        raise InvalidInput("this table cannot be taken in", fix="see its preview for what is missing or wrong")
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
    """Looked up among what is there: nothing of a request becomes a path."""
    for path in sorted((site_of(request).home / "imports").glob("*.csv")):
        if path.stem == upload and path.is_file() and not path.is_symlink():
            return path
    raise Absent("there is no such upload", fix="send the file again")


def _looked(id_: str, path: Path, rename: Mapping[str, str] | None, agents: Mapping[str, str]) -> Looked:
    with _unnamed(path):
        found = preview_votes(path, rename=rename, agents=agents, recognising=rename is None)
    return Looked(
        id=id_,
        columns=tuple(name[:200] for name in found.columns),
        rename=found.rename,
        missing=found.missing,
        rows=found.rows,
        first=found.first,
        agents=found.agents,
        faults=tuple(Wrong(row=one.row, column=one.column, problem=one.problem) for one in found.faults),
        wrong=found.wrong,
        notes=tuple(note.replace(str(path), "the file") for note in found.notes),
        good=found.good,
    )


@contextlib.contextmanager
def _unnamed(path: Path) -> Iterator[None]:
    """Where the server keeps its files is nobody's business."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(error.message.replace(str(path), "the file"), fix=error.fix) from None


def _tidy(folder: Path) -> None:
    """Uploads that nobody took in go after a day, or when there are too many."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = sorted(folder.glob("*.csv"), key=lambda path: path.stat().st_mtime, reverse=True)
    for place, path in enumerate(found):
        if place >= _KEPT - 1 or time.time() - path.stat().st_mtime > _KEPT_SECONDS:
            path.unlink(missing_ok=True)


def _exporting() -> Html:
    formats = (("jsonl", "JSON lines"), ("parquet", "Parquet"), ("csv", "CSV, for spreadsheets"))
    options = [tag("option", said, value=name) for name, said in formats]
    return tag(
        "section",
        tag("h2", "Votes out"),
        tag("p", "One row a vote, with marks of steps; frames are named by their episodes' folders. Voters are told "
                 "apart by numbers that mean nothing elsewhere."),
        tag("p", "It names both agents of every battle, also where people may still judge: close those battles first, "
                 "or keep it from judges.", class_="note odd"),
        tag("form",
            tag("label", "Format", tag("select", options, name="format")),
            tag("label", "Which votes", tag("select", tag("option", "those that count", value="false"),
                                            tag("option", "all, with their flags", value="true"), name="whole")),
            tag("button", "Download", type="submit"),
            action="/api/admin/export", method="get", class_="inline"),
        class_="card",
    )  # fmt: skip


def _importing() -> Html:
    return tag(
        "section",
        tag("h2", "Votes in"),
        tag("p", "A CSV file of another arena, one row a vote: two agents and a winner; voter, task and category where "
                 "known. A file that was taken in before adds nothing. Agents that are not known here come in as "
                 "retired."),
        tag("form",
            tag("label", f"File, at most {MAX_IMPORT >> 20} MB",
                tag("input", type="file", id="file", accept=".csv,text/csv", required=True)),
            tag("button", "Look at it", type="submit", class_="plain"),
            id="upload", class_="inline"),
        tag("div", id="preview", data_columns=" ".join(COLUMNS), hidden=True, aria_live="polite"),
        class_="card",
    )  # fmt: skip
