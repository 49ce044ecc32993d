"""Pictures: those that programs wrote, those that nobody honest would, and what can be asked about them."""

from __future__ import annotations

import io
import json
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin
from PIL.TiffImagePlugin import IFDRational

from fairground.core import InvalidInput, StateError
from fairground.verify.reading import picture_measures as measure
from fairground.verify.reading.picture import FORMATS, Pixels, picture_leaves, read_picture
from fairground.verify.reading.picture_metadata import metadata_leaves, read_metadata

from .gimp import written

pytestmark = pytest.mark.process


def photo(width: int = 64, height: int = 48, seed: int = 0) -> Pixels:
    """Something with edges and colours, smooth enough for lossy formats."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:height, 0:width]
    picture = np.stack([rows * 4 % 256, columns * 3 % 256, (rows + columns) % 256, np.full_like(rows, 255)], axis=-1)
    picture[height // 4 : height // 2, width // 4 : width // 2, :3] = rng.integers(0, 255, 3)
    return picture.astype(np.uint8)


def saved(pixels: Pixels, kind: str = "PNG", mode: str = "RGB", **options: object) -> bytes:
    buffer = io.BytesIO()
    image = Image.fromarray(pixels)
    image = image if mode in ("RGBA", "LA") else image.convert("RGB")
    image.convert(mode).save(buffer, kind, **options)
    return buffer.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


# What is no picture, or too much of one


def png_of(width: int, height: int, body: bytes = b"") -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")


WEBP = b"RIFF" + struct.pack("<I", 22) + b"WEBPVP8X" + struct.pack("<I", 10) + bytes(4)


@pytest.mark.parametrize(
    "data",
    [
        png_of(100_000, 100_000),
        png_of(30_000, 30_000),
        png_of(0, 10),
        b"GIF89a" + struct.pack("<HHBBB", 65_535, 65_535, 0, 0, 0) + b";",
        b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54, 0, 0, 54, 40, 60_000, 60_000, 1, 24, 0, 0, 0, 0, 0, 0),
        WEBP + (99_999).to_bytes(3, "little") * 2,
    ],
    ids=["png", "large png", "empty png", "gif", "bmp", "webp"],
)
def test_a_picture_that_claims_to_be_huge_is_refused_before_it_is_decoded(data: bytes) -> None:
    with pytest.raises(StateError, match="picture"):
        read_picture(data)


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"%PDF-1.7", b"\x89PNG\r\n\x1a\n", b"<svg/>", b"II*\0" + b"\xff" * 60], ids=repr
)
def test_what_is_no_picture_is_an_error(data: bytes) -> None:
    for read in (read_picture, read_metadata):
        with pytest.raises(StateError, match="picture"):
            read(data)


def test_other_formats_that_the_decoders_know_are_refused() -> None:
    for kind in ("PPM", "TGA", "ICO", "PCX"):
        with pytest.raises(StateError, match="cannot be decoded"):
            read_picture(saved(photo(), kind))


@pytest.mark.parametrize("kind", FORMATS)
def test_a_picture_that_is_cut_off_is_an_error(kind: str) -> None:
    whole = saved(photo(), kind)
    read_picture(whole)
    for part in (0.3, 0.6, 0.9):
        with pytest.raises(StateError):
            read_picture(whole[: int(len(whole) * part)])


def test_a_png_with_a_wrong_sum_is_an_error() -> None:
    data = bytearray(saved(photo()))
    data[-20] ^= 1
    with pytest.raises(StateError, match="damaged"):
        read_picture(bytes(data))


def test_too_many_frames_are_refused() -> None:
    frames = [Image.new("L", (1, 1), number % 256) for number in range(502)]
    buffer = io.BytesIO()
    frames[0].save(
        buffer, "GIF", save_all=True, append_images=frames[1:], duration=[20 + n % 2 * 10 for n in range(502)]
    )
    with pytest.raises(StateError, match="more than 500 frames"):
        read_picture(buffer.getvalue())


def test_a_tiff_with_giant_tiles_is_refused() -> None:
    data = saved(photo(), "TIFF")
    fields = struct.unpack_from("<H", data, struct.unpack_from("<I", data, 4)[0])[0]
    entries = struct.pack("<HHII", 322, 4, 1, 1 << 20) + struct.pack("<HHII", 323, 4, 1, 1 << 20)
    start = struct.unpack_from("<I", data, 4)[0]
    directory = data[start + 2 : start + 2 + 12 * fields]
    moved = data + struct.pack("<H", fields + 2) + directory + entries + bytes(4)
    with pytest.raises(StateError, match="tiles"):
        read_picture(data[:4] + struct.pack("<I", len(data)) + moved[8:])


@given(st.data())
def test_damaged_pictures_give_a_picture_or_an_error(data: st.DataObject) -> None:
    raw = bytearray(SAMPLES[data.draw(st.sampled_from(FORMATS))])
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(raw[: data.draw(st.integers(0, len(raw)) | st.just(len(raw)))])
    if damaged[:8] == b"\x89PNG\r\n\x1a\n" and data.draw(st.booleans()):
        damaged = mended(damaged)
    for read in (read_picture, read_metadata):
        try:
            json.dumps(read(damaged).to_json())
        except StateError as error:
            assert error.message.startswith("picture: ")


def mended(data: bytes) -> bytes:
    """The PNG with right sums, so that damage gets past them."""
    out, position = data[:8], 8
    while position + 12 <= len(data):
        length = struct.unpack_from(">I", data, position)[0]
        if position + 12 + length > len(data):
            break
        out += chunk(data[position + 4 : position + 8], data[position + 8 : position + 8 + length])
        position += 12 + length
    return out + chunk(b"IEND", b"")


# What programs write


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_pixels_that_were_saved(kind: str) -> None:
    options = {"WEBP": {"lossless": True}, "JPEG": {"quality": 95, "subsampling": 0}}.get(kind, {})
    picture = read_picture(saved(photo(), kind, **options))
    assert (picture.format, picture.size, len(picture.frames)) == (kind, (64, 48), 1)
    gap = measure.difference(picture.pixels, photo())
    if kind in ("JPEG", "GIF"):
        assert gap.mean < 8
    else:
        assert gap.largest == 0
        assert picture.digest == read_picture(saved(photo())).digest
    assert not picture.pixels.flags.writeable
    json.dumps(picture.to_json())


@pytest.mark.parametrize(
    ("mode", "alpha"), [("1", False), ("L", False), ("LA", True), ("P", False), ("RGB", False), ("RGBA", True)]
)
def test_the_mode_of_a_picture_is_read(mode: str, alpha: bool) -> None:
    picture = read_picture(saved(photo(), "PNG", mode))
    assert (picture.mode, picture.has_alpha) == (mode, alpha)


def test_the_colour_of_what_is_wholly_transparent_does_not_count() -> None:
    one, other = photo(), photo()
    one[:10, :, 3] = other[:10, :, 3] = 0
    other[:10, :, 0] = 99
    assert read_picture(saved(one, mode="RGBA")).digest == read_picture(saved(other, mode="RGBA")).digest
    assert measure.transparent_share(read_picture(saved(one, mode="RGBA")).pixels) == pytest.approx(10 / 48)


def test_sixteen_bits_of_gray_are_scaled_and_not_cut_off() -> None:
    buffer = io.BytesIO()
    Image.fromarray(np.full((4, 4), 0x8040, np.uint16)).save(buffer, "PNG")
    picture = read_picture(buffer.getvalue())
    assert picture.mode == "I;16"
    assert tuple(picture.pixels[0, 0]) == (0x80, 0x80, 0x80, 255)


@pytest.mark.parametrize("quality", [1, 10, 50, 75, 85, 92, 100])
def test_the_quality_of_a_jpeg_is_read_from_its_table(quality: int) -> None:
    assert read_picture(saved(photo(), "JPEG", quality=quality)).quality == quality


def test_resolution_and_interlacing_are_read() -> None:
    assert read_picture(saved(photo(), "JPEG", dpi=(300, 300), progressive=True)).dpi == (300, 300)
    assert read_picture(saved(photo(), "JPEG", progressive=True)).interlaced
    assert read_picture(saved(photo(), dpi=(150, 150))).dpi == pytest.approx((150, 150), abs=0.1)
    assert read_picture(saved(photo())).dpi is None


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_frames_of_an_animation_are_read(kind: str) -> None:
    frames = [Image.fromarray(photo(seed=seed)).convert("RGB") for seed in range(3)]
    buffer = io.BytesIO()
    frames[0].save(buffer, kind, save_all=True, append_images=frames[1:], duration=[100, 200, 300])
    found = read_picture(buffer.getvalue()).frames
    assert len({frame.digest for frame in found}) == 3
    if kind != "TIFF":
        assert [frame.milliseconds for frame in found] == [100, 200, 300]


def test_leaves_tell_one_picture_from_another_and_not_one_save_from_the_next() -> None:
    leaves = picture_leaves(read_picture(saved(photo())))
    assert leaves == picture_leaves(read_picture(saved(photo(), compress_level=1)))
    changed = photo()
    changed[0, 0, 0] ^= 1
    other = picture_leaves(read_picture(saved(changed)))
    assert {name for name in leaves if leaves[name] != other[name]} == {"pixels"}


@pytest.mark.slow
def test_what_gimp_exports_is_read() -> None:
    png, jpeg = read_picture(written()["flat.png"]), read_picture(written()["flat.jpg"])
    assert (png.size, png.mode, png.interlaced) == ((200, 150), "RGB", True)
    assert png.dpi == pytest.approx((300, 150), abs=0.1)
    assert measure.color_at(png.pixels, 5, 5) == (10, 20, 30, 255)
    assert (jpeg.quality, jpeg.dpi) == (85, (300, 150))
    assert measure.matches(jpeg.pixels, png.pixels, mean=6, share=0.1)
    assert read_metadata(written()["flat.jpg"]).comment == "a comment"


# Metadata

XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:xmp="http://ns.adobe.com/xap/1.0/"><rdf:Description rdf:about="" xmp:Rating="4" xmp:ModifyDate="2024-01-01">
<dc:title><rdf:Alt><rdf:li xml:lang="de">Hafen</rdf:li>
<rdf:li xml:lang="x-default">Harbour</rdf:li></rdf:Alt></dc:title>
<dc:subject><rdf:Bag><rdf:li>sea</rdf:li><rdf:li>boats</rdf:li></rdf:Bag></dc:subject>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>"""


