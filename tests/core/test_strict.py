"""The border itself: records, unions and JSON text."""

from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from fairground.core import InvalidInput, Record, parse_as, parse_json


class Colour(StrEnum):
    RED = "red"


class Leaf(Record):
    name: str
    sizes: tuple[int, ...] = ()
    colour: Colour = Colour.RED


class Tree(Record):
    leaves: tuple[Leaf, ...] = ()
    by_name: dict[str, Leaf] = {}
    height: float | None = None


def test_plain_data_becomes_a_record() -> None:
    data = {"leaves": [{"name": "a", "sizes": [1, 2]}], "by_name": {"b": {"name": "b", "colour": "red"}}, "height": 2}
    tree = Tree.parse(data)
    assert tree.leaves[0].sizes == (1, 2)
    assert tree.by_name["b"].colour is Colour.RED
    assert tree.height == 2.0
    assert Tree.parse(tree.plain()) == tree


def test_records_inside_plain_data_are_taken_as_they_are() -> None:
    assert Tree.parse({"leaves": [Leaf(name="a")]}) == Tree(leaves=(Leaf(name="a"),))


def test_a_path_leads_through_lists_and_mappings() -> None:
    with pytest.raises(InvalidInput) as caught:
        Tree.parse({"leaves": [{"name": "a"}, {"name": 5, "size": 1}], "by_name": {"b": {}}}, where="tree.json")
    assert caught.value.message.splitlines() == [
        "tree.json.leaves[1].name: input should be a valid string, got 5",
        "tree.json.leaves[1].size: unknown field",
        "tree.json.by_name.b.name: required, but missing",
    ]


@pytest.mark.parametrize("sizes", [["1"], [1.5], [True], "12", {"0": 1}], ids=repr)
def test_a_record_is_strict(sizes: object) -> None:
    with pytest.raises(InvalidInput, match=r"^leaf\.sizes"):
        Leaf.parse({"name": "a", "sizes": sizes})


def test_without_a_place_the_path_starts_with_the_kind_of_record() -> None:
    with pytest.raises(InvalidInput, match=r"^leaf\.name: required, but missing$"):
        Leaf.parse({})


@pytest.mark.parametrize("data", [b"x", object(), {"name": {1}}], ids=["bytes", "object", "set"])
def test_what_is_not_plain_data_is_refused(data: object) -> None:
    with pytest.raises(InvalidInput, match="^leaf"):
        Leaf.parse(data)


def test_data_nested_without_end_is_refused() -> None:
    data: list[object] = []
    data.append(data)
    with pytest.raises(InvalidInput):
        Leaf.parse({"name": data})


def test_a_union_is_parsed_as_strictly() -> None:
    adapter: TypeAdapter[int | str] = TypeAdapter(int | str)
    assert parse_as(adapter, "5", where="x") == "5"
    with pytest.raises(InvalidInput, match="^x"):
        parse_as(adapter, 2.5, where="x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1 column 2"),
        ('{"a": 1,\n "b": }', "line 2 column 7"),
        (b"\xff", "utf-8"),
        ("[" * 100_000, ""),
        ("NaN", "NaN"),
        ("[1, -Infinity]", "Infinity"),
        ('{"a": 1, "a": 2}', "'a'"),
        ("1" * 5000, ""),
        ("", ""),
    ],
    ids=["brace", "line", "bytes", "deep", "nan", "infinity", "twice", "digits", "empty"],
)
def test_text_that_is_not_json_is_refused_with_its_place(text: str | bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=r"^file\.json: not valid JSON: ") as caught:
        parse_json(text, where="file.json")
    assert message in caught.value.message


@given(st.binary(max_size=40) | st.text(max_size=40))
def test_any_text_is_json_or_invalid_input(text: str | bytes) -> None:
    try:
        parse_json(text, where="x")
    except InvalidInput:
        return
