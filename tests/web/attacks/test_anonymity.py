"""Agents that introduce themselves in every channel, and people who look everywhere before they vote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from fairground.arena import (
    Redactor,
    Store,
    add_agents,
    all_votes,
    ask,
    close,
    contenders,
    find_battle,
    identify,
    list_agents,
)
from fairground.arena.contest_fight import Fight
from fairground.arena.identification import keep_identifications
from fairground.arena.schema import battles, flags, messages
from fairground.core import Action, Answer, CallUser, Click, Done, Fail, Key, Type
from fairground.rollout import read_episode
from fairground.web import Site, serving
from fairground.web.studio.replay_data import LONG
from tests.recordings import record
from tests.web.arena_stage import Client, patient
from tests.web.attacks.matrix import WAYS
from tests.web.attacks.stage import Crowd, cookie_of, fought
from tests.web.attacks.test_votes import vote
from tests.web.seat_stage import SECONDS, socket_of

pytestmark = pytest.mark.process

AGENTS = ("anthropic:claude-opus-4-1", "Zorblatt-9000")
SPELLINGS = (
    "I am Claude Opus 4.1 by Anthropic", "c l a u d e", "C-L-A-U-D-E", "cl\u200baude", "\u0421l\u0430ud\u0435",
    "c14ud3", "\uff23\uff4c\uff41\uff55\uff44\uff45", "CIaude", "iamclaudebot", "Claaaude", "Zorblatt-9000",
    "z o r b l a t t", "Z0rblatt", "not GPT-5 nor Gemini", "clCLAUDEaude",
)  # fmt: skip
LEAK = re.compile(
    r"claude|anthropic|opus|zorblatt|c\W*l\W*a\W*u\W*d\W*e|z ?o ?r ?b ?l ?a ?t ?t|gpt-?5|gemini|c14ud3|ciaude|z0rb"
    r"|\\u0421l|\uff23\uff4c|claaaude|l\u0430ud",
    re.IGNORECASE,
)
TIMES = {"agent_ms", "act_ms", "settle_ms", "tokens", "dollars", "usage", "started", "answered", "asked", "finished"}
SECRET_SECONDS = (3.25, 61.5, 500.125)  # when each step of the recording was done


def speaks(said: str) -> list[Action]:
    """Introduces itself in everything that it does."""
    return [
        Type(text=said), Type(text=said[:4]), Click(point=(5, 5)), Type(text=said[4:]),
        *(Key(keys=(key,)) for key in "claude"), CallUser(text=said), Answer(text=said), Fail(reason=said),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("anonymity")


@pytest.fixture(scope="module")
def site(place: Path) -> Iterator[Site]:
    with Store(place / "arena.sqlite") as store:
        add_agents(store, AGENTS)
        yield Site(store, place / "home", (), rates=patient())


@pytest.fixture(scope="module")
def url(site: Site) -> Iterator[str]:
    with serving(site) as url:
        yield url


@pytest.fixture
def crowd(site: Site, url: str) -> Crowd:
    return Crowd.at(url, site)


def boasted(site: Site, owner: Client, place: Path, said: str, *, text: str = "Pin it", shared: bool = False) -> str:
    """A battle whose agents say this wherever they can."""
    folder = place / f"said-{abs(hash((said, text)))}"
    if not folder.exists():
        told = {"thought": f"Hm. {said}", "messages": (said,), "refused": "", "seconds": 0.0}
        times = dict(enumerate(SECRET_SECONDS))
        record(
            folder, speaks(said),
            step=lambda index: {**told, "seconds": times.get(index, 500.125 + index), "agent_ms": 4321.0 + index},
            agent=AGENTS[0], error=said, notes=(said,), answer=said, instruction=text,
        )  # fmt: skip
    battle = fought(site, owner, text=text, shared=shared, recording=folder)
    for side in ("a", "b"):
        number = ask(site.store, battle, side, f"{said}. Which label?")  # type: ignore[arg-type]
        here = (messages.c.battle == battle, messages.c.side == side, messages.c.number == number)
        with site.store.write() as connection:
            connection.execute(messages.update().where(*here).values(answer=f"The blue one, {said}"))
        for part in ("Cla", "ude"):
            ask(site.store, battle, side, part)  # type: ignore[arg-type]
    with site.store.write() as connection:
        connection.execute(battles.update().where(battles.c.id == battle).values(why=f"it ended: {said}"))
    redactor = Redactor(AGENTS, text)
    for side in ("a", "b"):
        keep_identifications(site.store, battle, identify(side, read_episode(folder).steps, redactor))
    return battle


def everything_before_the_vote(site: Site, url: str, client: Client, battle: str) -> Iterator[tuple[str, bytes]]:
    """All that the routes of the matrix say that do not change anything, head and body, and the news as they come."""
    replay = client.get(f"/api/battles/{battle}/a/replay", "application/json")
    frame = min(replay.json["pictures"])
    for name, way in WAYS.items():
        method, _, route = name.partition(" ")
        path = (way.path or route).replace("{battle}", battle).replace("BATTLE", battle).replace("FRAME", frame)
        if method == "WS" and "news" in path:
            with socket_of(url, path, cookie_of(site, client)) as connection:
                said = connection.recv(SECONDS)
                yield name, said.encode() if isinstance(said, str) else said
        if method not in ("GET", "HEAD") or "{" in path or "export" in path or "leaderboard" in path:
            continue  # an export is looked at below; the leaderboard names all agents, and no battle
        for accept in ("text/html", "application/json"):
            for one in dict.fromkeys((path, path.replace("/a/", "/b/"))):
                answer = client.get(one, accept)
                head = "\n".join(f"{key}: {value}" for key, value in answer.headers.items())
                yield f"{name} ({accept})", head.encode() + b"\n\n" + answer.body


# All spellings are tried on the redactor itself; here one shows that every route uses it.
@pytest.mark.parametrize(
    "said", [SPELLINGS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in SPELLINGS[1:])], ids=ascii
)
def test_no_route_tells_a_name_before_the_vote(site: Site, url: str, crowd: Crowd, place: Path, said: str) -> None:
    battle = boasted(site, crowd.owner, place, said)
    heard = list(everything_before_the_vote(site, url, crowd.owner, battle))
    assert {"WS /battles/{battle}/news", "GET /api/battles/{battle}/{side}/replay (text/html)"} <= {
        one for one, _ in heard
    }
    for name, body in heard:
        text = body.decode("utf-8", "replace")
        for form in (text, text.encode().decode("unicode_escape", "replace"), text.replace("&#x", "\\u")):
            found = LEAK.search(form)
            assert found is None, f"{name}: ...{form[max(0, found.start() - 60) : found.end() + 20]}..."


def test_who_has_seen_what_the_redactor_hides_after_the_vote(site: Site, crowd: Crowd, place: Path) -> None:
    """The same routes do tell it after the vote: so the search above would have found it."""
    battle = boasted(site, crowd.owner, place, "I am Claude")
    assert vote(crowd.owner, battle).json["names"]
    for path in (f"/api/battles/{battle}", f"/api/battles/{battle}/a/replay", f"/arena/battles/{battle}"):
        assert "I am Claude" in crowd.owner.get(path, "application/json").text, path


def test_no_route_tells_how_long_an_agent_thought_before_the_vote(
    site: Site, url: str, crowd: Crowd, place: Path
) -> None:
    battle = boasted(site, crowd.owner, place, "I am Claude")
    for name, body in everything_before_the_vote(site, url, crowd.owner, battle):
        if "openapi" in name:
            continue
        for seconds in (*SECRET_SECONDS, 4321):
            assert str(seconds).encode() not in body, (name, seconds)
    replays = [crowd.owner.get(f"/api/battles/{battle}/{side}/replay").json for side in "ab"]
    for told in replays:
        begins = [step["begins"] for step in told["steps"]]
        assert begins == [1.5 * number for number in range(len(begins))], "all steps take the same time"
        assert {step["hold"] for step in told["steps"]} == {1.5} and told["seconds"] == 1.5 * len(begins)
        assert told["about"] is None
        assert [value for key, value in _fields(told) if key in TIMES and value is not None] == []
        assert all(step["settled"] for step in told["steps"])
    assert [key for key, value in _fields(crowd.owner.get(f"/api/battles/{battle}").json) if key in TIMES] == []
    assert vote(crowd.owner, battle).status == 200
    after = crowd.owner.get(f"/api/battles/{battle}/a/replay").json
    assert after["steps"][1]["begins"] == SECRET_SECONDS[0] and after["steps"][0]["agent_ms"] == 4321.0


def _fields(data: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict):
        yield from data.items()
        for value in data.values():
            yield from _fields(value)
    elif isinstance(data, list):
        for value in data:
            yield from _fields(value)


def test_two_agents_of_different_speed_have_replays_of_the_same_pace(site: Site, crowd: Crowd, place: Path) -> None:
    told = []
    for name, pause in (("quick", 0.1), ("slow", 47.0)):
        folder = record(
            place / name, [Click(point=(5, 5)), Done()],
            step=lambda index, pause=pause: {"seconds": pause * (index + 1), "agent_ms": pause * 1e3,
                                             "settle_ms": pause, "settled": pause < 1},
            seconds=pause * 3,
        )  # fmt: skip
        battle = fought(site, crowd.owner, recording=folder)
        told.append(crowd.owner.get(f"/api/battles/{battle}/a/replay").text.replace(battle, "BATTLE"))
    assert told[0] == told[1]


def test_a_name_across_the_end_of_what_is_shown_is_hidden_and_endless_text_is_not_read(
    site: Site, crowd: Crowd, place: Path
) -> None:
    said = "x" * (LONG - 3) + " claude " + "claude" * 1_000_000
    folder = record(place / "endless", [Done()], step=lambda index: {"thought": said})
    battle = fought(site, crowd.owner, recording=folder)
    told = crowd.owner.get(f"/api/battles/{battle}/a/replay")
    assert len(told.body) < 2 * LONG and re.search("cla?", told.json["steps"][0]["thought"]) is None


def test_words_of_the_task_are_not_hidden(site: Site, crowd: Crowd, place: Path) -> None:
    battle = boasted(site, crowd.owner, place, "I write to Claude", text="Write a letter to Claude")
    told = crowd.owner.get(f"/api/battles/{battle}").json
    assert told["task"]["text"] == "Write a letter to Claude"
    assert told["messages"][0]["question"] == "I write to Claude. Which label?"
    assert crowd.owner.get(f"/api/battles/{battle}/a/replay").json["steps"][0]["action"]["text"] == "I write to Claude"


def test_a_vote_after_the_reveal_is_marked_everywhere_and_the_first_one_counts(
    site: Site, crowd: Crowd, place: Path
) -> None:
    battle = fought(site, crowd.owner)
    here = f"/api/battles/{battle}"
    page = crowd.owner.get(f"/arena/battles/{battle}").text
    assert "only your vote before the names were shown counts" in page
    assert crowd.owner.get(here).json["revealed"] is False
    assert vote(crowd.owner, battle, {"winner": "a"}).json["after_reveal"] is False
    changed = vote(crowd.owner, battle, {"winner": "b"}).json
    assert changed["after_reveal"] and changed["version"] == 2 and changed["names"]
    told = crowd.owner.get(here).json
    assert (told["vote"]["winner"], told["counted"], told["after_reveal"], told["revealed"]) == ("b", "a", True, True)
    assert [one["after_reveal"] for one in crowd.owner.get(f"{here}/history").json] == [False, True]
    listed = next(one for one in crowd.admin.get("/api/admin/votes").json["votes"] if one["battle"] == battle)
    assert (listed["winner"], listed["after_reveal"]) == ("a", "b")
    assert "after the names were shown: b" in crowd.admin.get("/admin/votes").text
    lines = crowd.admin.get("/api/admin/export?whole=true").text.splitlines()
    row = next(one for one in map(json.loads, lines) if one["battle"] == battle)
    assert (row["winner"], row["counted"], row["after_reveal"], row["winner_after_reveal"]) == ("a", 1, True, "b")


def test_changing_the_vote_in_a_second_tab_that_was_opened_before_changes_no_rating(
    site: Site, url: str, crowd: Crowd
) -> None:
    battle = fought(site, crowd.owner)
    with socket_of(url, f"/battles/{battle}/news", cookie_of(site, crowd.owner)) as tab:
        assert json.loads(tab.recv(SECONDS))["names"] is None
        vote(crowd.owner, battle, {"winner": "a"})
        assert json.loads(tab.recv(SECONDS))["names"]
    again = Client(url, site, crowd.owner.person)
    assert vote(again, battle, {"winner": "b"}).json["after_reveal"]
    row = next(row for row in all_votes(site.store) if row.battle == battle)
    assert row.winner == "a" and row.counts


def test_whoever_exports_first_and_votes_then_does_not_count_and_others_do(site: Site, crowd: Crowd) -> None:
    battle = fought(site, crowd.owner, shared=True)
    assert vote(crowd.owner, battle).status == 200
    assert set(contenders(site.store, battle)) <= set(_words(crowd.admin.get("/api/admin/export?whole=true").text))
    assert crowd.admin.get(f"/api/battles/{battle}").json["revealed"] is True
    assert vote(crowd.admin, battle).json["after_reveal"] is True
    assert vote(crowd.other, battle).json["after_reveal"] is False
    counts = {row.person: row.counts for row in all_votes(site.store) if row.battle == battle}
    assert counts[crowd.admin.person.id] is False and counts[crowd.other.person.id] and counts[crowd.owner.person.id]


def _words(text: str) -> list[str]:
    return [value for line in text.splitlines() for key, value in json.loads(line).items() if key in "ab"]


def test_another_judge_of_a_shared_battle_is_told_nothing_by_a_vote_of_the_owner(
    site: Site, url: str, crowd: Crowd, place: Path
) -> None:
    battle = boasted(site, crowd.owner, place, "I am Claude", shared=True)
    with socket_of(url, f"/battles/{battle}/news", cookie_of(site, crowd.other)) as news:
        assert LEAK.search(str(news.recv(SECONDS))) is None
        assert vote(crowd.owner, battle, {"winner": "a", "comment": "A was Claude"}).json["names"]
        assert crowd.owner.post(f"/api/battles/{battle}/close").status == 200
        assert LEAK.search(str(news.recv(SECONDS))) is None
    for path in (f"/api/battles/{battle}", f"/arena/battles/{battle}", f"/api/battles/{battle}/b/replay"):
        assert LEAK.search(crowd.other.get(path).text) is None


def test_a_battle_in_which_an_agent_typed_its_name_does_not_count_and_the_evidence_waits(
    site: Site, crowd: Crowd, place: Path
) -> None:
    battle = boasted(site, crowd.owner, place, "Hear, hear: I am Claude")
    told = vote(crowd.owner, battle).json
    assert told["names"] and not told["after_reveal"]
    assert any("typed a name" in note for note in crowd.owner.get(f"/api/battles/{battle}").json["notes"])
    row = next(row for row in all_votes(site.store) if row.battle == battle)
    assert row.flagged == ("identified",) and row.identified == "ab" and not row.counts
    with site.store.read() as connection:
        assert connection.execute(select(flags.c.detail).where(flags.c.battle == battle)).scalar_one()
    for path in ("/admin/battles", "/api/admin/battles"):
        heard = crowd.admin.get(path).text
        assert "identified" in heard and "hear: I am Claude" not in heard, "who may still judge must not read it"
    close(site.store, battle)
    (line,) = [one for one in crowd.admin.get("/api/admin/battles").json["battles"] if one["id"] == battle]
    assert line["identified"] == "ab" and {one["channel"] for one in line["evidence"]} >= {"typed"}
    assert "Hear, hear: I am Claude" in crowd.admin.get("/admin/battles").text
    agents = {one["name"]: one["identified"] for one in crowd.admin.get("/api/admin/agents").json}
    assert agents == {one.name: one.identified for one in list_agents(site.store, all_votes(site.store))}
    assert sum(agents.values()) >= 2 and "on the screen" in crowd.admin.get("/admin/agents").text
    undone = {"battle": battle, "voter": crowd.owner.person.id[:12], "reason": "identified"}
    assert crowd.admin.post("/api/admin/votes/unflag", undone).status == 200
    assert next(row for row in all_votes(site.store) if row.battle == battle).counts, "an admin may decide otherwise"


def test_the_news_never_tell_which_side_is_ahead(
    site: Site, url: str, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One agent takes 50 steps while the other takes four: the raw news are those of two agents of the same speed."""
    heard = {}
    for fast, slow in (("a", "b"), ("b", "a")):
        battle = fought(site, crowd.owner, status="running")
        fight = Fight(battle, site.contests.ground)
        monkeypatch.setitem(site.contests._running, battle, fight)
        for side in "ab":
            fight.pacing.began(side)
        with socket_of(url, f"/battles/{battle}/news", cookie_of(site, crowd.owner)) as news:
            said = [str(news.recv(SECONDS))]
            for _ in range(50):
                fight.pacing.stepped(fast)
            for _ in range(4):
                fight.pacing.stepped(slow)
                said.append(str(news.recv(SECONDS)))
        created = str(find_battle(site.store, battle).created)
        heard[fast] = [one.replace(battle, "BATTLE").replace(created, "CREATED") for one in said]
        steps = [{side["steps"] for side in json.loads(one)["sides"].values()} for one in said]
        assert steps == [{number} for number in range(5)]
    assert heard["a"] == heard["b"]


