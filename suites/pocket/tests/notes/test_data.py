"""Profiles and themes: large and realistic enough, the same everywhere, and readable."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from fairground_pocket import suite
from fairground_pocket.notes.profiles import PROFILES, SHARED_LABELS, read_profile
from fairground_pocket.notes.store import BODY_LENGTH, LABEL_LENGTH, NOW, TITLE_LENGTH
from fairground_pocket.notes.themes import THEMES

pytestmark = pytest.mark.conformance

READABLE = 4.5  # WCAG 2.1, level AA, for text of any size
VISIBLE = 3.0  # for what is not text


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def over(top: str, share: float, below: str) -> str:
    """A colour that lets another shine through."""
    pairs = [(int(top[start : start + 2], 16), int(below[start : start + 2], 16)) for start in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


def test_contrast_is_computed_as_wcag_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("theme", THEMES)
def test_all_text_of_a_theme_can_be_read(theme: str) -> None:
    colours = THEMES[theme]["colours"]
    pairs = [*itertools.product(("text", "muted", "danger", "accent"), ("bg", "surface"))]
    pairs += [("on-accent", "accent"), ("on-chip", "chip"), ("on-danger", "danger"), ("on-toast", "toast")]
    pairs += [("undo", "toast"), ("text", "mark")]
    found = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: round(ratio, 2) for pair, ratio in found.items() if ratio < READABLE} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_the_colours_of_labels_can_be_told_from_what_is_around_them(theme: str) -> None:
    colours, tints = THEMES[theme]["colours"], THEMES[theme]["tints"]
    assert len(set(tints)) == 8
    for tint in tints:
        if THEMES[theme]["layout"] == "cards":  # a card's ground, with text on it, and labels lighter than it
            assert contrast(colours["text"], tint) >= READABLE and contrast(colours["muted"], tint) >= READABLE
            assert contrast(colours["text"], over("#ffffff", 0.66, tint)) >= READABLE
        else:  # a dot
            assert contrast(tint, colours["chip"]) >= VISIBLE


def test_themes_differ_in_layout() -> None:
    assert len({theme["layout"] for theme in THEMES.values()}) == len(THEMES) == 3


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_large_consistent_and_always_the_same(name: str) -> None:
    profile = read_profile(name)
    assert profile == read_profile(name)
    assert 40 <= len(profile.notes) <= 120
    assert set(SHARED_LABELS) <= set(profile.labels) and len(profile.labels) == 8
    titles = [note.title for note in profile.notes]
    assert len(set(titles)) == len(titles)
    moments = [note.modified for note in profile.notes]
    assert len(set(moments)) == len(moments), "so that the oldest is one"
    for note in profile.notes:
        assert note.created <= note.modified < NOW and (note.trashed is None or note.modified < note.trashed < NOW)
        assert set(note.labels) <= set(profile.labels)
        assert note.labels == tuple(sorted(note.labels, key=profile.labels.index)), note.title
        assert note.title == note.title.strip() and 0 < len(note.title) <= TITLE_LENGTH
        assert note.body == note.body.strip() and 0 < len(note.body) <= BODY_LENGTH
        assert all(len(label) <= LABEL_LENGTH for label in note.labels)
    assert 2 <= sum(note.pinned for note in profile.notes) <= 5
    assert 2 <= sum(note.trashed is not None for note in profile.notes) <= 5


def test_profiles_are_not_alike() -> None:
    notes = [{(note.title, note.body) for note in read_profile(name).notes} for name in PROFILES]
    assert not any(one & other for one, other in itertools.combinations(notes, 2))


def test_the_suite_has_every_combination_of_its_axes() -> None:
    tasks = tuple(one for one in suite.scenarios if one.app == "notes")
    ours = replace(suite, apps=(suite.app("notes"),), scenarios=tasks)
    assert len(ours.configurations()) == (7 + 5) * 3 * 3 * 3
