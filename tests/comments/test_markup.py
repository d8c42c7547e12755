# ruff: noqa: E501 (markup as engines write it)
"""Comments out of markup that themes and engines really write: author, date, text, parent, kind."""

from __future__ import annotations

import time

import pytest

from blogcrawl.comments import extract_comments
from blogcrawl.comments.page_reader import read_page
from blogcrawl.comments.records import make_comment
from blogcrawl.comments.sources import entry_comment
from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry
from tests import hostile

POST = "<article id='post-1'><h1>On bread</h1><div class='entry-content'><p>Bread is made of flour, water and salt, and of time more than of anything else.</p></div></article>"


def page(comments: str, before: str = POST, lang: str = "en") -> Page:
    return Page(
        url="http://blog.example/bread",
        body=f"<!doctype html><html lang={lang}><body>{before}{comments}</body></html>".encode(),
    )


def comment_fields(p: Page) -> list[tuple[str | None, str, str, str | None]]:
    return [
        (c.author, str(c.published)[:16], c.content_text, c.parent_id)
        for c in read_page(p).comments
    ]


def test_wordpress_html5_list_with_threads() -> None:
    p = page(
        """<div id="comments" class="comments-area"><h2 class="comments-title">3 thoughts on “On bread”</h2><ol class="comment-list">
        <li id="comment-11" class="comment even thread-even depth-1 parent"><article id="div-comment-11" class="comment-body"><footer class="comment-meta">
        <div class="comment-author vcard"><img class="avatar" src="a.png"><b class="fn"><a href="http://ann.example/" rel="external nofollow ugc" class="url">Ann</a></b> <span class="says">says:</span></div>
        <div class="comment-metadata"><a href="http://blog.example/bread#comment-11"><time datetime="2020-01-02T03:04:05+00:00">January 2, 2020 at 3:04 am</time></a></div></footer>
        <div class="comment-content"><p>Rye!</p></div><div class="reply"><a class="comment-reply-link" href="?replytocom=11#respond">Reply</a></div></article>
        <ol class="children"><li id="comment-12" class="comment odd depth-2"><article id="div-comment-12" class="comment-body"><footer class="comment-meta"><div class="comment-author vcard"><b class="fn">Bob</b> <span class="says">says:</span></div>
        <div class="comment-metadata"><a href="http://blog.example/bread#comment-12"><time datetime="2020-01-02T04:00:00+00:00">later</time></a></div></footer><div class="comment-content"><p>Or <em>spelt</em>.</p></div></article></li></ol></li>
        <li id="comment-13" class="pingback even depth-1"><div class="comment-body">Pingback: <a href="http://other.example/" class="url" rel="external nofollow">Other blog</a></div></li>
        </ol><div id="respond"><form id="commentform" action="/wp-comments-post.php"><label>Comment</label><textarea name="comment"></textarea></form></div></div>"""
    )
    result = extract_comments(p)
    assert [(c.id, c.author, c.parent_id, c.kind) for c in result.comments] == [
        ("11", "Ann", None, "comment"),
        ("12", "Bob", "11", "comment"),
        ("13", "Other blog", None, "pingback"),
    ]
    assert result.comments[0].author_url == "http://ann.example/"
    assert result.comments[0].url == "http://blog.example/bread#comment-11"
    assert result.comments[1].content_html == "<p>Or <em>spelt</em>.</p>"
    assert result.shown == 3 and result.confidence == 1.0


def test_flat_old_theme_with_metadata_in_lists() -> None:
    unit = """<div class="comment" id="comment-{n}"><ul class="comment_meta"><li class="comment_num"><a name="comment-{n}" href="#comment-{n}">Permalink</a></li>
    <li class="comment_author">{who}</li><li class="comment_time">Nov {d}, 2008 at 10:33 am</li></ul><p>{text}</p></div>"""
    p = page(
        "<h3>2 Comments</h3>"
        + unit.format(
            n=2,
            who="<a href='http://x.example' rel='external nofollow' class='url'>Damien K</a>",
            d=18,
            text="Tasty.",
        )
        + unit.format(n=3, who="Davina", d=19, text="First line.</p><p>Second line.")
    )
    assert comment_fields(p) == [
        ("Damien K", "2008-11-18 10:33", "Tasty.", None),
        ("Davina", "2008-11-19 10:33", "First line.\nSecond line.", None),
    ]


