"""The content that is kept: safe, faithful, without the theme."""

from __future__ import annotations

import copy

import pytest
from lxml import etree

from blogcrawl.core.page import Page
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.induction.ruleset import Rule

LOREM = (
    "This is a sentence of the post that is long enough to count as text, and here is another one. "
)


def page_of(body: str, head: str = "", url: str = "https://blog.example/2020/05/post/") -> Page:
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    return Page(url=url, body=html.encode(), headers={"content-type": "text/html; charset=utf-8"})


def clean(inner: str, head: str = "", **more: str):
    page = page_of(f"<article id=x>{inner}</article>", head)
    return clean_content(page.tree.get_element_by_id("x"), page, **more)


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script>",
        '<img src="x.png" onerror="alert(1)">',
        '<a href="javascript:alert(1)">x</a>',
        '<a href=" jAvAsCrIpT:alert(1)">x</a>',
        '<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>',
        "<svg><script>alert(1)</script></svg>",
        (
            "<math><mtext><table><mglyph><style><img src=x "
            "onerror=alert(1)></style></mglyph></table></mtext></math>"
        ),
        '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
        '<object data="javascript:alert(1)"></object>',
        '<form action="https://evil"><input name=a></form>',
        '<div style="background:url(javascript:alert(1))">x</div>',
        '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
        "<template><img src=x onerror=alert(1)></template>",
        '<video src="javascript:alert(1)" onplay="alert(1)"></video>',
    ],
)
def test_scripts_and_handlers_are_removed(evil: str) -> None:
    html = clean(f"<p>{LOREM}</p>{evil}").html.lower()
    assert "<script" not in html
    assert "javascript:" not in html
    assert "onerror" not in html.replace("&lt;", "").split("alert(1)&gt;")[
        0
    ] or "onerror=" not in "".join(part.split(">")[0] for part in html.split("<")[1:])
    assert "data:text" not in html
    assert "<iframe" not in html and "<form" not in html and "style=" not in html
    assert "this is a sentence" in html


def test_cleaning_does_not_change_the_source() -> None:
    page = page_of(
        f"<article id=x><p>{LOREM}</p><div class=sharedaddy>Share</div><img "
        f"data-src=a.png></article>"
    )
    before = etree.tostring(page.tree)
    node = page.tree.get_element_by_id("x")
    clean_content(node, page)
    clean_content([node], page)
    assert etree.tostring(page.tree) == before


def test_code_keeps_white_space_language_and_comments() -> None:
    code = 'if x:\n    y()  <span class="comment"># share this</span>\n\n    z()'
    found = clean(f'<p>{LOREM}</p><pre><code class="language-py">{code}</code></pre>')
    assert 'class="language-py"' in found.html
    assert "if x:\n    y()  # share this\n\n    z()" in found.html
    assert "\n    y()  # share this\n" in found.text


def test_code_loses_highlighting_spans_only() -> None:
    lines = "".join(
        (
            f'<span id="l{n}" class=line><a href="#l{n}"></a><span class=k>let</span> <span '
            f"class=n>x</span></span>\n"
        )
        for n in range(3)
    )
    found = clean(
        f"<p>{LOREM}</p><pre>{lines}<span class=k>end</span> <span "
        f"title=why><em>of</em></span></pre><p><span class=x>in text</span></p>"
    )
    assert '<span id="l1"><a href="#l1"' in found.html and "</a>let x</span>\n" in found.html
    assert 'end <span title="why"><em>of</em></span></pre>' in found.html
    assert found.text.endswith("let x\nlet x\nlet x\nend of\nin text")


@pytest.mark.parametrize("name", ["comment", "meta", "share"])
def test_highlighting_classes_of_code_are_ignored(name: str) -> None:
    found = clean(
        f"<p>{LOREM}</p><div class=share>Share this</div><pre>a <b class={name}>b</b></pre>"
    )
    assert found.text.endswith("a b") and "Share this" not in found.text


def test_tables_figures_footnotes_and_definitions_are_kept() -> None:
    found = clean(
        f"<p>{LOREM}<sup><a href='#fn1' id='fnref1'>1</a></sup></p>"
        "<table><caption>C</caption><tr><th scope=col>H</th></tr><tr><td "
        "colspan=2>D</td></tr></table>"
        "<figure><img src='/i.png' alt='A'><figcaption>Cap</figcaption></figure><dl><dt>T</dt><d"
        "d>Def</dd></dl>"
        "<div class='footnotes'><ol><li id='fn1'>Note <a href='#fnref1'>back</a></li></ol></div>"
    )
    for part in (
        "<caption>C</caption>",
        'colspan="2"',
        "<figcaption>Cap</figcaption>",
        "<dt>T</dt>",
        'id="fn1"',
        'href="#fnref1"',
    ):
        assert part in found.html
    for word in ("C", "H", "D", "Cap", "Def", "Note"):
        assert word in found.text.split("\n") or word in found.text


GHOST = (
    '<aside class="gh-post-upgrade-cta"><div class="gh-post-upgrade-cta-content"><h2>This post is '
    'for subscribers only</h2><a href="#/portal/signup">Subscribe now</a><p>Already have an '
    'account? <a href="#/portal/signin">Sign in</a></p></div></aside>'
)
SUBSTACK = (
    "<div class=paywall><h2>This post is for paid subscribers</h2>"
    '<a href="https://b.example/subscribe">Subscribe</a> <a href="/sign-in?next=x">Sign in</a>'
    "</div>"
)


@pytest.mark.parametrize("gate", [GHOST, SUBSTACK])
@pytest.mark.parametrize("preview", ["", f"<p>{LOREM}</p>"])
def test_box_in_the_place_of_what_subscribers_read_is_no_text(gate: str, preview: str) -> None:
    cleaned = clean(f"<section>{preview}{gate}</section>")
    assert cleaned.text == (LOREM.strip() if preview else "") and cleaned.is_gated


def test_text_that_is_called_paid_is_text() -> None:
    """Google's guide has publishers call the text itself so."""
    text = f"<div class=paywall><p>{LOREM * 6}</p><p><a href=/login>Sign in</a></p></div>"
    free = f'<p>{LOREM}</p><div class="upgrade">The <a href="/notes/">notes</a> on it.</div>'
    for cleaned in map(clean, (text, free)):
        assert LOREM.strip() in cleaned.text and not cleaned.is_gated


