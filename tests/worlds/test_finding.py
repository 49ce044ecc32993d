import pytest

from fairground.core import Node
from fairground.worlds import Fill, Stuck, Tap
from fairground.worlds.finding import find_field, find_tap


def page(*children: Node) -> Node:
    return Node("document", "Shop", children=children)


def row(name: str, *children: Node) -> Node:
    return Node("listitem", children=(Node("heading", name), *children))


def test_a_name_is_found_as_it_is_before_names_that_contain_it() -> None:
    tree = page(Node("button", "Send all"), Node("button", "Send"))
    assert find_tap(tree, Tap("Send")).node.name == "Send"
    assert find_tap(tree, Tap("all")).node.name == "Send all"


def test_spaces_and_line_breaks_in_a_name_do_not_matter() -> None:
    assert find_tap(page(Node("link", "Dinner \n tomorrow")), Tap("Dinner tomorrow")).node.role == "link"


def test_words_that_only_stand_there_are_not_pressed() -> None:
    tree = page(Node("link", "Thesis", children=(Node("heading", "Thesis"),)), Node("text", "Thesis"))
    assert find_tap(tree, Tap("Thesis")).node.role == "link"
    with pytest.raises(Stuck, match="no control named 'Total'"):
        find_tap(page(Node("text", "Total")), Tap("Total"))


def test_two_that_would_do_are_an_error_that_says_where_they_are() -> None:
    tree = page(row("Ann", Node("button", "Remove")), row("Bob", Node("button", "Remove")))
    with pytest.raises(Stuck, match=r"2 control named 'Remove', in 'Ann', 'Bob'"):
        find_tap(tree, Tap("Remove"))


def test_within_says_which_row() -> None:
    tree = page(row("Ann", Node("button", "Remove")), row("Bob", Node("button", "Remove")))
    assert find_tap(tree, Tap("Remove", within="Bob")).above[-1].children[0].name == "Bob"
    with pytest.raises(Stuck, match="within 'Cy'; there are none"):
        find_tap(tree, Tap("Remove", within="Cy"))


def test_the_page_itself_is_no_row() -> None:
    with pytest.raises(Stuck):
        find_tap(page(Node("button", "Pay")), Tap("Pay", within="Shop"))


def test_a_role_tells_a_tab_from_a_button_of_the_same_name() -> None:
    tree = page(Node("tab", "Orders"), Node("button", "Orders"))
    assert find_tap(tree, Tap("Orders", role="tab")).node.role == "tab"


def test_what_is_disabled_cannot_be_pressed() -> None:
    with pytest.raises(Stuck):
        find_tap(page(Node("button", "Pay", states=("disabled",))), Tap("Pay"))


def test_text_goes_into_fields_only() -> None:
    tree = page(Node("button", "Amount"), Node("textbox", "Amount"), Node("text", "Amount"))
    assert find_field(tree, Fill("Amount", "5")).node.role == "textbox"
    desktop = Node("desktop frame", children=(Node("text", "Name", states=("editable",)), Node("label", "Name")))
    assert find_field(desktop, Fill("Name", "x")).node.role == "text"


def test_an_empty_name_finds_nothing_rather_than_everything() -> None:
    with pytest.raises(Stuck):
        find_tap(page(Node("button", "Pay")), Tap(""))
