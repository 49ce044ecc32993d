"""`fairground stats`: right figures or clear words, for whatever table comes."""

from __future__ import annotations

import csv
import io
import json
import random
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.cli.output import console

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "results.csv"
COLUMNS = ("agent", "condition", "suite", "app", "scenario", "theme", "rollout", "outcome", "steps", "cost")
FEW = ["--resamples", "100"]
COMMANDS = (
    "summary",
    "compare",
    "reliability",
    "sensitivity",
    "rank",
    "agreement",
    "plan",
    "power",
    "coverage",
    "ladder",
)


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


def strict(text: str) -> Any:
    """One JSON value, without the constants that JSON has not."""

    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def episodes(
    agents: Iterable[str] = ("a", "b"),
    apps: Iterable[str] = ("x", "y"),
    scenarios: int = 3,
    themes: Iterable[str] = ("dark", "light"),
    rollouts: int = 2,
    outcome: Callable[[str], str] | None = None,
    condition: str = "",
    suite: str = "",
    seed: int = 0,
) -> list[list[object]]:
    rng = random.Random(seed)
    ended = outcome or (lambda _: rng.choice(["passed", "failed"]))
    return [
        [*(agent, condition, suite, app, f"s{at}", theme, rollout, ended(agent)), rng.randint(1, 9), rng.random()]
        for agent in agents
        for app in apps
        for at in range(scenarios)
        for theme in themes
        for rollout in range(rollouts)
    ]


def table(path: Path, rows: list[list[object]]) -> Path:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return table(tmp_path / "small.csv", episodes(("one", "three"), scenarios=4, seed=3))


# Every table, every command

TABLES: dict[str, list[list[object]]] = {
    "one row": episodes(("a",), ("x",), 1, ("dark",), 1),
    "one agent, app and scenario": episodes(("a",), ("x",), 1, ("dark",), 3),
    "all passed": episodes(outcome=lambda _: "passed"),
    "all failed": episodes(outcome=lambda _: "failed"),
    "only errored": episodes(outcome=lambda _: "errored"),
    "one agent only errored": episodes(("a", "b", "c"), outcome=lambda who: "errored" if who == "a" else "passed"),
    "no app in common": episodes(("a",), ("x", "y")) + episodes(("b",), ("z",)),
    "one app in common": episodes(("a",), ("x", "y")) + episodes(("b",), ("y", "z")),
    "conditions": episodes(condition="hot") + episodes(condition="cold", seed=2),
    "several suites with the same apps": episodes(suite="p") + episodes(suite="q", seed=2),
    "markup": episodes(("[red]evil[/red]", "[/]", "[bold]"), ("[link=x]y[/link]", "[/")),
    "turned around": episodes(("a\u202eb", "עברית"), ("two\nlines", "a\ttab")),
    "long names": episodes(("n" * 10_000, "m" * 10_000), ("p" * 5_000, "q" * 5_000)),
    "numbers as names": episodes(("1", "2"), ("0", "1.5")),
    "wide letters": episodes(("日本語エージェント", "👩‍👩‍👧"), ("表計算", "📧")),
    "an axis partly empty": episodes(themes=("", "dark")),
    "names like options": episodes(("--json", "-k")),
    "no numbers": [[*row[:8], "", ""] for row in episodes()],
    "slashes": episodes(apps=("a", "a/s0"), scenarios=2),
}  # fmt: skip


EDGES = ("one row", "only errored", "no app in common", "markup", "turned around", "long names", "names like options")
ANSWERS = [
    pytest.param(name, command, marks=[] if name in EDGES or command == "summary" else [pytest.mark.slow])
    for name in TABLES
    for command in ("summary", "compare", "reliability", "sensitivity", "plan", "report")
]


