"""GIMP's files: those that GIMP wrote, and those that nobody honest would."""

from __future__ import annotations

import io
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from fairground.core import StateError
from fairground.verify.reading.picture import read_picture, seen
from fairground.verify.reading.picture_measures import difference
from fairground.verify.reading.xcf import MODES, XcfGuide, XcfImage, read_xcf, xcf_leaves
from fairground.verify.reading.xcf_bytes import MAX_STRING, Cursor, Work, read_tiles
from fairground.verify.reading.xcf_flatten import flattened
from fairground.verify.reading.xcf_properties import read_text

from .gimp import USUAL, parasite, pattern, prop, says, written, xcf

pytestmark = pytest.mark.slow  # starts GIMP


@pytest.fixture(scope="module")
def image() -> XcfImage:
    return read_xcf(written()["fixed.xcf"])


def test_the_canvas_and_what_belongs_to_it_are_read(image: XcfImage) -> None:
    assert (image.size, image.base, image.precision, image.compression) == ((200, 150), "rgb", "8-bit gamma", "rle")
    assert image.resolution == (300.0, 150.0)
    assert set(image.guides) == {XcfGuide("vertical", 33), XcfGuide("horizontal", 44)}
    assert image.comment == "Hello comment"
    assert image.selection == (10, 20, 30, 40)
    assert image.active_layer == ("Title",)
    assert [(channel.name, channel.opacity, channel.color) for channel in image.channels] == [("Saved", 0.5, "#ff0000")]


def test_layers_and_their_pixels_are_read(image: XcfImage) -> None:
    assert [layer.name for layer in image.layers] == ["Title", "Background"]
    back = image["Background"]
    assert back.pixels is not None
    assert (back.pixels == [10, 20, 30, 255]).all()
    assert not back.pixels.flags.writeable
    with pytest.raises(StateError, match=r"0 layers named 'Backgrund'.*Title, Background"):
        image["Backgrund"]


def test_a_text_layer_says_its_text_and_how_it_looks(image: XcfImage) -> None:
    text = image["Title"].text
    assert text is not None
    assert text.text == 'Hello "World"\nzweite Zeile é'
    assert (text.font, text.size, text.unit, text.color, text.justify) == ("Sans Bold", 24, "pixels", "#c86432", "left")
    assert image["Background"].text is None
    assert not image["Title"].painted_over
    assert read_xcf(written()["painted.xcf"])["Title"].painted_over


@pytest.mark.parametrize("name", ["fixed.xcf", "newpaths.xcf"])
def test_paths_are_read_in_both_of_the_ways_in_which_gimp_writes_them(name: str) -> None:
    paths = {path.name: path for path in read_xcf(written()[name]).paths}
    assert {path: (found.visible, found.strokes[0].closed) for path, found in paths.items() if path != "shown"} == {
        "closed": (False, True),
        "open": (False, False),
    }
    assert all(path.strokes[0].nodes == ((3, 4), (30, 40)) for path in paths.values())
    assert paths["closed"].strokes[0].points == ((1, 2), (3, 4), (5, 6), (10, 20), (30, 40), (50, 60))
    assert ("shown" in paths) == (name == "newpaths.xcf")


def test_of_other_precisions_the_pixels_are_said_not_to_be_read() -> None:
    deep = read_xcf(written()["deep.xcf"])
    assert deep.precision == "16-bit gamma"
    layer = deep["Background"]
    assert (layer.pixels, layer.pixels_note) == (None, "pixels not read: 16-bit gamma, expected 8-bit gamma")
    assert layer.digest != read_xcf(written()["fixed.xcf"])["Background"].digest


def test_colours_of_an_indexed_image_come_from_its_map() -> None:
    found = read_xcf(written()["indexed.xcf"])
    assert found.base == "indexed"
    assert 2 <= len(found.colormap) <= 16
    (layer,) = found.layers
    assert layer.pixels is not None
    first = "#" + bytes(layer.pixels[0, 0, :3]).hex()
    assert first in found.colormap
    assert np.abs(layer.pixels[0, 0].astype(int) - [10, 20, 30, 255]).max() <= 2


