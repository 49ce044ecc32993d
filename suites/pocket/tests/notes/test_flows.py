"""The whole app through its own links and forms, without a line of JavaScript."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fairground_pocket.notes.app import build, start
from fairground_pocket.notes.pages import when
from fairground_pocket.notes.profiles import PROFILES
from fairground_pocket.notes.store import NOTES, NOW, Note, Store
from fairground_pocket.notes.themes import THEMES

from .reader import Client, Page, world

pytestmark = pytest.mark.conformance


def changed(client: Client, before: dict[str, Any]) -> dict[str, Any]:
    """What differs from an earlier dump: fields of notes by title, and whatever else."""
    after = client.phone.store.dump()
    old = {row["id"]: row for row in before["notes"]}
    new = {row["id"]: row for row in after["notes"]}
    found: dict[str, Any] = {f"gone: {old[id]['title']}": True for id in old.keys() - new.keys()}
    for id, row in new.items():
        fields = {name: value for name, value in row.items() if id not in old or old[id][name] != value}
        if fields:
            found[row["title"]] = fields
    return found | {name: after[name] for name in ("labels", "settings") if after[name] != before[name]}


@pytest.fixture
def before(client: Client) -> dict[str, Any]:
    return client.phone.store.dump()


def test_the_list_shows_pinned_notes_first_and_then_the_last_edited(client: Client) -> None:
    page = client.get("/")
    shown = [client.note(title) for title in page.titles]
    assert {note.id for note in shown} == {note.id for note in client.phone.store.notes() if not note.trashed}
    assert [note.pinned for note in shown] == sorted((note.pinned for note in shown), reverse=True)
    for group in (True, False):
        dates = [note.modified for note in shown if note.pinned is group]
        assert dates == sorted(dates, reverse=True) and len(dates) > 1


def test_search_finds_all_words_in_title_and_text_whatever_their_case(client: Client) -> None:
    page = client.get("/").submit("Search", q="BRIDGE span")
    assert page.titles == ["Measurements, Weir Bridge"]
    assert "<mark>Bridge</mark>" in page.text and "<mark>Span</mark>" in page.text
    assert 'value="BRIDGE span"' in page.text


def test_a_search_without_results_says_so_and_can_be_left(client: Client) -> None:
    page = client.get("/").submit("Search", q="xylophone")
    assert page.titles == [] and "No notes found" in page.words
    assert len(page.submit("Search", q="").titles) > 80


def test_a_label_filters_and_stays_while_searching_and_reading(client: Client) -> None:
    page = client.get("/").follow("Recipes")
    assert page.titles and all("Recipes" in client.note(title).labels for title in page.titles)
    soup = page.submit("Search", q="soup")
    assert "Lentil soup from Lea" in soup.titles and len(soup.titles) < len(page.titles)
    assert soup.follow("Lentil soup from Lea").follow("Back").titles == soup.titles


def test_an_app_without_notes_invites_to_write_one(client: Client) -> None:
    client.phone.swap(Store("Nobody", [], [], "paper"))
    assert "No notes yet" in client.get("/").words and "The trash is empty" in client.get("/trash").words


def test_a_note_shows_its_title_text_labels_and_dates(client: Client) -> None:
    page = client.get("/").follow("Five-minute noodles")
    assert "80 cents a bowl" in page.words and "Edited 2 Feb" in page.words
    assert {"Recipes", "Money"} <= set(re.findall(r">(\w+)</li>", page.text))


def test_writing_a_note(client: Client, before: dict[str, Any]) -> None:
    page = client.get("/").follow("New note")
    page = page.submit(
        "Save", title="  Buy   chalk ", body="Two\r\nboxes \n", new_label="Art", add=(("label", "Flat"),)
    )
    assert "Saved" in page.words and "Buy chalk" in page.words
    found = changed(client, before)
    assert found["Buy chalk"]["body"] == "Two\nboxes" and found["Buy chalk"]["labels"] == ["Flat", "Art"]
    assert found["labels"] == [*before["labels"], "Art"] and len(found) == 2
    titles = client.get("/").titles
    assert titles.index("Buy chalk") == sum(row["pinned"] for row in before["notes"]), "newest after the pinned ones"


@pytest.mark.parametrize("title", ["", "   ", "\x00\x07", "\r\n"])
def test_a_note_needs_a_title_and_nothing_typed_is_lost_without_one(
    client: Client, before: dict[str, Any], title: str
) -> None:
    page = client.get("/new").submit("Save", title=title, body="Long <text>", new_label="Art", add=(("label", "Flat"),))
    assert page.status == 422 and "A note needs a title" in page.words
    form = page.forms[0]
    assert ("body", "Long <text>") in form.fields and ("label", "Flat") in form.fields
    assert ("new_label", "Art") in form.fields
    assert changed(client, before) == {}


def test_a_refused_edit_leaves_the_note_as_it_was(client: Client, before: dict[str, Any]) -> None:
    page = client.get("/").follow("Landlord").follow("Edit note").submit("Save", title="", body="other")
    assert page.status == 422
    assert changed(client, before) == {}
    assert "Landlord" in page.follow("Cancel").words


def test_saving_without_a_change_changes_nothing(client: Client, before: dict[str, Any]) -> None:
    for row in before["notes"]:
        if row["trashed"] is None:
            client.get(f"/note/{row['id']}/edit").submit("Save")
    assert changed(client, before) == {}


def test_editing_changes_the_text_and_its_date(client: Client, before: dict[str, Any]) -> None:
    page = client.get("/").follow("Landlord").follow("Edit note").submit("Save", title="Ms Brandt")
    assert "Edited 09:31" in page.words
    assert changed(client, before) == {"Ms Brandt": {"title": "Ms Brandt", "modified": "2025-03-14T09:31:00"}}


def test_a_label_that_exists_in_another_case_is_not_made_twice(client: Client, before: dict[str, Any]) -> None:
    client.get("/").follow("Landlord").follow("Edit note").submit("Save", new_label="mONEY")
    assert changed(client, before) == {"Landlord": {"labels": ["Money", "Flat"]}}


def test_pinning_and_its_undo(client: Client, before: dict[str, Any]) -> None:
    page = client.get("/").follow("Landlord").submit("Pin")
    assert "Pinned" in page.words
    assert changed(client, before) == {"Landlord": {"pinned": True}}
    assert "Landlord" in client.get("/").titles[:4]
    page = page.submit("Undo")
    assert "Unpinned" in page.words and changed(client, before) == {}
    page.submit("Pin").submit("Unpin")
    assert changed(client, before) == {}


def test_the_trash_and_its_undo_leave_no_trace(client: Client, before: dict[str, Any]) -> None:
    note = client.get("/").follow("Exam dates")
    assert note.links["Move to trash"] == "#sheet" and note.links["Cancel"] == "#", "it asks first"
    page = note.submit("Move to trash")
    assert "Moved to trash" in page.words and "Exam dates" not in page.titles
    assert "Exam dates" in client.get("/trash").titles
    page = page.submit("Undo")
    assert page.titles[1] == "Exam dates", "pinned as before"
    assert changed(client, before) == {}


def test_restoring_from_the_trash(client: Client, before: dict[str, Any]) -> None:
    page = client.get("/trash").follow("Old phone contract")
    assert "In the trash since 7 Feb" in page.words and "Edit note" not in page.links
    page = page.submit("Restore")
    assert "Restored" in page.words and "Old phone contract" not in page.titles
    assert changed(client, before) == {"Old phone contract": {"trashed": None}}
    assert "Old phone contract" in page.submit("Undo").titles


def test_deleting_for_ever(client: Client, before: dict[str, Any]) -> None:
    page = client.get("/trash").follow("Old phone contract").submit("Delete for ever")
    assert "Deleted for ever" in page.words and "Undo" not in page.words
    assert changed(client, before) == {"gone: Old phone contract": True}


def test_emptying_the_trash_takes_only_what_is_in_it(client: Client, before: dict[str, Any]) -> None:
    page = client.get("/trash").submit("Empty trash")
    assert "The trash is empty" in page.words
    thrown = {f"gone: {row['title']}": True for row in before["notes"] if row["trashed"]}
    assert thrown and changed(client, before) == thrown


def test_a_note_outside_of_the_trash_cannot_be_deleted_for_ever(client: Client, before: dict[str, Any]) -> None:
    client.post(f"/note/{client.note('Landlord').id}/delete")
    assert changed(client, before) == {}


def test_a_note_in_the_trash_cannot_be_edited(client: Client, before: dict[str, Any]) -> None:
    number = client.note("Old phone contract").id
    assert client.get(f"/note/{number}/edit").status == 409
    assert client.post(f"/note/{number}/edit", {"title": "x"}).status == 409
    assert changed(client, before) == {}


@pytest.mark.parametrize("sort", ["oldest", "title"])
def test_settings_change_the_order_of_the_list(client: Client, before: dict[str, Any], sort: str) -> None:
    page = client.get("/settings").submit("Save settings", sort=sort)
    assert "Settings saved" in page.words
    notes = [note for note in map(client.note, client.get("/").titles) if not note.pinned]
    keys: list[Any] = [note.title.casefold() if sort == "title" else note.modified for note in notes]
    assert keys == sorted(keys)
    assert changed(client, before) == {"settings": before["settings"] | {"sort": sort}}


def test_settings_show_whose_phone_it_is_and_the_theme_which_can_be_switched(client: Client) -> None:
    page = client.get("/settings")
    assert "Mira Okafor" in page.words and ("theme", "paper") in page.forms[0].fields
    page = page.submit("Save settings", theme="board")
    assert 'data-theme="board" data-layout="cards"' in page.text and ("theme", "board") in page.forms[0].fields


def test_a_setting_that_does_not_exist_is_ignored(client: Client, before: dict[str, Any]) -> None:
    client.post("/settings", {"sort": "random", "theme": "<b>", "owner": "Mallory"})
    assert changed(client, before) == {}


def test_a_toast_says_nothing_that_is_not_so(client: Client) -> None:
    number = client.note("Landlord").id
    for what in ("pinned", "trashed", "nonsense", "<b>"):
        page = client.get(f"/?toast={what}&note={number}")
        assert 'class="toast"' not in page.text
    for note in ("0", "99999999", "-1", "x", "", "9" * 40):
        assert 'class="toast"' not in client.get(f"/?toast=unpinned&note={note}").text


def test_there_is_an_end_to_writing_notes(client: Client) -> None:
    empty = Note("x", "", NOW, NOW)
    client.phone.swap(Store("Nobody", [], [empty] * NOTES, "paper"))
    page = client.get("/new").submit("Save", title="One more")
    assert page.status == 422 and "too many notes" in page.words
    assert len(client.phone.store.notes()) == NOTES


@pytest.mark.parametrize("profile", PROFILES)
def test_every_ui_state_has_its_screen_on_every_profile(client: Client, profile: str) -> None:
    pages: dict[str, Page] = {}
    for ui_state in ("list", "search", "note"):
        here = world(profile=profile, ui_state=ui_state)
        client.phone.swap(build(here))
        pages[ui_state] = client.get(start(client.phone.store, here.ui_state))
    assert 'value="list"' in pages["search"].text
    assert 0 < len(pages["search"].titles) < len(pages["list"].titles)
    assert "Wi-Fi password" in pages["note"].words and pages["note"].links["Edit note"]


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_changes_how_pages_look_and_nothing_that_they_say(client: Client, theme: str) -> None:
    plain = client.get("/").words
    client.phone.swap(build(world(theme=theme)))
    page = client.get("/")
    assert page.words == plain
    assert f'data-theme="{theme}" data-layout="{THEMES[theme]["layout"]}"' in page.text


def test_dates_are_said_as_a_phone_says_them() -> None:
    assert when(NOW) == "09:30"
    assert when(NOW.replace(day=13, hour=23)) == "Yesterday"
    assert when(NOW.replace(day=2)) == "2 Mar"
    assert when(NOW.replace(year=2024, month=12, day=31)) == "31 Dec 2024"
