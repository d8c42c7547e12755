"""The last word of a crawl: what is in the archive now, what is missing and why, what it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from blogcrawl.cli.output import Output, advice_of, size, span
from blogcrawl.core.errors import BlogcrawlError, IncompleteError, InternalError
from blogcrawl.discovery.knowledge import COMMENT_FEED
from blogcrawl.frontier.unread import MIN_CHANCE, SOME_POSTS
from blogcrawl.storage.base import CrawlRow

NAMED = 10
"""So many missing posts are named on a terminal; --json and ``blogcrawl show`` name them all."""
SHOWN_NOTES = ("static form", "doubtful record", "only in a browser", "removed from this archive")
"""What a note for everybody speaks of; the others are for ``show``."""
INTERRUPTED = 130
STOPS = {
    "complete": "complete: all listed posts are archived",
    "exhausted": "ended: no further posts are expected",
    "finished": "nothing was left to fetch",
    "budget": "the budget is used up",
    "stopped": "stopped by you",
    "failed": "it failed",
}


@dataclass(frozen=True, slots=True)
class Summary:
    """A finished crawl as it is told. ``row`` None: it failed before it began."""

    url: str
    row: CrawlRow | None
    error: BlogcrawlError | None
    archive: str

    @property
    def report(self) -> Mapping[str, Any]:
        return self.row.report if self.row else {}

    @property
    def interrupted(self) -> bool:
        return self.row is not None and self.row.outcome == "stopped"

    @property
    def missing(self) -> list[Mapping[str, Any]]:
        return list(self.report.get("missing", ()))

    @property
    def exit_code(self) -> int:
        """0, or as ``docs/commands.md`` lists them."""
        if self.error is not None:
            return self.error.exit_code
        if self.interrupted:
            return INTERRUPTED
        if self.report.get("unforeseen"):
            return InternalError.exit_code
        # A budget was the user's wish, a dead link is the blog's own: what is missing for it is
        # told, but is no failure.
        budget = self.report.get("stop", {}).get("reason") == "budget"
        failed = any(not missed.get("dead") for missed in self.missing) or bool(
            self.report.get("comments_incomplete_count")
        )
        failed |= self.report.get("behind_unread", 0.0) >= SOME_POSTS
        failed |= any(
            page.get("document") == COMMENT_FEED for page in self.report.get("unread", ())
        )
        return IncompleteError.exit_code if failed and not budget else 0

    @property
    def seconds(self) -> float:
        if self.row is None or self.row.started is None or self.row.ended is None:
            return 0.0
        return (self.row.ended - self.row.started).total_seconds()

    @property
    def data(self) -> dict[str, Any]:
        """As JSON: the crawl's row and, where it failed, the error."""
        error = None
        if self.error is not None:
            error = {
                "kind": type(self.error).__name__,
                "message": self.error.message,
                "exit_code": self.error.exit_code,
            }
        crawl = asdict(self.row) if self.row else None
        summary = {
            "url": self.url,
            "exit_code": self.exit_code,
            "archive": self.archive,
            "seconds": self.seconds,
        }
        return {**summary, "error": error, "crawl": crawl}


def print_summary(out: Output, summary: Summary, again: str) -> None:
    """The summary for people. ``again``: the command that goes on with it."""
    if summary.error is not None:
        _print_error(out, summary.error, summary.url)
    if summary.row is None or (
        summary.error is not None and not summary.row.counts.get("posts_archived")
    ):
        return
    report = summary.report
    out.pairs(_pairs(summary, summary.row.counts))
    for note in report.get("notes", ()):
        if any(mark in note for mark in SHOWN_NOTES):
            out.note(f"blogcrawl: {note}")
    for failed in report.get("unforeseen", ())[:NAMED]:
        out.note(
            f"blogcrawl: a mistake in blogcrawl itself while {failed['stage']} {failed['url']}: "
            f"{failed['error']}; please report it"
        )
    name_pages(out, "missing", summary.missing)
    name_pages(out, "unread", list(report.get("unread", ())))
    name_pages(out, "comments incomplete", list(report.get("comments_incomplete", ())))
    name_pages(out, "dropped", list(report.get("dropped", ())))
    if summary.interrupted:
        out.note(f"blogcrawl: stopped and saved; to go on: {again}")


def _print_error(out: Output, error: BlogcrawlError, url: str) -> None:
    out.failure(
        type(error).__name__,
        error.message,
        error.exit_code,
        url=error.url or url,
        advice=error.advice or advice_of(error),
    )


