"""A whole suite: in worker processes, cached by content, killed and gone on with, written down and held to."""

import dataclasses
import itertools
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairground.core import Configuration, InfrastructureError, InvalidConfiguration, InvalidInput, State
from fairground.prove import Cache, Fault, Keys, Options, Proof, ScenarioProof, check_tables, prove, write_tables
from fairground.prove.crew import Crew, Lost
from fairground.prove.sameness import differences
from fairground.prove.sampling import covering, diagonal
from fairground.worlds import Scenario, Suite, read_table, registry, select, write_table
from fairground.worlds.selection import StaleProof

from . import wallet
from .broken import hanging_suite
from .doubling import Doubling, unable

QUICK = Options(browser=False, workers=1, mutant_pairs=2)  # each worker imports all of it first


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with Cache(tmp_path / "proofs.sqlite") as opened:
        yield opened


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Proof:
    with Cache(tmp_path_factory.mktemp("proof") / "proofs.sqlite") as opened:
        return prove(wallet.suite, options=QUICK, cache=opened)


def of(proof: Proof, name: str) -> ScenarioProof:
    return next(one for one in proof.scenarios if one.scenario == name)


# --- what is found ---------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_sound_suite_is_proven_and_counted(proof: Proof) -> None:
    found = proof.summary()
    assert proof.sound and found["totals"]["faulty"] == 0
    assert (found["totals"]["proven"], found["totals"]["infeasible"]) == (15, 3)
    assert found["totals"]["proven_configurations"] == 15 * 2 * 2
    json.dumps(found)


@pytest.mark.process
def test_a_good_verifier_rejects_every_mutant_and_a_careless_one_is_found_out(proof: Proof) -> None:
    good, careless = (one for one in proof.scenarios if one.scenario in ("pay", "careless"))
    assert good.mutant_count.share == 1.0 and not good.survivors
    assert (careless.mutant_count.share or 1) < 0.7
    overlooked = {place.partition("[")[0] for one in careless.survivors for place in one.differs}
    assert overlooked == {"payments", "settings"}, "what no check looks at is what is shown"
    assert {"author", "an extra side effect", "a wrong text"} <= {one.kind for one in careless.survivors}


@pytest.mark.process
def test_every_kind_of_mistake_is_made(proof: Proof) -> None:
    kinds = {kind for one in proof.scenarios for mutants in one.mutants for kind in mutants.kinds}
    assert kinds == {
        "a move left out", "a move made twice", "everything twice", "another entity", "a wrong amount", "a wrong text",
        "the right thing to the wrong record", "an extra side effect", "a near-miss answer", "author",
    }  # fmt: skip


def test_an_end_that_only_a_clock_tells_apart_is_the_same() -> None:
    one, other, set_by_hand = (
        State(data={"rows": [{"id": 7, "at": at, "note": "a"}]})
        for at in ("2026-03-01T10:00:01", "2026-03-01T10:02:30", "2026-03-01T10:30:00")
    )
    assert not differences(one, other)
    assert differences(one, set_by_hand) == {"rows[7].at": ("2026-03-01T10:00:01", "2026-03-01T10:30:00")}
    assert not differences(one, set_by_hand, clocks=["at"])


def test_databases_are_compared_by_their_rows() -> None:
    def database(*notes: str) -> State:
        db = sqlite3.connect(":memory:")
        db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
        db.executemany("INSERT INTO notes (text) VALUES (?)", [(note,) for note in notes])
        if len(notes) > 1:  # the same rows in another file
            db.execute("CREATE TABLE gone (x)")
            db.execute("DROP TABLE gone")
        db.commit()
        return State(files={"app.db": db.serialize()})

    assert differences(database("a"), database("b")) == {"app.db:notes[1].text": ("a", "b")}
    assert not differences(database("a", "b"), database("a", "b"))
    damaged = State(files={"app.db": b"SQLite format 3\0" + b"x" * 50})
    assert differences(database("a"), damaged)


