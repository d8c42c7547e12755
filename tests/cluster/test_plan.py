"""Packing due blogs into jobs and giving jobs to nodes."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawl.cluster.plan import Limits, assign, free_slots, pack
from blogcrawl.storage.schedule import fair_start
from blogcrawl.storage.tables import JobRow, NodeRow, VisitRow

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def turn(i, kind="new", host=None):
    host = host or f"h{i}.example"
    return VisitRow(
        blog_id=f"b{i}",
        url=f"http://{host}/{i}",
        host=host,
        kind=kind,
        next_visit=NOW - timedelta(hours=1),
    )


def test_first_crawls_are_single_jobs_and_others_are_batched():
    due = [turn(i, ("new", "poll", "update")[i % 3]) for i in range(30)]
    jobs = pack(due, {}, 100, Limits(updates_per_job=4), NOW)
    assert Counter((j.kind, len(j.blogs)) for j in jobs) == {
        ("new", 1): 10,
        ("poll", 10): 1,
        ("update", 4): 2,
        ("update", 2): 1,
    }


@settings(deadline=None)
@given(st.lists(st.sampled_from(["new", "poll", "update"]), max_size=60), st.integers(0, 9))
def test_jobs_fill_slots_without_exceeding_them(kinds, slots):
    jobs = pack(
        [turn(i, kind) for i, kind in enumerate(kinds)],
        {},
        slots,
        Limits(polls_per_job=5, updates_per_job=3),
        NOW,
    )
    most = {"new": 1, "poll": 5, "update": 3}
    assert len(jobs) <= slots and all(1 <= len(j.blogs) <= most[j.kind] for j in jobs)
    assert len({b for j in jobs for b in j.blogs}) == sum(len(j.blogs) for j in jobs)
    assert len(jobs) == slots or sum(len(j.blogs) for j in jobs) == len(kinds)


def test_host_budget_is_never_exceeded():
    due = [turn(i, "new", "big.example") for i in range(5)] + [turn(9, "poll", "big.example")]
    assert len(pack(due, {}, 100, Limits(host_budget=2), NOW)) == 2
    assert pack(due, {"big.example": 2}, 100, Limits(host_budget=2), NOW) == []


def test_a_service_with_a_hundred_blogs_is_polled_in_one_job():
    jobs = pack(
        [turn(i, "poll", "service.example") for i in range(100)], {}, 10, Limits(host_budget=1), NOW
    )
    assert [len(j.blogs) for j in jobs] == [100] and jobs[0].host == "service.example"


def test_job_ids_derive_from_their_content():
    due = [turn(i) for i in range(3)]
    assert [j.id for j in pack(due, {}, 9, Limits(), NOW)] == [
        j.id for j in pack(due, {}, 9, Limits(), NOW + timedelta(minutes=1))
    ]


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 7))
def test_equal_nodes_get_jobs_that_differ_by_at_most_one(n_jobs, n_nodes):
    nodes = [NodeRow(url=f"http://n{i}", capacity=2) for i in range(n_nodes)]
    jobs = [JobRow(id=str(i), kind="new", host="", blogs=[]) for i in range(n_jobs)]
    counts = Counter(j.node for j in assign(jobs, nodes, {n.url: 1000 for n in nodes}))
    assert max(counts.values()) - min(counts.get(n.url, 0) for n in nodes) <= 1


def test_weights_follow_capacity():
    nodes = [NodeRow(url="http://small", capacity=1), NodeRow(url="http://big", capacity=3)]
    jobs = [JobRow(id=str(i), kind="new", host="", blogs=[]) for i in range(40)]
    assert Counter(j.node for j in assign(jobs, nodes, {"http://small": 99, "http://big": 99})) == {
        "http://small": 10,
        "http://big": 30,
    }


def test_failing_draining_and_full_nodes_get_no_jobs():
    nodes = [
        NodeRow(url="http://ok", capacity=2),
        NodeRow(url="http://draining", state="draining"),
        NodeRow(url="http://ill", trouble="timeout", retry_at=NOW + timedelta(minutes=1)),
        NodeRow(url="http://full", capacity=1),
    ]
    held = [
        JobRow(id=str(i), kind="new", host="", blogs=[], node="http://full", state="sent")
        for i in range(2)
    ]
    assert {u: s for u, s in free_slots(nodes, held, Limits(), NOW).items() if s} == {
        "http://ok": 4
    }


def test_new_node_starts_with_its_fair_share_of_jobs():
    joined = fair_start(
        NodeRow(url="http://new", capacity=4),
        [NodeRow(url="http://old", capacity=2, jobs_sent=1000)],
    )
    assert joined.jobs_sent == 2000
