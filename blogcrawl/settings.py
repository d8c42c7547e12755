"""Scrapy settings of blogcrawl. Every one can be overridden with ``-s``; those of our own are
fields of ``config.Config``.
"""

from pathlib import Path
from typing import Any

if not Path(__file__).exists():  # in a zipped egg on a Scrapyd node, which may lack packages
    from blogcrawl.core.requirements import check_node

    check_node(Path(__file__).parents[1])

BOT_NAME = "blogcrawl"
SPIDER_MODULES = [
    f"blogcrawl.crawling.spiders.{name}"
    for name in ("newcrawl", "updatecrawl", "updateblogs", "pollfeeds")
]
NEWSPIDER_MODULE = "blogcrawl.crawling.spiders"

# The five stages. Each is one line: take it out and the crawl works without it (package is what
# writes).
ITEM_PIPELINES = {
    "blogcrawl.crawling.pipelines.render.RenderStage": 100,
    "blogcrawl.crawling.pipelines.extract.ExtractStage": 200,
    "blogcrawl.crawling.pipelines.comments.CommentsStage": 300,
    "blogcrawl.crawling.pipelines.media.MediaStage": 400,
    "blogcrawl.crawling.pipelines.package.PackageStage": 500,
}
ITEM_PROCESSOR = "blogcrawl.crawling.pipelines.stages.StagesAtFirstItem"
SCHEDULER = "blogcrawl.crawling.scheduler.FrontierScheduler"

# Scrapy's own lists are replaced, not amended: it imports even what is switched off in them (the
# remote control aiohttp, the cookies tldextract and requests), and some of it runs code that
# somebody sends.
DOWNLOADER_MIDDLEWARES_BASE = {
    "blogcrawl.crawling.middlewares.guard.StorageMiddleware": 50,
    "blogcrawl.crawling.middlewares.guard.GuardMiddleware": 60,
    "blogcrawl.crawling.middlewares.guard.RobotsMiddleware": 100,
    "blogcrawl.crawling.middlewares.routes.RouteMiddleware": 110,
    "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": 300,
    "scrapy.downloadermiddlewares.downloadtimeout.DownloadTimeoutMiddleware": 350,
    "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": 400,
    "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": 500,
    "blogcrawl.crawling.middlewares.retry.PatientRetryMiddleware": 550,
    "blogcrawl.crawling.middlewares.retry.RetryAfterMiddleware": 560,
    "blogcrawl.crawling.middlewares.guard.TolerantRefreshMiddleware": 580,
    "blogcrawl.crawling.middlewares.retry.LenientCompressionMiddleware": 590,
    "blogcrawl.crawling.middlewares.guard.CountedRedirectMiddleware": 600,
    "blogcrawl.crawling.middlewares.usual_moves.UsualMovesMiddleware": 610,
    "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": 750,
    "scrapy.downloadermiddlewares.stats.DownloaderStats": 850,
}
EXTENSIONS_BASE = {
    "scrapy.extensions.corestats.CoreStats": 0,
    "scrapy.extensions.logcount.LogCount": 0,
    "scrapy.extensions.closespider.CloseSpider": 0,
    "scrapy.extensions.throttle.AutoThrottle": 0,
    "blogcrawl.crawling.extensions.webhook.JsonLogs": 5,
    "blogcrawl.crawling.extensions.progress.Progress": 10,
    "blogcrawl.crawling.extensions.cluster_job.ClusterJob": 20,
    "blogcrawl.crawling.extensions.webhook.Webhook": 30,
}
TWISTED_DNS_RESOLVER = "blogcrawl.crawling.resolver.GuardedResolver"
DOWNLOAD_HANDLERS: dict[str, Any] = {
    **dict.fromkeys(("http", "https"), "blogcrawl.crawling.handlers.download.LazyBrowserHandler"),
    **dict.fromkeys(("file", "data", "s3", "ftp")),
}

# Politeness. DOWNLOAD_DELAY, CONCURRENT_REQUESTS_PER_DOMAIN, USER_AGENT and DOWNLOAD_MAXSIZE follow
# BLOGCRAWL_* (spiders/base.py).
ROBOTSTXT_OBEY = True
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0
DOWNLOAD_DELAY = 1.0
DOWNLOAD_TIMEOUT = 60
CONCURRENT_REQUESTS = 16
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
}

# A blog that fails half of the time is still read: one page in 64 fails six times in a row, and
# gets a second round.
RETRY_TIMES = 5
RETRY_HTTP_CODES = [500, 502, 503, 504, 522, 524, 408, 429]
RETRY_GIVE_UP_LOG_LEVEL = "INFO"
REDIRECT_MAX_TIMES = 10
METAREFRESH_MAXDELAY = 5
HTTPERROR_ALLOW_ALL = True
REFERRER_POLICY = "same-origin"

# Certificates are not verified: a blog with an expired one is exactly the blog that must be
# archived, and nothing secret is sent. The choice is written into each crawl's record.
DOWNLOAD_VERIFY_CERTIFICATES = False
DOWNLOAD_FAIL_ON_DATALOSS = True
DOWNLOAD_WARNSIZE = 0

# Memory: pages and items in flight are bounded, so it does not grow with the blog.
CONCURRENT_ITEMS = 8
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 2_000_000
DEPTH_STATS_VERBOSE = False

LOG_LEVEL = "INFO"
STATS_DUMP = False
LOG_FORMATTER = "blogcrawl.crawling.extensions.progress.QuietLogFormatter"
