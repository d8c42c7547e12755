"""The configuration: read once per crawl from Scrapy's settings, then passed on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_type_hints

from blogcrawl.core.credentials import has_login, secret, without_password
from blogcrawl.core.errors import UsageError
from blogcrawl.core.netguard import Guard, parse_ports
from blogcrawl.core.organization import SETTINGS, Organization, checked_identifier

PREFIX = "BLOGCRAWL_"
RenderMode = Literal["auto", "always", "never"]


NO_BROWSER = "none"
"""Value of ``browser_path`` where there is none: nothing is rendered."""
SECRETS = ("state_url", "webhook", "credentials_file")
"""Settings that hold or lead to secrets: never the argument of a job; each node reads them from its
own environment, or from the file that ``<NAME>_FILE`` names there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings of blogcrawl; field ``max_posts`` is Scrapy setting ``BLOGCRAWL_MAX_POSTS``.

    Names include units. 0 means "no limit" for every ``max_*``. See ``docs/settings.md``.
    """

    archive: str = "./archive"
    """The archive folder (or fsspec URL of the package store's parent)."""
    state_url: str = ""
    """SQLAlchemy URL; empty: SQLite ``state.db`` inside the archive folder."""
    store_url: str = ""
    """fsspec URL or path of the OCFL storage root; empty: ``packages`` in the archive."""
    credentials_file: str = ""
    """netrc file with the logins of blogs and repositories, by origin."""
    contact: str = ""
    """URL or mail address of the operator, sent in the User-Agent and written into warcinfo."""
    organization: str = ""
    """Name of the organization that runs the archive."""
    organization_id: str = ""
    """Its identifier: ROR, ISIL or another URI."""
    organization_address: str = ""
    """Its postal address."""
    organization_rights: str = ""
    """Its statement on the use of what it archives."""
    delay_seconds: float = 1.0
    render: RenderMode = "auto"
    browser_path: str = ""
    """Chromium to use; empty: the first found on the PATH, then playwright's own download."""
    render_tabs: int = 2
    """Pages rendered concurrently."""
    render_seconds: float = 45.0
    """Time limit of one rendering, including clicks on "more comments"."""
    max_posts: int = 0
    max_pages: int = 50_000
    max_bytes: int = 0
    max_seconds: int = 0
    max_page_bytes: int = 32 * 2**20
    max_media_bytes: int = 64 * 2**20
    max_page_cpu_seconds: float = 2.0
    """CPU time that one page of up to a quarter of a megabyte may cost, a larger one in proportion:
    three quarters for reading it, the rest for queuing its links and writing its package. A page
    that takes longer is archived as evidence and reported as too costly.
    """
    max_page_memory_bytes: int = 64 * 2**20
    """Memory that reading one page of up to a megabyte, or a larger one in proportion, may take
    beyond what the crawl has already.
    """
    max_requests_per_host: int = 4
    retry_pause_seconds: float = 15.0
    """Pause before failed requests are repeated, independent of the delay between requests."""
    storage_wait_seconds: float = 600.0
    """How long a crawl waits for an unavailable database, store or disk; 0: not at all."""
    max_retry_after_seconds: float = 120.0
    """Maximum wait for a site's Retry-After; waits of days would stop a crawl for good."""
    learn_entries: int = 15
    """Number of feed entries whose pages are used to learn the rules."""
    methods: str = ""
    """Extraction methods after the learned rules, in order, separated by blanks; empty: all."""
    allow_private: bool = False
    """Reach private and loopback addresses other than the start URL's host."""
    allow_ports: str = ""
    """Additional ports that pages may reach on the start URL's host, or "any"."""
    follow_nofollow: bool = True
    include: str = ""
    exclude: str = ""
    discovery: bool = True
    """Use feed paging, sitemaps and platform APIs; off: links only."""
    media: bool = True
    warc: bool = True
    search: bool = True
    """Fill the search index while crawling."""
    full: bool = False
    """Crawl a known blog from scratch."""
    metadata_profile: Literal["blogforever", "marc21"] = "blogforever"
    blog_id: str = ""
    """Cluster: id of the job's blog; empty: derived from the URL."""
    job_id: str = ""
    node: str = ""
    """Cluster: address of the Scrapyd server that runs the job."""
    lease_token: int = 0
    lease_seconds: float = 120.0
    """A job that does not renew its lease for this time is lost; jobs renew it six times in it."""
    log_format: Literal["text", "json"] = "text"
    """Log format of jobs: text, or one JSON object per line with the ids of job and blog."""
    webhook: str = ""
    """URL to which each finished crawl is posted as JSON. Only the operator can set it."""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Config:
        """Read ``BLOGCRAWL_*`` from any mapping (also Scrapy's Settings), converting strings.

        Secrets (``SECRETS``) come from the environment or a file if the mapping lacks them or their
        password. Raises UsageError for invalid values.
        """
        hints = get_type_hints(cls)
        values: dict[str, Any] = {}
        for spec in fields(cls):
            raw = settings.get(PREFIX + spec.name.upper())
            if spec.name in SECRETS:
                raw = _with_secret(PREFIX + spec.name.upper(), raw)
            if raw is None:
                continue
            values[spec.name] = _convert(spec.name, raw, hints[spec.name])
        if has_login(values.get("store_url", "")):
            raise UsageError(
                "BLOGCRAWL_STORE_URL holds a login",
                advice="give keys in AWS_… variables or AWS_SHARED_CREDENTIALS_FILE",
            )
        config = cls(**values)
        checked_identifier(config.organization_id)
        try:
            parse_ports(config.allow_ports)
        except ValueError:
            raise UsageError(
                f"{PREFIX}ALLOW_PORTS is {config.allow_ports!r}; it takes port numbers, or any"
            ) from None
        return config

    def guard(self, operator_urls: Iterable[str]) -> Guard:
        """Return the guard for a crawl of these URLs given by the operator."""
        return Guard(
            operator_urls, allow_private=self.allow_private, ports=parse_ports(self.allow_ports)
        )

    @property
    def operator(self) -> Organization:
        """Return the organization that runs the archive, as far as it is set."""
        return Organization(**{field: getattr(self, name) for name, field in SETTINGS.items()})

    @property
    def archive_path(self) -> Path:
        return Path(self.archive)


_BOOLEANS = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off", "none", ""), False),
}


def _with_secret(name: str, given: Any) -> Any:
    """Return the setting, or the environment's if it is missing or lacks its password."""
    own = secret(name) if given is None or without_password(str(given)) == str(given) else ""
    return own if own and (given is None or without_password(own) == str(given)) else given


def _convert(name: str, raw: Any, hint: Any) -> Any:
    choices = getattr(hint, "__args__", None)
    if choices:
        if raw not in choices:
            raise UsageError(
                f"{PREFIX}{name.upper()} is {raw!r}; it takes one of {', '.join(map(str, choices))}"
            )
        return raw
    try:
        if hint is bool:
            return raw if isinstance(raw, bool) else _BOOLEANS[str(raw).strip().lower()]
        value = hint(raw)
        if hint in (int, float) and not 0 <= value < math.inf:
            raise UsageError(f"{PREFIX}{name.upper()} is {raw!r}; it takes 0 or more")
        return value
    except (TypeError, ValueError, KeyError):
        raise UsageError(
            f"{PREFIX}{name.upper()} is {raw!r}; it takes a value of type {hint.__name__}"
        ) from None