# --- workers ---------------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_what_hangs_or_kills_is_a_fault_of_its_own_pair(cache: Cache) -> None:
    options = dataclasses.replace(QUICK, workers=2, mutant_pairs=0)
    scenarios = {one.name: one for one in hanging_suite().scenarios}
    ending = prove(hanging_suite, [scenarios["deadly"], scenarios["pay"]], options, cache=cache)
    assert faults(ending) == {"deadly": {Fault.LOST}, "pay": {None}} and not ending.sound
    assert "SIGKILL" in of(ending, "deadly").pairs["bo", "ana"].message
    # What ends has all the time that a busy machine needs; what hangs is given up soon.
    proof = prove(hanging_suite, options=dataclasses.replace(options, seconds=0.5), cache=cache)
    assert faults(proof)["hanging"] == faults(proof)["deaf"] == {Fault.TOO_SLOW}
    assert faults(proof)["pay"] == {None} and proof.reused >= 3
    assert "in oracle (prove/broken.py:" in of(proof, "hanging").pairs["bo", "ana"].message


def faults(proof: Proof) -> dict[str, set[Fault | None]]:
    return {one.scenario: {pair.fault for pair in one.pairs.values()} for one in proof.scenarios}


@pytest.mark.process
def test_no_job_is_lost_or_done_twice_when_workers_die() -> None:
    with Crew(Doubling, 2) as crew:
        ended = list(crew.do(range(20), seconds=60))
        ended += crew.do(range(20, 23), seconds=60)
    assert sorted(job for job, _ in ended) == list(range(23))
    lost = {job: result for job, result in ended if isinstance(result, Lost)}
    assert set(lost) == {3, 13} and all("SIGKILL" in one.why and f"at {job}" in one.why for job, one in lost.items())
    assert all(result == 2 * job for job, result in ended if job not in lost)


@pytest.mark.process
def test_workers_that_cannot_start_are_no_fault_of_the_suite() -> None:
    with pytest.raises(InfrastructureError, match="could not start: ValueError: no such suite"):
        list(Crew(unable, 1).do(range(3), seconds=30))


# --- the cache -------------------------------------------------------------------------------------------------------


def other_text(scenario: type[Scenario]) -> Scenario:
    changed = scenario()
    changed.template = changed.template + " Please."  # type: ignore[misc]
    return changed


def changed_suite() -> Suite:
    return Suite(**{**vars(wallet.suite()), "scenarios": (other_text(wallet.Pay), wallet.Careless(), wallet.Spent())})


@pytest.mark.slow
def test_nothing_is_tried_again_that_has_not_changed(cache: Cache) -> None:
    options = dataclasses.replace(QUICK, mutant_pairs=1)
    first = prove(wallet.suite, options=options, cache=cache)
    second = prove(wallet.suite, options=options, cache=cache)
    assert first.reused == 0 and second.reused == 18 + 3
    assert {**second.summary(), "seconds": 0, "reused": 0} == {**first.summary(), "seconds": 0, "reused": 0}
    changed = prove(changed_suite, options=options, cache=cache)
    assert changed.reused == second.reused - 6 - 1, "only the changed scenario is proven anew"


def test_keys_change_with_parameters_and_profiles_and_nothing_else() -> None:
    plain, again = Keys(wallet.suite()), Keys(wallet.suite())
    pay = wallet.Pay()
    assert plain.pair(pay, "bo", "ana") == again.pair(pay, "bo", "ana")
    assert plain.pair(pay, "bo", "ana") != plain.pair(pay, "bo", "ben") != plain.pair(pay, "carla", "ben")
    pay.instances = {**pay.instances, "bo": {**pay.instances["bo"], "amount": 13}}  # type: ignore[misc]
    assert plain.pair(pay, "bo", "ana") != again.pair(wallet.Pay(), "bo", "ana")
    assert plain.pair(pay, "carla", "ana") == again.pair(wallet.Pay(), "carla", "ana")


def test_a_cache_that_is_damaged_says_so(tmp_path: Path) -> None:
    (tmp_path / "proofs.sqlite").write_text("not a database, " * 100)
    with pytest.raises(Exception, match="may be deleted"):
        Cache(tmp_path / "proofs.sqlite")


