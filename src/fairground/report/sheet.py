"""Contact sheet of an episode: one image with its verdict and a grid of its steps."""

from __future__ import annotations

import io
import math
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from fairground.core import Check, EpisodeError
from fairground.report.describe import describe, evidence
from fairground.report.marks import COLOUR, Box, Mark, Ring, Trail, arrow_head, caption, marks, scale
from fairground.report.outcomes import OUTCOME_LOOKS
from fairground.report.plural import counted
from fairground.report.scenes import Scene, outcome_of, scenes_of
from fairground.rollout.folder import EpisodeFolder, read_episode

WIDTH = 1600
MARGIN = 48
GAP = 24
MOST = 24  # maximum number of cells; more would be too small to read

INK, MUTED, PAPER, LINE = "#1c1b22", "#6c6a78", "#ffffff", "#dcdae4"
GOOD, BAD, ODD = (OUTCOME_LOOKS[name].light for name in ("passed", "failed", "invalid"))

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def contact_sheet(folder: EpisodeFolder | Path | str) -> bytes:
    """Return a PNG with the verdict and a grid of the steps, with actions drawn on the frames.

    A long episode is sampled evenly, and the sheet says so.
    """
    episode_folder = folder if isinstance(folder, EpisodeFolder) else read_episode(folder)
    scenes = list(scenes_of(episode_folder))
    chosen = sample(scenes, MOST)
    pictures = [_picture(episode_folder, scene) for scene in chosen]
    head = _head(episode_folder, shown=len(chosen), of=len(scenes))
    cells = _grid(chosen, pictures)
    sheet = Image.new("RGB", (WIDTH, head.height + cells.height), PAPER)
    sheet.paste(head, (0, 0))
    sheet.paste(cells, (0, head.height))
    out = io.BytesIO()
    sheet.save(out, "PNG")
    return out.getvalue()


def sample(scenes: list[Scene], most: int) -> list[Scene]:
    """Return at most this many items, evenly spaced, including the first and the last."""
    if len(scenes) <= most:
        return scenes
    return [scenes[round(place * (len(scenes) - 1) / (most - 1))] for place in range(most)]


def _head(folder: EpisodeFolder, *, shown: int, of: int) -> Image.Image:
    """Draw title and verdict on a tall image, then crop it."""
    episode = folder.episode
    checks = episode.verdict.checks if episode.verdict else ()
    room = 700 + 64 * len(checks[:30])
    image = Image.new("RGB", (WIDTH, room), PAPER)
    draw = ImageDraw.Draw(image)
    outcome = outcome_of(folder)
    y = MARGIN
    draw.text((WIDTH - MARGIN, y + 20), f"Fairground  ·  {episode.started[:10]}", MUTED, lettering(18), anchor="rm")
    y = _pill(draw, (MARGIN, y), f"{OUTCOME_LOOKS[outcome].sign} {outcome.upper()}", OUTCOME_LOOKS[outcome].light) + 20
    for line in _wrap(episode.instruction, lettering(34, bold=True), WIDTH - 2 * MARGIN, lines=3):
        draw.text((MARGIN, y), line, INK, lettering(34, bold=True))
        y += 44
    facts = [episode.configuration.id, f"agent {episode.agent}", counted(len(folder.steps), "step")]
    facts += [f"{episode.seconds:.1f} s"] if episode.seconds else []
    facts += [f"reward {episode.verdict.reward:.2f}"] if episode.verdict else []
    facts += [] if episode.fingerprint.isolated else ["not isolated"]
    facts += [f"{shown} of {of} frames shown, evenly spaced"] if shown < of else []
    y += 6
    for line in _wrap("   ·   ".join(facts), lettering(20), WIDTH - 2 * MARGIN, lines=3):
        draw.text((MARGIN, y), line, MUTED, lettering(20))
        y += 30
    problem = episode.error or "; ".join(folder.problems)
    for line in _wrap(problem, lettering(20), WIDTH - 2 * MARGIN, lines=3):
        draw.text((MARGIN, y), line, ODD, lettering(20))
        y += 30
    y += 14
    for check in checks[:30]:
        y = _check(image, y, check)
    if len(checks) > 30:
        draw.text((MARGIN, y), f"and {counted(len(checks) - 30, 'more check')}", MUTED, lettering(20))
        y += 34
    return image.crop((0, 0, WIDTH, min(y + 18, room)))


