"""Presentations: those that nobody honest would write, and those that LibreOffice wrote."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading.odp import MIMETYPE, read_odp
from fairground.verify.reading.pptx import read_pptx
from fairground.verify.reading.slides import Deck, Slide, deck_leaves

from .books import NAMESPACES, pack
from .office import changed, entries, make, repack

pytestmark = pytest.mark.process

MORE = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{full}:1.0"'
    for short, full in (
        ("draw", "drawing"),
        ("presentation", "presentation"),
        ("anim", "animation"),
        ("svg", "svg-compatible"),
        ("smil", "smil-compatible"),
    )
)


def odp(pages: str, mimetype: str = MIMETYPE) -> bytes:
    text = (
        f"<office:document-content {NAMESPACES} {MORE}><office:body><office:presentation>{pages}"
        "</office:presentation></office:body></office:document-content>"
    )
    return pack({"mimetype": mimetype, "content.xml": text})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("slides")
    make("slides", made)
    return made


@pytest.fixture(scope="module")
def account(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "account.json").read_text())
    return found


@pytest.fixture(scope="module")
def rich(folder: Path) -> dict[str, Deck]:
    return {
        "odp": read_odp((folder / "rich.odp").read_bytes()),
        "pptx": read_pptx((folder / "rich.pptx").read_bytes()),
    }


@pytest.fixture(params=["odp", "pptx"])
def deck(request: pytest.FixtureRequest, rich: dict[str, Deck]) -> Deck:
    return rich[request.param]


# Those that nobody honest writes


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"GIF89a", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), pack({"a": "b"}), odp("")[:200]],
    ids=["empty", "stub", "picture", "encrypted or old", "other container", "truncated"],
)
@pytest.mark.parametrize("read", [read_odp, read_pptx])
def test_what_is_no_presentation_is_refused(read: Callable[[bytes], Deck], data: bytes) -> None:
    with pytest.raises(StateError):
        read(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (odp("", mimetype="application/vnd.oasis.opendocument.text"), "mimetype"),
        (pack({"mimetype": MIMETYPE, "content.xml": "<x/>"}), "another kind of document"),
        (odp("<draw:page/>" * 2_001), "2001 slides"),
        (odp("<draw:page>" + "<draw:g>" * 300 + "</draw:g>" * 300 + "</draw:page>"), "nested deeper"),
        (
            odp(
                "<draw:page><anim:par>"
                + '<anim:par presentation:preset-class="x"/>' * 5_001
                + "</anim:par></draw:page>"
            ),
            "more than 5000 effects",
        ),
    ],
    ids=["other mimetype", "other content", "slides", "depth", "effects"],
)
def test_bombs_and_strangers_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(StateError, match=message):
        read_odp(data)


def test_a_slide_that_is_listed_but_missing_is_an_error() -> None:
    spaces = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    listed = f'<p:presentation {spaces}><p:sldIdLst><p:sldId id="1"/></p:sldIdLst></p:presentation>'
    with pytest.raises(StateError, match="not there"):
        read_pptx(pack({"ppt/presentation.xml": listed}))


def test_a_presentation_keeps_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.verify.reading.prose.MAX_SHAPES", 100)
    with pytest.raises(StateError, match="more shapes than the limit"):
        read_odp(odp("<draw:page>" + "<draw:rect/>" * 101 + "</draw:page>"))


def test_groups_in_groups_are_read_within_the_stack() -> None:
    deep = "<draw:g>" * 150 + "<draw:rect draw:name='inner'/>" + "</draw:g>" * 150
    deck = read_odp(odp(f"<draw:page>{deep}</draw:page>"))
    assert deck.slides[0].shape("inner").kind == "rectangle"
    assert len(deck_leaves(deck)) > 150
    json.dumps(dataclasses.asdict(deck))


@settings(
    max_examples=max(3, settings().max_examples // 5), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_damaged_file_is_a_presentation_or_an_error(folder: Path, data: st.DataObject) -> None:
    read, name = data.draw(st.sampled_from([(read_odp, "rich.odp"), (read_pptx, "rich.pptx")]))
    broken = bytearray((folder / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([len(broken), data.draw(st.integers(0, len(broken)))]))
    try:
        assert isinstance(read(bytes(broken[:cut])), Deck)
    except StateError as error:
        assert error.message


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_content_is_a_presentation_or_an_error(folder: Path, data: st.DataObject) -> None:
    """The same, past the checksums: values in the XML are altered, and parts are swapped."""
    read, name = data.draw(st.sampled_from([(read_odp, "rich.odp"), (read_pptx, "rich.pptx")]))
    found = entries((folder / name).read_bytes())
    parts = sorted(entry for entry in found if entry.endswith((".xml", ".rels")) and len(found[entry]) > 100)
    entry = data.draw(st.sampled_from(parts))
    if data.draw(st.booleans()):
        pieces = found[entry].decode().split('"')
        for _ in range(data.draw(st.integers(1, 20))):
            place = data.draw(st.integers(0, (len(pieces) - 1) // 2)) * 2 + 1
            if place < len(pieces) and "://" not in pieces[place] and ":xmlns:" not in pieces[place]:
                pieces[place] = data.draw(
                    st.sampled_from(["", "-1", "99999999999", "NaN", "é", "rId1", "id2", "../.."])
                )
        found[entry] = '"'.join(pieces).encode()
    else:
        other = data.draw(st.sampled_from(parts))
        found[entry], found[other] = found[other], found[entry]
    try:
        json.dumps(dataclasses.asdict(read(repack(found))))
    except StateError as error:
        assert error.message


# What LibreOffice wrote


def test_slides_titles_notes_and_order_are_read(deck: Deck) -> None:
    assert deck.titles == ("Quarterly review", "Points", "")
    assert [slide.hidden for slide in deck.slides] == [False, False, True]
    assert deck.slides[1].notes_text == "say this\nslowly"
    assert deck.slides[0].notes == ()
    assert (deck.width, deck.height) == pytest.approx((280, 157.5), abs=0.1)
    assert (deck.metadata.title, deck.metadata.author) == ("Review", "Ada")
    assert deck.show.endless


def test_names_layouts_and_masters_are_read(rich: dict[str, Deck]) -> None:
    deck = rich["odp"]
    assert [slide.name for slide in deck.slides] == ["Opening", "Points", "Things"]
    assert [slide.layout for slide in deck.slides] == ["title slide", "title, content", "blank"]
    assert {slide.master for slide in deck.slides} == {"Default"} == {master.name for master in deck.masters}
    assert deck.slide("Points").shape("title").text == "Points"
    with pytest.raises(StateError, match="no slide 'Point'"):
        deck.slide("Point")
    with pytest.raises(StateError, match="no shape 'Boks'; it has title, outline, Box"):
        deck.slide("Points").shape("Boks")


def test_text_of_placeholders_is_read_with_levels_and_looks(deck: Deck) -> None:
    lines = deck.slides[1].shape("outline").paragraphs
    assert [line.text for line in lines] == ["one", "two", "three"]
    assert (lines[0].runs[0].bold, lines[0].runs[0].colour) == (True, "#336699")
    assert not lines[1].runs[0].bold
    assert (lines[1].list, lines[1].list_level) == ("bullet", 2)
    assert [line.runs[0].size for line in lines] == [32, 28, 32]
    title = deck.slides[0].shape("title").paragraphs[0]
    assert (title.alignment, title.runs[0].size) == ("center", 44)


def test_shapes_are_read_with_place_fill_and_angle(deck: Deck) -> None:
    box = deck.slides[1].shape("Box")
    assert (box.kind, box.text, box.fill, box.line) == ("rectangle", "boxed", "#ffcc00", "#0000ff")
    assert (box.x, box.y, box.width, box.height) == pytest.approx((20, 120, 50, 25), abs=0.05)
    turned = deck.slides[1].shape("Turned")
    assert (turned.kind, turned.rotation) == ("ellipse", 30)
    assert (turned.x, turned.y, turned.width, turned.height) == pytest.approx((120, 110, 40, 20), abs=0.05)
    words = deck.slides[1].shape("Words")
    assert (words.kind, words.text, words.fill, words.role) == ("text", "free words", "none", "")


def test_pictures_tables_charts_and_groups_are_read(deck: Deck, folder: Path) -> None:
    things = deck.slides[2]
    photo = things.shape("Photo")
    assert photo.picture is not None
    assert photo.picture.digest == hashlib.sha256((folder / "picture.png").read_bytes()).hexdigest()
    assert (photo.kind, photo.alt) == ("image", "Something red")
    grid = things.shape("Grid").table
    assert grid is not None
    assert grid.grid == (("r0c0", "r0c1"), ("r1c0", "r1c1"))
    assert grid.at(0, 0).background == "#729fcf"
    chart = things.shape("Sales").chart
    assert chart is not None
    assert (chart.kind, chart.title, chart.series[1].values) == ("line", "Sales so far", (2.5, 4.0, -6.0))
    pair = things.shape("Pair")
    assert [child.name for child in pair.children] == ["Inner0", "Inner1"]
    assert (pair.x, pair.width) == pytest.approx((150, 50), abs=0.05)


def test_transitions_animations_backgrounds_and_footers_are_read(deck: Deck) -> None:
    opening, points, things = deck.slides
    assert (opening.transition.kind, opening.transition.duration) == ("fade", 1.5)
    assert points.transition.kind == things.transition.kind == ""
    (effect,) = points.animations
    assert (effect.effect, effect.kind) == ("entrance-appear", "entrance")
    assert (effect.target, effect.trigger) == ("Box", "on-click")
    assert (points.background.fill, things.background.fill) == ("#eeeeff", "")
    assert (points.footer, points.numbered) == ("Confidential", True)
    assert (opening.footer, opening.numbered) == ("", False)


# What the program says of itself

KINDS = {"RectangleShape": "rectangle", "EllipseShape": "ellipse", "TextShape": "text"}


@pytest.mark.parametrize("kind", ["odp", "pptx"])
@pytest.mark.parametrize("name", [f"random{seed}" for seed in range(3)])
def test_the_program_and_the_reader_agree(folder: Path, account: dict[str, Any], name: str, kind: str) -> None:
    deck = (read_odp if kind == "odp" else read_pptx)((folder / f"{name}.{kind}").read_bytes())
    assert len(deck.slides) == len(account[name])
    for slide, own in zip(deck.slides, account[name], strict=True):
        if kind == "odp" and not own["name"].startswith("page"):
            assert slide.name == own["name"]
        drawn = [shape for shape in slide.shapes if not shape.placeholder]
        expected = [shape for shape in own["shapes"] if shape["name"]]
        assert [shape.name for shape in drawn] == [shape["name"] for shape in expected]
        for shape, theirs in zip(drawn, expected, strict=True):
            assert shape.text == theirs["text"]
            assert shape.kind == KINDS[theirs["service"].rpartition(".")[2]]
            box = [shape.x * 100, shape.y * 100, shape.width * 100, shape.height * 100]
            assert box == pytest.approx(theirs["box"], abs=2)
            assert shape.fill == ("none" if theirs["fill"] is None else f"#{theirs['fill']:06x}")


def test_both_formats_tell_the_same(rich: dict[str, Deck]) -> None:
    def told(slide: Slide) -> list[object]:
        return [
            (
                *(shape.name, shape.role, shape.kind, shape.text),
                [(line.text, line.list, line.list_level) for line in shape.paragraphs],
                [[(run.text, run.bold, run.size) for run in line.runs] for line in shape.paragraphs],
                shape.table.grid if shape.table else None,
                None if shape.chart is None else (shape.chart.title, shape.chart.kind, shape.chart.categories),
            )
            for shape in slide.all_shapes()
        ]

    for one, other in zip(rich["odp"].slides, rich["pptx"].slides, strict=True):
        assert told(one) == told(other)
        assert one.notes_text == other.notes_text
        assert one.animations == other.animations
        assert one.background == other.background


# Leaves


def test_a_file_that_is_opened_and_saved_again_has_equal_leaves(folder: Path, rich: dict[str, Deck]) -> None:
    again = deck_leaves(read_odp((folder / "again.odp").read_bytes()))
    assert again == deck_leaves(rich["odp"])
    assert again["slide[1].shape[Box].fill"] == "#ffcc00"


@pytest.mark.parametrize(
    ("entry", "old", "new", "path"),
    [
        ("content.xml", "Quarterly review", "Yearly review", "slide[0].shape[title].paragraph[0].text"),
        ("content.xml", "#ffcc00", "#ffcc01", "slide[1].shape[Box].fill"),
        ("content.xml", 'svg:x="2cm"', 'svg:x="3cm"', "slide[1].shape[Box].x"),
        ("content.xml", "rotate (0.52", "rotate (0.62", "slide[1].shape[Turned].rotation"),
        ("content.xml", 'smil:type="fade"', 'smil:type="push"', "slide[0].transition.kind"),
        ("content.xml", "ooo-entrance-appear", "ooo-entrance-wipe", "slide[1].animation[0].effect"),
        ("content.xml", "slowly", "quickly", "slide[1].note[1].text"),
        ("content.xml", "Confidential", "Public", "slide[1].footer"),
        ("content.xml", "#eeeeff", "#eeeefe", "slide[1].background.fill"),
        ("content.xml", 'presentation:visibility="hidden"', "", "slide[2].hidden"),
        ("content.xml", "r1c0", "r2c0", "slide[2].shape[Grid].table.cell[2].block[0].text"),
        ("content.xml", 'presentation:endless="true"', 'presentation:endless="false"', "show.endless"),
        ("content.xml", 'draw:name="Inner1"', 'draw:name="Other"', "slide[2].shape[Pair].shape[Other]"),
    ],
)
def test_an_edit_shows_in_the_leaves(folder: Path, entry: str, old: str, new: str, path: str) -> None:
    data = (folder / "rich.odp").read_bytes()
    before, after = deck_leaves(read_odp(data)), deck_leaves(read_odp(changed(data, entry, old, new)))
    different = {key for key in {**before, **after} if before.get(key) != after.get(key)}
    assert any(path in key for key in different), different
