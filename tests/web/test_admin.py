"""The admin's room: nobody else comes in by any way, and nothing that strangers send does more than it says."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from fastapi import FastAPI

from fairground.arena import (
    Store,
    Task,
    Vote,
    accept,
    active_agents,
    all_invitations,
    all_votes,
    begin,
    cast,
    flag,
    invite,
    new_battle,
    to_judge,
)
from fairground.arena.schema import votes
from fairground.core import InvalidInput
from fairground.web import Site, serving
from fairground.web.arena.admin_data import MAX_IMPORT
from fairground.web.site import make_app
from tests.arena.conftest import postgresql as postgresql
from tests.arena.conftest import url as url
from tests.waiting import eventually
from tests.web.arena_stage import HOSTILE, Client, fill, judge, markup, patient

pytestmark = pytest.mark.process


@pytest.fixture
def site(store: Store, tmp_path: Path) -> Site:
    return Site(store, tmp_path / "home", rates=patient())


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    with serving(site) as url:
        yield url


@pytest.fixture
def admin(address: str, site: Site) -> Client:
    return Client(address, site, judge(site.store, "admin"))


def to_judge_one(store: Store, text: str = "Add it up", **more: Any) -> tuple[str, str]:
    """A battle with a vote on it that can still be changed: the battle and the voter."""
    person = judge(store)
    battle = new_battle(store, person, Task(world="desk/calc", text=text, **more)).id
    begin(store, battle, {"a": "f", "b": "f"})
    to_judge(store, battle)
    cast(store, battle, person, Vote(winner="a", comment=HOSTILE))
    with store.write() as connection:  # a busy machine may take longer
        connection.execute(votes.update().where(votes.c.battle == battle).values(seconds=1.0))
    return battle, person.id


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """Every way into the room that the application has."""
    home = tmp_path_factory.mktemp("ways")
    with Store(home / "arena.sqlite") as store:
        app: FastAPI = make_app(Site(store, home)).app  # type: ignore[attr-defined]
    found = {(method.upper(), path) for path, ways in app.openapi()["paths"].items() for method in ways}
    found |= {(method, route.path) for route in every_route(app.routes) for method in route.methods or ()}
    return sorted(one for one in found if re.match(r"/(api/)?admin\b", one[1]) and one[0] != "HEAD")


def every_route(routes: Any) -> Iterator[Any]:
    for route in routes:
        inner = getattr(route, "original_router", None) or getattr(route, "router", None)
        if inner is not None:
            yield from every_route(inner.routes)
        elif hasattr(route, "methods"):
            yield route


def filled(path: str) -> str:
    """An address with something that could be there in each of its holes."""
    holes = {"invitation": "0" * 64, "battle": "0" * 32, "upload": "0" * 16}
    return re.sub(r"\{(\w+)\}", lambda hole: holes[hole[1]], path)


# --- who may come in -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", [pytest.param("visitor", marks=pytest.mark.slow), "judge"])
def test_nobody_but_admins_comes_in_by_any_way(
    address: str, site: Site, ways: list[tuple[str, str]], role: str
) -> None:
    assert len(ways) >= 18, f"the room has more ways in than {ways}"
    other = Client(address, site, judge(site.store, role))
    for method, path in ways:
        answer = other.send(method, filled(path), b"{}", {"Content-Type": "application/json", "Accept": "text/html"})
        assert answer.status == 403, f"{method} {path} said {answer.status} to a {role}"
        assert "oracle" not in answer.text and role in answer.text


def test_without_the_token_of_a_page_nothing_changes(admin: Client, site: Site, ways: list[tuple[str, str]]) -> None:
    fill(site.store, 4)
    before = all_invitations(site.store), active_agents(site.store), all_votes(site.store)
    tried = 0
    for method, path in ways:
        if method == "POST":
            for token in ("", "0" * 64):
                body = b'{"name": "oracle"}'
                answer = admin.send(method, filled(path), body, {"Content-Type": "application/json"}, token)
                assert answer.status == 403, path
                tried += 1
    assert tried >= 18
    assert (all_invitations(site.store), active_agents(site.store), all_votes(site.store)) == before


def test_an_admin_sees_every_page(admin: Client, site: Site, ways: list[tuple[str, str]]) -> None:
    fill(site.store, 4)
    for method, path in ways:
        if method == "GET":
            answer = admin.get(path)
            assert answer.status == 200, f"{path}: {answer.text[:300]}"


# --- invitations -----------------------------------------------------------------------------------------------------


def test_a_link_is_told_once_lets_so_many_in_and_can_be_revoked(admin: Client, site: Site) -> None:
    made = admin.post("/api/admin/invitations", {"role": "judge", "uses": 2, "days": 1, "note": HOSTILE})
    assert made.status == 201
    secret = made.json["path"].removeprefix("/enter/")
    assert accept(site.store, secret).role == "judge"
    (one,) = admin.get("/api/admin/invitations").json
    assert one["uses_left"] == 1 and one["open"]
    page = admin.get("/admin/invitations").text
    assert secret not in page and secret not in json.dumps(one) and "<img" not in markup(page)
    assert admin.post(f"/api/admin/invitations/{one['id']}/revoke").json["open"] is False
    with pytest.raises(InvalidInput, match="used up"):
        accept(site.store, secret)
    assert "ended" in admin.get("/admin/invitations").text


def test_an_invitation_that_makes_no_sense_is_refused(admin: Client, site: Site) -> None:
    wrong: tuple[Any, ...] = (
        {"role": "visitor"}, {"uses": 0}, {"uses": 10**9}, {"days": -1}, {"days": 1e9}, {"note": "x" * 501},
        {"uses": "2"}, {"note": "\0"}, {"note": "\ud800"}, {"more": 1}, [], "judge",
    )  # fmt: skip
    for said in wrong:
        answer = admin.post("/api/admin/invitations", said)
        assert answer.status == 422 and answer.json["error"], said
    assert not all_invitations(site.store)


def test_what_is_not_there_cannot_be_touched(admin: Client) -> None:
    for path in (
        f"invitations/{'0' * 64}/revoke", "invitations/../../key/revoke", "invitations/%00/revoke",
        f"battles/{'f' * 32}/close", "battles/%27%20OR%201=1/close", f"imports/{'0' * 16}",
        "imports/..%2f..%2farena/preview", "imports/%2e%2e/preview",
    ):  # fmt: skip
        assert admin.post(f"/api/admin/{path}").status in (404, 422), path


# --- agents ----------------------------------------------------------------------------------------------------------


def test_an_agent_leaves_with_a_reason_and_comes_back(admin: Client, site: Site) -> None:
    fill(site.store, agents={"oracle": 1.0, HOSTILE: 0.0, "random": -1.0})
    left = admin.post("/api/admin/agents/retire", {"name": HOSTILE, "why": HOSTILE})
    assert left.status == 200 and left.json["why"] == HOSTILE
    assert HOSTILE not in active_agents(site.store)
    page = admin.get("/admin/agents").text
    assert "<img" not in markup(page) and "Bring back" in page
    assert admin.post("/api/admin/agents/return", {"name": HOSTILE}).json["retired"] is None
    assert HOSTILE in active_agents(site.store)
    for name in ("nobody", "oracle\0", "", "x" * 201):
        assert admin.post("/api/admin/agents/retire", {"name": name}).status in (404, 422)
    (best,) = [one for one in admin.get("/api/admin/agents").json if one["name"] == "oracle"]
    assert 0 <= best["correct"]["low"] <= best["correct"]["high"] <= 1 and best["correct"]["of"] <= 100


# --- battles and votes -----------------------------------------------------------------------------------------------


def test_names_stay_secret_until_a_battle_is_closed(admin: Client, site: Site) -> None:
    fill(site.store, 1, agents={"secret-one": 0.0, "secret-two": 0.0})
    battle, voter = to_judge_one(site.store, HOSTILE, category=HOSTILE)
    for path in (
        "/admin/battles?status=judging",
        "/api/admin/battles?status=judging",
        "/admin/votes",
        "/api/admin/votes",
    ):
        said = admin.get(path).text
        assert "secret-" not in said and voter not in said, path
        assert "<img" not in markup(said) or path.startswith("/api"), path
    assert admin.post(f"/api/admin/battles/{battle}/close").json["status"] == "closed"
    (one,) = [one for one in admin.get("/api/admin/battles").json["battles"] if one["id"] == battle]
    assert set(one["agents"]) == {"secret-one", "secret-two"} and one["votes"] == 1
    again = admin.post(f"/api/admin/battles/{battle}/close")
    assert again.status == 403 and "closed" in again.json["error"]


def test_filters_mark_votes_and_what_was_cleared_stays_cleared(admin: Client, site: Site) -> None:
    fill(site.store, 3)
    battle, voter = to_judge_one(site.store)  # voted on within a second
    assert admin.post("/api/admin/filters").json == {"too-fast": 1}
    (found,) = admin.get("/api/admin/votes?flagged=true").json["votes"]
    assert (
        found["battle"] == battle
        and found["voter"] == voter[:12]
        and "expected at least" in found["flags"][0]["detail"]
    )
    which = {"battle": battle, "voter": found["voter"]}
    assert admin.post("/api/admin/votes/unflag", {**which, "reason": "outlier"}).status == 404
    assert admin.post("/api/admin/votes/unflag", {**which, "reason": "too-fast"}).json == {}
    assert admin.post("/api/admin/filters").json == {}, "an admin's word is not undone by a filter"
    assert admin.post("/api/admin/votes/flag", {**which, "detail": HOSTILE}).json == {"by hand": 1}
    assert admin.post("/api/admin/filters").json == {"by hand": 1}, "nor is what filters do not know"
    assert "<img" not in markup(admin.get("/admin/votes?reason=by%20hand").text)
    assert len(all_votes(site.store)) == 4
    assert admin.post("/api/admin/votes/flag", {**which, "voter": "0" * 12}).status == 404


# --- data out --------------------------------------------------------------------------------------------------------


def test_a_data_set_comes_in_three_formats_and_names_nobody(admin: Client, site: Site, tmp_path: Path) -> None:
    fill(site.store, 5)
    person = all_votes(site.store)[0].person
    flag(site.store, all_votes(site.store)[0].battle, person, "too-fast")
    lines = admin.get("/api/admin/export")
    assert lines.headers["Content-Disposition"] == 'attachment; filename="votes.jsonl"'
    assert len(lines.text.splitlines()) == 4 and person not in lines.text
    whole = admin.get("/api/admin/export?format=parquet&whole=true").body
    (tmp_path / "votes.parquet").write_bytes(whole)
    assert pq.read_table(tmp_path / "votes.parquet").num_rows == 5
    assert admin.get("/api/admin/export?format=exe").status == 422
    assert admin.get("/api/admin/export?format=../../key").status == 422


def test_a_spreadsheet_runs_nothing_of_what_strangers_wrote(admin: Client, site: Site) -> None:
    names = ("=cmd|' /C calc'!A0", "@SUM(A1)", "+1+1", "-2+3", "\t=1")
    fill(site.store, 30, agents=dict.fromkeys(names, 0.0))
    battle, _ = to_judge_one(site.store, "=HYPERLINK(1)", category="@x")
    person = judge(site.store)
    cast(site.store, battle, person, Vote(winner="b", comment="=1+1"))
    text = admin.get("/api/admin/export?format=csv").text
    rows = list(csv.reader(io.StringIO(text)))
    cells = [cell for row in rows[1:] for cell in row]
    assert len(rows) == 33 and "'=1+1" in cells and "'=HYPERLINK(1)" in cells
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")]


# --- data in ---------------------------------------------------------------------------------------------------------

GOOD = "model_a,model_b,winner,judge,domain\n" + "".join(
    f"gpt,{'claude' if n % 2 else '=1+1'},{('model_a', 'model_b', 'tie')[n % 3]},p{n % 3},<b>office</b>\n"
    for n in range(30)
)


def upload(client: Client, body: bytes | str) -> Any:
    sent = body.encode() if isinstance(body, str) else body
    return client.send("POST", "/api/admin/imports/uploads", sent, {"Content-Type": "text/csv"})


def test_another_arenas_votes_are_looked_at_and_then_taken_in_once(admin: Client, site: Site) -> None:
    looked = upload(admin, GOOD)
    assert looked.status == 201
    found = looked.json
    assert found["rename"] == {
        "model_a": "left",
        "model_b": "right",
        "winner": "winner",
        "judge": "voter",
        "domain": "category",
    }
    assert found["rows"] == 30 and found["good"] and found["first"][0]["category"] == "<b>office</b>"
    assert not all_votes(site.store), "looking takes nothing in"
    path = f"/api/admin/imports/{found['id']}"
    named = admin.post(f"{path}/preview", {"agents": {"gpt": "openai:gpt"}})
    assert named.json["agents"] == {"openai:gpt": 30, "claude": 15, "=1+1": 15}
    assert admin.post(path, {"name": "elsewhere", "agents": {"gpt": "openai:gpt"}}).json == {"added": 30}
    assert admin.post(path).status == 404, "what was taken in is gone"
    again = upload(admin, GOOD).json
    assert admin.post(f"/api/admin/imports/{again['id']}").json == {"added": 0}
    rows = all_votes(site.store)
    assert (
        len(rows) == 30
        and {row.a for row in rows} == {"openai:gpt"}
        and {row.world for row in rows} == {"import/elsewhere"}
    )
    assert not active_agents(site.store), "nothing here runs these agents, so none is drawn"
    assert "<b>office" not in markup(admin.get("/leaderboard").text)


def test_every_row_that_is_no_vote_is_named_and_nothing_is_taken_in(admin: Client, site: Site) -> None:
    text = f"left,right,winner\na,b,left\na,a,left\n,b,left\na,b,nobody\n{'x' * 201},b,right\na,b,both_bad\n"
    found = upload(admin, text).json
    assert [(one["row"], one["column"]) for one in found["faults"]] == [
        (2, "right"),
        (3, "left"),
        (4, "winner"),
        (5, "left"),
    ]
    assert found["wrong"] == 4 and not found["good"]
    refused = admin.post(f"/api/admin/imports/{found['id']}")
    assert refused.status == 400 and "preview" in refused.json["fix"] and not all_votes(site.store)


def test_columns_can_be_named_by_hand(admin: Client) -> None:
    found = upload(admin, "one,other,who\nx,y,a\ny,x,b\n").json
    assert found["missing"] == ["left", "right", "winner"] and not found["good"]
    path = f"/api/admin/imports/{found['id']}/preview"
    assert admin.post(path, {"rename": {"one": "left", "other": "right", "who": "winner"}}).json["good"]
    assert admin.post(path, {"rename": {"none": "left"}}).status == 400
    assert admin.post(path, {"rename": {"one": "left", "other": "left"}}).status == 400
    assert admin.post(path, {"rename": {"one": "weight"}}).status == 422
    same = admin.post(path, {"rename": {"one": "left", "other": "right", "who": "winner"}, "agents": {"x": "y"}}).json
    assert same["wrong"] == 2, "two agents cannot become one that meets itself"


def test_votes_may_be_what_each_agent_got(admin: Client, site: Site) -> None:
    found = upload(admin, "user_id,agent0,agent1,agent0_win,agent1_win\np,x,y,1.0,0.0\np,y,x,0.5,0.5\n").json
    assert found["good"] and found["rename"]["agent0_win"] == "left_won" and found["first"][0]["winner"] == "left"
    assert "'agent0' is the left agent" in found["notes"][0] and str(site.home) not in str(found)
    assert admin.post(f"/api/admin/imports/{found['id']}").json == {"added": 2}
    assert [row.winner for row in all_votes(site.store)] == ["a", "tie"]


NO_TABLES = (
    b"", b"\n\n\n", b"left,right,winner", b"\xff\xfe\x00junk", b"\x00" * 5000, b"PK\x03\x04" + bytes(range(256)) * 9,
    b'"left,right,winner\na,b,left', b'left,right,winner\n"a,b,left\n', b"left,left,winner\na,b,left",
    b"," * 15_000 + b"\n1", b"a" * 100_000, b"left,right,winner\n" + b"a," * 5_000 + b"\n",
    b'"' + b"x,\n" * 50_000 + b'"\n', b"left,right,winner\na\x00b,c,left\n", b"left,right,winner\n\xff,c,left\n",
)  # fmt: skip


def test_a_file_that_is_no_table_is_refused_in_words(admin: Client, site: Site) -> None:
    for body in NO_TABLES:
        answer = upload(admin, body)
        if answer.status == 201:  # it was read, and says what is wrong with it
            assert not answer.json["good"], body[:40]
            assert admin.post(f"/api/admin/imports/{answer.json['id']}").status == 400
            (site.home / "imports" / f"{answer.json['id']}.csv").unlink()
        else:
            assert answer.status == 400 and answer.json["error"], body[:40]
            assert str(site.home) not in answer.text, "where the server keeps files is nobody's business"
        assert not list((site.home / "imports").iterdir()), body[:40]
    assert not all_votes(site.store)


def test_a_file_that_is_too_large_leaves_nothing_behind(admin: Client, site: Site) -> None:
    answer = upload(admin, b"left,right,winner\n" + b"a,b,left\n" * (MAX_IMPORT // 9))
    assert answer.status == 413 and "split it" in answer.json["fix"]
    assert not list((site.home / "imports").iterdir())


def test_uploads_that_nobody_takes_in_do_not_pile_up(admin: Client, site: Site) -> None:
    for number in range(25):
        assert upload(admin, f"left,right,winner\na,b{number},left\n").status == 201
    assert len(list((site.home / "imports").iterdir())) <= 20


# --- both databases -----------------------------------------------------------------------------------


@pytest.fixture
def either(url: str) -> Iterator[Store]:
    with Store(url) as store:
        yield store


def test_the_room_is_the_same_on_both_databases(either: Store, tmp_path: Path) -> None:
    site = Site(either, tmp_path / "home", rates=patient())
    fill(either, 60)
    to_judge_one(either)
    with serving(site) as address:
        admin = Client(address, site, judge(either, "admin"))
        for path in ("/admin", *(f"/admin/{name}" for name in ("invitations", "agents", "battles", "votes", "data"))):
            assert admin.get(path).status == 200, path
        assert admin.post("/api/admin/filters").json == {"too-fast": 1}
        assert admin.get("/api/admin/votes?reason=too-fast").json["total"] == 1
        made = admin.post("/api/admin/invitations", {"uses": 1}).json["path"].removeprefix("/enter/")
        assert accept(either, made).role == "judge"
        assert admin.post("/api/admin/agents/retire", {"name": "random"}).json["why"] == "by an admin"
        found = upload(admin, GOOD).json
        assert admin.post(f"/api/admin/imports/{found['id']}").json == {"added": 30}
        assert upload(admin, "left,right,winner\na\0,b,left\n").json["wrong"] == 1
        assert len(admin.get("/api/admin/export?whole=true").text.splitlines()) == 91
        board = eventually(lambda: (found := admin.get("/api/leaderboard").json)["votes"] == 90 and found)
        assert board["left_out"] == {"too-fast": 1}
        assert admin.get("/leaderboard").status == 200
        assert admin.get("/api/admin/battles?offset=1000000&limit=200").json["battles"] == []
        assert invite(either)
