"""One instance on one profile: what is sound is proven, and each fault gets its own finding."""

from collections.abc import Sequence

import pytest

from fairground.core import Check, Configuration, State, StateError
from fairground.prove import Fault, PairProof, Status
from fairground.prove.answers import near_misses, says
from fairground.prove.pairs import prove_pair
from fairground.worlds import Scenario, Suite, World

from . import broken
from .wallet import Pay, Spent, Wallet


def tried(scenario: Scenario, instance: str = "bo", profile: str = "ana") -> PairProof:
    suite = Suite(name="tiny", title="Tiny", version="1", apps=(Wallet(),), scenarios=(scenario,))

    def make() -> World:
        configuration = Configuration(
            suite="tiny", app="wallet", scenario=scenario.name, instance=instance, profile=profile,
            theme="light", ui_state="home",
        )  # fmt: skip
        return World.of(suite, configuration)

    return prove_pair(make, lambda world: world.app.rehearse(world))  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("scenario", broken.FAULTS, ids=lambda kind: kind.__name__)
def test_each_fault_has_a_finding_of_its_own(scenario: type[Scenario]) -> None:
    fault, words = broken.FAULTS[scenario]
    profiles = [tried(scenario(), profile=profile) for profile in ("ana", "ben")]
    found = next((one for one in profiles if one.status is Status.FAULTY), profiles[0])
    assert (found.status, found.fault) == (Status.FAULTY, fault), found
    assert words in found.message


def test_a_sound_pair_is_proven() -> None:
    found = tried(Pay())
    assert (found.status, found.fault, found.moves, found.start) == (Status.PROVEN, None, 6, 0.0)
    assert found.tried == "tiny/wallet/pay/bo@ana/light/home"
    assert tried(Spent()).answer == "$26.25"


def test_what_is_only_to_be_made_cannot_be_read_at_the_start_and_that_is_no_fault() -> None:
    class PayWithReceipt(Pay):
        def checks(self, world: World, before: State, after: State, answer: str | None) -> Sequence[Check]:
            if after == before:
                raise StateError("receipt.txt is not in the recorded state")
            return super().checks(world, before, after, answer)

    found = tried(PayWithReceipt())
    assert (found.status, found.start) == (Status.PROVEN, 0.0)


def test_a_task_about_somebody_who_is_not_there_is_infeasible_and_no_fault() -> None:
    found = tried(Pay(), "eva", "ana")
    assert (found.status, found.fault, found.message) == (Status.INFEASIBLE, None, "this profile knows no Eva Kim")
    assert tried(Pay(), "eva", "ben").status is Status.PROVEN


def test_an_answer_that_is_right_by_luck_is_no_fault() -> None:
    assert says("It is 3 notes.", "3") and says("three", "3") and says("$10", "$10.00") and says("Yes, it is", "yes")
    assert says("0", "none") and says("0 notes", "there is none") and says("0", "nothing")
    assert not says("10", "none") and not says("0", "no")
    assert not says("13", "3") and not says(None, "3") and not says("3", "yes")


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("41", {"42", "40", "410", "14", "-41", ""}),
        ("$12.50", {"$12.51", "$12.49", "€12.50", "$125.0"}),
        ("0", {"1", "2"}),
        ("19:59", {"20:59"}),
        ("1,299.00", {"1,299.01", "1,298.99"}),
        ("Ann, Bo and Cem", {"Ann, Bo", "Bo, Cem", "Ann, Bo, Cem, another thing"}),
        ("Wi-Fi password", {"Wi-Fi passwor", "Alma Reyes, Blue folder, Quarterly summary, Wi-Fi password"}),
        ("7 PM", {"8 PM", "7 AM"}),
    ],
)
def test_near_misses_look_right_and_are_not(answer: str, wrong: set[str]) -> None:
    made = [text for _, text in near_misses(answer, ["another thing"])]
    assert wrong <= set(made) and answer not in made and len(made) == len(set(made))
    assert "another thing" in made


def test_no_message_names_a_place_on_this_machine() -> None:
    assert all("/home" not in fault.value and "/work" not in fault.value for fault in Fault)
