"""What an agent may leave instead of a notebook: an error each time, never a pass and never a hang."""

import gzip

import pytest
from my_desk.xournalpp.notebooks import PROFILES, as_file
from my_desk.xournalpp.reading import LARGEST, read_notebook

from fairground.core import StateError

GOOD = as_file(PROFILES["student"]["mechanics.xopp"])


def test_a_profile_has_the_same_bytes_every_time_and_is_read_as_it_was_written() -> None:
    assert as_file(PROFILES["student"]["mechanics.xopp"]) == GOOD
    assert [page.texts[0].text for page in read_notebook(GOOD)][1:3] == ["Pendulum", "Damping"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "cut short"),
        (b"no gzip at all", "not gzip"),
        (GOOD[: len(GOOD) // 2], "cut short"),
        (gzip.compress(bytes(LARGEST + 1)), "more than"),
        (gzip.compress(b"<xournal><page></xournal>"), "not well-formed"),
        (gzip.compress(b"<svg/>"), "expected xournal"),
        (gzip.compress(b"<xournal><page width='1' height='1'/></xournal>"), "without a background"),
        (gzip.compress(b'<!DOCTYPE a [<!ENTITY b "c">]><xournal>&b;</xournal>'), "declares"),
    ],
)
def test_a_broken_notebook_is_an_error(content: bytes, said: str) -> None:
    with pytest.raises(StateError, match=said):
        read_notebook(content)