def _check(image: Image.Image, y: int, check: Check) -> int:
    draw = ImageDraw.Draw(image)
    image.paste(_tick(24, check.passed), (MARGIN, y + 1))
    left = MARGIN + 40
    name = check.name + ("  (guard)" if check.integrity else "") + ("  (weak evidence)" if check.weak else "")
    name = next(iter(_wrap(name, lettering(22), WIDTH - left - MARGIN, lines=1)), "")
    draw.text((left, y), name, INK, lettering(22))
    if check.passed:
        return y + 38
    text = f"expected {evidence(check.expected)[:200]}, found {evidence(check.found)[:200]}"
    for line in _wrap(text, lettering(19), WIDTH - left - MARGIN, lines=1):
        draw.text((left, y + 30), line, BAD, lettering(19))
    return y + 64


def _grid(scenes: list[Scene], pictures: list[Image.Image | None]) -> Image.Image:
    if not scenes:
        return Image.new("RGB", (WIDTH, 1), PAPER)
    widest = max((p.width / p.height for p in pictures if p), default=16 / 9)
    columns = min(len(scenes), _columns(widest, len(scenes)))
    width = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) // columns
    width = min(width, 720)  # limits the size of frames on a sheet with few of them
    height = min(round(width / widest), 640)
    titles = [_title(scene, width) for scene in scenes]
    label = 68 if any(second for _, second in titles) else 40
    rows = -(-len(scenes) // columns)
    image = Image.new("RGB", (WIDTH, rows * (height + label + GAP) + MARGIN), PAPER)
    draw = ImageDraw.Draw(image)
    for place, (scene, picture) in enumerate(zip(scenes, pictures, strict=True)):
        x = MARGIN + place % columns * (width + GAP)
        y = GAP + place // columns * (height + label + GAP)
        _label(draw, (x, y), scene, *titles[place])
        if picture is None:
            draw.rectangle((x, y + label, x + width, y + label + height), "#f1f0f5", LINE)
            draw.text((x + 16, y + label + 16), "this frame is missing", MUTED, lettering(18))
            continue
        fitted = picture.copy()
        fitted.thumbnail((width, height), Image.Resampling.LANCZOS)
        image.paste(fitted, (x, y + label))
        draw.rectangle((x - 1, y + label - 1, x + fitted.width, y + label + fitted.height), None, LINE)
    return image


def _columns(aspect: float, count: int) -> int:
    if aspect < 0.8:
        return 6 if count > 4 else 4
    return 2 if count <= 4 else 3 if count <= 12 else 4


def _title(scene: Scene, width: int) -> tuple[str, str]:
    """Return the action's description: beside the number, and on a second line if it is too long."""
    words = "final screen" if scene.step is None else describe(scene.step.action)
    if scene.step is not None and scene.step.refused:
        words = f"refused: {words}"
    first = next(iter(_wrap(words, lettering(18), int(width - _badge(scene) - 10), lines=1, cut=False)), "")
    return first, next(iter(_wrap(words[len(first) :], lettering(18), width, lines=1)), "")


def _badge(scene: Scene) -> float:
    return lettering(17, bold=True).getlength(_number(scene)) + 20


def _number(scene: Scene) -> str:
    return "end" if scene.step is None else str(scene.number)


def _label(draw: ImageDraw.ImageDraw, at: tuple[int, int], scene: Scene, first: str, second: str) -> None:
    x, y = at
    badge = _badge(scene)
    refused = scene.step is not None and bool(scene.step.refused)
    draw.rounded_rectangle((x, y, x + badge, y + 28), 14, ODD if refused else INK if scene.step else MUTED)
    draw.text((x + badge / 2, y + 14), _number(scene), PAPER, lettering(17, bold=True), anchor="mm")
    draw.text((x + badge + 10, y + 3), first, ODD if refused else INK, lettering(18))
    draw.text((x, y + 36), second, ODD if refused else INK, lettering(18))


def _picture(folder: EpisodeFolder, scene: Scene) -> Image.Image | None:
    try:
        image = Image.fromarray(folder.frame(scene.frame).pixels)
    except EpisodeError:
        if folder.complete:
            raise
        return None
    # Drawn at twice the size of a cell and reduced later, for smooth lines.
    factor = min(1.0, 1440 / image.width, 1280 / image.height)
    size = image.size
    if factor < 1:
        image = image.resize(
            (max(1, round(size[0] * factor)), max(1, round(size[1] * factor))), Image.Resampling.LANCZOS
        )
    if scene.step is not None:
        draw = ImageDraw.Draw(image)
        if not scene.step.refused:
            for mark in marks(scene.step.action, size, scene.cursor):
                _draw_mark(draw, mark, factor, 1.6 * scale(size) * factor)
        if words := caption(scene.step.action, limit=36):
            _draw_caption(draw, image.size, words)
    return image


def _draw_mark(draw: ImageDraw.ImageDraw, mark: Mark, factor: float, unit: float) -> None:
    for colour, more in ((PAPER, 3.0), (COLOUR, 0.0)):  # white outline
        wide = max(1, round((5 + more) * unit))
        match mark:
            case Ring():
                x, y = (value * factor for value in mark.at)
                for turn in range(mark.count):
                    radius = (20 + 11 * turn) * unit + wide / 2
                    draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=colour, width=wide)
                dot = (4 + more / 2) * unit
                draw.ellipse((x - dot, y - dot, x + dot, y + dot), fill=colour)
            case Trail():
                points = tuple((x * factor, y * factor) for x, y in mark.points)
                draw.line(points, colour, wide, joint="curve")
                if head := arrow_head(points, (24 + more) * unit):
                    draw.polygon(head, colour)
            case Box():
                left, top, right, bottom = (value * factor for value in mark.region)
                draw.rectangle((left, top, right, bottom), outline=colour, width=wide)


