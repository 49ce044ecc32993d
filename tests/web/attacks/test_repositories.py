"""A repository's address as a way into the machine: its network, its files, git's own options."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairground.arena import preparing_repository
from fairground.arena.preparing_repository import check_address, clone
from fairground.core import InvalidInput
from tests.web.attacks.stage import Crowd

pytestmark = pytest.mark.process


class Server(http.server.ThreadingHTTPServer):
    """A server of repositories that writes down what it was asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), functools.partial(_Asked, directory=str(folder)))
        self.folder, self.asked = folder, list[str]()


class _Asked(http.server.SimpleHTTPRequestHandler):
    """As git's own program answers, but for what has moved, and for what is served as plain files."""

    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_port}/inside")
            self.end_headers()
        elif self.path.startswith("/plain"):
            super().do_GET()
        else:
            self._git(b"")

    def do_POST(self) -> None:
        self.server.asked.append(self.path)
        self._git(self.rfile.read(int(self.headers["Content-Length"])))

    def _git(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        env = {"PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(self.server.folder), "GIT_HTTP_EXPORT_ALL": "1",
               "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_USER": "",
               "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
               "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
               "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
               "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}  # fmt: skip
        done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, timeout=30)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    def git(*words: str, cwd: Path) -> None:
        own = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", *own, *words], cwd=cwd, check=True, capture_output=True, timeout=30)

    work, served = tmp_path / "work", tmp_path / "served"
    work.mkdir()
    (work / "README").write_text("hello")
    git("init", "--quiet", cwd=work)
    git("add", "-A", cwd=work)
    git("commit", "--quiet", "-m", "first", cwd=work)
    for name in ("repository.git", "plain.git"):
        git("clone", "--quiet", "--bare", str(work), str(served / name), cwd=tmp_path)
    git("update-server-info", cwd=served / "plain.git")
    with Server(served) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "address",
    [
        "http://127.1/x", "http://0x7f.1/x", "http://2130706433/x", "http://0/x", "http://0177.0.0.1/x",
        "http://[::1]/x", "http://[::ffff:127.0.0.1]/x", "http://[::]/x", "http://10.0.0.1/x", "http://192.168.1.1/x",
        "http://169.254.169.254/latest", "http://100.64.0.1/x", "http://224.0.0.1/x", "http://localhost./x",
        "http://LOCALHOST/x", "http://127.0.0.1:22/x", "http://①②⑦.⓪.⓪.①/x", "http://127。0。0。1/x",
        "http://[fe80::1%25lo]/x", "http://none.invalid/x", "http://example.org\\@127.0.0.1/x", "http://x@127.0.0.1/x",
        "http://127.0.0.1#@example.org/x", "http://127.0.0.1?@example.org/x", "http:///x", "http://%31%32%37.0.0.1/x",
        "file:///etc", "FILE:///etc", "ext::sh -c id", "fd::17", "ssh://x/y", "git://x/y", "x:y", "-uid",
        "--upload-pack=id",
        "--config=core.sshCommand=id", "https://-uid/x", "/etc", "/proc/self/cwd", ".", "..", "~", "https://x/\n-uid",
        "http://[64:ff9b::7f00:1]/x", "http://[64:ff9b:1::a00:1]/x", "http://[2002:7f00:1::]/x", "http://[::10.0.0.1]/x",
        "http://[fec0::1]/x", "http://[2001:0:53aa:64c::f5ff:fffe]/x", "http://[2a00:1450::5efe:a00:1]/x",
        "http://[2a00:1450::200:5efe:a00:1]/x", "http://192.88.99.1/x", "http://[2001:db8::1]/x", "http://[100::1]/x",
        "\0", "https://example.org:0/x", "https://example.org:99999/x", "http+unix://%2fvar%2frun%2fx/y",
    ],
)  # fmt: skip
def test_a_judge_reaches_nothing_that_only_this_machine_reaches(address: str) -> None:
    with pytest.raises(InvalidInput):
        check_address(address, local=False)
    with pytest.raises(InvalidInput):
        clone(address, local=False)


@pytest.mark.process
def test_a_name_is_looked_up_once_and_git_goes_where_that_was(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is known to nobody: only who was told the address can find it."""
    looked_up: list[str] = []

    def addresses(host: str) -> list[str]:
        looked_up.append(host)
        return ["127.0.0.1"]

    monkeypatch.setattr(preparing_repository, "_addresses", addresses)
    monkeypatch.setattr(preparing_repository, "_is_inside", lambda _: False)
    files = clone(f"http://rebound.invalid:{server.server_port}/repository.git", local=False)
    assert files == {"README": b"hello"} and set(looked_up) == {"rebound.invalid"}


@pytest.mark.process
def test_a_name_that_means_another_machine_the_second_time_is_caught(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([["93.184.216.34"], ["127.0.0.1"]])
    monkeypatch.setattr(preparing_repository, "_addresses", lambda _: next(answers))
    with pytest.raises(InvalidInput, match="only an admin"):
        clone(f"http://rebound.invalid:{server.server_port}/repository.git", local=False)
    assert server.asked == []


@pytest.mark.process
def test_git_follows_nobody_elsewhere(server: Server, tmp_path: Path) -> None:
    here = f"http://127.0.0.1:{server.server_port}"
    with pytest.raises(InvalidInput):
        clone(f"{here}/moved.git", local=True)
    # A repository may say that its objects lie on another server.
    objects = tmp_path / "served" / "plain.git" / "objects"
    (objects / "info" / "http-alternates").write_text(f"{here}/inside/objects\n")
    for lost in objects.glob("??/*"):
        lost.unlink()
    with pytest.raises(InvalidInput):
        clone(f"{here}/plain.git", local=True)
    assert server.asked and not [path for path in server.asked if path.startswith("/inside")]


@pytest.mark.process
def test_what_git_says_names_no_place_of_the_server(server: Server, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        clone(f"http://127.0.0.1:{server.server_port}/none.git", local=True)
    assert "/tmp" not in str(refused.value) and "fairground-clone" not in str(refused.value)


def test_the_api_refuses_such_addresses_too(crowd: Crowd) -> None:
    for address in ("http://127.0.0.1/x", "file:///etc", "/etc", "ext::sh -c id", "-uid"):
        task = {"own": True, "text": "Read it", "preparation": {"preset": "empty", "repository": address}}
        assert crowd.owner.post("/api/battles", task).status == 400, address


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2001:4860:4860::8888"])
def test_ordinary_public_servers_are_elsewhere(address: str) -> None:
    written = f"[{address}]" if ":" in address else address
    check_address(f"https://{written}/repository.git", local=False)
