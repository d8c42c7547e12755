from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.comments.late import LAST, STEPS, check_again, next_comment_check

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


def hours(at: datetime | None) -> float | None:
    return None if at is None else (at - NOW).total_seconds() / 3600


def test_check_intervals_grow() -> None:
    for age, due in (
        (0, 1),
        (0.5, 1),
        (1, 6),
        (5, 6),
        (6, 24),
        (25, 72),
        (73, 168),
        (200, 720),
        (721, 1440),
    ):
        at = next_comment_check(NOW - timedelta(hours=age), None, NOW)
        assert hours(at) == due - age


def test_new_comment_restarts_the_schedule() -> None:
    assert hours(next_comment_check(NOW - timedelta(days=300), NOW - timedelta(hours=2), NOW)) == 4


def test_old_posts_are_not_checked_but_undated_ones_are() -> None:
    assert next_comment_check(NOW - timedelta(days=400), None, NOW) is None
    assert hours(next_comment_check(None, None, NOW)) == 720
    assert next_comment_check(NOW + timedelta(days=2), None, NOW) == NOW + timedelta(
        days=2, hours=1
    )


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=500)))
def test_next_check_is_always_in_the_future(age: timedelta) -> None:
    at = next_comment_check(NOW - age, None, NOW)
    assert at is None or NOW < at <= NOW - age + LAST


def test_discussion_on_an_old_post_is_checked_until_it_ends() -> None:
    old, look, waits = NOW - timedelta(days=900), NOW, []
    due = next_comment_check(old, look, look)  # somebody wrote just now
    while due is not None:
        waits.append((due - look) / timedelta(hours=1))
        look, due = due, check_again(old, look, due)
    assert waits == [1, 4, 16, 64, 256]


def test_recent_post_keeps_its_schedule() -> None:
    post, look, steps = NOW, NOW, []
    due = next_comment_check(post, None, look)
    while due is not None:
        steps.append(due - post)
        look, due = due, check_again(post, look, due)
    assert set(STEPS[:4]) <= set(steps) and steps[-1] <= LAST and len(steps) <= 24
    assert check_again(None, None, NOW) == NOW + STEPS[-1]