def test_definition_list_with_a_duplicate_id() -> None:
    unit = """<dt class="comment" id="comment-{n}"><span class="comment_num"><a href="#comment-{n}">{n}</a></span><strong>{who} </strong><span class="comment_time">{{ 09.{d}.08 at 12:24 pm }}</span></dt>
    <dd class="comment" id="comment-{n}"><div class="format_text"><p>{text}</p></div></dd>"""
    p = page(
        "<dl id='comment_list'>"
        + unit.format(n=104, who="Katie", d=12, text="Icky!")
        + unit.format(n=105, who="Marty", d=15, text="Kids are kids.")
        + "</dl>"
    )
    assert comment_fields(p) == [
        ("Katie", "2008-09-12 12:24", "Icky!", None),
        ("Marty", "2008-09-15 12:24", "Kids are kids.", None),
    ]


def test_byline_without_markup_follows_the_other_comments() -> None:
    unit = '<div class="comment" id="comment-{n}"><div class="comment-body"><p>{text}</p><p class="comment-meta">by {who} on {n}. Oktober 2010 at 06:31. <a href="?replytocom={n}#respond">Antworten</a></p></div></div>'
    p = page(
        unit.format(
            n=12,
            who='<a class="url" rel="nofollow" href="http://m.example">Marius Joe Pohl</a>',
            text="Danke",
        )
        + unit.format(n=14, who="Daniel on Tour", text="Viel Spass"),
        lang="de",
    )
    assert comment_fields(p) == [
        ("Marius Joe Pohl", "2010-10-12 06:31", "Danke", None),
        ("Daniel on Tour", "2010-10-14 06:31", "Viel Spass", None),
    ]


def test_broken_markup_around_the_text() -> None:
    unit = '<li class="alt" id="comment-{n}"><img class="avatar" src="x"><span class="auth-name">{who}</span><br><span class="auth-time"> August {n}th, 2007 @ 10:02 pm <div class="commenttext"><p>{text}</p></div></li>'
    p = page(
        '<ol class="commentlist">'
        + unit.format(n=26, who="Deborah", text="Agree!")
        + unit.format(n=27, who="manicmammy", text="Grrr, they have not.")
        + "</ol>"
    )
    assert comment_fields(p) == [
        ("Deborah", "2007-08-26 22:02", "Agree!", None),
        ("manicmammy", "2007-08-27 22:02", "Grrr, they have not.", None),
    ]


def test_blogger_threads() -> None:
    p = page(
        """<div class="comments" id="comments"><h4>2 commentaires:</h4><div id="comment-holder"><div class="comment-thread toplevel-thread"><ol>
        <li class="comment" id="c8476326680526092299"><div class="comment-block"><div class="comment-header"><cite class="user"><a href="http://www.blogger.com/profile/1" rel="nofollow">Luc</a></cite><span class="icon user"></span>
        <span class="datetime secondary-text"><a rel="nofollow" href="http://blog.example/bread?showComment=1327811525201#c8476326680526092299">29 janvier 2012 à 05:32</a></span></div><p class="comment-content">Bien essayé</p>
        <span class="comment-actions secondary-text"><a class="comment-reply" data-comment-id="8476326680526092299">Répondre</a><span class="item-control"><a href="http://www.blogger.com/delete">Supprimer</a></span></span></div>
        <div class="comment-replies"><div id="c8476326680526092299-rt" class="comment-thread inline-thread"><ol><li class="comment" id="c6516449173502388894"><div class="comment-block"><div class="comment-header"><cite class="user">Anonyme</cite>
        <span class="datetime secondary-text"><a href="#c6516449173502388894">29 janvier 2012 à 06:00</a></span></div><p class="comment-content">Peu de gens le savent<br>mais oui.</p></div></li></ol></div></div>
        <div class="comment-replybox-single" id="c8476326680526092299-ce"></div></li></ol></div></div></div>""",
        lang="fr",
    )
    assert comment_fields(p) == [
        ("Luc", "2012-01-29 04:32", "Bien essayé", None),
        ("Anonyme", "2012-01-29 06:00", "Peu de gens le savent\nmais oui.", "8476326680526092299"),
    ]