def with_exif(kind: str = "JPEG") -> bytes:
    exif = Image.Exif()
    exif[0x010F] = "Acme"
    exif[0x0112] = 6
    exif[0x9C9B] = "Größe".encode("utf-16-le") + bytes(2)
    exif[0x0132] = "2024:01:01 00:00:00"
    exif.get_ifd(0x8769).update(
        {0x9003: "2023:05:06 07:08:09", 0x829A: IFDRational(1, 250), 0x927C: b"\1" * 100, 0x9286: b"ASCII\0\0\0told"}
    )
    exif.get_ifd(0x8825).update({1: "S", 2: (33.0, 51.0, 36.0), 3: "E", 4: (151.0, 12.0, 0.0)})
    iptc = b"".join(
        struct.pack(">BBBH", 0x1C, 2, n, len(v)) + v for n, v in [(25, b"sea"), (25, b"sun"), (105, b"News")]
    )
    block = b"Photoshop 3.0\x008BIM\x04\x04\x00\x00" + struct.pack(">I", len(iptc)) + iptc + bytes(len(iptc) % 2)
    data = saved(photo(), kind, exif=exif, xmp=XMP.encode(), comment="a word")
    app13 = b"\xff\xed" + struct.pack(">H", len(block) + 2) + block
    return data[:2] + app13 + data[2:] if kind == "JPEG" else data


