"""Every kind of action reaches a real page as trusted events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fairground.core import (
    MODIFIERS,
    NAMED_KEYS,
    Answer,
    Click,
    Done,
    Drag,
    InvalidAction,
    Key,
    KeyDown,
    KeyUp,
    Look,
    MouseDown,
    MouseUp,
    Move,
    Scroll,
    Type,
    Wait,
)
from fairground.screen import Screen
from fairground.screen.cdpinput import Keyboard, Pointer

from .site import HEAD, Browser, browser

pytestmark = pytest.mark.process

LOG = """<script>
  const log = [];
  for (const type of ["keydown", "keyup", "keypress", "input", "beforeinput", "mousedown", "mouseup", "click",
                      "dblclick", "auxclick", "contextmenu", "mousemove", "wheel"])
    addEventListener(type, (e) => log.push({type, trusted: e.isTrusted, key: e.key, code: e.code,
      keyCode: e.keyCode,
      location: e.location, repeat: e.repeat, data: e.data, x: e.clientX, y: e.clientY, button: e.button,
      buttons: e.buttons, detail: e.detail, dy: e.deltaY, dx: e.deltaX,
      held: ["ctrl", "alt", "shift"].filter((name) => e[name + "Key"])}), true);
</script>"""
FIELD = (
    LOG + '<textarea id="t" autofocus style="position:absolute;left:10px;top:10px;width:300px;height:200px"></textarea>'
)


@pytest.fixture(scope="module")
def page() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def events(page: Browser, *types: str) -> list[dict[str, Any]]:
    log = json.loads(page.screen.evaluate("JSON.stringify(log.splice(0))"))
    return [event for event in log if not types or event["type"] in types]


def text(page: Browser) -> str:
    return str(page.screen.evaluate("document.getElementById('t').value"))


def test_it_is_a_screen(page: Browser) -> None:
    assert isinstance(page.screen, Screen)


def test_a_click_is_trusted_and_lands_on_its_pixel(page: Browser) -> None:
    screen = page.show(FIELD)
    screen.act(Click(point=(123, 45)))
    down, up, click = events(page, "mousedown", "mouseup", "click")
    assert [e["type"] for e in (down, up, click)] == ["mousedown", "mouseup", "click"]
    assert all(e["trusted"] and (int(e["x"]), int(e["y"])) == (123, 45) for e in (down, up, click))
    assert (down["buttons"], up["buttons"]) == (1, 0)
    assert screen.cursor() == (123, 45)


@pytest.mark.parametrize(("button", "number"), [("left", 0), ("middle", 1), ("right", 2)])
def test_each_button_arrives(page: Browser, button: str, number: int) -> None:
    screen = page.show(LOG)
    screen.act(Click(point=(50, 60), button=button))  # type: ignore[arg-type]
    assert [e["button"] for e in events(page, "mousedown", "mouseup")] == [number, number]


def test_a_double_and_a_triple_click_select_a_word_and_a_line(page: Browser) -> None:
    screen = page.show('<p style="margin:20px">alpha beta gamma</p>')
    screen.act(Click(point=(40, 30), count=2))
    assert screen.evaluate("getSelection().toString().trim()") == "alpha"
    screen.act(Click(point=(40, 30), count=3))
    assert screen.evaluate("getSelection().toString().trim()") == "alpha beta gamma"


def test_a_click_without_a_point_is_where_the_pointer_is(page: Browser) -> None:
    screen = page.show(LOG)
    screen.act(Move(point=(77, 88)))
    screen.act(Click())
    click = events(page, "click")[0]
    assert (int(click["x"]), int(click["y"])) == (77, 88)


def test_modifiers_are_held_during_a_click_and_let_go_after_it(page: Browser) -> None:
    screen = page.show(LOG)
    screen.act(Click(point=(50, 60), modifiers=("ctrl", "shift")))
    screen.act(Click(point=(50, 160)))
    first, second = events(page, "click")
    assert (first["held"], second["held"]) == (["ctrl", "shift"], [])


@pytest.mark.parametrize("name", NAMED_KEYS)
def test_every_named_key_arrives_with_its_key_code_and_number(page: Browser, name: str) -> None:
    # Many keys share a page, unless another test left its own there, or a key leads to another.
    if page.screen.evaluate("document.title") != "named keys" or name in ("back", "forward", "refresh", "f5"):
        page.show("<title>named keys</title>" + FIELD)
    page.screen.evaluate("log.length = 0")
    page.screen.act(KeyDown(key=name))
    page.screen.act(KeyUp(key=name))
    down, up = events(page, "keydown", "keyup")
    assert down["trusted"] and up["trusted"]
    assert down["key"] == up["key"] and down["key"] not in ("", "Unidentified")
    assert down["code"] == up["code"] != ""
    assert down["keyCode"] == up["keyCode"] > 0
    assert down["location"] == (
        3 if name.startswith("kp_") else 2 if name.endswith("_r") or name == "altgr" else 1 if name in MODIFIERS else 0
    )


def test_typed_ascii_fires_key_events_for_each_character(page: Browser) -> None:
    screen = page.show(FIELD)
    everything = "".join(chr(code) for code in range(32, 127))
    screen.act(Type(text=everything))
    assert text(page) == everything
    downs = [e for e in events(page, "keydown") if e["key"] != "Shift"]
    assert "".join(e["key"] for e in downs) == everything
    assert all(e["trusted"] and e["code"] and e["keyCode"] for e in downs)
    assert {e["key"]: "shift" in e["held"] for e in downs if e["key"] in "aA1!"} == {
        "a": False, "A": True, "1": False, "!": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "written",
    ["Grüße, Zoë", "日本語のテキスト", "emoji 👩‍👩‍👧 🇨🇭 end", "عربى mixed עברית", "a\u0301 combining", "“”—…€"],
)
def test_any_script_arrives_as_it_is(page: Browser, written: str) -> None:
    screen = page.show(FIELD)
    screen.act(Type(text=written))
    assert text(page) == written
    assert all(e["trusted"] for e in events(page, "input"))


def test_newlines_are_enter_and_tabs_move_on(page: Browser) -> None:
    screen = page.show(FIELD + '<input id="next">')
    screen.act(Type(text="one\ntwo\r\nthree\tfour"))
    assert text(page) == "one\ntwo\nthree"
    assert screen.evaluate("document.getElementById('next').value") == "four"


@pytest.mark.slow
def test_the_longest_text_arrives_whole(page: Browser) -> None:
    screen = page.show('<textarea id="t" autofocus></textarea>')
    written = "0123456789" * 200 + "ü" * 5000
    screen.act(Type(text=written))
    assert text(page) == written


def test_editing_keys_work(page: Browser) -> None:
    screen = page.show(FIELD)
    screen.act(Type(text="hello world"))
    screen.act(Key(keys=("ctrl", "a")))
    screen.act(Key(keys=("ctrl", "c")))
    screen.act(Key(keys=("end",)))
    screen.act(Key(keys=("ctrl", "v")))
    assert text(page) == "hello worldhello world"
    screen.act(Key(keys=("ctrl", "z")))
    assert text(page) == "hello world"
    screen.act(Key(keys=("backspace",), repeat=5))
    assert text(page) == "hello "
    screen.act(Key(keys=("home",)))
    screen.act(Key(keys=("shift", "right"), repeat=2))
    screen.act(Key(keys=("ctrl", "x")))
    assert text(page) == "llo "
    screen.act(Key(keys=("delete",)))
    assert text(page) == "lo "
    screen.act(Key(keys=("ctrl", "left")))
    screen.act(Type(text="X"))
    assert text(page).strip() in ("Xlo", "loX")


def test_a_held_key_repeats_and_is_released(page: Browser) -> None:
    screen = page.show(FIELD)
    screen.act(KeyDown(key="shift"))
    screen.act(Key(keys=("a",)))
    screen.act(KeyUp(key="shift"))
    screen.act(Key(keys=("a",)))
    assert text(page) == "Aa"
    screen.act(KeyDown(key="ctrl"))
    screen.act(MouseDown(point=(350, 400)))
    events(page)
    screen.release()
    assert [(e["type"], e.get("key")) for e in events(page, "keyup", "mouseup")] == [
        ("mouseup", None),
        ("keyup", "Control"),
    ]


def test_a_scroll_right_after_another_scrolls_what_the_pointer_is_on_now(page: Browser) -> None:
    screen = page.show(
        """<div id=strip style="width:300px;height:60px;overflow-x:auto"><p style="width:3000px">wide</p></div>
        <p style="height:5000px">high</p>"""
    )
    for amount in (600, -900):  # past the top, which the browser takes for a pull that goes on
        screen.act(Scroll(point=(200, 300), dy=amount, unit="pixels"))
        screen.settle()
    screen.act(Scroll(point=(150, 30), dx=240, unit="pixels"))
    screen.settle()
    assert screen.evaluate("document.querySelector('#strip').scrollLeft") == 240


def test_scrolling_by_clicks_and_by_pixels_has_had_effect_when_settled(page: Browser) -> None:
    screen = page.show('<div style="height:5000px;width:3000px">tall</div>')
    screen.act(Scroll(point=(100, 100), dy=3))
    screen.settle()
    assert screen.evaluate("scrollY") == 360
    screen.act(Scroll(dy=-100, unit="pixels"))
    screen.settle()
    assert screen.evaluate("scrollY") == 260
    screen.act(Scroll(dx=2))
    screen.settle()
    assert screen.evaluate("scrollX") == 240
    screen.act(Scroll(dy=20000))
    screen.settle()
    assert screen.evaluate("scrollY + innerHeight") == 5000


def test_a_wheel_click_is_one_event_of_120(page: Browser) -> None:
    screen = page.show(LOG + '<div style="height:5000px">tall</div>')

    def turned(clicks: float) -> list[tuple[float, bool]]:
        screen.act(Scroll(point=(100, 100), dy=clicks))
        screen.settle()
        # Where the pointer has moved since the last scroll, an empty event comes first.
        return [(event["dy"], event["trusted"]) for event in events(page, "wheel") if event["dy"]]

    assert turned(1) == [(120, True)]
    assert sum(amount for amount, _ in turned(2)) == 240, "a busy browser joins events before it hands them over"


def test_every_wheel_click_is_sent_on_its_own() -> None:
    commands = Pointer((100, 100), Keyboard()).wheel(0, 240)
    assert [event["deltaY"] for _, event in commands] == [120, 120]


def test_a_drag_moves_through_points_between(page: Browser) -> None:
    screen = page.show(LOG)
    screen.act(Drag(path=((20, 20), (220, 20), (220, 320))))
    log = events(page, "mousedown", "mousemove", "mouseup")
    moves = [(round(e["x"]), round(e["y"])) for e in log if e["type"] == "mousemove" and e["buttons"] == 1]
    assert log[-1]["type"] == "mouseup" and (int(log[-1]["x"]), int(log[-1]["y"])) == (220, 320)
    assert len(moves) > 10 and any(abs(x - 220) < 2 and abs(y - 20) < 2 for x, y in moves)


def test_a_slider_is_dragged(page: Browser) -> None:
    screen = page.show(
        '<input id="s" type="range" value="0" style="position:absolute;left:0;top:40px;width:300px;margin:0">'
    )
    screen.act(Drag(path=((8, 48), (150, 48))))
    assert 40 <= int(screen.evaluate("document.getElementById('s').value")) <= 60


DROP = (
    LOG
    + """
