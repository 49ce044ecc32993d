"""What the suite carries may be given away, and fits wherever a sandbox keeps the user's home."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fairground_desk

APPS = Path(fairground_desk.__file__).parent
CARRIED = sorted(
    path.relative_to(APPS).as_posix()
    for path in APPS.glob("*/data/**/*")
    if path.is_file() and path.name != "README.md"
)


@pytest.mark.parametrize("carried", CARRIED)
def test_every_file_that_an_app_carries_has_an_origin_and_a_licence(carried: str) -> None:
    app, _, name = carried.partition("/data/")
    text = (APPS / app / "data" / "README.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| `")]
    patterns = {Path(pattern).as_posix(): row for row in rows for pattern in re.findall(r"`([^`]+)`", row[0])}
    found = [row for pattern, row in patterns.items() if Path(name).match(pattern)]
    assert len(found) == 1, f"{name} is in {len(found)} rows of {app}/data/README.md, expected one"
    assert not re.search("confirm|clear|unknown|none", found[0][-1]), found[0]


def test_no_module_takes_it_for_granted_where_the_home_is() -> None:
    told = [path.name for path in APPS.rglob("*.py") if "/home/user" in path.read_text(encoding="utf-8")]
    assert told == []
