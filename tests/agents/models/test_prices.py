"""Prices come from a table that people can edit, and what is not in it is not guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairground.agents.models import Price, Tokens, Usage, load_prices, price_of
from fairground.core import InvalidInput


def test_the_price_of_a_request_counts_each_kind_of_token() -> None:
    price = Price(input=4.0, output=20.0, cached=0.2, stored=5.0)
    tokens = Tokens(input=1_000_000, output=100_000, cached=2_000_000, stored=400_000)
    assert price.dollars(tokens) == pytest.approx(4 + 2 + 0.4 + 2)


def test_without_prices_of_their_own_cached_tokens_cost_what_others_do() -> None:
    assert Price(input=1.0, output=2.0).dollars(Tokens(cached=500_000, stored=500_000)) == 1.0


def test_a_model_is_found_by_its_name_or_by_its_name_without_the_date() -> None:
    prices = load_prices()
    assert price_of("claude-haiku-4-5-20251001", prices) == prices["claude-haiku-4-5"]
    assert price_of("claude-haiku-4", prices) is None
    assert price_of("claude-haiku-4-5-fast", prices) is None


def test_a_file_completes_and_corrects_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[claude-opus-5]\ninput = 1\noutput = 2\n["org/my-model"]\ninput = 0\noutput = 0.5\n')
    monkeypatch.setenv("FAIRGROUND_PRICES", str(file))
    prices = load_prices()
    assert prices["claude-opus-5"] == Price(input=1, output=2) and prices["org/my-model"].output == 0.5
    assert prices["claude-opus-4-8"].input == 5
    monkeypatch.setenv("FAIRGROUND_PRICES", "/nowhere")
    assert load_prices(file) == prices, "an argument counts more than the environment"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[m]\ninput = 1\n", "m.output: required"),
        ("[m]\ninput = -1\noutput = 1\n", "m.input"),
        ("[m]\ninput = 'a'\noutput = 1\n", "m.input"),
        ("[m]\ninput = true\noutput = 1\n", "m.input"),
        ("[m]\ninput = nan\noutput = 1\n", "m.input"),
        ("[m]\ninput = 1\noutput = 1\ncache = 1\n", "m.cache: unknown field"),
        ("m = 3\n", ": m"),
        ("[m\n", "not valid TOML"),
        ("\ud800", "UTF-8"),
    ],
)
def test_a_wrong_table_is_refused_with_the_place(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InvalidInput, match=complaint):
        load_prices(file)


def test_a_missing_table_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No such file"):
        load_prices(tmp_path / "none.toml")


def test_usage_adds_up_and_forgets_no_unknown_price() -> None:
    used = Usage().plus(Tokens(input=10, output=1), 0.5).plus(Tokens(cached=5), 0.25)
    assert (used.requests, used.tokens, used.dollars) == (2, 16, 0.75)
    unknown = used.plus(Tokens(input=1), None).plus(Tokens(input=1), 1.0)
    assert unknown.dollars is None and unknown.tokens == 18
    assert unknown.plain()["dollars"] is None
