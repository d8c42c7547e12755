"""Stored cross-site scripting: what blogs may have put into any field of an archived post.

Each case sets ``window.hit`` where it runs. They stand in titles, authors, tags, addresses, content
and comments alike, for each place has its own way out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from blogcrawl.crawling.handlers.browser import find_browser
from tests.packaging.samples import comment, entry
from tests.web.archive import BLOG_ID, MODEL, Sample, make

HIT = "window.hit=1"
CASES = (
    f"<script>{HIT}</script>",
    f"</title></style></script></textarea><script>{HIT}</script>",
    f"<img src=x onerror={HIT}>",
    f'"><img src=x onerror={HIT}>',
    f"' onmouseover='{HIT}' autofocus onfocus='{HIT}' x='",
    f"<svg onload={HIT}>",
    f"<svg><script>{HIT}</script></svg>",
    f"<svg><animate onbegin={HIT} attributeName=x dur=1s>",
    f"<a href=javascript:{HIT}>x</a>",
    f"<a href='java\nscript:{HIT}'>x</a>",
    f"<a href=' &#106;avascript:{HIT}'>x</a>",
    f"<a href='data:text/html,<script>{HIT}</script>'>x</a>",
    f"<iframe srcdoc='<script>parent.{HIT}</script>'></iframe>",
    f"<object data='javascript:{HIT}'></object><embed src='javascript:{HIT}'>",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--><img src=1 onerror={HIT}>'>",
    f"<noscript><p title='</noscript><img src=x onerror={HIT}>'>",
    f"<form action=javascript:{HIT}><button autofocus onfocus={HIT}>x</button></form>",
    f"<style>@import 'http://evil.test/x.css';body{{background:url(javascript:{HIT})}}</style>",
    f"<details open ontoggle={HIT}>x</details><video><source onerror={HIT}></video>",
    f"<base href='http://evil.test/'><meta http-equiv=refresh content='0;javascript:{HIT}'>",
    f"\u202e\u2066<img\u0000 src=x onerror={HIT}>\u2069",
    f"{{{{ 7*7 }}}}{{% raw %}}</script><script>{HIT}</script>",
)
ATTACKS = (
    # script
    "<script>alert(1)</script>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<script src=//evil.example/x.js></script>",
    "<script>alert(1)//",
    "<<script>alert(1)//<</script>",
    "<script/x>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "--><script>alert(1)</script>",
    "<script type=module>alert(1)</script>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<template><script>alert(1)</script></template>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='data:text/html,<script>alert(1)</script>'></object>",
    "<embed src='data:text/html,<script>alert(1)</script>'>",
    "<base href='//evil.example/'>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    # handlers
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror='alert(1)' alt=y>",
    "<body onload=alert(1)>",
    "<a href=https://x.example onclick=alert(1)>x</a>",
    "<details open ontoggle=alert(1)>x</details>",
    "<video src=x onloadstart=alert(1)></video>",
    "<audio src=x onerror=alert(1)></audio>",
    "<p onmouseover=alert(1)>x</p>",
    "<input autofocus onfocus=alert(1)>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<select onfocus=alert(1) autofocus><option>x</select>",
    '" onmouseover="alert(1)" x="',
    "' onmouseover='alert(1)' x='",
    '"><img src=x onerror=alert(1)>',
    "<img/src=x/onerror=alert(1)>",
    "<img src=x\nonerror\n=\nalert(1)>",
    # addresses
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "\x01javascript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "<a href=javascript:alert(1)>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "<a href='java&#10;script:alert(1)'>x</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=='>x</a>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<img src=javascript:alert(1)>",
    "<a href='/logout'>x</a>",
    # SVG and MathML
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=javascript:alert(1)><text y=9>x</text></a></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><use href='data:image/svg+xml,<svg id=x onload=alert(1)>#x'/></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<math><annotation-xml encoding='text/html'><img src=x onerror=alert(1)></annotation-xml>",
    "<math href=javascript:alert(1)>x</math>",
    # CSS
    "<style>@import '//evil.example/x.css'; body{display:none}</style>",
    "<p style='background:url(//evil.example/x);position:fixed;inset:0'>x</p>",
    "<p style=behavior:url(x.htc)>x</p>",
    # mutation
    "<p><style><!--</style><img src=x onerror=alert(1)>--></style>",
    "<svg></p><style><a id='</style><img src=x onerror=alert(1)>'>",
    "<listing>&lt;img src=x onerror=alert(1)&gt;</listing>",
    "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=alert(1)>",
    "<xmp><img src=x onerror=alert(1)></xmp>",
    "<img alt='`><img src=x onerror=alert(1)>'>",
    # direction and names
    "\u202egpj.exe\u202c",
    "\u2066\u202eadmin\u2069",
    "<a name=form_token></a><img id=main name=body>",
    "{{ 7*7 }}{% raw %}",
    "\x00<scr\x00ipt>alert(1)</script>",
    "\ud800<img src=x onerror=alert(1)>",
)
"""Those of the application's tests."""
EVERY = (*CASES, *(attack.replace("alert(1)", HIT) for attack in ATTACKS))
SCHEMES = ("http:", "https:", "mailto:", "data:image/")


