"""Where a report is written: whole or not at all, and never over a file of somebody else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from fairground.core import InfrastructureError, InvalidInput
from fairground.report import write_report
from fairground.stats import Summary
from tests.report.test_statistics_page import a_summary, a_table


@pytest.fixture(scope="module")
def small() -> Summary:
    return a_summary(a_table())


def test_a_path_that_cannot_be_written_is_a_typed_error(small: Summary, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no folder"):
        write_report(small, tmp_path / "missing" / "report.html")
    with pytest.raises(InvalidInput, match="is a folder"):
        write_report(small, tmp_path)
    with pytest.raises(InfrastructureError, match="could not write"):
        write_report(small, tmp_path / ("x" * 300))
    assert list(tmp_path.iterdir()) == []


def test_a_report_replaces_the_old_one_whole(small: Summary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    old = '<meta name="generator" content="Fairground 0.0.1">old'
    path.write_text(old)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(InfrastructureError, match="the disk is full"):
            write_report(small, path)
    assert path.read_text() == old and list(tmp_path.iterdir()) == [path]
    assert write_report(small, path) == path
    assert path.read_text().startswith("<!doctype html>") and list(tmp_path.iterdir()) == [path]
    (tmp_path / "other").touch()
    modes = {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert len(modes) == 1, "those may read it who may read any new file"


def test_a_file_of_somebody_else_is_never_replaced_silently(small: Summary, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    for content in ("", "<p>mine</p>", "x" * 5000 + '<meta name="generator" content="Fairground 9">'):
        path.write_text(content)
        with pytest.raises(InvalidInput, match="not written by Fairground"):
            write_report(small, path)
        assert path.read_text() == content
    write_report(small, path, force=True)
    assert write_report(small, path).read_text().startswith("<!doctype html>"), "one's own is written again"