def test_exif_xmp_iptc_and_comments_are_read() -> None:
    found = read_metadata(with_exif())
    assert (found.exif["Image.Make"], found.orientation) == ("Acme", 6)
    assert (found.exif["Photo.DateTimeOriginal"], found.exif["Photo.ExposureTime"]) == ("2023:05:06 07:08:09", 0.004)
    assert str(found.exif["Photo.MakerNote"]).startswith("sha256:")
    assert (found.exif["Photo.UserComment"], found.exif["Image.XPTitle"]) == ("told", "Größe")
    assert found.place == (-33.86, 151.2)
    assert found.xmp["dc:title"] == ("Harbour", "Hafen")
    assert (found.xmp["dc:subject"], found.xmp["xmp:Rating"]) == (("sea", "boats"), ("4",))
    assert found.iptc == {"keywords": ("sea", "sun"), "headline": ("News",)}
    assert found.comment == "a word"
    leaves = metadata_leaves(found)
    assert leaves["exif.Image.Make"] == "Acme"
    assert not {"exif.Image.DateTime", "xmp.xmp:ModifyDate"} & leaves.keys()
    json.dumps(found.to_json())


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_other_formats_keep_exif_too(kind: str) -> None:
    found = read_metadata(with_exif(kind))
    assert (found.exif["Image.Make"], found.orientation) == ("Acme", 6)
    assert found.place == (None if kind == "TIFF" else (-33.86, 151.2))  # Pillow writes no place into TIFF files


