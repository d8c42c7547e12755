# ruff: noqa: E501 (markup as engines write it)
"""What pages do to trap a browser, and what the crawler's tab makes of it. One page per kind, in one browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blogcrawl.core.netguard import Guard
from tests.rendering.browsing import PATIENT, Job, Result, draw, needs_browser
from tests.server import Rule, Server

pytestmark = [needs_browser, pytest.mark.timeout(1800)]

TEXT = "<article><h1>A post</h1>" + "<p>Its text, long enough to be one.</p>" * 20 + "</article>"
QUICK = replace(PATIENT, quiet_seconds=0.2)
LIMITS = {
    # Pages that only a clock ends, or that never fall silent.
    "busy": replace(QUICK, seconds=4, collect_seconds=2),
    "timers": replace(QUICK, settle_seconds=1.5),
    # Pages that are waited for.
    **dict.fromkeys(("late", "fetched", "scrolled"), replace(QUICK, quiet_seconds=1)),
    "requests": replace(QUICK, requests=50),
}

PAGES = {
    "plain": "",
    "late": "<script>setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p>came late</p>') }, 350)</script>",
    "fetched": "<div id=r></div><script>fetch('/data.json').then(r => r.json()).then(d => { r.textContent = d.text })</script>",
    "scrolled": "<div style='height:5000px'></div><div id=s>-</div><script>new IntersectionObserver(es => { if (es[0].isIntersecting) s.textContent = 'seen at last' }).observe(s)</script>",
    "endless scroll": "<div id=s></div><script>addEventListener('scroll', () => s.insertAdjacentHTML('beforeend', '<div style=\"height:3000px\">more</div>')); s.innerHTML = '<div style=\"height:3000px\">x</div>'</script>",
    "dialogs": "<script>for (let i = 0; i < 50; i++) { alert(i); confirm(i); prompt(i) } onbeforeunload = () => 'stay'</script>",
    "pop-ups": "<script>for (let i = 0; i < 20; i++) window.open('/plain.html'); const a = document.createElement('a'); a.href = '/plain.html'; a.target = '_blank'; document.body.append(a); a.click()</script>",
    "download": "<a id=d href=/file.bin download>x</a><script>d.click()</script>",
    "worker": "<p id=w></p><script>navigator.serviceWorker && navigator.serviceWorker.register('/sw.js').then(() => { w.textContent = 'registered' })</script>",
    "busy": "<script>setTimeout(() => { while (true) {} }, 300)</script>",
    "timers": "<p id=t></p><script>setInterval(() => { t.textContent += 'x'; fetch('/data.json') }, 50)</script>",
    "reloads": "<script>setTimeout(() => { location.reload() }, 60)</script>",
    "wanders": "<script>setTimeout(() => { location.href = '/wander.html?' + Math.random() }, 60)</script>",
    "tracker": "<script src='https://www.google-analytics.com/ga.js'></script><script>var i = new Image(); i.src = 'https://stats.wp.com/g.gif'</script>",
    "font": "<style>@font-face { font-family: F; src: url(/f.woff2) } h1 { font-family: F }</style><video src=/v.mp4 preload=auto></video>",
    "inside": "<p id=n>-</p><script>fetch('http://127.0.0.2:1/secret').catch(() => 0); fetch('http://169.254.169.254/latest').catch(() => 0); var f = document.createElement('iframe'); f.src = 'http://10.0.0.1/'; document.body.append(f)</script>",
    "files": "<iframe src='file:///etc/passwd'></iframe><script>fetch('file:///etc/passwd').then(r => r.text()).then(t => { document.body.append(t) }).catch(() => 0)</script>",
    "requests": "<script>for (let i = 0; i < 200; i++) fetch('/data.json?' + i)</script>",
    "errors": "<script>console.error('the widget broke'); throw new Error('and this too')</script>",
    "deep": "<script>let e = document.body; for (let i = 0; i < 300; i++) { const d = document.createElement('div'); e.append(d); e = d } e.textContent = 'the bottom'</script>",
    # more levels than Chromium can lay out: the tab dies
    "crash": "<script>let e = document.body; for (let i = 0; i < 3000; i++) { const d = document.createElement('div'); e.append(d); e = d } e.textContent = 'the bottom'</script>",
    # half a gigabyte of objects is what a page may have: the tab dies
    "hungry": "<script>setTimeout(() => { const a = []; while (true) a.push(new Array(1e6).fill(a)) }, 300)</script>",
    "streams": "<script>const s = new WebSocket(location.href.replace('http', 'ws')); const e = new EventSource('/data.json'); setInterval(() => { try { s.send('x') } catch (x) {} }, 50)</script>",
    "asks": "<script>print(); navigator.geolocation && navigator.geolocation.getCurrentPosition(() => 0); window.Notification && Notification.requestPermission(); navigator.mediaDevices && navigator.mediaDevices.getUserMedia({video: true}).catch(() => 0)</script>",
    "frames": "<script>for (let i = 0; i < 60; i++) { const f = document.createElement('iframe'); f.src = URL.createObjectURL(new Blob(['<p>in a frame</p>'.repeat(20)], {type: 'text/html'})); document.body.append(f) }</script>",
    "heavy": "<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<i>x</i>'.repeat(20000)), 100)</script>",
    "unloaded": "<div style='height:90000px'></div>"
    + "<iframe loading=lazy src='/plain.html'></iframe>" * 12,
    "refreshes": "<meta http-equiv=refresh content='0; url=/refreshes.html?again'>",
    "after": "",
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Result]]:
    folder = tmp_path_factory.mktemp("traps")
    for name, script in PAGES.items():
        Path(folder / f"{name}.html").write_text(
            f"<!doctype html><html><head><meta charset=utf-8><title>{name}</title></head><body>{TEXT}{script}</body></html>"
        )
    rules = [
        Rule(
            path=r"/data\.json.*",
            body='{"text": "from the server"}',
            headers={"Content-Type": "application/json"},
        ),
        Rule(path=r"/wander\.html.*", body=f"<html><body>{TEXT}{PAGES['wanders']}</body></html>"),
        Rule(
            path=r"/file\.bin",
            body="x" * 1000,
            headers={
                "Content-Type": "application/octet-stream",
                "Content-Disposition": "attachment",
            },
        ),
    ]
    with Server(folder, rules) as server:
        guard = Guard([server.url])
        jobs = {
            name: Job(f"{server.url}{name}.html", limits=LIMITS.get(name, QUICK), guard=guard)
            for name in PAGES
        }
        last = ("busy", "timers", "crash", "hungry", "after")
        yield draw({n: j for n, j in jobs.items() if n not in last}, at_once=3) | draw(
            {n: jobs[n] for n in last}
        )


def html(results: dict[str, Result], name: str) -> str:
    drawn = results[name].drawn
    assert drawn is not None, results[name].error
    return drawn.html


@pytest.mark.parametrize("name", sorted(set(PAGES) - {"busy", "crash", "hungry"}))
def test_hostile_pages_are_rendered_with_their_text(name: str, results: dict[str, Result]) -> None:
    """Not held up by its trap: the page's own clock did not have to end it."""
    assert "Its text, long enough to be one." in html(results, name)
    drawn = results[name].drawn
    assert drawn is not None and drawn.complete


