"""What holds for every app of the phone, found by walking through it without a browser; `-k APP` runs one of them."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from urllib.parse import urlencode

import pytest

from fairground.core import Configuration
from fairground.prove.app_check.tasks import check_tasks
from fairground.worlds import World
from fairground_pocket import suite
from fairground_pocket.kit import HOME, PROFILES, Database, Hand, PocketApp, Task, profiles
from fairground_pocket.kit.hand import form_of as belongs
from fairground_pocket.kit.reading import TEXT_ROLES
from fairground_pocket.kit.serving import Request

from .crawling import APPS, kind, pages, phone, sheets, target

pytestmark = pytest.mark.conformance

# Tests of one app run one after the other, in one process: they share the walk through its pages.
every_app = pytest.mark.parametrize("app", APPS, ids=lambda app: app.name, scope="module")
some_and_all_profiles = pytest.mark.parametrize(
    "some", [pytest.param(PROFILES[::4], id="some"), pytest.param(PROFILES, id="all", marks=pytest.mark.slow)]
)

HOSTILE = {
    "html": "<img src=x onerror=alert(1)><script>alert(1)</script></textarea></form>\"'>",
    "sql": "'; DROP TABLE settings; -- \" OR 1=1 %_\\",
    "emoji": "🙂👩‍👩‍👧‍👦 zero\u200bwidth é\u0301",
    "right-to-left": "\u202eשלום مرحبا\u202c",
    "long": "x" * 10_000,
    "control": "a\x00b\x07\r\nc{}{0}{x.y}",
}
LEAST = {"profiles": 10, "themes": 10, "ui-states": 10, "scenarios": 26, "questions": 7, "instances-each": 10}
TASKS = [scenario for scenario in suite.scenarios if isinstance(scenario, Task)]


@every_app
def test_an_app_has_oracles_proofs_and_enough_different_tasks(app: PocketApp) -> None:
    items = {item.name: item for item in check_tasks(suite, app, quick=True, least=LEAST)}
    for name in ("axes", "oracles", "start", "mutants"):
        assert items[name].status == "passed", items[name]
    tasks = [task for task in TASKS if task.app == app.name]
    assert len({task.template for task in tasks}) == len(tasks)
    for task in tasks:
        assert len({repr(bound) for bound in task.instances.values()}) == len(task.instances), task.name


@every_app
def test_every_control_has_a_name_of_its_own(app: PocketApp) -> None:
    count = 0
    for page in pages(app):
        assert page.status == 200, f"{page.path} is linked to and answers {page.status}"
        for fragment in sheets(page):
            names: dict[str, set[str]] = defaultdict(set)
            for element in page.reachable(fragment):
                assert element.name, f"{page.path}#{fragment}: {element.tag} {element.attributes} has no name"
                names[element.name].add(target(page, element))
                count += 1
            doubled = {name: found for name, found in names.items() if len(found) > 1}
            assert not doubled, f"{page.path}#{fragment}"
    assert count > 200, "the walk found the app"


@every_app
def test_no_page_needs_a_native_picker_or_anything_from_outside(app: PocketApp) -> None:
    for page in pages(app):
        for element in page.root.walk():
            assert element.tag not in ("select", "iframe", "img", "style", "object"), page.path
            assert element.get("type") not in ("date", "time", "file", "color", "number", "datetime-local"), page.path
            assert "style" not in element.attributes and not any(name.startswith("on") for name in element.attributes)
            for name in ("href", "src", "action"):
                if element.get("rel") != "icon":  # an empty one, so that no browser asks for another
                    assert re.match(r"[/#]|$", element.get(name)) and not element.get(name).startswith("//")
        assert page.reachable()[-1].name == HOME


@every_app
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name, marks=() if name in ("html", "sql", "control") else pytest.mark.slow)
        for name, text in HOSTILE.items()
    ],
)
def test_hostile_text_in_any_field_is_kept_and_shown_as_text(app: PocketApp, text: str) -> None:
    here = phone(app, PROFILES[0])
    content = here.database(app.name).dump()
    hand = Hand(here.respond)
    assert any(texts for _, _, texts in forms(app))
    for where, fields, texts in forms(app):
        method, _, action = where.partition(" ")
        sent = [*fields, *((name, text) for name in texts)]
        if method == "post":
            here.database(app.name).load(content)
            answer = here.respond(Request("POST", action, {}, {name: [value] for name, value in sent}))
            shown = [answer.body.decode(), hand.open(answer.headers.get("Location", f"/{app.name}/")).html]
            hidden = here.respond(Request("POST", action, {}, {name: [text] for name, _ in sent}))
            assert answer.status < 500 and hidden.status < 500, action
        else:
            shown = [hand.open(f"{action}?{urlencode(sent)}").html]
        for page in shown:
            assert "<script>" not in page and "<img" not in page, action
            assert page.count("<textarea") == page.count("</textarea>") and page.count("<form") == page.count("</form>")
    for path in ("/%3Cscript%3E", "/x" * 50, f"/{'9' * 30}", "/?page=-1", "/?page=99999999", "/?q=%00%ff"):
        assert here.respond(Request("GET", f"/{app.name}{path}", {})).status in (200, 404)


@every_app
@some_and_all_profiles
def test_a_profile_is_the_same_every_time_and_large_enough(app: PocketApp, some: tuple[str, ...]) -> None:
    for profile in some:
        content = profiles.build(app.site, app.fill, profile)
        assert content == app.content(profile), "which may come from another process"
        database = Database(content)
        tables = database.column("SELECT name FROM sqlite_master WHERE type = 'table'")
        assert sum(database.one(f'SELECT count(*) FROM "{table}"') for table in tables) > 300
        assert database.rows("PRAGMA foreign_key_check") == []
        database.close()
    assert len({app.content(profile) for profile in some}) == len(some) and len(app.profiles) == len(PROFILES) == 10


@every_app
@some_and_all_profiles
def test_every_ui_state_opens_on_every_profile_and_changes_nothing(app: PocketApp, some: tuple[str, ...]) -> None:
    task = next(task for task in TASKS if task.app == app.name)
    shown = set()
    for profile in some:
        for ui_state in app.ui_states:
            world = _world(task, next(iter(task.instances)), profile, ui_state=ui_state)
            here = app.phone(world)
            before = here.database(app.name).dump()
            page = Hand(here.respond, app.start(here, world)).page
            assert page.status == 200, f"{ui_state} on {profile}: {page.path}"
            assert here.database(app.name).dump() == before
            shown.add(page.html + app.start(here, world))
            here.close()
    assert len(shown) == len(some) * len(app.ui_states)


@cache
def forms(app: PocketApp) -> tuple[tuple[str, list[tuple[str, str]], list[str]], ...]:
    """Every kind of form of an app: method and address, what it holds, and its text fields."""
    found: dict[str, tuple[str, list[tuple[str, str]], list[str]]] = {}
    for page in pages(app):
        for form in (element for element in page.root.walk() if element.tag == "form"):
            inside = [one for one in page.root.walk() if one.get("name") and belongs(page, one) is form]
            texts = [one.get("name") for one in inside if one.role in TEXT_ROLES]
            fields = [(one.get("name"), one.get("value")) for one in inside if one.tag == "input" and not one.role]
            key = kind(form.get("action")) + ",".join(texts)
            found.setdefault(key, (f"{form.get('method')} {form.get('action')}", fields, texts))
    return tuple(found.values())


def _world(task: Task, instance: str, profile: str, *, ui_state: str = "") -> World:
    app = suite.app(task.app)
    state = ui_state or next(iter(app.ui_states))
    names = {"scenario": task.name, "instance": instance, "profile": profile, "theme": "paper", "ui_state": state}
    return World.of(suite, Configuration(suite=suite.name, app=task.app, **names))
