"""The five stages as Scrapy's item processor."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy.crawler import Crawler
from scrapy.pipelines import ItemPipelineManager


class StagesAtFirstItem:
    """``ITEM_PIPELINES``, made when the first item comes: extraction, comments and packaging are
    most of what the program imports, and a crawl that finds no blog needs none of it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._opening = asyncio.Lock()
        self._stages: ItemPipelineManager | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StagesAtFirstItem:
        return cls(crawler)

    async def open_spider_async(self) -> None:
        """Do nothing yet: see ``process_item_async``."""

    async def process_item_async(self, item: Any) -> Any:
        async with self._opening:
            if self._stages is None:
                stages = ItemPipelineManager.from_crawler(self._crawler)
                await stages.open_spider_async()
                self._stages = stages
        return await self._stages.process_item_async(item)

    async def close_spider_async(self) -> None:
        if self._stages is not None:
            await self._stages.close_spider_async()
