"""Whole crawls of a small blog in a real server: all posts, once, politely; and every way in which
it can go wrong.
"""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.errors import ArchiveError, LeaseLostError, UsageError
from blogcrawl.packaging.digest import content_digest
from blogcrawl.packaging.ids import blog_id
from blogcrawl.storage.files import FolderLock
from blogcrawl.storage.state import open_state
from blogcrawl.urls.canonical import canonicalize
from tests.crawling.blog import entries, write_blog
from tests.crawling.crawling import crawl, faults, post, rows, versions
from tests.server import Rule, Server

COUNT = 23


def blog(server: Server, count: int = COUNT, **how: object) -> None:
    assert server.root is not None
    write_blog(server.root, entries(count), base=server.url.rstrip("/"), **how)  # type: ignore[arg-type]


def test_every_post_is_archived_completely(root: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with Server(root) as server:
        blog(server)
        row = crawl(server.url, archive)
        paths = server.paths()
    assert row.outcome == "finished" and row.report["error"] is None and row.report["missing"] == []
    assert row.counts["posts_archived"] == COUNT
    archived = rows(archive)
    truth = {entry.path.rstrip("/"): entry for entry in entries(COUNT)}
    assert archived.keys() == truth.keys()
    for path, entry in truth.items():
        found = post(archive, archived[path])
        assert (
            found.title == entry.title
            and found.published
            and found.published.date() == entry.date.date()
            and found.authors == ("Ada Writer",)
        )
        assert all(text in found.content_text for text in entry.paragraphs)
        good, bad = found.media
        assert good.sha256 and good.mime == "image/png" and bad.error == "HTTP 404"
    assert faults(archive) == []
    with closing(open_state(Config(archive=str(archive)))) as state:
        assert [one.record["authors"] for one in state.blogs()] == [["Ada Writer"]]
    assert len(versions(archive)) == COUNT + 1, "an entry AIP a post and the blog's"
    assert [paths.count(p) for p in set(paths) if "/img/" not in p] == [1] * len(
        {p for p in paths if "/img/" not in p}
    )
    assert sum(p.startswith("/img/") for p in paths) == 6, "each picture travels once"
    assert not list((archive / "crawls").rglob("newcrawl*")), "a finished crawl leaves no frontier"


def test_three_crawls_archive_the_same_posts_in_whatever_order_pages_come(
    root: Path, tmp_path: Path
) -> None:
    found = []
    with Server(root) as server:
        blog(server)
        for number in range(3):
            late = [entry for at, entry in enumerate(entries(COUNT)) if at % 3 == number]
            server.rules = [Rule(path=re.escape(entry.path), delay=0.05) for entry in late]
            archive = tmp_path / str(number)
            crawl(server.url, archive)
            posts = {path: post(archive, row) for path, row in rows(archive).items()}
            found.append({path: content_digest(one) for path, one in posts.items()})
    assert found[0] == found[1] == found[2] and len(found[0]) == COUNT


def test_blog_record_has_the_feeds_update_interval(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        base = server.url.rstrip("/")
        write_blog(root, entries(3), base=base)
        feed = next(path for path in root.rglob("*.xml") if b"<channel>" in path.read_bytes())
        period = (
            '<sy:updatePeriod xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">daily'
            "</sy:updatePeriod>"
        )
        feed.write_text(feed.read_text().replace("<channel>", "<channel>" + period))
        crawl(server.url, tmp_path / "archive")
    records = [path.read_text() for path in (tmp_path / "archive" / "packages").rglob("marc.xml")]
    (blog,) = [text for text in records if "every 24 hours" in text]
    assert '<datafield tag="954"' in blog


def test_user_agent_and_robots_are_respected(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        blog(server)
        (root / "robots.txt").write_text("User-agent: blogcrawl\nDisallow: /2024/02/\n")
        row = crawl(server.url, tmp_path / "archive", contact="mailto:archivist@example.org")
        log = server.log()
    agents = {hit.headers["user-agent"] for hit in log}
    assert len(agents) == 1 and "blogcrawl/" in agents.pop()
    assert all("mailto:archivist@example.org" in hit.headers["user-agent"] for hit in log)
    assert not any(hit.path.startswith("/2024/02/") for hit in log)
    assert log[0].path == "/robots.txt"
    assert row.counts["posts_archived"] < COUNT


def test_pipeline_stages_can_be_disabled(root: Path, tmp_path: Path) -> None:
    stages = {"extract.ExtractStage": 200, "package.PackageStage": 500}
    with Server(root) as server:
        blog(server, 12)
        row = crawl(
            server.url,
            tmp_path / "a",
            extra={
                "ITEM_PIPELINES": {
                    f"blogcrawl.crawling.pipelines.{k}": v for k, v in stages.items()
                }
            },
        )
        assert not any("/img/" in p for p in server.paths())
    assert row.counts["posts_archived"] == 12


def test_blog_that_fails_half_of_the_time_is_archived(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        blog(server)
        server.rules = [Rule(path=".*", fail_every=2)]
        row = crawl(server.url, tmp_path / "archive")
        assert row.counts["requests"] == len(server.paths()), "each try counts"
    assert row.outcome == "finished" and row.counts["posts_archived"] == COUNT
    assert row.report["missing"] == []


def test_missing_posts_are_reported_with_reasons(root: Path, tmp_path: Path) -> None:
    gone = entries(COUNT)[-2].path
    broken = entries(COUNT)[-3].path
    with Server(root) as server:
        blog(server)
        server.rules = [Rule(path=gone, status=404), Rule(path=broken, status=500)]
        row = crawl(server.url, tmp_path / "archive")
        assert server.paths().count(gone) == 1, "a gone training page is asked for once"
    missing = {m["url"].split("/", 3)[3]: m["reason"] for m in row.report["missing"]}
    assert missing == {gone.strip("/"): "HTTP 404", broken.strip("/"): "HTTP 500"}
    assert [m["dead"] for m in row.report["missing"]] == [False, True] and row.report[
        "dead_count"
    ] == 1
    assert row.counts["posts_missing"] == 2 and row.counts["posts_archived"] == COUNT - 2


def test_dead_links_are_counted_and_cost_no_post(root: Path, tmp_path: Path) -> None:
    """Old posts that are gone but for their links, at addresses of the shape of all posts."""
    old = [f"/2019/{month:02}/about-{month}/" for month in range(1, 10)]
    with Server(root) as server:
        blog(server)
        links = "".join(f'<li><a href="{path}">{path[6:]}</a></li>' for path in old)
        start = root / "index.html"
        text = start.read_text("utf-8").replace("</body>", f"<ul>{links}</ul></body>")
        start.write_text(text, "utf-8")
        row = crawl(server.url, tmp_path / "archive")
    gone = {url.split("/", 3)[3] for url in row.report["gone"]}
    assert gone == {path.strip("/") for path in old} and row.report["gone_count"] == len(old)
    assert row.report["missing_count"] == 0 and row.counts["posts_archived"] == COUNT


NOTICE = (
    "<title>Hinweis</title><h1>Nicht erreichbar</h1><p>Dieses Angebot ruht, wenden Sie "
    "sich bitte an seinen Betreiber.</p>"
)
LOGIN = (
    "<title>Log in</title><form method=post><input name=user><input type=password "
    "name=pass><button>Go</button></form>"
)


def test_two_posts_of_a_sitemap_behind_one_notice_are_missing(root: Path, tmp_path: Path) -> None:
    """No link calls them by a name that the notice lacks, and two say little of a kind."""
    posts = entries(COUNT)
    with Server(root) as server:
        base = server.url.rstrip("/")
        write_blog(root, posts, base=base, feed=6, per_page=6, sitemap=True)
        (root / "page" / "2" / "index.html").unlink()
        server.rules = [Rule(path=entry.path, body=NOTICE) for entry in posts[3:5]]
        row = crawl(server.url, tmp_path / "a")
    missing = {"/" + m["url"].split("/", 3)[3].strip("/") + "/" for m in row.report["missing"]}
    assert missing == {entry.path for entry in posts[3:5]}
    assert len(rows(tmp_path / "a")) == COUNT - 2


@pytest.mark.parametrize("more", ["", "<p>Request {n}b{n}, 12:0{n} <a href=/>Start</a>"])
def test_interstitial_pages_are_no_posts_and_their_posts_are_missing(
    root: Path, tmp_path: Path, more: str
) -> None:
    """Also where each has the number of its request."""
    old = entries(COUNT)[: COUNT // 2]
    with Server(root) as server:
        blog(server)
        bodies = [NOTICE + more.format(n=n) for n in range(len(old))]
        server.rules = [Rule(path=e.path, body=body) for e, body in zip(old, bodies, strict=True)]
        row = crawl(server.url, tmp_path / "a")
    missing = {
        "/" + m["url"].split("/", 3)[3].strip("/") + "/": m["reason"] for m in row.report["missing"]
    }
    assert row.counts["posts_archived"] == len(rows(tmp_path / "a")) == COUNT - len(old)
    assert missing == dict.fromkeys(
        (entry.path for entry in old), "many addresses answer with this very page"
    )
    assert row.report["stop"]["completeness"] < 0.6


def test_one_page_in_place_of_two_posts_of_other_names_is_neither(
    root: Path, tmp_path: Path
) -> None:
    old = entries(COUNT)[:2]
    with Server(root) as server:
        blog(server)
        server.rules = [Rule(path=entry.path, body=NOTICE) for entry in old]
        row = crawl(server.url, tmp_path / "a")
    assert row.counts["posts_archived"] == COUNT - len(old)
    assert row.report["missing_count"] == len(old)


def test_pages_that_redirect_to_one_notice_are_missing(root: Path, tmp_path: Path) -> None:
    """Each to an address of its own, as walls that ask for consent have it."""
    old = entries(COUNT)[: COUNT // 2]
    with Server(root) as server:
        blog(server)
        to = [{"Location": f"/consent/?back={entry.path}"} for entry in old]
        moved = [Rule(path=e.path, status=302, headers=h) for e, h in zip(old, to, strict=True)]
        server.rules = [*moved, Rule(path="/consent/.*", body=NOTICE)]
        row = crawl(server.url, tmp_path / "a")
    assert not [path for path in rows(tmp_path / "a") if "consent" in path]
    assert row.counts["posts_archived"] == COUNT - len(old)
    assert row.report["missing_count"] == len(old)


def test_post_whose_page_dead_links_show_stays(root: Path, tmp_path: Path) -> None:
    """A site that shows the same post at each address that it does not know."""
    newest, *dead = entries(COUNT)[-1], *entries(COUNT)[:5]
    with Server(root) as server:
        blog(server)
        shown = (root / newest.path.strip("/") / "index.html").read_text("utf-8")
        server.rules = [Rule(path=entry.path, body=shown) for entry in dead]
        row = crawl(server.url, tmp_path / "a")
    assert newest.path.rstrip("/") in {path.rstrip("/") for path in rows(tmp_path / "a")}
    assert row.counts["posts_archived"] == COUNT - len(dead)


@pytest.mark.parametrize("body", [NOTICE, LOGIN])
def test_identical_page_for_all_posts_is_not_learned_from(
    root: Path, tmp_path: Path, body: str
) -> None:
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        server.rules = [Rule(path=r"/2024/.+/.+/", body=body)]
        row = crawl(server.url, tmp_path / "a")
    assert not row.counts.get("posts_archived") and row.report["missing_count"] >= 10
    assert row.report["stop"]["completeness"] == 0


def test_linked_post_with_a_truncated_response_is_missing(root: Path, tmp_path: Path) -> None:
    oldest = entries(COUNT)[0].path
    with Server(root) as server:
        write_blog(root, entries(COUNT), base=server.url.rstrip("/"))
        server.rules = [Rule(path=oldest, status=403, body="no")]
        row = crawl(server.url, tmp_path / "a")
    assert [(m["reason"], m["sources"]) for m in row.report["missing"]] == [("HTTP 403", ["links"])]
    assert row.counts["posts_archived"] == COUNT - 1 and row.report["stop"]["completeness"] < 1


def test_empty_responses_are_retried_and_are_no_posts(root: Path, tmp_path: Path) -> None:
    """A page of status 200 without a byte, as broken themes and full disks of servers give it."""
    newest, older, always = (entries(COUNT)[place].path for place in (-1, 2, 4))
    with Server(root) as server:
        blog(server)
        server.rules = [
            Rule(path=newest, body="", times=1),
            Rule(path=older, body="", times=1),
            Rule(path=always, body=" "),
        ]
        row = crawl(server.url, tmp_path / "archive")
    assert [(m["url"].split("/", 3)[3].strip("/"), m["reason"]) for m in row.report["missing"]] == [
        (always.strip("/"), "an empty answer")
    ]
    assert row.counts["posts_archived"] == COUNT - 1


def test_old_urls_that_redirect_to_posts_are_requested_once(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        blog(server)
        newest = entries(COUNT)[::-1]
        old = {f"/{e.date:%Y/%m/%d}/{e.path.split('/')[-2]}/": e.path for e in newest[12:]}
        file = root / newest[0].path.strip("/") / "index.html"
        links = "".join(f'<a href="{path}">as I said</a> ' for path in old)
        file.write_text(file.read_text("utf-8").replace("<p>", f"<p>{links}", 1), "utf-8")
        server.rules = [
            Rule(path=path, status=301, headers={"Location": new}) for path, new in old.items()
        ]
        row = crawl(server.url, tmp_path / "archive")
        paths = server.paths()
    assert row.outcome == "finished" and row.report["missing"] == []
    assert row.counts["requests"] == len(paths), "redirects count"
    assert rows(tmp_path / "archive").keys() == {entry.path.rstrip("/") for entry in newest}
    assert sum(paths.count(path) for path in old) <= len(old)
    again = sum(paths.count(entry.path) - 1 for entry in newest)
    assert again <= 2 < len(old), (
        "what was read is not fetched again at the end of a redirect, unless both were under "
        "way at once"
    )


def test_max_posts_limits_the_crawl(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        blog(server)
        row = crawl(server.url, tmp_path / "archive", max_posts=5)
    assert row.counts["posts_archived"] == 5 and row.outcome == "finished"


def _bare_page(server: Server, path: str, body: str) -> None:
    """A page without a feed and a menu."""
    assert server.root is not None
    file = server.root / path.strip("/") / "index.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"<html><head><title>Notes</title></head><body>{body}</body></html>")


def _post_page(number: int) -> str:
    entry = entries(number + 1)[-1]
    text = "".join(f"<p>{line}</p>" for line in entry.paragraphs * 2)
    return f"<h1>{entry.title}</h1><p>{entry.date:%d %B %Y}</p><div>{text}</div>"


def test_rejected_candidates_are_replaced_by_the_next(root: Path, tmp_path: Path) -> None:
    """No feed, and robots.txt forbids what the start page links to first."""
    links = [f"/private/a-note-of-old-{n}/" for n in range(20)]
    links += [f"/notes/the-kettle-and-the-river-{n}/" for n in range(8)]
    with Server(root) as server:
        _bare_page(server, "/", "".join(f"<h2><a href={link}>{link}</a></h2>" for link in links))
        for number, link in enumerate(links):
            _bare_page(server, link, _post_page(number))
        (root / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
        row = crawl(server.url, tmp_path / "archive")
    assert row.report["error"] is None and row.counts["posts_archived"] == 8


def test_start_page_with_links_to_months_only_is_a_blog(root: Path, tmp_path: Path) -> None:
    months = [f"/2024/{month:02}/" for month in range(1, 7)]
    with Server(root) as server:
        menu = "".join(f"<li><a href={month}>{month}</a></li>" for month in months)
        _bare_page(server, "/", f"<p>A diary.</p><ul>{menu}</ul>")
        for number, month in enumerate(months):
            posts = [f"{month}the-kettle-and-the-river-{number}-{n}/" for n in range(3)]
            heads = (f"<h2><a href={url}>Kettle {url}</a></h2><p>It sings.</p>" for url in posts)
            _bare_page(server, month, "".join(heads))
            for n, url in enumerate(posts):
                _bare_page(server, url, _post_page(3 * number + n))
        row = crawl(server.url, tmp_path / "archive")
    assert row.report["error"] is None and row.counts["posts_archived"] == 18


def test_robots_txt_forbidding_all_posts_is_reported(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        blog(server)
        (root / "robots.txt").write_text("User-agent: *\nDisallow: /*/\nDisallow: /*.xml\n")
        row = crawl(server.url, tmp_path / "archive")
    assert row.report["error"]["kind"] == "RobotsError"
    assert "robots.txt" in row.report["error"]["message"]


START_TROUBLE = {
    "status": ([Rule(path="/", status=404)], "HttpStatusError", 4),
    "server": ([Rule(path="/", status=500)], "HttpStatusError", 4),
    "robots": (
        [
            Rule(
                path="/robots.txt",
                body="User-agent: *\nDisallow: /",
                headers={"Content-Type": "text/plain"},
            )
        ],
        "RobotsError",
        7,
    ),
    "robots 503": ([Rule(path="/robots.txt", status=503)], "RobotsError", 7),
    "no blog": (
        [Rule(path="/", body="<html><body><h1>Shop</h1><p>We sell kettles.</p></body></html>")],
        "NotABlogError",
        5,
    ),
    "redirect circle": (
        [Rule(path="/.*", status=302, headers={"Location": "/round/"})],
        "HttpStatusError",
        4,
    ),
    "private": (
        [Rule(path="/", status=302, headers={"Location": "http://127.0.0.2:1/"})],
        "RefusedError",
        16,
    ),
    "other scheme": (
        [Rule(path="/", status=302, headers={"Location": "file:///etc/passwd"})],
        "HttpStatusError",
        4,
    ),
}


@pytest.mark.parametrize("name", START_TROUBLE)
def test_failure_of_the_start_page_is_one_clear_error(name: str, tmp_path: Path) -> None:
    rules, kind, code = START_TROUBLE[name]
    with Server(None, rules) as server:
        row = crawl(server.url, tmp_path / "archive")
    error = row.report["error"]
    assert row.outcome == "failed" and (error["kind"], error["exit_code"]) == (kind, code), error
    assert "\n" not in error["message"]


GONE = "http://gone.invalid/new/"
FORWARDS = {
    "redirect": Rule(path="/", status=302, headers={"Location": GONE}),
    "refresh": Rule(
        path="/",
        body=f"<html><head><meta http-equiv=refresh content='0; url={GONE}'></head></html>",
        headers={"Content-Type": "text/html"},
    ),
}


@pytest.mark.parametrize("how", FORWARDS)
def test_redirect_of_the_start_page_to_a_dead_host_names_it(how: str, tmp_path: Path) -> None:
    with Server(None, [FORWARDS[how]]) as server:
        error = crawl(server.url, tmp_path / "archive").report["error"]
    assert error["kind"] == "UnreachableError" and "\n" not in error["message"], error
    assert GONE in error["message"] and "127.0.0.1" in error["message"]


@pytest.mark.parametrize("how", FORWARDS)
def test_blog_is_archived_though_its_start_page_redirects_to_a_dead_host(
    how: str, root: Path, tmp_path: Path
) -> None:
    with Server(root, [FORWARDS[how]]) as server:
        write_blog(root, entries(12), base=server.url.rstrip("/"), feed=12)
        row = crawl(server.url, tmp_path / "archive")
    assert row.counts["posts_archived"] == 12, row.report
    found = row.report["completeness"]
    assert found["status"] == "unknown" and "gone.invalid" in str(found["reasons"]), found


def test_unreachable_hosts_are_errors(tmp_path: Path) -> None:
    row = crawl("http://127.0.0.1:1/", tmp_path / "a")
    assert (
        row.report["error"]["kind"] == "UnreachableError"
        and "refuses" in row.report["error"]["message"]
    )
    row = crawl("http://no-such-host.invalid/", tmp_path / "a")
    assert (
        row.report["error"]["kind"] == "UnreachableError"
        and "resolve" in row.report["error"]["message"]
    )


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "",
        "http://",
        "mailto:x@example.org",
        "http://x:99999/",
    ],
)
def test_invalid_urls_are_usage_errors(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        crawl(url, tmp_path / "a")


def test_invalid_feeds_are_errors(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        blog(server)
        row = crawl(server.url, tmp_path / "a", feed=server.url + "about/")
        assert row.report["error"]["kind"] == "FeedError"
        empty = '<rss version="2.0"><channel><title>x</title></channel></rss>'
        front = (
            '<html><head><link rel="alternate" type="application/rss+xml" '
            'href="/feed.xml"></head><body></body></html>'
        )
        server.rules = [
            Rule(path="/feed.xml", body=empty, headers={"Content-Type": "application/rss+xml"}),
            Rule(path="/", body=front),
        ]
        row = crawl(server.url, tmp_path / "b")
        assert (
            row.report["error"]["kind"] == "FeedError" and "empty" in row.report["error"]["message"]
        )


def test_one_process_at_a_time_crawls_a_blog(root: Path, tmp_path: Path) -> None:
    """Two would share a frontier, and the first to end would pack the other's evidence while it is
    written.
    """
    with Server(root) as server:
        write_blog(root, entries(12), base=server.url.rstrip("/"))
        lock = FolderLock(tmp_path / "a" / "crawls" / blog_id(canonicalize(server.url)))
        with pytest.raises(LeaseLostError, match="another process is crawling this blog"):
            crawl(server.url, tmp_path / "a")
        lock.release()
        for outcome in ("finished", "finished"):
            assert crawl(server.url, tmp_path / "a").outcome == outcome


def test_invalid_archive_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArchiveError):
        crawl("http://127.0.0.1:1/", tmp_path / "file")


def test_images_on_private_addresses_are_not_requested(root: Path, tmp_path: Path) -> None:
    with Server(root) as server, Server(root, host="127.0.0.2") as other:
        blog(server, 12)
        for file in root.rglob("index.html"):
            file.write_text(
                file.read_text().replace('src="/img/missing.png"', f'src="{other.url}img/1.png"')
            )
        row = crawl(server.url, tmp_path / "archive")
        assert other.log() == []
    assert row.counts["posts_archived"] == 12
    pictures = [
        m
        for r in rows(tmp_path / "archive").values()
        for m in post(tmp_path / "archive", r).media
        if "127.0.0.2" in m.url
    ]
    assert pictures and all("private" in (m.error or "") for m in pictures)


def test_start_url_of_a_post_leads_to_its_blog(root: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    with Server(root) as server:
        blog(server)
        row = crawl(server.url.rstrip("/") + entries(COUNT)[4].path, archive)
        paths = server.paths()
        home = server.url
    assert (
        row.outcome == "finished"
        and row.counts["posts_archived"] == COUNT
        and row.report["missing"] == []
    )
    state = open_state(Config(archive=str(archive)))
    assert [found.url for found in state.blogs()] == [home]
    state.close()
    assert paths.count("/") == 1


def write_numbered(root: Path, count: int, dated: bool) -> list[str]:
    """A blog without feed whose posts are numbers, six of them on its home page, with monthly
    archives.
    """
    posts = entries(count)
    paths = [f"/archives/{100 + n:06}.html" for n in range(count)]
    months = {
        f"/archives/2016_{1 + at:02}.html": range(start, min(count, start + 4))
        for at, start in enumerate(range(0, count, 4))
    }
    menu = (
        "<ul class=side>"
        + "".join(f"<li><a href={path}>month {at}</a></li>" for at, path in enumerate(months))
        + "</ul>"
    )

    def write(path: str, title: str, main: str) -> None:
        head = f"<!DOCTYPE html><html lang=en><head><title>{title}</title></head>"
        file = root / path.strip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{head}<body><div class=main>{main}</div>{menu}</body></html>", "utf-8")

    for n, path in enumerate(paths):
        body = "".join(f"<p>{text}</p>" for text in posts[n].paragraphs)
        near = "".join(
            f"<a href={paths[m]}>{posts[m].title}</a> " for m in (n - 1, n + 1) if 0 <= m < count
        )
        day = f"<p class=day>{posts[n].date:%d %B %Y}</p>" if dated else ""
        write(
            path,
            posts[n].title,
            (
                f"{day}<div class=entry><p>{near}</p><h1>{posts[n].title}</h1><div "
                f"class=body>{body}</div></div>"
            ),
        )

    def teasers(some: list[int]) -> str:
        return "".join(
            (
                f"<div class=t><h3><a href={paths[n]}>{posts[n].title}</a></h3><p>"
                f"{posts[n].paragraphs[0]}</p></div>"
            )
            for n in some
        )

    for at, (path, some) in enumerate(months.items()):
        write(path, f"month {at}", f"<h2>month {at}</h2>" + teasers([*some]))
    write("index.html", "Notes", teasers([*range(count - 6, count)]))
    return paths


@pytest.mark.parametrize("dated", [True, False])
def test_lists_are_read_once_if_first_candidates_confirm_none(
    root: Path, tmp_path: Path, dated: bool
) -> None:
    with Server(root) as server:
        truth = write_numbered(root, 32, dated)
        row = crawl(server.url, tmp_path / "archive")
        paths = server.paths()
    assert row.outcome == "finished"
    assert sorted(rows(tmp_path / "archive")) == truth
    assert [
        path for path in set(paths) if paths.count(path) > 1 and path.startswith("/archives/")
    ] == []


def test_feed_with_unreachable_post_urls(root: Path, tmp_path: Path) -> None:
    with Server(root) as server:
        truth = write_numbered(root, 14, True)
        items = "".join(
            f"<item><title>No. {n}</title><link>{server.url}wrong/{n}.html</link></item>"
            for n in range(10)
        )
        (root / "feed.xml").write_text(
            f"<rss version='2.0'><channel><title>Notes</title>{items}</channel></rss>", "utf-8"
        )
        crawl(server.url, tmp_path / "archive")
    found = rows(tmp_path / "archive")
    assert sorted(found) == truth
    assert all(row.published for row in found.values())


def test_paginated_post_is_one_record(root: Path, tmp_path: Path) -> None:
    posts = entries(6)

    def write(path: str, title: str, main: str) -> None:
        file = root / path.strip("/") / "index.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            (
                f"<html lang=en><head><title>{title}</title></head><body><div "
                f"class=main>{main}</div></body></html>"
            ),
            "utf-8",
        )

    for entry in posts:
        for number, part in enumerate((entry.paragraphs[:2], entry.paragraphs[2:]), 1):
            pages = f"<p class=pages><a href={entry.path}>1</a> <a href={entry.path}2/>2</a></p>"
            body = "".join(f"<p>{text}</p>" for text in part)
            own = entry.path if number == 1 else f"{entry.path}2/"
            write(
                own,
                entry.title,
                (
                    f"<h1>{entry.title}</h1><p class=day>{entry.date:%d %B %Y}</p><div "
                    f"class=body>{body}</div>{pages}"
                ),
            )
    write(
        "/", "Notes", "".join(f"<h2><a href={entry.path}>{entry.title}</a></h2>" for entry in posts)
    )
    with Server(root) as server:
        crawl(server.url, tmp_path / "archive")
    found = rows(tmp_path / "archive")
    assert sorted(found) == sorted(entry.path.rstrip("/") for entry in posts)
    for entry in posts:
        text = post(tmp_path / "archive", found[entry.path.rstrip("/")]).content_text
        assert all(paragraph in text for paragraph in entry.paragraphs)


def test_a_post_at_a_second_address_is_archived_once(root: Path, tmp_path: Path) -> None:
    """A second address in another folder, with pictures and links written for that one."""
    with Server(root) as server:
        blog(server)
        newest = entries(COUNT)[::-1]
        links = ""
        for entry in newest[3:9]:
            text = (root / entry.path.strip("/") / "index.html").read_text("utf-8")
            second = root / "previous" / str(entry.number) / "index.html"
            second.parent.mkdir(parents=True)
            second.write_text(text.replace("<nav>", "<nav>An older view of it. "), "utf-8")
            links += f'<a href="/previous/{entry.number}/">{entry.title}</a> '
        start = root / "index.html"
        start.write_text(start.read_text("utf-8").replace("<main>", f"<main>{links}"), "utf-8")
        row = crawl(server.url, tmp_path / "archive")
        again = crawl(server.url, tmp_path / "archive", spider="updatecrawl")
    assert row.outcome == again.outcome == "finished" and row.report["missing"] == []
    archived = rows(tmp_path / "archive")
    assert len(archived) == COUNT and again.counts.get("posts_archived", 0) == 0
    assert len({post(tmp_path / "archive", found).title for found in archived.values()}) == COUNT
