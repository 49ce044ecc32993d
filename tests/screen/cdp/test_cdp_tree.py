"""The accessibility tree says what is on the page and where, frames and scrolled parts included."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fairground.core import Click, Node, Scroll

from .site import Browser, browser

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def named(tree: Node, role: str, name: str) -> Node:
    found = tree.find(role, name)
    assert found is not None, [(node.role, node.name) for node in tree.walk()]
    return found


FORM = """<title>Form</title><h1>Title</h1>
<div><button style="position:absolute;left:50px;top:100px;width:90px;height:40px">Save <b>now</b></button></div>
<label>Name <input value="Ann" autofocus></label> <input type="checkbox" aria-label="Agree" checked disabled>
<a href="#">a link</a> <select aria-label="Size"><option>One<option selected>Two</select>
<details><summary>more</summary>hidden</details> <p>plain text</p> <button aria-pressed="mixed">half</button>"""


def test_roles_names_values_and_states_are_told(page: Browser) -> None:
    tree = page.show(FORM).tree()
    assert (tree.role, tree.name, tree.bounds) == ("document", "Form", (0, 0, 412, 915))
    assert named(tree, "heading", "Title").children == ()
    assert named(tree, "textbox", "Name").value == "Ann"
    assert "focused" in named(tree, "textbox", "Name").states
    assert set(named(tree, "checkbox", "Agree").states) == {"checked", "disabled"}
    assert named(tree, "combobox", "Size").value == "Two"
    assert "collapsed" in named(tree, "button", "more").states
    assert "mixed" in named(tree, "button", "half").states
    assert named(tree, "text", "plain text") and named(tree, "link", "a link")


def test_bounds_are_where_it_is_drawn(page: Browser) -> None:
    assert named(page.show(FORM).tree(), "button", "Save now").bounds == (50, 100, 90, 40)


def test_bounds_follow_scrolling_and_what_is_scrolled_away_has_none(page: Browser) -> None:
    screen = page.show(
        """<button style="position:fixed;left:5px;top:5px">fixed</button>
        <button style="position:absolute;left:50px;top:500px;width:90px;height:40px">low</button>
        <div style="position:absolute;top:150px;width:200px;height:100px;overflow:auto"><div style="height:80px">a</div>
          <button style="height:40px;display:block">half</button><div style="height:200px"></div>
          <button>gone</button></div>
        <div style="width:20px;height:20px;overflow:hidden">
          <button style="position:absolute;top:300px;left:200px">out</button></div>
        <div style="height:3000px"></div><button>far</button>"""
    )
    tree = screen.tree()
    assert named(tree, "button", "low").bounds == (50, 500, 90, 40)
    assert named(tree, "button", "gone").bounds is None
    assert named(tree, "button", "far").bounds is None
    assert named(tree, "button", "out").bounds is not None, "not held by a box that is not its frame of reference"
    half = named(tree, "button", "half").bounds
    assert half is not None and half[3] == 20
    screen.act(Scroll(point=(300, 700), dy=2))
    screen.settle()
    scrolled = screen.tree()
    assert named(scrolled, "button", "low").bounds == (50, 260, 90, 40)
    assert named(scrolled, "button", "fixed").bounds == named(tree, "button", "fixed").bounds
    assert scrolled.bounds == (0, 0, 412, 915)


def test_frames_are_part_of_the_tree(page: Browser) -> None:
    page.site.pages[
        "/inner"
    ] = """<!doctype html><body style="margin:0;height:2000px"><button style="position:absolute;left:10px;top:300px;
        width:80px;height:30px" onclick="document.title = 'hit'">Inner</button><script>scrollTo(0, 100)</script>"""
    screen = page.show(
        """<iframe src="/inner" style="position:absolute;left:100px;top:400px;width:200px;height:300px;
        border:5px solid"></iframe>"""
    )
    button = named(screen.tree(), "button", "Inner")
    assert button.bounds == (115, 605, 80, 30)
    assert button.center is not None
    screen.act(Click(point=button.center))
    assert screen.evaluate("document.querySelector('iframe').contentDocument.title") == "hit"


def test_depth_and_number_of_nodes_are_limited(page: Browser) -> None:
    screen = page.show("<ul>" + "<li><p><a href='#'>item</a></p></li>" * 300 + "</ul>")
    assert sum(1 for _ in screen.tree(limit=50).walk()) == 50
    assert sum(1 for _ in screen.tree(limit=1).walk()) == 1

    def deepest(node: Node) -> int:
        return 1 + max((deepest(child) for child in node.children), default=0)

    assert deepest(screen.tree(depth=3)) == 3
    assert deepest(screen.tree(depth=1)) == 1


def test_a_page_nested_deeper_than_python_may_recurse_is_read(page: Browser) -> None:
    screen = page.show("<div>" * 3000 + "<button>deep</button>")
    assert named(screen.tree(), "button", "deep")
    screen = page.show("<section aria-label='s'>" * 400 + "<button>deep</button>")
    assert sum(1 for _ in screen.tree(depth=64).walk()) <= 64


def test_an_empty_page_has_a_tree(page: Browser) -> None:
    page.screen.navigate("about:blank")
    assert page.screen.tree().role == "document"
