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


def fairground(place: Path, *words: str) -> tuple[int, str, str]:
    env = {**os.environ, "PYTHONPATH": f"{place}{os.pathsep}{ROOT}", "FAIRGROUND_HOME": str(place / "home")}
    command = [sys.executable, "-m", "fairground", *words]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.process
def test_a_suite_is_proven_listed_and_checked(place: Path) -> None:
    code, out, _ = fairground(place, "prove", "tiny", "--check")
    assert code == 1 and "wallet/pay: not in the proof table" in out
    page = place / "proof.html"
    code, out, err = fairground(place, "prove", "tiny", "--no-browser", "--workers", "2", "--json", "--page", str(page))
    found = json.loads(out)
    assert code == 0, err
    assert found["totals"]["proven_configurations"] == 60 and found["totals"]["faulty"] == 0
    assert found["tables"] == [str(place / "proofs" / "wallet.jsonl.gz")]
    written = page.read_text()
    assert "wallet/careless" in written and "alerts too" in written and "<script src" not in written

    code, out, _ = fairground(place, "prove", "tiny", "--no-browser")
    said = " ".join(out.split())
    assert code == 0 and "60 proven configurations" in said and "30 results known before" in said
    assert "careless rejects" in said
    assert fairground(place, "prove", "tiny", "--check")[0] == 0

    totals = json.loads(fairground(place, "list", "tiny", "--json")[1])["totals"]
    assert (totals["apps"], totals["scenarios"], totals["action"], totals["answer"]) == (1, 3, 2, 1)
    assert totals["proven_configurations"] == 60 < totals["configurations"] == 72
    assert 0.5 < totals["mutants"]["share_rejected"] < 1


@pytest.mark.slow
def test_a_sample_writes_no_table(place: Path) -> None:
    code, out, _ = fairground(place, "prove", "tiny/wallet/spent", "--sample", "2", "--no-browser", "--json")
    found = json.loads(out)
    assert code == 0 and found["sampled"] and found["tables"] == [] and found["totals"]["pairs"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["prove", "pockte"], "did you mean pocket"),
        (["prove", "pocket/ntoes"], "did you mean notes"),
        (["prove", "pocket/notes/count-label/work"], "names more than a scenario"),
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