def test_empty_anchors_before_each_comment() -> None:
    p = page(
        "<div id='comments'>"
        + "".join(
            f'<a id="comment-{n}"></a><div class="c-head"><b>{who}</b> wrote on 2011-05-0{n}:</div><div class="c-text"><p>{text}</p></div>'
            for n, who, text in ((3, "Ann", "One two."), (4, "Bob", "Three four."))
        )
        + "</div>"
    )
    assert [(c.author, str(c.published)[:10], c.content_text) for c in read_page(p).comments] == [
        ("Ann", "2011-05-03", "One two."),
        ("Bob", "2011-05-04", "Three four."),
    ]


def test_schema_org_and_microformats_comments() -> None:
    schema = "".join(
        f'<div itemprop="comment" itemscope itemtype="https://schema.org/Comment"><span itemprop="author" itemscope itemtype="https://schema.org/Person"><span itemprop="name">{w}</span></span>'
        f'<meta itemprop="dateCreated" content="2015-02-0{i}T10:00:00Z"><div itemprop="text"><p>Said by {w}.</p></div></div>'
        for i, w in ((1, "Ann"), (2, "Bob"))
    )
    assert comment_fields(page(schema)) == [
        ("Ann", "2015-02-01 10:00", "Said by Ann.", None),
        ("Bob", "2015-02-02 10:00", "Said by Bob.", None),
    ]
    cite = "".join(
        f'<li class="u-comment h-cite"><a class="u-author h-card" href="http://{w}.example"><span class="p-name">{w}</span></a> <time class="dt-published" datetime="2015-02-0{i}T10:00:00Z">x</time><div class="e-content">Said by {w}.</div></li>'
        for i, w in ((1, "Ann"), (2, "Bob"))
    )
    assert comment_fields(page(f"<ul>{cite}</ul>")) == [
        ("Ann", "2015-02-01 10:00", "Said by Ann.", None),
        ("Bob", "2015-02-02 10:00", "Said by Bob.", None),
    ]


def test_blocks_in_a_section_without_ids_or_known_classes() -> None:
    rows = "".join(
        f'<div class="kw"><p class="w">{w}, {i}. März 2012, 10:00 Uhr</p><div class="t">Das schrieb {w} hier.</div></div>'
        for i, w in ((1, "Anna"), (2, "Bert"), (3, "Carl"))
    )
    p = page(f"<section id='kommentare'><h2>3 Kommentare</h2>{rows}</section>", lang="de")
    assert comment_fields(p) == [
        (w, f"2012-03-0{i} 10:00", f"Das schrieb {w} hier.", None)
        for i, w in ((1, "Anna"), (2, "Bert"), (3, "Carl"))
    ]
    assert extract_comments(p).shown == 3


def test_flat_list_with_depth_classes() -> None:
    p = page(
        "".join(
            f'<div class="comment depth-{d}" id="comment-{n}"><cite class="fn">R{n}</cite> <time datetime="2015-01-0{n}">x</time><p>Text {n}</p></div>'
            for n, d in ((1, 1), (2, 2), (3, 3), (4, 2), (5, 1))
        )
    )
    assert [c.parent_id for c in read_page(p).comments] == [None, "1", "2", "1", None]


