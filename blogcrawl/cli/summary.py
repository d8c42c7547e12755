"""The summary of a crawl: what is archived, what is missing and why, what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from blogcrawl.cli.output import Output, advice_of, failure_data, size, span
from blogcrawl.core.errors import BlogcrawlError, IncompleteError, InternalError
from blogcrawl.discovery.knowledge import COMMENT_FEED
from blogcrawl.frontier.unread import MIN_CHANCE, SOME_POSTS
from blogcrawl.storage.tables import CrawlRow

NAMED = 10
"""Missing posts named on a terminal; --json and ``blogcrawl show`` name all of them."""
SHOWN_NOTES = (
    "static form",
    "doubtful record",
    "only in a browser",
    "removed from this archive",
    "too costly",
)
"""Substrings of the notes that the summary prints; the others appear in ``show``."""
INTERRUPTED = 130
NAMED_REASONS = 3
STOPS = {
    "budget": "limit reached",
    "stopped": "interrupted",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True)
class Summary:
    """The outcome of a crawl. ``row`` is None if the crawl failed before it began."""

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
        """The exit code, as listed in ``docs/commands.md``."""
        if self.error is not None:
            return self.error.exit_code
        if self.interrupted:
            return INTERRUPTED
        if self.report.get("unforeseen"):
            return InternalError.exit_code
        # A limit is the user's wish: posts missing for it are reported, but they are no failures.
        budget = self.report.get("stop", {}).get("reason") == "budget"
        failed = self.report.get("completeness", {}).get("status") in ("incomplete", "unknown")
        failed |= bool(self.report.get("comments_incomplete_count"))
        failed |= any(not post.get("dead") for post in self.report.get("texts_incomplete", ()))
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
        """The crawl's row and its error, if any, as JSON data."""
        crawl = asdict(self.row) if self.row else None
        summary = {
            "url": self.url,
            "exit_code": self.exit_code,
            "archive": self.archive,
            "seconds": self.seconds,
        }
        return {**summary, "error": self.failure, "crawl": crawl}

    @property
    def failure(self) -> dict[str, Any] | None:
        """The error as JSON data, None where there was none."""
        error = self.error
        if error is None:
            return None
        return failure_data(
            type(error).__name__,
            error.message,
            error.exit_code,
            url=error.url or self.url,
            advice=error.advice or advice_of(error),
        )


def result_of(summaries: Sequence[Summary]) -> dict[str, Any]:
    """Return what a command prints as JSON: each crawl that began, and at the top the error of a
    single one that failed."""
    only = summaries[0] if len(summaries) == 1 else None
    result = {"error": only.failure} if only is not None and only.error is not None else {}
    if result and summaries[0].row is None:
        return result
    return result | {"crawls": [summary.data for summary in summaries]}


def print_summary(out: Output, summary: Summary, again: str) -> None:
    """Print the summary. ``again`` is the command that resumes an interrupted crawl."""
    if summary.failure is not None:
        out.failure_line(summary.failure)
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
            f"blogcrawl: internal error while {failed['stage']} {failed['url']}: "
            f"{failed['error']}; please report it"
        )
    name_pages(out, "missing", summary.missing)
    name_pages(out, "unread", list(report.get("unread", ())))
    name_pages(out, "text incomplete", list(report.get("texts_incomplete", ())))
    name_pages(out, "comments incomplete", list(report.get("comments_incomplete", ())))
    if summary.interrupted:
        out.note(f"blogcrawl: interrupted, state saved; to resume: {again}")


def _pairs(summary: Summary, counts: Mapping[str, Any]) -> dict[str, object]:
    """Return the lines of the summary; ``Output.pairs`` omits empty values."""
    report = summary.report
    comments = counts.get("comments", 0)
    return {
        "blog": summary.url,
        "posts": posts_text(counts),
        "comments": comments_text(comments, comments + counts.get("comments_missing", 0))
        + incomplete_text(report),
        "media": media_text(counts.get("media", 0), report),
        "missing": missing_text(
            report.get("missing_count") or len(summary.missing), report.get("dead_count", 0)
        ),
        "unread": unread_text(report),
        "rejected": rejected_text(report),
        "gone": gone_text(report),
        "fetched": (
            f"{size(counts.get('bytes', 0))} in {counts.get('requests', 0)} "
            f"requests, {span(summary.seconds)}"
        ),
        "status": status_text(
            report,
            archived=counts.get("posts"),
            lost=sum(not missed.get("dead") for missed in summary.missing),
        ),
        "evidence": evidence_text(report),
        "archive": summary.archive,
    }


def posts_text(counts: Mapping[str, Any]) -> str:
    """Return the numbers of posts by kind, such as ``3 new, 1 changed``, and of how many the page
    declares that not everybody may read the whole."""
    kinds = [
        ("new", "posts_archived"),
        ("changed", "posts_changed"),
        ("unchanged", "posts_unchanged"),
    ]
    done = [f"{counts[key]} {word}" for word, key in kinds if counts.get(key)]
    restricted = counts.get("posts_restricted", 0)
    cut = f"; {restricted} not free to read, maybe only their beginnings" if restricted else ""
    return (", ".join(done) or "none new") + cut