def test_content_added_by_scripts_is_waited_for(results: dict[str, Result]) -> None:
    assert "came late" in html(results, "late")
    assert "from the server" in html(results, "fetched")
    assert "seen at last" in html(results, "scrolled")


def test_endless_script_is_aborted_at_the_timeout(results: dict[str, Result]) -> None:
    assert results["busy"].error
    assert results["timers"].drawn is not None, "the pages after it still work"


def test_crashed_tab_is_reported_and_the_next_one_works(results: dict[str, Result]) -> None:
    assert results["crash"].error and results["crash"].traffic.crashed
    assert results["after"].drawn is not None


def test_page_exhausting_memory_is_stopped(results: dict[str, Result]) -> None:
    assert results["hungry"].error and results["hungry"].traffic.crashed, (
        "by its memory, not by the clock"
    )
    assert results["after"].drawn is not None, "the browser lives on"


def test_navigation_away_from_the_page_is_blocked(results: dict[str, Result]) -> None:
    for name in ("reloads", "wanders"):
        assert results[name].traffic.blocked.get("endless navigation"), name
        assert results[name].traffic.navigations <= 40


def test_trackers_fonts_and_video_are_not_loaded(results: dict[str, Result]) -> None:
    assert results["tracker"].traffic.blocked == {"tracker": 2}
    assert results["font"].traffic.blocked.get("font") == 1
    assert results["font"].traffic.blocked.get("media")


def test_no_page_reaches_the_private_network_or_files(results: dict[str, Result]) -> None:
    assert results["inside"].traffic.blocked == {"private network": 3}
    assert "root:" not in html(results, "files")


def test_browser_requests_are_bounded(results: dict[str, Result]) -> None:
    assert results["requests"].traffic.blocked.get("too many requests", 0) > 100


def test_rendered_page_size_is_bounded(results: dict[str, Result]) -> None:
    assert len(results["frames"].page.frames) <= QUICK.frames
    assert len(results["heavy"].page.boxes or {}) <= QUICK.boxes + 1
    assert results["streams"].traffic.blocked.get("eventsource")
    assert results["refreshes"].traffic.navigations <= 40


def test_service_workers_and_popups_are_blocked(results: dict[str, Result]) -> None:
    assert '<p id="w"></p>' in html(results, "worker")


def test_script_errors_are_recorded(results: dict[str, Result]) -> None:
    assert any("the widget broke" in line for line in results["errors"].traffic.console)
    assert any("and this too" in line for line in results["errors"].traffic.console)


def test_screenshot_and_layout_boxes_are_returned(results: dict[str, Result]) -> None:
    page = results["plain"].page
    assert page.screenshot is not None and page.screenshot[8:12] == b"WEBP"
    assert page.boxes and len(page.boxes) > 20
    for path, (_, _, width, height) in page.boxes.items():
        assert len(page.tree.xpath(path)) == 1, path
        assert width > 0 and height > 0
    drawn = results["endless scroll"].drawn
    assert (
        drawn is not None
        and drawn.screenshot is not None
        and len(drawn.screenshot) <= QUICK.screenshot_bytes
    )
