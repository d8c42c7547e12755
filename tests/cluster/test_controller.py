"""The controller against scripted nodes: nothing twice, nothing lost, whatever dies when."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from blogcrawl.cluster.controller import ATTEMPTS, Controller, ControllerConfig
from blogcrawl.cluster.scrapyd import ScrapydClient
from blogcrawl.cluster.sources import turns_of
from blogcrawl.core.config import Config
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import NodeRow, VisitRow

START = datetime(2026, 11, 21, 12, tzinfo=UTC)


ANSWERS = {
    "http": httpx.Response(500),
    "auth": httpx.Response(401),
    "not-json": httpx.Response(200, text="<html>It works!</html>"),
    "refused": httpx.Response(200, json={"status": "error", "message": "no such project"}),
}


class FakeNode:
    """A Scrapyd server in memory; ``broken`` scripts its troubles."""

    def __init__(self):
        self.running, self.finished, self.received, self.broken = [], [], [], None

    def answer(self, request):
        if self.broken == "timeout":
            raise httpx.ReadTimeout("slow")
        if self.broken in ANSWERS:
            return ANSWERS[self.broken]
        if request.url.path == "/listjobs.json":
            jobs = {"pending": [], "running": self.running, "finished": self.finished}
            return httpx.Response(
                200, json={"status": "ok"} | {k: [{"id": i} for i in v] for k, v in jobs.items()}
            )
        if request.url.path == "/listversions.json":
            return httpx.Response(
                200,
                json={"status": "ok", "versions": ["0_9" if self.broken == "version" else "1_0"]},
            )
        form = dict(httpx.QueryParams(request.content.decode()).multi_items())
        self.received.append(form["jobid"])
        self.running.append(form["jobid"])
        if self.broken == "accepts then dies":
            self.broken = "timeout"
            raise httpx.ReadTimeout("accepted, answer lost")
        return httpx.Response(200, json={"status": "ok", "jobid": form["jobid"]})


class Cluster:
    def __init__(self, tmp_path, n_nodes=3, blogs=12, kind="new"):
        self.schedule = Schedule(open_state(Config(archive=str(tmp_path))))
        self.fakes = {f"http://n{i}.example:6800": FakeNode() for i in range(n_nodes)}
        for url in self.fakes:
            self.schedule.save_node(NodeRow(url=url, capacity=2))
        rows = [
            VisitRow(
                blog_id=f"b{i:03}",
                url=f"http://h{i}.example/",
                host=f"h{i}.example",
                kind=kind,
                next_visit=START,
            )
            for i in range(blogs)
        ]
        assert self.schedule.add_blogs(rows) == blogs
        assert self.schedule.add_blogs(rows) == 0
        self.now = START
        self.controller = self.new_controller("one")

    def new_controller(self, name):
        def client(url):
            return ScrapydClient(url, transport=httpx.MockTransport(self.fakes[url].answer))

        return Controller(
            self.schedule, ControllerConfig(name=name, settings={}, egg_version="1.0"), client
        )

    def tick(self, controller=None, seconds=1.0):
        self.now += timedelta(seconds=seconds)
        return asyncio.run(self._tick(controller or self.controller))

    async def _tick(self, controller):
        try:
            return await controller.tick(self.now)
        finally:
            await controller.close()

    def work(self):
        """Every node finishes what it runs, each blog's facts noted as a crawl would."""
        for fake in self.fakes.values():
            for job in fake.running:
                row = next(j for j in self.schedule.jobs(1000) if j.id == job)
                for blog in row.blogs:
                    self.schedule.note_facts(
                        blog, job, {"outcome": "crawled", "published": [self.now.isoformat()]}
                    )
            fake.finished += fake.running
            fake.running = []

    @property
    def received(self):
        return [job for fake in self.fakes.values() for job in fake.received]


def test_all_blogs_are_crawled_once_and_scheduled_again(tmp_path):
    cluster = Cluster(tmp_path, blogs=30)
    for _ in range(6):
        cluster.tick()
        cluster.work()
    cluster.tick()
    assert len(cluster.received) == len(set(cluster.received)) == 30
    per_node = [len(f.received) for f in cluster.fakes.values()]
    assert max(per_node) - min(per_node) <= 1
    turns = list(cluster.schedule.visits())
    assert {t.kind for t in turns} == {"poll"} and all(t.next_visit > cluster.now for t in turns)


