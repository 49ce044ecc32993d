"""Somebody who wants an agent to win, or to know who they are before the vote."""

from __future__ import annotations

import json
import threading

import pytest

from fairground.arena import consent, history, invite, new_person
from fairground.web import Site
from tests.web.arena_stage import Answer, Client
from tests.web.attacks.stage import NAMES, Crowd, cookie_of, fought, raw

pytestmark = pytest.mark.process

JSON = {"Content-Type": "application/json"}
VOTE = {"winner": "a"}


def vote(client: Client, battle: str, said: object = VOTE, **headers: str) -> Answer:
    return client.send("PUT", f"/api/battles/{battle}/vote", json.dumps(said).encode(), {**JSON, **headers})


def votes_of(site: Site, battle: str, client: Client) -> int:
    return len(history(site.store, battle, client.person.id))


def test_a_vote_with_somebody_elses_token_or_cookie_is_not_taken(site: Site, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner, shared=True)
    path, body = f"/api/battles/{battle}/vote", json.dumps(VOTE).encode()
    stolen = crowd.other.token
    assert crowd.owner.send("PUT", path, body, JSON, stolen).status == 403
    swapped = {**JSON, "Cookie": cookie_of(site, crowd.other)}  # a new cookie has another token than the page's
    for headers in (swapped, {**JSON, "Cookie": cookie_of(site, crowd.other)[:-1] + "0"}, {**JSON, "Cookie": ""}):
        assert crowd.owner.send("PUT", path, body, headers).status == 403
    assert not votes_of(site, battle, crowd.owner) and not votes_of(site, battle, crowd.other)


def test_two_cookies_that_say_different_things_are_nobody(site: Site, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner)
    own, others = cookie_of(site, crowd.owner), cookie_of(site, crowd.visitor)
    for both in (f"{own}; {others}", f"{others}; {own}"):
        answer = vote(crowd.owner, battle, Cookie=both)
        assert answer.status == 400 and "two sessions" in answer.text
    assert not votes_of(site, battle, crowd.owner)


def test_a_session_that_was_there_before_an_invitation_does_not_become_a_judges(site: Site, url: str) -> None:
    """As when somebody slips their own cookie into another's browser, and waits until that one is invited."""
    planted = Client(url, site, new_person(site.store))
    answer = planted.send("POST", f"/enter/{invite(site.store, 'admin')}")
    assert answer.status == 303 and answer.headers["Set-Cookie"]
    assert planted.get("/admin").status == 403
    assert ">visitor<" in planted.get("/").text
    given = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}
    assert planted.send("GET", "/admin", headers=given).status == 200
    old = planted.send("POST", "/api/admin/filters", b"{}", {**JSON, **given}, planted.token)
    assert old.status == 403, "a page from before does nothing for who they are now"


def test_no_vote_is_given_before_there_is_something_to_judge_or_after_the_end(site: Site, crowd: Crowd) -> None:
    for status in ("preparing", "running", "failed", "interrupted", "closed"):
        battle = fought(site, crowd.owner, status=status)
        answer = vote(crowd.owner, battle)
        assert answer.status == 403, status
        assert not [name for name in NAMES if name in answer.text]
        assert not votes_of(site, battle, crowd.owner)


def test_a_vote_that_was_sent_before_the_end_can_be_replayed_and_changes_nothing(site: Site, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner)
    assert vote(crowd.owner, battle).json["version"] == 1
    assert crowd.owner.post(f"/api/battles/{battle}/close").status == 200
    for _ in range(3):
        again = vote(crowd.owner, battle).json
        assert (again["version"], again["changed"]) == (1, False)
    assert vote(crowd.owner, battle, {"winner": "b"}).status == 403
    assert votes_of(site, battle, crowd.owner) == 1


def test_ten_different_votes_at_once_are_ten_versions_of_one(site: Site, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner)
    gate = threading.Barrier(10)
    seen: list[tuple[int, int]] = []

    def send(number: int) -> None:
        gate.wait()
        answer = vote(crowd.owner, battle, {"winner": "b", "comment": f"{number}"})
        seen.append((answer.status, answer.json["version"]))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [(200, version) for version in range(1, 11)]
    assert votes_of(site, battle, crowd.owner) == 10


def test_nobody_votes_without_having_agreed(site: Site, url: str, crowd: Crowd) -> None:
    fresh = Client(url, site, new_person(site.store, "judge"))
    battle = fought(site, crowd.owner, shared=True)
    assert vote(fresh, battle).status == 403 and fresh.post("/api/battles", {"world": "pocket/notes"}).status == 403
    consent(site.store, fresh.person)
    assert vote(fresh, battle).status == 200


