"""Pages that cost too much end neither crawl, lease nor Ctrl-C: they are kept as evidence and
reported.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from blogcrawl.core import costs
from blogcrawl.core.costs import KNOWN_PAGES, Account
from blogcrawl.core.errors import TooCostlyError
from blogcrawl.core.page import Page
from tests import hostile
from tests.benchmarks import hostile_pages
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, rows
from tests.server import Rule, Server

FEW = (
    "100,000 attributes on one element",
    "attributes hidden by quotes",
    "<!--posted and blanks",
    "200,000 empty elements",
)


POST = Page(url="http://blog.example/post", body=b"<p>Some text.</p>")


def blog(folder: Path, pages: dict[str, str], count: int = 12) -> dict[str, str]:
    """A blog of healthy posts, those at some numbers replaced; path of each by its name."""
    known = entries(count)
    write_blog(folder, known)
    paths = {}
    for entry, (name, html) in zip(known[1:], pages.items(), strict=False):
        paths[name] = entry.path
        (folder / entry.path.strip("/") / "index.html").write_text(html, "utf-8")
    return paths


def test_costly_pages_are_reported_and_all_others_archived(tmp_path: Path) -> None:
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    paths = blog(site, {name: hostile.PAGES[name](f"Page {n}") for n, name in enumerate(FEW)})
    with Server(site) as server:
        row = crawl(server.url, archive, learn_entries=4)
    archived = rows(archive)
    missing = {
        "/" + missed["url"].split("/", 3)[3]: missed["reason"] for missed in row.report["missing"]
    }
    assert row.outcome == "finished"
    for entry in entries(12):
        if entry.path not in paths.values():
            assert any(entry.path.strip("/") in path for path in archived), entry.path
    for name in FEW[:2]:
        assert any(
            paths[name].strip("/") in path and reason.startswith("too costly")
            for path, reason in missing.items()
        ), (name, missing)
    assert (
        set(missing) | set(archived) >= {path.rstrip("/") for path in paths.values()}
        or len(missing) + len(archived) == 12
    )


def test_too_deeply_nested_comments_are_reported(tmp_path: Path) -> None:
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    deep = hostile._page("Deep", after=hostile.comments(1_500, 1_500))
    paths = blog(site, {"deep": deep}, 8)
    with Server(site) as server:
        row = crawl(server.url, archive, learn_entries=4, max_page_cpu_seconds=60.0)
    assert not row.report["missing"] and len(rows(archive)) == 8
    lacking = {entry["url"]: entry["reason"] for entry in row.report["comments_incomplete"]}
    assert [paths["deep"].strip("/") in url for url in lacking] == [True]
    assert "nested too deeply" in next(iter(lacking.values()))


def test_page_of_5_mb_needs_at_most_60_mb_more_memory(tmp_path: Path) -> None:
    peaks = []
    for name, html in (
        ("ordinary", None),
        ("large", hostile.PAGES["5 MB of one word"]("The ferry")),
    ):
        folder = tmp_path / name
        folder.mkdir()
        peaks.append(hostile_pages.crawl(html, folder)["rss"])
    assert peaks[1] - peaks[0] <= 60  # of the 64 that the setting allows


def burn(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_all_stages_share_one_cpu_limit_per_page() -> None:
    account = Account(0.1)
    with account.page(POST):
        burn(0.05)
    with pytest.raises(TooCostlyError), account.page(POST):
        burn(0.5)
    with pytest.raises(TooCostlyError), account.page(POST):
        burn(0.5)  # what was left, if any, was less than the alarm is exact
    with account.page(Page(url="http://blog.example/other", body=b"")):
        burn(0.01)


@pytest.mark.parametrize(("load", "runs", "left"), [(0.7, 0, 1.8), (0.8, 0, 1.9), (0.1, 99, 1.9)])
def test_time_counts_for_half_on_a_busy_machine(
    load: float, runs: int, left: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Busy in the last minute, or since a moment ago."""
    monkeypatch.setattr(costs, "_running", lambda: runs)
    monkeypatch.setattr(os, "getloadavg", lambda: (load * (os.cpu_count() or 1), 0.0, 0.0))
    account = Account(2.0)
    with account.page(POST):
        burn(0.2)
    assert account.left(POST) == pytest.approx(left, abs=0.04)
    account.refuse(POST.url, "reading it takes too much memory")
    with pytest.raises(TooCostlyError):
        account.check(POST)


