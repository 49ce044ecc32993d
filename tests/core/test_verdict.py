"""How checks add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from fairground.core import Check, InvalidConfiguration, InvalidInput, Outcome, Verdict


def check(passed: bool, weight: float = 1.0, integrity: bool = False) -> Check:
    return Check(name="a check", passed=passed, weight=weight, integrity=integrity)


@pytest.mark.parametrize(
    ("checks", "reward", "success", "integrity"),
    [
        ([check(True)], 1.0, True, True),
        ([check(False)], 0.0, False, True),
        ([check(True), check(False)], 0.5, False, True),
        ([check(True, 3), check(False, 1)], 0.75, False, True),
        ([check(True), check(False, 0)], 1.0, False, True),
        ([check(True), check(True, 0, integrity=True)], 1.0, True, True),
        ([check(True), check(False, 0, integrity=True)], 0.0, False, False),
        ([check(False), check(True, 0, integrity=True)], 0.0, False, True),
        ([check(True), check(False), check(False, 1, integrity=True)], 0.0, False, False),
        ([check(True, 0.1), check(True, 0.2), check(True, 0.7)], 1.0, True, True),
    ],
    ids=str,
)
def test_checks_add_up(checks: list[Check], reward: float, success: bool, integrity: bool) -> None:
    verdict = Verdict.of(checks)
    assert (verdict.reward, verdict.success, verdict.integrity) == (pytest.approx(reward), success, integrity)


weights = st.floats(0, 1000) | st.sampled_from([0.0, 0.1, 0.2, 0.7, 1 / 3, 1e-300])
checks = st.lists(st.builds(check, st.booleans(), weights, st.booleans()), min_size=1, max_size=12)


@given(checks.filter(lambda found: any(one.weight for one in found)))
def test_a_verdict_keeps_the_laws_of_reward(found: list[Check]) -> None:
    verdict = Verdict.of(found)
    assert 0 <= verdict.reward <= 1
    assert verdict.success == all(one.passed for one in found)
    assert verdict.integrity == all(one.passed for one in found if one.integrity)
    if verdict.success:
        assert verdict.reward == 1.0 and verdict.integrity
    if not verdict.integrity:
        assert verdict.reward == 0.0 and not verdict.success
    assert verdict.checks == tuple(found)
    assert Verdict.parse(verdict.plain()) == verdict


@given(checks.filter(lambda found: any(one.weight for one in found)), st.randoms())
def test_the_order_of_checks_does_not_matter(found: list[Check], random: st.DataObject) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, two = Verdict.of(found), Verdict.of(shuffled)
    assert (one.success, one.integrity) == (two.success, two.integrity)
    assert one.reward == pytest.approx(two.reward)


@pytest.mark.parametrize("found", [[], [check(True, 0)], [check(True, 0), check(False, 0, integrity=True)]], ids=str)
def test_a_verdict_of_nothing_is_a_mistake_of_the_configuration(found: list[Check]) -> None:
    with pytest.raises(InvalidConfiguration, match="at least one check with a weight above 0"):
        Verdict.of(found)


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf"), 1e308])
def test_a_weight_that_would_spoil_the_sum_is_refused(weight: float) -> None:
    with pytest.raises(ValidationError):
        check(True, weight)


@pytest.mark.parametrize(
    "data",
    [
        {"checks": [{"name": "x", "passed": False}], "reward": 1, "success": True},
        {"checks": [{"name": "x", "passed": True}], "reward": 0.5, "success": True},
        {"checks": [{"name": "x", "passed": True}], "reward": 1, "success": True, "integrity": False},
        {"checks": [], "reward": 1, "success": True},
    ],
    ids=str,
)
def test_a_recorded_verdict_that_does_not_follow_from_its_checks_is_refused(data: object) -> None:
    with pytest.raises(InvalidInput, match="^verdict: "):
        Verdict.parse(data)


@pytest.mark.parametrize("passed", ["yes", 1, "true", None])
def test_only_true_and_false_say_whether_a_check_passed(passed: object) -> None:
    with pytest.raises(InvalidInput, match=r"^verdict\.checks\[0\]\.passed: "):
        Verdict.parse({"checks": [{"name": "x", "passed": passed}], "reward": 1, "success": True})


def test_a_check_has_a_name() -> None:
    with pytest.raises(InvalidInput, match=r"^check\.name: "):
        Check.parse({"name": "", "passed": True})


def test_only_passed_and_failed_are_results() -> None:
    assert [outcome for outcome in Outcome if outcome.scored] == [Outcome.PASSED, Outcome.FAILED]
    assert [str(outcome) for outcome in Outcome] == ["passed", "failed", "errored", "invalid"]