def test_sidebar_form_and_post_are_no_comments() -> None:
    p = page(
        """<aside class="widget widget_recent_comments"><ul id="recentcomments"><li class="recentcomments" id="comment-99">Eve on <a href="/x#comment-99">X, 2 May 2010</a></li></ul></aside>
        <div id="respond"><form id="comment-form-5"><input name="author"><div class="comment" id="comment-55">Your comment, 1 May 2010</div></form></div>""",
        before=POST.replace(
            "</div></article>",
            "<p id='comment-7' class='comment'>A quoted comment by Zoe, 5 May 2011, inside of the post itself.</p></div></article>",
        ),
    )
    content = p.tree.xpath("//div[@class='entry-content']")[0]
    assert extract_comments(p, content=content).comments == ()


@pytest.mark.parametrize(
    "text",
    [
        "Sin comentarios",
        "Nincs hozzászólás",
        "لا توجد تعليقات",
        "بدون دیدگاه",
        "אין תגובות",
        "Няма коментари",
        "Žiadne komentáre",
        "Chưa có bình luận",
        "Tidak ada komentar",
        "Δεν υπάρχουν σχόλια",
        "ไม่มีความคิดเห็น",
        "등록된 댓글이 없습니다.",
    ],
)
def test_lack_of_comments_is_read_in_many_languages(text: str) -> None:
    assert extract_comments(page(f"<div id=x><h3 id=comments>{text}</h3></div>")).shown == 0


def test_stated_comment_count_is_read() -> None:
    for heading, count in (
        ("<h3 id=comments>No comments yet</h3>", 0),
        ("<h3>One Response to “Bread”</h3>", 1),
        ("<h2 class='comments-title'>コメント (12)</h2>", 12),
        ("<h3>Én kommentar</h3>", 1),
        ("<h4 class=comments>1 236 comments</h4>", None),
        ("<p>nothing</p>", None),
        ("<h3>5 Kommentare zu „3 Brote“</h3>", 5),
        ("<h3>Brak komentarzy</h3>", 0),
        ("<h3>18 комментариев</h3>", 18),
    ):
        shown = extract_comments(page(f"<div id=x>{heading}</div>")).shown
        assert shown == count or count is None, heading


def test_scripts_in_comments_are_harmless() -> None:
    evil = '<p onclick="x()">Hi<script>alert(1)</script><a href="javascript:x()">a</a><img src=x onerror=x()><iframe src="http://e.example"></iframe></p>'
    p = page(
        f'<div class="comment" id="comment-1"><cite class="fn">Eve</cite> <time datetime="2015-01-01">x</time>{evil}</div>'
    )
    (comment,) = read_page(p).comments
    assert (
        "script" not in comment.content_html
        and "onclick" not in comment.content_html
        and "javascript" not in comment.content_html
        and "iframe" not in comment.content_html
    )
    assert comment.content_text.startswith("Hi")


def test_hostile_comment_pages_are_survived() -> None:
    deep = "<div id='comment-1'>" * 3000 + "x" + "</div>" * 3000
    assert len(read_page(page(deep)).comments) <= 1
    many = "".join(
        f"<div class=comment id=comment-{i}><cite class=fn>A{i}</cite> <time datetime=2015-01-01>x</time><p>t{i}</p></div>"
        for i in range(3000)
    )
    assert len(read_page(page(many)).comments) == 3000
    assert read_page(Page(url="http://x.example/", body=b"\xff\x00<")).comments == ()


def test_post_in_one_box_with_short_comments_hides_none() -> None:
    text = (
        "<p>"
        + "Bread is made of flour, water and salt, and of time more than of anything else. " * 12
        + "</p><p>The end of it.</p>"
    )
    p = page(
        '<h3>2 Comments</h3><ol class="commentlist">'
        + "".join(
            f'<li id="comment-{n}"><cite class="fn">R{n}</cite> <span class="date">May {n}, 2010</span><p>LOL {n}</p></li>'
            for n in (1, 2)
        )
        + "</ol></div>",
        before=f"<div class='post'>{text}",
    )
    assert [c.content_text for c in extract_comments(p, content=text).comments] == [
        "LOL 1",
        "LOL 2",
    ]


