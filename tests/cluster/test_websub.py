"""Subscriptions to hubs: forms, verification of intent, signatures, renewal, and a hub that really
calls back.
"""

import asyncio
import hmac
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qsl

import httpx
import pytest

from blogcrawl.cluster import websub
from blogcrawl.cluster.endpoint import MAX_PUSH, endpoint
from blogcrawl.cluster.visit_scheduler import next_turn
from blogcrawl.cluster.websub_client import Subscriber
from blogcrawl.core.config import Config
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.subscriptions import Subscriptions
from blogcrawl.storage.tables import Subscription, VisitRow
from tests.cluster.realnodes import PATIENCE, Cluster, wait_until
from tests.crawling.blog import entries, write_blog
from tests.server import Server

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ROW = Subscription(
    blog_id="b",
    token="t",
    topic="https://b.example/feed",
    hub="https://hub.example/",
    secret="s3cret",
)


def sign(body, secret="s3cret", method="sha256"):
    return f"{method}={hmac.new(secret.encode(), body, method).hexdigest()}"


@pytest.fixture
def schedule(tmp_path):
    schedule = Schedule(open_state(Config(archive=str(tmp_path))))
    schedule.add_blogs(
        [
            VisitRow(
                blog_id="b",
                url="https://b.example/",
                host="b.example",
                kind="poll",
                next_visit=NOW + timedelta(days=3650),
            )
        ]
    )
    yield schedule
    schedule.state.close()


def call(schedule, method, url, **how):
    app = endpoint(lambda: "metric 1\n", Subscriptions(schedule.state))

    async def go():
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://controller"
        ) as client:
            return await client.request(method, url, **how)

    return asyncio.run(go())


def test_only_http_hubs_are_used():
    def of(**feed):
        return websub.wanted(
            VisitRow(blog_id="b", url="https://b.example/", host="b.example", feed=feed),
            "t",
            "s",
            NOW,
        )

    assert (
        of(url="https://b.example/feed", hub="https://hub.example/").topic
        == "https://b.example/feed"
    )
    assert (
        of(
            url="https://b.example/feed", hub="https://hub.example/", self="https://b.example/self"
        ).topic
        == "https://b.example/self"
    )
    for feed in (
        {},
        {"url": "https://b.example/feed"},
        {"url": "https://b.example/f", "hub": "javascript:x"},
        {"url": "x", "hub": "http://["},
    ):
        assert of(**feed) is None


def test_secret_is_sent_over_https_only():
    form = websub.subscribe_form(ROW, "https://me.example/websub/t")
    assert (
        form["hub.secret"] == "s3cret"
        and form["hub.mode"] == "subscribe"
        and form["hub.callback"].endswith("/t")
    )
    assert "hub.secret" not in websub.subscribe_form(
        replace(ROW, hub="http://hub.example/"), "https://me.example/t"
    )


def test_intent_is_verified():
    query = {
        "hub.mode": "subscribe",
        "hub.topic": ROW.topic,
        "hub.challenge": "abc",
        "hub.lease_seconds": "1000",
    }
    challenge, active = websub.verification(ROW, query, NOW)
    assert challenge == "abc" and active.state == "active"
    assert active.expires == NOW + timedelta(seconds=1000) and active.due == NOW + timedelta(
        seconds=800
    )
    assert websub.delivers(active, NOW) and not websub.delivers(
        active, NOW + timedelta(seconds=1001)
    )
    for wrong in (
        {"hub.topic": "https://b.example/feed/"},
        {"hub.mode": "unsubscribe"},
        {"hub.challenge": ""},
        {"hub.mode": "publish"},
    ):
        assert websub.verification(ROW, query | wrong, NOW) == (None, None)
    assert websub.verification(None, query, NOW) == (None, None)
    for odd in ("", "-5", "1e9", "99999999999", "0", "²"):
        _, row = websub.verification(ROW, query | {"hub.lease_seconds": odd}, NOW)
        assert websub.SHORTEST_LEASE <= row.expires - NOW <= websub.LONGEST_LEASE
    _, denied = websub.verification(
        ROW, {"hub.mode": "denied", "hub.topic": ROW.topic, "hub.reason": "no"}, NOW
    )
    assert denied.state == "denied" and denied.due is None
    assert websub.verification(denied, query, NOW) == (None, None), (
        "who was denied did not ask again"
    )


@pytest.mark.parametrize("method", ["sha1", "sha256", "sha384", "sha512"])
def test_valid_signatures_are_accepted(method):
    assert websub.genuine(ROW, sign(b"body", method=method), b"body")
    assert not websub.genuine(ROW, sign(b"body", method=method), b"bodz")
    assert not websub.genuine(ROW, sign(b"body", "other", method), b"body")


