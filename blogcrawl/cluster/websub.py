"""WebSub (W3C Recommendation, 23 January 2018), subscriber: pure.

A feed that names a hub is subscribed to; the hub verifies the intent and then sends a request with
each new post. A push is a hint only: the blog becomes due, and its feed is requested as usual. So a
forged push costs one conditional request at most, and content comes from the blog alone.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from blogcrawl.storage.tables import Subscription, VisitRow

LEASE = timedelta(days=10)
"""What we ask for: the value that section 5.1 recommends hubs to default to."""
SHORTEST_LEASE, LONGEST_LEASE = timedelta(minutes=5), timedelta(days=90)
"""Limits of the lease that a hub grants: neither every second nor never again."""
RENEW_AT = 0.8
"""Share of a lease after which the subscriber renews it (WebSub, section 5.1)."""
ANSWER_WITHIN = timedelta(hours=1)
"""A hub may verify later; after so long without an answer we ask again."""
FAILURES_TO_STOP = 8
RETRY = timedelta(hours=1)
_DIGESTS = {
    "sha1": hashlib.sha1,
    "sha256": hashlib.sha256,
    "sha384": hashlib.sha384,
    "sha512": hashlib.sha512,
}
"""Section 8; sha1 is the weakest that hubs may still use."""


def wanted(visit: VisitRow, token: str, secret: str, now: datetime) -> Subscription | None:
    """Return the subscription for a blog's feed, or None.

    The topic is the feed's ``self`` link, else its URL.
    """
    feed = visit.feed or {}
    hub, topic = str(feed.get("hub") or ""), str(feed.get("self") or feed.get("url") or "")
    if not _is_web(hub) or not _is_web(topic):
        return None
    return Subscription(
        blog_id=visit.blog_id,
        token=token,
        topic=topic,
        hub=hub,
        secret=secret,
        state="asked",
        due=now,
    )


def subscribe_form(subscription: Subscription, callback: str) -> dict[str, str]:
    """Return the form of a subscription request (section 5.1); secrets only over HTTPS."""
    form = {
        "hub.callback": callback,
        "hub.mode": "subscribe",
        "hub.topic": subscription.topic,
        "hub.lease_seconds": str(int(LEASE.total_seconds())),
    }
    if uses_secret(subscription):
        form["hub.secret"] = subscription.secret
    return form


def uses_secret(subscription: Subscription) -> bool:
    return subscription.hub.lower().startswith("https://")


def asked(subscription: Subscription, now: datetime) -> Subscription:
    """Record an accepted request (202); verification follows. A running lease continues."""
    return replace(
        subscription, due=now + ANSWER_WITHIN, failures=subscription.failures + 1, reason=None
    )


def refused(subscription: Subscription, reason: str, now: datetime) -> Subscription:
    """Record a failed or rejected request: retry later, at most ``FAILURES_TO_STOP`` times."""
    failures = subscription.failures + 1
    due = now + RETRY * 2 ** min(failures, 8) if failures < FAILURES_TO_STOP else None
    return replace(subscription, due=due, failures=failures, reason=reason[:300])


def _granted_lease(seconds: str) -> timedelta:
    if not seconds.isascii() or not seconds.isdigit() or len(seconds) >= 10:
        return LEASE
    return min(max(timedelta(seconds=int(seconds)), SHORTEST_LEASE), LONGEST_LEASE)


def verification(
    subscription: Subscription | None, query: Mapping[str, str], now: datetime
) -> tuple[str | None, Subscription | None]:
    """Return the challenge to echo (None: respond 404) and the changed subscription (section 5.3).

    Only requested modes and byte-identical topics are confirmed; ``denied`` ends the requests. The
    subscription is None if unchanged.
    """
    mode = query.get("hub.mode")
    if subscription is None or query.get("hub.topic") != subscription.topic:
        return None, None
    if mode == "denied":
        return "", replace(
            subscription,
            state="denied",
            due=None,
            expires=None,
            reason=(query.get("hub.reason") or "denied")[:300],
        )
    challenge = query.get("hub.challenge", "")
    if mode != "subscribe" or not challenge or subscription.state == "denied":
        return None, None
    lease = _granted_lease(query.get("hub.lease_seconds", ""))
    active = replace(
        subscription,
        state="active",
        due=now + lease * RENEW_AT,
        expires=now + lease,
        failures=0,
        reason=None,
    )
    return challenge, active


def genuine(subscription: Subscription, signature: str | None, body: bytes) -> bool:
    """Return whether ``X-Hub-Signature`` matches the body (section 8), in constant time.

    Without a secret there is nothing to check.
    """
    if not uses_secret(subscription):
        return True
    method, _, given = (signature or "").strip().partition("=")
    digest = _DIGESTS.get(method.lower())
    if digest is None or not re.fullmatch(r"[0-9a-fA-F]{40,128}", given):
        return False
    return hmac.compare_digest(
        hmac.new(subscription.secret.encode(), body, digest).hexdigest(), given.lower()
    )


def delivers(subscription: Subscription, now: datetime) -> bool:
    """Return whether polls of this blog may fall to the safety interval."""
    return (
        subscription.state == "active"
        and subscription.expires is not None
        and subscription.expires > now
    )


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