def fill(folder: Path) -> Sample:
    """Return an archive in which each case stands in every field of a post."""
    sample = make(folder, posts=1)
    for number, case in enumerate(EVERY, 10):
        post = entry(number).post
        source = entry(
            number,
            post_changes={
                "title": case,
                "subtitle": case,
                "authors": (case, f"javascript:{HIT}"),
                "tags": (case, "../../" + case),
                "language": 'en" onclick="' + HIT,
                "content_html": f"<p>Letter {number}</p>{case}",
                "content_text": case,
                "comments": (
                    comment(1, author=case, content_html=case, author_url=f"javascript:{HIT}"),
                    comment(2, 1, author=None, content_html=case, title=case),
                ),
            },
        )
        assert source.post.canonical_url == post.canonical_url
        sample.archive_post(source, number)
    blog = sample.state.get_blog(BLOG_ID)
    assert blog is not None
    page = {"url": f"javascript:{HIT}", "reason": CASES[0], "title": CASES[3], "probability": 0.2}
    sample.state.save_blog(
        replace(
            blog,
            title=CASES[1],
            reason=CASES[3],
            record={"subtitle": CASES[2], "platform": CASES[3], "language": CASES[5]},
            model={"stages": {"rejected": [page, *MODEL["stages"]["rejected"]]}},
        )
    )
    return sample


def check(html: bytes, scripts: int = 0) -> None:
    """Find what could act in a page: elements, handlers, addresses."""
    tree = lxml.html.document_fromstring(html)
    assert len(tree.findall(".//script")) == scripts
    for tag in ("iframe", "object", "embed", "base", "form[@action]", "noscript", "animate"):
        assert tree.find(f".//{tag}") is None, tag
    assert [meta.get("http-equiv") for meta in tree.findall(".//meta[@http-equiv]")] == [
        "Content-Security-Policy"
    ]
    for element in tree.iter():
        if not isinstance(element.tag, str):
            continue
        for name, value in element.attrib.items():
            assert not name.startswith("on") and name not in ("srcdoc", "formaction"), name
            if name in ("href", "src", "action", "poster", "cite") and ":" in value.split("/")[0]:
                assert value.startswith(SCHEMES), f"{name}={value!r:.80}"


def opened(pages: Iterable[Path]) -> None:
    """Open pages in a browser without their policy: nothing runs, nothing is fetched elsewhere."""
    assert acting(pages) == {}


def acting(pages: Iterable[Path]) -> dict[Path, str]:
    """The pages that act when a browser opens them without their policy, and what they do."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = find_browser()
    if program is None:
        pytest.skip("no browser")
    found: dict[Path, str] = {}
    asked: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context(bypass_csp=True)

        def new_tab() -> Any:
            tab = context.new_page()
            tab.on("request", lambda request: asked.append(request.url))
            tab.on("dialog", lambda dialog: dialog.dismiss())
            return tab

        tab = new_tab()
        for path in pages:
            if act := _act(tab, path.as_uri(), asked):
                found[path], tab = act, new_tab()
        browser.close()
    assert _elsewhere(asked) == [], "after the last page was looked at"
    return found


def _act(tab: Any, url: str, asked: list[str]) -> str:
    """What a page does by itself, or when it is pointed at."""
    tab.goto(url)
    tab.keyboard.press("Tab")
    tab.evaluate(
        "document.querySelectorAll('*').forEach(e => { if (e.focus) e.focus();"
        "e.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})); })"
    )
    hit = tab.evaluate("window.hit")
    acts = [] if hit is None and tab.url == url else [f"{hit} at {tab.url}"]
    acts += _elsewhere(asked)
    asked.clear()
    return " ".join(acts)


def _elsewhere(asked: list[str]) -> list[str]:
    return [url for url in asked if not url.startswith(("file:", "data:image/"))]
