"""What a blog may have planted: nothing of it executes or leads on in the reading room.

Each case is put into every place at once: title, authors, tags, comments, addresses, file names,
blog. The pages are parsed as a browser does (html5 rules of lxml's parser) and searched for
anything that could run; ``test_in_a_browser`` loads them in Chromium with a dialog as trap.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import lxml.html
import pytest
import uvicorn

from blogcrawl.core.records import MediaFile
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.tables import BlogRow, CrawlRow, JobRow, NodeRow, VisitRow
from blogcrawl.web import activity, inspector
from blogcrawl.web.app import reading_room
from blogcrawl.web.room import static_address
from blogcrawl.web.sanitise import plain, readable_address, reading_html
from blogcrawl.web.serving import bound
from tests.packaging.samples import comment, entry
from tests.web.archive import BLOG_ID, FILES, NOW, Sample, ask, make
from tests.web.hostile import ATTACKS

ELEMENTS = {"script", "iframe", "object", "embed", "base", "style", "frame", "applet", "template"}
OUTSIDE = ("javascript:", "data:", "vbscript:")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sample, list[str]]]:
    """An archive with a post per attack."""
    made = make(tmp_path_factory.mktemp("attacks"), 1)
    yield made, [planted(made, number, attack) for number, attack in enumerate(ATTACKS)]
    made.state.close()


def planted(sample: Sample, number: int, attack: str) -> str:
    """Archive a post with the attack in every place; return the UUID of its package."""
    attack = attack.encode("utf-8", "replace").decode()
    said = comment(0, author=attack, author_url=attack, content_html=f"<p>{attack}</p>", url=attack)
    uuid = sample.archive_post(
        entry(
            number + 100,
            post_changes={
                "title": attack,
                "subtitle": attack,
                "authors": (attack,),
                "tags": (attack,),
                "language": "en",
                "content_html": f"<p>before</p>{attack}<a href={attack!r}>x</a>"
                f"<img src={attack!r}>",
                "comments": (said, replace(said, id="c1", parent_id="c0", title=attack)),
                "media": (MediaFile(url=attack, error=attack, alt=attack),),
                "extraction": {
                    "title": {"method": attack, "confidence": 0.5, "rule": attack},
                },
            },
        ),
        number,
    )
    sample.state.save_blog(
        BlogRow(
            id=f"b{number}",
            url=f"https://b{number}.example/{attack}",
            title=attack,
            record={"language": attack, "platform": attack, "rights": attack, "subtitle": attack},
            feeds={attack: {"role": attack}},
            model={"stages": {"rejected": [{"url": attack, "reason": attack, "title": attack}]}},
            health="ok",
            reason=attack,
        )
    )
    return uuid


def check(text: str) -> None:
    """Fail if a page has anything that could run, load or lead where it should not."""
    root = lxml.html.fromstring(text.encode())
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        is_ours = element.get("src") == static_address("print.js") and not element.text
        assert element.tag not in ELEMENTS or (element.tag == "script" and is_ours), element.tag
        if element.tag == "meta":
            assert element.get("http-equiv") is None
        if element.tag == "link":
            assert not (element.get("href") or "").startswith("//")
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on") and name.lower() != "style", (name, value)
            if name.lower() in ("href", "src", "action", "formaction", "xlink:href", "cite"):
                address = "".join(value.split()).lower()
                assert not address.startswith(OUTSIDE), value


@pytest.mark.parametrize("number", range(len(ATTACKS)), ids=lambda n: repr(ATTACKS[n])[:40])
def test_nothing_planted_executes(archive: tuple[Sample, list[str]], number: int) -> None:
    sample, uuids = archive
    app = reading_room(sample.room)
    blog = f"/blog/b{number}"
    for path in (f"/post/{uuids[number]}", blog, f"{blog}/missing", f"{blog}/plots"):
        answer = ask(app, path)
        assert answer.status_code == 200
        check(answer.text)
        assert not set(answer.text) & set("\x00\x01")
        root = lxml.html.fromstring(answer.content)
        for prose in root.xpath("//*[@class='content'] | //*[@class='comments']//div"):
            prose.drop_tree()  # a block of its own: it turns nothing around it
        assert not set(root.text_content()) & set("\u202e\u2066\u202c")


def test_lists_of_all_of_them(archive: tuple[Sample, list[str]]) -> None:
    sample, _ = archive
    app = reading_room(sample.room)
    for path in ("/", "/?offset=50", f"/blog/{BLOG_ID}", "/?q=<script>alert(1)</script>"):
        check(ask(app, path).text)


def test_the_page_of_crawls(
    archive: tuple[Sample, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, _ = archive
    monkeypatch.setattr(activity, "LISTED", 1000)
    monkeypatch.setattr(activity, "JOBS", 1000)
    schedule = Schedule(sample.state)
    for number, raw in enumerate(ATTACKS):
        attack = raw.encode("utf-8", "replace").decode()
        blog = f"b{number}" if number % 2 else f"x{number}"
        turn = VisitRow(blog_id=blog, url=attack, host="", kind=attack, next_visit=NOW)
        schedule.add_blogs([replace(turn, state=("waiting", "listed")[number % 3 == 0])])
        schedule.save_visits([replace(turn, reason=attack)])
        schedule.save_node(NodeRow(url=attack, trouble=attack, message=attack))
        job = JobRow(
            id=f"j{number}", kind=attack, host="", blogs=[blog], node=attack, reason=attack
        )
        sample.state.save(job)
        sample.state.save(
            CrawlRow(
                id=f"r{number}",
                blog_id=blog,
                spider=attack,
                node=attack,
                started=NOW,
                counts={"doing": attack},
            )
        )
    root = lxml.html.fromstring(ask(reading_room(sample.room), "/crawls").content)
    live = lxml.html.tostring(root.get_element_by_id("live")).decode()
    assert live.count("alert(1)") > 4 * len(ATTACKS) // 2
    check(live)


@pytest.mark.parametrize("number", range(len(ATTACKS)), ids=lambda n: repr(ATTACKS[n])[:40])
def test_the_rule_inspector(
    archive: tuple[Sample, list[str]], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample, uuids = archive
    attack = ATTACKS[number].encode("utf-8", "replace").decode()
    said = {"field": attack, "method": attack, "value": attack, "rule": attack}
    found = {
        "is_post": False,
        "reason": attack,
        "belief": 0.5,
        "template": 2,
        "said": [{**said, "confidence": 0.5, "won": False}],
        "extraction": {attack: {"method": attack, "confidence": 0.5, "why": attack}},
    }
    drawn = {"explanation": found, "html": attack, "mark": "-", "sheets": []}
    monkeypatch.setattr(inspector, "read_apart", lambda *given: drawn)
    root = lxml.html.fromstring(
        ask(reading_room(sample.room), f"/post/{uuids[number]}/v/1/inspect").content
    )
    [frame] = root.iter("iframe")
    assert frame.get("sandbox") == "" and frame.get("src").startswith(FILES)
    frame.drop_tree()
    check(lxml.html.tostring(root).decode())


def test_citations_and_feeds_stay_whole(archive: tuple[Sample, list[str]]) -> None:
    sample, uuids = archive
    app = reading_room(sample.room)
    lxml.etree.fromstring(ask(app, "/feed.atom").content)
    for uuid in uuids:
        assert ask(app, f"/post/{uuid}/v/1/cite.json").json()[0]["type"] == "post-weblog"
        lines = ask(app, f"/post/{uuid}/v/1/cite.ris").text.split("\r\n")
        assert all(line[2:6] == "  - " for line in lines if line)
        text = ask(app, f"/post/{uuid}/v/1/cite.bib").text
        body = text.replace("\\{", "").replace("\\}", "")
        assert body.count("{") == body.count("}")
        for header in ask(app, f"/post/{uuid}").headers.values():
            assert "\n" not in header and "\r" not in header


def test_pictures_are_never_loaded_from_the_web() -> None:
    html = reading_html(lambda url: None)(
        '<img src="https://live.example/a.png" srcset="https://live.example/b.png 2x">'
        '<video poster="https://live.example/p.png" src="https://live.example/v.mp4"></video>'
        '<picture><source srcset="https://live.example/c.png"></picture>'
    )
    assert "live.example" not in html


def test_a_page_has_one_main_landmark() -> None:
    assert reading_html(lambda url: None)("<main><p>text</p></main>") == "<p>text</p>"


def test_pictures_that_hold_their_data_are_shown_and_nothing_else_is() -> None:
    data = "data:image/svg+xml;charset=utf-8;base64,PHN2Zy8+"
    read = reading_html(lambda url: None)
    assert f'src="{data}"' in read(f'<img src="{data}" alt="A drawing">')
    assert "data:" not in read('<img src="data:text/html;base64,PHN2Zy8+" alt="No picture">')
    assert "data:" not in read(f'<a href="{data}">x</a><video src="{data}"></video>')


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ('<img src="https://b.example/a%20cat.jpg">', ["a cat.jpg"]),
        ('<img src="https://b.example/cat.jpg" alt="A cat">', ["A cat"]),
        ('<img src="https://b.example/line.gif" alt="">', [""]),
        ('<a href="https://b.example/big.jpg"><img alt=""></a>', ["big.jpg", ""]),
        ('<a href="https://b.example/big.jpg"><img alt="Big"> </a>', [None, "Big"]),
        ('<a href="https://b.example/big.jpg"><b>Big</b></a>', [None]),
        ('<a href="https://b.example/"></a>', ["b.example"]),
        ('<a href="https://b.example/%22onclick=x"></a>', ['"onclick=x']),
        ('<p title="<a><img>">text</p>', []),
    ],
)
def test_pictures_and_links_have_a_name(html: str, names: list[str | None]) -> None:
    """A screen reader would say nothing of them, or spell their addresses."""
    read = lxml.html.fragment_fromstring(reading_html(lambda url: url)(html), "div")
    said = [one.get("alt", one.get("aria-label")) for one in read.iter("a", "img")]
    assert said == names


def test_a_picture_that_is_not_archived_has_its_name() -> None:
    html = reading_html(lambda url: None)('<img src="https://b.example/a%22cat.jpg?w=1">')
    [picture] = lxml.html.fragment_fromstring(html, "div").iter("img")
    assert picture.get("src") is None and picture.get("alt") == 'a"cat.jpg'


def test_links_to_archived_files_lead_to_these() -> None:
    archived = {
        "https://b.example/sea.jpg": "/captured/1",
        "https://b.example/talk.mp3": "/captured/2",
    }
    read = reading_html(archived.get, {"https://b.example/sea.jpg": "/post/1"}.get)
    links = (
        '<a href="https://b.example/talk.mp3">Listen</a>'
        '<a href="https://b.example/sea.jpg">sea</a><a href="https://b.example/a.pdf">slides</a>'
    )
    found = [a.get("href") for a in lxml.html.fragments_fromstring(read(links))]
    assert found == ["/captured/2", "/post/1", "https://b.example/a.pdf"]


def test_the_language_of_code_is_none_of_people() -> None:
    html = reading_html(lambda url: None)(
        '<pre lang="bash">ls</pre><p lang="c++">x</p><p lang="zh-Hant">y</p>'
    )
    read = lxml.html.fragment_fromstring(html, "div")
    assert [one.get("lang") for one in read] == [None, None, "zh-Hant"]
    assert read[0].get("tabindex") == "0", "it scrolls: the keyboard must reach it"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://b.example/%D7%A9%D7%9C%d7%95%d7%9d-1", "https://b.example/שלום-1"),
        ("https://b.example/caf%C3%A9%20x%2Fy", "https://b.example/café%20x%2Fy"),
        ("https://b.example/%E9", "https://b.example/%E9"),
        ("https://b.example/%E2%80%AEgpj", "https://b.example/%E2%80%AEgpj"),
        ("https://b.example/%C3%97", "https://b.example/%C3%97"),
    ],
)
def test_addresses_are_readable(url: str, shown: str) -> None:
    """Letters only: no sign that turns the text around it, or looks like a part of the address."""
    assert readable_address(url) == shown


def test_plain_keeps_the_text_of_every_script() -> None:
    assert plain("日本語 العربية עברית ไทย") == "日本語 العربية עברית ไทย"


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-headless-shell"))), None)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
def test_in_a_browser(archive: tuple[Sample, list[str]], tmp_path: Path) -> None:
    """No dialog opens, and no request leaves for another host, on any planted page."""
    from playwright.sync_api import sync_playwright

    sample, uuids = archive
    listener = bound("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(reading_room(sample.room), log_level="error", lifespan="off")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    caught: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("dialog", lambda dialog: (caught.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda request: request.url.startswith(base) or caught.append(request.url),
        )
        for number, uuid in enumerate(uuids):
            for path in (f"/post/{uuid}", f"/blog/b{number}/missing"):
                page.goto(base + path)
        browser.close()
    server.should_exit = True
    thread.join(10)
    assert caught == []
