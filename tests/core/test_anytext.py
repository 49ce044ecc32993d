"""Text that is not Unicode comes back as it was, and can be read by people."""

import json
import os

from hypothesis import given
from hypothesis import strategies as st

from fairground.core.anytext import pack, printable, printable_data, unpack

any_text = st.text(st.characters(exclude_categories=()))
near = st.text(st.sampled_from("a\ud800\udc80\udcff\udfff\U0010d800\U0010dcff\U0010fffd\U0010fffe"))
data = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text | near,
    lambda inner: st.lists(inner) | st.dictionaries(any_text | near, inner),
)


@given(data)
def test_packed_data_is_utf_8_and_comes_back(given_data: object) -> None:
    packed = pack(given_data)
    text = json.dumps(packed, ensure_ascii=False).encode()
    assert unpack(json.loads(text)) == given_data


@given(near | any_text, near | any_text)
def test_two_names_are_never_packed_to_one(one: str, other: str) -> None:
    assert (pack(one) == pack(other)) == (one == other)


@given(st.binary())
def test_any_name_of_a_file_can_be_packed(name: bytes) -> None:
    assert os.fsencode(unpack(pack(os.fsdecode(name)))) == name


@given(data)
def test_what_is_printed_can_be_encoded_and_plain_text_stays(given_data: object) -> None:
    json.dumps(printable_data(given_data), ensure_ascii=False).encode()


def test_bytes_are_written_as_programmers_write_them() -> None:
    assert printable(os.fsdecode(b"report\xff.ods")) == "report\\xff.ods"
    assert printable("Größe 日本") == "Größe 日本"
    assert printable("\ud800") == "\\ud800"