@pytest.mark.parametrize(("name", "command"), ANSWERS)
def test_any_table_gives_figures_or_a_refusal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, command: str
) -> None:
    rows = TABLES[name]
    path = table(tmp_path / "t.csv", rows)
    agents = sorted({str(row[0]) for row in rows})
    words: list[object] = ["stats", command, path, "--resamples", "100"]
    if command == "compare":
        words = ["stats", "compare", "--resamples", "100", path, "--", agents[0], agents[-1]]
    elif command == "sensitivity":
        words = ["stats", command, path, "--permutations", "100"]
    elif command == "plan":
        words = ["stats", command, path, "--half-width", "0.2", f"--agent={agents[0]}"]
    elif command == "report":
        words = ["report", path, "-o", tmp_path / "r.html", "--resamples", "100"]
    code, out, err = run(capsys, *words)
    assert code in (0, 2) and "Traceback" not in out + err
    assert not any(ord(letter) < 32 and letter != "\n" for letter in out + err)
    assert "\u202e" not in out + err and "nan" not in out.lower().replace("finance", "")
    if code:
        assert err.startswith("error: ") and not out
    at = words.index("--") if "--" in words else len(words)
    again, value, _ = run(capsys, *words[:at], "--json", *words[at:])
    assert again == code and ("error" in strict(value)) == (code == 2)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (episodes(apps=("all", "")), "two apps would both be called 'all'"),
        (episodes(("a [hot]",)) + episodes(("a",), condition="hot"), "two contenders would both be called 'a [hot]'"),
        (episodes(("a\x1b[31m",)), "line 2, column 'agent': expected a name, got 'a\\x1b[31m'"),
        (episodes() + episodes()[:1], "the same rollout as"),
    ],
)
def test_what_could_not_be_told_apart_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, rows: list[list[object]], message: str
) -> None:
    code, out, err = run(capsys, "stats", table(tmp_path / "t.csv", rows))
    assert code == 2 and message in err and not out


