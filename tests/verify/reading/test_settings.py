"""Settings as the programs themselves wrote them, and settings that nobody honest would write."""

from __future__ import annotations

import ast
import os
import shlex
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading import gvariant
from fairground.verify.reading.settings import (
    Symbol,
    flat_json,
    leaves,
    read_dconf,
    read_folder_bookmarks,
    read_inkscape_preferences,
    read_json,
    read_keyfile,
    read_recent_files,
    read_registry,
    read_sexpressions,
    read_xml_settings,
    setting,
)

from .books import convert

pytestmark = pytest.mark.process

SCHEMA = """<schemalist><schema id="org.example.fair" path="/org/example/fair/">
<key name="size" type="(ii)"><default>(0, 0)</default></key>
<key name="names" type="as"><default>[]</default></key>
<key name="ratio" type="d"><default>0</default></key>
<key name="small" type="n"><default>0</default></key>
<key name="great" type="t"><default>0</default></key>
<key name="pairs" type="a(siy)"><default>[]</default></key>
<key name="places" type="a{sv}"><default>{}</default></key>
<key name="lists" type="aau"><default>[]</default></key>
<key name="maybe" type="mas"><default>nothing</default></key>
<key name="nested" type="(s(bd)as)"><default>('', (false, 0), [])</default></key>
</schema></schemalist>"""

# As gsettings takes them, with what is to be read.
VALUES: dict[str, tuple[str, object]] = {
    "size": ("(640, -480)", (640, -480)),
    "names": ("['a', '', 'é 日本']", ["a", "", "é 日本"]),
    "ratio": ("-2.5", -2.5),
    "small": ("-7", -7),
    "great": ("18446744073709551615", 2**64 - 1),
    "pairs": ("[('x', 5, 0x01), ('longer', -5, 0xff)]", [("x", 5, 1), ("longer", -5, 255)]),
    "places": ("{'a': <1>, 'b': <'two'>, 'c': <[true, false]>}", {"a": 1, "b": "two", "c": [True, False]}),
    "lists": ("[[1, 2], [], [3]]", [[1, 2], [], [3]]),
    "maybe": ("['y']", ["y"]),
    "nested": ("('z', (true, 1.5), ['p', 'q'])", ("z", (True, 1.5), ["p", "q"])),
}
MOUSEPAD = {"tab-width": "4", "show-line-numbers": "true", "font-name": "'Monospace 14'", "word-wrap": "true"}


