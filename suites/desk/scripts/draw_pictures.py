"""Draws the pictures of the desk's profiles for which no free photograph is at hand; the same pixels every time.

Run in the repository: `python suites/desk/scripts/draw_pictures.py`. The files are kept, because another version of a
picture library would encode them differently.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

APPS = Path(__file__).parents[1] / "src" / "fairground_desk"
FINE = 4  # drawn so many times larger, then reduced, for smooth edges

Heights = NDArray[np.float64]

_WORDS = (
    "The stair behind the chapel has forty-one steps, and the lowest nine are covered by every spring flood. In the "
    "year of the high water the sexton marked the wall with chalk and wrote the date below. Rain has taken the chalk, "
    "but the stone beneath it stayed lighter than the rest, so that the line can be seen to this day."
)


def main() -> None:
    """Writes all of them."""
    surface = moon()
    _save(surface.resize((400, 300)), "gimp/data/moon.jpg")
    _save(surface.resize((320, 240)), "impress/data/moon.jpg")
    _save(_small(surface), "impress/data/edited/moon.png")
    _save(surface.crop((0, 40, 800, 573)).resize((300, 200)), "inkscape/data/moon.jpg")
    _save(page(), "gimp/data/page.jpg")
    route = town_map()
    _save(route, "impress/data/delivery-route.jpg")
    _save(_small(route), "impress/data/edited/delivery-route.png")


def moon(width: int = 800, height: int = 600, seed: int = 11) -> Image.Image:
    """A plain with craters in low sunlight from the left."""
    chance = np.random.default_rng(seed)
    ground = _rough(chance, height, width) * 3.0
    y, x = np.mgrid[:height, :width]
    for radius in np.sort(np.minimum(4.0 / chance.random(170) ** 0.75, 74.0))[::-1]:
        across, down = chance.random(2) * (width, height)
        far = np.hypot(x - across, y - down) / radius
        bowl = np.where(far < 1, far**2 - 1, 0.0) * 0.42
        rim = np.exp(-(((far - 1) / 0.22) ** 2)) * 0.2
        ground = ground + (bowl + rim) * radius * 0.55
    slope_down, slope_across = np.gradient(ground)
    light = (0.42 + 0.9 * slope_across + 0.3 * slope_down) / np.sqrt(1 + slope_across**2 + slope_down**2)
    shade = np.clip(light, 0.03, 1.0) ** 0.8 * 225 + chance.normal(0, 2.5, ground.shape)
    grey = np.clip(shade, 0, 255).astype(np.uint8)
    return Image.fromarray(np.dstack([grey] * 3))


def page(width: int = 384, height: int = 191) -> Image.Image:
    """A printed page, photographed by lamplight from one side."""
    large = (width * FINE, height * FINE)
    paper = Image.new("L", large, 255)
    draw = ImageDraw.Draw(paper)
    heading, body = (ImageFont.truetype(f"DejaVuSerif{kind}.ttf", size) for kind, size in (("-Bold", 68), ("", 46)))
    draw.text((70, 50), "The flood of the old harbour", font=heading, fill=45)
    draw.line((70, 150, large[0] - 70, 150), fill=120, width=4)
    draw.multiline_text((70, 180), "\n".join(textwrap.wrap(_WORDS, 54)), font=body, fill=60, spacing=30)
    turned = paper.rotate(0.9, Image.Resampling.BICUBIC, fillcolor=255).resize(
        (width, height), Image.Resampling.LANCZOS
    )
    y, x = np.mgrid[:height, :width]
    light = 0.94 - 0.3 * (x / width) ** 2 - 0.14 * (y / height)
    grain = np.random.default_rng(3).normal(0, 3.0, light.shape)
    grey = np.clip(np.asarray(turned, float) * light + grain, 0, 255).astype(np.uint8)
    return Image.fromarray(np.dstack([grey] * 3))


def town_map(width: int = 320, height: int = 240) -> Image.Image:
    """Streets, a park and a river, with a way through them and its stops."""
    picture = Image.new("RGB", (width * FINE, height * FINE), (240, 236, 226))
    draw = ImageDraw.Draw(picture)
    draw.polygon([_at(*spot) for spot in ((196, 22), (300, 10), (310, 92), (212, 104))], fill=(196, 222, 180))
    river = [(x, 196 + 16 * np.sin(x / 46.0)) for x in range(-10, 341, 10)]
    draw.line([_at(*spot) for spot in river], fill=(160, 199, 226), width=26 * FINE, joint="curve")
    for number in range(9):  # streets up and down, then across; every third is a main road
        main_road = number % 3 == 1
        colour, wide = ((250, 214, 130), 7) if main_road else ((255, 255, 255), 4)
        left, top = 8 + number * 39, 6 + number * 29
        draw.line([_at(left, -5), _at(left + 22, 245)], fill=colour, width=wide * FINE)
        draw.line([_at(-5, top), _at(325, top - 18)], fill=colour, width=wide * FINE)
    stops = [(51, 32), (62, 118), (143, 113), (150, 170), (232, 165), (226, 104), (305, 99)]
    draw.line([_at(*spot) for spot in stops], fill=(198, 58, 48), width=5 * FINE, joint="curve")
    for number, (x, y) in enumerate(stops):
        wide = 7 if number in (0, len(stops) - 1) else 5
        draw.ellipse([*_at(x - wide, y - wide), *_at(x + wide, y + wide)], fill=(255, 255, 255),
                     outline=(198, 58, 48), width=2 * FINE)  # fmt: skip
    return picture.filter(ImageFilter.GaussianBlur(1)).resize((width, height), Image.Resampling.LANCZOS)


def _rough(chance: np.random.Generator, height: int, width: int) -> Heights:
    """Heights of ground that is rough at every scale, with a spread of 1."""
    down, across = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :]
    far = np.hypot(down, across)
    far[0, 0] = 1.0
    found = np.fft.irfft2(np.fft.rfft2(chance.normal(size=(height, width))) / far**1.9, s=(height, width))
    spread: Heights = (found - found.mean()) / found.std()
    return spread


def _at(x: float, y: float) -> tuple[int, int]:
    return round(x * FINE), round(y * FINE)


def _small(picture: Image.Image) -> Image.Image:
    """As somebody has edited it: smaller, in grey, with 16 shades."""
    grey = picture.convert("L").resize((96, 72), Image.Resampling.LANCZOS)
    return grey.point([shade // 16 * 17 for shade in range(256)])


def _save(picture: Image.Image, place: str) -> None:
    picture.save(APPS / place, **({"quality": 80} if place.endswith(".jpg") else {"optimize": True}))


if __name__ == "__main__":
    main()