def _draw_caption(draw: ImageDraw.ImageDraw, size: tuple[int, int], words: str) -> None:
    font = lettering(max(10, round(math.hypot(*size) / 32)), bold=True)
    words = next(iter(_wrap(words, font, round(size[0] * 0.86), lines=1)), "")
    width = draw.textlength(words, font)
    x, y = size[0] / 2, size[1] * 0.9
    tall = font.size * 0.95 if isinstance(font, ImageFont.FreeTypeFont) else 12
    box = (x - width / 2 - tall, y - tall, x + width / 2 + tall, y + tall)
    draw.rounded_rectangle(box, tall, INK, PAPER, max(1, round(tall / 12)))
    draw.text((x, y), words, PAPER, font, anchor="mm")


def _pill(draw: ImageDraw.ImageDraw, at: tuple[int, int], words: str, colour: str) -> int:
    font = lettering(20, bold=True)
    width = draw.textlength(words, font)
    draw.rounded_rectangle((at[0], at[1], at[0] + width + 36, at[1] + 40), 20, colour)
    draw.text((at[0] + 18 + width / 2, at[1] + 20), words, PAPER, font, anchor="mm")
    return at[1] + 40


@lru_cache(maxsize=4)
def _tick(size: int, good: bool) -> Image.Image:
    # Drawn large and reduced, because Pillow's lines are not antialiased.
    big = Image.new("RGB", (size * 4, size * 4), PAPER)
    pen = ImageDraw.Draw(big)
    pen.ellipse((0, 0, size * 4 - 1, size * 4 - 1), GOOD if good else BAD)
    s = size * 4 / 24
    paths = [[(6.5, 12.5), (10.5, 16.5), (17.5, 8.5)]] if good else [[(8, 8), (16, 16)], [(16, 8), (8, 16)]]
    for path in paths:
        pen.line([(x * s, y * s) for x, y in path], PAPER, round(2.4 * s), joint="curve")
    return big.resize((size, size), Image.Resampling.LANCZOS)


def _wrap(words: str, font: Font, width: int, *, lines: int, cut: bool = True) -> list[str]:
    """Wrap text to a width. With `cut`, the last line ends in an ellipsis if there is more."""
    words = " ".join(words.split())[:2000]
    wrapped: list[str] = []
    while words and len(wrapped) < lines:
        count = _fitting(words, font, width)
        if count < len(words):
            space = words.rfind(" ", 0, count + 1)
            count = space if space > count // 2 else count
        wrapped.append(words[:count].strip())
        words = words[count:].strip()
    if words and wrapped and cut:
        last = wrapped[-1]
        while last and font.getlength(last + "…") > width:
            last = last[:-1]
        wrapped[-1] = last.rstrip() + "…"
    return wrapped


def _fitting(words: str, font: Font, width: int) -> int:
    low, high = 1, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if font.getlength(words[:middle]) <= width else (low, middle - 1)
    return low


@lru_cache(maxsize=64)
def lettering(size: int, *, bold: bool = False) -> Font:
    """Return the font for images at a size."""
    try:
        return ImageFont.truetype("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf", size)
    except OSError:
        return ImageFont.load_default(size)  # Pillow's built-in font; covers fewer scripts