<div id="a" draggable="true" style="position:absolute;left:20px;top:20px;width:80px;height:80px">me</div>
<div id="b" style="position:absolute;left:200px;top:300px;width:150px;height:150px;background:#fc9">here</div>
<script>
  a.ondragstart = (e) => e.dataTransfer.setData("text/plain", "cargo");
  b.ondragover = (e) => e.preventDefault();
  b.ondrop = (e) => { e.preventDefault(); b.textContent = e.dataTransfer.getData("text/plain") + e.isTrusted; };
</script>"""
)


def test_html_drag_and_drop_carries_its_data(page: Browser) -> None:
    screen = page.show(DROP)
    screen.act(Drag(path=((60, 60), (260, 360))))
    screen.settle()
    assert screen.evaluate("b.textContent") == "cargotrue"
    screen.act(Click(point=(300, 700)))
    assert events(page, "click"), "the mouse still works after a drop"


def test_html_drag_and_drop_works_in_single_steps(page: Browser) -> None:
    screen = page.show(DROP)
    screen.act(MouseDown(point=(60, 60)))
    screen.act(Move(point=(90, 90)))
    screen.act(Move(point=(260, 350)))
    screen.act(MouseUp(point=(265, 360)))
    assert screen.evaluate("b.textContent") == "cargotrue"


def test_the_back_and_forward_buttons_and_keys_navigate(page: Browser) -> None:
    page.site.pages["/two"] = HEAD + "<title>two</title>two"
    screen = page.show('<title>one</title><a href="/two" style="display:block;width:200px;height:100px">on</a>')
    screen.act(Click(point=(100, 50)))
    screen.settle()
    assert screen.windows()[0].title == "two"
    for back, forward in [
        (Click(point=(50, 50), button="back"), Click(point=(50, 50), button="forward")),
        (Key(keys=("back",)), Key(keys=("forward",))),
        (Key(keys=("alt", "left")), Key(keys=("alt", "right"))),
    ]:
        screen.act(back)
        screen.settle()
        assert screen.windows()[0].title == "one", back
        screen.act(forward)
        screen.settle()
        assert screen.windows()[0].title == "two", forward


def test_there_is_nothing_to_go_back_to_before_the_world_began(page: Browser) -> None:
    page.show("<title>before</title>")
    screen = page.show("<title>world</title>", "/world")
    screen.act(Key(keys=("back",)))
    screen.settle()
    assert screen.windows()[0].title == "world"


def test_reloading_keys_reload(page: Browser) -> None:
    screen = page.show("x")
    for keys in (("f5",), ("ctrl", "r"), ("refresh",)):
        page.site.requests.clear()
        screen.act(Key(keys=keys))
        screen.settle()
        assert page.site.requests, keys


def test_a_select_is_chosen_from_with_the_keyboard(page: Browser) -> None:
    screen = page.show('<select id="t" autofocus><option>one<option>two<option>three</select>')
    screen.act(Key(keys=("down",), repeat=2))
    assert text(page) == "three"


@pytest.mark.parametrize(
    "style", ["", "appearance:none;padding:12px 30px;border:2px solid #088;background:#dff;font-size:18px"]
)
def test_a_select_is_chosen_from_with_the_mouse_and_keeps_its_look(page: Browser, style: str) -> None:
    screen = page.show(
        f"""<select id="t" style="position:absolute;left:40px;top:50px;{style}"><option>one<option>two
        <option>three</select>
        <select id="u" style="position:absolute;left:240px;top:50px"><option>red<option>blue</select>
        <script>const log = []; addEventListener("change", (e) => log.push(e.target.value + e.isTrusted))</script>"""
    )
    closed = screen.grab()
    for field, option in [("t", "two"), ("u", "blue"), ("t", "three")]:
        box = screen.evaluate(f"(({{x, y, width, height}}) => [x, y, width, height])({field}.getBoundingClientRect())")
        screen.act(Click(point=(box[0] + 15, box[1] + box[3] / 2)))
        assert screen.settle().quiet
        assert screen.evaluate(f"[{field}.offsetWidth, {field}.offsetHeight]") == box[2:], "it is as large as it was"
        found = screen.tree().find("option", option)
        assert found is not None and found.center is not None
        screen.act(Click(point=found.center))
        assert screen.settle().quiet
        assert screen.evaluate(f"{field}.value") == option
    assert screen.evaluate("log") == ["twotrue", "bluetrue", "threetrue"]
    screen.evaluate("t.value = 'one'; u.value = 'red'; document.activeElement.blur()")
    screen.act(Move(point=(300, 800)))
    screen.settle()
    assert screen.grab().digest == closed.digest


@pytest.mark.parametrize(
    "action",
    [Click(point=(412, 10)), Click(point=(10, 915)), Move(point=(-1, 5)), Drag(path=((5, 5), (500, 5))),
     Scroll(point=(1e9, 0), dy=1), Click(point=(1.2, 0.5), space="unit"), Look(region=(0, 0, 500, 10))],
)  # fmt: skip
def test_an_action_off_screen_is_refused_before_anything_is_touched(page: Browser, action: Any) -> None:
    screen = page.show(LOG)
    events(page)
    with pytest.raises(InvalidAction):
        screen.act(action)
    assert events(page) == []


def test_other_spaces_are_scaled(page: Browser) -> None:
    screen = page.show(LOG)
    screen.act(Click(point=(0.5, 0.5), space="unit"))
    screen.act(Click(point=(999, 999), space="grid999"))
    assert [(int(e["x"]), int(e["y"])) for e in events(page, "click")] == [(206, 457), (411, 914)]


@pytest.mark.parametrize("action", [Look(), Done(), Answer(text="42"), Wait(seconds=0.0)])
def test_kinds_that_are_not_input_touch_nothing(page: Browser, action: Any) -> None:
    screen = page.show(LOG)
    events(page)
    screen.act(action)
    assert events(page) == []