def test_controller_killed_before_sending_sends_once(tmp_path, monkeypatch):
    cluster = Cluster(tmp_path, blogs=4)

    async def dies(*args):
        raise KeyboardInterrupt

    dying = cluster.new_controller("one")
    monkeypatch.setattr(dying, "_send_one", dies)
    with pytest.raises(KeyboardInterrupt):
        cluster.tick(dying)
    assert Counter(j.state for j in cluster.schedule.jobs()) == {"sending": 4}
    cluster.tick()
    cluster.tick()
    assert len(cluster.received) == len(set(cluster.received)) == 4


def test_job_with_a_lost_acknowledgement_is_not_sent_twice(tmp_path):
    cluster = Cluster(tmp_path, n_nodes=1, blogs=1)
    cluster.fakes["http://n0.example:6800"].broken = "accepts then dies"
    cluster.tick()
    cluster.tick(seconds=2)
    cluster.fakes["http://n0.example:6800"].broken = None
    cluster.tick(seconds=60)
    assert len(cluster.received) == 1
    assert [j.state for j in cluster.schedule.jobs()] == ["sent"]


@pytest.mark.parametrize("trouble", ["timeout", "http", "auth", "not-json", "refused", "version"])
def test_failing_node_is_skipped_classified_backed_off_and_recovers(tmp_path, trouble):
    cluster = Cluster(tmp_path, blogs=4)
    ill = cluster.fakes["http://n1.example:6800"]
    ill.broken = trouble
    assert cluster.tick().troubled
    row = next(n for n in cluster.schedule.nodes() if n.url == "http://n1.example:6800")
    assert row.trouble == trouble and row.message and row.failures == 1
    assert timedelta(seconds=3) < row.retry_at - cluster.now < timedelta(minutes=3)
    assert not ill.received and len(cluster.received) == 4
    ill.broken = None
    cluster.work()
    cluster.tick(seconds=180)
    assert not cluster.tick().troubled


def test_nodes_are_added_and_removed_at_run_time(tmp_path):
    """A node that is added gets work in the next round; one that is taken away keeps its jobs until
    their leases end, no longer.
    """
    cluster = Cluster(tmp_path, n_nodes=1, blogs=8)
    cluster.tick()
    assert len(cluster.received) == 4
    cluster.fakes["http://n9.example:6800"] = late = FakeNode()
    cluster.schedule.save_node(NodeRow(url="http://n9.example:6800", capacity=2))
    cluster.tick()
    assert len(late.received) == 4
    gone = next(n for n in cluster.schedule.nodes() if n.url == "http://n0.example:6800")
    cluster.schedule.save_node(replace(gone, state="removed"))
    cluster.work()
    lost = cluster.fakes.pop("http://n0.example:6800")
    assert cluster.tick(seconds=5).reissued == 0, "they ended before it went"
    assert cluster.tick(seconds=200).sent == 0 and len(lost.received) == 4
    assert cluster.schedule.counts()["visits"] == {"waiting": 8}


@pytest.mark.parametrize(
    "url",
    [
        "https://service.example/{}/",
        "https://blog{}.blogspot.com/",
        "https://blog{}.service.co.uk/",
    ],
)
def test_host_budget_holds_over_all_nodes(tmp_path, url):
    cluster = Cluster(tmp_path, n_nodes=3, blogs=0)
    cluster.schedule.add_blogs(turns_of([(url.format(i), None) for i in range(6)], START))
    for done in range(6):
        cluster.tick()
        cluster.tick()
        assert (
            sum(len(fake.running) for fake in cluster.fakes.values()) == 1
            and len(cluster.received) == done + 1
        )
        cluster.work()


@pytest.mark.parametrize(
    ("ends", "state"), [("crawled", "waiting"), ("gone", "gone"), ("not-a-blog", "listed")]
)
def test_blog_of_an_astray_feed_is_crawled_before_giving_up(tmp_path, ends, state):
    cluster = Cluster(tmp_path, n_nodes=1, blogs=1, kind="poll")
    cluster.tick()
    cluster.schedule.note_facts(
        "b000", cluster.received[0], {"outcome": "astray", "reason": "the feed answers 410"}
    )
    cluster.tick()
    assert cluster.received[1].startswith("update-")
    cluster.schedule.note_facts(
        "b000",
        cluster.received[1],
        {"outcome": ends, "reason": None if ends == "crawled" else ends},
    )
    cluster.tick()
    turn = cluster.schedule.get_visit("b000")
    assert (turn.kind, turn.state) == ("poll" if ends == "crawled" else "update", state)
    assert turn.reason == (None if ends == "crawled" else ends)