def test_form_that_asks_for_the_password_of_a_post_is_no_text() -> None:
    asked = "<p>This content is protected.</p><label>Password: <input type=password></label>"
    form = f"<form action=/wp-login.php method=post>{asked}<input type=submit></form>"
    assert clean(f"<div>{form}</div>").text == ""
    assert clean(f"<div><p>How we made the form.</p>{form}</div>").text == "How we made the form."


@pytest.mark.parametrize(
    ("markup", "url"),
    [
        (
            '<img src="data:image/gif;base64,R0lGOD" data-src="/a.jpg">',
            "https://blog.example/a.jpg",
        ),
        (
            '<img src="/images/placeholder.gif" data-lazy-src="b.jpg">',
            "https://blog.example/2020/05/post/b.jpg",
        ),
        ('<img data-original="//cdn.example/c.jpg" src="">', "https://cdn.example/c.jpg"),
        (
            '<img src="s.jpg" srcset="m.jpg 800w, l.jpg 1600w, s.jpg 300w">',
            "https://blog.example/2020/05/post/l.jpg",
        ),
        ('<img src="s.jpg" srcset="t.jpg 2x">', "https://blog.example/2020/05/post/t.jpg"),
        (
            '<img src="a.jpg" srcset="/img/loading.gif" lazyload>',
            "https://blog.example/2020/05/post/a.jpg",
        ),
        ('<img srcset="c.jpg">', "https://blog.example/2020/05/post/c.jpg"),
        (
            '<picture><source srcset="/w.webp 900w"><img src="data:,"></picture>',
            "https://blog.example/w.webp",
        ),
        (
            (
                '<img src="data:image/gif;base64,R0" class="lazy"><noscript><img '
                'src="/n.jpg"></noscript>'
            ),
            "https://blog.example/n.jpg",
        ),
        ('<noscript><img src="/only.jpg" alt="o"></noscript>', "https://blog.example/only.jpg"),
        ('<img src="/loading.jpg">', "https://blog.example/loading.jpg"),
        ('<amp-img src="/amp.jpg"></amp-img>', "https://blog.example/amp.jpg"),
    ],
)
def test_lazy_loaded_image_is_resolved(markup: str, url: str) -> None:
    found = clean(f"<p>{LOREM}</p>{markup}")
    assert [file.url for file in found.media] == [url]
    assert f'src="{url}"' in found.html
    assert found.html.count("<img") == 1


def test_placeholder_images_are_removed() -> None:
    found = clean(f'<p>{LOREM}</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><img>')
    assert "<img" not in found.html
    assert found.media == ()


def test_emoji_images_become_text() -> None:
    assert (
        "fine 🙂 day"
        in clean(f'<p>{LOREM} fine <img class="emoji" alt="🙂" src="/1f642.png"> day</p>').text
    )


def test_embeds_become_links_and_buttons_are_removed() -> None:
    found = clean(
        f'<p>{LOREM}</p><iframe src="//www.youtube.com/embed/abc" title="A film"></iframe>'
        '<object><param name="movie" value="http://old.example/v.swf"><embed '
        'src="http://old.example/v.swf"></object>'
        '<iframe src="https://www.facebook.com/plugins/like.php?x"></iframe><video><source '
        'src="/v.mp4"></video>'
    )
    assert '<a href="https://www.youtube.com/embed/abc"' in found.html and "A film" in found.html
    assert found.html.count("http://old.example/v.swf") == 2
    assert "facebook" not in found.html
    roles = {(file.url, file.role) for file in found.media}
    assert ("https://blog.example/v.mp4", "video") in roles
    assert ("https://www.youtube.com/embed/abc", "link") in roles
    assert "youtube" not in found.text


def test_files_of_players_and_plug_ins_are_media() -> None:
    found = clean(
        f'<p>{LOREM}</p><video src="/sea.mp4"><track src="/sea.vtt" srclang="en"></video>'
        '<object data="/player.swf"><param name="FlashVars" value="id=1&amp;soundFile='
        'http%3A%2F%2Fb.example%2Ftalk.mp3"></object>'
        '<embed src="http://c.example/p.swf?file=%2Fsong.mp3&amp;image=/a.jpg">'
        '<iframe src="/slides.pdf" title="Slides"></iframe>'
    )
    assert {(file.url, file.role) for file in found.media} == {
        ("https://blog.example/sea.mp4", "video"),
        ("https://blog.example/sea.vtt", "document"),
        ("https://blog.example/player.swf", "document"),
        ("http://b.example/talk.mp3", "audio"),
        ("http://c.example/p.swf?file=%2Fsong.mp3&image=/a.jpg", "link"),
        ("https://blog.example/song.mp3", "audio"),
        ("https://blog.example/slides.pdf", "document"),
    }


def test_script_that_writes_a_listing_becomes_a_link_to_it() -> None:
    found = clean(
        f'<p>{LOREM}</p><script src="https://gist.github.com/ann/39b3.js?file=a.py"></script>'
        '<script src="//asciinema.org/a/113463.js" id="asciicast-113463" async></script>'
        '<script src="https://gist.example/ann/39b3.js"></script>'
    )
    assert '<a href="https://gist.github.com/ann/39b3"' in found.html
    assert '<a href="https://asciinema.org/a/113463"' in found.html
    assert "gist.example" not in found.html
    assert found.text == LOREM.strip()


@pytest.mark.parametrize(
    ("markup", "is_kept"),
    [
        ('<a href="#end">Show</a><div id="end" style="display:none"><p>{}</p></div>', True),
        ('<b onclick="toggle(\'end\')">+</b><p>-</p><p id=end style="display:none">{}</p>', True),
        ('<p><input type=button onclick="show(this)"></p><p style="display: none">{}</p>', True),
        ('<a href="#other">Show</a><div id="end" style="display:none"><p>{}</p></div>', False),
        ('<p onclick="x()">a</p><p>b</p><p style="display:none">{}</p>', False),
        ('<div style="display:none"><p>{}</p></div>', False),
    ],
)
def test_hidden_text_that_the_post_can_show_is_text(markup: str, is_kept: bool) -> None:
    found = clean(f"<p>{LOREM * 3}</p>{markup.format('The butler did it.')}<p>{LOREM}</p>")
    assert ("The butler did it." in found.text) is is_kept


