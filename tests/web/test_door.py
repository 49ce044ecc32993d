"""Nobody gets past the door who is not meant to: attacks first, then what everybody may."""

from __future__ import annotations

import http.client
import re
import threading
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from fastapi import APIRouter

from fairground.arena import Store, accept, find_person, invite, new_person
from fairground.core import InfrastructureError, MissingPrerequisite
from fairground.serving import Listening
from fairground.web import Site, serving
from fairground.web.limits import MAX_BODY, Buckets, Rates
from fairground.web.session import Signer, load_key
from fairground.web.site import make_app

pytestmark = pytest.mark.process


class Browser:
    """As much of a browser as the door sees: it keeps its cookie, and knows the token of its pages."""

    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).netloc
        self.cookie = self.token = ""

    def open(self, path: str = "/", **headers: str) -> http.client.HTTPResponse:
        answer = self.send("GET", path, accept="text/html", **headers)
        if found := re.search(r'name="token" content="([^"]+)"', answer.text):
            self.token = found[1]
        return answer

    def send(self, method: str, path: str, body: bytes | str = b"", **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.host, timeout=20)
        sent = {"Cookie": f"fairground={self.cookie}"} if self.cookie else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        answer.text = answer.read().decode()  # type: ignore[attr-defined]
        if given := re.match(r"fairground=([^;]+)", answer.headers.get("set-cookie", "")):
            self.cookie = given[1]
        connection.close()
        return answer

    def post(self, path: str, token: str | None = None, **fields: str) -> http.client.HTTPResponse:
        form = urlencode({"token": self.token if token is None else token, **fields})
        return self.send("POST", path, form, content_type="application/x-www-form-urlencoded")


@pytest.fixture
def site(store: Store, tmp_path: Path) -> Site:
    return Site(store, tmp_path)


def test_a_forged_cookie_makes_nobody_an_admin(url: str, store: Store) -> None:
    admin = accept(store, invite(store, "admin"))
    browser = Browser(url)
    others = Signer(b"x" * 32)
    for cookie in (admin.id, f"{admin.id}.0.", others.cookie(admin.id), others.cookie(admin.id)[:-1], "....", "ü"):
        browser.cookie = cookie.encode("latin-1", "replace").decode("latin-1")
        assert ">admin<" not in browser.open().text


def test_an_old_cookie_is_worth_nothing(site: Site) -> None:
    person = new_person(site.store)
    assert site.signer.person(site.signer.cookie(person.id)) == person.id
    assert site.signer.person(site.signer.cookie(person.id, at=1_000_000_000)) is None


@pytest.mark.parametrize("token", ["", "0" * 64, "of another"])
def test_what_changes_something_needs_the_token_of_ones_own_page(url: str, store: Store, token: str) -> None:
    browser, other = Browser(url), Browser(url)
    browser.open(), other.open()
    secret = invite(store, "judge")
    answer = browser.post(f"/enter/{secret}", other.token if token == "of another" else token)
    assert answer.status == 403 and "expired or is not from this site" in answer.text
    assert browser.post(f"/enter/{secret}").status == 303  # and the invitation was not used up


def test_a_page_from_elsewhere_can_change_nothing(url: str, store: Store) -> None:
    browser = Browser(url)
    browser.open()
    form = urlencode({"token": browser.token})
    for origin in ("http://evil.example", "null", "https://127.0.0.1:1", f"http://{browser.host}.evil.example"):
        kind = "application/x-www-form-urlencoded"
        answer = browser.send("POST", f"/enter/{invite(store)}", form, origin=origin, content_type=kind)
        assert answer.status == 403, origin
    assert browser.post(f"/enter/{invite(store)}").status == 303


