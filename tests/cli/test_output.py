"""What people and programs read from commands."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from blogcrawl.cli.options import Moment, config_from, http_url
from blogcrawl.cli.output import Output, as_json, plain, shorten, size, span
from blogcrawl.cli.progress import LINE_SECONDS, Rate, Steps, numbers, status_line
from blogcrawl.cli.summary import (
    Summary,
    comments_text,
    evidence_text,
    gone_text,
    media_text,
    missing_text,
    posts_text,
    rejected_text,
    status_text,
)
from blogcrawl.core.errors import UnreachableError, UsageError
from blogcrawl.core.logs import JsonFormatter
from blogcrawl.packaging import records
from blogcrawl.storage.tables import CrawlRow


def test_control_characters_in_titles_are_escaped() -> None:
    assert "\x1b" not in plain("\x1b[2Jwiped\x07")
    assert "\u202e" not in plain("left \u202eright")
    assert plain("café 日本\ttab") == "café 日本\ttab"


@pytest.mark.parametrize(
    ("text", "width", "wanted"),
    [
        ("short", 10, "short"),
        ("a longer title", 8, "a longe…"),
        ("日本語の題名", 7, "日本語…"),
        ("a\n  b", 9, "a b"),
        (None, 5, ""),
    ],
)
def test_long_text_is_shortened(text: str | None, width: int, wanted: str) -> None:
    assert shorten(text, width) == wanted


def test_table_aligns_wide_characters(capsys: pytest.CaptureFixture[str]) -> None:
    Output().table(["title", "n"], [["日本", "1"], ["plain", "22"]])
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "title  n",
        "日本   1",
        "plain  22",
    ]


def test_json_mode_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output(json_mode=True)
    out.line("for people")
    out.pairs({"a": 1})
    out.table(["a"], [["b"]])
    out.result(
        {"when": datetime(2020, 1, 1, 12, tzinfo=timezone(timedelta(hours=2))), "tags": ("a", "b")}
    )
    assert json.loads(capsys.readouterr().out) == {
        "when": "2020-01-01T12:00:00+02:00",
        "tags": ["a", "b"],
    }
    assert as_json({1}) == [1]


def test_numbers_are_formatted_for_people() -> None:
    assert [size(n) for n in (0, 1023, 1024, 3_565_158, 5 * 2**30, 2**40)] == [
        "0 B",
        "1023 B",
        "1.0 KB",
        "3.4 MB",
        "5.0 GB",
        "1024.0 GB",
    ]
    assert [span(s) for s in (0.04, 59.9, 185, 7800)] == [
        "0.0 s",
        "59.9 s",
        "3 min 5 s",
        "2 h 10 min",
    ]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.org/blog", "https://example.org/blog"),
        (" http://127.0.0.1:8000/ ", "http://127.0.0.1:8000/"),
        ("example.org", "https://example.org"),
        ("blog.example.org/a", "https://blog.example.org/a"),
    ],
)
def test_typed_urls_are_completed(text: str, url: str) -> None:
    assert http_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "blog",
        "mailto:a@b.org",
        "https://",
        "https://exa mple.org",
        "http://a:99999/",
        "-x",
        "http://[::1",
    ],
)
def test_invalid_urls_are_usage_errors(text: str) -> None:
    with pytest.raises(UsageError):
        http_url(text)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T08:00:00+01:00", datetime(2026, 1, 31, 7, tzinfo=UTC)),
        ("1769817600", datetime(2026, 1, 31, tzinfo=UTC)),
    ],
)
def test_dates_are_parsed(text: str, moment: datetime) -> None:
    assert Moment().convert(text, None, None) == moment


def test_settings_come_from_environment_then_pairs_then_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BLOGCRAWL_MAX_POSTS", "5")
    monkeypatch.setenv("BLOGCRAWL_CONTACT", "mailto:env@example.org")
    monkeypatch.setenv("BLOGCRAWL_ARCHIVE", "")
    config = config_from(
        "contact=mailto:pair@example.org", "BLOGCRAWL_MEDIA=no", max_posts=7, render=None
    )
    assert (config.max_posts, config.contact, config.media, config.archive) == (
        7,
        "mailto:pair@example.org",
        False,
        "./archive",
    )


def test_progress_rate_covers_the_last_seconds() -> None:
    rate = Rate()
    assert rate.add(0, 0) == 0
    assert rate.add(2, 10) == 5
    for second in range(3, 40):
        last = rate.add(second, 10)
    assert last == 0


def test_progress_line_names_the_counts() -> None:
    shown = {"posts_archived": 3, "posts_found": 9, "posts_unchanged": 2, "doing": "learning"}
    line = status_line(
        numbers({f"blogcrawl/{k}": v for k, v in shown.items()} | {"downloader/x": 1}), 1.25, 3.0
    )
    assert line.startswith("5 of 9 posts (2 unchanged) · 0 pages (1.2/s)") and line.endswith(
        "learning"
    )


def row(outcome: str = "finished", **report: object) -> CrawlRow:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    bare = CrawlRow(
        id="c",
        blog_id="b",
        spider="newcrawl",
        started=start,
        ended=start + timedelta(seconds=9),
        report=report,
    )
    return replace(bare, outcome=outcome, counts={"posts_archived": 3})


def found(status: str, share: float | None = None) -> dict[str, object]:
    return {"completeness": {"status": status, "share": share, "lower": share, "upper": share}}


def test_crawl_exit_code_follows_its_outcome() -> None:
    missing = [{"url": "http://x/1", "reason": "HTTP 410", "sources": ["feed"]}]
    assert Summary("u", row(), None, "a").exit_code == 0
    lost = row(missing=missing, **found("incomplete", 0.9))
    assert Summary("u", lost, None, "a").exit_code == 11
    assert Summary("u", row(**found("nearly complete", 0.97)), None, "a").exit_code == 0
    assert Summary("u", row(**found("unknown")), None, "a").exit_code == 11
    limit = row(stop={"reason": "budget"}, **found("incomplete", 0.5))
    assert Summary("u", limit, None, "a").exit_code == 0, "the user's own limit"
    assert (
        missing_text(3, 1) == "3 (1 of them dead links of the blog)" and missing_text(0, 0) == "0"
    )
    assert Summary("u", row("stopped", missing=missing), None, "a").exit_code == 130
    assert Summary("u", None, UnreachableError("no"), "a").exit_code == 3
    assert Summary("u", row(), None, "a").data["seconds"] == 9


def test_crawl_status_follows_its_report() -> None:
    whole = {"stop": {"reason": "exhausted"}, **found("complete", 0.995)}
    assert (
        status_text(whole, archived=44)
        == "complete: 44 of 44 listed posts archived (estimated completeness 99.5 %)"
    )
    some = {"status": "incomplete", "share": 0.9, "lower": 0.8, "upper": 0.95}
    assert status_text(
        {"stop": {"reason": "complete"}, "completeness": some}, archived=42, lost=2
    ) == (
        "incomplete: 42 of 44 listed posts archived "
        "(estimated completeness 90.0 %, between 80.0 and 95.0 %)"
    )
    limit = {"stop": {"reason": "budget", "detail": "50000 pages"}, **found("incomplete", 0.5)}
    assert status_text(limit, archived=9) == "limit reached (estimated completeness 50.0 %)"
    unknown = {"stop": {"reason": "exhausted"}, **found("unknown")}
    assert status_text(unknown, archived=1) == "completeness unknown: 1 posts archived"
    assert status_text({}) == ""


def test_summary_names_why_the_crawl_ended_and_what_may_be_lost() -> None:
    reasons = {"completeness": {"reasons": ["2 posts missing (2.0 posts expected)"]}}
    assert (
        evidence_text({"stop": {"detail": "all read"}, **reasons})
        == "all read; 2 posts missing (2.0 posts expected)"
    )
    assert evidence_text({}) == ""


def test_rejected_pages_are_counted_by_reason() -> None:
    assert rejected_text({}) is None
    report = {"rejected_count": 3, "rejected_reasons": {"a list of posts": 2, "no HTML page": 1}}
    assert (
        rejected_text(report)
        == "3 pages read and taken for no post (2 a list of posts, 1 no HTML page)"
    )


def test_posts_that_are_not_free_to_read_are_counted() -> None:
    assert posts_text({}) == "none new"
    assert posts_text({"posts_archived": 9, "posts_restricted": 2}) == (
        "9 new; 2 not free to read, maybe only their beginnings"
    )


def test_media_that_could_not_be_archived_are_counted_by_reason() -> None:
    assert media_text(7, {}) == "7"
    reasons = {"HTTP 404": 40, "no answer in time": 3, "HTTP 503": 1, "empty": 1}
    report = {"media_missing_count": 45, "media_missing_reasons": reasons}
    assert media_text(7, report) == (
        "7; 45 could not be archived (40 HTTP 404, 3 no answer in time, 1 HTTP 503, …)"
    )


def test_dead_links_of_the_blog_are_counted() -> None:
    assert gone_text({}) is None
    assert gone_text({"gone_count": 1}) == "the blog links 1 page that does not exist (any more)"
    assert (
        gone_text({"gone_count": 2125}) == "the blog links 2125 pages that do not exist (any more)"
    )


def test_summary_counts_comments_reported_but_not_archived() -> None:
    assert (
        comments_text(7, 9) == "7 of 9 reported by the pages"
        and comments_text(9, 9) == comments_text(9, 0) == "9"
    )


@pytest.mark.parametrize(
    "char",
    [
        "\x00",
        "\x1b",
        "\x7f",
        "\x85",
        "\x9b",
        "\u200f",
        "\u061c",
        "\u202e",
        "\u2066",
        "\u2069",
        "\u2028",
    ],
)
def test_control_characters_are_escaped_in_all_output(
    char: str, capsys: pytest.CaptureFixture[str]
) -> None:
    title = f"A ferry{char}[2J and a quay"
    record = logging.LogRecord("blogcrawl", logging.INFO, "", 0, title, None, None)
    Output(json_mode=True).result({"title": title})
    Output().line(title)
    Output().table(["title"], [[title]])
    shown = capsys.readouterr().out
    written = JsonFormatter().format(record)
    assert (
        char not in shown
        and char not in written
        and char not in records.encode({"title": title}).decode()
    )
    assert (
        json.loads(written)["message"]
        == title
        == json.loads(records.encode({"title": title}))["title"]
    )


def test_long_commands_write_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    steps = Steps("{} packages checked so far", lambda: now)
    for done in range(1, 3001):
        now = done * LINE_SECONDS / 1000
        steps(done)
    written = capsys.readouterr()
    assert written.out == ""
    assert [line.split()[1] for line in written.err.splitlines()] == ["1,000", "2,000", "3,000"]