@pytest.mark.parametrize(
    ("box", "url"),
    [
        ("<div style=\"background: #fff url('/sea.jpg') no-repeat\"></div>", "sea.jpg"),
        ('<figure data-bg="url(/sea.jpg)" role=img aria-label="The sea"></figure>', "sea.jpg"),
        ('<div style="background-image:url(/sea.jpg)"><p>Words upon it.</p></div>', None),
        ('<span style="width:16px;height:16px;background:url(/sign.png)"></span>', None),
        ('<div style="background-image:url(data:image/png;base64,xx)"></div>', None),
    ],
)
def test_picture_shown_as_the_background_of_an_empty_element_is_media(
    box: str, url: str | None
) -> None:
    found = clean(f"<p>{LOREM}</p>{box}<p>{LOREM}</p>")
    assert [file.url for file in found.media] == ([f"https://blog.example/{url}"] if url else [])
    assert found.html.count("<img") == bool(url)


def test_recordings_that_are_only_linked_and_the_sites_own_documents_are_media() -> None:
    found = clean(
        f'<p>{LOREM}</p><p><a href="/talk.MP3?dl=1">Listen</a> <a href="http://b.example/film.mov">'
        'watch</a> <a href="/talk.pdf">slides</a> <a href="/mp3">more</a> <a href="/a.html">on</a>'
        '<a href="http://b.example/law.pdf">the law</a> <a href="/fix.js">a script</a>'
    )
    assert [(file.url, file.role) for file in found.media] == [
        ("https://blog.example/talk.MP3?dl=1", "audio"),
        ("http://b.example/film.mov", "video"),
        ("https://blog.example/talk.pdf", "document"),
    ]
    assert "Listen" in found.text


def test_picture_behind_a_smaller_one_is_media() -> None:
    found = clean(
        f'<p>{LOREM}</p><a href="/full/sea.jpg"><img src="/small/sea.jpg" alt=sea></a>'
        '<a href="/gallery.html"><img src="/small/gate.jpg"></a> <a href="/a.jpg">a picture</a>'
    )
    assert [(file.url.partition("example/")[2], file.role) for file in found.media] == [
        ("small/sea.jpg", "image"),
        ("small/gate.jpg", "image"),
        ("full/sea.jpg", "link"),
    ]


def test_tex_and_mathml_are_kept() -> None:
    found = clean(
        f'<p>{LOREM} <script type="math/tex">a&lt;b^2</script></p><script type="math/tex; '
        f'mode=display">\\sum x</script>'
        "<p>$e=mc^2$</p><math display='block'><mfrac><mi>a</mi><mn>2</mn></mfrac></math>"
    )
    assert "\\(a" in found.text and "\\[\\sum x\\]" in found.text and "$e=mc^2$" in found.text
    assert "<mfrac>" in found.html


def test_links_are_made_absolute_with_the_base() -> None:
    page = page_of(
        (
            f"<div id=x><p>{LOREM}<a href='../a b'>l</a><a href='mailto:x@y.z'>m</a><a "
            f"href='#top'>t</a></p></div>"
        ),
        "<base href='/deep/er/'>",
    )
    html = clean_content(page.tree.get_element_by_id("x"), page).html
    assert (
        'href="https://blog.example/deep/a' in html
        and 'href="mailto:x@y.z"' in html
        and 'href="#top"' in html
    )


THEME = [
    (
        '<div class="sharedaddy sd-sharing-enabled"><h3>Share this:</h3><ul><li><a '
        "href=x>Tweet</a></li></ul></div>"
    ),
    '<div class="addtoany_share_save_container"><a href=x>GARBAGE</a></div>',
    '<ul class="social-share"><li><a href=x>GARBAGE</a></li></ul>',
    '<div id="jp-relatedposts"><h3>GARBAGE</h3><a href=/r>GARBAGE</a></div>',
    '<section class="related-posts"><a href=/r>GARBAGE</a><a href=/s>GARBAGE</a></section>',
    '<div class="yarpp"><ol><li><a href=/r>GARBAGE</a></li></ol></div>',
    '<div class="author-box"><img src=a.png><p>GARBAGE</p></div>',
    '<p class="post-meta">GARBAGE by <a rel=author href=/a>Jo</a></p>',
    "<p>Tags: <a href=/tag/x>GARBAGE</a>, <a href=/tag/y>GARBAGE</a></p>",
    '<footer class="entry-footer"><a rel="tag" href=/tag/x>GARBAGE</a></footer>',
    '<div id="comments"><ol class="commentlist"><li>GARBAGE</li></ol></div>',
    '<div class="comments-head"><a name="comments"></a>GARBAGE</div>',
    '<nav class="post-navigation"><a href=/p>GARBAGE</a></nav>',
    '<div role="navigation"><a href=/p>GARBAGE</a></div>',
    '<div class="code-block code-block-2"><p>GARBAGE</p></div>',
    '<form class="mailing"><label>GARBAGE</label><input></form>',
    '<div class="newsletter-signup"><p>GARBAGE</p></div>',
    '<div class="newsletter"><p>GARBAGE</p></div>',
    '<div class="blok-nieuwsbrief"><p>GARBAGE</p></div>',
    '<p>Filed under: <a rel="category tag" href=/c>GARBAGE</a></p>',
    '<p>« <a rel="prev" href=/p>GARBAGE</a></p>',
    '<p>GARBAGE <a rel="license" href="https://creativecommons.org/licenses/by/4.0/">CC</a></p>',
    "<div hidden>GARBAGE</div>",
    "<h3><i class='medium material-icons'>GARBAGE</i></h3>",
    "<p><span class='material-symbols-outlined'>GARBAGE</span></p>",
    '<div style="display: none">GARBAGE</div>',
    '<span class="screen-reader-text">GARBAGE</span>',
    '<div class="verwandte-beitraege"><a href=/r>GARBAGE</a></div>',
    "<a href=//c.example class=dsq-brlink>GARBAGE <span class=logo-disqus>Disqus</span></a>",
]