def test_linked_comment_subject_is_no_text() -> None:
    """Drupal and boards; a heading that the guest wrote stays."""

    def said(n: int, heading: str, text: str) -> str:
        return (
            f'<div class="comment" id="comment-{n}"><h3 class="title"><a href="/bread#comment-{n}">{heading}</a></h3>'
            f'<div class="submitted">Submitted by Guest {n} on Sat, 2009-05-0{n} 10:11.</div><div class="content">{text}</div></div>'
        )

    rows = (
        said(1, "On rye", "<p>Nice.</p>")
        + said(2, "I too", "<p>I too bake it.</p>")
        + said(3, "Mine", "<h4>My loaf</h4><p>Ok.</p>")
    )
    found = extract_comments(page(f"<div id=comments><h2>Comments</h2>{rows}</div>")).comments
    assert [(c.author, c.content_text, c.title) for c in found] == [
        ("Guest 1", "Nice.", "On rye"),
        ("Guest 2", "I too bake it.", "I too"),
        ("Guest 3", "My loaf\nOk.", "Mine"),
    ]


@pytest.mark.parametrize("count", [2, 3])
def test_heading_with_the_comments_number_is_its_subject(count: int) -> None:
    """FC2; two alike are no theme's, and are no text either."""
    rows = "".join(
        f'<div class="comment"><h4 id="comment1{n}">Re: bread</h4><p>I bake {n} too.</p>'
        f"<ul><li>2009/03/1{n}(火) 18:10:00</li><li>| URL</li><li>| みけ{n}</li><li>#-</li></ul></div>"
        for n in range(1, count + 1)
    )
    found = extract_comments(page(f"<div id=cm class=comment_area><h3>コメント</h3>{rows}</div>"))
    assert [(c.author, c.content_text, c.title) for c in found.comments] == [
        (f"みけ{n}", f"I bake {n} too.", "Re: bread") for n in range(1, count + 1)
    ]


DRAWN = {
    "pictures": '<table border=0><tr><td><img src="/dot.gif" height=1 width={indent}></td><td class="talk-comment" id="t{i}">{said}</td></tr></table>',
    "cells": '<table border=0><tr><td width={indent}></td><td class="talk-comment" id="t{i}">{said}</td></tr></table>',
}


@pytest.mark.parametrize("how", DRAWN)
def test_threads_drawn_with_tables(how: str) -> None:
    said = "<b class=who>{name}</b> <i>2 May 2005 10:1{i}</i><div class=comment-text>{text}</div>"
    rows = [
        ("Ann", "So have I.", 0),
        ("Bob", "When?", 25),
        ("Ann", "In May.", 50),
        ("Dora", "Never.", 25),
        ("Eve", "Me too.", 0),
    ]
    body = "".join(
        DRAWN[how].format(indent=indent, i=i, said=said.format(name=name, text=text, i=i))
        for i, (name, text, indent) in enumerate(rows, 1)
    )
    page = Page(
        url="http://b.example/1.html",
        body=f"<html lang=en><body><h1>A walk</h1><div id=Comments>{body}</div></body></html>".encode(),
    )
    seen = read_page(page).comments
    by_id = {c.id: c.content_text for c in seen}
    assert [by_id.get(c.parent_id) for c in seen] == [
        None,
        "So have I.",
        "When?",
        "So have I.",
        None,
    ]


