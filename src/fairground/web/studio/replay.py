"""The replay of an episode: data, frames, files, and pages that show one or two episodes."""

from __future__ import annotations

import io
import re
from typing import Final
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from PIL import Image

from fairground.arena import Absent
from fairground.core import EpisodeError, Record
from fairground.report.state_changes import StateChanges, changes_section, state_changes
from fairground.rollout import EpisodeFolder
from fairground.rollout.disk import read_inside
from fairground.screen.encoding import MAX_BYTES
from fairground.web.studio.replay_archive import zipped
from fairground.web.studio.replay_data import Replay, served_replay, tree_places
from fairground.web.studio.replay_episodes import find_episode
from fairground.web.studio.replay_pages import choose_page, compare_page, replay_page


class Trouble(Record):
    """Body of an error response."""

    error: str
    fix: str | None


router = APIRouter()
_TROUBLES: Final[dict[int | str, dict[str, object]]] = {
    400: {"model": Trouble, "description": "The episode's files cannot be read"},
    404: {"model": Trouble, "description": "No such run, episode or file"},
}
_API: Final = "/api/replays/{run}/{episode}"
_FOREVER: Final = {"Cache-Control": "private, max-age=31536000, immutable"}  # a frame's URL is its content digest
_MAX_TREE: Final = 16 << 20
_THUMBNAIL: Final = (240, 240)  # maximum size in pixels: twice the display size of a thumbnail


@router.get("/replay/compare", include_in_schema=False)
def compare(request: Request, a: str = "", b: str = "", mode: str = "step") -> Response:
    """Show two episodes side by side; with only one, a list of others to choose from."""
    wanted = [_parts(name) for name in (a, b) if name]
    if not wanted:
        raise Absent("no episode to compare", fix="open a replay and press Compare there")
    episodes = [(run, episode, find_episode(request, run, episode)) for run, episode in wanted]
    if len(episodes) == 1:
        return choose_page(request, *episodes[0])
    return compare_page(request, episodes, "time" if mode == "time" else "step")


@router.get("/replay/{run}/{episode}", include_in_schema=False)
def replay(request: Request, run: str, episode: str) -> Response:
    """Show one episode, step by step."""
    return replay_page(request, run, episode, find_episode(request, run, episode))


@router.get("/replay/{run}/{episode}/changes", include_in_schema=False)
def changes_part(request: Request, run: str, episode: str) -> Response:
    """Return `changes` as HTML for the replay page, which loads it separately because it takes time."""
    section = changes_section(state_changes(find_episode(request, run, episode)))
    return Response(section.encode("utf-8", "replace"), media_type="text/html; charset=utf-8")


@router.get(_API, response_model=Replay, responses=_TROUBLES)
def data(request: Request, run: str, episode: str) -> Response:
    """Return an episode as data: every step with action, thought and times, and the verdict with evidence."""
    replayed = served_replay(find_episode(request, run, episode), f"/api/replays/{quote(run, safe='')}/{episode}")
    return Response(replayed.model_dump_json(), media_type="application/json")


@router.get(
    _API + "/frames/{digest}.png",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}, **_TROUBLES},
)
def frame(request: Request, run: str, episode: str, digest: str) -> Response:
    """Return a recorded frame of the episode."""
    folder = _with_frame(request, run, episode, digest)
    try:
        folder.frame_size(digest)  # check that it is an image
        content = read_inside(folder.path, "frames", f"{digest}.png", limit=MAX_BYTES)
    except EpisodeError as error:
        raise Absent(f"this frame no longer exists: {error.message}") from None
    return Response(content, media_type="image/png", headers=_FOREVER)


@router.get(
    _API + "/thumbnails/{digest}.webp",
    response_class=Response,
    responses={200: {"content": {"image/webp": {}}}, **_TROUBLES},
)
def thumbnail(request: Request, run: str, episode: str, digest: str) -> Response:
    """Return a thumbnail of a frame."""
    folder = _with_frame(request, run, episode, digest)
    try:
        picture = Image.fromarray(folder.frame(digest).pixels)
    except EpisodeError as error:
        raise Absent(f"this frame no longer exists: {error.message}") from None
    picture.thumbnail(_THUMBNAIL, Image.Resampling.BILINEAR, reducing_gap=2)
    content = io.BytesIO()
    picture.save(content, "WEBP", quality=70, method=0)
    return Response(content.getvalue(), media_type="image/webp", headers=_FOREVER)


@router.get(_API + "/changes", response_model=StateChanges, responses=_TROUBLES)
def changes(request: Request, run: str, episode: str) -> Response:
    """Return the semantic difference between the recorded states before and after the episode."""
    changes = state_changes(find_episode(request, run, episode))
    return Response(changes.model_dump_json(), media_type="application/json")


@router.get(
    _API + "/trees/{place}",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **_TROUBLES},
)
def tree(request: Request, run: str, episode: str, place: str) -> Response:
    """Return the accessibility tree that the agent saw before the step with this index."""
    folder = find_episode(request, run, episode)
    known = {str(place): place for place in tree_places(folder)}
    if place not in known:
        raise Absent(f"there is no accessibility tree {place[:40]!r} in this episode")
    content = read_inside(folder.path, "trees", f"{known[place]:06}.txt", limit=_MAX_TREE)
    return _text(content)


@router.get(
    _API + "/logs/{name}",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **_TROUBLES},
)
def log(request: Request, run: str, episode: str, name: str) -> Response:
    """Return the log of a stage of the episode."""
    folder = find_episode(request, run, episode)
    if name not in folder.log_names():
        raise Absent(f"there is no log {name[:80]!r} in this episode")
    return _text(folder.log(name).encode())


@router.get(
    _API + "/video",
    response_class=FileResponse,
    responses={200: {"content": {"video/mp4": {}}}, 206: {"description": "Partial content"}, **_TROUBLES},
)
def video(request: Request, run: str, episode: str) -> Response:
    """Return the episode's video, if there is one."""
    video = find_episode(request, run, episode).video
    if video is None:
        raise Absent("this episode has no video")
    return FileResponse(video, media_type="video/mp4")


@router.get(
    _API + "/download",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}}}, **_TROUBLES},
)
def download(request: Request, run: str, episode: str) -> Response:
    """Return the complete recording with a page to view it, as a zip file."""
    folder = find_episode(request, run, episode)
    name = f"{re.sub(r'[^A-Za-z0-9._-]+', '_', run).strip('._') or 'run'}-{episode}"
    headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return StreamingResponse(zipped(folder, name), media_type="application/zip", headers=headers)


def _with_frame(request: Request, run: str, episode: str, digest: str) -> EpisodeFolder:
    folder = find_episode(request, run, episode)
    if digest not in folder.digests:
        raise Absent(f"there is no frame {digest[:40]!r} in this episode")
    return folder


def _parts(text: str) -> tuple[str, str]:
    run, slash, episode = text.rpartition("/")
    if not slash:
        raise Absent(f"there is no episode {text[:80]!r}", fix="name it as RUN/EPISODE")
    return run, episode


def _text(content: bytes) -> Response:
    return Response(content, media_type="text/plain; charset=utf-8")