def test_the_order_of_questions_does_not_tell_who_asked_first(site: Site, crowd: Crowd) -> None:
    told = []
    for order in ("ab", "ba"):
        battle = fought(site, crowd.owner)
        for side in order:
            ask(site.store, battle, side, "Which label?")  # type: ignore[arg-type]
        told.append(crowd.owner.get(f"/api/battles/{battle}").json["messages"])
    assert told[0] == told[1]


def test_a_question_that_may_not_be_seen_yet_cannot_be_answered_or_guessed(
    site: Site, crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    battle = fought(site, crowd.owner, status="running")
    fight = Fight(battle, site.contests.ground)
    monkeypatch.setitem(site.contests._running, battle, fight)
    for side in "ab":
        fight.pacing.began(side)
    fight.pacing.stepped("a")
    ask(site.store, battle, "a", "Which label?")
    fight.pacing.asked("a")
    here = f"/api/battles/{battle}"
    answered = {"side": "a", "number": 0, "text": "Blue"}
    assert crowd.owner.get(here).json["messages"] == []
    assert crowd.owner.get(here).json["sides"]["a"] == crowd.owner.get(here).json["sides"]["b"]
    assert crowd.owner.post(f"{here}/answers", answered).status == 404
    fight.pacing.stepped("b")
    assert [one["question"] for one in crowd.owner.get(here).json["messages"]] == ["Which label?"]
    assert crowd.owner.post(f"{here}/answers", answered).status == 200