@pytest.mark.parametrize("part", THEME)
def test_theme_blocks_inside_the_content_are_removed(part: str) -> None:
    found = clean(f"<p>{LOREM * 5}</p>{part}<p>Last words of it.</p>")
    assert (
        "GARBAGE" not in found.html
        and "GARBAGE" not in found.text
        and "Share this" not in found.text
    )
    assert "Last words of it." in found.text


@pytest.mark.parametrize("before", ["", "<a name=tags></a>", "<a href=/t><img src=t.gif></a> "])
def test_labelled_list_of_tags_amid_the_text_is_the_themes(before: str) -> None:
    tags = f"<p>{before}Tags: <a href=/tag/x>GARBAGE</a>, <a href=/tag/y>GARBAGE</a></p>"
    found = clean(f"<p>{LOREM * 5}</p>{tags}<p>{LOREM * 5}</p>")
    assert "GARBAGE" not in found.text


@pytest.mark.parametrize(("picture", "is_kept"), [("IMG_2.JPG", True), ("tag-icon.png", False)])
def test_photograph_in_a_box_named_as_tags_is_the_posts(picture: str, is_kept: bool) -> None:
    """Flickr Tag, a plugin of WordPress, calls its pictures ``flickrTag_container``."""
    box = f'<p class="flickrTag_container"><a href="/photos/2/"><img src="/{picture}"></a></p>'
    found = clean(f"<p>{LOREM * 5}</p>{box}<p>Last words of it.</p>")
    assert (picture in found.html) is is_kept


@pytest.mark.parametrize("below", ("", "<div>by Ann Lee</div><p>Ann Lee</p>", "<p>12 views</p>"))
def test_own_date_at_the_end_goes_with_the_labels_below_it(below: str) -> None:
    said = f"<p>{LOREM * 3}</p>"
    found = clean(f"{said}<div>March 17, 2005 20:09</div>{below}", dated="March 17, 2005 20:09")
    assert found.text == clean(said).text


@pytest.mark.parametrize(
    "line",
    [
        "17 Mar 2005 by Ann Lee",
        "17 במרץ 2005 מאת Ann Lee",
        "17 March 2005 Ann Lee Books 1 reacties",
        "Print | posted on Thursday, March 17, 2005 10:28 A.M.",
    ],
)
def test_own_date_at_the_end_goes_with_the_author(line: str) -> None:
    said = f"<p>{LOREM * 3}</p>"
    found = clean(f"{said}<div>{line}</div>", dated="2005-03-17", authors=["Ann Lee"])
    assert found.text == clean(said).text


def test_sentence_with_a_date_below_the_title_is_text() -> None:
    first = "2020年8月8号凌晨写下标题后就睡了，想着早上起来再接着写。"
    found = clean(f"<h1>T</h1><p>{first}</p><p>{LOREM * 3}</p>", title="T", dated="2020-08-11")
    assert found.text.startswith(first)


@pytest.mark.parametrize(
    "line", ["On 17 March 2005 we all saw the sea", "17 March 2005 was a day.", "18 March 2005"]
)
def test_another_date_or_a_sentence_at_the_end_is_text(line: str) -> None:
    assert clean(f"<p>{LOREM * 3}</p><p>{line}</p>", dated="2005-03-17").text.endswith(line)


def test_recording_at_the_end_that_is_called_by_the_posts_day_is_text() -> None:
    player = '<p><audio src="/a.mp3"></audio> <a href="/a.mp3">2005-03-17 5pm</a></p>'
    assert clean(f"<p>{LOREM * 3}</p>{player}", dated="2005-03-17").text.endswith("2005-03-17 5pm")


KEPT = [
    '<blockquote><p>Q</p><footer class="author">KEEP</footer></blockquote>',
    '<div class="post-footnotes"><p>KEEP</p></div>',
    '<aside class="note"><p>KEEP this remark, it is the author\'s.</p></aside>',
    (
        '<p>See the <a rel="tag" href=/t>KEEP</a> of all that I have written about this over the '
        "last years.</p>"
    ),
    '<p>Talk about <code class="comment">KEEP</code></p>',
    '<figure class="share"><img src=i.png><figcaption>KEEP</figcaption></figure>',
    "<h2>KEEP</h2><p>after</p>",
    "<details><summary>KEEP</summary><p>inner</p></details>",
    "<p>I share KEEP this</p>",
    '<div class="codeBlockContainer_x theme-code-block"><pre>KEEP</pre></div>',
    '<div class="code-block"><pre>KEEP</pre></div>',
    '<h2><a href="#k" class="header-anchor">KEEP</a></h2><p>after</p>',
    '<div class="blog-callout blog-callout-info"><b>Note</b> KEEP this in mind.</div>',
    "<ul><li><a href=/tag/apache/>Apache</a></li><li><a href=/tag/lvs/>LVS</a> - KEEP</li></ul>",
]


@pytest.mark.parametrize("part", KEPT)
def test_content_with_misleading_class_names_is_kept(part: str) -> None:
    assert "KEEP" in clean(f"<p>{LOREM * 3}</p>{part}<p>{LOREM}</p>").text


def test_boilerplate_name_around_the_whole_post_is_ignored() -> None:
    found = clean(f'<div class="post-meta share-wrapper"><p>{LOREM * 6}</p></div>')
    assert found.text.count("This is a sentence") == 6


@pytest.mark.parametrize(
    "part",
    [
        "<p class='postmetadata'><small>This entry was posted on 4 May 2020 and is filed under "
        "<a rel=category href=/c>A</a>."
        " You can follow responses, <a href='#respond'>reply</a>, or trackback from your own "
        "site.</small></p>",
        "<footer><p>Published: <time datetime='2020-05-04'>4 May 2020</time></p><address>By Ann "
        "Lee</address>"
        "<p>In: <a href=/c/a>A</a></p></footer>",
        (
            "<header><a href=/tags/x>Tags and other tags</a><h1>The title</h1><time>4 May "
            "2020</time></header>"
        ),
    ],
)
def test_theme_lines_longer_than_the_post_are_removed(part: str) -> None:
    short = "<p>Only these few words of it, no more.</p>"
    found = clean(part + short if part.startswith("<header") else short + part)
    assert found.text == "Only these few words of it, no more."
    kept = clean(
        f"<header><h1>The title</h1><p>KEEP {LOREM}</p></header>{short}", title="The title"
    )
    assert "KEEP" in kept.text