@pytest.mark.parametrize(
    ("list_", "heading", "parents"),
    [
        ("<ul>", "", [None, "So have I.", None]),
        ("<ul class=pings>", "", [None] * 3),
        ("<ul>", "<h4>Links here</h4>", [None] * 3),
    ],
)
def test_replies_in_an_unnamed_list(list_: str, heading: str, parents: list[str | None]) -> None:
    item = "<li class=comment id=comment-{i}><cite>{name}</cite> <i>2 May 2005 10:1{i}</i><p>{text}</p></li>"
    one, two, three = (
        item.format(i=i, name=n, text=t)
        for i, (n, t) in enumerate((("Ann", "So have I."), ("Bob", "When?"), ("Eve", "Never.")), 1)
    )
    html = f"<html lang=en><body><h1>A walk</h1><ul>{one}{heading}{list_}{two}</ul>{three}</ul></body></html>"
    seen = read_page(Page(url="http://b.example/1.html", body=html.encode())).comments
    by_id = {c.id: c.content_text for c in seen}
    assert [by_id.get(c.parent_id) for c in seen] == parents


def test_long_comment_ids_are_shortened() -> None:
    long = "7" * 5_000
    first = make_comment("<p>Yes", source="api", number=long)
    answer = make_comment("<p>No", source="api", number="101", parent_id=long)
    assert len(first.id) < 100
    assert (answer.id, answer.parent_id) == ("101", first.id)


def test_comment_text_starting_with_a_count_is_no_count() -> None:
    said = "".join(
        f'<li id="comment-{n}" class="comment"><cite class=fn>Ann {n}</cite> <time datetime="2024-03-0{n}">March {n}, 2024</time>'
        f"<p>My blog got {n + 20} comments.</p></li>"
        for n in (1, 2)
    )
    assert extract_comments(page(f"<ol class=comment-list>{said}</ol>")).shown is None


def test_reading_time_is_linear_in_the_number_of_comments() -> None:
    def seconds(count: int) -> float:
        p = page(hostile.comments(count, 1))
        assert p.tree is not None
        start = time.process_time()
        assert len(extract_comments(p).comments) == count
        return time.process_time() - start

    few, many = (min(seconds(count) for _ in range(2)) for count in (150, 1_200))
    assert many < 20 * few  # linear is 8, quadratic 64


def test_depth_classes_with_a_prefix() -> None:
    p = page(
        "".join(
            f'<div class="comment commentlevel-{d}" id="comment-{n}"><cite class="fn">R{n}</cite> <time datetime="2015-01-0{n}">x</time><p>Text {n}</p></div>'
            for n, d in ((1, 1), (2, 2), (3, 1))
        )
    )
    assert [c.parent_id for c in read_page(p).comments] == [None, "1", None]


def test_pingback_is_named_by_its_link() -> None:
    p = page(
        "<h2>1 comment</h2><ul><li id='comment-3'><div>1</div><p class=commentby>Pingback by <a href='http://x.example/' rel='external nofollow' class=url>Blog » Rye: a bread | Home</a></p>"
        "<p class=info>Thursday, 4 Jan 2007</p><p>[…] as they bake it […]</p></li>"
        "<li id='comment-4'><div>2</div><p class=commentby>Bob</p><p class=info>Friday, 5 Jan 2007</p><p>So I do.</p></li></ul>"
    )
    found = read_page(p).comments[0]
    assert (found.kind, found.author) == ("pingback", "Blog » Rye: a bread | Home")


def test_unsigned_comment_class_falls_back_to_repeated_blocks() -> None:
    each = "<div class=row><div class=left><p><b>{}</b><br>August {}, 2003 12:00 AM</p></div><div class=comments-body><p>{}</p></div></div>"
    p = page(
        "<h3>Comments on bread</h3><div class=several>"
        + each.format("Ann", 16, "I have it from 2001/05/04, page 12.")
        + each.format("Bob", 17, "Nice.")
        + "</div>"
    )
    assert [c.author for c in read_page(p).comments] == ["Ann", "Bob"]


