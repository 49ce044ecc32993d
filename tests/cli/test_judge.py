"""`fairground judge`, against a server that speaks the protocol."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairground.cli import main
from tests.rollout.judge_stage import KEY, episode, serving
from tests.rollout.recordings import run_of

ONE = "s/a/scenario/i@p/t/u"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPATIBLE_API_KEY", KEY)
    recordings = [episode("y", True, True), episode("n", False, True), episode("y", True, False)]
    return run_of(tmp_path / "run", [(ONE, one) for one in recordings])


def test_a_run_is_judged_once_and_compared_with_the_state_verifier(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(3) as server:
        words = ["judge", str(run), "--model", f"compatible:judge@{server.url}/v1", "--json"]
        assert main(words) == 0
        found = json.loads(capsys.readouterr().out)
        assert main([word for word in words if word != "--json"]) == 0
        said = capsys.readouterr().out
    assert len(server.asked) == 3
    assert (found["judged"], found["passed"], found["failed"], found["false_fails"]) == (3, 1, 1, [])
    assert found["false_passes"] == [str(run / "episodes/000002")]
    assert found["agreement"]["estimate"] == pytest.approx(2 / 3)
    assert [one["state"] for one in found["episodes"]] == ["passed", "failed", "failed"]
    assert "3 of them in an earlier call" in said
    assert "false pass" in said
    assert str(run / "judge.html") == found["page"]


def test_the_page_shows_where_they_differ_and_markup_of_a_model_is_text(run: Path, tmp_path: Path) -> None:
    page = tmp_path / "judge.html"
    with serving(3) as server:
        assert main(["judge", str(run), "--model", f"compatible:judge@{server.url}/v1", "-o", str(page)]) == 0
    text = page.read_text()
    assert "False passes: 1" in text
    assert 'href="run/episodes/000002/index.html"' in text
    assert (run / "episodes/000002/index.html").is_file()
    assert "<b>seen</b>" not in text
    assert "&lt;b&gt;seen&lt;/b&gt;" in text
    assert "<script" not in text


def test_one_episode_and_a_checklist_from_a_file(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list.toml"
    path.write_text('[[items]]\nname = "a note"\nmust = "There is a note."\n')
    folder = run / "episodes/000001"
    with serving(1) as server:
        model = f"compatible:judge@{server.url}/v1"
        assert main(["judge", str(folder), "--model", model, "--checklist", str(path)]) == 0
    assert "a note" in capsys.readouterr().out
    assert not (folder / "judge.html").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--model", "nobody:model"], "unknown model"),
        (["--model", "openai:gpt-5.4-mini"], "no API key"),
        (["--model", "compatible:m@http://127.0.0.1:9/v1", "--checklist", "none.toml"], "cannot be read"),
        (["--model", "compatible:m@http://127.0.0.1:9/v1", "-o", "page.txt"], ".html"),
        (["--model", "compatible:m@http://127.0.0.1:9/v1", "--frames", "1"], "frames"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_asked(
    run: Path, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["judge", str(run), *words]) != 0
    assert complaint in capsys.readouterr().err
