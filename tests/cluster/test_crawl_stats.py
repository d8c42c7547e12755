"""Sums, metrics, log lines, webhook, and ``report --cluster``."""

import asyncio
import json
import logging
import re
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import httpx

from blogcrawl.cluster.controller import Tick
from blogcrawl.cluster.crawl_stats import sum_up
from blogcrawl.cluster.metrics import Crawled, Rounds, exposition
from blogcrawl.core.config import Config
from blogcrawl.core.logs import JsonFormatter
from blogcrawl.crawling.extensions.webhook import post
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import BlogRow, CrawlRow, JobRow, NodeRow, VisitRow
from tests.conftest import clean_environment

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def filled(tmp_path):
    config = Config(archive=str(tmp_path / "archive"))
    open_archive(config, now=NOW)
    schedule = Schedule(open_state(config))
    state = schedule.state
    state.save_blog(BlogRow(id="b1", url="http://one.example/"))
    schedule.save_node(NodeRow(url='http://n1.example:6800/"x"', running=1, jobs_sent=2))
    state.save(JobRow(id="j1", kind="new", host="", blogs=["b1"], node="n1", state="done"))
    schedule.add_blogs(
        [
            VisitRow(
                blog_id="b2",
                url="http://two.example/",
                host="two.example",
                state="listed",
                reason="gone wrong",
                failures=12,
            )
        ]
    )
    counts = {
        "posts_archived": 10,
        "requests": 20,
        "bytes": 3_000_000,
        "seconds": 5.0,
        "posts_missing": 1,
    }
    done = CrawlRow(
        id="j1",
        blog_id="b1",
        spider="newcrawl",
        node="n1",
        started=NOW,
        ended=NOW,
        outcome="finished",
        counts=counts,
    )
    state.end_crawl(done)
    failed = {"error": {"kind": "UnreachableError", "message": "no answer"}}
    state.end_crawl(
        CrawlRow(
            id="j2",
            blog_id="b2",
            spider="newcrawl",
            started=NOW,
            ended=NOW,
            outcome="failed",
            report=failed,
        )
    )
    state.start_crawl(CrawlRow(id="j3", blog_id="b1", spider="newcrawl", started=NOW))
    return schedule


def test_crawl_statistics_are_summed(tmp_path):
    schedule = filled(tmp_path)
    sums = sum_up(schedule.state.ended_crawls())
    assert sums.outcomes == {"finished": 1, "failed": 1}
    assert (
        sums.blogs["http://one.example/"].posts == 10
        and sums.blogs["http://one.example/"].posts_a_second == 2.0
    )
    assert (
        sums.blogs["b2"].reason == "no answer"
        and sums.nodes["n1"].crawls == 1
        and sums.hosts["one.example"].requests == 20
    )
    assert list(schedule.state.ended_crawls(NOW + timedelta(seconds=1))) == []
    schedule.state.close()


def test_metrics_are_read_incrementally_and_counted_once(tmp_path):
    schedule, rounds, crawled = filled(tmp_path), Rounds(), Crawled()
    rounds.add(Tick(leads=True, sent=3), NOW)
    text = exposition(schedule, rounds, crawled, NOW)
    assert text == exposition(schedule, rounds, crawled, NOW), "nothing is counted twice"
    assert (
        'blogcrawl_crawls_total{outcome="finished"} 1\n' in text
        and "blogcrawl_crawl_bytes_total 3000000\n" in text
    )
    assert (
        "blogcrawl_controller_sent_total 3\n" in text
        and 'blogcrawl_node_running{node="http://n1.example:6800/\\"x\\""} 1\n' in text
    )
    late = CrawlRow(
        id="j9",
        blog_id="b1",
        spider="newcrawl",
        ended=NOW - timedelta(minutes=5),
        outcome="finished",
        counts={"posts_archived": 5},
    )
    schedule.state.end_crawl(late)
    assert "blogcrawl_crawl_posts_total 15\n" in exposition(schedule, rounds, crawled, NOW)
    schedule.state.close()


def test_concurrent_scrapes_count_nothing_twice(tmp_path, monkeypatch):
    schedule, crawled = filled(tmp_path), Crawled()
    real = schedule.state.ended_crawls

    def slowly(since):
        found = list(real(since))
        time.sleep(0.2)
        return iter(found)

    monkeypatch.setattr(schedule.state, "ended_crawls", slowly)
    scrapes = [Thread(target=crawled.read, args=(schedule,)) for _ in range(2)]
    for thread in scrapes:
        thread.start()
    for thread in scrapes:
        thread.join()
    assert crawled.tally.crawls == len(list(real()))
    schedule.state.close()


LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(
    rf"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{{{LABEL}(?:,{LABEL})*\}})? "
    rf"([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)"
)


def test_metrics_follow_the_exposition_format(tmp_path):
    """Text format 0.0.4: HELP and TYPE once a metric and before its samples, samples of a metric
    together, no series twice.
    """
    schedule, rounds = filled(tmp_path), Rounds()
    schedule.save_node(NodeRow(url="http://n2.example:6800/\\\n"))
    rounds.add(Tick(leads=True, sent=10**18), NOW)
    text = exposition(schedule, rounds, Crawled(), NOW)
    schedule.state.close()
    assert text.endswith("\n") and "\n\n" not in text and "\r" not in text
    kinds, series, current = {}, set(), None
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("# HELP "):
            _, _, current, help_text = line.split(" ", 3)
            assert help_text.strip() and current not in kinds, line
            mark, word, name, kinds[current] = next(lines).split(" ")
            assert (mark, word, name) == ("#", "TYPE", current) and kinds[name] in (
                "counter",
                "gauge",
            )
            assert (kinds[name] == "counter") == name.endswith("_total"), (
                "counters' names end so, and no others"
            )
            continue
        found = SAMPLE.fullmatch(line)
        assert found and found[1] == current, line
        assert found[3] not in ("NaN", "Inf") and float(found[3]) >= 0
        assert (found[1], found[2]) not in series, "twice"
        series.add((found[1], found[2]))
    assert (
        len(kinds) > 20
        and ("blogcrawl_node_up", '{node="http://n2.example:6800/\\\\\\n"}') in series
    )


def test_log_lines_are_json_with_ids():
    record = logging.LogRecord("x", logging.WARNING, "f", 1, "a %s\nb", ("\x1b[31m",), None)
    line = JsonFormatter({"job": "j", "blog": ""}).format(record)
    assert "\n" not in line and "\x1b" not in line
    logged = json.loads(line)
    assert (
        logged["job"] == "j"
        and "blog" not in logged
        and logged["level"] == "WARNING"
        and logged["message"] == "a \x1b[31m\nb"
    )


class Receiver(BaseHTTPRequestHandler):
    statuses, bodies = [], []

    def do_POST(self):
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(self.statuses.pop(0) if self.statuses else 204)
        self.send_header("Location", "http://127.0.0.1:1/")
        self.end_headers()

    def log_message(self, *args):
        return


def test_webhook_receives_the_report():
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    Receiver.statuses[:], Receiver.bodies[:] = [500, 502], []
    assert asyncio.run(post(url, b'{"a": 1}')) is None and Receiver.bodies == [{"a": 1}] * 3
    Receiver.statuses[:] = [302]
    assert asyncio.run(post(url, b"{}")) is None and len(Receiver.bodies) == 4, (
        "a redirect is not followed"
    )
    Receiver.statuses[:] = [410]
    assert "410" in (asyncio.run(post(url, b"{}")) or "")
    server.shutdown()
    server.server_close()
    assert asyncio.run(post(url, b"{}")) and asyncio.run(post("nonsense", b"{}"))


def test_report_and_metrics_are_served_by_the_controller(tmp_path, cli):
    filled(tmp_path).state.close()
    done = cli("report", "--cluster", "--archive", tmp_path / "archive", "--json")
    assert done.code == 0, done
    assert (
        done.json["listed"][0]["reason"] == "gone wrong" and done.json["nodes"]["n1"]["posts"] == 10
    )
    assert "gone wrong" in cli("report", "--cluster", "--archive", tmp_path / "archive").out
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "blogcrawl",
        "controller",
        "--archive",
        str(tmp_path / "archive"),
        "--metrics",
        str(port),
        "--pause",
        "0.2",
    ]
    child = subprocess.Popen(
        command,
        env=clean_environment(BLOGCRAWL_LOG_FORMAT="json"),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        text = ""
        while "blogcrawl_controller_leads 1" not in text and child.poll() is None:
            time.sleep(0.1)
            try:
                text = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
            except httpx.HTTPError:
                continue
        taken = cli(
            "controller", "--once", "--archive", tmp_path / "archive", "--metrics", str(port)
        )
        assert taken.code == 2 and "taken" in taken.err, taken
        assert (
            "blogcrawl_controller_leads 1" in text and 'blogcrawl_blogs{state="listed"} 1' in text
        )
    finally:
        child.terminate()
        _, err = child.communicate()
    assert child.returncode == 0, err
    assert any(
        json.loads(line)["level"] == "WARNING"
        for line in err.decode().splitlines()
        if line.startswith("{")
    ), "an unreachable node"
