"""What an app is made of: which changes rebuild its stages, and which make its proofs stale."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from fairground.prove import Keys
from fairground.worlds import Suite

MODULE = '''
"""An app of one page."""

from fairground.verify import equal
from fairground.worlds import App, Scenario


class Page(App):
    name = "page"

    def launch(self, seat):
        """Opens it."""


class Read(Scenario):
    name = "read"
    app = "page"
    template = "Read {word}."
    instances = {"first": {"word": "sun"}}

    def checks(self, world, before, after, answer):
        wanted = world.parameters["word"]
        return [equal("the word", wanted, answer)]
'''


def load(folder: Path, source: str) -> Suite:
    (folder / "page_app.py").write_text(source)
    spec = importlib.util.spec_from_file_location("page_app", folder / "page_app.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["page_app"] = module
    spec.loader.exec_module(module)
    return Suite("test", "Test", "1", (module.Page(),), (module.Read(),))


def key(suite: Suite) -> str:
    from fairground.worlds import written

    written._content.cache_clear()
    return Keys(suite).pair(suite.scenarios[0], "first", "default")


@pytest.mark.parametrize(
    ("old", "new", "stale"),
    [
        ('"""Opens it."""', '"""Open the page."""  # and wait', False),
        ("wanted", "word", False),
        ('"the word"', '"the answer"', True),
        ("Read {word}.", "Read the {word}.", True),
        ('{"word": "sun"}', '{"word": "moon"}', True),
    ],
)
def test_words_rebuild_stages_and_only_code_and_data_make_proofs_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, stale: bool
) -> None:
    monkeypatch.delitem(sys.modules, "page_app", raising=False)
    assert old in MODULE
    before = load(tmp_path, MODULE)
    key_before, sources_before = key(before), before.apps[0].sources()
    after = load(tmp_path, MODULE.replace(old, new))
    assert (key(after) != key_before) == stale
    assert after.apps[0].sources() != sources_before


def test_an_app_may_name_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "page_app", raising=False)
    (tmp_path / "data.csv").write_text("a,b\n")
    (tmp_path / "notes.txt").write_text("not part of it\n")
    source = MODULE.replace(
        "    def launch", "    def source_files(self):\n        return [DATA]\n\n    def launch"
    ).replace("class Page", f"from pathlib import Path\n\nDATA = Path({str(tmp_path / 'data.csv')!r})\n\n\nclass Page")
    suite = load(tmp_path, source)
    first = key(suite)
    (tmp_path / "notes.txt").write_text("changed\n")
    assert key(suite) == first
    (tmp_path / "data.csv").write_text("a,c\n")
    assert key(suite) != first
