"""Episodes that are sent as one piece: what comes out is what went in, below its folder, or nothing."""

import io
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.core import EpisodeError
from fairground.rollout.parcel import pack, unpack

LARGEST = 1 << 20
names = st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8}){0,2}\.[a-z]{1,3}", fullmatch=True)


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def tar_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


@given(st.dictionaries(names, st.binary(max_size=2000), max_size=5))
def test_what_comes_out_is_what_went_in(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as place:
        here, there = Path(place, "here"), Path(place, "there", "000001")
        here.mkdir()
        for name, data in files.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_bytes(data)
        parcel = pack(here, LARGEST)
        assert parcel is not None and not here.exists()
        unpack(parcel, there)
        assert files_of(there) == files
        assert [entry.name for entry in there.parent.iterdir()] == ["000001"]


@given(st.one_of(st.binary(max_size=2000), st.binary(min_size=512, max_size=512).map(lambda head: head * 3)))
def test_garbage_leaves_nothing_but_the_typed_error(parcel: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        try:
            unpack(parcel, Path(place, "000001"))
        except EpisodeError:
            assert list(Path(place).iterdir()) == []


@pytest.mark.parametrize("name", ["../escaped", "/tmp/escaped", "a/../../escaped", ""])
def test_a_place_outside_of_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(EpisodeError):
        unpack(tar_of((tarfile.TarInfo("fine"), b"fine"), (tarfile.TarInfo(name), b"x")), tmp_path / "in" / "000001")
    assert files_of(tmp_path) == {}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(kind: bytes, tmp_path: Path) -> None:
    member = tarfile.TarInfo("odd")
    member.type, member.linkname = kind, "/etc/passwd"
    with pytest.raises(EpisodeError, match="odd: not a regular file"):
        unpack(tar_of((member, b"")), tmp_path / "000001")


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    twice = tar_of((tarfile.TarInfo("one"), b"1"), (tarfile.TarInfo("one"), b"2"))
    with pytest.raises(EpisodeError, match="one: occurs twice"):
        unpack(twice, tmp_path / "000001")


def test_what_an_attempt_that_was_killed_left_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "000001"
    for left in (folder, tmp_path / ".000001.tmp"):
        left.mkdir()
        (left / "half").write_text("half")
    unpack(tar_of((tarfile.TarInfo("whole"), b"whole")), folder)
    assert files_of(tmp_path) == {"000001/whole": b"whole"}


def test_a_folder_that_is_too_large_or_absent(tmp_path: Path) -> None:
    assert pack(tmp_path / "absent", LARGEST) is None
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "video.mp4").write_bytes(b"x" * 1001)
    with pytest.raises(EpisodeError, match="has 1,001 bytes; expected at most 1,000"):
        pack(folder, 1000)
    assert not folder.exists()
