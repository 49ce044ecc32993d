"""What `fairground serve-env` prints for a client to paste, and options that exclude each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairground.cli.main import main
from fairground.cli.serve_env import _for_one_env
from fairground.worlds import select

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "shopping-list")


@pytest.mark.parametrize(
    ("worlds", "expected"),
    [
        (["pocket/notes"], "pocket/notes"),
        (["pocket/notes", "pocket/email"], ["pocket/notes", "pocket/email"]),
        ([EXAMPLE], "shopping-list/shopping-list"),  # a folder has no meaning on the client's machine
        (["pocket/notes", "desk/mousepad"], "pocket/notes"),  # their screens differ, and an environment has one size
    ],
)
def test_the_printed_world_fits_one_environment(worlds: list[str], expected: str | list[str]) -> None:
    assert _for_one_env(worlds, select(*worlds)) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--executor", "ray", "--share-browser"], "not on the nodes of a Ray cluster"),
        (["--address", "127.0.0.1:6379"], "add --executor ray"),
    ],
)
def test_options_of_the_other_executor_are_refused(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve-env", "pocket/notes", "--port", "0", "--json", *options]) == 2
    assert expected in capsys.readouterr().out