def test_text_chunks_of_a_png_are_read() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("Author", "Ada")
    info.add_itxt("Description", "größer", zip=True)
    info.add_itxt("XML:com.adobe.xmp", XMP)
    found = read_metadata(saved(photo(), pnginfo=info))
    assert found.text == {"Author": "Ada", "Description": "größer"}
    assert found.xmp["dc:title"][0] == "Harbour"
    assert read_metadata(saved(photo())).exif == {}


def test_a_text_chunk_that_is_a_bomb_is_refused() -> None:
    bomb = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(80_000_000), 9))
    data = saved(photo())
    with pytest.raises(StateError):
        read_metadata(data[:33] + bomb + data[33:])


@pytest.mark.parametrize(
    "exif",
    [
        b"Exif\0\0",
        b"Exif\0\0XX*\0" + bytes(8),
        b"Exif\0\0II*\0" + struct.pack("<I", 1000),
        b"Exif\0\0II*\0" + struct.pack("<IH", 8, 60_000),
        b"Exif\0\0II*\0" + struct.pack("<IHHHII", 8, 1, 0x10F, 2, 1 << 31, 0),
        b"Exif\0\0II*\0" + struct.pack("<IHHHII", 8, 1, 0x10F, 99, 1, 0),
        b"Exif\0\0II*\0" + struct.pack("<IHHHIIHHII", 8, 2, 0x8769, 4, 1, 8, 0x8769, 4, 1, 8),
        b"Exif\0\0II*\0" + struct.pack("<IHHHII", 8, 1, 0x8769, 4, 1, 8),
    ],
    ids=["empty", "order", "beyond", "count", "length", "kind", "twice", "itself"],
)
def test_damaged_exif_is_an_error(exif: bytes) -> None:
    data = saved(photo(), "JPEG")
    segment = b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif
    with pytest.raises(StateError, match="EXIF"):
        read_metadata(data[:2] + segment + data[2:])