def test_named_line_with_the_post_date_is_removed_however_short_the_post() -> None:
    line = "Posted by Ann Lee at May 04, 2020 09:48 PM"
    post = "<p>Only these few words of it, no more.</p>"
    found = clean(f"{post}<div class=posted>{line}</div>", dated=line)
    assert found.text == "Only these few words of it, no more."
    said = "<p class=posted>Posted by Ann Lee in April, KEEP, I was told</p>"
    assert "KEEP" in clean(post + said, dated=line).text


def test_comments_longer_than_the_post_are_removed() -> None:
    comments = "".join(f"<li>{LOREM * 4}</li>" for _ in range(20))
    found = clean(f"<p>{LOREM}</p><div id=comments><ol>{comments}</ol></div>")
    assert found.text == LOREM.strip()


def test_leading_title_and_headings_of_dropped_blocks_are_removed() -> None:
    found = clean(
        (
            f"<h1><a href='/x'>My post</a></h1><p>{LOREM}</p><h2>Inner</h2><p>{LOREM}</p><h3>Com"
            f"ment"
            f"s</h3><div id=comments>GARBAGE</div>"
        ),
        head="<title>My post | Site</title>",
    )
    assert found.text.split("\n") == [LOREM.strip(), "Inner", LOREM.strip()]


def test_text_matches_the_cleaned_html() -> None:
    body = (
        f"<p>{LOREM}</p><pre>a\n\n b</pre><h3>Related<br>posts</h3><h4><img "
        f"src=x.png></h4><h2>Comments</h2>"
    )
    for front in ("", "<h1>Known title</h1>"):
        done = clean(front + body, title="Known title")
        assert done.text == f"{LOREM.strip()}\na\n b"
        assert (
            "Related" not in done.html and "Comments" not in done.html and "Known" not in done.html
        )


def test_known_title_is_dropped_only_at_the_start() -> None:
    found = clean(
        f"<h2>Other name</h2><p>{LOREM}</p><h2>Other name</h2><p>{LOREM}</p>", title="Other name"
    )
    assert found.text.count("Other name") == 1 and not found.text.startswith("Other")


@pytest.mark.parametrize(
    "line",
    [
        "<p>Posted on May 4, 2020 by Ann Lee</p>",
        "<div>4. Mai 2020 | Ann</div>",
        "<span>2020-05-04</span>",
    ],
)
def test_date_line_below_the_dropped_title_is_removed(line: str) -> None:
    found = clean(f"<h1>My post</h1>{line}<p>{LOREM}</p>", title="My post")
    assert "2020" not in found.text or line.startswith("<span")
    assert found.text.endswith(LOREM.strip())


@pytest.mark.parametrize("line", ["by Ann Lee", "Ann Lee", "von Ann Lee"])
def test_a_first_line_with_the_authors_name_alone_is_removed(line: str) -> None:
    found = clean(f"<p>{line}</p><p>{LOREM}</p>", title="My post", authors=["Ann Lee"])
    assert found.text == LOREM.strip()
    found = clean(f"<p>{line}</p><p>{LOREM}</p>", title="My post", authors=["Bo Lee"])
    assert "Ann Lee" in found.text


@pytest.mark.parametrize("line", ["Author: Pam Rush", "Written by: Pam Rush", "Artist: Pam Rush"])
def test_first_line_that_names_the_author_of_a_book_is_kept(line: str) -> None:
    html = f"<p>{line}</p><p>Publisher: Oak Press</p><p>{LOREM}</p>"
    assert clean(html, title="My post", authors=["Ann Lee"]).text.startswith(line)
    own = clean(html.replace("Pam Rush", "Ann M. Lee"), title="My post", authors=["Ann Lee"])
    assert "Ann M. Lee" not in own.text or line.startswith("Artist")


@pytest.mark.parametrize(
    "html",
    [
        "<img src='/pix/Été à la mer.jpg'>",
        "<a href='/pix/Été à la mer.jpg'><img src='/pix/small.jpg'></a>",
        "<video src='/film.mp4' poster='/pix/Été à la mer.jpg'></video>",
    ],
)
def test_media_have_the_address_that_the_markup_has(html: str) -> None:
    found = clean(f"<p>{LOREM}</p><p>{html}</p>")
    address = "https://blog.example/pix/%C3%89t%C3%A9%20%C3%A0%20la%20mer.jpg"
    assert address in found.html and address in {file.url for file in found.media}


@pytest.mark.parametrize(
    "first",
    [
        "<p>In 2020 I went.</p>",
        f"<p>{LOREM} 2020 {LOREM}</p>",
        "<ul><li>Summer 2020</li></ul>",
        "<pre>2020</pre>",
    ],
)
def test_first_paragraph_with_a_year_is_kept(first: str) -> None:
    assert "2020" in clean(f"<h1>My post</h1>{first}<p>{LOREM}</p>", title="My post").text
    assert "2020" in clean(f"<p>Summer 2020</p><p>{LOREM}</p>", title="My post").text


def test_siblings_with_tail_text_are_cleaned() -> None:
    page = page_of(
        f"<div id=x><h1>T</h1>first text<br>{LOREM}<br>last text<div class=nav>menu</div></div>"
    )
    brs = list(page.tree.get_element_by_id("x").iter("br"))
    text = clean_content(["first text", *brs], page).text
    assert text.split("\n") == ["first text", LOREM.strip(), "last text"]


def test_feed_html_and_odd_input_are_cleaned() -> None:
    page = page_of("")
    assert clean_content(f"<p>{LOREM}<b>un&amp;closed", page).html.endswith(
        "<b>un&amp;closed</b></p>"
    )
    assert clean_content("", page).html == "" and clean_content("   ", page).text == ""
    assert clean_content("plain words", page).text == "plain words"
    assert clean_content([], page).text == ""
    assert clean_content(etree.Comment("x"), page).html == ""


def test_deep_nesting_is_cleaned() -> None:
    found = clean_content("<div>" * 1900 + "deep words" + "</div>" * 1900, page_of(""))
    assert "deep words" in found.text


