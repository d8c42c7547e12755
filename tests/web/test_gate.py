"""Logins, sessions, roles, forged forms and the reverse proxy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from blogcrawl.web.access import Pace, Users, hash_password
from blogcrawl.web.app import reading_room
from blogcrawl.web.gate import Doors, Gate
from tests.web.archive import BLOG_ID, Sample, ask, make

HTML = {"accept": "text/html"}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    made = make(tmp_path_factory.mktemp("gate"), 1)
    yield made
    made.state.close()


@pytest.fixture
def doors(tmp_path: Path) -> Doors:
    users = Users(
        {
            "ann": ("operator", hash_password("right")),
            "bob": ("reader", hash_password("other")),
        }
    )
    return Doors(users=users, key=b"k", audit=tmp_path / "audit.jsonl")


@pytest.fixture
def app(sample: Sample, doors: Doors) -> ASGIApp:
    return reading_room(sample.room, doors)


def enter(app: ASGIApp, name: str = "ann", password: str = "right", **more: Any) -> httpx.Response:
    form = {"name": name, "password": password, **more.pop("form", {})}
    return ask(app, "/login", "POST", data=form, **more)


def cookie_of(answer: httpx.Response) -> dict[str, str]:
    return {"room": answer.cookies["room"]}


def test_nothing_is_read_before_the_login(app: ASGIApp) -> None:
    sent = ask(app, f"/blog/{BLOG_ID}?month=2026", headers=HTML)
    assert sent.status_code == 303
    assert sent.headers["location"] == f"/login?next=%2Fblog%2F{BLOG_ID}%3Fmonth%3D2026"
    for path in ("/", "/oai?verb=Identify", "/api/blogs", "/feed.atom", "/timegate/http://x/"):
        assert ask(app, path).status_code == 401
    for path in ("/login", "/robots.txt", "/static/room.css"):
        assert ask(app, path).status_code == 200


def test_the_right_password_opens_a_session(app: ASGIApp, doors: Doors) -> None:
    answer = enter(app, form={"next": f"/blog/{BLOG_ID}"})
    assert answer.status_code == 303 and answer.headers["location"] == f"/blog/{BLOG_ID}"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert ask(app, "/", cookies=cookie_of(answer)).status_code == 200
    assert doors.audit is not None
    assert json.loads(doors.audit.read_text())["action"] == "login"
    assert "right" not in doors.audit.read_text()


def test_wrong_passwords_are_refused_and_then_not_even_read(app: ASGIApp) -> None:
    for _ in range(5):
        assert enter(app, password="wrong").status_code == 403
    assert enter(app).status_code == 429
    assert enter(app, "bob", "other").status_code == 429  # from the same address


@pytest.mark.parametrize(
    "place", ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil", "", "x"]
)
def test_the_login_leads_to_pages_of_ours_only(app: ASGIApp, place: str) -> None:
    assert enter(app, form={"next": place}).headers["location"] == "/"


def test_forged_sessions_are_none(app: ASGIApp, sample: Sample) -> None:
    other = reading_room(
        sample.room, Doors(users=Users({"ann": ("operator", hash_password("other"))}), key=b"x")
    )
    forged = enter(other, password="other")
    assert ask(app, "/", cookies=cookie_of(forged)).status_code == 401
    assert ask(app, "/", cookies={"room": "ann"}).status_code == 401


def test_a_form_of_another_site_is_refused(app: ASGIApp) -> None:
    session = cookie_of(enter(app))
    for headers in (
        {"origin": "https://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "null"},
    ):
        assert enter(app, headers=headers).status_code == 403
    assert ask(app, "/logout", "POST", cookies=session).status_code == 403
    page = ask(app, "/", cookies=session).text
    token = re.findall(r'name="form_token" value="(\w+)"', page)[0]
    left = ask(app, "/logout", "POST", cookies=session, data={"form_token": token})
    assert left.status_code == 303


def test_browsers_send_our_forms_with_our_origin(app: ASGIApp) -> None:
    """With "no-referrer" Chromium sends ``Origin: null``, which is refused (Fetch, 3.2)."""
    assert ask(app, "/login").headers["referrer-policy"] == "same-origin"
    for origin in ("http://127.0.0.1", "http://localhost"):
        headers = {"origin": origin, "host": origin[7:], "sec-fetch-site": "same-origin"}
        assert enter(app, headers=headers).status_code == 303


def test_a_token_is_of_one_session(app: ASGIApp) -> None:
    first, second = cookie_of(enter(app)), cookie_of(enter(app))
    token = re.findall(r'form_token" value="(\w+)"', ask(app, "/", cookies=first).text)[0]
    answer = ask(app, "/logout", "POST", cookies=second, data={"form_token": token})
    assert answer.status_code == 403


def test_large_forms_are_refused(app: ASGIApp) -> None:
    assert enter(app, password="x" * 70_000).status_code == 413


def test_the_proxy_is_believed_from_its_address_only(sample: Sample) -> None:
    header = {"X-Remote-User": "ann"}
    near = Doors(header="X-Remote-User", proxies=frozenset({"127.0.0.1"}))
    far = Doors(header="X-Remote-User", proxies=frozenset({"10.0.0.1"}))
    assert ask(reading_room(sample.room, near), "/", headers=header).status_code == 200
    assert ask(reading_room(sample.room, near), "/").status_code == 403
    assert ask(reading_room(sample.room, far), "/", headers=header).status_code == 403


def test_there_is_no_login_without_users(sample: Sample) -> None:
    assert ask(reading_room(sample.room), "/login").status_code == 404


def test_visitors_ask_at_a_bounded_pace(sample: Sample) -> None:
    """Each has a pace of their own; those without a name are sent to the login."""
    now = [0.0]
    doors = Doors(header="X-User", proxies=frozenset({"127.0.0.1"}), key=b"k")

    async def room(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("in")(scope, receive, send)

    app = Gate(room, doors, pace=Pace(rate=1, burst=3), clock=lambda: now[0])
    said = [ask(app, "/", headers={"X-User": "bob"}) for _ in range(5)]
    assert [one.status_code for one in said] == [200, 200, 200, 429, 429]
    assert said[-1].headers["retry-after"] == "10"
    assert ask(app, "/", headers={"X-User": "ann"}).status_code == 200
    assert {ask(app, "/").status_code for _ in range(5)} == {403}
    now[0] = 2.0
    said = [ask(app, "/", headers={"X-User": "bob"}) for _ in range(3)]
    assert [one.status_code for one in said] == [200, 200, 429]