# Asked wrongly


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--level", "0"], "level: expected a number between 0 and 1"),
        (["--level", "1.5"], "level: expected a number between 0 and 1"),
        (["--level", "nan"], "level: expected a number between 0 and 1"),
        (["--resamples", "0"], "100"),
        (["--resamples", "-5"], "100"),
        (["--seed", "-1"], "0"),
        (["--statistic", "trimmed_mean"], "did you mean trimmed-mean"),
        (["--method", "magic"], "expected percentile or bca"),
        (["--design", "magic"], "expected auto, grid or sampled"),
        (["--rename", "theme"], "--rename: expected NAME=VALUE, got 'theme'"),
        (["--rename", "nope=agent"], "'nope'"),
        (["--rename", "theme=agent"], "would both be the column 'agent'"),
        (["--rename", "theme=a", "--rename", "theme=b"], "theme is given twice"),
        (["--rename", "theme="], "needs a new name"),
        (["--where", "app"], "--where: expected NAME=VALUE"),
        (["--where", "app=z"], "unknown app 'z'"),
        (["--where", "self=1"], "unknown column 'self'"),
        (["--where", "app=x", "--where", "app=y"], "app is given twice"),
        (["--where", "profile=x"], "has no column 'profile'"),
        (["--success-at", "2"], "success_at: expected a reward above 0 and up to 1"),
        (["--bogus"], "--bogus"),
    ],
)
def test_a_wrong_option_is_refused(
    capsys: pytest.CaptureFixture[str], small: Path, words: list[str], message: str
) -> None:
    code, out, err = run(capsys, "stats", small, *words)
    assert code == 2 and message in err and not out and "Traceback" not in err
    code, out, _ = run(capsys, "stats", small, *words, "--json")
    assert code == 2 and message.strip("'") in strict(out)["error"] + str(strict(out)["fix"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nope.csv"], "nope.csv does not exist"),
        (["relability", "FILE"], "did you mean stats reliability?"),
        (["FILE", "FILE"], "is given twice"),
        (["compare", "FILE", "one"], "'B'"),
        (["compare", "FILE", "one", "one"], "cannot be compared with itself"),
        (["compare", "FILE", "one", "tree"], "did you mean three"),
        (
            ["compare", "FILE", "one", "three", "--pairing", "magic"],
            "expected auto, configurations, scenarios or apart",
        ),
        (["reliability", "FILE", "-k", "99"], "no task was tried that often"),
        (["reliability", "FILE", "--unit", "magic"], "expected auto, configuration or scenario"),
        (["plan", "FILE"], "expected one of --half-width and --difference, got none"),
        (
            ["plan", "FILE", "--half-width", "0.1", "--difference", "0.1"],
            "expected one of --half-width and --difference, got both",
        ),
        (["plan", "FILE", "--half-width", "0.1"], "needs one contender, got 2: one, three"),
        (["plan", "--half-width", "0.1"], "expected either a pilot table or --sd"),
        (["plan", "FILE", "--half-width", "0.1", "--sd", "1,1,1"], "expected either a pilot table or --sd"),
        (["plan", "--sd", "0.3,0.1,0.3", "--half-width", "0.1"], "--apps is required"),
        (["plan", "--sd", "-1,0,0", "--half-width", "0.1", "--apps", "2"], "--sd: expected 3 non-negative numbers"),
        (["plan", "--sd", "nan,0,0", "--half-width", "0.1", "--apps", "2"], "--sd: expected 3 non-negative numbers"),
        (["plan", "--sd", "0.3,0.1,0.3", "--half-width", "0.00001", "--apps", "2"], "cannot be reached"),
        (["plan", "--sd", "0.3,0.1,0.3", "--half-width", "0.1", "--apps", "0"], "apps: expected an integer"),
        (["plan", "--sd", "0.3,0.1,0.3", "--half-width", "0.1", "--apps", "2", "--scenarios", "x"], "MIN-MAX"),
        (["plan", "--sd", "0.3,0.1,0.3", "--half-width", "0.1", "--apps", "2", "--fixed"], "--scenarios 26"),
        (["plan", "--sd", "0.3,0.1,0.3", "--half-width", "0.1", "--apps", "2", "--agent", "a"], "need a pilot"),
        (["power"], "--gap or --votes"),
        (["power", "--gap", "0"], "too few to detect"),
        (["ladder", "--apps", "x"], "--apps: expected a number"),
        (["ladder", "--axes", "3x"], "--axes: expected sizes"),
        (["coverage", "8x"], "shape: expected apps x scenarios"),
        (["coverage", "8x2", "--difference", "2"], "difference: expected a share"),
        (["coverage", "8x2", "--scheme", "best"], "scheme: expected clusters or prism"),
        (["rank", "FILE"], "no column 'left'"),
        (["rank", "FILE", "--anchor", "x=nan"], "'left'"),
        (["agreement", "FILE"], "no column 'unit'"),
    ],
)
def test_a_wrong_question_is_refused(
    capsys: pytest.CaptureFixture[str], small: Path, words: list[str], message: str
) -> None:
    asked = [str(small) if word == "FILE" else word for word in words]
    code, out, err = run(capsys, "stats", *asked)
    assert code == 2 and message in err and not out and "Traceback" not in err
    code, out, _ = run(capsys, "stats", *asked, "--json")
    assert code == 2 and set(strict(out)) == {"error", "fix"}


