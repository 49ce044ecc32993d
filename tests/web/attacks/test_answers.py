"""What answers say besides their text: where to go, how long to keep them, what they are."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from fairground.arena import invite
from fairground.web import Site
from tests.web.attacks.stage import Crowd, a_run, fought, raw

ELSEWHERE = [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "%2f%2fevil.example",
    "/%09/evil.example",
    "@evil.example",
]


@pytest.mark.parametrize("place", ELSEWHERE)
def test_no_redirection_leaves_the_site(url: str, crowd: Crowd, place: str) -> None:
    queries = "&".join(
        f"{name}={quote(place, safe='')}" for name in ("next", "to", "url", "return", "redirect", "world")
    )
    for path in (f"/{place}", f"/{place}/", f"/{place}/..", f"/arena/new?{queries}", f"/runs/{place}/",
                 f"/enter/{place}/",
                 f"/catalogue/?{queries}", "/runs/", "/live/", "/arena/"):  # fmt: skip
        answer = crowd.visitor.get(path)
        goes = answer.headers.get("Location", "/")
        assert answer.status < 500 and urlsplit(goes).netloc in ("", urlsplit(url).netloc), f"{path} leads to {goes}"
        assert not goes.startswith(("//", "/\\"))


def test_forms_lead_only_to_pages_of_ours(site: Site, crowd: Crowd) -> None:
    for path in ("/arena/consent", f"/enter/{invite(site.store)}"):
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Referer": "http://evil.example/"}
        answer = crowd.visitor.send("POST", f"{path}?next=//evil.example", b"next=//evil.example", headers)
        assert answer.status == 303 and answer.headers["Location"] in ("/arena", "/")


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1@evil.example", "evil.example#127.0.0.1", "127.0.0.1\\evil"]
)
def test_a_host_that_is_not_ours_is_repeated_in_no_address(url: str, host: str) -> None:
    answer = raw(url, f"GET /runs/ HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-Host: evil.example\r\n\r\n".encode())
    assert answer[9:12] == b"400" and b"\r\nlocation:" not in answer.lower()


def test_what_a_proxy_might_have_said_is_not_believed(url: str, crowd: Crowd) -> None:
    told = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "javascript", "X-Forwarded-For": "1.2.3.4",
            "X-Original-URL": "/admin", "X-Rewrite-URL": "/admin", "Forwarded": "host=evil.example"}  # fmt: skip
    answer = crowd.visitor.send("GET", "/runs/", headers={"Accept": "text/html", **told})
    assert "evil.example" not in f"{answer.headers}{answer.text}" and "javascript:" not in str(answer.headers)


@pytest.mark.parametrize("name", ["a\r\nX-Evil: 1", 'a"; filename="evil.html', "é\u202e.zip", "a\nb", "..", "x" * 200])
def test_a_name_splits_no_answer(site: Site, crowd: Crowd, tmp_path: Path, name: str) -> None:
    place = site.runs[0] / f"named {name}"
    if not place.exists():
        a_run(place.parent, place.name)
    here = quote(place.name, safe="")
    for path in (f"/api/replays/{here}/000000/download", f"/runs/{here}", f"/runs/{here}/episodes/000000"):
        answer = crowd.visitor.get(path)
        assert answer.status in (200, 307) and "X-Evil" not in answer.headers, path
        said = answer.headers.get("Content-Disposition", 'attachment; filename="x.zip"')
        assert re.fullmatch(r'attachment; filename="[A-Za-z0-9._-]+\.zip"', said)


def test_secrets_of_addresses_split_no_answer(url: str, crowd: Crowd) -> None:
    for path in ("/enter/x%0d%0aSet-Cookie:%20fairground=1", "/%0d%0aX-Evil:%201", "/static/%0d%0aX-Evil:%201"):
        answer = crowd.visitor.get(path)
        assert "X-Evil" not in answer.headers and "Set-Cookie" not in answer.headers
    assert raw(url, b"GET /\r\nX-Evil: 1 HTTP/1.1\r\n\r\n")[9:12] in (b"400", b"")


def test_what_is_for_one_person_is_kept_by_nobody_else(site: Site, crowd: Crowd, recording: Path) -> None:
    battle = fought(site, crowd.owner, recording=recording)
    replay = crowd.owner.get(f"/api/battles/{battle}/a/replay")
    frame = next(iter(replay.json["pictures"].values()))["url"]
    paths = ("/", "/arena", "/live", "/api/battles", f"/api/battles/{battle}", f"/arena/battles/{battle}",
             "/api/consent",
             "/nowhere", "/api/openapi.json", f"/api/battles/{battle}/a/replay")  # fmt: skip
    for path in paths:
        assert crowd.owner.get(path).headers["Cache-Control"] == "no-store", path
    for path in ("/admin", "/admin/votes", "/api/admin/export", "/api/admin/battles"):
        assert crowd.admin.get(path).headers["Cache-Control"] == "no-store", path
    assert crowd.owner.get(frame).headers["Cache-Control"].startswith("private, ")
    assert crowd.other.get(frame).headers["Cache-Control"] == "no-store"


def test_what_strangers_made_is_never_a_page(site: Site, crowd: Crowd) -> None:
    here = "/api/replays/first/000001"
    for path, kind in (
        (f"{here}/logs/app", "text/plain"),
        (here, "application/json"),
        (f"{here}/download", "application/zip"),
    ):
        answer = crowd.visitor.get(path)
        assert answer.status == 200 and answer.headers["Content-Type"].startswith(kind)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
