"""Comment systems that are gone (the blog's account closed, the service shut down) are recognised
by one plain request, not by a browser.
"""

from __future__ import annotations

import asyncio

from blogcrawl.core.errors import BlogcrawlError, RobotsError
from blogcrawl.core.page import Page
from blogcrawl.crawling.session import Session
from blogcrawl.rendering.need import RECHECK_AFTER, Need
from blogcrawl.rendering.systems import script_of

GONE = frozenset((404, 410))
PATIENCE = 30.0
"""Seconds for a script to come; a slow one is no dead one."""


class Scripts:
    """Whether the scripts that draw comments answer; each is requested once, and again after every
    40th page that has it.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._asked: dict[str, tuple[asyncio.Task[bool], int]] = {}

    async def gone(self, page: Page, need: Need) -> frozenset[str]:
        """Return those of the need's reasons that are comment systems whose script can't be had."""
        carried = [(f"comments:{c.system.name}", c) for c in need.systems]
        return frozenset(
            [
                name
                for name, c in carried
                if name in need.reasons and await self._is_gone(script_of(c, page))
            ]
        )

    async def _is_gone(self, url: str | None) -> bool:
        if url is None:
            return False
        key = url.partition("?")[0]
        task, uses = self._asked.get(key, (None, 0))
        if task is None or uses >= RECHECK_AFTER:
            task, uses = asyncio.ensure_future(self._ask(url)), 0
        self._asked[key] = (task, uses + 1)
        return await asyncio.shield(task)

    async def _ask(self, url: str) -> bool:
        try:
            answer = await asyncio.wait_for(self._session.fetch(url, kind="script"), PATIENCE)
        except (RobotsError, TimeoutError):
            return False
        except BlogcrawlError:
            return True  # what a plain request can't reach, the browser's can't either
        return answer.status in GONE
