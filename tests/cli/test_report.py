"""`fairground report`: a page of any table, and nobody's results lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from defusedxml import ElementTree

from fairground.cli import main

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "results.csv"
EVIL = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>')


@pytest.fixture
def small(tmp_path: Path) -> Path:
    rows = [
        f'"{agent.replace(chr(34), chr(34) * 2)}",{app},s{at},{rollout},{(at + rollout + len(agent)) % 2}'
        for agent in EVIL
        for app in ("x&y", "</script>")
        for at in range(3)
        for rollout in range(2)
    ]
    path = tmp_path / "results.csv"
    path.write_text("agent,app,scenario,rollout,success\n" + "\n".join(rows) + "\n")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["report", *map(str, words), "--resamples", "200"])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_report_is_one_page_with_every_agent(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    code, out, err = run(capsys, EXAMPLE, "-o", page, "--title", "Spring & summer")
    assert code == 0 and str(page) in out and not err
    text = page.read_text()
    assert "atlas-large" in text and "Spring &amp; summer" in text
    assert "https://" not in text.replace("http://www.w3.org", "") and "<link" not in text


def test_names_are_text_and_not_markup(capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert run(capsys, small, "-o", page)[0] == 0
    text = page.read_text()
    assert "<script>alert" not in text and "<img src=x" not in text
    assert text.count("</script>") == text.count("<script")


def test_the_same_seed_gives_the_same_page(capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path) -> None:
    pages = [tmp_path / f"{name}.html" for name in "abc"]
    for page, seed in zip(pages, (1, 1, 2), strict=True):
        assert run(capsys, small, "-o", page, "--seed", seed)[0] == 0
    one, two, other = (page.read_bytes() for page in pages)
    assert one == two != other


def test_json_says_where_the_page_is(capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path) -> None:
    code, out, _ = run(capsys, small, "-o", tmp_path / "r.html", "--figures", tmp_path / "figures", "--json")
    value = json.loads(out)
    assert code == 0 and value["page"] == str(tmp_path / "r.html") and value["agents"] == 2
    assert value["figures"]
    for name in value["figures"]:
        assert ElementTree.parse(name).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_votes_stand_beside_the_table(capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("model_a,right,winner\n" + "p,q,left\nq,r,left\nr,p,left\np,r,left\n" * 5)
    words = [small, "-o", tmp_path / "r.html", "--votes", votes]
    code, _, err = run(capsys, *words)
    assert code == 2 and "no column 'left'" in err
    assert run(capsys, *words, "--rename-votes", "model_a=left", "--rename", "rollout=trial")[0] == 0


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("results.csv", "is one of the inputs"),
        ("./results.csv", "is one of the inputs"),
        ("votes.csv", "is one of the inputs"),
        ("other.csv", "expected a name that ends in .html"),
        (".", "is a folder"),
        ("nowhere/report.html", "there is no folder"),
    ],
)
def test_a_report_does_not_write_over_results(
    capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path, output: str, message: str
) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,winner\np,q,left\nq,p,left\n")
    before = small.read_bytes(), votes.read_bytes()
    code, out, err = run(capsys, small, "--votes", votes, "-o", tmp_path / output)
    assert code == 2 and message in err and not out
    assert (small.read_bytes(), votes.read_bytes()) == before and not (tmp_path / "other.csv").exists()


def test_figures_need_a_folder(capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path) -> None:
    code, _, err = run(capsys, small, "-o", tmp_path / "r.html", "--figures", small)
    assert code == 2 and "--figures: cannot write into" in err


def test_a_file_of_somebody_else_is_left_alone(capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path) -> None:
    page, drawings = tmp_path / "report.html", tmp_path / "figures"
    words = [small, "-o", page, "--figures", drawings]
    page.write_text("<p>my notes</p>")
    code, out, err = run(capsys, *words)
    assert code == 2 and not out and str(page) in err and "--force" in err
    assert page.read_text() == "<p>my notes</p>" and not drawings.exists()
    assert run(capsys, *words, "--force")[0] == 0
    assert run(capsys, *words)[0] == 0, "what a report wrote, the next one may write again"
    drawing = drawings / "standings.svg"
    drawing.write_text("<svg/>")
    code, _, err = run(capsys, *words)
    assert code == 2 and str(drawing) in err and drawing.read_text() == "<svg/>"
