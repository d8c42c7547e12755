"""Scrapy settings of blogcrawl. Every one can be overridden with ``-s``; those of our own are
fields of ``config.Config``.
"""

from typing import Any

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
SCHEDULER = "blogcrawl.crawling.scheduler.FrontierScheduler"

DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "blogcrawl.crawling.middlewares.guard.StorageMiddleware": 50,
    "blogcrawl.crawling.middlewares.guard.GuardMiddleware": 60,
    "blogcrawl.crawling.middlewares.guard.RobotsMiddleware": 100,
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "blogcrawl.crawling.middlewares.retry.PatientRetryMiddleware": 550,
    "blogcrawl.crawling.middlewares.retry.RetryAfterMiddleware": 560,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "blogcrawl.crawling.middlewares.guard.TolerantRefreshMiddleware": 580,
    "blogcrawl.crawling.middlewares.retry.LenientCompressionMiddleware": 590,
    "blogcrawl.crawling.middlewares.guard.CountedRedirectMiddleware": 600,
}
EXTENSIONS = {
    "scrapy.extensions.telnet.TelnetConsole": None,
    "scrapy.extensions.remote_control.RemoteControl": None,
    "blogcrawl.crawling.extensions.progress.Progress": 10,
    "blogcrawl.crawling.extensions.cluster_job.ClusterJob": 20,
    "blogcrawl.crawling.extensions.webhook.JsonLogs": 5,
    "blogcrawl.crawling.extensions.webhook.Webhook": 30,
}
TWISTED_DNS_RESOLVER = "blogcrawl.crawling.resolver.GuardedResolver"
DOWNLOAD_HANDLERS: dict[str, Any] = {
    **dict.fromkeys(("http", "https"), "blogcrawl.crawling.handlers.browser.LazyBrowserHandler"),
    **dict.fromkeys(("file", "data", "s3", "ftp")),
}

# Both run code that somebody sends: off.
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

# Politeness. DOWNLOAD_DELAY, CONCURRENT_REQUESTS_PER_DOMAIN, USER_AGENT and DOWNLOAD_MAXSIZE follow
# BLOGCRAWL_* (spiders/base.py).
ROBOTSTXT_OBEY = True
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0
DOWNLOAD_DELAY = 1.0
DOWNLOAD_TIMEOUT = 60
CONCURRENT_REQUESTS = 16
COOKIES_ENABLED = False
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
MEMUSAGE_ENABLED = False

LOG_LEVEL = "INFO"
LOGSTATS_INTERVAL = 0
STATS_DUMP = False
LOG_FORMATTER = "blogcrawl.crawling.extensions.progress.QuietLogFormatter"
FEED_EXPORT_ENCODING = "utf-8"