def test_without_pixels_everything_else_is_the_same(image: XcfImage) -> None:
    quick = read_xcf(written()["fixed.xcf"], pixels=False)
    assert quick["Title"].pixels is None and "not asked for" in quick["Title"].pixels_note
    assert (quick.paths, quick.guides, quick["Title"].text) == (image.paths, image.guides, image["Title"].text)


def test_two_saves_of_one_image_have_the_same_leaves_and_other_images_do_not(image: XcfImage) -> None:
    leaves = xcf_leaves(image)
    assert leaves == xcf_leaves(read_xcf(written()["again.xcf"]))
    assert leaves["layer[Title].text.font"] == "Sans Bold"
    other = xcf_leaves(read_xcf(written()["newpaths.xcf"]))
    assert {name for name in other if leaves.get(name) != other[name]} == {
        *("paths", "path[shown].visible", "path[shown].stroke[0]"),
        # Written in the other way, an open path keeps its first handle.
        "path[open].stroke[0]",
    }
    json.dumps(image.to_json())


def test_what_gimp_says_of_its_layers_is_what_is_read() -> None:
    """Property: GIMP loads each generated file, and tells and exports what it sees."""
    files = written()
    images = {name: read_xcf(files[f"{name}.xcf"]) for name in {str(line["file"]) for line in says()}}
    numbers: dict[object, set[str]] = {}
    for line in says():
        image = images[str(line["file"])]
        (layer,) = [layer for layer in image.layers if "/".join(layer.path) == line["path"]]
        for name in ("width", "height", "x", "y", "visible", "linked", "lock_alpha", "lock_position", "color_tag"):
            assert getattr(layer, name) == line[name], (name, line)
        assert layer.opacity * 100 == pytest.approx(line["opacity"], abs=0.01)
        assert (layer.group, layer.mask is not None) == (line["group"] == 1, line["mask"] == 1)
        numbers.setdefault(line["mode"], set()).add(layer.mode)
        if not layer.group:
            exported = np.array(Image.open(io.BytesIO(files[str(line["png"])])).convert("RGBA"))
            assert layer.pixels is not None
            assert np.array_equal(layer.pixels, seen(exported)), line
    assert sum(len(image.layers) for image in images.values()) == len(says()) > 12
    assert all(len(names) == 1 for names in numbers.values())
    assert set.union(*numbers.values()) <= {mode.lower() for mode in USUAL} | {"pass-through"}


def test_modes_have_the_numbers_and_names_that_gimp_gives_them() -> None:
    assert {line["mode"]: line["number"] for line in says("mode")} == {name: n for n, name in enumerate(MODES)}


def test_layers_seen_together_are_what_gimp_exports() -> None:
    image = read_xcf(written()["veiled.xcf"])
    assert image["Veil"].mask is not None
    gap = difference(flattened(image), read_picture(written()["flat.png"]).pixels)
    assert gap.same_size and gap.largest <= 2


@pytest.mark.parametrize("mode", [1, 30])
def test_layers_that_mix_in_other_ways_are_not_flattened(mode: int) -> None:
    image = read_xcf(xcf(properties=prop(7, struct.pack(">I", mode))))
    with pytest.raises(StateError, match="not mixed simply"):
        flattened(image)
    with pytest.raises(StateError, match="not asked for"):
        flattened(read_xcf(xcf(), pixels=False))


# Those that nobody honest writes


