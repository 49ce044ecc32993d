"""What a seat of PCManFM records of files that were put into its folders."""

from __future__ import annotations

import pytest

from fairground.worlds import open_seat, resolve
from fairground_desk.files.homes import FOLDERS

pytestmark = pytest.mark.process


def test_modes_of_strange_names_are_recorded_and_lock_files_are_not() -> None:
    strange, lock = "~/Documents/a\tb\nc\t644\t", "~/Documents/.~lock.talk.odp#"
    with open_seat(resolve("desk/files/rename-one/folder@teacher/light/home")) as seat:
        seat.sandbox.write_file(strange, b"x", mode=0o600)
        seat.sandbox.run(["ln", "-s", "to\there\n", f"{seat.sandbox.home}/Documents/a\tlink"])
        seat.sandbox.write_file(lock, b"x")  # as a program puts it beside a file that it has opened
        state = seat.finish()
    modes, listed = state.data["modes"], {one["path"] for one in state.data["files"]}
    assert modes[strange] == {"mode": "600", "target": ""}
    assert modes["~/Documents/a\tlink"]["target"] == "to\there\n"
    assert all(set(one["mode"]) <= set("01234567") for one in modes.values())
    assert set(modes) <= {*listed, *FOLDERS} and lock not in listed
