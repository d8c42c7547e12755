"""Request subscriptions from hubs. Hub URLs come from feeds and are guarded like URLs of pages."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlsplit

import httpx

from blogcrawl.cluster import websub
from blogcrawl.core.netguard import Guard
from blogcrawl.storage.subscriptions import Subscriptions
from blogcrawl.storage.tables import Subscription, VisitRow

log = logging.getLogger(__name__)
AT_ONCE = 20
PATIENCE_SECONDS = 10.0


def _wanted(visit: VisitRow, now: datetime) -> Subscription | None:
    """Return the subscription that the blog's feed suggests."""
    feed = (visit.facts or {}).get("feed") or visit.feed
    row = VisitRow(blog_id=visit.blog_id, url=visit.url, host=visit.host, feed=feed)
    return websub.wanted(row, secrets.token_urlsafe(24), secrets.token_hex(32), now)


class Subscriber:
    """``public_url``: where hubs reach the controller's endpoint, without the token."""

    def __init__(
        self, rows: Subscriptions, public_url: str, *, allow_private: bool = False
    ) -> None:
        self.rows, self.public_url = rows, public_url.rstrip("/")
        self.guard = Guard((), allow_private=allow_private)

    def callback(self, subscription: Subscription) -> str:
        return f"{self.public_url}/{subscription.token}"

    def take(self, visits: Sequence[VisitRow], now: datetime) -> dict[str, Subscription]:
        """Create subscriptions for blogs whose feed names a new hub."""
        known = self.rows.of_blogs(
            [v.blog_id for v in visits if (v.facts or {}).get("feed") or (v.feed or {}).get("hub")]
        )
        for visit in visits:
            fresh, old = _wanted(visit, now), known.get(visit.blog_id)
            if fresh is None:
                continue
            if old is None or (old.hub, old.topic) != (fresh.hub, fresh.topic):
                self.rows.save(fresh)
                known[visit.blog_id] = fresh
        return known

    async def ask_due(self, now: datetime) -> int:
        """Send due subscription requests and return how many were accepted."""
        due = self.rows.due(now, AT_ONCE)
        after = await asyncio.gather(*(self._ask(row, now) for row in due))
        for row in after:
            # Read again: the hub may have verified while its answer was on the way.
            current = self.rows.by_token(row.token)
            if current is not None and current.due is not None and current.due <= now:
                self.rows.save(row)
        return sum(row.reason is None for row in after)

    async def _ask(self, row: Subscription, now: datetime) -> Subscription:
        try:
            status = await self._post(row)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            return websub.refused(row, str(error) or type(error).__name__, now)
        if 200 <= status < 300:
            return websub.asked(row, now)
        return websub.refused(row, f"the hub answers {status}", now)

    async def _post(self, row: Subscription) -> int:
        """Post a form to the checked address, so a second look-up cannot lead elsewhere."""
        reason = self.guard.refuse_url(row.hub)
        parts = urlsplit(row.hub)
        host = parts.hostname or ""
        if reason:
            raise ValueError(reason)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        address = str(found[0][4][0])
        reason = self.guard.refuse_address(host, address)
        if reason:
            raise ValueError(reason)
        place = f"[{address}]" if ":" in address else address
        url = httpx.URL(row.hub).copy_with(host=place, port=port)
        async with httpx.AsyncClient(
            timeout=PATIENCE_SECONDS, trust_env=False, follow_redirects=False
        ) as client:
            headers = {"Host": parts.netloc.rpartition("@")[2]}
            form = websub.subscribe_form(row, self.callback(row))
            request = client.build_request(
                "POST", url, data=form, headers=headers, extensions={"sni_hostname": host}
            )
            answer = await client.send(request, stream=True)
            await answer.aclose()
            return answer.status_code
