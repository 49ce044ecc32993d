"""File uploads for the desktops of a battle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, File, Request, UploadFile

from fairground.arena import Refused
from fairground.arena.preparing_uploads import MAX_FILE, MAX_FILES
from fairground.core import InvalidInput
from fairground.web.arena.models import Uploaded, UploadedFiles
from fairground.web.trouble import REFUSED, Trouble
from fairground.web.visit import Judge, TooLong, site_of

router = APIRouter(tags=["arena"])
_CHUNK = 1 << 20
_TROUBLES = {
    **REFUSED,
    403: {"model": Trouble, "description": "Not allowed for this person"},
    413: {"model": Trouble, "description": "Too large"},
    503: {"model": Trouble, "description": "No space left"},
}


@router.post("/api/uploads", status_code=201, responses=_TROUBLES)
def upload(request: Request, person: Judge, files: Annotated[list[UploadFile], File(min_length=1)]) -> UploadedFiles:
    """Store uploaded files, up to 20 of 32 MB each. The server stores them unchanged and never opens them."""
    if not person.consented:
        raise Refused("you cannot upload files yet", fix="agree to the use of votes and tasks first")
    if len(files) > MAX_FILES:
        raise InvalidInput(f"{len(files)} files; at most {MAX_FILES} can be uploaded at once")
    if any((file.size or 0) > MAX_FILE for file in files):
        raise TooLong(f"a file may have at most {MAX_FILE >> 20} MB")
    uploads = site_of(request).contests.uploads
    uploaded = [uploads.keep(person.id, file.filename or "file", _parts(file)) for file in files]
    return UploadedFiles(files=[Uploaded(id=upload.id, name=upload.name, size=upload.size) for upload in uploaded])


def _parts(file: UploadFile) -> Iterator[bytes]:
    while part := file.file.read(_CHUNK):
        yield part