def test_cleaning_twice_changes_nothing() -> None:
    page = page_of("")
    once = clean_content(
        f"<p>{LOREM}</p><ul><li>a</li></ul><pre>x  y\n z</pre><img src='/i.png'>", page
    )
    twice = clean_content(once.html, page)
    assert twice.html == once.html and twice.text == once.text and twice.media == once.media


def test_many_equal_links_are_cleaned_fast() -> None:
    node = copy.deepcopy(
        page_of(
            "<div id=x>" + "<p><a rel=tag href=/t>t</a></p>" * 5000 + f"<p>{LOREM}</p></div>"
        ).tree.get_element_by_id("x")
    )
    assert LOREM.strip() in clean_content(node, page_of("")).text


def test_html_comment_before_the_post_head_is_no_text() -> None:
    head = "<!-- head of the post --><header><h1>A walk</h1><p>by Ann</p></header>"
    assert clean(f"<div>{head}<p>{LOREM}</p></div>").text.startswith("This is a sentence")


def test_drop_rules_do_not_change_the_page() -> None:
    page = page_of(f"<article id=x>{LOREM}<p class=zz>Tell your friends</p> and more</article>")
    node = page.tree.get_element_by_id("x")
    found = clean_content(node, page, drops=[Rule(field="content.drop", xpath=".//p[@class='zz']")])
    assert (
        found.text.endswith("and more")
        and "friends" not in found.html
        and "friends" in node.text_content()
    )


def test_comments_are_removed_though_a_rule_drops_their_label() -> None:
    said = "<p><b>Comments</b></p><p>Nice.</p><i>Bob @ 05/14/2002 10:23 AM</i>"
    page = page_of(f"<article id=x><p>{LOREM}</p>{said}</article>")
    drops = [Rule(field="content.drop", xpath=".//b")]
    found = clean_content(page.tree.get_element_by_id("x"), page, drops=drops)
    assert found.text == LOREM.strip()


@pytest.mark.parametrize(
    "above",
    [
        "<h2>May 4, 2020</h2>",
        "<p><a href='/'>Home</a></p><p>News</p>",
        "<p>[<a href=/>Main</a>] [<a href=/a>Previous</a>: A day at the lake in May] "
        "[<a href=/b>Next</a>: A night at home]</p>",
        "<em>Filed under</em> <a href=/boats/>boats</a><br><b>May 2020</b>",
        "<a href=/>Home</a> &gt; <a href=/boats/>Boats</a> &gt; Our title in short<br>",
    ],
)
def test_lines_above_the_title_are_removed(above: str) -> None:
    text = clean(f"{above}<h3>Our title</h3><p>{LOREM}</p>", title="Our title").text
    assert text == LOREM.strip()


@pytest.mark.parametrize(
    ("day", "is_kept"), [("4 May 2020", False), ("6 May 2020", True), ("Filed today", True)]
)
def test_what_the_blog_says_of_itself_above_the_day_is_removed(day: str, is_kept: bool) -> None:
    says = "<em>A view of the quay.</em><br><em>Filed under:</em> <a href=/boats/>boats</a><br>"
    html = f"{says}<h2>{day}</h2><h3>Our title</h3><p>{LOREM}</p>"
    text = clean(html, title="Our title", dated="4 May 2020").text
    assert ("view" in text) is is_kept and LOREM.strip() in text


@pytest.mark.parametrize(
    ("label", "is_kept"), [("Archives", False), ("A day out.", True), ("By the sea, again", False)]
)
def test_labels_above_the_day_of_a_post_without_a_title_are_removed(
    label: str, is_kept: bool
) -> None:
    for day, dated in (("04.18.02", "04.18.02"), ("10.11.03", "2003-10-11")):
        text = clean(f"<h2>{label}</h2><div>{day}</div><p>{LOREM}</p>", dated=dated).text
        assert (label in text) is is_kept and LOREM.strip() in text


def test_label_of_what_was_dropped_below_a_film_is_removed() -> None:
    film = "<p><iframe src='https://www.youtube.com/embed/1'></iframe></p>"
    found = clean(f"{film}<h3>Related posts:</h3>")
    assert "Related" not in found.text and "youtube" in found.html


@pytest.mark.parametrize(
    ("form", "is_kept"), [("<form><input type=email></form>", False), ("", True)]
)
def test_box_to_subscribe_is_removed_from_a_short_post(form: str, is_kept: bool) -> None:
    box = f"<div class=subscription-widget><p>To receive new posts, subscribe.</p>{form}</div>"
    text = clean(f"<p>A very short post of today.</p>{box}").text
    assert ("subscribe" in text) is is_kept


@pytest.mark.parametrize(
    ("back", "kept"),
    [
        ("<p><b>Replies: 0 Comments</b></p>", ""),
        ("<div>Comments (3)</div>", ""),
        ("<p><font size=1>Posted by Ann @ 05/13/2002 10:23 AM PST</font></p>", ""),
        ("<p><b>2 Comments</b></p><p>Nice.</p><i>Bob @ 05/14/2002 10:23 AM</i>", ""),
        (
            "<p>Posted by Ann to all of us on 05/13/2002.</p>",
            "Posted by Ann to all of us on 05/13/2002.",
        ),
        ("<p>No comment.</p>", "No comment."),
        ("<h3>Comments</h3><p>No comments yet.</p>", ""),
        ("<h3>Commentaires</h3><p>Aucun commentaire</p><h3>Ajouter un commentaire</h3>", ""),
        (
            "<h3>Trackbacks</h3><p>No comments yet, and I like it.</p>",
            "Trackbacks\nNo comments yet, and I like it.",
        ),
        ("<p>I got 3 comments today</p>", "I got 3 comments today"),
    ],
)
def test_number_of_comments_at_the_end_is_removed(back: str, kept: str) -> None:
    assert clean(f"<p>{LOREM}</p>{back}").text == f"{LOREM.strip()}\n{kept}".strip()