@pytest.mark.parametrize(
    "signature",
    [None, "", "sha256", "sha256=", "md5=" + "0" * 32, "sha256=zz", "=abc", "sha256=" + "ü" * 64],
)
def test_bad_signatures_are_refused(signature):
    assert not websub.genuine(ROW, signature, b"body")


def test_hub_that_keeps_failing_is_given_up():
    row, waits = ROW, []
    for _ in range(websub.FAILURES_TO_STOP):
        row = websub.refused(row, "500", NOW)
        waits.append(row.due and row.due - NOW)
    assert waits[:-1] == sorted(waits[:-1]) and waits[-1] is None


def test_callback_urls_are_parsed(schedule):
    rows = Subscriptions(schedule.state)
    rows.save(ROW)
    query = {"hub.mode": "subscribe", "hub.topic": ROW.topic, "hub.challenge": "<b>x</b>"}
    answer = call(schedule, "GET", "/websub/t", params=query)
    assert (answer.status_code, answer.text) == (200, "<b>x</b>") and answer.headers[
        "content-type"
    ] == "text/plain"
    assert rows.by_token("t").state == "active"
    assert call(schedule, "GET", "/websub/other", params=query).status_code == 404
    assert (
        call(schedule, "GET", "/websub/t", params=query | {"hub.challenge": "\u2603"}).text
        == "\u2603"
    )
    assert (
        call(schedule, "GET", "/websub/t", params={str(n): "" for n in range(60)}).status_code
        == 400
    )
    later = schedule.get_visit("b").next_visit
    for body, signature in (
        (b"new", sign(b"old")),
        (b"x" * (MAX_PUSH + 1), sign(b"x" * (MAX_PUSH + 1))),
        (b"new", ""),
    ):
        answer = call(
            schedule, "POST", "/websub/t", content=body, headers={"X-Hub-Signature": signature}
        )
        assert answer.status_code == 202, "a forger learns nothing"
        assert schedule.get_visit("b").next_visit == later
    assert (
        call(
            schedule,
            "POST",
            "/prefix/websub/t",
            content=b"new",
            headers={"X-Hub-Signature": sign(b"new")},
        ).status_code
        == 202
    )
    assert schedule.get_visit("b").next_visit < later
    assert call(schedule, "POST", "/websub/unknown", content=b"new").status_code == 404
    assert call(schedule, "GET", "/metrics").text == "metric 1\n"
    assert call(schedule, "GET", "/etc/passwd").status_code == 404


def test_push_during_a_job_is_kept(schedule):
    rows = Subscriptions(schedule.state)
    rows.save(ROW)
    schedule.save_visits([replace(schedule.get_visit("b"), state="claimed", job_id="j")])
    assert rows.push("b", NOW) and rows.by_token("t").pushed == NOW
    assert rows.push("unknown", NOW) is False


def test_pushed_blogs_are_polled_weekly():
    visit = VisitRow(
        blog_id="b",
        url="https://b.example/",
        host="b.example",
        kind="poll",
        facts={"outcome": "unchanged"},
        habit={"posts": 90, "days": 45},
    )
    polled = next_turn(visit, NOW, base_hours=6).next_visit
    pushed = next_turn(visit, NOW, base_hours=6, pushed=True).next_visit
    assert polled - NOW < timedelta(days=1) < timedelta(days=6) < pushed - NOW


def test_hubs_on_private_addresses_are_not_requested(schedule):
    rows = Subscriptions(schedule.state)
    for hub in (
        "http://127.0.0.1/",
        "http://169.254.169.254/latest",
        "http://localhost/",
        "http://[::1]/",
        "http://0x7f.1/",
    ):
        rows.save(replace(ROW, hub=hub, due=NOW))
        assert asyncio.run(Subscriber(rows, "https://me.example/websub").ask_due(NOW)) == 0
        assert "private" in (rows.by_token("t").reason or ""), hub
        assert rows.by_token("t").due > NOW