def test_xmp_that_declares_entities_is_an_error() -> None:
    with pytest.raises(StateError, match="must not"):
        read_metadata(saved(photo(), "JPEG", xmp=b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'))


# Questions about pixels


def plain(color: tuple[int, ...], width: int = 40, height: int = 30) -> Pixels:
    return np.full((height, width, 4), (*color, 255), np.uint8)


def test_colours_are_measured() -> None:
    pixels = plain((200, 0, 0))
    pixels[:, :10] = (0, 0, 255, 255)
    pixels[:3] = 0
    assert measure.mean_color(pixels) == pytest.approx((150, 0, 63.75))
    assert measure.color_at(pixels, 39, 29) == (200, 0, 0, 255)
    assert measure.color_at(pixels, 10, 15, radius=3) == (200, 0, 0, 255)
    assert measure.share_near(pixels, "#c80000") == pytest.approx(0.75 * 0.9)
    assert measure.share_near(pixels, "#0000ff", region=(0, 3, 10, 27)) == 1
    assert measure.dominant_colors(pixels, 3) == (("#c80000", 0.75), ("#0000ff", 0.25))
    with pytest.raises(StateError, match="outside"):
        measure.color_at(pixels, 40, 0)
    with pytest.raises(InvalidInput, match="#rrggbb"):
        measure.share_near(pixels, "red")
    with pytest.raises(StateError, match="transparent"):
        measure.mean_color(np.zeros((2, 2, 4), np.uint8))


def test_gray_brightness_contrast_and_sharpness_are_measured() -> None:
    pixels = photo()
    assert not measure.is_grayscale(pixels)
    for how in ("luma", "average", "lightness", "value"):
        assert measure.is_grayscale(measure.desaturated(pixels, how=how))
    assert measure.light(plain((255, 255, 255))) == measure.Light(255, 0, 255, 255, 0)
    brighter = pixels.copy()
    brighter[..., :3] = np.minimum(pixels[..., :3].astype(int) + 40, 255)
    assert measure.light(brighter).mean > measure.light(pixels).mean + 20
    assert measure.light(pixels).saturation > measure.light(measure.desaturated(pixels)).saturation == 0
    assert measure.sharpness(measure.blurred(pixels, 2)) < measure.sharpness(pixels) / 2


def test_what_should_follow_from_a_picture_matches_only_what_does() -> None:
    pixels = photo()
    wanted = {
        "flip": measure.flipped(pixels, "horizontal"),
        "turn": measure.rotated(pixels, 180),
        "blur": measure.blurred(pixels, 3),
        "invert": measure.inverted(pixels),
        "gray": measure.desaturated(pixels),
        "itself": pixels,
    }
    for name, found in wanted.items():
        lossy = read_picture(saved(found, "JPEG", quality=95, subsampling=0)).pixels
        assert [other for other, expected in wanted.items() if measure.matches(lossy, expected)] == [name]
    assert measure.rotated(pixels, 90).shape == (64, 48, 4)
    assert tuple(measure.rotated(pixels, 90)[0, -1]) == tuple(pixels[0, 0])
    with pytest.raises(InvalidInput, match="multiple of 90"):
        measure.rotated(pixels, 45)


def test_a_scaled_picture_matches_though_filters_differ() -> None:
    smooth = measure.blurred(photo(128, 96), 2)
    for how in (Image.Resampling.BICUBIC, Image.Resampling.LANCZOS, Image.Resampling.BOX):
        other = np.array(Image.fromarray(smooth).resize((64, 48), how))
        assert measure.matches(measure.resized(smooth, 64, 48), other)
    assert not measure.matches(measure.resized(smooth, 64, 48), smooth)


def test_where_two_pictures_differ_is_found() -> None:
    before, after = photo(), photo()
    after[10:20, 5:15, 0] ^= 0x80
    found = measure.difference(before, after)
    assert (found.region, found.largest, found.share) == ((5, 10, 10, 10), 128, 100 / (64 * 48))
    assert measure.outside_unchanged(before, after, (5, 10, 10, 10))
    assert not measure.outside_unchanged(before, after, (6, 10, 10, 10))
    assert measure.region_unchanged(before, after, (20, 0, 44, 48))
    assert not measure.region_unchanged(before, after, (0, 0, 6, 48))
    assert measure.difference(before, after, region=(10, 0, 30, 48)).region == (10, 10, 5, 10)
    assert not measure.difference(before, before[:-1]).same_size
    with pytest.raises(StateError, match="not inside"):
        measure.cropped(before, (60, 0, 10, 10))


def test_a_part_is_found_in_the_whole() -> None:
    whole = photo(120, 90)
    x, y, likeness = measure.where_is(measure.cropped(whole, (22, 13, 30, 30)), whole)
    assert (x, y) == (22, 13)
    assert likeness > 0.99
    with pytest.raises(StateError, match="single colour"):
        measure.where_is(plain((1, 2, 3)), whole)


SAMPLES = {kind: saved(photo(), kind) for kind in FORMATS} | {"JPEG": with_exif(), "PNG": with_exif("PNG")}