MARK = {"side": "a", "step": 1, "mark": "good"}


@pytest.mark.parametrize(
    "said",
    [
        {}, [], "a", None, {"winner": "c"}, {"winner": ["a"]}, {"winner": "a", "person": "0" * 32}, {"winner": "A"},
        {"winner": "a", "version": 9}, {"winner": "a", "battle": "x"}, {"winner": "a", "correct_a": "very"},
        {"winner": "a", "comment": "x" * 4_001}, {"winner": "a", "comment": "a\0b"}, {"winner": "a", "comment": 5},
        {"winner": "a", "marks": [MARK] * 2}, {"winner": "a", "marks": [{**MARK, "step": n} for n in range(1_001)]},
        {"winner": "a", "marks": [{**MARK, "step": 10**30}]}, {"winner": "a", "marks": [{**MARK, "step": -1}]},
        {"winner": "a", "marks": [{**MARK, "side": "c"}]}, {"winner": "a", "marks": [{**MARK, "note": "x" * 501}]},
        {"winner": "a", "comment": "\ud800"}, {"winner": "a", "\ud800": 1}, {"winner": "a", "marks": {"0": MARK}},
    ],
    ids=lambda said: str(said)[:40].encode("ascii", "backslashreplace").decode(),
)  # fmt: skip
def test_what_is_no_vote_is_refused_in_words(site: Site, crowd: Crowd, said: object) -> None:
    battle = fought(site, crowd.owner)
    answer = vote(crowd.owner, battle, said)
    assert answer.status in (400, 422) and answer.json["error"]
    assert not [name for name in NAMES if name in answer.text]
    assert not votes_of(site, battle, crowd.owner)


def test_no_trick_with_methods_is_a_vote(site: Site, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner)
    path, body = f"/api/battles/{battle}/vote", json.dumps(VOTE).encode()
    tricks = {"X-HTTP-Method-Override": "PUT", "X-HTTP-Method": "PUT", "X-Method-Override": "PUT"}
    for method in ("GET", "HEAD", "OPTIONS", "POST", "PATCH", "DELETE", "TRACE", "PROPFIND", "put"):
        for query in ("", "?_method=PUT"):
            answer = crowd.owner.send(method, path + query, body, {**JSON, **tricks})
            assert answer.status in (400, 405), method
    assert not votes_of(site, battle, crowd.owner)


def test_headers_that_contradict_each_other_are_refused(site: Site, url: str, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner)
    body = json.dumps(VOTE).encode()
    host = url.removeprefix("http://").strip("/")
    cookie = f"fairground={crowd.owner._cookie}"
    good = {"Host": host, "Cookie": cookie, "X-Fairground-Token": crowd.owner.token, "Content-Type": "application/json",
            "Content-Length": str(len(body)), "Connection": "close"}  # fmt: skip
    for name, value in (
        ("Host", "evil.example"), ("Host", host), ("Origin", "null"), ("Content-Length", "0"),
        ("Transfer-Encoding", "chunked"), ("X-Fairground-Token", "0" * 64),
    ):  # fmt: skip
        lines = [*good.items(), (name, value)]
        if name == "Transfer-Encoding":  # a body of no length, and a request hidden behind it
            lines.append(("Transfer-Encoding", "identity"))
        head = "\r\n".join(f"{key}: {said}" for key, said in lines)
        answer = raw(url, f"PUT /api/battles/{battle}/vote HTTP/1.1\r\n{head}\r\n\r\n".encode() + body)
        assert answer[9:12] in (b"400", b"403", b"501"), (name, answer[:200])
    assert not votes_of(site, battle, crowd.owner)


def test_names_are_in_no_answer_before_the_vote(site: Site, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner)
    here = f"/api/battles/{battle}"
    for client in (crowd.owner, crowd.admin):
        for path in (here, f"{here}/history", "/api/battles", f"/arena/battles/{battle}", "/arena", "/api/presets"):
            answer = client.get(path)
            said = f"{answer.headers}{answer.text}".lower()
            assert not [name for name in NAMES if name.lower() in said], path
    for path in ("/admin/battles", "/api/admin/battles"):  # an admin may judge, too
        listed = crowd.admin.get(path).text
        assert battle in listed
    assert set(vote(crowd.owner, battle).json["names"].values()) == set(NAMES)