def test_hub_subscription_is_confirmed_by_callback(schedule):
    """A hub on loopback (allowed here): takes the form, verifies, and the subscription is active,
    to be renewed in time.
    """
    rows = Subscriptions(schedule.state)
    forms = []

    async def hub(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().split("content-length:")[1].split("\r\n")[0])
        forms.append((head, dict(httpx.QueryParams((await reader.readexactly(length)).decode()))))
        writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def go():
        server = await asyncio.start_server(hub, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        visit = replace(
            schedule.get_visit("b"),
            feed={"url": "https://b.example/feed", "hub": f"http://127.0.0.1:{port}/sub?x=1"},
        )
        subscriber = Subscriber(rows, "https://me.example/websub/", allow_private=True)
        first = subscriber.take([visit], NOW)
        assert subscriber.take([visit], NOW) == first, "one subscription a blog"
        assert await subscriber.ask_due(NOW) == 1
        server.close()
        return first["b"]

    row = asyncio.run(go())
    head, form = forms[0]
    assert (
        head.startswith("POST /sub?x=1 ")
        and form["hub.callback"] == f"https://me.example/websub/{row.token}"
    )
    assert len(row.token) >= 32 and "hub.secret" not in form
    after = rows.by_token(row.token)
    assert after.state == "asked" and after.due == NOW + websub.ANSWER_WITHIN
    query = {
        "hub.mode": "subscribe",
        "hub.topic": form["hub.topic"],
        "hub.challenge": "c",
        "hub.lease_seconds": form["hub.lease_seconds"],
    }
    assert call(schedule, "GET", f"/websub/{row.token}", params=query).text == "c"
    assert rows.by_token(row.token).state == "active"


class Hub(BaseHTTPRequestHandler):
    """Takes subscriptions and verifies them at once, as section 5.3 has it."""

    def do_POST(self):
        form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        self.send_response(202)
        self.end_headers()
        self.server.subscribers.append((form, Thread(target=self.verify, args=(form,))))
        self.server.subscribers[-1][1].start()

    def verify(self, form):
        query = {
            "hub.mode": "subscribe",
            "hub.topic": form["hub.topic"],
            "hub.challenge": "c4ll",
            "hub.lease_seconds": "90000",
        }
        self.server.answers.append(
            httpx.get(form["hub.callback"], params=query, trust_env=False, timeout=20).text
        )

    def log_message(self, *args):
        return


@pytest.mark.slow
def test_push_over_http_triggers_an_update(tmp_path):
    """Hub, controller, node and blog each a server of its own: subscribed, verified, a forged push,
    a signed one, the post archived.
    """
    hub = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    hub.subscribers, hub.answers = [], []
    Thread(target=hub.serve_forever, daemon=True).start()
    hub_url = f"http://127.0.0.1:{hub.server_port}/"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "site").mkdir()
    with Server(tmp_path / "site", host="127.0.9.60") as server, Cluster(tmp_path, 1) as cluster:

        def write(count):
            write_blog(server.root, entries(count), base=server.url.rstrip("/"))
            feed = server.root / "feed.xml"
            link = (
                f'<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="hub" href="{hub_url}"/>'
            )
            feed.write_text(feed.read_text().replace("<channel>", "<channel>" + link))

        def in_state(look):
            schedule = cluster.schedule()
            try:
                return look(schedule)
            finally:
                schedule.state.close()

        def waiting():
            return [
                turn.next_visit
                for turn in cluster.turns()
                if (turn.kind, turn.state) == ("poll", "waiting")
            ]

        write(3)
        (tmp_path / "list.txt").write_text(server.url)
        controller = cluster.control(
            tmp_path / "list.txt",
            "--metrics",
            str(port),
            "--websub",
            f"http://127.0.0.1:{port}/websub",
            "--pause",
            "0.2",
            "--base-hours",
            "100",
            "--set",
            "delay_seconds=0",
            "--set",
            "render=never",
            "--set",
            "allow_private=1",
        )
        wait_until(lambda: hub.answers, "the hub has verified")
        assert (
            hub.answers == ["c4ll"]
            and hub.subscribers[0][0]["hub.topic"] == f"{server.url}feed.xml"
        )
        wait_until(waiting, "the blog waits for its next visit")
        [planned] = waiting()
        assert planned > datetime.now(UTC) + timedelta(hours=20), (
            "without a push, no crawl comes so soon"
        )

        def over_https(schedule):  # what makes a signature necessary; this hub has no certificate
            rows = Subscriptions(schedule.state)
            row = next(iter(rows.of_blogs([turn.blog_id for turn in schedule.visits()]).values()))
            rows.save(replace(row, hub=hub_url.replace("http:", "https:")))
            return row

        row = in_state(over_https)
        assert row.state == "active"
        write(4)
        polled = server.paths().count("/feed.xml")
        callback, body = (
            hub.subscribers[0][0]["hub.callback"],
            (server.root / "feed.xml").read_bytes(),
        )
        with httpx.Client(trust_env=False, timeout=20) as client:
            assert (
                client.post(
                    callback, content=body, headers={"X-Hub-Signature": sign(body, "guessed")}
                ).status_code
                == 202
            )
            assert waiting() == [planned] and server.paths().count("/feed.xml") == polled
            assert (
                client.post(
                    callback, content=body, headers={"X-Hub-Signature": sign(body, row.secret)}
                ).status_code
                == 202
            )
        wait_until(
            lambda: in_state(lambda schedule: len(list(schedule.state.posts()))) == 4,
            "the new post is archived",
        )
        controller.terminate()
        assert controller.wait(PATIENCE) == 0, cluster.output()
    hub.shutdown()
    hub.server_close()