def _pairs(summary: Summary, counts: Mapping[str, Any]) -> dict[str, object]:
    """The lines of the summary; empty values are left out."""
    report = summary.report
    comments = counts.get("comments", 0)
    return {
        "blog": summary.url,
        "posts": posts_text(counts),
        "comments": comments_text(comments, comments + counts.get("comments_missing", 0))
        + incomplete_text(report),
        "media": counts.get("media", 0),
        "missing": missing_text(
            report.get("missing_count") or len(summary.missing), report.get("dead_count", 0)
        ),
        "unread": unread_text(report),
        "dropped": report.get("dropped_count") or None,
        "fetched": (
            f"{size(counts.get('bytes', 0))} in {counts.get('requests', 0)} "
            f"requests, {span(summary.seconds)}"
        ),
        "status": stop_text(
            report.get("stop", {}),
            lost=any(not missed.get("dead") for missed in summary.missing),
        ),
        "archive": summary.archive,
    }


def posts_text(counts: Mapping[str, Any]) -> str:
    """``3 new, 1 changed``."""
    kinds = [
        ("new", "posts_archived"),
        ("changed", "posts_changed"),
        ("unchanged", "posts_unchanged"),
    ]
    done = [f"{counts[key]} {word}" for word, key in kinds if counts.get(key)]
    return ", ".join(done) or "none new"


def name_pages(
    out: Output, word: str, pages: Sequence[Mapping[str, Any]], limit: int = NAMED
) -> None:
    """A line for each of the first pages that could not be read: its address, why, and who knows of
    it.
    """
    for page in pages[:limit]:
        out.line(f"  {word}  {page.get('url')}  {page.get('reason')}{_origin(page)}")
    if len(pages) > limit:
        out.line(f"  … and {len(pages) - limit} more (--json names them)")


def _origin(page: Mapping[str, Any]) -> str:
    """Who listed the page, and how sure it is that it is a post."""
    if page.get("document"):
        expected = page.get("new_posts", 0.0)
        return (
            f"  ({page['document']}"
            f"{f', {expected:.1f} unknown posts by estimate' if expected >= SOME_POSTS else ''})"
        )
    sources = list(page.get("sources", ()))
    if not sources:
        return ""
    known = {"links": "only linked", "archive": "archived before"}.get(
        sources[0]
    ) or f"listed by {', '.join(sources)}"
    chance = page.get("chance", 1.0)
    doubt = f", a post with a chance of {chance:.0%}" if MIN_CHANCE <= chance < 0.95 else ""
    return f"  ({known}{doubt})"


def incomplete_text(report: Mapping[str, Any]) -> str:
    """Of how many posts the comments are incomplete, because a source of comments
    did not answer.
    """
    number = report.get("comments_incomplete_count", 0)
    return f"; incomplete on {number} post{'s' * (number != 1)}" if number else ""


def unread_text(report: Mapping[str, Any]) -> str | None:
    """Pages that could not be read and are no posts, as far as their addresses and locations say;
    None: there are none.
    """
    number = report.get("unread_count", 0)
    behind = report.get("behind_unread", 0.0)
    posts = f", with {behind:.1f} unknown posts by estimate" if behind >= SOME_POSTS else ""
    return (
        f"{number} other page{'s' * (number != 1)} (lists, or hardly posts){posts}"
        if number
        else None
    )


def reasons_text(pages: Iterable[Mapping[str, Any]]) -> str:
    """``3 HTTP 500, 1 no answer in time``: the most frequent reason first."""
    counted = Counter(str(page.get("reason")) for page in pages)
    return ", ".join(f"{number} {reason}" for reason, number in counted.most_common())


def comments_text(archived: int, announced: int) -> str:
    """How many comments there are, and of how many the pages tell where those are more."""
    return (
        f"{archived} of {announced} that pages tell of" if announced > archived else str(archived)
    )


def missing_text(missing: int, dead: int) -> str:
    """How many promised posts are missing, and how many of them the blog itself no longer has."""
    if not dead:
        return str(missing)
    return (
        f"{missing} (the blog's own dead links)"
        if dead == missing
        else f"{missing} ({dead} of them the blog's own dead links)"
    )


def stop_text(stop: Mapping[str, Any], *, lost: bool = False) -> str:
    """Return why the crawl ended and its estimated completeness.

    ``lost``: listed posts could not be fetched.
    """
    reason = str(stop.get("reason") or "")
    text = (
        "all posts that could be fetched are archived"
        if lost and reason == "complete"
        else STOPS.get(reason, reason)
    )
    detail = str(stop.get("detail") or "")
    if detail and detail != text:
        text = f"{text} ({detail})" if text else detail
    completeness = stop.get("completeness")
    if isinstance(completeness, int | float):
        text += f"; estimated completeness {completeness * 100:.1f} %"
    return text
