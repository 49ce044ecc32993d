"""A port in use is said at once: before worlds are resolved, databases made or web servers loaded."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from fairground.cli import main


@pytest.mark.process
@pytest.mark.parametrize("words", [("serve",), ("play", "no/such/world"), ("open", "no/such/world")], ids=" ".join)
def test_a_port_in_use_is_said_before_anything_else(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main([*words, "--port", str(port)]) == 1
    said = capsys.readouterr().err
    assert f"port {port} on 127.0.0.1 is in use" in said and "--port 0" in said
    assert list(tmp_path.iterdir()) == [], "nothing was begun"