def name_pages(out: Output, word: str, pages: Sequence[Mapping[str, Any]]) -> None:
    """Print URL, reason and source of the first ``NAMED`` pages that could not be read."""
    for page in pages[:NAMED]:
        out.line(f"  {word}  {page.get('url')}  {page.get('reason')}{_origin(page)}")
    if len(pages) > NAMED:
        out.line(f"  … and {len(pages) - NAMED} more (--json names them)")


def _origin(page: Mapping[str, Any]) -> str:
    """Return which source listed the page, and its probability of being a post."""
    if page.get("document"):
        expected = page.get("new_posts", 0.0)
        return (
            f"  ({page['document']}"
            f"{f', estimated {expected:.1f} unknown posts' if expected >= SOME_POSTS else ''})"
        )
    sources = list(page.get("sources", ()))
    if not sources:
        return ""
    known = {"links": "only linked", "archive": "archived before"}.get(
        sources[0]
    ) or f"listed by {', '.join(sources)}"
    chance = page.get("chance", 1.0)
    doubt = f", probability of a post {chance:.0%}" if MIN_CHANCE <= chance < 0.95 else ""
    return f"  ({known}{doubt})"


def incomplete_text(report: Mapping[str, Any]) -> str:
    """Return how many posts have incomplete comments because a comment source failed."""
    number = report.get("comments_incomplete_count", 0)
    return f"; incomplete on {number} post{'s' * (number != 1)}" if number else ""


def unread_text(report: Mapping[str, Any]) -> str | None:
    """Return the number of unread pages that are probably not posts; None if there are none."""
    number = report.get("unread_count", 0)
    behind = report.get("behind_unread", 0.0)
    posts = f", with an estimated {behind:.1f} unknown posts" if behind >= SOME_POSTS else ""
    return (
        f"{number} other page{'s' * (number != 1)} (lists, or unlikely to be posts){posts}"
        if number
        else None
    )


def reasons_text(pages: Iterable[Mapping[str, Any]]) -> str:
    """Count the reasons, most frequent first: ``3 HTTP 500, 1 no answer in time``."""
    counted = Counter(str(page.get("reason")) for page in pages)
    return ", ".join(f"{number} {reason}" for reason, number in counted.most_common())


def comments_text(archived: int, announced: int) -> str:
    """Return the number of archived comments, and of those the pages report if these are more."""
    if announced > archived:
        return f"{archived} of {announced} reported by the pages"
    return str(archived)


def media_text(archived: int, report: Mapping[str, Any]) -> str:
    """Return the number of archived files, and how many of the blog's could not be, by reason."""
    lost = report.get("media_missing_count", 0)
    reasons = report.get("media_missing_reasons", {})
    return (
        f"{archived}; {lost} could not be archived ({_counted(reasons)})" if lost else str(archived)
    )


def _counted(reasons: Mapping[str, int]) -> str:
    """Return the first reasons with their numbers: ``3 HTTP 500, 1 no answer in time, …``."""
    rows = list(reasons.items())
    named = ", ".join(f"{count} {reason}" for reason, count in rows[:NAMED_REASONS])
    return named + ", …" * (len(rows) > NAMED_REASONS)


def missing_text(missing: int, dead: int) -> str:
    """Return how many listed posts are missing, and how many of these are dead links."""
    if not dead:
        return str(missing)
    return (
        f"{missing} (dead links of the blog)"
        if dead == missing
        else f"{missing} ({dead} of them dead links of the blog)"
    )


def rejected_text(report: Mapping[str, Any]) -> str | None:
    """Return how many pages were read and are not archived as posts, by reason."""
    number = report.get("rejected_count", 0)
    reasons = _counted(report.get("rejected_reasons", {}))
    pages = f"{number} page{'s' * (number != 1)} read and taken for no post"
    return f"{pages} ({reasons})" if number else None


def gone_text(report: Mapping[str, Any]) -> str | None:
    """Return how many linked pages the blog says do not exist; None if there are none."""
    number = report.get("gone_count", 0)
    verb = "s that do" if number != 1 else " that does"
    return f"the blog links {number} page{verb} not exist (any more)" if number else None


def status_text(report: Mapping[str, Any], *, archived: int | None = None, lost: int = 0) -> str:
    """Return how complete the archive is, or why the crawl ended early.

    ``archived``: posts of the blog in the archive; None if unknown. ``lost``: listed posts that
    could not be fetched.
    """
    reason = str(report.get("stop", {}).get("reason") or "")
    found = report.get("completeness", {})
    if reason in STOPS:
        text = STOPS[reason]
    elif found.get("status") == "unknown":
        return f"completeness unknown: {archived or 0} posts archived"
    else:
        text = str(found.get("status") or reason)
        if archived is not None:
            text += f": {archived} of {archived + lost} listed posts archived"
    return text + estimate_text(found)


def estimate_text(found: Mapping[str, Any]) -> str:
    """Return the estimated completeness with its interval; empty if there is none."""
    if found.get("share") is None:
        return ""
    share, lower, upper = (f"{found[name] * 100:.1f}" for name in ("share", "lower", "upper"))
    between = f", between {lower} and {upper} %" if lower != upper else ""
    return f" (estimated completeness {share} %{between})"


def evidence_text(report: Mapping[str, Any]) -> str:
    """Return the facts on which the decision to stop and the completeness rest."""
    detail = str(report.get("stop", {}).get("detail") or "")
    return "; ".join(filter(None, (detail, *report.get("completeness", {}).get("reasons", ()))))
