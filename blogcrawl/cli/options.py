"""Options shared by several commands, and the configuration made from them and the environment."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from blogcrawl.cli.output import Output, suggestion
from blogcrawl.cli.settings_file import given_settings, setting_names
from blogcrawl.core.config import PREFIX, Config
from blogcrawl.core.credentials import (
    encode_advice,
    hidden,
    redact,
    without_password,
)
from blogcrawl.core.errors import UsageError
from blogcrawl.core.organization import missing_settings

_Function = TypeVar("_Function", bound=Callable[..., Any])

archive_option = click.option(
    "-a",
    "--archive",
    metavar="DIR",
    default=None,
    help=f"The archive folder (default: ./archive, or {PREFIX}ARCHIVE).",
)
blogs_option = click.option(
    "--blog",
    "names",
    multiple=True,
    metavar="BLOG",
    help="Only this blog (address, id or part of the title); may be repeated.",
)
settings_option = click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any other setting (docs/settings.md).",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Give the result as JSON on standard output."
)


def _name_and_value(pair: str, known: Collection[str]) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    key = name.strip().lower().removeprefix(PREFIX.lower())
    if not equals or key not in known:
        raise UsageError(
            f"--set takes NAME=VALUE with one of {', '.join(sorted(known))}; "
            f"{redact(pair)!r} does not fit",
            advice=suggestion(key, known),
        )
    if key == "webhook" or (key == "state_url" and without_password(value) != value):
        variable = PREFIX + key.upper()
        raise UsageError(
            f"{key} is a secret, and other users can list the arguments of a command",
            advice=f"set {variable}, or {variable}_FILE to the name of a file with it",
        )
    return key, value


def config_from(*pairs: str, **given: Any) -> Config:
    """Build the configuration from defaults, files, environment, ``NAME=VALUE`` pairs and options.

    The later source wins; options that are None were not given. Raises UsageError for unknown names
    and invalid values.
    """
    known = setting_names()
    chosen = dict(_name_and_value(pair, known) for pair in pairs)
    settings: dict[str, Any] = dict(given_settings(given.get("archive") or chosen.get("archive")))
    settings |= {PREFIX + key.upper(): value for key, value in chosen.items()}
    config = Config.from_settings(settings)
    config = replace(config, **{k: value for k, value in given.items() if value is not None})
    if not 0 <= config.delay_seconds < math.inf:
        raise UsageError("--delay takes 0 or more seconds")
    return config


def archive_options(function: _Function) -> _Function:
    """Add the options of every command that opens an archive: where it is, and all settings."""
    return archive_option(settings_option(function))


def reading_config(archive: str | None, pairs: Collection[str] = ()) -> Config:
    """Return the configuration of a command that works on an archive which is there.

    Raises ArchiveError if there is no archive: reading must not create one.
    """
    from blogcrawl.storage.archive import open_archive

    config = config_from(*pairs, archive=archive)
    if not config.state_url:
        open_archive(config, now=datetime.now(UTC), create=False, reading=True)
    return config


@contextmanager
def opened(config: Config, *, reading: bool = True) -> Iterator[tuple[Any, Any]]:
    """Open state and store of an archive; ``reading``: nothing is written there."""
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state

    with closing(open_state(config, reading=reading)) as state:
        yield state, open_store(config, reading=reading)


def note_organization(out: Output, config: Config) -> None:
    """Name the settings of the organization that packages will lack, in one line."""
    missing = [PREFIX + name.upper() for name in missing_settings(config.operator)]
    if missing:
        out.note(
            f"blogcrawl: packages will not say who keeps them: {', '.join(missing)} not set "
            f"(in blogcrawl.toml, the environment or with --set, see docs/settings.md)"
        )


def http_url(text: str) -> str:
    """Parse ``text`` as an http(s) URL; a bare host gets ``https://``. Raises UsageError."""
    url = text.strip()
    if not url or re.search(r"[\s\x00-\x1f]", url):
        raise UsageError(
            f"{hidden(text)!r} is not a URL", advice="give a URL such as https://blog.example.org"
        )
    if "://" not in url and re.match(r"^[\w.-]+\.[a-z]{2,}(:\d+)?(/|$)", url, re.IGNORECASE):
        url = "https://" + url
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        why = "" if "@" in text else f": {error}"
        raise UsageError(
            f"{hidden(text)!r} is not a URL{why}", advice=encode_advice(text)
        ) from None
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise UsageError(
            f"{hidden(text)!r} is not an http or https URL",
            advice="only blogs on the web can be crawled",
        )
    return url


class HttpUrl(click.ParamType[str]):
    """An http(s) URL."""

    name = "url"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return http_url(value)


class BlogOrList(HttpUrl):
    """An http(s) URL, the name of a list of blogs, or ``-`` for standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        is_list = value == "-" or ("://" not in value and os.path.isfile(value))
        if not is_list and re.search(r"(?i)^[^:]*\.(?:opml|csv|tsv|txt|xml)$", value):
            raise UsageError(f"there is no file {value}")
        return str(value) if is_list else http_url(value)


class Moment(click.ParamType[datetime]):
    """An ISO date or time, or a Unix time; UTC unless a zone is given."""

    name = "date"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        if isinstance(value, datetime):
            return value
        from blogcrawl.crawling.arguments import parse_since

        try:
            moment = parse_since(value)
        except UsageError as error:
            self.fail(error.message, param, ctx)
        return moment or self.fail("an empty date", param, ctx)


def crawl_options(function: _Function) -> _Function:
    """Add the options common to ``crawl`` and ``update``."""
    options = [
        archive_option,
        click.option(
            "--since",
            type=Moment(),
            help="Only posts published or changed since then (ISO date or Unix time).",
        ),
        click.option(
            "--max-posts",
            type=click.IntRange(min=0),
            metavar="N",
            help="Stop after N posts (0: no limit).",
        ),
        click.option(
            "--max-pages",
            type=click.IntRange(min=0),
            metavar="N",
            help="Stop after N pages (0: no limit).",
        ),
        click.option(
            "--delay",
            type=click.FloatRange(min=0),
            metavar="SECONDS",
            help="Pause between requests to one host (default 1; 0 for your own server).",
        ),
        click.option(
            "--render",
            type=click.Choice(["auto", "always", "never"]),
            help="When to use a browser (default auto: where a page needs one).",
        ),
        click.option(
            "--contact",
            metavar="URL|MAIL",
            help="How the blog's owner can reach you; sent in the User-Agent.",
        ),
        settings_option,
        click.option("-v", "--verbose", is_flag=True, help="Log every request to standard error."),
        json_option,
    ]
    for option in reversed(options):
        function = option(function)
    return function