@pytest.fixture(scope="module")
def dconf(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the real dconf wrote when the real gsettings told it to."""
    folder = tmp_path_factory.mktemp("dconf")
    for name in ("schemas", "run", "config"):
        (folder / name).mkdir()
    (folder / "schemas" / "fair.gschema.xml").write_text(SCHEMA)
    subprocess.run(["glib-compile-schemas", folder / "schemas"], check=True, timeout=30)
    told = [("org.example.fair", key, value) for key, (value, _) in VALUES.items()]
    told += [("org.xfce.mousepad.preferences.view", key, value) for key, value in MOUSEPAD.items()]
    script = " && ".join(shlex.join(["gsettings", "set", *parts]) for parts in told)
    environment = {
        **os.environ,
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "GSETTINGS_SCHEMA_DIR": str(folder / "schemas"),
        "GSETTINGS_BACKEND": "dconf",
    }
    argv = ["dbus-run-session", "--", "sh", "-c", script]
    subprocess.run(argv, check=True, timeout=60, env=environment, capture_output=True)
    return (folder / "config" / "dconf" / "user").read_bytes()


def test_dconf_gives_what_gsettings_was_told(dconf: bytes) -> None:
    found = read_dconf(dconf)
    for key, (_, value) in VALUES.items():
        assert found[f"/org/example/fair/{key}"] == value, key
    for key, text in MOUSEPAD.items():
        value = found[f"/org/xfce/mousepad/preferences/view/{key}"]
        assert value == ast.literal_eval(text.capitalize() if text == "true" else text)
    assert len(found) == len(VALUES) + len(MOUSEPAD)
    assert leaves(found)["/org/example/fair/ratio"] == -2.5


def test_a_key_that_programs_would_not_find_is_an_error(dconf: bytes) -> None:
    with pytest.raises(StateError, match="not where a program would look"):
        read_dconf(dconf.replace(b"tab-width", b"tab-wide!"))


@given(st.data())
def test_a_damaged_dconf_is_read_or_an_error(dconf: bytes, data: st.DataObject) -> None:
    raw = bytearray(dconf)
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        read_dconf(bytes(raw[: data.draw(st.integers(0, len(raw)))]))
    except StateError as error:
        assert error.message.startswith("settings (")


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\0\0", b"GVariant", b"GVariant" + b"\xff" * 40, b"tnairaVG" + bytes(40)),
        b"GVariant" + struct.pack("<4I", 0, 0, 24, 32) + struct.pack("<2I", 0, 0x10000000),
        b"GVariant" + struct.pack("<4I", 0, 0, 24, 32) + struct.pack("<2I", 0x07FFFFFF, 1),
    ],
    ids=repr,
)
def test_what_is_no_dconf_database_is_an_error(data: bytes) -> None:
    with pytest.raises(StateError, match="dconf"):
        read_dconf(data)


@pytest.mark.parametrize("kind", ["", "z", "a", "(", "(i", "{s}", "{vs}", "ii", "a" * 100, "(" * 60 + ")" * 60])
def test_what_is_no_type_is_an_error(kind: str) -> None:
    with pytest.raises(StateError):
        gvariant.decode_variant(b"\0\0\0\0\0" + kind.encode())


@given(st.binary(max_size=60), st.sampled_from(["as", "a{sv}", "(siy)", "v", "mai", "aau", "(s(bd)as)", "aas", "a()"]))
def test_any_bytes_are_a_value_or_an_error(data: bytes, kind: str) -> None:
    try:
        gvariant.decode_variant(data + b"\0" + kind.encode())
    except StateError as error:
        assert error.message.startswith("settings (GVariant)")


def test_key_files_are_read_as_gtk_writes_them() -> None:
    file = read_keyfile(
        b'# made by hand\ngtk-theme-name="Clearlooks"\n[ui]\nalways_show_tabs=0\nName[de]=Gr\xc3\xbc\xc3\x9fe\n'
        b"list=a;b\\;c;\ntext=one\\ntwo\\sthree\n\n[volume]\nmount_on_startup=1\n"
    )
    assert file.get("", "gtk-theme-name") == '"Clearlooks"'
    assert file.flag("volume", "mount_on_startup") and not file.flag("ui", "always_show_tabs")
    assert file.items("ui", "list") == ("a", "b;c")
    assert file.text("ui", "text") == "one\ntwo three"
    assert leaves(file)["[ui]Name[de]"] == "Grüße"
    with pytest.raises(StateError, match="expected true or false"):
        file.flag("ui", "text")


@pytest.mark.parametrize("data", [b"[a]\nx=1\nx=2", b"[a", b"[a]\nnonsense", b"\xff", b"[a]\n=1"], ids=repr)
def test_a_key_file_that_says_two_things_or_none_is_an_error(data: bytes) -> None:
    with pytest.raises(StateError, match="key file"):
        read_keyfile(data)


@pytest.mark.parametrize("name", ["sessionrc", "toolrc", "templaterc", "controllerrc", "unitrc", "gimprc", "menurc"])
def test_files_that_gimp_ships_are_read(name: str) -> None:
    expressions = read_sexpressions(Path("/etc/gimp/2.0", name).read_bytes())
    assert name in ("gimprc", "menurc") or leaves(expressions)
    if name == "sessionrc":
        assert setting(expressions, "single-window-mode") == (Symbol("yes"),)
    if name == "templaterc":
        assert leaves(expressions)["GimpTemplate[A4 (300 ppi)].width"] == 2480


def test_gimp_settings_are_found_and_the_last_one_counts() -> None:
    rc = read_sexpressions(
        b'# comment (not read)\n(default-image\n (width 640)(height 480))\n(theme "Dark \\"x\\"\\303\\251")\n'
        b'(theme "Light") (undo-levels 5) (opacity -1.5e2) (show-tips no)'
    )
    assert setting(rc, "default-image", "width") == (640,)
    assert setting(rc, "theme") == ("Light",) and setting(rc, "nothing") is None
    assert leaves(rc) == {
        **{"default-image.width": 640, "default-image.height": 480, "theme": 'Dark "x"é', "theme[2]": "Light"},
        **{"undo-levels": 5, "opacity": -150.0, "show-tips": "no"},
    }


@pytest.mark.parametrize(
    "data", [b"(", b")", b'(a "b', b"(" * 100_000, b"\xff", b'"\\'], ids=lambda data: repr(data[:9])
)
def test_brackets_that_do_not_match_are_an_error(data: bytes) -> None:
    with pytest.raises(StateError, match="GIMP"):
        read_sexpressions(data)


REGISTRY = b"""<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Common/Save/Document"><prop oor:name="AutoSave" oor:op="fuse"><value>true</value>
</prop></item>
<item oor:path="/org.openoffice.Set"><node oor:name="one" oor:op="replace"><prop oor:name="list" oor:op="fuse">
<value><it>a</it><it>b</it></value></prop><prop oor:name="none" oor:op="fuse"><value xsi:nil="true"/></prop></node>
</item><item oor:path="/org.openoffice.Setup/Office"><prop oor:name="ooSetupLastVersion" oor:op="fuse">
<value>7.4</value></prop></item></oor:items>"""


def test_the_registry_of_libreoffice_is_read() -> None:
    registry = read_registry(REGISTRY)
    assert registry == {
        "/org.openoffice.Office.Common/Save/Document/AutoSave": "true",
        "/org.openoffice.Set/one/list": ("a", "b"),
        "/org.openoffice.Set/one/none": None,
        "/org.openoffice.Setup/Office/ooSetupLastVersion": "7.4",
    }
    assert "/org.openoffice.Setup/Office/ooSetupLastVersion" not in leaves(registry)
    assert leaves(registry)["/org.openoffice.Set/one/list"] == ["a", "b"]


@pytest.mark.slow
def test_a_registry_that_libreoffice_wrote_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    convert(tmp_path, tmp_path / "a.txt", "odt")
    found = read_registry((tmp_path / "profile" / "user" / "registrymodifications.xcu").read_bytes())
    assert found and all(key.startswith("/org.openoffice.") for key in found)


def test_preferences_of_inkscape_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    environment = {**os.environ, "INKSCAPE_PROFILE_DIR": str(tmp_path / "profile"), "HOME": str(tmp_path)}
    argv = ["inkscape", "a.svg", "--export-filename=a.png"]
    subprocess.run(argv, check=True, timeout=60, cwd=tmp_path, env=environment, capture_output=True)
    found = read_inkscape_preferences((tmp_path / "profile" / "preferences.xml").read_bytes())
    assert found["/options/transform/stroke"] in ("0", "1")
    assert len(found) > 100


def test_openbox_settings_are_flat() -> None:
    found = read_xml_settings(Path("/etc/xdg/openbox/rc.xml").read_bytes())
    assert found["/theme/name"] and found["/theme/font@place"] == "ActiveWindow"
    assert found["/theme/font[2]@place"] == "InactiveWindow"


def test_recent_files_and_folder_bookmarks_are_read() -> None:
    (recent,) = read_recent_files(
        b'<?xml version="1.0" encoding="UTF-8"?><xbel version="1.0" xmlns:bookmark="http://www.freedesktop.org/'
        b'standards/desktop-bookmarks" xmlns:mime="http://www.freedesktop.org/standards/shared-mime-info">'
        b'<bookmark href="file:///home/user/My%20file.txt" added="2026-01-01T00:00:00Z" modified="" visited="">'
        b'<info><metadata owner="http://freedesktop.org"><mime:mime-type type="text/plain"/><bookmark:applications>'
        b'<bookmark:application name="Mousepad" exec="x" modified="" count="3"/></bookmark:applications></metadata>'
        b"</info></bookmark></xbel>"
    )
    assert (recent.path, recent.mime, recent.applications) == ("/home/user/My file.txt", "text/plain", {"Mousepad": 3})
    assert leaves((recent,)) == {"recent[/home/user/My file.txt].mime": "text/plain"}
    marks = read_folder_bookmarks(b"file:///home/user/Photos Holiday photos\nsftp://host/x\n")
    assert [(mark.path, mark.label) for mark in marks] == [("/home/user/Photos", "Holiday photos"), ("", "")]
    assert leaves(marks)["bookmark[0].file:///home/user/Photos"] == "Holiday photos"


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><xbel>&b;</xbel>'
XML_READERS = [read_registry, read_inkscape_preferences, read_recent_files]


@pytest.mark.parametrize("reader", XML_READERS)
@pytest.mark.parametrize("data", [b"", b"<other/>", b"<a>" * 5000, BOMB, b"\0", b"x" * 100], ids=lambda d: repr(d[:9]))
def test_xml_that_is_something_else_is_an_error(reader: Callable[[bytes], Any], data: bytes) -> None:
    with pytest.raises(StateError):
        reader(data)


def test_one_long_name_above_many_things_is_refused() -> None:
    many = "1," * 20_000 + "1"
    with pytest.raises(StateError, match="names that are too long"):
        flat_json(read_json(f'{{"{"k" * 10_000}": [{many}]}}'.encode()))
    with pytest.raises(StateError, match="names that are too long"):
        leaves(read_sexpressions(f"({'k' * 10_000} {'(a 1)' * 10_000})".encode()))


def test_long_lines_and_texts_take_no_longer_than_they_are() -> None:
    with pytest.raises(StateError):
        read_keyfile(b"a" + b" " * 4_000_000)
    with pytest.raises(StateError):
        read_sexpressions(b'"' + b"\\a" * 500_000)


def test_json_is_read_and_flattened() -> None:
    value = read_json('\ufeff{"a": [1, {"b": null}], "c": {}, "d": "é"}'.encode())
    assert flat_json(value) == {"a[0]": 1, "a[1].b": None, "c": {}, "d": "é"}


@pytest.mark.parametrize(
    "data",
    [
        *(
            b"",
            b"{",
            b'{"a": 1, "a": 2}',
            b"NaN",
            b"[Infinity]",
            b"1e999",
            b'"\\ud800"',
            b'{"\\udc00": 1}',
            b"\xff",
            b"1 2",
        ),
        *(b"[" * 100_000 + b"]" * 100_000, b"[" * 150 + b"]" * 150, b"[" + b"[]," * 1_500_000 + b"1]", b"9" * 10_000),
    ],
    ids=lambda data: repr(data[:20]),
)
def test_json_that_lies_or_has_no_end_is_an_error(data: bytes) -> None:
    with pytest.raises(StateError, match="JSON"):
        read_json(data)


@given(st.binary(max_size=80))
def test_any_bytes_are_settings_or_an_error(data: bytes) -> None:
    for reader in (read_json, read_keyfile, read_sexpressions, read_folder_bookmarks, read_xml_settings):
        try:
            leaves(reader(data))
        except StateError as error:
            assert error.message