def test_cost_account_keeps_the_latest_pages_only() -> None:
    account = Account(2.0)
    for n in range(3 * KNOWN_PAGES):
        account.charge(f"http://blog.example/{n}", 0.1)
    assert len(account._spent) == KNOWN_PAGES


@pytest.mark.parametrize("stage", ["reading", "extracting", "learning"])
def test_unexpected_failure_is_reported_as_such(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from blogcrawl.cli.summary import Summary
    from blogcrawl.crawling import learning
    from blogcrawl.crawling import page_reader as reading
    from blogcrawl.crawling.pipelines import extract

    def broken(*_args: object, **_kwargs: object) -> object:
        raise KeyError("nobody expects this")

    if stage == "learning":
        monkeypatch.setattr(learning, "learn", broken)
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    write_blog(site, entries(8))
    bad = entries(8)[2].path.strip("/")

    def only(original: object, page_of: object) -> object:
        def replaced(*args: object, **kwargs: object) -> object:
            if bad in page_of(*args).url:  # type: ignore[operator]
                raise KeyError("nobody expects this")
            return original(*args, **kwargs)  # type: ignore[operator]

        return replaced

    if stage == "extracting":
        monkeypatch.setattr(
            extract, "extract_post", only(extract.extract_post, lambda page, *_: page)
        )
    if stage == "reading":
        monkeypatch.setattr(reading, "failure", only(reading.failure, lambda page: page))
    with Server(site) as server:
        row = crawl(server.url, archive, learn_entries=4)
    from blogcrawl.cli.crawling import reported_error

    summary = Summary(server.url, row, reported_error(row), str(archive))
    assert summary.exit_code == 70
    assert row.outcome != "stopped"
    assert (
        row.report["unforeseen"][0]["stage"] and "KeyError" in row.report["unforeseen"][0]["error"]
    )
    if stage == "learning":
        assert row.outcome == "failed" and "learning" in row.report["error"]["message"]
    else:
        assert (
            bad in row.report["unforeseen"][0]["url"]
            and row.report["unforeseen"][0]["stage"] == stage
        )
        assert len(rows(archive)) == 7
        assert [
            bad in missed["url"] and stage in missed["reason"] for missed in row.report["missing"]
        ] == [True]


@pytest.mark.parametrize("where", ["learn", "undated", "note"])
def test_unexpected_failure_while_learning_from_a_page_costs_no_post(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from blogcrawl.cli.crawling import reported_error
    from blogcrawl.cli.summary import Summary
    from blogcrawl.crawling import learning, list_dates, relearning

    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    write_blog(site, entries(8))
    learn = learning.learn

    def fail_at(page: Page) -> None:
        if page.url.endswith(bad):
            raise KeyError("nobody expects this")

    def failing(*args: object, **_: object) -> object:
        raise KeyError("nobody expects this")

    def learning_fails(pages: list[learning.TrainingPage], *others: Any) -> object:
        for each in pages:
            fail_at(each.page)
        return learn(pages, *others)

    if where == "learn":
        monkeypatch.setattr(learning, "learn", learning_fails)
    elif where == "undated":
        monkeypatch.setattr(list_dates, "undated", failing)
    else:
        monkeypatch.setattr(relearning.Templates, "note", failing)
    bad = entries(8)[7].path
    with Server(site) as server:
        row = crawl(server.url, archive, learn_entries=4)
    summary = Summary(server.url, row, reported_error(row), str(archive))
    assert summary.exit_code == 70 and len(rows(archive)) == 8
    stage = "reading the days of" if where == "undated" else "learning from"
    assert {each["stage"] for each in row.report["unforeseen"]} == {stage}
    assert row.report["missing"] == []


def test_codec_that_is_no_charset_does_not_block(tmp_path: Path) -> None:
    site, archive = tmp_path / "site", tmp_path / "archive"
    site.mkdir()
    known = entries(8)
    write_blog(site, known)
    names = ("idna", "punycode", "hex", "undefined", "zlib", "unicode_escape", "rot13", "utf-7")
    with Server(site) as server:
        bodies = {
            entry.path: (site / entry.path.strip("/") / "index.html").read_text("utf-8")
            for entry in known
        }
        server.rules = [
            Rule(path=path, headers={"Content-Type": f"text/html; charset={name}"}, body=body)
            for (path, body), name in zip(bodies.items(), names, strict=True)
        ]
        row = crawl(server.url, archive)
    assert row.outcome == "finished" and len(rows(archive)) == 8 and not row.report["missing"]
