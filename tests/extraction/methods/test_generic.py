"""One unknown page alone: the shapes at which general extractors fail, each by name."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from typing import Any

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import Post
from blogcrawl.dom.blocks import blocks_of
from blogcrawl.dom.density import find_content
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.extraction.fields.author_lines import visible_authors
from blogcrawl.extraction.fields.authors import markup_authors
from blogcrawl.extraction.fields.date_line import visible_dates
from blogcrawl.extraction.methods.generic import GenericExtractor
from blogcrawl.extraction.model import extract_post, learn_blog
from blogcrawl.text.visible import node_text

ONE = (
    "The first paragraph says something, at some length, so that it reads like prose and not "
    "like a menu."
)
TWO = (
    "The second goes on, with commas, clauses and a full stop; that is what a paragraph is "
    "like, mostly."
)
MENU = (
    "<ul class=menu>"
    + "".join(f"<li><a href='/s{i}'>Section {i}</a></li>" for i in range(12))
    + "</ul>"
)
SIDE = (
    "<div class=sidebar><h3>About me</h3><p>I am the author of all this, I live somewhere, and "
    "I like long walks on the beach.</p>"
    "<h3>Recent posts</h3><ul>"
    + "".join(f"<li><a href='/r{i}'>A recent post number {i}</a></li>" for i in range(10))
    + "</ul></div>"
)
COMMENTS = (
    "<h3>3 comments</h3><ol class=commentlist>"
    + "".join(
        (
            f"<li class=comment><cite class='fn author'>Troll {i}</cite> <time "
            f"datetime='2022-01-0{i}'>x</time><p>TROLLING {ONE} {TWO}</p></li>"
        )
        for i in range(1, 9)
    )
    + "</ol>"
)


def page_of(
    main: str,
    title: str = "My post - My blog",
    url: str = "https://blog.example/2020/05/my-post/",
    lang: str = "en",
) -> Page:
    html = (
        f"<html lang={lang}><head><title>{title}</title></head>"
        f"<body><div id=head><h1><a href='/'>My blog</a></h1>{MENU}</div>"
        f"<div id=middle>{main}{SIDE}</div>"
        f"<div id=foot><p>© 2011 My blog, all rights reserved, powered by "
        f"something.</p></div></body></html>"
    )
    return Page(url=url, body=html.encode(), headers={"content-type": "text/html; charset=utf-8"})


def best(page: Page, field: str) -> Any:
    values = (GenericExtractor().extract(page, None) or {}).get(field)
    return values[0].value if values else None


def text_of(page: Page) -> str:
    content = best(page, "content")
    assert content is not None
    return clean_content(content, page, title=best(page, "title")).text


META = "<p class=post-meta>Posted on <span>May 4, 2020</span> by Ann Lee</p>"
SHARE = "<div class=sharedaddy><a href=#>Tweet</a><a href=#>SHARING</a></div>"
TAGS = "<p>Tags: <a rel=tag href=/tag/a>TAGGED</a></p>"


@pytest.mark.parametrize(
    "content",
    [
        f"<div class=x><p>{ONE}</p><p>{TWO}</p></div>",
        f"<div class=x>{ONE}<br><br>{TWO}</div>",
        f"{ONE}<br>{TWO}",
        f"<div><div>{ONE}</div><div>{TWO}</div></div>",
        f"<table><tr><td>{ONE}</td></tr><tr><td>{TWO}</td></tr></table>",
        (
            f"<div class='css-1x2y3z'><section><p>{ONE}</p></section><section><p>{TWO}</p></sect"
            f"ion>"
            f"</div>"
        ),
        f"<font size=2>{ONE}<p>{TWO}</font>",
        f"<div class=entry-content><ul><li>{ONE}</li><li>{TWO}</li></ul></div>",
        f"<div class=x><p>{ONE}</p><pre>code()\n  more()</pre><p>{TWO}</p></div>",
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        META + "{}",
        "{}" + TAGS + SHARE,
        "{}" + COMMENTS,
        META + "{}" + TAGS + SHARE + COMMENTS,
    ],
)
def test_content_is_the_whole_post_only(content: str, around: str) -> None:
    page = page_of(f"<div class=post><h2>My post</h2>{around.format(content)}</div>")
    text = text_of(page)
    assert ONE in text and TWO in text
    for foreign in (
        "TROLLING",
        "TAGGED",
        "SHARING",
        "Recent posts",
        "Section 3",
        "all rights reserved",
    ):
        assert foreign not in text
    if "code()" in content:
        assert "code()\n  more()" in text


def test_title_has_no_site_name_and_author_is_no_commenter() -> None:
    page = page_of(
        f"<div class=post><h2>My post</h2>{META}<div><p>{ONE}</p><p>{TWO}</p></div></div>{COMMENTS}"
    )
    assert best(page, "title") == "My post"
    assert best(page, "authors") == ["Ann Lee"]
    assert best(page, "published").date() == date(2020, 5, 4)


@pytest.mark.parametrize(
    ("line", "lang", "day"),
    [
        ("<h2 class=date-header>samedi 27 avril 2013</h2>", "fr", date(2013, 4, 27)),
        ("<div>Veröffentlicht am 3. März 2012</div>", "de", date(2012, 3, 3)),
        ("<small>2015年7月8日</small>", "ja", date(2015, 7, 8)),
        ("<div>5 мая 2016</div>", "ru", date(2016, 5, 5)),
        ("<p>juni 1, 2017</p>", "nb", date(2017, 6, 1)),
        ("<p>8/7/2013 11:04</p>", "en-GB", date(2013, 7, 8)),
        ("<p>8/7/2013 11:04am</p>", "en-US", date(2013, 8, 7)),
    ],
)
def test_date_lines_are_read_in_the_pages_language(line: str, lang: str, day: date) -> None:
    for where in (
        f"{line}<h2>My post</h2><div><p>{ONE}</p><p>{TWO}</p></div>",
        f"<h2>My post</h2><div><p>{ONE}</p><p>{TWO}</p></div>{line}",
    ):
        page = page_of(
            f"<div class=post>{where}</div>", lang=lang, url="https://blog.example/my-post"
        )
        assert best(page, "published").date() == day, where


def test_modified_date_by_class_is_not_the_posts() -> None:
    days = (
        "<div><p class='update-date'><span>2026-11-22 09:01</span></p><p "
        "class='create-date'><span>2016-06-21 08:43</span></p></div>"
    )
    page = page_of(
        f"<h1>My post</h1>{days}<div><p>{ONE}</p><p>{TWO}</p></div>", url="https://b.example/x"
    )
    assert best(page, "published").date() == date(2016, 6, 21)


def test_container_with_a_sidebar_is_no_sidebar() -> None:
    post = (
        f"<div><span>2020-05-04</span></div><main><h1>My post</h1><p>{ONE}</p><p>{TWO}</p></main>"
    )
    assert best(
        page_of(f"<div class='Doc has-sidebar has-aside'>{post}</div>", url="https://b.example/x"),
        "published",
    ).date() == date(2020, 5, 4)
    in_sidebar = post.replace("<div>", "<div class='Doc sidebar'>", 1)
    assert (
        best(
            page_of(f"<div class='Doc sidebar'>{post}</div>", url="https://b.example/x"),
            "published",
        )
        is not None
    )
    assert best(page_of(in_sidebar, url="https://b.example/x"), "published") is None


def test_copyright_year_and_date_in_the_text_are_no_post_date() -> None:
    page = page_of(
        (
            f"<div class=post><h2>My post</h2><div><p>{ONE}</p><p>On May 4, 2011 {TWO} {ONE} "
            f"{TWO}</p></div></div>"
        ),
        url="https://b.example/x",
    )
    assert best(page, "published") is None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        *(
            ("by Ann Lee", "Ann Lee"),
            ("Posted by admin at 10:00", "admin"),
            ("May 4 · by Ann Lee | 3 views", "Ann Lee"),
        ),
        *(
            ("نوشته شده توسط رضا در ۳۱ اردیبهشت ۱۳۹۶ ساعت ۲۰:۴۳", "رضا"),
            ("作者：張三 · 2020-05-04", "張三"),
        ),
        *(("글쓴이: 김철수", "김철수"), ("нічого", None)),
        ("投稿者：山田太郎", "山田太郎"),
        *(
            ("автор: Иван Петров", "Иван Петров"),
            ("Ahmet Yılmaz tarafından 5 Nisan 2020", "Ahmet Yılmaz"),
        ),
        *(("oleh Budi Santoso pada 5 April 2020", "Budi Santoso"), ("מאת דוד לוי", "דוד לוי")),
        *(
            ("Kirjoittanut Matti Virtanen", "Matti Virtanen"),
            ("بقلم: أحمد علي", "أحمد علي"),
            ("από τον Νίκος", "Νίκος"),
        ),
        *(
            ("โดย สมชาย ใจดี", "สมชาย ใจดี"),
            ("Tác giả: Nguyễn Văn An", "Nguyễn Văn An"),
            ("di Anna Rossi", "Anna Rossi"),
        ),
        *(("av Ola Nordmann", "Ola Nordmann"), ("door Jan de Vries op 5 mei 2020", "Jan de Vries")),
        ("por João Silva em 3 de maio", "João Silva"),
        ("Posté par Odile73 à 10:56 - Travail", "Odile73"),
        ("Posted by ann_lee2 on May 3, 2010", "ann_lee2"),
        ("Gespeichert von Anke am Do, 31.03.2011 - 08:18", "Anke"),
        *(("von Ute Maier am 3. Mai", "Ute Maier"), ("Servizi sulla porta 443 di Apache.", None)),
        *(
            ("write about the author and his dog", None),
            ("Meer door de Breedte", None),
            ("3 May 2020 by Ann Lee", "Ann Lee"),
        ),
        *(
            ("<span title='Author'>Ann Lee</span>", "Ann Lee"),
            ("<span aria-label='作者'><i></i><a>張三</a></span>", "張三"),
        ),
        *(
            ("<span title='Share'>Ann Lee</span>", None),
            ("par André Dupont", "André Dupont"),
            ("la course par équipe du dimanche", None),
            ("nothing here", None),
        ),
        ("Text: Anna Muster", "Anna Muster"),
        *(("Text & Fotos: Ute Maier", "Ute Maier"), ("Words and pictures: Ann Lee", "Ann Lee")),
        *(("テキスト：田中花子", "田中花子"), ("Words and their meaning: a list", None)),
        ("<b>Ute Maier<br></b><i>Evening Post</i>, 3 May 2020", "Ute Maier"),
        ("كتبها<a>هند العلي</a> ، في 17 فبراير 2008", "هند العلي"),
        *(("Posted by Dave J. <a>July 1, 2005</a>", "Dave J."), ("by May Sarton", "May Sarton")),
        ("Written on June 17, 2008  by annlee", "annlee"),
        *(("By Jose de la Cruz", "Jose de la Cruz"), ("Par Anne le Lundi 3 mai 2010", "Anne")),
        ("Posted by Annlee under <a href=/c/garden>Garden</a>", "Annlee"),
        *(("Contributed by: <a>lionel</a>", "lionel"), ("by <span>ann lee</span>", "ann lee")),
        ("by the way", None),
        *(("10:14 PM, by <a>annlee</a> , 253 words", "annlee"), ("10:14 by the sea", None)),
        ("11 months ago by Ann Lee | 5 comments", "Ann Lee"),
        ("Publié par <a>Rémi</a> <i>sam, 19 janvier 2008 12:22</i>", "Rémi"),
        ("Ann (<b>annlee</b>) wrote,<br>@ 2004-01-25 15:55:00", "Ann (annlee)"),
        ("Hosts: Ann Lee &amp; Bo Day", "Ann Lee & Bo Day"),
        ("ann_lee (<b>ann_lee</b>) wrote,<br>@ 2004-01-25 15:55:00", "ann_lee"),
        *(("On June 17, 2008 we drove by car", None), ("Author: the night owls", "the night owls")),
        ("Written by <b>Ann Lee</b> who lives and works in Oslo, building things.", "Ann Lee"),
        *(
            ("Autor: <a>die eulen</a>", "die eulen"),
            ("云风 提交于 March 15, 2018 04:59 PM", "云风"),
            ("发布:阿强 | 分类:程序 | 评论:3", "阿强"),
            ("作者:小马 日期:2004-08-29 18:25:00", "小马"),
        ),
        *(
            ("Αναρτήθηκε από Κώστας Αντωνίου στις 5 Μαρτίου 2010", "Κώστας Αντωνίου"),
            ("Publicado por Ana Ruiz en 20:30, 5 de marzo de 2010", "Ana Ruiz"),
            ("Pubblicato da Luca Bianchi il 5 marzo 2010", "Luca Bianchi"),
            ("Opublikowane przez Anna Nowak w dniu 5 marca 2010", "Anna Nowak"),
            ("Upplagd av Karin Berg kl. 20:30, 5 mars 2010", "Karin Berg"),
        ),
        ("2015年1月29日 13:09 | 分类 <a href=/category/p/>编程</a>", None),
        ("<i class='font reco-account'><span>周明</span></i> <i>2016/12/21</i>", "周明"),
        ("<i class='fa fa-user'></i> <span>周明</span> <span>2016/12/21</span>", "周明"),
        ("<i class='fa fa-folder'></i> <span>周明</span> <span>2016/12/21</span>", None),
        *(
            ("Vystavil Jan Novák v 5. března 2010", "Jan Novák"),
            ("Bejegyezte: Kovács Anna dátum: 2010. március 5.", "Kovács Anna"),
            ("Gönderen Ayşe Yılmaz zaman: 5 Mart 2010", "Ayşe Yılmaz"),
            ("Опубликовал Иван Петров 5 марта 2010", "Иван Петров"),
        ),
        *(
            ("פורסם על ידי דוד כהן ב-5 במרץ 2010", "דוד כהן"),
            ("由 李明 发表于 2010年3月5日", "李明"),
            ("เขียนโดย สมชาย ใจดี ที่ 5 มีนาคม 2553", "สมชาย ใจดี"),
            ("كتبها: سعاد المالكي بتاريخ الخميس 3 مارس 2009 الساعة 10:10 م", "سعاد المالكي"),
        ),
        *(
            ("Opublikowano 3 marca 2009 o 22:10 przez Anna Nowak. Dział: Ogród.", "Anna Nowak"),
            ("Posted by Ann Lee. Filed under <a>Garden</a>. May 3, 2010", "Ann Lee"),
            ("Posted by Ann Lee Jr. on May 3, 2010", "Ann Lee Jr."),
            ("Filed under: <a>Garden</a> — Tags: <a>rope</a> —  ann @ 10:01 am", "ann"),
            ("Filed under: <a>Garden</a> — Ann Lee @ 22:10", "Ann Lee"),
            ("Filed under: <a>Garden</a> — May 3, 2010 @ 22:10", None),
        ),
    ],
)
def test_author_lines_are_read(line: str, name: str | None) -> None:
    page = page_of(
        f"<div class=post><h2>My post</h2><p>{line}</p><div "
        f"id=c><p>{ONE}</p><p>{TWO}</p></div></div>"
    )
    found = visible_authors(page, page.tree.get_element_by_id("c"))
    assert (found[0][0] if found else None) == name


@pytest.mark.parametrize(
    ("line", "name"),
    [
        *(
            ("© 2017 Joris de Wit • Atom Feed", "Joris de Wit"),
            ("Copyright © 2015–2024 Giulia Neri. Testi in CC BY", "Giulia Neri"),
            ("© 2003 Zo Hasina<br>Écrivez par e-mail", "Zo Hasina"),
            ("Sous licence <a>Creative Commons</a>, 2005 Zo Hasina", "Zo Hasina"),
        ),
        *(
            ("© 2017 All Rights Reserved", None),
            ("© 2017 Big Tree Media", None),
            ("© 2017 The Garden", None),
            ("Comments hosted by <a href=https://disqus.example>Disqus</a>", None),
        ),
        *(("Theme by Ann Lee", None), ("© 2017 garden notes", None), ("© 2017 Rosy Garden", None)),
    ],
)
def test_copyright_line_gives_the_author_as_a_last_resort(line: str, name: str | None) -> None:
    def post(byline: str) -> Page:
        text = (
            f"<div class=post><h2>My post</h2>{byline}<div "
            f"id=c><p>{ONE}</p><p>{TWO}</p></div></div><footer>{line}</footer>"
        )
        return page_of(f"<a href='/'>Rosy Garden</a>{text}", url="https://b.example/x")

    assert best(post(""), "authors") == ([name] if name else None)
    assert best(post("<p class=byline>by Ute Maier</p>"), "authors") == ["Ute Maier"]


def test_author_box_names_the_author() -> None:
    name = (
        "<a href=https://code.example/kana><span class=card-author-name>Kana "
        "Ito</span></a><p class=card-author-title>Night baker</p>"
    )
    heading = "<div class=card-author-heading>About the author</div>"
    box = (
        f"<section class='card-author mobile'>{heading}<div "
        f"class=card-author-card>{name}</div></section>"
    )
    page = page_of(
        f"<div class=post><h2>My post</h2><div id=c><p>{ONE}</p><p>{TWO}</p></div></div>{box}",
        url="https://b.example/x",
    )
    assert best(page, "authors") == ["Kana Ito"]


def test_date_is_read_from_a_posted_on_sentence() -> None:
    foot = (
        "This entry was posted on Δευτέρα 18 Δεκεμβρίου 2017 at 22:52 and is filed under <a "
        "href=/c rel=category>Books</a>. "
    )
    foot += (
        "You can follow any responses to this entry through the feed. You can leave a "
        "response, or trackback from your own site."
    )
    post = (
        f"<h2>My post</h2><div><p>{ONE}</p><p>{TWO}</p></div><p class='postmetadata "
        f"alt'><small>{foot}</small></p>"
    )
    page = page_of(f"<div class=post>{post}</div>")
    assert best(page, "published").date() == date(2017, 12, 18)


@pytest.mark.parametrize(
    ("lead", "is_sure"), [("Opublikowano", True), ("Posted on", True), ("Byłem tam", False)]
)
def test_sentence_that_begins_with_the_day_of_publication_is_no_prose(
    lead: str, is_sure: bool
) -> None:
    line = f"{lead} 24 lutego 2010 o godzinie 13:16 przez Anna Nowak. Dział: Ogród i sad i pole."
    page = page_of(f"<h2>Wpis</h2><p>{line}</p><div>{ONE}{TWO}</div>", lang="pl")
    [found, *_] = (GenericExtractor().extract(page, None) or {})["published"]
    assert (found.value.date(), found.confidence >= 0.5) == (date(2010, 2, 24), is_sure)


def test_short_post_with_long_comments() -> None:
    assert (
        text_of(
            page_of(
                f"<div class=post><h2>My post</h2><div "
                f"class=entry-content><p>{ONE}</p></div>{COMMENTS * 5}</div>"
            )
        )
        == ONE
    )


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"<body></body>", b"<p>", b"\x00", b"plain words only", "ü".encode("utf-16")],
)
def test_empty_and_broken_pages_are_survived(body: bytes) -> None:
    page = Page(url="https://x.example/", body=body)
    GenericExtractor().extract(page, None)
    find_content(blocks_of(page))
    visible_dates(page, None, [])


def test_generic_extraction_does_not_change_the_page() -> None:
    page = page_of(f"<div class=post><h2>My post</h2>{META}<div><p>{ONE}</p></div>{COMMENTS}</div>")
    from lxml import etree

    before = etree.tostring(page.tree)
    GenericExtractor().extract(page, None)
    assert etree.tostring(page.tree) == before


def spread_page() -> Page:
    """Return a page with text spread over many similar elements."""
    return page_of(
        "".join(
            f"<div class=z{i}><p>{ONE} {i}</p></div><div class=y{i}><p>{TWO} {i}</p></div>"
            for i in range(3)
        ),
        title="Nothing of it",
    )


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (None, "density"),
        (f"<p>{ONE} 1</p><p>{TWO} 1</p>" * 20, "library"),
        ("<p>short</p>", "density"),
    ],
)
def test_library_decides_if_little_text_is_found(
    monkeypatch: pytest.MonkeyPatch, answer: str | None, rule: str
) -> None:
    from blogcrawl.extraction.methods import generic

    monkeypatch.setattr(generic, "MIN_PARAGRAPH", 10**6)
    monkeypatch.setattr(generic, "library_content", lambda page: answer)
    assert (GenericExtractor().extract(spread_page(), None) or {})["content"][0].rule == rule


@pytest.mark.parametrize(
    "label", ["9 comments", "9 responses to A walk", "9 Kommentare zu „Am See“"]
)
def test_many_comments_below_a_label_are_no_content_whatever_their_boxes_are_called(
    label: str,
) -> None:
    said = "".join(f"<div class=q1><p>{ONE} {n}</p><p>{TWO} {n}</p></div>" for n in range(9))
    byline = "<div class=q2>Ann Lee, <a href=#q>9 comments</a></div>"
    below = f"<div class=q3><h3>{label}</h3>{said}</div>"
    thanks = "<p>Thanks for the comments!</p>"
    post = f"<div class=q4><p>{ONE}</p>{thanks}<p>{TWO}</p></div>"
    page = page_of(f"<h1>A walk</h1>{byline}{post}{below}")
    content = (GenericExtractor().extract(page, None) or {})["content"][0]
    text = clean_content(content.value, page, title="A walk").text
    assert text == f"{ONE}\nThanks for the comments!\n{TWO}"


def test_menu_is_no_content_of_a_page_without_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from blogcrawl.extraction.methods import generic

    menu = "".join(f"<li><a href=/{word}/>{word}</a></li>" for word in ("About", "Books", "Talks"))
    page = page_of(f"<ul>{menu}</ul><h1>Slides</h1><div><script src=slides.js></script></div>")
    said = "<p>About Books Talks Slides</p>"
    monkeypatch.setattr(generic, "find_content", lambda *page: None)
    monkeypatch.setattr(generic, "library_content", lambda page: said)
    content = (GenericExtractor().extract(page, None) or {})["content"][0]
    assert content.rule == "not repeated" and not node_text(content.value)


def test_library_is_not_called_for_known_content(monkeypatch: pytest.MonkeyPatch) -> None:
    from blogcrawl.extraction import chain
    from blogcrawl.extraction.methods import generic

    asked: list[Page] = []
    monkeypatch.setattr(generic, "MIN_PARAGRAPH", 10**6)
    monkeypatch.setattr(generic, "library_content", lambda page: asked.append(page))
    have = [field for field in chain.NEEDED if field != "published"]
    chain.gather(spread_page(), None, have)
    assert not asked
    chain.gather(spread_page(), None, have, only="generic")
    assert len(asked) == 1


def test_agreeing_library_raises_the_confidence(monkeypatch: pytest.MonkeyPatch) -> None:
    from blogcrawl.extraction.methods import generic

    page = page_of(
        f"<div class=post><h2>My post</h2><div id=c><p>{ONE}</p><p>{TWO}</p></div></div>"
    )
    monkeypatch.setattr(generic, "MIN_PARAGRAPH", 10**6)
    monkeypatch.setattr(generic, "library_content", lambda page: f"<p>{ONE}</p><p>{TWO}</p>")
    content = (GenericExtractor().extract(page, None) or {})["content"][0]
    assert content.rule == "density, library agrees" and content.confidence >= 0.6


def test_trafilatura_returns_content() -> None:
    pytest.importorskip("trafilatura")
    from blogcrawl.extraction.methods.fallback import library_content

    assert ONE in (
        library_content(page_of(f"<article><h2>My post</h2><p>{ONE}</p><p>{TWO}</p></article>"))
        or ""
    )


def test_notice_for_browsers_without_scripts_is_no_content() -> None:
    pytest.importorskip("trafilatura")
    from blogcrawl.extraction.methods.fallback import library_content

    notice = "<noscript><strong>We are sorry, but this application needs scripts.</strong>"
    shell = f"<html><body>{notice}</noscript><div id=app></div></body></html>"
    assert not library_content(Page(url="https://blog.example/a/", body=shell.encode()))
    text = f"<article><h2>My post</h2><p>{ONE}</p><p>{TWO}</p></article>"
    found = library_content(page_of(f"{notice}</noscript>{text}")) or ""
    assert ONE in found and "application" not in found


def seconds(size: int) -> float:
    page = page_of(
        "<div class=post><h2>My post</h2><div>"
        + f"<p>{ONE} <a href=/x rel=tag>t</a></p><div class=meta>x</div>" * size
        + f"</div></div>{COMMENTS}"
    )
    assert page.tree is not None
    start = time.process_time()
    content = best(page, "content")
    clean_content(content, page)
    return time.process_time() - start


def test_time_is_linear_in_page_size() -> None:
    seconds(50)
    small, large = min(seconds(300) for _ in range(3)), min(seconds(3000) for _ in range(2))
    assert large < 25 * small


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("17.12.2021 00:00 | Ute Maier | <a href='/t/garden/'>Big Garden</a>", "Ute Maier"),
        ("Ludwig van der Berg · 3 May 2020 · 4 min read", "Ludwig van der Berg"),
        ("3 May 2020 | No Comments", None),
        ("3 May 2020 | Ute Maier | Life Stories", None),
        ("3 May 2020 | in the garden", None),
    ],
)
def test_name_next_to_the_date_is_the_author(line: str, name: str | None) -> None:
    body = (
        "<p>It rained for three days and nobody minded, least of all the snails in the garden.</p>"
        * 6
    )
    text = (
        f"<html><head><title>Rain</title></head><body><h2>Rain</h2><p "
        f"class='info'>{line}</p><div>{body}</div></body></html>"
    )
    page = Page(
        url="https://e.org/rain/",
        body=text.encode(),
        status=200,
        headers={},
        fetched_at=datetime(2024, 1, 1, tzinfo=UTC),
    )
    assert [found for found, _ in visible_authors(page, None)][:1] == ([name] if name else [])


HEADED = "<h1>The rain came early over the old bridge</h1>"
PROSE = f"<p>{ONE}</p><p>{TWO}</p>" * 4


def day_of(body: str, title: str = "The rain came early over the old bridge") -> date | None:
    html = f"<html lang=en><head><title>{title}</title></head><body>{body}</body></html>"
    found = (
        GenericExtractor().extract(
            Page(
                url="https://b.example/x", body=html.encode(), headers={"content-type": "text/html"}
            )
        )
        or {}
    ).get("published")
    return found[0].value.date() if found else None


def test_aside_with_post_metadata_is_no_sidebar() -> None:
    assert day_of(
        f"<article>{HEADED}<aside class=meta><time "
        f"datetime=2022-01-21>21.01.2022</time></aside>{PROSE}</article>"
    ) == date(2022, 1, 21)
    assert (
        day_of(
            f"<article>{HEADED}{PROSE}</article><aside class=box><time "
            f"datetime=2022-01-21>21.01.2022</time></aside>"
        )
        is None
    )


def test_wrapper_named_sidebar_around_most_of_the_page() -> None:
    post = (
        f"<div><h2>The rain came early over the old bridge</h2><time "
        f"datetime=2022-01-21>21.01.2022</time>{PROSE}</div>"
    )
    assert day_of(f"<div class='layoutRightSidebar site'>{post}</div>") == date(2022, 1, 21)


def test_image_date_is_not_the_post_date() -> None:
    caption = "<div class=caption><p>Taken on 3 May 2011</p></div>"
    assert day_of(f"<article>{HEADED}{caption}{PROSE}</article>") is None
    assert day_of(
        f"<article><div class=caption>{HEADED}<p>3 May 2011</p></div>{PROSE}</article>"
    ) == date(2011, 5, 3)


def test_date_line_beats_a_date_in_a_sentence() -> None:
    sentence = (
        "<p>On 3 May 2011 the bridge was closed for all those who had come from the "
        "other side of the river.</p>"
    )
    assert day_of(
        f"<article>{HEADED}{sentence}{PROSE}<p class=date>4.6.2020</p></article>"
    ) == date(2020, 6, 4)


def test_date_in_a_written_out_url_is_ignored() -> None:
    assert (
        day_of(
            f"<article>{HEADED}<p>Permalink: https://b.example/2011/05/03/rain.html</p>{PROSE}</"
            f"article>"
        )
        is None
    )


def test_menu_heading_is_not_the_title() -> None:
    menu = "<ol class=breadcrumb><li><h1>The rain came early over the old bridge</h1></li></ol>"
    assert day_of(
        f"{menu}<main><h2>The rain came early over the old bridge</h2><p>3.5.2021</p>{PROSE}</main>"
    ) == date(2021, 5, 3)


def test_first_heading_after_many_others() -> None:
    teasers = "".join(f"<h3><a href=/{i}>Another walk, number {i}</a></h3>" for i in range(80))
    assert day_of(f"<div>{teasers}</div><article>{HEADED}<p>3.5.2021</p>{PROSE}</article>") == date(
        2021, 5, 3
    )


def test_title_next_to_the_date_is_no_author() -> None:
    page = page_of(
        (
            f"<div class=item><div><b>Winter Garden</b> | May 4, "
            f"2020</div><p>{ONE}</p><p>{TWO}</p></div>"
        ),
        title="Winter Garden - My blog",
    )
    assert all(
        name != "Winter Garden"
        for name, _ in visible_authors(page, page.tree.find_class("item")[0])
    )


def test_name_and_comma_before_the_date() -> None:
    line = (
        "<div class=x><div class=y>Ann Lee<!-- -->,<time "
        "datetime=2020-05-04>5/4/2020</time><a href=/tags/a>a</a></div></div>"
    )
    page = page_of(f"<article><h1>My post</h1>{line}<p>{ONE}</p><p>{TWO}</p></article>")
    assert "Ann Lee" in [name for name, _ in visible_authors(page, page.tree.find(".//article"))]


PROFILE = (
    "<span class=profile><span class=author><img src=/a.png "
    "alt='{0}'></span><span><b>{0}</b><br>Gardener</span></span>"
)


@pytest.mark.parametrize(
    ("box", "names"),
    [("post-side__authors", ["Ann Lee"]), ("side", []), ("recent-post__author", [])],
)
def test_author_named_only_in_a_sidebar(box: str, names: list[str]) -> None:
    """Where the box says that it is the post's; several of them are the authors of the posts that
    it lists.
    """
    people = ["Ann Lee", "Bo Kern"] if box.startswith("recent") else ["Ann Lee"]
    side = "".join(f"<div class='{box}'>{PROFILE.format(name)}</div>" for name in people)
    page = page_of(
        f"<div class=sidebar><nav>{side}</nav></div><article><h1>My "
        f"post</h1><p>{ONE}</p><p>{TWO}</p></article>"
    )
    assert [text for texts, _, _ in markup_authors(page) for text in texts] == names


@pytest.mark.parametrize("between", ["", "<!-- the level -->", "<?php echo level() ?>"])
def test_badge_next_to_the_name_is_dropped(between: str) -> None:
    line = (
        f"<div class=info><div class=author><span class=name>Ann Lee</span> {between}<span "
        "class=author-label>Lv3</span></div></div>"
    )
    page = page_of(f"<article><h1>My post</h1>{line}<p>{ONE}</p><p>{TWO}</p></article>")
    assert [text for texts, _, _ in markup_authors(page) for text in texts][:1] == ["Ann Lee"]


def test_author_in_the_class_of_a_journals_poster() -> None:
    user = (
        "<a href=/profile><img src=u.png alt='[personal profile] '></a><a href=/><b>ann_lee</b></a>"
    )
    line = f"<div class='poster entry-poster'><span class=poster>{user}</span></div>"
    page = page_of(f"<h3>My post</h3>{line}<div class=entry-content><p>{ONE}</p><p>{TWO}</p></div>")
    assert [text for texts, _, _ in markup_authors(page) for text in texts] == ["ann_lee"]


@pytest.mark.parametrize(("box", "name"), [("post", "footer"), ("asset", "asset-footer")])
def test_byline_in_a_posts_box_called_footer(box: str, name: str) -> None:
    foot = f"<div class={name}>Written on 3 May 2010 at 10:20 by Noor Aziz | 3 comments</div>"
    text = "<p>It rained for three days, and nobody minded at all.</p>" * 5
    html = f"<h2>Rain</h2><div class={box}><div class=body>{text}</div>{foot}</div>"
    site_foot = "<div class=footer>A theme by Bo Maker, 2009</div>"
    page = Page(url="https://b.example/post/1", body=f"<body>{html}{site_foot}".encode())
    found = extract_post(page, learn_blog([]), promised=True)
    assert isinstance(found, Post) and found.authors == ("Noor Aziz",)
    assert found.published is not None and found.published.date().isoformat() == "2010-05-03"


@pytest.mark.parametrize("label", ["<b>Replies: 1 Comment</b>", "<h3>Comments</h3>", "<p>Posted"])
def test_bylines_below_a_label_of_comments_are_no_posts(label: str) -> None:
    said = "<p>Very nice.<p><i>Posted by Ann Lee on May 3, 2010</i><hr>"
    body = f"<h2>A walk</h2><p>{ONE}<p>{TWO}<p>{label}{said}"
    page = Page(url="http://b.example/1", body=f"<title>A walk</title>{body}".encode())
    is_found = "Comment" not in label
    assert bool(visible_authors(page, None)) is is_found
    assert bool(visible_dates(page, None, ["en"])) is is_found
    boxed = f"<title>A walk</title><div>{body}</div><dl><dd>Author: Bo Maker</dd></dl>"
    page = Page(url="http://b.example/2", body=boxed.encode())
    assert "Bo Maker" in [name for name, _ in visible_authors(page, None)]


def test_commenters_are_no_authors_of_the_post() -> None:
    text = "<p>It rained for three days, and nobody minded at all.</p>" * 5
    comment = "<div class=itemcomment><h3 class=commentauthor>Uwe schrieb:</h3>Schön!</div>"
    page = Page(
        url="https://b.example/post/1",
        body=f"<body><h2>Rain</h2><div class=text>{text}</div>{comment}".encode(),
    )
    assert list(markup_authors(page)) == []
