"""`fairground prove` and what `list` makes of it, with a suite that a package publishes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairground.cli import main

ROOT = Path(__file__).parents[2]

SUITE = """
from pathlib import Path
from tests.prove import wallet
suite = wallet.proven_suite(Path(__file__).parent / "proofs")
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with a suite, as an installer would have put it there."""
    folder = tmp_path_factory.mktemp("site")
    about = folder / "tiny-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[fairground.suites]\ntiny = tiny_suite:suite\n")
    (folder / "tiny_suite.py").write_text(SUITE)
    return folder


RUN = """
import contextlib, io, json, sys
from fairground.cli import main

def said(words):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(words)
    return code, out.getvalue(), err.getvalue()

print(json.dumps([said(words) for words in json.loads(sys.argv[1])]))
"""


def fairground(place: Path, *commands: list[str]) -> list[tuple[int, str, str]]:
    """Runs commands one after another in a process that finds the package: status, output and errors of each."""
    env = {**os.environ, "PYTHONPATH": f"{place}{os.pathsep}{ROOT}", "FAIRGROUND_HOME": str(place / "home")}
    command = [sys.executable, "-c", RUN, json.dumps(commands)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [(code, out, err) for code, out, err in json.loads(done.stdout)]


@pytest.mark.process
def test_a_suite_is_proven_listed_and_checked(place: Path) -> None:
    page = place / "proof.html"
    prove = ["prove", "tiny", "--no-browser"]
    (missing, table, _), (code, out, err), reused, (current, stale, _), (_, listed, _) = fairground(
        place,
        ["prove", "tiny", "--check"],
        [*prove, "--workers", "2", "--json", "--page", str(page)],
        prove,
        ["prove", "tiny", "--check"],
        ["list", "tiny", "--json"],
    )
    assert missing == 1 and "wallet/pay: not in the proof table" in table
    found = json.loads(out)
    assert code == 0, err
    assert found["totals"]["proven_configurations"] == 60 and found["totals"]["faulty"] == 0
    assert found["tables"] == [str(place / "proofs" / "wallet.jsonl")]
    written = page.read_text()
    assert "wallet/careless" in written and "alerts too" in written and "<script src" not in written

    code, out, _ = reused
    said = " ".join(out.split())
    assert code == 0 and "60 proven configurations" in said and "30 results reused" in said
    assert "careless rejects" in said
    assert current == 1 and stale.count("was not tried on a screen") == 3, "and nothing else is stale"

    totals = json.loads(listed)["totals"]
    assert (totals["apps"], totals["scenarios"], totals["action"], totals["answer"]) == (1, 3, 2, 1)
    assert totals["proven_configurations"] == 60 < totals["configurations"] == 72
    assert 0.5 < totals["mutants"]["share_rejected"] < 1


@pytest.mark.slow
def test_a_sample_writes_no_table(place: Path) -> None:
    ((code, out, _),) = fairground(place, ["prove", "tiny/wallet/spent", "--sample", "2", "--no-browser", "--json"])
    found = json.loads(out)
    assert code == 0 and found["sampled"] and found["tables"] == [] and found["totals"]["pairs"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["prove", "pockte"], "did you mean pocket"),
        (["prove", "pocket/ntoes"], "did you mean notes"),
        (["prove", "pocket/notes/count-label/work"], "selects more than scenarios"),
        (["prove", "pocket", "--sample", "0"], "--sample"),
        (["prove", "pocket", "--page", "/nowhere/page.html"], "there is no folder"),
    ],
)
def test_a_mistake_gets_an_error_and_no_traceback(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert message in " ".join(err.split()) and "Traceback" not in out + err
