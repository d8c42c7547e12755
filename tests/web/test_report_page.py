"""``report BLOG --html``: what the page says, that it needs nothing else, and that nothing acts."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import lxml.html
import pytest

from blogcrawl.storage.tables import CrawlRow
from blogcrawl.web import plots, report_page
from blogcrawl.web.report_page import NAMED, Report
from tests.conftest import Cli
from tests.packaging.samples import MOMENT, entry
from tests.web import hostile
from tests.web.archive import BLOG_ID, NOW, Sample, make


def report(sample: Sample) -> bytes:
    blog = sample.state.get_blog(BLOG_ID)
    assert blog is not None
    return Report(sample.state, sample.store, sample.room.operator, NOW).page(blog)


def test_report_says_what_is_archived_and_what_is_not(tmp_path: Path) -> None:
    page = report(make(tmp_path)).decode()
    text = " ".join(lxml.html.document_fromstring(page).text_content().split())
    for part in (
        "Completeness75.0 %",
        "a <reason>",
        "all was read",
        "Missing posts: 1",
        "HTTP 500 (1)",
        "https://blog.example/lost",
        "Rejected pages: 1",
        "the rule for published finds nothing (1)",
        "Taken down: 1",
        "the author asked",
        "Posts per month",
        "2026-01",
    ):
        assert part in text, part


def test_wide_tables_are_reached_by_the_keyboard(tmp_path: Path) -> None:
    """On a phone they scroll: axe-core calls it serious where only a finger can."""
    tree = lxml.html.document_fromstring(report(make(tmp_path)))
    wide = tree.cssselect(".wide")
    assert wide and all(box.get("tabindex") == "0" and box.get("aria-label") for box in wide)


def test_report_needs_nothing_else(tmp_path: Path) -> None:
    """Also no picture from the web: those of samples are within, in formats that cannot act."""
    page = report(make(tmp_path)).decode()
    hostile.check(page.encode())
    tree = lxml.html.document_fromstring(page)
    assert not tree.findall(".//link")
    sources = [image.get("src") or "" for image in tree.findall(".//img")]
    assert sources and all(src.startswith("data:image/") for src in sources)
    assert "url(" not in page and "@import" not in page
    policy = tree.find(".//meta[@http-equiv]").get("content")
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")


def test_large_blogs_have_reports_of_bounded_size(tmp_path: Path) -> None:
    sample = make(tmp_path)
    lost = [{"url": f"https://blog.example/{n}", "reason": f"HTTP {n}"} for n in range(5000)]
    for number in range(200):
        moment = MOMENT + timedelta(days=1 + number)
        sample.state.save(
            CrawlRow(
                id=f"c{number + 2}",
                blog_id=BLOG_ID,
                spider="updatecrawl",
                started=moment,
                ended=moment,
                outcome="finished",
                counts={"posts_archived": number % 3, "posts_changed": 1},
                report={"missing": lost, "missing_count": 7000},
            )
        )
    page = report(sample).decode()
    assert "Missing posts: 7,000" in page and f"{NAMED} of 7,000 pages" in page
    assert "changed posts" in page and len(page) < 400_000


def test_blog_without_posts_and_crawls_has_a_report(tmp_path: Path) -> None:
    sample = make(tmp_path)
    blog = sample.state.get_blog(BLOG_ID)
    assert blog is not None
    empty = replace(blog, id="other", url="https://other.example/", model=None, aip_id=None)
    sample.state.save_blog(empty)
    page = Report(sample.state, sample.store, sample.room.operator, NOW).page(empty)
    assert b"Too little is known" in page and b"<svg" not in page


def test_damaged_packages_are_left_out_of_the_samples(tmp_path: Path) -> None:
    sample = make(tmp_path)
    victim = next(tmp_path.glob("packages/**/post.json"))
    victim.write_text("{")
    assert b"Samples" in report(sample)


def test_nothing_acts_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_page, "SAMPLES", 2 * len(hostile.EVERY))
    sample = hostile.fill(tmp_path / "archive")
    page = report(sample)
    assert page.count(b'<p dir="auto">') >= len(hostile.EVERY)
    hostile.check(page)
    (tmp_path / "report.html").write_bytes(page)
    hostile.opened([tmp_path / "report.html"])


def test_command_writes_the_report(cli: Cli, tmp_path: Path) -> None:
    make(tmp_path / "archive").state.close()
    done = cli("report", "blog.example", "--html", "r.html", "--json")
    assert done.code == 0 and done.json["file"] == "r.html"
    assert (tmp_path / "r.html").read_bytes().startswith(b"<!DOCTYPE html>")
    assert cli("report", "--html", "r.html").code == 2
    assert cli("report", "no such blog", "--html", "x.html").code == 2
    assert len(cli("report", "blog.example", "--json").json["blogs"]) == 1


def test_bars_of_nothing_are_no_plot() -> None:
    bars = [plots.Bar(day, [("new", 0)], day) for day in ("2024-01-01", "2024-01-02")]
    assert plots.plot(bars, "Crawls", {"new": "new posts"}) == ""


def test_months_without_posts_are_gaps() -> None:
    bars = plots.per_month({"2019-11": 2, "2020-02": 1}, "posts")
    assert [(bar.name, bar.total) for bar in bars] == [
        ("2019-11", 2),
        ("2019-12", 0),
        ("2020-01", 0),
        ("2020-02", 1),
    ]
    shared = plots.per_month({"2019-11": 0, "2020-01": 5, "2020-02": 0}, "comments")
    assert [bar.total for bar in shared] == [0, 0, 5, 0]
    assert plots.per_month({"2020-01": 0}, "posts") == []
    assert plots.per_month({}, "posts") == [] and plots.plot([], "x", {}) == ""


def test_more_months_than_pixels_become_years() -> None:
    means = plots.per_month({"1970-01": 9, "2025-06": 3, "2025-07": 1}, "letters", mean=True)
    assert [means[0].total, means[-1].total] == [9, 2]
    bars = plots.per_month({"1970-01": 1, "2025-06": 3, "2025-07": 1}, "posts")
    assert len(bars) == 56 and (bars[-1].name, bars[-1].total) == ("2025", 4)


@pytest.mark.parametrize("months", [1, 12, 30, 200, 479])
def test_labels_of_the_axis_do_not_touch(months: int) -> None:
    counts = {f"{1980 + at // 12}-{at % 12 + 1:02}": 1 for at in range(months)}
    drawn = plots.plot(plots.per_month(counts, "posts"), "Posts", {"posts": "posts"})
    ticks = re.findall(r'<text x="([\d.]+)" y="\d+">([\d-]+)</text>', drawn)
    assert ticks
    ends = [float(x) + 12 * len(text) for x, text in ticks]
    assert all(float(x) >= end for (x, _), end in zip(ticks[1:], ends, strict=False))
    assert ends[-1] <= plots.WIDTH


def test_samples_spread_over_the_time_of_the_blog(tmp_path: Path) -> None:
    sample = make(tmp_path, posts=20)
    page = report(sample).decode()
    assert page.count('<h3 dir="auto">') == 6
    for number in (0, 19):
        assert entry(number).post.canonical_url in page


def test_report_in_german(cli: Cli, tmp_path: Path) -> None:
    make(tmp_path / "archive").state.close()
    done = cli("report", "blog.example", "--language", "de", "--html", "r.html")
    page = lxml.html.fromstring((tmp_path / "r.html").read_bytes())
    assert done.code == 0 and page.get("lang") == "de"
    words = " ".join(page.text_content().split())
    for part in ("Archivbericht", "unvollständig", "Verworfene Seiten", "findet nichts"):
        assert part in words
    assert not re.search("Completeness|Rejected pages|finds nothing", words)
