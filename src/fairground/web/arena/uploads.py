"""Files that people send for the desktops of a battle."""

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
    403: {"model": Trouble, "description": "Not for this person"},
    413: {"model": Trouble, "description": "Too much"},
    503: {"model": Trouble, "description": "There is no place for it"},
}


@router.post("/api/uploads", status_code=201, responses=_TROUBLES)
def upload(request: Request, person: Judge, files: Annotated[list[UploadFile], File(min_length=1)]) -> UploadedFiles:
    """Takes files in, at most 20 of 32 MB each. They are kept as they are, and opened by nothing on this machine."""
    if not person.consented:
        raise Refused("you cannot upload files yet", fix="agree to what becomes of votes and tasks first")
    if len(files) > MAX_FILES:
        raise InvalidInput(f"{len(files)} files; at most {MAX_FILES} can be sent at once")
    if any((one.size or 0) > MAX_FILE for one in files):
        raise TooLong(f"a file may have {MAX_FILE >> 20} MB")
    uploads = site_of(request).contests.uploads
    kept = [uploads.keep(person.id, one.filename or "file", _parts(one)) for one in files]
    return UploadedFiles(files=[Uploaded(id=one.id, name=one.name, size=one.size) for one in kept])


def _parts(file: UploadFile) -> Iterator[bytes]:
    while part := file.file.read(_CHUNK):
        yield part
