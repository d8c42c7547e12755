"""Download handlers."""

from typing import Any
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler

BROWSERS: WeakKeyDictionary[Crawler, Any] = WeakKeyDictionary()
"""scrapy-playwright's handlers of the crawls that have started one."""