@pytest.mark.parametrize("version", [0, 3, 4, 8, 11, 14])
@pytest.mark.parametrize("compression", [0, 1, 2])
def test_every_version_and_packing_gives_the_same_pixels(version: int, compression: int) -> None:
    data = xcf(version=version, compression=compression)
    if version == 4:
        data = data.replace(struct.pack(">I", 150), bytes(4), 1)
    (layer,) = read_xcf(data).layers
    assert layer.pixels is not None
    assert np.array_equal(layer.pixels, seen(pattern(70, 66)))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"gimp xcf",
        b"gimp xcf v999\0" + bytes(100),
        b"gimp xcf v01x\0" + bytes(100),
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        xcf(compression=3),
        xcf(claimed=(60_000, 60_000)),
        xcf(claimed=(20_000, 1_000)),
        xcf(claimed=(0, 10)),
        xcf(size=(200, 200), claimed=(70, 66)),
        xcf(layers=2),
        xcf(layers=2_001),
        xcf(name=b"\xff"),
        xcf(properties=prop(7, struct.pack(">I", 62))),
        xcf(properties=prop(33, struct.pack(">f", float("nan")))),
        xcf(properties=prop(33, struct.pack(">f", 2.0))),
        xcf(properties=prop(8, b"")),
        xcf(properties=prop(30, bytes(4 * 51))),
        xcf(properties=prop(30, struct.pack(">II", 0, 0))),
        xcf(properties=struct.pack(">II", 21, 1 << 31)),
        xcf(properties=prop(21, parasite(b"gimp-text-layer", b"(nothing here)"))),
        xcf(properties=prop(21, parasite(b"gimp-text-layer", b'(text "open'))),
        xcf(properties=prop(21, parasite(b"gimp-text-layer", b'"\\' * 300_000))),
        xcf(properties=prop(21, parasite(b"gimp-text-layer", b'(text "x")(color (color-rgb 1 nan 0))'))),
        xcf(properties=prop(21, struct.pack(">I", MAX_STRING + 1))),
        xcf(properties=b"".join(prop(99, b"") for _ in range(600))),
        xcf(image_properties=prop(18, bytes(5 * 2_001))),
        xcf(image_properties=prop(25, struct.pack(">III", 1, 0, 1 << 31))),
        xcf(image_properties=prop(25, struct.pack(">III", 2, 0, 1))),
        xcf(image_properties=prop(23, struct.pack(">II", 0, 1 << 31))),
        xcf(image_properties=struct.pack(">III", 1, 0, 1 << 30)),
    ],
    ids=range(31),
)
def test_what_is_damaged_or_too_large_is_an_error(data: bytes) -> None:
    with pytest.raises(StateError, match="GIMP image"):
        read_xcf(data)


def test_a_small_file_that_asks_for_many_pixels_is_refused() -> None:
    with pytest.raises(StateError, match="two in one place"):
        read_xcf(xcf(layers=100))
    cursor = Cursor(xcf(compression=2)[-1000:])
    with pytest.raises(StateError, match="more pixels"):
        read_tiles(cursor, 5_000, 5_000, 4, 2, Work(bytes=99_999_999))
    with pytest.raises(StateError, match="more pixels"):
        Work(runs=10).spend(runs=11)


def test_markup_of_a_text_layer_is_kept_apart_from_its_text() -> None:
    text = read_text(rb'(markup "<markup>a <b>bold</b> &amp; caf\303\251</markup>")(font "Serif")(font-size 12.5)')
    assert (text.text, text.size) == ("a bold & café", 12.5)
    assert "<b>" in text.markup


@given(st.data())
def test_a_damaged_file_gives_an_image_or_an_error(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(["fixed.xcf", "newpaths.xcf", "indexed.xcf", "random0.xcf"]))
    raw = bytearray(written()[source])
    for _ in range(data.draw(st.integers(1, 6))):
        # The beginning says what the rest means.
        at = data.draw(st.integers(0, min(len(raw), data.draw(st.sampled_from([600, 1_000_000]))) - 1))
        raw[at] = data.draw(st.integers(0, 255))
    try:
        image = read_xcf(bytes(raw[: data.draw(st.integers(1, len(raw)) | st.just(len(raw)))]))
        xcf_leaves(image)
        json.dumps(image.to_json())
    except StateError as error:
        assert error.message.startswith("GIMP image (.xcf): ")


def test_a_file_that_is_cut_off_anywhere_is_an_error() -> None:
    raw = xcf(compression=1)
    for end in range(0, len(raw) - 1, max(1, len(raw) // 100)):
        with pytest.raises(StateError):
            read_xcf(raw[:end])
