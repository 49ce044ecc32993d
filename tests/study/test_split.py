"""Splits of installed suites: made, read, applied to selections, and checked."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.core import Configuration, InvalidConfiguration, InvalidInput, UnknownName
from fairground.report.split_page import write_split_page
from fairground.rollout import RunSpec, make_plan
from fairground.study import (
    Overrides,
    Split,
    Traits,
    check_split,
    make_split,
    pair_count,
    read_overrides,
    read_side,
    read_split,
    similar_pairs,
    suite_traits,
    write_split,
)
from fairground.worlds import select, suite_of

SUITE = suite_of("pocket")[0]


@pytest.fixture(autouse=True)
def _whatever_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRGROUND_ALLOW_STALE", "1")


def traits(name: str, text: str, moves: str = "", kind: str = "action") -> Traits:
    words = tuple(text.lower().split())
    return Traits(name, "answer" if kind == "answer" else "action", text, words, (), tuple(moves.split()))


BLUR = traits("s/gimp/blur", "Blur the photo and export it", "open blur export")
SAME = traits("s/gimp/blur-again", "Blur the photo again and export it", "open blur export")
OTHER = traits("s/gimp/rename", "Rename the second layer to title", "open layers rename save")
FAR = traits("s/calc/sum", "Add up the column of sales", "formula enter")


def unlike(app: str = "email") -> list[Traits]:
    """Traits of real scenarios without anything in common."""
    chosen = [scenario for scenario in SUITE.scenarios if scenario.app == app]
    return [
        traits(f"pocket/{app}/{scenario.name}", f"word{number} term{number}") for number, scenario in enumerate(chosen)
    ]


def test_scenarios_with_equal_words_and_moves_are_similar_and_others_are_not() -> None:
    (pair,) = similar_pairs([BLUR, SAME, OTHER, FAR])
    assert (pair.first, pair.second) == (BLUR.name, SAME.name) and 4 <= pair.score <= 8
    assert set(pair.parts) == {"text", "checks", "moves"}
    everything = similar_pairs([FAR, OTHER, SAME, BLUR], 1.0)
    assert everything == similar_pairs([BLUR, SAME, OTHER, FAR], 1.0) and len(everything) == 6
    assert pair_count([BLUR, SAME, OTHER, FAR]) == (3, 3)


def test_the_same_scenario_twice_scores_8() -> None:
    twin = Traits("s/gimp/twin", BLUR.kind, BLUR.instruction, BLUR.text, BLUR.checks, BLUR.moves)
    scores = {(pair.first, pair.second): pair.score for pair in similar_pairs([BLUR, twin, OTHER], 1.0)}
    assert scores["s/gimp/blur", "s/gimp/twin"] == 8.0


def test_a_similarity_of_your_own_is_used_within_apps_and_checked() -> None:
    assert {pair.score for pair in similar_pairs([BLUR, SAME, OTHER], own=lambda first, second: 5)} == {5.0}
    with pytest.raises(InvalidInput, match="is 9"):
        similar_pairs([BLUR, SAME], own=lambda first, second: 9)


def test_traits_of_a_real_app_leave_out_what_an_instance_fills_in() -> None:
    (found,) = suite_traits(["pocket/email/send-mail"])
    assert found.name == "pocket/email/send-mail" and "subject" in found.text
    assert "fill subject" in found.moves and found.checks
    assert not any("okonkwo" in move for move in found.moves)  # a person of the profile


def test_a_split_is_written_and_read_back_equal_and_is_stable_under_reordering(tmp_path: Path) -> None:
    known = [*unlike(), *unlike("payment")]
    made = make_split("pocket/email", "pocket/payment", traits=known, seed=3)
    mixed = random.Random(0).sample(known, len(known))
    assert made == make_split("pocket/payment", "pocket/email", traits=mixed, seed=3)
    write_split(made, tmp_path / "split.json")
    assert read_split(tmp_path / "split.json") == made
    sides = Counter(row.side for row in made.scenarios)
    assert sides == {"train": 62, "test": 15}


def test_a_side_of_a_selection_has_only_its_scenarios(tmp_path: Path) -> None:
    made = make_split("pocket/email", traits=unlike())
    whole = select("pocket/email")
    train, test = made.select("train", whole), made.select("test", whole)
    assert len(train) + len(test) == len(whole)
    assert {part.name for part in test.parts} == set(made.names("test"))
    write_split(made, tmp_path / "s:1.json")  # a colon in the name
    assert read_side(f"{tmp_path}/s:1.json:test") == (made, "test")
    with pytest.raises(InvalidInput, match="is not in this split"):
        made.select("train", select("pocket/eats"))
    with pytest.raises(InvalidConfiguration, match="on the train side"):
        made.select("train", select(made.names("test")[0]))


def test_a_run_draws_only_from_its_side() -> None:
    made = make_split("pocket/email", traits=unlike())
    allowed = made.allowed("test", select("pocket/email"))
    spec = RunSpec(worlds=("pocket/email",), agent="random", configs=2, rollouts=1, only=allowed, split="s.json:test")
    whole = RunSpec(worlds=("pocket/email",), agent="random", configs=2, rollouts=1)
    planned = {episode.configuration for episode in make_plan(spec)}
    assert {name.partition("@")[0].rpartition("/")[0] for name in planned} == set(made.names("test"))
    assert planned < {episode.configuration for episode in make_plan(whole)}  # the draw is the same as without a split


def test_a_changed_scenario_is_noticed() -> None:
    made = make_split("pocket/email", traits=unlike())
    data = made.plain()
    data["scenarios"][0]["fingerprint"] = "0" * 32
    with pytest.raises(InvalidInput, match="has changed since this split was made"):
        Split.parse(data).select("train", select("pocket/email"))


def test_a_file_with_a_crossing_pair_is_refused(tmp_path: Path) -> None:
    made = make_split("pocket/email", traits=unlike())
    data = made.plain()
    data["pairs"] = [{"first": made.names("train")[0], "second": made.names("test")[0], "score": 4.0}]
    (tmp_path / "split.json").write_text(json.dumps(data))
    with pytest.raises(InvalidInput, match="on different sides"):
        read_split(tmp_path / "split.json")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1, "extra": 1}', '{"format": NaN}'])
def test_a_malformed_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "split.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"split\.json"):
        read_split(tmp_path / "split.json")
    with pytest.raises(InvalidInput, match=r"FILE:train"):
        read_side(str(tmp_path / "split.json"))


def test_a_person_can_override_pairs_and_sides(tmp_path: Path) -> None:
    first, second, third = (each.name for each in unlike()[:3])
    path = tmp_path / "mine.toml"
    path.write_text(
        f'[[pair]]\nfirst = "{second}"\nsecond = "{first}"\njudgement = "same"\n[sides]\n"{first}" = "test"\n'
        f'"{third}" = "test"\n'
    )
    made = make_split("pocket/email", traits=unlike(), overrides=read_overrides(path))
    sides = {row.name: row.side for row in made.scenarios}
    assert sides[first] == sides[second] == sides[third] == "test"
    twins = [each if each.name != second else traits(second, "word0 term0") for each in unlike()]
    assert len(make_split("pocket/email", traits=twins).pairs) == 1
    different = Overrides.parse({"pair": [{"first": first, "second": second, "judgement": "different"}]})
    assert not make_split("pocket/email", traits=twins, overrides=different).pairs
    with pytest.raises(UnknownName, match="nonsense"):
        make_split("pocket/email", traits=[], overrides=Overrides(sides={"pocket/email/nonsense": "test"}))
    path.write_text("[[pair]\n")
    with pytest.raises(InvalidInput, match="not valid TOML"):
        read_overrides(path)


def test_whole_apps_are_held_out_and_what_is_similar_to_them_is_unused() -> None:
    first, other = unlike()[0].name, unlike("payment")[0].name
    same = Overrides.parse({"pair": [{"first": first, "second": other, "judgement": "same"}]})
    known = [*unlike(), *unlike("payment")]
    made = make_split("pocket/email", "pocket/payment", hold_out="app", names=["payment"], traits=known, overrides=same)
    sides = {row.name: row.side for row in made.scenarios}
    assert sides[other] == "test" and sides[first] == "unused"
    assert {side for name, side in sides.items() if name.startswith("pocket/payment/")} == {"test"}
    assert {side for name, side in sides.items() if name.startswith("pocket/email/")} == {"train", "unused"}
    assert made.side_of(Configuration.from_id(f"{first}/i@p/t/u")) is None
    with pytest.raises(UnknownName, match="did you mean|unknown app"):
        make_split("pocket", hold_out="app", names=["paymnt"], traits=known)


@pytest.mark.parametrize("axis", ["profile", "theme", "ui_state"])
def test_values_of_an_axis_are_held_out(axis: str) -> None:
    assert axis in ("profile", "theme", "ui_state")
    made = make_split("pocket/email", "pocket/payment", hold_out=axis, seed=1)  # type: ignore[arg-type]
    whole = select("pocket/email", "pocket/payment")
    train, test = made.select("train", whole), made.select("test", whole)
    for one, other in zip(train.parts, test.parts, strict=True):
        assert not set(one.values(axis)) & set(other.values(axis))
    assert len(train) + len(test) == len(whole)
    assert made.side_of(test.parts[0][0]) == "test" and made.side_of(train.parts[0][0]) == "train"
    with pytest.raises(UnknownName):
        make_split("pocket/email", hold_out=axis, names=["no-such"])  # type: ignore[arg-type]
    values = whole.parts[0].values(axis)
    with pytest.raises(InvalidInput, match="would be held out"):
        make_split("pocket/email", hold_out=axis, names=values)  # type: ignore[arg-type]


def test_the_page_shows_pairs_as_text_only(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    known = unlike()
    known[1] = Traits(known[1].name, "action", evil, known[0].text)
    made = make_split("pocket/email", traits=known)
    page = write_split_page(made, known, tmp_path / "review.html").read_text()
    assert evil not in page and "alert(1)" in page and known[0].name in page and "judgement" in page


def test_the_command_makes_and_checks_a_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "split.json")
    assert (
        main(["split", "pocket/notes", "--test", "0.5", "-o", path, "--page", str(tmp_path / "p.html"), "--json"]) == 0
    )
    printed = json.loads(capsys.readouterr().out)
    assert (printed["train"], printed["test"]) == (1, 1) and printed["pairs_within_apps"] == 1
    assert main(["split", "--check", path]) == 0
    plan = ["run", "pocket/notes", "--split", f"{path}:test", "--dry-run", "--json", "--configs", "1"]
    capsys.readouterr()
    assert main(plan) == 0
    assert {row["configuration"].split("/")[2] for row in json.loads(capsys.readouterr().out)["plan"]} == {
        name.split("/")[2] for name in read_split(path).names("test")
    }
    assert main(["split"]) == 2 and main(["split", "nonsense"]) == 2 and main(["split", "--check", "missing.json"]) == 2


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("suite", ["pocket", "desk"])
def test_nothing_similar_crosses_in_our_suites(suite: str) -> None:
    known = suite_traits([suite])
    made = make_split(suite, traits=known)
    sides = {row.name: row.side for row in made.scenarios}
    assert all(sides[pair.first] == sides[pair.second] for pair in similar_pairs(known))
    share = sum(side == "test" for side in sides.values()) / len(sides)
    assert abs(share - 0.2) < 0.01
    within, _ = pair_count(known)
    assert 0 < len(made.pairs) < 0.03 * within  # a measure that flags everything would be of no use
    assert check_split(made) == []
