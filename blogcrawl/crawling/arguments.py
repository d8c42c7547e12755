"""What operators type, checked and converted. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import urlsplit

from blogcrawl import __version__
from blogcrawl.core.credentials import encode_advice, hidden
from blogcrawl.core.errors import UsageError


def operator_url(text: str) -> str:
    """Return a URL as an operator types it, the scheme may be missing. Raises UsageError."""
    url = text.strip()
    if (
        url
        and "://" not in url
        and not url.startswith(("mailto:", "javascript:", "data:", "file:"))
    ):
        url = "https://" + url
    try:
        parts = urlsplit(url)
        fits = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        fits = False
    if not fits:
        raise UsageError(
            f"{hidden(text)!r} is no http or https address", advice=encode_advice(text)
        )
    return url


def parse_since(text: str) -> datetime | None:
    """ISO date or time (without a zone it is UTC), or Unix seconds of nine digits and more:
    ``20140301`` is a day. Raises UsageError.
    """
    value = text.strip()
    if not value:
        return None
    try:
        if re.fullmatch(r"[0-9]{9,11}(\.[0-9]+)?", value):
            return datetime.fromtimestamp(float(value), UTC)
        moment = datetime.fromisoformat(value)
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{text!r} is no date; write 2026-01-31, 2026-01-31T08:00:00+01:00, or a Unix time"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def user_agent(contact: str) -> str:
    who = f"+{contact}" if contact else "no contact given by its operator"
    return f"blogcrawl/{__version__} (blog archiver; {who})"
