"""`benchmarks/run.py`: its output and exit status, tested with small benchmark modules."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
KEPT = 'Figure("grab", 0.5, "ms", "at most 2x raw", most=0.6), Figure("raw", 0.3, "ms")'
SLOW = 'Figure("replay of 500 steps", 1158.2, "ms", "under 1 s", most=1000)'
FEW = 'Figure("pictures", 12, "a second", "at least 15", least=15)'
WIDE = 'Figure("spread", 0.9, "x", "0.97 to 1.03", least=0.97, most=1.03)'


def run(folder: Path, *words: str, **modules: str) -> subprocess.CompletedProcess[str]:
    """Run copies of `run.py` and `figures.py` in a folder with modules that print these figures."""
    for name in ("run.py", "figures.py"):
        shutil.copy(BENCHMARKS / name, folder)
    for name, figures in modules.items():
        (folder / f"bench_{name}.py").write_text(
            f"import sys\nfrom figures import Figure, show\nsys.exit(show([{figures}], as_json='--json' in sys.argv))\n"
        )
    return subprocess.run(
        [sys.executable, str(folder / "run.py"), *words], capture_output=True, text=True, timeout=60, check=False
    )


def test_each_missed_bar_is_printed_after_the_table_with_by_how_much(tmp_path: Path) -> None:
    done = run(tmp_path, frame=KEPT, live=f"{FEW}, {WIDE}", replay=SLOW)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-3:] == [
        "live: pictures: 12 a second, bar at least 15: missed by 3 a second (20%)",
        "live: spread: 0.9 x, bar 0.97 to 1.03: missed by 0.07 x (7%)",
        "replay: replay of 500 steps: 1,158 ms, bar under 1 s: missed by 158 ms (16%)",
    ]


def test_nothing_follows_the_table_when_every_bar_was_kept(tmp_path: Path) -> None:
    done = run(tmp_path, frame=KEPT)
    assert done.returncode == 0
    assert "met" in done.stdout and "missed" not in done.stdout and done.stdout.rstrip().endswith("┘")


def test_json_is_one_document_that_says_which_bars_were_missed(tmp_path: Path) -> None:
    done = run(tmp_path, "--json", frame=KEPT, replay=SLOW)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert [figure["ok"] for figure in found["frame"]] == [True, None]
    (slow,) = found["replay"]
    assert (slow["ok"], slow["most"]) == (False, 1000) and slow["missed_by"] == pytest.approx(158.2)


def test_a_module_that_cannot_measure_ends_in_status_2_and_the_others_are_still_shown(tmp_path: Path) -> None:
    done = run(tmp_path, broken="1 / 0", replay=SLOW)
    assert done.returncode == 2
    assert "broken could not measure" in done.stderr and "missed by 158 ms" in done.stdout


@pytest.mark.slow
def test_a_figure_that_is_not_a_number_keeps_no_bar(tmp_path: Path) -> None:
    done = run(tmp_path, nan='Figure("grab", float("nan"), "ms", "under 1 s", most=1000)')
    assert done.returncode == 1 and "missed by nan ms" in done.stdout


@pytest.mark.slow
def test_one_module_alone_prints_its_missed_bars_too(tmp_path: Path) -> None:
    run(tmp_path, replay=SLOW)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "bench_replay.py")], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "replay of 500 steps: 1,158 ms, bar under 1 s: missed by 158 ms (16%)"


def test_help_documents_the_exit_status(tmp_path: Path) -> None:
    shown = " ".join(run(tmp_path, "--help").stdout.split())
    assert "0 if all bars were met, 1 if a bar was missed, 2 if a module could not measure" in shown