def test_help_names_every_command_and_each_has_json(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((), ("--help",)):
        code, out, _ = run(capsys, "stats", *words)
        assert code == 0 and all(f"\n  {command} " in out for command in COMMANDS)
    for command in COMMANDS:
        code, out, _ = run(capsys, "stats", command, "--help")
        assert code == 0 and "--json" in out


# The figures


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(
    capsys: pytest.CaptureFixture[str], small: Path
) -> None:
    for words in (
        ["summary", small, *FEW],
        ["summary", small, "--scheme", "prism", *FEW],
        ["compare", small, "one", "three", "--scheme", "prism", *FEW],
        ["sensitivity", small, "--permutations", "100"],
    ):
        first, second, other = (run(capsys, "stats", *words, "--json", "--seed", seed)[1] for seed in (5, 5, 6))
        assert first == second != other


def close(one: Any, other: Any) -> bool:
    """Equal, but for the last bits of sums over rows in another order."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(close, one, other))
    return one == pytest.approx(other, rel=1e-12) if isinstance(one, float) else bool(one == other)


def test_the_order_of_rows_and_columns_changes_no_figure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = episodes(("one", "three"), scenarios=4, seed=3)
    table(tmp_path / "t.csv", rows)
    shuffled = random.Random(1).sample(rows, len(rows))
    for words in (["summary"], ["compare"], ["reliability"], ["sensitivity"]):
        tail = ["one", "three"] if words == ["compare"] else []
        tail += ["--permutations", "100"] if words == ["sensitivity"] else FEW
        found = []
        for order in (rows, shuffled):
            path = table(tmp_path / "t.csv", order)
            found.append(strict(run(capsys, "stats", *words, path, *tail, "--json")[1]))
        assert close(found[0], found[1])


def test_a_summary_has_scores_apps_pairs_and_what_they_rest_on(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "stats", EXAMPLE, *FEW)
    assert code == 0 and not err
    assert "4,320 episodes: 1,824 passed, 2,376 failed, 75 errored, 45 invalid" in " ".join(out.split())
    assert "57.2% [" in out and "spreadsheet" in out and "better than" in out and "undecided" in out
    value = strict(run(capsys, "stats", EXAMPLE, *FEW, "--json")[1])
    assert [one["contender"]["agent"] for one in value["standings"]][:2] == ["atlas-large", "birch-pro"]
    assert len(value["duels"]) == 10 and value["outcomes"]["errored"] == 75


def test_who_was_never_scored_is_still_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", TABLES["one agent only errored"])
    out = run(capsys, "stats", path)[1]
    assert "none scored" in out
    assert any(line.split() == ["a", "0", "0", "0", "0", "24", "0"] for line in out.splitlines())


def test_a_table_of_others_needs_no_option(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "osworld.jsonl"
    rows = [
        {"model": model, "domain": domain, "example_id": f"{domain}-{task}", "score": task % 2, "args": {"n": 1}}
        for model in ("m1", "model2")
        for domain in ("chrome", "gimp")
        for task in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, err = run(capsys, "stats", path)
    assert code == 0 and "model2" in out and "chrome" not in out
    for said in (
        "'example_id' is the scenario",
        "'model' is the agent",
        "'score' is the result",
        "--rename domain=app",
    ):
        assert said in err and said not in out, "notes are said once"
    code, out, _ = run(capsys, "stats", path, "--rename", "domain=app")
    assert code == 0 and "chrome" in out


def test_all_that_must_be_said_is_one_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "odd table.csv"
    path.write_text("stuff,who,fine\n" + "".join(f"t{task},{who},1\n" for task in range(4) for who in "ab"))
    code, _, err = run(capsys, "stats", path, *FEW)
    (command,) = [line.removeprefix("  run: ") for line in err.splitlines() if line.startswith("  run: ")]
    program, *words = shlex.split(command)
    assert code == 2 and program == "fairground" and str(path) in words and words.count("--rename") == 3
    code, out, err = run(capsys, *words)
    assert code == 0 and "run:" not in err and all(f"\n{who} " in out for who in "ab")
    value = strict(run(capsys, "stats", path, "--json")[1])
    assert value["run"].endswith("--rename stuff=scenario --rename fine=success --rename who=agent")


@pytest.mark.parametrize("command", [["stats"], ["stats", "reliability"], ["report", "-o", "OUT"]], ids=" ".join)
def test_missing_results_are_what_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("agent,task_id,is_resolved\na,s,True\na,t,\na,u,False\na,v,timeout\n")
    words = [*(str(tmp_path / "r.html") if word == "OUT" else word for word in command), path]
    words += ["--map", "timeout=failed"]
    code, _, err = run(capsys, *words)
    assert code == 2 and "line 3, column 'is_resolved': empty" in err and "--missing errored (not scored" in err
    for choice, said in (("errored", "counted as errored"), ("failed", "scored as failures"), ("skip", "left out")):
        code, _, err = run(capsys, *words, "--missing", choice)
        assert code == 0 and f"1 of 4 rows of {path} have no result: {said}" in err


def test_a_column_that_may_be_misnamed_is_said_beside_the_figures(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("agent,domain,scenario,success\na,x,s,1\na,y,t,0\n")
    code, out, err = run(capsys, "stats", tmp_path / "t.csv", "--json")
    assert code == 0 and strict(out)["episodes"] == 2
    assert "Column 'domain'" in err and "--rename domain=app" in err


def test_rows_can_be_chosen_after_renaming(capsys: pytest.CaptureFixture[str], small: Path) -> None:
    words = ["stats", small, "--rename", "app=program", "--rename", "theme=app"]
    words += ["--rename", "rollout=number", "--where", "program=x"]
    value = strict(run(capsys, *words, "--json")[1])
    assert value["episodes"] == 32 and sorted(value["standings"][0]["apps"]) == ["dark", "light"]


def test_a_comparison_says_why_something_is_missing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = episodes(("a",)) + [[*row[:4], f"other-{row[4]}", *row[5:]] for row in episodes(("b",), seed=1)]
    path = table(tmp_path / "t.csv", rows)
    value = strict(run(capsys, "stats", "compare", path, "a", "b", "--json")[1])
    assert value["transitions"] is None and any("Tasks cannot be compared" in note for note in value["notes"])
    assert "nothing else is shared" in " ".join(run(capsys, "stats", "compare", path, "a", "b")[1].split())


def test_votes_and_labels_have_their_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    rng = random.Random(0)
    lines = [
        f"{a},{b},{rng.choice(['left', 'left', 'right', 'tie'])}"
        for _ in range(40)
        for a, b in (("a", "b"), ("b", "c"), ("a", "c"))
    ]
    votes.write_text("left,right,winner\n" + "\n".join(lines) + "\n")
    code, out, _ = run(capsys, "stats", "rank", votes, "--tests", "--resamples", "100")
    assert code == 0 and "120 votes" in out and "permutation test" in out
    assert strict(run(capsys, "stats", "rank", votes, "--json", "--resamples", "100")[1])["ranking"]["votes"] == 120
    labels = tmp_path / "labels.csv"
    labels.write_text(
        "unit,coder,value\n" + "".join(f"{unit},{coder},{unit % 3}\n" for unit in range(9) for coder in "ab")
    )
    assert "1.000" in run(capsys, "stats", "agreement", labels)[1]
    labels.write_text("unit,coder,value\n1,a,x\n1,b,2\n")
    code, _, err = run(capsys, "stats", "agreement", labels, "--scale", "interval")
    assert code == 2 and "expected a number, got 'x'" in err


def test_plans_and_powers_need_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert strict(run(capsys, "stats", "power", "--gap", "50", "--json")[1])["decisive"] == 511
    words = ["stats", "plan", "--sd", "0.3,0.1,0.35", "--apps", "10", "--half-width", "0.03"]
    assert "1 rollout" in run(capsys, *words)[1] and strict(run(capsys, *words, "--json")[1])["apps"] == 10
    words = ["stats", "coverage", "4x3", "--experiments", "20"]
    assert "t test" in run(capsys, *words)[1] and len(strict(run(capsys, *words, "--json")[1])) == 5
    words = ["stats", "ladder", "--apps", "2", "--scenarios", "2", "--axes", "2", "--experiments", "10"]
    assert "Wilson" in run(capsys, *words)[1] and strict(run(capsys, *words, "--json")[1])["suite"]


# The terminal


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_cut_in_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, width: int
) -> None:
    monkeypatch.setattr(console, "_width", width)
    path = table(tmp_path / "t.csv", episodes(("an-agent-of-a-long-name", "b"), rollouts=3))
    for words in (["stats"], ["stats", "reliability"], ["stats", "sensitivity"], ["stats", "compare"]):
        tail = ["b", "an-agent-of-a-long-name"] if words[-1] == "compare" else []
        tail += {"sensitivity": ["--permutations", "100"], "reliability": []}.get(words[-1], FEW)
        code, out, _ = run(capsys, *words, path, *tail)
        assert code == 0 and "…" not in out


def test_many_agents_are_listed_with_the_best_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", episodes([f"agent{at:02}" for at in range(15)], scenarios=2, rollouts=1))
    out = run(capsys, "stats", path, "--resamples", "100")[1]
    assert "and 3 agents more: --json has all" in out and "and 45 pairs more: --json has all" in out


@pytest.mark.parametrize("words", [[], pytest.param(["--json"], marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(words: list[str]) -> None:
    command = f"{sys.executable} -m fairground stats {EXAMPLE} --resamples 100 {' '.join(words)} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stdout and not done.stderr


def test_runs_are_tables_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from fairground.core import Outcome
    from fairground.rollout import Finished, Planned, RunSpec, RunStore

    folders = []
    for agent, passed in (("one", 6), ("other", 2)):
        plan = [Planned(number=at, configuration=f"desk/calc/s{at}/i@p/t/u", rollout=0, seed=at) for at in range(8)]
        folders.append(str(tmp_path / agent))
        with RunStore.create(tmp_path / agent, RunSpec(worlds=("desk",), agent=agent), plan) as store:
            for at in range(7):  # the last one has not ended
                outcome = Outcome.PASSED if at < passed else Outcome.FAILED
                store.finish(at, Finished(outcome, reward=float(at < passed), steps=3, seconds=1.0))
    assert main(["stats", *folders, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["contender"]["agent"] for one in found["standings"]] == ["one", "other"]
    assert found["episodes"] == 14 and found["standings"][0]["score"]["estimate"] == pytest.approx(6 / 7)


def test_mean_rewards_stand_next_to_success_and_are_compared(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "rewards.csv"
    lines = [f"{agent},s{s},{(s + bonus) / 10}" for agent, bonus in (("a", 3), ("b", 0)) for s in range(7)]
    path.write_text("\n".join(["agent,scenario,reward", *lines]))
    _, out, _ = run(capsys, "stats", path, "--success-at", "0.5")
    assert "mean reward" in out and "0.60 [" in out and "0.30 [" in out
    for words in (["stats", "compare", path, "a", "b"], ["compare", path]):
        code, out, err = run(capsys, *words, "--success-at", "0.5")
        assert code == 0 and "mean reward 0.60 and 0.30   difference +0.30" in out, err
    told = strict(run(capsys, "stats", "compare", path, "a", "b", "--success-at", "0.5", "--json")[1])
    assert told["reward"]["difference"]["estimate"] == pytest.approx(0.3)


def test_a_plan_for_a_difference_takes_a_pilot_of_several_files(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    paths = []
    for agent, solved in (("one", 3), ("other", 2)):
        path = tmp_path / f"{agent}.csv"
        rows = [
            f"{agent},s{scenario},{rollout},{int((scenario + rollout) % 4 < solved)}"
            for scenario in range(6)
            for rollout in range(3)
        ]
        path.write_text("\n".join(["agent,scenario,rollout,success", *rows]))
        paths.append(path)
    code, out, err = run(capsys, "stats", "plan", *paths, "--difference", "0.2")
    assert code == 0 and "half-width" in out, err
    code, _, err = run(capsys, "stats", "plan", paths[0], "--difference", "0.2")
    assert code == 2 and "got 1: one" in err and "name another run as well" in err