def test_polls_count_towards_the_feeds_host(tmp_path):
    """A thousand blogs whose feeds lie on one service are that service's load."""
    cluster = Cluster(tmp_path, n_nodes=1, blogs=1)
    cluster.tick()
    [job] = cluster.received
    cluster.schedule.note_facts(
        "b000", job, {"outcome": "crawled", "feed": {"url": "https://feeds.feedburner.com/h0"}}
    )
    cluster.tick()
    assert cluster.schedule.get_visit("b000").host == "feedburner.com"


def test_jobs_of_a_dead_node_are_reissued_after_the_lease(tmp_path):
    cluster = Cluster(tmp_path, n_nodes=2, blogs=4)
    cluster.tick()
    dead = cluster.fakes["http://n0.example:6800"]
    orphans = set(dead.running)
    dead.broken, dead.running = "timeout", []
    assert cluster.tick(seconds=60).reissued == 0
    cluster.work()
    assert cluster.tick(seconds=90).reissued == len(orphans)
    for _ in range(3):
        cluster.work()
        cluster.tick(seconds=3)
    assert cluster.schedule.counts()["visits"] == {"waiting": 4}
    late = orphans.pop()
    assert not cluster.schedule.heartbeat(late, cluster.now), "the old job has to stop"
    assert not cluster.schedule.note_facts("b000", late, {"outcome": "crawled"}), (
        "its late facts are refused"
    )


def test_heartbeat_keeps_a_crawl_that_its_restarted_node_forgot(tmp_path):
    cluster = Cluster(tmp_path, n_nodes=1, blogs=1)
    cluster.tick()
    node = cluster.fakes["http://n0.example:6800"]
    job = node.running.pop()
    for _ in range(5):
        assert cluster.schedule.heartbeat(job, cluster.now + timedelta(seconds=120))
        assert cluster.tick(seconds=60).reissued == 0


def test_silently_killed_process_counts_as_a_failure(tmp_path):
    cluster = Cluster(tmp_path, n_nodes=1, blogs=1)
    node = cluster.fakes["http://n0.example:6800"]
    for attempt in range(1, ATTEMPTS + 1):
        cluster.tick()
        assert len(node.received) == len(set(node.received)) == attempt
        node.finished, node.running = [*node.finished, *node.running], []
    cluster.tick()
    turn = cluster.schedule.get_visit("b000")
    assert (
        turn.failures == 1 and "without a result" in turn.reason and turn.next_visit > cluster.now
    )


def test_blogs_that_keep_failing_are_put_on_the_problem_list(tmp_path):
    cluster = Cluster(tmp_path, n_nodes=1, blogs=1)
    for _ in range(40):
        cluster.tick(seconds=15 * 86400)
        for fake in cluster.fakes.values():
            for job in fake.running:
                cluster.schedule.note_facts(
                    "b000", job, {"outcome": "failed", "reason": "500 all day"}
                )
            fake.finished, fake.running = fake.finished + fake.running, []
        cluster.tick()
    turn = cluster.schedule.get_visit("b000")
    assert turn.state == "listed" and turn.reason == "500 all day"
    assert len(cluster.received) < 20


def test_one_of_two_controllers_leads(tmp_path):
    cluster = Cluster(tmp_path, blogs=6)
    second = cluster.new_controller("two")
    assert cluster.tick().leads
    assert not cluster.tick(second).leads
    assert cluster.tick(second, seconds=3600).leads
    assert not cluster.tick(seconds=1).leads
    assert len(cluster.received) == len(set(cluster.received))


def test_polls_are_batched(tmp_path):
    cluster = Cluster(tmp_path, n_nodes=2, blogs=300, kind="poll")
    cluster.tick()
    assert len(cluster.received) == 2
    assert sorted(len(j.blogs) for j in cluster.schedule.jobs()) == [100, 200]


def test_draining_node_gets_no_new_jobs(tmp_path):
    cluster = Cluster(tmp_path, n_nodes=2, blogs=4)
    cluster.schedule.save_node(NodeRow(url="http://n0.example:6800", capacity=2, state="draining"))
    cluster.tick()
    assert not cluster.fakes["http://n0.example:6800"].received
    assert len(cluster.fakes["http://n1.example:6800"].received) == 4
