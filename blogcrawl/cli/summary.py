"""The last word of a crawl: what is in the archive now, what is missing and why, what it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from blogcrawl.cli.output import Output, advice_of, size, span
from blogcrawl.errors import BlogcrawlError, IncompleteError, InternalError
from blogcrawl.frontier.unread import MIN_CHANCE, SOME_POSTS
from blogcrawl.storage.base import CrawlRow

NAMED = 10
"""So many missing posts are named on a terminal; --json and ``blogcrawl show`` name them all."""
TOLD = ("static form", "doubtful record", "only in a browser", "removed from this archive")
"""What a note for everybody speaks of; the others are for ``show``."""
INTERRUPTED = 130
STOPS = {
    "complete": "everything that was promised is archived",
    "exhausted": "no new posts were to be expected",
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
        # A budget was the user's wish, a dead link is the blog's own: what is missing for it is told, but is no failure.
        budget = self.report.get("stop", {}).get("reason") == "budget"
        failed = any(not missed.get("dead") for missed in self.missing) or bool(self.report.get("comments_incomplete_count"))
        failed |= self.report.get("behind_unread", 0.0) >= SOME_POSTS
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
            error = {"kind": type(self.error).__name__, "message": self.error.message, "exit_code": self.error.exit_code}
        crawl = asdict(self.row) if self.row else None
        told = {"url": self.url, "exit_code": self.exit_code, "archive": self.archive, "seconds": self.seconds}
        return {**told, "error": error, "crawl": crawl}


def print_summary(out: Output, summary: Summary, again: str) -> None:
    """The summary for people. ``again``: the command that goes on with it."""
    if summary.error is not None:
        error = summary.error
        out.failure(
            type(error).__name__, error.message, error.exit_code, url=error.url or summary.url, advice=error.advice or advice_of(error)
        )
    if summary.row is None or (summary.error is not None and not summary.row.counts.get("posts_archived")):
        return
    counts = summary.row.counts
    kinds = [("new", "posts_archived"), ("changed", "posts_changed"), ("unchanged", "posts_unchanged")]
    told = [f"{counts[key]} {word}" for word, key in kinds if counts.get(key)]
    out.pairs(
        {
            "blog": summary.url,
            "posts": ", ".join(told) or "none new",
            "comments": comments_text(counts.get("comments", 0), counts.get("comments", 0) + counts.get("comments_missing", 0))
            + lacking_text(summary.report),
            "media": counts.get("media", 0),
            "missing": missing_text(summary.report.get("missing_count") or len(summary.missing), summary.report.get("dead_count", 0)),
            "unread": unread_text(summary.report),
            "dropped": summary.report.get("dropped_count") or None,
            "fetched": f"{size(counts.get('bytes', 0))} in {counts.get('requests', 0)} requests, {span(summary.seconds)}",
            "ended": stop_text(summary.report.get("stop", {}), lost=any(not missed.get("dead") for missed in summary.missing)),
            "archive": summary.archive,
        }
    )
    for note in summary.report.get("notes", ()):
        if any(mark in note for mark in TOLD):
            out.note(f"blogcrawl: {note}")
    for failed in summary.report.get("unforeseen", ())[:NAMED]:
        out.note(f"blogcrawl: a mistake in blogcrawl itself while {failed['stage']} {failed['url']}: {failed['error']}; please report it")
    name_pages(out, "missing", summary.missing)
    name_pages(out, "unread", list(summary.report.get("unread", ())))
    name_pages(out, "comments incomplete", list(summary.report.get("comments_incomplete", ())))
    name_pages(out, "dropped", list(summary.report.get("dropped", ())))
    if summary.interrupted:
        out.note(f"blogcrawl: stopped and saved; to go on: {again}")


def name_pages(out: Output, word: str, pages: Sequence[Mapping[str, Any]], limit: int = NAMED) -> None:
    """A line for each of the first pages that could not be read: its address, why, and who knows of it."""
    for page in pages[:limit]:
        out.line(f"  {word}  {page.get('url')}  {page.get('reason')}{_origin(page)}")
    if len(pages) > limit:
        out.line(f"  … and {len(pages) - limit} more (--json names them)")


def _origin(page: Mapping[str, Any]) -> str:
    """Who listed the page, and how sure it is that it is a post."""
    if page.get("document"):
        expected = page.get("new_posts", 0.0)
        return f"  ({page['document']}{f', {expected:.1f} unknown posts by estimate' if expected >= SOME_POSTS else ''})"
    sources = list(page.get("sources", ()))
    if not sources:
        return ""
    known = {"links": "only linked", "archive": "archived before"}.get(sources[0]) or f"listed by {', '.join(sources)}"
    chance = page.get("chance", 1.0)
    doubt = f", a post with a chance of {chance:.0%}" if MIN_CHANCE <= chance < 0.95 else ""
    return f"  ({known}{doubt})"


def lacking_text(report: Mapping[str, Any]) -> str:
    """Of how many posts the comments are incomplete, because a source of comments did not answer."""
    number = report.get("comments_incomplete_count", 0)
    return f"; incomplete on {number} post{'s' * (number != 1)}" if number else ""


def unread_text(report: Mapping[str, Any]) -> str | None:
    """Pages that could not be read and are no posts, as far as their addresses and locations say; None: there are none."""
    number = report.get("unread_count", 0)
    behind = report.get("behind_unread", 0.0)
    posts = f", with {behind:.1f} unknown posts by estimate" if behind >= SOME_POSTS else ""
    return f"{number} other page{'s' * (number != 1)} (lists, or hardly posts){posts}" if number else None


def reasons_text(pages: Iterable[Mapping[str, Any]]) -> str:
    """``3 HTTP 500, 1 no answer in time``: the most frequent reason first."""
    counted = Counter(str(page.get("reason")) for page in pages)
    return ", ".join(f"{number} {reason}" for reason, number in counted.most_common())


def comments_text(archived: int, told: int) -> str:
    """How many comments there are, and of how many the pages tell where those are more."""
    return f"{archived} of {told} that pages tell of" if told > archived else str(archived)


def missing_text(missing: int, dead: int) -> str:
    """How many promised posts are missing, and how many of them the blog itself no longer has."""
    if not dead:
        return str(missing)
    return f"{missing} (the blog's own dead links)" if dead == missing else f"{missing} ({dead} of them the blog's own dead links)"


def stop_text(stop: Mapping[str, Any], *, lost: bool = False) -> str:
    """Why the crawl ended and how complete it is believed to be; ``lost``: posts that should be there could not be had."""
    reason = str(stop.get("reason") or "")
    text = "all that could be had is archived" if lost and reason == "complete" else STOPS.get(reason, reason)
    detail = str(stop.get("detail") or "")
    if detail and detail != text:
        text = f"{text} ({detail})" if text else detail
    completeness = stop.get("completeness")
    if isinstance(completeness, int | float):
        text += f"; believed {completeness:.1%} complete"
    return text
