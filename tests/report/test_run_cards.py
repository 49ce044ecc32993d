"""What the report of a run shows of its episodes: what failed and why, and how it looked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.core import Check, Click, Outcome
from fairground.report.failures import MOST
from fairground.report.gallery import run_gallery
from fairground.rollout import Finished, Planned, RunSpec, RunStore
from tests.chromium import open_browser
from tests.report.test_contact_sheet import record

EVIL = "<img src=x onerror=window.pwned=1>"
FAILED = (
    Check(name="it is open", passed=True),
    Check(name=f"it is saved {EVIL}", passed=False, expected=["a", EVIL], found="b" * 500),
    Check(name="it is closed", passed=False),
)


def write_run(folder: Path, sizes: Sequence[tuple[int, int]], *, unrecorded: int = 0, agent: str = "random") -> Path:
    """A run of failed episodes with frames of these sizes, and of some that left no recording."""
    number = len(sizes) + unrecorded
    names = [f"pocket/app{at}/pin/i@ada/paper/list" for at in range(number)]
    plan = tuple(Planned(number=at, configuration=name, rollout=0, seed=0) for at, name in enumerate(names))
    with RunStore.create(folder, RunSpec(worlds=("pocket",), agent=agent), plan) as store:
        for at in range(number):
            place = f"episodes/{at:06}"
            if at < len(sizes):
                record(folder / place, [Click(point=(1, 1))], size=sizes[at], checks=FAILED)
            store.finish(at, Finished(Outcome.FAILED, 0.3, 1, 1.0, ended_by="agent", folder=place))
    return folder


def test_failed_episodes_are_listed_with_the_check_and_its_evidence(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [(64, 40)] * 2, unrecorded=1)
    cards = str(run_gallery([run], tmp_path / "report.html"))
    assert "3 failed" in cards and "pocket/app0/pin" in cards and "<img src=x" not in cards
    assert cards.count("it is saved &lt;img") == 2 and "and 1 more" in cards and "it is open" not in cards
    assert "found bbb" in cards and "b" * 100 not in cards, "evidence is said in short"
    assert "its recording cannot be read" in cards
    links = re.findall('href="([^"]*)" aria-label="Replay', cards)
    assert links == [f"run/episodes/{at:06}/index.html" for at in range(2)]
    assert all((tmp_path / link).is_file() for link in links)


def test_a_long_list_is_folded_and_bounded(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [(8, 8)], unrecorded=MOST + 9)
    cards = str(run_gallery([run], tmp_path / "report.html"))
    assert "60 failed" in cards and "38 more</summary>" in cards and "10 more are not listed" in cards
    assert cards.count("<tr>") == MOST + 2


def test_what_broke_comes_first_with_the_reason_and_a_link(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [(8, 8)] * 2)
    broken = tmp_path / "broken"
    plan = (Planned(number=0, configuration="pocket/app0/pin/i@ada/paper/list", rollout=0, seed=0),)
    with RunStore.create(broken, RunSpec(worlds=("pocket",), agent="mine"), plan) as store:
        why = f"agent ./mine exited with status 1; its standard error ends:\n  Traceback\n  KeyError: {EVIL}"
        store.finish(0, Finished(Outcome.ERRORED, None, 1, 1.0, ended_by="error", error=why, folder="episodes/000000"))
    cards = str(run_gallery([run, broken], tmp_path / "report.html"))
    assert "1 errored" in cards and "standard error ends: KeyError: &lt;img" in cards and "<img src=x" not in cards


@pytest.mark.slow
def test_frames_of_any_shape_stand_in_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_run(
        tmp_path / "run", [(412, 915), (1280, 800), (412, 915), (1280, 800)], agent="a name to be cut short"
    )
    page_path = tmp_path / "run" / "report.html"
    assert main(["report", str(run), "-o", str(page_path), "--resamples", "100"]) == 0
    capsys.readouterr()
    with open_browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(page_path.as_uri())
            boxes = page.eval_on_selector_all(
                ".shots li",
                "all => all.map((one) => one.getBoundingClientRect()).map(({top, height}) => [top, height])",
            )
            assert len({height for _, height in boxes}) == 1, "frames and captions are as high as each other"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            if width == 1280:
                assert len({top for top, _ in boxes}) == 1
                assert page.evaluate("document.documentElement.scrollHeight") < 3000, "little data make a short page"
        page.close()
