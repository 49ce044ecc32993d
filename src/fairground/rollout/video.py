"""Make the video of an episode with ffmpeg, from frames sent over a pipe."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from fairground.core import InfrastructureError, MissingPrerequisite
from fairground.rollout.disk import sync, writing

if TYPE_CHECKING:
    from fairground.core import Frame, Pixels

TICK = 0.25
"""Duration of one video frame in seconds. Four per second are enough for a screen that changes in steps."""
SHORTEST, LONGEST = 0.75, 2.0
"""A step is shown for the time it took, within these limits in seconds."""
FULL_LENGTH = 180.0
"""Target length in seconds. A longer episode is played faster."""


@dataclass(frozen=True)
class Shot:
    """One frame of the video and its duration. `load` is called when it is needed."""

    load: Callable[[], Frame]
    size: tuple[int, int]
    seconds: float


def hold_times(times: Sequence[float]) -> list[float]:
    """Return how long to show each frame, given when it was taken: real time, compressed.

    Waiting times are cut to two seconds. Quick steps are slowed down until each can be seen. Long episodes are
    shortened to about three minutes, but every step is shown.
    """
    gaps = [later - earlier for earlier, later in pairwise(times)]
    holds = [min(max(gap, SHORTEST), LONGEST) for gap in gaps] + [LONGEST] * bool(times)
    faster = max(1.0, sum(holds) / FULL_LENGTH)
    return [max(TICK, round(hold / faster / TICK) * TICK) for hold in holds]


def write_video(shots: Sequence[Shot], target: Path) -> None:
    """Write an H.264 video that browsers can play.

    Frames of different sizes are padded to the largest size, rounded up to even numbers.

    Raises:
        MissingPrerequisite: If ffmpeg is not installed.
        InfrastructureError: If ffmpeg fails or hangs. Nothing is left at `target`.
    """
    program = shutil.which("ffmpeg")
    if program is None:
        raise MissingPrerequisite("ffmpeg is not installed", fix="apt-get install -y ffmpeg")
    if not shots:
        raise InfrastructureError("a video needs at least one frame, got none")
    width, height = (_even(max(shot.size[side] for shot in shots)) for side in (0, 1))
    draft = target.with_name(f".{target.name}.tmp")
    try:
        _encode(program, _pictures(shots, width, height), (width, height), draft, deadline=60 + len(shots))
        with writing(target):
            sync(draft)
            draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _even(side: int) -> int:
    # Colour is stored for blocks of 2x2 pixels, so sides must be even. The encoder needs a minimum size.
    return max(side + side % 2, 16)


def _pictures(shots: Iterable[Shot], width: int, height: int) -> Iterable[Pixels]:
    import numpy as np

    for shot in shots:
        pixels = shot.load().pixels
        if pixels.shape[:2] != (height, width):
            padded = np.zeros((height, width, 3), np.uint8)
            padded[: pixels.shape[0], : pixels.shape[1]] = pixels
            pixels = padded
        pixels = np.ascontiguousarray(pixels)
        for _ in range(max(1, round(shot.seconds / TICK))):
            yield pixels


def _encode(program: str, pictures: Iterable[Pixels], size: tuple[int, int], target: Path, *, deadline: float) -> None:
    argv = [
        program, "-hide_banner", "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", f"{size[0]}x{size[1]}", "-framerate", f"{1 / TICK:g}",
        "-i", "pipe:0", "-an",
        # The colour space that players assume for video; the default would tint everything slightly.
        "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
        "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
        "-c:v", "libx264", "-preset", "veryfast", "-tune", "stillimage", "-crf", "22", "-threads", "2",
        "-movflags", "+faststart", "-f", "mp4", str(target),
    ]  # fmt: skip
    with tempfile.TemporaryFile() as messages:
        try:
            process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=messages, stderr=messages)
        except OSError as error:
            raise InfrastructureError(f"ffmpeg could not be started: {error}") from error
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        watch = threading.Timer(deadline, stop)
        watch.daemon = True
        watch.start()
        assert process.stdin is not None
        try:
            with suppress(BrokenPipeError):  # ffmpeg ended early; its exit status and messages say why
                for picture in pictures:
                    process.stdin.write(picture.data)
            with suppress(BrokenPipeError):
                process.stdin.close()
            code = process.wait()
        finally:
            watch.cancel()
            process.kill()
            process.wait()
            with suppress(BrokenPipeError):
                process.stdin.close()
        if late.is_set():
            raise InfrastructureError(f"ffmpeg did not finish within {deadline:.0f} s")
        if code != 0:
            messages.seek(0)
            output = messages.read(100_000).decode("utf-8", "replace").strip()[-2000:]
            raise InfrastructureError(f"ffmpeg ended with status {code}: {output or 'no output'}")
