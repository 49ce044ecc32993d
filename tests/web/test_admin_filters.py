"""The filters' settings in the admin's room: refusals first, then what a change does to the count."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fairground.arena import Store, all_votes
from fairground.arena.schema import votes
from fairground.web import Site, serving
from tests.web.arena_stage import HOSTILE, Client, fill, judge, patient

pytestmark = pytest.mark.process

PATH = "/api/admin/filters/settings"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Store(tmp_path / "arena.sqlite") as store:
        yield Site(store, tmp_path / "home", rates=patient())


@pytest.fixture
def admin(site: Site) -> Iterator[Client]:
    with serving(site) as url:
        yield Client(url, site, judge(site.store, "admin"))


def test_silly_settings_and_other_peoples_are_refused_in_words(admin: Client) -> None:
    for silly in (
        {"too_fast": -1}, {"too_fast": 1e9}, {"too_fast": "soon"}, {"outlier_level": 1}, {"min_shared": 0},
        {"phrases": ["\0"]}, {"phrases": ["..."]}, {"duplicates": "yes"}, {"after": -1}, {"unknown": 1},
    ):  # fmt: skip
        answer = admin.post(PATH, {"after": 0, **silly})
        assert answer.status == 422 and next(iter(silly)) in answer.json["error"], silly
    assert admin.post(PATH, {"too_fast": 3.0}).status == 422, "who does not say what they saw changes nothing"
    assert admin.post(PATH, {"after": 1, "too_fast": 3.0}).status == 403
    assert [one["number"] for one in admin.get(PATH).json["changes"]] == [0]


def test_a_change_is_shown_kept_and_counted_at_once(admin: Client, site: Site) -> None:
    ids = fill(site.store, 10)
    with site.store.write() as connection:
        connection.execute(votes.update().where(votes.c.battle == ids[0]).values(seconds=6.0))
    said = admin.post(PATH, {"after": 0, "too_fast": 8, "phrases": [HOSTILE]}).json
    assert said["flagged"] == {"too-fast": 1} and said["number"] == 1
    assert said["settings"]["too_fast"] == 8 and said["settings"]["min_shared"] == 8, "what is not said stays"
    assert [row.battle for row in all_votes(site.store) if not row.counts] == [ids[0]]
    page = admin.get("/admin/filters").text
    assert 'name="too_fast" value="8"' in page and "5 → 8" in page.replace("<bdi>", "").replace("</bdi>", "")
    assert "<img" not in page and "&lt;img" in page and ">you<" in page
    assert admin.post(PATH, {"after": 1, "too_fast": 0}).json["flagged"] == {}
    assert len(all_votes(site.store)) == 10
