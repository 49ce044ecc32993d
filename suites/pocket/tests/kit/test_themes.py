from __future__ import annotations

import re

import pytest

from fairground_pocket.kit.shell import FILES
from fairground_pocket.kit.themes import TEXTS, THEMES, contrast, pairs


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_stands_off_from_its_ground(theme: str) -> None:
    weak = {(text, ground): round(value, 2) for text, ground, value in pairs(theme) if value < 4.5}
    assert not weak


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21) and contrast("#777777", "#ffffff") == pytest.approx(
        4.478, abs=1e-3
    )


def test_themes_differ_in_more_than_colour() -> None:
    shapes = [(tuple(theme["layout"].values()), tuple(theme["type"].values())) for theme in THEMES.values()]
    assert len(THEMES) == 10 and len(set(shapes)) == 10
    for aspect in ("nav", "list", "bar", "icons", "density"):
        assert len({theme["layout"][aspect] for theme in THEMES.values()}) >= 3
    assert {theme["scheme"] for theme in THEMES.values()} == {"light", "dark"}


def test_the_style_sheet_uses_only_colours_that_are_tested() -> None:
    css, _ = FILES["/kit/style.css"]
    rules = css[css.index("/*") :]
    known = {colour for theme in THEMES.values() for colour in theme["colours"]}
    tested = {colour for pair in TEXTS for colour in pair} | {"line", "tint", "hero", "on-hero"}
    sizes = {"font", "title", "size", "r", "gap", "rail", "low"}
    used = set(re.findall(r"var\(--([\w-]+)\)", rules))
    stand_ins = {"tint", "hero", "on-hero", "apart"}
    assert used <= known | sizes | stand_ins
    heroes = re.findall(r"--hero: var\(--([\w-]+)\); --on-hero: var\(--([\w-]+)\)", rules)
    assert len(heroes) == rules.count("--hero:") and {(text, ground) for ground, text in heroes} <= set(TEXTS)
    assert {name for name in re.findall(r"[^-]color: var\(--([\w-]+)\)", rules)} <= tested
    assert not re.search(r"#[0-9a-f]{3,6}\b", rules), "a colour that no theme knows"
    assert "url(" not in css and "@import" not in css and "http" not in css