@pytest.mark.parametrize(
    ("front", "kept"),
    [
        ("<b>Tuesday, 30 January 2001</b><p><font size=4>A walk</font></p>", ""),
        ("<p><b>03/13/2001: A walk</b></p>", ""),
        ("<br><font><b>30 January 2001</b></font><br><br><b>■A walk</b><br>", ""),
        ("<h2>A walk <small>30 January 2001</small></h2>", ""),
        ("<h2>A walk in the rain <small>30 January 2001</small></h2>", "A walk in the rain"),
        ("<h3>A walk &#183; 3 weeks ago by Ann Lee</h3>", ""),
        ("<h3>A walk &#183; 30 January 2001 by Ann Lee</h3>", ""),
        ("<h3>A walk in May by Ann Lee</h3>", "A walk in May by Ann Lee"),
        ("<p>03/13/2001 Entry: <b>A walk</b></p>", ""),
        ("<table><tr><td><b>A walk</b></td></tr></table>", ""),
        ("<table><tr><td>A walk</td><td>A run</td></tr></table>", "A walk"),
        ("<table><tr><td><span>Written by Ann Lee</span></td></tr></table>", ""),
        ("<p>Written by my mother</p>", "Written by my mother"),
        ("<p><font size=4>A walk</font></p><p>30 January 2001</p>", ""),
        ("<p><font size=4>A walk by night</font></p>", "A walk by night"),
        ("<p>A walk. It rained.</p>", "A walk. It rained."),
        ("<p>A walk。</p>", "A walk。"),
        ("<blockquote>A walk</blockquote>", "A walk"),
        ('<p><img src="/walk.jpg"><br>A walk</p>', "A walk"),
        ("<p>In January 2001 we took</p><p>a walk home</p>", "In January 2001 we took"),
    ],
)
def test_title_line_that_is_no_heading_is_removed_with_its_date(front: str, kept: str) -> None:
    text = clean(f"{front}<p>{LOREM}</p>", title="A walk", dated="30 January 2001").text
    assert text.startswith(kept or LOREM[:20])


def test_sentence_with_a_wide_colon_above_the_title_is_kept() -> None:
    html = f"<p>每次执行都出现：</p><pre>Not found: [...]</pre><p>{LOREM}</p>"
    assert clean(html, title="Not found").text.startswith("每次执行都出现：\nNot found")


def test_sentence_or_image_above_the_title_is_kept() -> None:
    assert (
        LOREM.strip()
        in clean(f"<p>{LOREM}</p><h3>Our title</h3><p>More.</p>", title="Our title").text
    )
    shown = clean(f"<p><img src=a.png> 2020</p><h3>Our title</h3><p>{LOREM}</p>", title="Our title")
    assert "a.png" in shown.html


def test_first_line_with_the_post_date_in_another_format_is_removed() -> None:
    line = "<div><time>Aug 1, 2023</time></div>"
    assert clean(f"{line}<p>{LOREM}</p>", dated="2023-08-01T10:00:00Z").text == LOREM.strip()
    assert "2023" in clean(f"{line}<p>{LOREM}</p>", dated="2023-09-01T10:00:00Z").text


@pytest.mark.parametrize(
    "line",
    [
        "30/1/2001",
        "<i>30.01.2001</i>",
        "<font>30 Jan 2001</font>",
        "<hr><div> </div><hr><small>30/1/2001</small><br><br>",
    ],
)
def test_post_date_before_the_first_paragraph_without_an_element_is_removed(line: str) -> None:
    page_line = f"A walk 30.01.2001 {LOREM}"
    for dated in ("2001-01-30", "30/1/2001", page_line):
        assert clean(f"{line}<p>{LOREM}</p>", dated=dated).text == LOREM.strip()
    font = f"<font face=Arial><h2>A walk</h2>{line}<p>{LOREM}</p></font>"
    assert clean(font, title="A walk", dated="2001-01-30").text == LOREM.strip()
    sentence = "On 30 January 2001 it rained all day."
    assert clean(f"{sentence}<p>{LOREM}</p>", dated=sentence).text.startswith(sentence)


def test_tag_links_are_no_text_even_in_short_posts() -> None:
    tags = "<div class='tags'>Tags: <a href='/tag/zoo/'>zoo</a> <a href='/tag/sea/'>sea</a></div>"
    short = "We saw a lion and a bear."
    assert clean(f"<p>{short}</p>{tags}").text == short
    foreign = "<p>Read <a href='https://other.example/tag/zoo/'>zoo</a></p>"
    assert "zoo" in clean(f"<p>{LOREM}</p>{foreign}").text


def test_comments_behind_their_form_are_no_content() -> None:
    said = "<div class=media><h4>Ann <small>May 3, 2009</small></h4>I was on that ferry.</div>"
    form = "<div class=well><form><textarea></textarea></form></div>"
    assert clean(f"<p>{LOREM}</p>{form}{said * 2}").text == LOREM.strip()


def test_trackbacks_below_the_text_are_no_content() -> None:
    below = (
        "<h2><a id=trackback></a>TrackBack</h2><p>TrackBack URL for this entry:<br>"
        "http://pings.example/t/5/16</p><p>Listed below are links to this post:</p>"
    )
    assert clean(f"<p>{LOREM}</p>{below}").text == LOREM.strip()


def test_comments_behind_a_named_label_and_a_date_in_a_span_are_dropped() -> None:
    said = "".join(
        f"<li id='comment-{n}'{names}><cite>Bo <a href='#comment-{n}'>0{n}.02.2008, 10:11</a>"
        f"</cite><p>{LOREM}</p></li>"
        for n, names in ((1, ""), (2, " class='author'"))
    )
    page = page_of(
        "<div id=x><h2>Walks</h2><span class=c>01.02.2008, 09:00</span> <span>Walking</span>"
        f"<p>{LOREM * 3}</p><h3 id=comments>Comments on this post</h3><ul id=cl>{said}</ul></div>"
    )
    node = page.tree.get_element_by_id("x")
    drops = [Rule(field="content.drop", xpath=".//h3[@id='comments']")]
    for rules in ([], drops):
        found = clean_content(node, page, title="Walks", drops=rules)
        assert found.text == (LOREM * 3).strip()


@pytest.mark.parametrize("href", ["index.html@cat=1.html", "/category/life/"])
def test_sentence_about_a_short_post_with_its_category_is_removed(href: str) -> None:
    said = (
        f"<p class='postmetadata'>This entry was posted on Friday, February 4th, 2005 and is filed "
        f"under <a href='{href}'>Life</a>. Both comments and pings are currently closed.</p>"
    )
    page = Page(url="http://b.example/a.html", body=b"<html><body>x</body></html>")
    html = f"<div><p>Rain again, and no wind at all.</p>{said}</div>"
    assert clean_content(html, page).text == "Rain again, and no wind at all."


