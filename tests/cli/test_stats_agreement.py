"""`fairground stats agreement`: labels that have an order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairground.cli import main

LABELS = {"u1": "left left tie", "u2": "right right right", "u3": "left tie left", "u4": "tie right right"}


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    lines = ["unit,coder,value"]
    lines += [f"{unit},c{at},{said}" for unit, given in LABELS.items() for at, said in enumerate(given.split())]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def alpha(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> float:
    assert main(["stats", "agreement", str(path), *words, "--json"]) == 0
    return float(json.loads(capsys.readouterr().out)["alpha"]["estimate"])


def test_an_order_of_labels_counts_how_far_apart_they_are(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nominal = alpha(capsys, labels)
    ordinal = alpha(capsys, labels, "--order", "left,tie,right")
    assert ordinal == alpha(capsys, labels, "--order", "right, tie, left", "--scale", "ordinal")
    assert ordinal > nominal + 0.2, "nobody said left where another said right"
    assert alpha(capsys, labels, "--order", "left,right,tie") < ordinal
    numbers = labels.with_name("numbers.csv")
    text = labels.read_text(encoding="utf-8")
    numbers.write_text(text.replace("left", "1").replace("tie", "2").replace("right", "3"), encoding="utf-8")
    assert alpha(capsys, numbers, "--scale", "ordinal") == ordinal
    assert alpha(capsys, numbers) == nominal


def test_labels_that_look_ordered_are_pointed_out(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "agreement", str(labels)]) == 0
    out, err = capsys.readouterr()
    assert "--order left,tie,right" in " ".join((out + err).split())
    assert main(["stats", "agreement", str(labels), "--order", "left,tie,right"]) == 0
    out, err = capsys.readouterr()
    assert "(ordinal)" in out and "--order" not in out + err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--order", "left,right"], "row 3, column 'value': expected one of left, right, got 'tie'"),
        (["--order", "left,tie,right", "--scale", "interval"], "--order needs --scale ordinal"),
        (["--scale", "ordinal"], "expected a number, got 'left'"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(
    labels: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["stats", "agreement", str(labels), *words]) != 0
    assert told in " ".join(capsys.readouterr().err.split())
