"""Agents that introduce themselves in writing: whatever the spelling, no name is left, and nothing else is changed."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.arena import Redactor
from fairground.arena.redaction import HIDDEN
from fairground.arena.redaction_folding import LEET, PLAIN

NAMES = ("anthropic:claude-opus-4-1", "openai:gpt-5@https://models.example/v1", "Zorblatt-9000", "program:./quuxinator")
HIDE = Redactor(NAMES)

MAKERS = (
    "Claude", "Anthropic", "GPT", "ChatGPT", "OpenAI", "Gemini", "Google", "Bard", "Qwen", "Alibaba", "Llama", "Meta",
    "Mistral", "DeepSeek", "Grok", "xAI", "UI-TARS", "ByteDance", "Doubao", "Kimi", "Moonshot", "Nova", "Amazon",
    "Command-R", "Cohere", "Phi", "Yi", "GLM", "Zhipu", "Opus", "Sonnet", "Haiku", "DeepMind", "o3-mini", "o1-preview",
    "Zorblatt", "Zorblatt-9000", "Quuxinator", "claude-opus-4-1", "gpt-5",
)  # fmt: skip

CYRILLIC = str.maketrans("aceopxyi", "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456")
GREEK = str.maketrans("aeoiu", "\u03b1\u03b5\u03bf\u03b9\u03c5")
DIGITS = str.maketrans("aeiolst", "4310157")
ANYWHERE = ("Claude", "ChatGPT", "OpenAI", "Gemini", "Qwen", "Mistral", "DeepSeek", "ByteDance", "Doubao", "Llama")
SPELLINGS = {
    "lower case": str.lower,
    "upper case": str.upper,
    "with spaces": " ".join,
    "with hyphens": "-".join,
    "with dots and digits": "1.".join,
    "with zero-width characters": "\u200b".join,
    "with soft hyphens": "\u00ad".join,
    "struck through": lambda name: "".join(f"{letter}\u0336" for letter in name),
    "accented": lambda name: "".join(unicodedata.normalize("NFC", f"{letter}\u0301") for letter in name),
    "full width": lambda name: "".join(chr(ord(letter) + 0xFEE0) for letter in name),
    "mathematical": lambda name: "".join(chr(0x1D41A + ord(letter) - ord("a")) for letter in name.lower()),
    "circled": lambda name: "".join(chr(0x24D0 + ord(letter) - ord("a")) for letter in name.lower()),
    "squared": lambda name: "".join(chr(0x1F170 + ord(letter) - ord("a")) for letter in name.lower()),
    "Cyrillic": lambda name: name.lower().translate(CYRILLIC),
    "Greek": lambda name: name.lower().translate(GREEK),
    "stretched": lambda name: "".join(letter * 3 for letter in name),
    "inside another word": lambda name: f"the{name}bot",
    "around itself": lambda name: f"{name[:2]}{name}{name[2:]}",
    "around itself with spaces": lambda name: f"{name[:2]} {name} {name[2:]}",
    "in two parts": lambda name: f"{name[:3]} {name[3:]}",
    "with an I for an L": lambda name: name.replace("l", "I"),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("said", ["I am {}.", "{}", "Hello, {}-2.5 here", "made by ({})", "my_{}_agent", "{}'s"])
def test_a_name_is_hidden(name: str, said: str) -> None:
    for text in (said.format(name), said.format(name.upper()), said.format(name.lower())):
        hidden = HIDE(text)
        assert name.lower() not in hidden.lower() and HIDDEN in hidden, (text, hidden)


@pytest.mark.parametrize("name", ANYWHERE)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_name_is_hidden_however_it_is_spelled(name: str, spelling: str) -> None:
    written = SPELLINGS[spelling](name)
    hidden = HIDE(f"Hello! I am {written}, at your service.")
    assert re.fullmatch(r"Hello! I am (Ch |Ge )?(\[hidden\] ?)+, at your service.", hidden), (written, hidden)


@pytest.mark.parametrize(
    "written", ["c14ud3", "Cl@ude", "ChatGP7", "0p3nAI", "gem!ni", "d33ps33k", "M1stra1", "Z0rbl@tt"]
)
def test_digits_and_signs_for_letters_hide_nothing(written: str) -> None:
    assert HIDE(f"I am {written}!").startswith(f"I am {HIDDEN}")


@pytest.mark.parametrize("version", ["Claude 3.5 Sonnet", "claude-3-7-sonnet-20250219", "GPT-4o mini", "gpt-4.1-nano",
                                     "Qwen2.5-VL-72B-Instruct", "DeepSeek R1", "Kimi K2", "Gemini Pro"])  # fmt: skip
def test_what_belongs_to_a_name_goes_with_it(version: str) -> None:
    assert HIDE(f"This is {version}, ready.") == f"This is {HIDDEN}, ready."


@pytest.mark.parametrize(
    "written", ["\u8c46\u5305", "\u901a\u4e49\u5343\u95ee", "\u30af\u30ed\u30fc\u30c9", "\u043a\u043b\u043e\u0434"]
)
def test_names_in_other_scripts_are_hidden(written: str) -> None:
    assert written not in HIDE(f"I am {written}.")


ORDINARY = (
    "The gem in it is a great idea in open air; all amazing, as the FAQ went. Include or exclude, occluded.",
    "A philanthropic, coherent metadata innovation: graphics in 9pt, 19pt, cell O3 and O1, 3 mini cars, 0.5 pro mille.",
    "Saying that a bombardment of novae is misanthropic takes a comma and r commands. Claudia and Claus met.",
    "/api/battles/0123456789abcdef/a/frames/c1a0de3c1a0de3c1a0de3c1a.png 2026-01-01T00:00:00Z 192.168.0.1",
    "\u041f\u0440\u0438\u0432\u0435\u0442! \u4f60\u597d\uff0c\u4e16\u754c. \u039a\u03b1\u03bb\u03ae. caf\u00e9",
    "",
)


@pytest.mark.parametrize("text", ORDINARY)
def test_text_without_a_name_stays_as_it_is(text: str) -> None:
    assert HIDE(text) == text and HIDE.consecutive([text, text]) == [text, text]
    assert HIDE.data({"said": [text]}) == {"said": [text]}


def test_a_name_that_is_split_over_texts_is_hidden_in_all_of_them() -> None:
    assert HIDE.consecutive(["I am Cla", "ude, ok"]) == [f"I am {HIDDEN}", f"{HIDDEN}, ok"]
    assert HIDE.consecutive([*"Claude", " then"]) == [HIDDEN] * 6 + [" then"]
    assert HIDE.consecutive(["", "G", "", "PT", "-5"])[:4] == ["", HIDDEN, "", HIDDEN]
    assert HIDE.consecutive(["I like", "Meta", "x"]) == ["I like", HIDDEN, "x"], "a whole word, beside others"
    assert HIDE.consecutive(["hello", "Anthro", "pic", "hello"]) == ["hello", HIDDEN, HIDDEN, "hello"]


def test_words_of_the_task_stay_unless_an_agent_introduces_itself_with_them() -> None:
    hide = Redactor(NAMES, "Call Claude of Google, and tell him about the sonnet.")
    assert hide("I call CLAUDE at Google about the sonnet.") == "I call CLAUDE at Google about the sonnet."
    assert hide("I am Claude, made by Google. GPT?") == f"I am {HIDDEN}, made by {HIDDEN}. {HIDDEN}?"
    assert Redactor(NAMES, "Write: I am Claude.")("I am Claude.") == "I am Claude.", "the task asks for these words"


def test_a_task_that_asks_which_model_it_is_gets_no_answer() -> None:
    hide = Redactor(NAMES, "Which are you? Say only Claude, GPT or Gemini. Look at Google if you must.")
    assert hide("Claude") == hide("gpt") == HIDDEN and hide("Google") == "Google"
    assert [one.tells for one in hide.mentions("Claude")] == [True]


def test_ordinary_words_tell_nothing_unless_an_agent_introduces_itself_with_them() -> None:
    def tells(text: str) -> list[bool]:
        return [one.tells for one in HIDE.mentions(text)]

    assert tells("google.com amazon meta Nova") == [False] * 4
    assert tells("made by Google") == tells("I'm Nova") == tells("claude") == tells("zorblatt") == [True]
    assert tells("O3") == [] and tells("I am o3") == [True]


def test_fields_of_the_server_are_not_touched() -> None:
    data = {"id": "claude", "url": "/claude.png", "kind": "type", "text": "claude", "deep": [{"why": "gpt"}], "n": 5}
    assert HIDE.data(data) == {**data, "text": HIDDEN, "deep": [{"why": HIDDEN}]}


# --- properties -------------------------------------------------------------------------------------------------------

LETTERS = "claudegptnmiosrk CLAUDEGPT0134579@$!|-_.\u200b\u0301\u0430\u0441\u0435\n[]hidden"
WRITTEN = st.one_of(
    st.text(), st.text(LETTERS), st.lists(st.sampled_from([*MAKERS, "cla", "ude", " ", "", "-"])).map("".join)
)
VOCABULARY = re.compile("|".join(map(re.escape, sorted((name.lower() for name in ANYWHERE), key=len, reverse=True))))


@given(WRITTEN)
def test_nothing_is_left_to_be_found(text: str) -> None:
    hidden = HIDE(text)
    assert HIDE.mentions(hidden) == [] and HIDE(hidden) == hidden
    assert not VOCABULARY.search(hidden.lower())


@given(WRITTEN)
def test_what_has_no_name_is_returned_as_it_is(text: str) -> None:
    if not HIDE.mentions(text):
        assert HIDE(text) == text


@given(st.text("bfhjvwz\n 26,;()\u4f60\u0416"))
def test_letters_that_spell_no_name_are_never_touched(text: str) -> None:
    assert HIDE(text) == text


@given(st.lists(WRITTEN))
def test_texts_keep_their_number_and_spell_no_name_together(texts: list[str]) -> None:
    hidden = HIDE.consecutive(texts)
    assert len(hidden) == len(texts)
    assert [one.word for one in HIDE.mentions("".join(hidden)) if one.word in [name.lower() for name in ANYWHERE]] == []


@given(st.characters())
def test_folding_gives_small_latin_letters_and_nothing_else(character: str) -> None:
    for table in (PLAIN, LEET):
        assert re.fullmatch("[a-z]*", character.translate(table))


PATHOLOGICAL = (
    "c", "cl", "c ", "claude", "claude ", "clclaudeaude", "c\u200b", "I am ", "o3 ", "gem in it ", "claude3", "clau",
    "\u0301", "my name is ", "- ", "\u4f60", "model: ", "gp ", "[hidden]",
)  # fmt: skip


@pytest.mark.parametrize("part", PATHOLOGICAL, ids=ascii)
def test_ten_times_the_text_is_ten_times_the_work(part: str) -> None:
    """Counted in calls, and not in seconds."""
    small, large = (_calls(part * (size // len(part))) for size in (2_000, 20_000))
    assert large <= 12 * small + 1_000


def _calls(text: str) -> int:
    number = 0

    def count(*_: object) -> None:
        nonlocal number
        number += 1

    sys.setprofile(count)
    try:
        HIDE(text)
    finally:
        sys.setprofile(None)
    return number


@pytest.mark.slow
@pytest.mark.parametrize("part", ["c ", "claude ", "clclaudeaude", "gem in it ", "my name is "])
def test_a_megabyte_is_redacted(part: str) -> None:
    """Ends at all: a regular expression that blows up would not."""
    assert not VOCABULARY.search(HIDE(part * (1_000_000 // len(part))).lower())


@pytest.mark.parametrize(
    "written",
    [
        "\u202eedualC\u202c",
        "\u202eedualC",
        "Cl\u202edua\u202ce",
        "\u202e4-TPG\u202c",
        "\u13df\u13de\u13aa\u13cc\u13a0\u13ac",
        "\u05e7\u05dc\u05d5\u05d3",
        "\u0643\u0644\u0648\u062f",
    ],
    ids=["reversed", "reversed to the end", "reversed inside", "reversed GPT", "Cherokee", "Hebrew", "Arabic"],
)
def test_a_name_that_can_be_read_on_a_page_is_hidden(written: str) -> None:
    hidden = HIDE(f"I am {written}")
    assert HIDDEN in hidden and written not in hidden and HIDE.mentions(hidden) == []
    assert any(mention.tells for mention in HIDE.mentions(f"I am {written}"))


def test_a_reversed_part_without_a_name_stays_as_it_is() -> None:
    text = "abc \u202efed\u202c ghi \u202e"
    assert HIDE(text) == text
