"""Profiles: one that Chromium wrote while the test used it, and edited ones."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import StateError
from fairground.verify.reading.chromium import (
    Bookmark,
    Profile,
    chromium_time,
    leaves,
    read_bookmarks,
    read_history,
    read_preferences,
    read_profile,
)

from .browsing import SETTINGS, browse

pytestmark = pytest.mark.slow  # starts Chromium on a desktop


@pytest.fixture(scope="module")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], dict[str, Any]]:
    return browse(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="module")
def files(browsed: tuple[dict[str, bytes], dict[str, Any]]) -> dict[str, bytes]:
    return browsed[0]


@pytest.fixture(scope="module")
def profile(files: dict[str, bytes]) -> Profile:
    return read_profile(files)


@pytest.mark.slow
def test_bookmarks_are_those_that_the_browser_says_it_has(
    profile: Profile, browsed: tuple[dict[str, bytes], dict[str, Any]]
) -> None:
    def shape(mark: Bookmark) -> object:
        return mark.url or (mark.title, [shape(child) for child in mark.children], [c.title for c in mark.children])

    def said_shape(node: dict[str, Any]) -> object:
        inner = node.get("children", [])
        return node.get("url") or (node["title"], [said_shape(child) for child in inner], [c["title"] for c in inner])

    bar, other = browsed[1]["bookmarks"][0]["children"][:2]
    assert shape(profile.bookmarks.bar) == said_shape(bar)
    assert shape(profile.bookmarks.other) == said_shape(other)
    ((path, mark),) = profile.bookmarks.with_url("https://example.org/budget")
    assert path == ("bar", "Grants é 2026", "Budgets", 'Sheet "A"')
    assert mark.added is not None and mark.added.year >= 2024
    assert profile.bookmarks.at("bar", "Grants é 2026")[0].is_folder


@pytest.mark.slow
def test_bookmarks_edited_behind_the_browser_do_not_look_genuine(files: dict[str, bytes]) -> None:
    assert read_bookmarks(files["Bookmarks"]).genuine
    edited = read_bookmarks(files["Bookmarks"].replace(b"https://example.org/budget", b"https://example.org/forged"))
    assert not edited.genuine
    assert edited.with_url("https://example.org/forged")


def test_history_has_the_pages_in_the_order_they_were_visited(
    profile: Profile, browsed: tuple[dict[str, bytes], dict[str, Any]]
) -> None:
    address = browsed[1]["address"]
    visits = [visit for visit in profile.history.visits if visit.url.startswith(address)]
    assert [visit.url.removeprefix(address) for visit in visits] == ["/grant", "/other", "/grant"]
    page = next(page for page in profile.history.pages if page.url == f"{address}/grant")
    assert (page.title, page.visits) == ("Page é of /grant", 2)
    assert profile.history.visited(f"{address}/other") and not profile.history.visited(f"{address}/never")


def test_settings_are_those_that_the_browser_says_it_has(
    profile: Profile, browsed: tuple[dict[str, bytes], dict[str, Any]]
) -> None:
    preferences = profile.preferences
    assert {path: preferences.get(path) for path in SETTINGS} == browsed[1]["settings"] == SETTINGS
    assert preferences.homepage == "https://example.org/home" and not preferences.homepage_is_new_tab
    assert (preferences.startup, len(preferences.startup_urls)) == ("pages", 2)
    assert (preferences.font_size, preferences.minimum_font_size, preferences.fixed_font_size) == (20, 9, 13)
    assert preferences.default_zoom == 1.25
    assert (preferences.search_engine, preferences.search_keyword) == ("Microsoft Bing", "bing.com")
    assert preferences.do_not_track and preferences.ask_where_to_save and preferences.show_bookmark_bar
    assert preferences.cookies == "third-party blocked" and not preferences.save_passwords
    assert all(extension.built_in for extension in preferences.extensions)


def test_cookies_engines_and_addresses_are_read_without_secrets(profile: Profile) -> None:
    (cookie,) = (cookie for cookie in profile.cookies if cookie.name == "session")
    assert (cookie.host, cookie.http_only, cookie.persistent) == ("127.0.0.1", True, True)
    assert "secret" not in json.dumps(profile.to_json())
    assert "duckduckgo.com" in {engine.keyword for engine in profile.web_data.engines}
    (address,) = profile.web_data.addresses
    assert (address[7], address[33], address[35], address[9]) == ("Ada Byron", "London", "SW1A 1AA", "ada@example.org")
    assert profile.local_state.profiles


def test_leaves_tell_a_change_and_ignore_dates(files: dict[str, bytes], profile: Profile) -> None:
    later = json.loads(files["Bookmarks"])
    later["roots"]["other"]["date_modified"] = "13439279999999999"
    later["roots"]["other"]["children"][0]["date_last_used"] = "13439279999999999"
    assert leaves(read_profile(files | {"Bookmarks": json.dumps(later).encode()})) == leaves(profile)
    later["roots"]["other"]["children"][0]["name"] = "Renamed"
    changed = leaves(read_profile(files | {"Bookmarks": json.dumps(later).encode()}))
    differs = {path for path in changed | leaves(profile) if changed.get(path) != leaves(profile).get(path)}
    assert differs == {"bookmarks.other.order", "bookmarks.other/日本 😀.url", "bookmarks.other/Renamed.url"}


def test_a_profile_that_was_never_used_is_empty() -> None:
    profile = read_profile({})
    assert profile.bookmarks.bar.children == () and profile.history.pages == ()
    assert (profile.preferences.startup, profile.preferences.font_size) == ("new tab", 16)
    assert "History" in profile.missing


def test_downloads_and_searches_are_read(files: dict[str, bytes]) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(files["History"])
        columns = [row[1] for row in connection.execute("PRAGMA table_info(downloads)")]
        said: dict[str, object] = dict.fromkeys(columns, "") | {
            **dict.fromkeys(("danger_type", "interrupt_reason", "opened", "last_access_time", "transient"), 0),
            **{"id": 1, "state": 1, "received_bytes": 10, "total_bytes": 10, "target_path": "/home/user/a.pdf"},
            **{"start_time": 13439279843477730, "end_time": 13439279843477730, "mime_type": "application/pdf"},
        }
        connection.execute(f"INSERT INTO downloads VALUES ({','.join('?' * len(columns))})", tuple(said.values()))
        for index, url in enumerate(("https://example.org/a", "https://example.org/a.pdf")):
            connection.execute("INSERT INTO downloads_url_chains VALUES (1, ?, ?)", (index, url))
        connection.execute("INSERT INTO keyword_search_terms VALUES (2, 1, 'grant budget', 'grant budget')")
        connection.commit()
        history = read_history(connection.serialize())
    (download,) = history.downloads
    assert (download.url, download.final_url) == ("https://example.org/a", "https://example.org/a.pdf")
    assert (download.path, download.state, download.total) == ("/home/user/a.pdf", "complete", 10)
    assert history.searches == ("grant budget",)


def test_site_settings_zooms_fonts_and_search_engine_are_named() -> None:
    preferences = read_preferences(
        json.dumps(
            {
                "profile": {
                    "default_content_setting_values": {"notifications": 2, "has_migrated": True},
                    "content_settings": {
                        "exceptions": {
                            "geolocation": {"https://example.org:443,*": {"setting": 1}},
                            "site_engagement": {"https://example.org:443,*": {"setting": {"points": 3}}},
                        }
                    },
                },
                "partition": {"per_host_zoom_levels": {"x": {"example.org": {"zoom_level": 2.223901}}}},
                "webkit": {"webprefs": {"fonts": {"standard": {"Zyyy": "DejaVu Serif"}}}},
            }
        ).encode(),
        b'{"default_search_provider_data": {"template_url_data": {"short_name": "Wiki", "keyword": "w", "url": "u"}}}',
    )
    assert preferences.content_defaults == {"notifications": "block"}
    assert preferences.content_exceptions == {"geolocation": {"https://example.org:443,*": "allow"}}
    assert preferences.zooms == {"example.org": 1.5}
    assert preferences.fonts == {"standard": "DejaVu Serif"}
    assert preferences.search_engine == "Wiki"


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"roots": {}, "version": 1}', b'{"roots": [], "version": 1}', b'{"version": 1', b"\xff"],
    ids=repr,
)
def test_what_is_no_bookmarks_file_is_an_error(data: bytes) -> None:
    with pytest.raises(StateError):
        read_bookmarks(data)


def test_folders_nested_without_end_are_an_error() -> None:
    node: dict[str, Any] = {"id": "1", "name": "x", "type": "folder", "date_added": "0"}
    deep = node
    for _ in range(80):
        deep = node | {"children": [deep]}
    with pytest.raises(StateError):
        read_bookmarks(
            json.dumps({"version": 1, "roots": {"bookmark_bar": deep, "other": node, "synced": node}}).encode()
        )


@pytest.mark.parametrize(
    "wrong", ['{"homepage": 5}', '{"session": {"startup_urls": "x"}}', '{"extensions": {"settings": {"a": 1}}}', "[]"]
)
def test_a_setting_of_the_wrong_type_is_an_error(wrong: str) -> None:
    with pytest.raises(StateError, match="preferences"):
        read_preferences(wrong.encode())


def test_moments_are_counted_from_1601() -> None:
    assert chromium_time(11644473600000000) == datetime(1970, 1, 1, tzinfo=UTC)
    assert chromium_time(0) is None
    with pytest.raises(StateError):
        chromium_time(2**62)


@given(st.data())
def test_a_damaged_profile_is_read_or_an_error(files: dict[str, bytes], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(files)))
    raw = bytearray(files[name])
    for _ in range(data.draw(st.integers(1, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        leaves(read_profile({name: bytes(raw[: data.draw(st.integers(0, len(raw)))])}))
    except StateError as error:
        assert error.message