def test_named_byline_of_a_short_post_is_removed_where_it_has_a_date_and_the_author() -> None:
    byline = (
        "<div class=post-meta><div>Ann Lee on <span>Oct 27, 2017<i>2017-10-27T00:00:00+08:00</i>"
        "</span></div><div>Updated <span>May 15<i>2021-05-15</i></span> <span>1 min</span></div>"
        "</div>"
    )
    text = "Rain again, and no wind at all, but for an hour before the sun came up."
    assert clean(f"{byline}<p>{text}</p>", authors=["Ann Lee"]).text == text
    assert clean(f"{byline}<p>{text}</p>").text != text


@pytest.mark.parametrize(
    ("ident", "heading"),
    [
        ("all-of-their-group-are-sharing", "All of their group are sharing"),
        ("notfalls-lasst-sich-die-navbar", "Notfalls lässt sich die Navbar"),
        ("notfalls-lsst-sich-die-navbar", "Notfalls lässt sich die Navbar"),
    ],
)
def test_id_of_a_section_that_is_made_of_its_headings_words_says_nothing(
    ident: str, heading: str
) -> None:
    """As docutils writes it; a theme's box has few words."""
    group = (
        f"<section id={ident}><h2>{heading}"
        f"<a class=headerlink href=#{ident}>¶</a></h2><p>KEEP this.</p>"
        "</section>"
    )
    box = "<div id=share-this-post><h2>Share this post</h2><p>DROP it.</p></div>"
    page = Page(url="http://b.example/", body=b"<body></body>")
    found = clean_content(f"<p>{'All of the text. ' * 20}</p>{group}{box}", page)
    assert "KEEP" in found.text and "DROP" not in found.text


OWN = "/2020/05/post/"


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        (
            '<br>posted at: 17:47 | path: <a href="/tea">/tea</a> | '
            f'<a href="{OWN}">permanent link to this entry</a>',
            False,
        ),
        (
            f'<br><font size=1>08:06:00 PM <a href="{OWN}#a13" title="Permanent link to this item">'
            '<img src="/i.gif"></a> <a href="javascript:c(1)">comment []</a></font>',
            False,
        ),
        (f'</p><p>At <a href="{OWN}">22:05</a> | <a href="#c">2 comments</a></p><p>', False),
        (
            '<br><i></i>&nbsp;<span><a href="/tag/tea/10/?offset=0">TEA</a></span> '
            '<span><a href="/tag/rain/10/?offset=0">RAIN</a></span><br>',
            False,
        ),
        ('</p>Tags: <a href="/tag/tea/">tea</a>, <a href="/tag/rain/">rain</a>', False),
        (
            f'</p><div><a href="{OWN}">11 months ago</a> by Alexandra Lee | tagged '
            f'<a href="/tag/tea/">tea</a> | <a href="{OWN}#comments">2 comments</a></div><p>',
            False,
        ),
        (
            '<br>The others of this year, all of the summer, are at <a href="/tag/tea/">tea</a>',
            True,
        ),
        ('<br><a href="/tag/tea/">tea</a> <img src="/photo.jpg">', True),
        (f'<br>Note 1: see above <a href="{OWN}#ref1">back</a>', True),
        ('<br>View six minutes of it: <a href="">here</a>', True),
        ('<br>More about it on <a href="/2020/06/other/">another page</a>', True),
        (f'<br>I wrote of it <a href="{OWN}">right here</a>, and it rained.', True),
        ("<br>;)", True),
        ("<br><a name=more></a>clouds; july 2003", True),
    ],
)
def test_last_line_that_leads_to_the_page_itself_is_no_text_of_the_post(
    line: str, stays: bool
) -> None:
    said = LOREM * 3
    text = clean(f"<p>{said}<br><br>{said}{line}</p>").text
    assert text.startswith(said.strip()) and (text.count("\n") == 2) is stays


def page_in_main(end: str) -> Page:
    body = f"<html><body><main><p>{LOREM * 3}</p>{end}</main></body></html>"
    return Page(url=f"http://b.example{OWN}", body=body.encode())


def test_last_line_goes_whole_though_rules_drop_links_in_it() -> None:
    line = f'posted at: 17:47 | path: <a href="/tea">/tea</a> | <a href="{OWN}">permanent link</a>'
    page = page_in_main(f"<br>{line}")
    drops = [Rule(field="content.drop", xpath=".//a[normalize-space(.)='permanent link']")]
    found = clean_content(page.tree.find(".//main"), page, drops=drops)
    assert found.text == (LOREM * 3).strip()


def test_label_of_tags_goes_with_the_last_line_that_has_them() -> None:
    tags = "<div><div>Tags:</div><ul><li><a href=/tags/tea/>Tea</a></li></ul></div>"
    page = page_in_main(tags)
    drops = [Rule(field="content.drop", xpath="./*[last()][self::div][.//a]")]
    found = clean_content(page.tree.find(".//main"), page, drops=drops)
    assert found.text == (LOREM * 3).strip()


@pytest.mark.parametrize(
    ("film", "stays"), [("<iframe src=//v.example/e/1></iframe>", True), ("", False)]
)
def test_last_heading_above_a_film_is_the_posts(film: str, stays: bool) -> None:
    box = f"<div class=clear></div><div class=box><h3>A first look</h3><p>{film}</p></div>"
    assert ("A first look" in clean(f"<p>{LOREM}</p>{box}").text) is stays


def test_heading_whose_id_has_a_word_of_comments_is_the_posts() -> None:
    """Engines make ids of headings' words; those of comments and of their form stay dropped."""
    parts = "<h2 id=its-hard-to-respond>It’s hard to respond</h2><p>One.</p>"
    parts += "<h2 id=user-reviews>User reviews</h2><p>Two.</p>"
    form = "<h3 id=respond>Leave a reply</h3><h3 id=leave-a-comment>Leave a comment</h3>"
    page = Page(url="http://b.example/", body=b"<body></body>")
    text = clean_content(f"<p>{'All of the text. ' * 20}</p>{parts}{form}", page).text
    assert "hard to respond" in text and "User reviews" in text
    assert "Leave a" not in text
