"""When to look for late comments again. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

STEPS = tuple(timedelta(hours=h) for h in (1, 6, 24, 72, 168, 720))
"""1 h, 6 h, 1, 3, 7 and 30 days: discussions die away about exponentially, and most are over within
a month.
"""
LAST = timedelta(days=365)
"""After a year without a new comment no one looks any more, unless feed or page show another
number.
"""


SPREAD = 4
"""How much longer each wait is than the one before, where the last change is not known; about what
``STEPS`` grow by.
"""


def check_again(
    published: datetime | None, last_look: datetime | None, now: datetime
) -> datetime | None:
    """Return the next time after a look that found the post as it was ``last_look`` ago.

    By the post's age, but sooner where the last wait was short: an old post whose discussion was
    under way is not left alone at once. Waits grow until they are longer than the last of
    ``STEPS``; all times aware.
    """
    due = next_comment_check(published, None, now)
    wait = max(STEPS[0], SPREAD * (now - last_look)) if last_look is not None else STEPS[-1]
    return now + wait if wait < STEPS[-1] and (due is None or now + wait < due) else due


def next_comment_check(
    published: datetime | None, last_change: datetime | None, now: datetime
) -> datetime | None:
    """Return the next time at which a post's comments are worth a look; None: no more by schedule.

    Counted from the last change (a new comment) or, where there was none, from the post's date: the
    next of ``STEPS`` after the age reached so far; after the last step every 30 days for a year.
    All times aware. A post without a date is looked at 30 days from ``now``; one dated in the
    future an hour after its date.
    """
    start = max((t for t in (published, last_change) if t is not None), default=None)
    if start is None:
        return now + STEPS[-1]
    age = now - start
    if age > LAST:
        return None
    for step in STEPS:
        if age < step:
            return start + step
    steps = age // STEPS[-1] + 1
    due = start + steps * STEPS[-1]
    return due if due - start <= LAST else None