@pytest.mark.process
def test_a_proof_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "proofs.sqlite"
    program = [sys.executable, "-m", "tests.prove.killed", str(path)]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(program, cwd=root, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert any(line.startswith("pairs 9") for line in process.stdout)
    process.kill()
    process.wait()
    process.stdout.close()
    with Cache(path) as cache:
        (known,) = sqlite3.connect(path).execute("SELECT count(*) FROM traced_results").fetchone()
        assert known >= 1
        proof = prove(wallet.suite, options=dataclasses.replace(QUICK, mutant_pairs=0), cache=cache)
    assert proof.reused == known and proof.summary()["totals"]["proven"] == 15


# --- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_a_suite_serves_what_its_table_proves_and_says_why_not(
    proof: Proof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = write_tables(proof, tmp_path, wallet.suite())
    suite = wallet.proven_suite(tmp_path)
    assert len(suite.configurations()) == 60 < len(wallet.suite().configurations())
    assert ("eva", "ana") not in suite.pairs(suite.scenario("wallet", "pay"))
    monkeypatch.setattr(registry, "suites", lambda: {"tiny": suite})
    assert registry.resolve("tiny/wallet/pay/eva").configuration.profile == "ben", "the first that is proven"
    with pytest.raises(InvalidConfiguration, match="not served: the task is not possible .* knows no Eva Kim"):
        registry.resolve("tiny/wallet/pay/eva@ana")
    assert registry.resolve("tiny/wallet/pay/eva@ana", unproven=True).configuration.profile == "ana"
    assert path.read_bytes().count(b"\n") == 1 + 3


@pytest.mark.process
def test_plans_draw_only_what_is_proven(proof: Proof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tables(proof, tmp_path, wallet.suite())
    suite = wallet.proven_suite(tmp_path)
    monkeypatch.setattr(registry, "_published_as", {"tiny": suite}.get)
    whole = list(select("tiny/wallet/pay").sample(None))
    assert len(whole) == 5 * 4 and all(suite.why_not(one) is None for one in whole)
    one_profile = list(select("tiny/wallet/pay").sample(None, axes=("instance",)))
    assert {(one.instance, one.profile) for one in one_profile} == {("bo", "ana"), ("carla", "ana")}
    monkeypatch.setattr(registry, "_published_as", {"tiny": wallet.suite()}.get)
    assert len(list(select("tiny/wallet/pay").sample(None))) == 6 * 4


@pytest.mark.process
def test_the_same_findings_are_the_same_bytes(proof: Proof, tmp_path: Path) -> None:
    (path,) = write_tables(proof, tmp_path, wallet.suite())
    first = path.read_bytes()
    shuffled = dataclasses.replace(proof, scenarios=list(reversed(proof.scenarios)), seconds=99.0)
    assert write_tables(shuffled, tmp_path, wallet.suite())[0].read_bytes() == first
    table = read_table(tmp_path, "wallet")
    assert table is not None and table.why_not("pay", "bo", "ana") is None
    assert table.why_not("pay", "zoe", "ana") == "it has not been proven yet"


@pytest.mark.process
def test_a_table_of_other_sources_is_stale(proof: Proof, tmp_path: Path) -> None:
    write_tables(proof, tmp_path, wallet.suite())
    tried = {"mutant_pairs": QUICK.mutant_pairs, "screens": 0}
    assert check_tables(wallet.proven_suite(tmp_path), **tried) == []
    changed = Suite(**{**vars(changed_suite()), "proofs": tmp_path})
    (stale,) = check_tables(changed, **tried)
    assert (stale.name, stale.pairs) == ("wallet/pay", 5) and "changed" in stale.why
    (nothing,) = check_tables(wallet.suite())
    assert "has no proof tables" in nothing.why
    assert len(check_tables(wallet.proven_suite(tmp_path / "empty"))) == 3


@pytest.mark.process
def test_what_changed_since_it_was_proven_is_not_served_and_says_why(
    proof: Proof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tables(proof, tmp_path, wallet.suite())
    monkeypatch.delenv("FAIRGROUND_ALLOW_STALE")
    whole = len(wallet.proven_suite(tmp_path).configurations())
    changed = Suite(**{**vars(changed_suite()), "proofs": tmp_path})
    pay = changed.scenario("wallet", "pay")
    assert changed.pairs(pay) == [] and 0 < len(changed.configurations()) < whole
    monkeypatch.setattr(registry, "suites", lambda: {"tiny": changed})
    with pytest.raises(InvalidConfiguration, match="wallet, or the data of pay, changed since it was proven"):
        registry.resolve("tiny/wallet/pay/bo@ana")
    monkeypatch.setattr(registry, "_published_as", {"tiny": changed}.get)
    with pytest.warns(StaleProof, match="tiny/wallet/pay not served: .* fairground prove tiny"):
        assert {each.scenario for each in select("tiny")} == {"careless", "spent"}
    with pytest.raises(InvalidConfiguration, match="changed since it was proven"):
        select("tiny/wallet/pay")
    monkeypatch.setenv("FAIRGROUND_ALLOW_STALE", "1")
    assert changed.pairs(pay), "authors may use it"


@pytest.mark.process
def test_a_changed_check_function_is_named(proof: Proof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAIRGROUND_ALLOW_STALE")
    write_tables(proof, tmp_path, wallet.suite())
    table = read_table(tmp_path, "wallet")
    assert table is not None
    rows = [row.model_copy(update={"units": tuple(unit.replace("verify.checks:equal ", "verify.checks:equal 0")
                                                  for unit in row.units)}) for row in table.scenarios]  # fmt: skip
    write_table(tmp_path, table.model_copy(update={"scenarios": tuple(rows)}))
    suite = wallet.proven_suite(tmp_path)
    reasons = {suite.why_stale(scenario) for scenario in suite.scenarios}
    assert "fairground.verify.checks.equal changed since it was proven" in reasons


@pytest.mark.process
def test_proving_one_scenario_keeps_the_others_of_the_table(proof: Proof, tmp_path: Path) -> None:
    (path,) = write_tables(proof, tmp_path, wallet.suite())
    whole = path.read_bytes()
    alone = dataclasses.replace(proof, scenarios=[one for one in proof.scenarios if one.scenario == "spent"])
    assert write_tables(alone, tmp_path, wallet.suite())[0].read_bytes() == whole
    with pytest.raises(InvalidInput, match="a sample cannot be written as a proof table"):
        write_tables(dataclasses.replace(proof, sampled=True), tmp_path, wallet.suite())


@pytest.mark.parametrize(
    "content",
    [b"", b"\x1f\x8b broken", b"{}", b'{"format":2,"units":[]}\n3', b'{"format":2,"units":[]}\n{"units":[1]}'],
    ids=["empty", "broken", "no-format", "no-row", "no-unit"],
)
def test_a_table_that_is_damaged_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "wallet.jsonl").write_bytes(content)
    with pytest.raises(InvalidInput, match="wallet.jsonl"):
        wallet.proven_suite(tmp_path).configurations()


# --- samples ---------------------------------------------------------------------------------------------------------


def test_looks_are_covered_by_the_scenarios_together() -> None:
    for scenarios, themes, states in itertools.product((1, 3, 26), (1, 4, 10), (1, 3, 10)):
        each = covering(scenarios, range(themes), range(states), least=4)
        assert {pair for some in each for pair in some} == set(itertools.product(range(themes), range(states)))
        assert all(len(some) >= min(4, themes * states) for some in each)
    assert len({theme for theme, _ in covering(26, range(10), range(10), 4)[0]}) == 4


def test_a_beginning_is_spread_over_both() -> None:
    pairs = list(diagonal(range(5), range(3)))
    assert sorted(pairs) == list(itertools.product(range(5), range(3)))
    assert {one for one, _ in pairs[:5]} == set(range(5)) and {other for _, other in pairs[:3]} == set(range(3))


def test_a_suite_without_proofs_serves_everything() -> None:
    nowhere = Configuration(suite="tiny", app="wallet", scenario="pay", instance="eva", profile="ana")
    assert wallet.suite().why_not(nowhere) is None
    assert len(wallet.suite().configurations()) == 3 * 3 * 2 * 2 * 2
