"""Checks of a folder world: values at addresses in structured files, guards over all else, and their evidence."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairground.core import Check, InvalidInput, State
from fairground.verify import judge
from fairground.worlds import read_folder, resolve
from fairground.worlds.folder_recording import covers

Writer = Callable[..., Path]

JSON = b"""{"view": {"theme": "dark", "zoom": 1.5, "wrap": true, "a/b": 7},
"tabs": [{"name": "x"}, {"name": "hello"}], "n": "1"}"""
XML = b"""<?xml version="1.0"?><!DOCTYPE set SYSTEM "set.dtd">
<set xmlns:p="urn:p"><item id="a">one</item><item id="b"> two <b>bold</b></item>
<p:size p:unit="cm">12.5</p:size></set>"""
INI = b"top=1\n# settings\n[View]\ntheme = dark\nzoom=150\n[Desktop Entry]\nName[de]=Notiz\n"


def database(statements: str) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(statements)
    return bytes(connection.serialize())


SQL = database(
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, done INT, price REAL);"
    "INSERT INTO notes VALUES (1, 'hello', 1, 2.5), (2, 'milk', 0, 3), (3, 'bread', 0, NULL);"
)
FILES = {"json": JSON, "xml": XML, "keyfile": INI, "sqlite": SQL}


def decided(write_world: Writer, check: str, content: bytes, before: bytes = b"") -> Check:
    """The one check of a world, decided on a file with this content."""
    world = resolve(str(write_world({'equals = "{word}"': check})))
    verdict = judge(world, State(files={"~/note.txt": before}), State(files={"~/note.txt": content}))
    return verdict.checks[0]


PASSING = [
    ("json", 'json = "/view/theme"\nequals = "dark"'),
    ("json", 'json = "view.theme"\nequals = "dark"'),
    ("json", 'json = "$.view.zoom"\nequals = 1.5'),
    ("json", 'json = "/view/wrap"\nequals = true'),
    ("json", 'json = "/view/a~1b"\nequals = 7'),
    ("json", "json = '''view[\"a/b\"]'''\nequals = 7.0"),
    ("json", 'json = "/tabs/1/name"\nequals = "{word}"'),
    ("json", 'json = "tabs[*].name"\nvalues = "any"\nequals = "{word}"'),
    ("json", 'json = "tabs[*].name"\nvalues = "all"\nmatches = "^[a-z]+$"'),
    ("json", 'json = "/tabs"\ncount = 2'),
    ("json", 'json = "tabs"\ncontains = { name = "x" }'),
    ("json", 'json = "/view"\nequals = { theme = "dark", zoom = 1.5, wrap = true, "a/b" = 7 }'),
    ("json", 'json = "/tabs/2"\nexists = false'),
    ("json", 'json = ""\nexists = true'),
    ("json", 'json = "/view/zoom"\nat_least = 1\nless_than = 2'),
    ("xml", 'xml = "/set/item[1]"\nequals = "one"'),
    ("xml", 'xml = "//item[@id=\'b\']"\nequals = "two bold"'),
    ("xml", 'xml = "item/@id"\nvalues = "any"\nequals = "b"'),
    ("xml", 'xml = "item"\ncount = 2'),
    ("xml", 'xml = "/set/p:size"\nnamespaces = { p = "urn:p" }\nclose_to = 12.5'),
    ("xml", 'xml = "/set/p:size/@p:unit"\nnamespaces = { p = "urn:p" }\nequals = "cm"'),
    ("xml", 'xml = "{{urn:p}}size"\nat_most = 12.5'),
    ("xml", "xml = \".//item[@id='c']\"\nexists = false"),
    ("keyfile", 'keyfile = "[View] theme"\nequals = "dark"'),
    ("keyfile", 'keyfile = "[View]zoom"\nmore_than = 149'),
    ("keyfile", 'keyfile = "[View]"\ncount = 2'),
    ("keyfile", 'keyfile = "top"\nequals = "1"'),
    ("keyfile", 'keyfile = "[Desktop Entry] Name[de]"\ncontains = "Not"'),
    ("keyfile", 'keyfile = "[View] font"\nexists = false'),
    ("sqlite", 'sqlite = { table = "notes", column = "title", where = { id = 1 } }\nequals = "{word}"'),
    ("sqlite", 'sqlite = { table = "notes", where = { title = "{word}" } }\nexists = true'),
    ("sqlite", 'sqlite = { table = "notes", where = { done = 0 } }\ncount = 2'),
    ("sqlite", 'sqlite = { table = "notes", column = "title" }\nvalues = "any"\nequals = "milk"'),
    ("sqlite", 'sqlite = { table = "notes", column = "price", where = { id = 2 } }\nequals = 3'),
    ("sqlite", 'sqlite = { table = "notes", where = { title = "tea" } }\nexists = false'),
]


@pytest.mark.parametrize(("kind", "check"), PASSING)
def test_a_value_at_an_address_passes_with_what_stands_around_it(write_world: Writer, kind: str, check: str) -> None:
    found = decided(write_world, check, FILES[kind])
    assert found.passed, found
    shown = json.dumps([found.expected, found.found])
    assert len(shown) < 2000 and ("around" in shown or "instead" in shown)


FAILING = [
    ("json", 'json = "/view/wrap"\nequals = 1', "true"),  # a truth is no number
    ("json", 'json = "/n"\nequals = 1', '"1"'),  # a text is no number
    ("json", 'json = "/n"\nat_least = 0', '"1"'),
    ("json", 'json = "/view/theem"\nequals = "dark"', "theme, zoom, wrap"),
    ("json", 'json = "/tabs/01/name"\nexists = true', "a list of 2"),
    ("json", 'json = "tabs[*].name"\nequals = "hello"', '"values": 2'),  # one value is expected
    ("json", 'json = "tabs[*].name"\nvalues = "all"\nequals = "x"', '"hello"'),
    ("json", 'json = "/view/zoom"\ncontains = "5"', "1.5"),
    ("xml", 'xml = "item"\nequals = "one"', '"values": 2'),
    ("xml", 'xml = "/set/item[1]"\nless_than = 5', "one"),
    ("xml", 'xml = "/other/item"\nexists = true', "<set>"),
    ("keyfile", 'keyfile = "[Veiw] theme"\nequals = "dark"', "[View]"),
    ("keyfile", 'keyfile = "[View] thme"\nequals = "dark"', "theme, zoom"),
    ("sqlite", 'sqlite = { table = "note", where = { id = 1 } }\nexists = true', "notes"),
    ("sqlite", 'sqlite = { table = "notes", column = "titel" }\ncount = 3', "id, title, done"),
    ("sqlite", 'sqlite = { table = "notes", column = "price", where = { id = 3 } }\nat_least = 0', "null"),
]


@pytest.mark.parametrize(("kind", "check", "evidence"), FAILING)
def test_a_wrong_value_fails_and_says_what_is_there(write_world: Writer, kind: str, check: str, evidence: str) -> None:
    found = decided(write_world, check, FILES[kind])
    assert not found.passed
    assert evidence in json.dumps(found.found)


def bomb(inside: str) -> bytes:
    return f'<?xml version="1.0"?><!DOCTYPE a [{inside}]><a>&e;</a>'.encode()


HOSTILE: dict[str, list[tuple[bytes, str]]] = {
    'json = "/a"\nexists = false': [
        (b"[" * 100_000, "JSON"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": NaN}', "NaN"),
        (b"[" + b"1," * 2_000_000 + b"1]", "values"),
        (b"\xff\xfe", "JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "JSON"),
        (b"", "JSON"),
    ],
    'xml = "a"\nexists = false': [
        (bomb('<!ENTITY x "lol"><!ENTITY e "&x;&x;&x;">'), "declares"),
        (bomb('<!ENTITY e SYSTEM "file:///etc/passwd">'), "declares"),
        (bomb('<!ATTLIST a x CDATA "a long default">'), "declares"),
        (b"<a>" * 5000, "XML"),
        (b"<a>" + b"<b/>" * 200_000 + b"</a>", "XML"),
        (b"<a", "well-formed"),
    ],
    'keyfile = "[a] b"\nexists = false': [(b"[a]\nno equals sign here\n", "line 2"), (b"[a]\nb=1\nb=2\n", "twice")],
    'sqlite = { table = "t", where = { a = 1 } }\nexists = false': [
        (b"SQLite format 3\0" + bytes(1000), "SQLite"),
        (b"no database", "no database"),
        (SQL[:-2000], "SQLite"),
    ],
}


@pytest.mark.parametrize(
    ("check", "content", "reason"),
    [(check, *row) for check, rows in HOSTILE.items() for row in rows],
    ids=[f"{check[:6]}-{number}" for check, rows in HOSTILE.items() for number, _ in enumerate(rows)],
)
def test_a_hostile_file_fails_even_the_check_that_nothing_is_there(
    write_world: Writer, check: str, content: bytes, reason: str
) -> None:
    found = decided(write_world, check, content)
    assert not found.passed
    assert reason in str(found.found) and len(str(found.found)) < 1000


def test_a_database_runs_nothing_that_its_file_brings_along(write_world: Writer) -> None:
    schema = "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT 1 AS a;"
    schema += "CREATE TABLE g (a INT, b INT AS (a + 1)); INSERT INTO g VALUES (1);"
    content = database(schema)
    for table in ("v", "g"):
        found = decided(write_world, f'sqlite = {{ table = "{table}", where = {{ a = 1 }} }}\nexists = true', content)
        assert not found.passed and "instead" in str(found.found)


def test_what_is_in_the_log_of_a_database_counts(write_world: Writer, tmp_path: Path) -> None:
    world = resolve(
        str(write_world({'equals = "{word}"': 'sqlite = { table = "t", where = { a = 2 } }\nexists = true'}))
    )
    assert set(world.scenario.recorded) == {"~/note.txt", "~/note.txt-wal", "~/note.txt-journal"}
    path = tmp_path / "data"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t (a INT)")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO t VALUES (2)")
    files = {"~/note.txt": path.read_bytes(), "~/note.txt-wal": Path(f"{path}-wal").read_bytes()}
    connection.close()
    assert judge(world, State(), State(files=files)).success
    assert not judge(world, State(), State(files={"~/note.txt": files["~/note.txt"]})).success


def test_a_part_of_a_file_is_compared_with_what_it_was(write_world: Writer) -> None:
    check = 'json = "/view"\nunchanged = true'
    assert decided(write_world, check, JSON.replace(b'"n": "1"', b'"n": "2"'), JSON).passed
    found = decided(write_world, check, JSON.replace(b"dark", b"light"), JSON)
    assert not found.passed and "dark" in str(found.expected) and "light" in str(found.found)
    assert not decided(write_world, 'json = "/gone"\nunchanged = true', JSON, JSON).passed


@pytest.mark.parametrize(
    ("check", "text", "evidence"),
    [
        ('contains = "hello"', "first\nsay hello\nlast", "line 2: "),
        ('lacks = "hello"', "a\nb\nhello", "line 3: "),
        ('matches = "h.llo"', "x" * 4000 + "\nhello", "line 2: "),
        ('equals = "hello"', "hellO" + "x" * 4000, "differs from character 4"),
        ('contains = "hello"', "x" * 4000, "..."),
    ],
)
def test_a_text_check_shows_the_part_that_it_is_about(
    write_world: Writer, check: str, text: str, evidence: str
) -> None:
    found = decided(write_world, check, text.encode())
    assert evidence in str(found.found) and len(str(found.found)) < 700


@pytest.mark.process
def test_a_pattern_that_would_take_years_fails_instead(write_world: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.worlds.patterns._SECONDS", 1)
    found = decided(write_world, 'matches = "(a+)+$"', b"a" * 60 + b"!")
    assert not found.passed and "takes more than" in str(found.found)
    assert decided(write_world, 'matches = "(a+)+$"', b"x" * 6000 + b"aa").passed


@pytest.mark.parametrize(
    ("reason", "absent"),
    [("no such file", True), ("it is a link, and links are not followed", False), ("is not a regular file", False)],
)
def test_only_what_is_really_absent_is_absent(write_world: Writer, reason: str, absent: bool) -> None:
    world = resolve(str(write_world({'equals = "{word}"': "exists = false"})))
    assert judge(world, State(), State(missing={"~/note.txt": reason})).success is absent


# --- nothing else changed --------------------------------------------------------------------------------------------

GUARD = 'equals = "{word}"\n\n[[scenario.check]]\nname = "nothing else"\nnothing_else_changed = true\n'
GUARD += 'allow = ["~/note.txt", "~/out/*.{word}", "~/.config/**"]'


def home(files: dict[str, str], kinds: dict[str, str] | None = None) -> State:
    content = {f"~/{path}": text.encode() for path, text in files.items()}
    listing: list[dict[str, Any]] = [{"path": path, "kind": "file", "size": len(one)} for path, one in content.items()]
    listing += [{"path": f"~/{path}", "kind": kind, "size": 0} for path, kind in (kinds or {}).items()]
    return State(files=content, data={"files": listing})


BEFORE = {"note.txt": "start", "keep.txt": "a\nb\n"}
SOLVED = BEFORE | {"note.txt": "hello"}


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        (home(SOLVED), {}),
        (home(SOLVED | {".config/app/rc": "x", "out/a.hello": "x"}, {"out": "folder", ".config": "folder"}), {}),
        (home(SOLVED | {"out/a.txt": "x"}), {"~/out/a.txt": "added"}),
        (home({"note.txt": "hello"}), {"~/keep.txt": "removed"}),
        (home(SOLVED | {"keep.txt": "a\nc\n"}), {"~/keep.txt": "line 2 was 'b', is 'c'"}),
        (home({"note.txt": "hello"}, {"keep.txt": "link"}), {"~/keep.txt": "was a file, is a link"}),
        (home(SOLVED, {"new": "folder"}), {"~/new": "added: folder"}),
        (home(SOLVED, {"~": "unreadable"}), {"~/~": "not recorded"}),
    ],
)
def test_a_guard_names_what_else_changed(write_world: Writer, after: State, changed: dict[str, str]) -> None:
    world = resolve(str(write_world({'equals = "{word}"': GUARD})))
    verdict = judge(world, home(BEFORE), after)
    assert verdict.success is not bool(changed), verdict
    if changed:
        assert verdict.reward == 0 and not verdict.integrity
        first = verdict.checks[1].found["first"]
        assert first.keys() == changed.keys() and all(words in first[path] for path, words in changed.items())


CHANGED = {
    "json": (JSON, JSON.replace(b"dark", b"light").replace(b'"x"', b'"y"'), "/view/theme", "/tabs/0/name"),
    "xml": (XML, XML.replace(b"one", b"1").replace(b'"b"', b'"c"'), "/set/item[1]", "/set/item[2]/@id"),
    "keyfile": (INI, INI.replace(b"150", b"100") + b"new=1\n", "[View] zoom", "[Desktop Entry] new"),
    "sqlite": (SQL, SQL.replace(b"hello", b"hallo").replace(b"bread", b"break"), "/notes/1/title", "/notes/3/title"),
}


@pytest.mark.parametrize("kind", CHANGED)
def test_a_guard_inside_of_a_file_names_the_values_that_changed(write_world: Writer, kind: str) -> None:
    before, after, first, second = CHANGED[kind]
    guard = f'nothing_else_changed = true\nformat = "{kind}"\nweight = 1\nallow = '
    assert decided(write_world, f"{guard}[]", before, before).passed
    assert set(decided(write_world, f"{guard}[]", after, before).found["first"]) == {first, second}
    assert set(decided(write_world, f"{guard}['{first}']", after, before).found["first"]) == {second}
    assert decided(write_world, f"{guard}['{first}', '{second[:-2]}*']", after, before).passed
    assert not decided(write_world, f"{guard}['**']", b"\0", before).passed


def test_patterns_of_paths() -> None:
    assert covers("~/*.txt", "~/a.txt") and not covers("~/*.txt", "~/b/a.txt")
    assert covers("~/**", "~/b/a.txt") and covers("~/**/*.txt", "~/a.txt") and covers("~/**/*.txt", "~/b/c/a.txt")
    assert not covers("~/a.txt", "~/a-txt") and covers("~/a?.txt", "~/ab.txt")


# --- what world.toml may say -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ('json = "/a"\nxml = "a"\nequals = "b"', "json and xml: expected one address"),
        ('json = "/a~2"\nequals = "b"', "scenario[0].check[0].json: JSON Pointer"),
        ('json = "a[x]"\nequals = "b"', "JSON path 'a[x]' is not understood"),
        ('xml = "//a["\nequals = "b"', "XML path '//a[' is not understood"),
        ('xml = "ns:a"\nequals = "b"', "prefix 'ns' not found"),
        ('xml = "a/@ns:b"\nequals = "b"', 'namespaces.ns = "http://..."'),
        ('keyfile = "[a"\nequals = "b"\nvalues = "some"', "values: input should be 'one', 'any' or 'all'"),
        ('keyfile = "a=b"\nequals = "b"', "expected [group] key"),
        ('xml = "a"\nequals = 12', "values here are texts"),
        ("equals = 12", "values here are texts"),
        ('sqlite = { table = "t" }\nequals = true', "keeps true as 1"),
        ('sqlite = { tabel = "t" }\nequals = 1', "did you mean table?"),
        ('json = "/a"\nequals = 1979-05-27', "JSON has no dates"),
        ('equlas = "x"', "did you mean equals"),
        ("count = 1", "count is for an address"),
        ('equals = "x"\nvalues = "any"', "values is for an address"),
        ('equals = "x"\nwithin = 1', "within is for close_to"),
        ('equals = "x"\nat_least = 1', "a check has one of"),
        ('equals = "x"\nallow = ["~/a"]', "allow is for nothing_else_changed"),
        ('equals = "x"\nnothing_else_changed = true', "with file = ... and format = ..."),
        ('json = "/{wrod}"\nequals = "x"', "uses 'wrod', which the instance does not have"),
        ('lacks = ""', "lacks"),
    ],
)
def test_a_wrong_check_is_named_with_its_key(write_world: Writer, check: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_folder(write_world({'equals = "{word}"': check}))
    assert message in str(caught.value) and "world.toml" in str(caught.value)