def test_numbered_comments_inside_the_content_node_are_found() -> None:
    p = page(
        "<div class=all><p>Bread is made of flour.</p><h2>Comments</h2>"
        "<div id=c3><p>Great.</p></div><p>Posted by: Ann at July 28, 2005 12:12 AM</p>"
        "<div id=c4><p>So it is.</p></div><p>Posted by: Bob at July 29, 2005 12:12 AM</p></div>",
        before="",
    )
    found = read_page(p, content=p.tree.xpath("//div[@class='all']")[0]).comments
    assert [(c.author, c.content_text) for c in found] == [("Ann", "Great."), ("Bob", "So it is.")]


def test_in_reply_to_note_in_a_feed_is_no_text() -> None:
    url = f"http://blog.example/{'a-long-name-' * 20}/#comment-7"
    html = f'<p>Som svar til <a href="{url}">Ann</a>.</p><p>Takk.</p>'
    found = entry_comment(FeedEntry(url="http://blog.example/p/#comment-8", content_html=html))
    assert (found.content_text, found.parent_id) == ("Takk.", "7")


def test_post_after_an_empty_comment_list_is_no_comment() -> None:
    p = page(
        "<div class=left><img src=a.jpg><div class=list><h4>Comments</h4></div></div>"
        "<div class=right><h1>On rye</h1><p><a href=/map rel=nofollow>Show</a> on map<br>Shot: August 8, 2004<br>Tags: rye</p></div>",
        before="",
    )
    assert read_page(p).comments == ()


def test_tag_line_of_the_post_is_no_comment() -> None:
    p = page(
        "<h4>Comments</h4><p><a href=/map>Show</a> on map<br>Shot: August 8, 2004<br>Tags: <a href=/rye rel=tag>rye</a></p>"
    )
    assert read_page(p).comments == ()


def test_comment_class_with_several_prefixes() -> None:
    p = page(
        "".join(
            f"<div class=one-old-comment><span class=comment-date>2007-02-1{n}</span><span class=commenter-name>R{n}</span><div class=comment-body>See <a href='http://x.example/' rel=nofollow>Running it</a></div></div>"
            for n in (1, 2)
        )
    )
    assert [c.author for c in read_page(p).comments] == ["R1", "R2"]


def test_long_texts_signed_at_their_end_are_comments() -> None:
    text = "I have baked this bread four times now and it never failed me. " * 4
    p = page(
        "<div class=comments-head>Comments</div>"
        + "".join(
            f"<div class=comments-body><p>{text}{n}</p><span class=comments-post>Posted by: R{n} at May {n}, 2010 10:11 AM</span></div>"
            for n in (1, 2)
        )
    )
    assert [(c.author, c.content_text) for c in read_page(p).comments] == [
        (f"R{n}", f"{text}{n}") for n in (1, 2)
    ]


def test_box_around_few_short_comments_is_no_byline() -> None:
    said = "".join(
        f"<div class=itemcomment><h3>R{n} wrote:</h3><div>Yes.</div><div>2010-05-0{n} 10:11</div></div>"
        for n in (1, 2)
    )
    below = "<div class=title><h2>Add a comment</h2></div>"
    p = page(f"<div class=title><h2>Comments</h2></div><div class=comments>{said}</div>{below}")
    assert [c.content_text for c in read_page(p).comments] == ["Yes.", "Yes."]


@pytest.mark.parametrize("count", [1, 2])
def test_word_that_answers_by_a_script_is_no_text(count: int) -> None:
    unit = """<li id="comment-{n}"><div class="commentauthor"><cite>Ann</cite> <a href="#comment-{n}">January {n}, 2020 at 3:04 am</a></div><div class="commentbody"><p>Rye number {n}!</p><div class="yarr"><span onclick='yus_replyTo("/bread#comment-{n}", "Ann")' title="Reply to this comment"><img alt="Reply" src="/reply.png" />Reply</span></div></div></li>"""
    p = page(f"<ol class=commentlist>{''.join(unit.format(n=n) for n in range(1, count + 1))}</ol>")
    assert [c.content_text for c in read_page(p).comments] == [
        f"Rye number {n}!" for n in range(1, count + 1)
    ]
