"""The revisit policy: every rule of docs/cluster.md once, with hand-checked numbers and hostile
hints.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawl.cluster.posting_rate import Habit, interval_hours, observe
from blogcrawl.cluster.revisit import (
    CEILING,
    FAILURE_CEILING,
    FAILURES_TO_LIST,
    FLOOR,
    HINT_CAP,
    JITTER,
    RETRY_AFTER_CAP,
    Hints,
    next_visit,
)
from blogcrawl.cluster.visit_scheduler import next_turn
from blogcrawl.storage.tables import VisitRow

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def daily(n: int, hour: int = 9, until: datetime = NOW) -> list[datetime]:
    return [(until - i * DAY).replace(hour=hour, minute=0) for i in range(n)]


def test_visit_rate_grows_with_the_square_root_of_the_post_rate():
    slow = observe(Habit(), [NOW - i * (16 * DAY + timedelta(hours=37)) for i in range(1, 11)], NOW)
    fast = observe(Habit(), [NOW - i * (DAY + timedelta(hours=5)) for i in range(1, 161)], NOW)
    ratio = (
        next_visit(slow, "unchanged", Hints(), NOW).interval
        / next_visit(fast, "unchanged", Hints(), NOW).interval
    )
    assert 2.0 < ratio < 6.0  # sqrt(16) = 4, bent by priors, profiles and jitter


def test_visits_concentrate_on_posting_hours():
    habit = observe(Habit(), daily(60, hour=9), NOW)
    after_post = next_visit(
        habit, "changed", Hints(), NOW.replace(hour=9, minute=30), base_hours=2
    ).interval
    at_night = next_visit(habit, "unchanged", Hints(), NOW.replace(hour=20), base_hours=2).interval
    assert at_night > 2 * after_post


def test_feed_without_304_is_polled_less_but_weekly():
    """Ten times the cost of a request, three times the interval; a server that learns conditional
    requests is asked as ever.
    """
    busy, asleep = observe(Habit(), daily(60), NOW), Habit()
    often, seldom = (
        next_visit(busy, "unchanged", Hints(whole=whole), NOW, base_hours=6).interval
        for whole in (False, True)
    )
    assert 1.5 * often < seldom < 6 * often, "three times, bent by the hours when it posts"
    assert next_visit(
        asleep, "unchanged", Hints(whole=True), NOW, base_hours=60
    ).interval <= CEILING * (1 + JITTER)
    known = {"url": "http://b.example/feed", "whole": True}
    turn = VisitRow(blog_id="b", url="http://b.example/", host="b.example", kind="poll", feed=known)
    crawled = {"outcome": "crawled", "published": [], "feed": {"url": "http://b.example/feed"}}
    after = next_turn(replace(turn, kind="update", facts=crawled), NOW, base_hours=6)
    assert after.feed["whole"] is True, "an update does not change that"
    polled = {"outcome": "unchanged", "feed": {"url": "http://b.example/feed", "whole": False}}
    again = next_turn(replace(after, facts=polled), NOW, base_hours=6)
    assert again.feed["whole"] is False and again.next_visit - NOW < 0.5 * (after.next_visit - NOW)


def test_first_poll_of_a_feed_counts_as_history():
    known = observe(Habit(), daily(10), NOW)
    assert 0.5 < known.posts / known.days < 1.5


def test_feed_window_is_the_last_observed_one():
    known = observe(Habit(), daily(3), NOW, 25)
    assert (known.window, observe(known, [], NOW).window, observe(known, [], NOW, 5).window) == (
        25,
        25,
        5,
    )


def test_entries_dated_1970_or_in_the_future_are_ignored():
    lying = [datetime(1970, 1, 1, tzinfo=UTC), NOW + 400 * DAY]
    assert observe(Habit(), lying, NOW).posts == 0


def test_flat_weekly_profile_gives_the_base_interval():
    flat = Habit(posts=30, days=30, hours=(0.0,) * 24, weekdays=(0.0,) * 7)
    for hours in (0.0, 0.5, 23.75, 100.0, 167.99):
        moment = datetime(2026, 11, 16, tzinfo=UTC) + timedelta(hours=hours)
        assert interval_hours(flat, moment, 6.0) == pytest.approx(6.0 * (37 / 30.25) ** 0.5)
        assert interval_hours(flat, moment, 400.0) == pytest.approx(400.0 * (37 / 30.25) ** 0.5)


def test_poll_interval_follows_the_weekly_density():
    """Against the definition, summed minute by minute: the polls of the time until the next poll
    add up to one.
    """
    habit = observe(Habit(), [t for t in daily(60, hour=9) if t.weekday() != 6], NOW)
    hours = interval_hours(habit, NOW, 6.0)
    week = [(h + 3 / 24) ** 0.5 * (d + 3 / 7) ** 0.5 for d in habit.weekdays for h in habit.hours]
    steps = range(int(hours * 60))
    moments = [NOW + timedelta(minutes=m) for m in steps]
    density = [
        week[m.weekday() * 24 + m.hour] * 168 / sum(week) * habit.rate**0.5 / 6.0 for m in moments
    ]
    assert sum(density) / 60 == pytest.approx(1.0, abs=0.01)


def test_habit_decay_does_not_depend_on_poll_frequency():
    """What the state rounds away must not keep a habit alive for ever."""
    start = observe(Habit(), daily(10), NOW)
    often, once = start, observe(start, [], NOW + 30 * DAY)
    for i in range(1, 30 * 96 + 1):
        often = Habit.from_json(observe(often, [], NOW + timedelta(minutes=15 * i)).to_json())
    assert often.posts == pytest.approx(once.posts, rel=0.01)
    assert often.hours == pytest.approx(once.hours, rel=0.02, abs=0.005)


@pytest.mark.parametrize(
    ("hints", "at_least"),
    [
        (Hints(ttl_minutes=12 * 60), timedelta(hours=12)),
        (Hints(max_age_seconds=7200), timedelta(hours=2)),
        (Hints(update_period_seconds=6 * 3600), timedelta(hours=6)),
        (Hints(retry_after_seconds=3 * 86400), 3 * DAY),
    ],
)
def test_feed_hints_delay_visits(hints, at_least):
    busy = observe(Habit(), [NOW - timedelta(hours=i) for i in range(200)], NOW)
    assert next_visit(busy, "unchanged", hints, NOW).interval >= at_least


def test_absurd_hints_are_capped():
    busy = observe(Habit(), [NOW - timedelta(hours=i) for i in range(200)], NOW)
    assert next_visit(busy, "unchanged", Hints(ttl_minutes=10**9), NOW).interval <= HINT_CAP
    assert (
        next_visit(busy, "unchanged", Hints(retry_after_seconds=10 * 365 * 86400), NOW).interval
        <= RETRY_AFTER_CAP
    )


def test_skip_hours_and_days_are_respected():
    habit = observe(Habit(), daily(30), NOW)
    visit = next_visit(
        habit,
        "unchanged",
        Hints(skip_hours=tuple(range(23)), skip_days=("Saturday", "Sunday")),
        NOW,
    )
    assert visit.at.hour == 23 and visit.at.weekday() < 5


def test_feed_skipping_every_hour_is_ignored():
    habit = observe(Habit(), daily(30), NOW)
    assert (
        next_visit(habit, "unchanged", Hints(skip_hours=tuple(range(24))), NOW).at
        < NOW + CEILING * 2
    )


def test_failures_back_off_then_go_to_the_problem_list():
    waits = [
        next_visit(Habit(), "failed", Hints(), NOW, failures=n).interval
        for n in range(FAILURES_TO_LIST)
    ]
    assert all(b > a for a, b in pairwise(waits[:8]))
    assert waits[-1] <= FAILURE_CEILING * (1 + JITTER)
    assert next_visit(Habit(), "failed", Hints(), NOW, failures=FAILURES_TO_LIST - 1).listed
    assert not next_visit(Habit(), "failed", Hints(), NOW, failures=0).listed


def test_gone_blogs_are_not_visited_again():
    visit = next_visit(Habit(), "gone", Hints(), NOW)
    assert visit.at is None and visit.listed and "410" in visit.reason


def test_pushed_feed_keeps_a_slow_safety_poll():
    habit = observe(Habit(), [NOW - timedelta(hours=i) for i in range(200)], NOW)
    assert next_visit(habit, "unchanged", Hints(pushed=True), NOW).interval > timedelta(days=6)


def test_blogs_with_equal_habits_are_spread_over_time():
    habit = observe(Habit(), daily(30), NOW)
    assert (
        len({next_visit(habit, "unchanged", Hints(), NOW, key=str(i)).at for i in range(50)}) > 40
    )


times = st.datetimes(datetime(1969, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


@settings(deadline=None)
@given(
    st.lists(times, max_size=30),
    times,
    st.integers(0, 50),
    st.integers(0, 10**10),
    st.sampled_from(["changed", "unchanged", "failed"]),
)
def test_next_visit_lies_within_its_bounds(published, now, failures, ttl, outcome):
    habit = observe(Habit(), published, now)
    visit = next_visit(habit, outcome, Hints(ttl_minutes=ttl), now, failures=failures)
    assert FLOOR <= visit.interval <= FAILURE_CEILING * (1 + JITTER) + DAY
    assert Habit.from_json(habit.to_json()).window == habit.window


@settings(deadline=None)
@given(st.lists(times, max_size=30), times)
def test_habits_survive_json(published, now):
    habit = observe(Habit(), published, now)
    again = Habit.from_json(habit.to_json())
    assert again.seen_until == habit.seen_until
    assert again.posts == pytest.approx(habit.posts, abs=1e-6)
    assert again.hours == pytest.approx(habit.hours, abs=1e-6)


def test_poll_and_its_crawl_count_each_post_once():
    known = observe(Habit(), daily(10), NOW)
    later = NOW + DAY
    new, edited = (NOW + timedelta(hours=21)).isoformat(), (NOW - 3 * DAY).isoformat()
    turn = VisitRow(
        blog_id="b",
        url="http://a/",
        host="a",
        kind="poll",
        habit=known.to_json(),
        facts={"outcome": "changed", "published": [new]},
    )
    turn = next_turn(turn, later, base_hours=6)
    assert (turn.kind, turn.state, turn.next_visit) == ("update", "waiting", later)
    turn = next_turn(
        replace(turn, facts={"outcome": "crawled", "published": [new, edited]}),
        later + timedelta(minutes=2),
        base_hours=6,
    )
    assert turn.kind == "poll"
    assert Habit.from_json(turn.habit or {}).posts == pytest.approx(
        known.posts * 0.5 ** (1 / 45) + 1, abs=1e-3
    )


def test_missing_posts_trigger_an_early_crawl() -> None:
    """A week until the next poll, and "304" then, would lose them for good."""
    seen = {
        "outcome": "crawled",
        "published": [],
        "window": 10,
        "archived": 24,
        "missing": 6,
        "missed_times": 1,
    }
    turn = next_turn(
        VisitRow(
            blog_id="b", url="http://b.example/", host="b.example", state="visited", facts=seen
        ),
        NOW,
        base_hours=6,
    )
    assert (turn.kind, turn.state, turn.archived, turn.missing) == ("update", "waiting", 24, 6)
    assert turn.next_visit == turn.missing_due == NOW + timedelta(minutes=15)

    later = NOW + timedelta(minutes=20)
    still = next_turn(replace(turn, facts=seen | {"missed_times": 2}), later, base_hours=6)
    assert still.kind == "update" and still.next_visit == later + timedelta(minutes=30), (
        "the wait doubles"
    )

    healed = next_turn(
        replace(turn, facts=seen | {"archived": 30, "missing": 0}), later, base_hours=6
    )
    assert (healed.kind, healed.archived, healed.missing, healed.missing_due) == (
        "poll",
        30,
        0,
        None,
    )


def test_unread_sitemap_triggers_an_early_crawl() -> None:
    seen = {
        "outcome": "crawled",
        "published": [],
        "window": 10,
        "archived": 24,
        "missing": 0,
        "unread": 1,
        "missed_times": 2,
    }
    turn = next_turn(
        VisitRow(
            blog_id="b", url="http://b.example/", host="b.example", state="visited", facts=seen
        ),
        NOW,
        base_hours=6,
    )
    assert (turn.kind, turn.missing) == (
        "update",
        0,
    ) and turn.next_visit == turn.missing_due == NOW + timedelta(minutes=30)
    healed = next_turn(replace(turn, facts=seen | {"unread": 0}), NOW, base_hours=6)
    assert (healed.kind, healed.missing_due) == ("poll", None)


def test_unchanged_poll_does_not_hide_missing_posts() -> None:
    due = NOW + timedelta(hours=40)
    turn = VisitRow(
        blog_id="b",
        url="http://b.example/",
        host="b.example",
        kind="poll",
        archived=24,
        missing=6,
        missing_due=due,
    )
    polled = next_turn(replace(turn, facts={"outcome": "unchanged"}), NOW, base_hours=600)
    assert (polled.kind, polled.next_visit, polled.missing) == ("update", due, 6)
    soon = next_turn(replace(turn, facts={"outcome": "unchanged"}), NOW, base_hours=0.1)
    assert (
        soon.kind == "poll"
        and soon.next_visit is not None
        and soon.next_visit < due
        and soon.missing_due == due
    )


def test_posts_missed_a_dozen_times_wait_for_regular_visits() -> None:
    seen = {"outcome": "crawled", "published": [], "archived": 24, "missing": 6, "missed_times": 12}
    turn = next_turn(
        VisitRow(blog_id="b", url="http://b.example/", host="b.example", facts=seen),
        NOW,
        base_hours=6,
    )
    assert (turn.kind, turn.missing, turn.missing_due) == ("poll", 6, None)