def test_a_name_that_points_here_by_trickery_is_not_answered(url: str) -> None:
    browser = Browser(url)
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[", "localhost@evil.example"):
        assert browser.send("GET", "/", host=host).status == 400, host
    assert browser.send("GET", "/", host="localhost:1").status == 200


def test_a_body_without_end_is_cut_off(url: str) -> None:
    browser = Browser(url)
    browser.open()
    body = f"token={browser.token}&x={'y' * MAX_BODY}"
    kind = "application/x-www-form-urlencoded"
    assert browser.send("POST", "/enter/x", body, content_type=kind).status == 413
    connection = http.client.HTTPConnection(browser.host, timeout=20)
    headers = {"Cookie": f"fairground={browser.cookie}", "Content-Type": kind}  # and no word of how long it is
    connection.request("POST", "/enter/x", iter([body.encode()]), headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_a_form_with_very_many_fields_is_refused(url: str) -> None:
    browser = Browser(url)
    browser.open()
    assert browser.send(
        "POST", "/enter/x", "&".join(f"a{n}=1" for n in range(3_000)), content_type="application/x-www-form-urlencoded"
    ).status == 400  # fmt: skip


def test_who_asks_too_often_is_told_to_wait_and_others_are_not(store: Store, tmp_path: Path) -> None:
    rates = Rates(Buckets(0.01, 5), Buckets(0.01, 2), Buckets(1, 100))
    with serving(Site(store, tmp_path, rates=rates)) as url:
        hasty, calm = Browser(url), Browser(url)
        hasty.open(), calm.open()
        seen = [hasty.open().status for _ in range(8)]
        assert seen[0] == 200 and seen[-1] == 429
        assert hasty.open().headers["retry-after"]
        assert calm.open().status == 200


def test_an_invitation_is_used_once_also_when_two_come_at_once(url: str, store: Store) -> None:
    secret = invite(store, "admin")
    browsers = [Browser(url) for _ in range(8)]
    for browser in browsers:
        browser.open()
    seen: list[int] = []
    threads = [
        threading.Thread(target=lambda one=one: seen.append(one.post(f"/enter/{secret}").status)) for one in browsers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [303, *[403] * 7]
    admins = [one for one in browsers if ">admin<" in one.open().text]
    assert len(admins) == 1


def test_looking_at_an_invitation_does_not_use_it(url: str, store: Store) -> None:
    secret = invite(store, "judge")
    for _ in range(3):  # as a mail program does that looks at links
        assert "You are invited" in Browser(url).open(f"/enter/{secret}").text
    browser = Browser(url)
    browser.open()
    assert browser.post(f"/enter/{secret}").status == 303
    assert ">judge<" in browser.open().text


@pytest.mark.parametrize("path", ["/", "/nowhere", "/enter/<script>alert(1)</script>", "style"])
def test_every_answer_forbids_what_a_page_does_not_need(url: str, path: str) -> None:
    browser = Browser(url)
    if path == "style":
        path = re.findall(r'href="(/static/[^"]+)"', browser.open().text)[0]
    answer = browser.open(path.replace("<", "%3C").replace(">", "%3E"))
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers
    assert "<script>alert" not in answer.text


def test_a_cookie_cannot_be_read_by_scripts_and_has_no_name_in_it(url: str, store: Store) -> None:
    browser = Browser(url)
    given = browser.open().headers["set-cookie"]
    assert "HttpOnly" in given and "SameSite=Lax" in given
    person = find_person(store, browser.cookie.partition(".")[0])
    assert person is not None and person.role == "visitor"
    assert browser.open().headers["set-cookie"] is None  # it is given once


def test_errors_are_pages_to_people_and_json_to_programs(url: str) -> None:
    browser = Browser(url)
    assert "Page not found" in browser.open("/nowhere").text
    answer = browser.send("GET", "/nowhere")
    assert answer.status == 404 and answer.text.startswith('{"error"')


def test_the_key_is_made_once_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "home" / "key"
    key = load_key(path)
    assert len(key) == 32 and load_key(path) == key and path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(InfrastructureError, match="can be read by other users"):
        load_key(path)
    path.chmod(0o600)
    path.write_bytes(b"short")
    with pytest.raises(InfrastructureError, match="5 bytes"):
        load_key(path)


def test_a_fix_to_be_typed_at_the_server_is_told_to_admins_only(site: Site) -> None:
    router = APIRouter()

    @router.get("/broken")
    async def broken() -> None:
        raise MissingPrerequisite("git cannot be run", fix="apt-get install git util-linux")

    admin = accept(site.store, invite(site.store, "admin"))
    with Listening(make_app(site, routers=[router]), "127.0.0.1", 0) as listening:
        browser = Browser(listening.url)
        told = browser.open("/broken").text
        assert "Git cannot be run" in told and "apt-get" not in told and "administrator of this site" in told
        browser.cookie = site.signer.cookie(admin.id)
        assert "apt-get install git" in browser.open("/broken").text
