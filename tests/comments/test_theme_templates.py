# ruff: noqa: E501 (markup as themes write it)
"""Comments as templates of themes and engines write them: a time next to its day, names that look
like words of a byline, answers by indentation, link-backs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.comments.page_reader import look
from blogcrawl.core.page import Page

POSTED = datetime(2006, 5, 1, tzinfo=UTC)
VISIT = datetime(2012, 6, 1, tzinfo=UTC)
Wanted = tuple[str | None, str, str, int | None]
"""Author, start of the date, text, place of the parent in the list."""

A, B, C = "I have baked this twice.", "Nice bread.", "So do I, every week."

PAGES: dict[str, tuple[str, list[Wanted]]] = {
    "the time is a link behind the day": (
        '<h2 id="comments">3 Comments</h2><ol id="commentlist">'
        f'<li id="comment-1"><p>{A}</p><p><cite>Comment by <a href="http://ann.example/">Ann</a> &#8212; 13/5/2006 @ <a href="#comment-1">2:54 pm</a></cite></p></li>'
        f'<li id="comment-2"><p>{B}</p><p><cite>Comment by Bob &#8212; 14/5/2006 @ <a href="#comment-2">9:05 am</a></cite></p></li>'
        f'<li id="comment-3"><p>{C}</p><p><cite>Comment by Carl &#8212; 15/5/2006 @ <a href="#comment-3">11:30 am</a></cite></p></li></ol>',
        [
            ("Ann", "2006-05-13T14:54", A, None),
            ("Bob", "2006-05-14T09:05", B, None),
            ("Carl", "2006-05-15T11:30", C, None),
        ],
    ),
    "the attribute has the day only, and names without a site have no link": (
        '<div id="comments"><h2>Comments (3)</h2><ul class="uk-comment-list">'
        f'<li><article id="comment-1" class="uk-comment"><header class="uk-comment-header"><h3 class="uk-comment-title"><a href="http://ann.example/" rel="external nofollow" class="url">Ann</a></h3><p class="uk-comment-meta"><time datetime="2006-05-13">May 13, 2006 at 2:54 pm</time> | <a class="permalink" href="#comment-1">#</a></p></header><div class="uk-comment-body"><p>{A}</p></div></article></li>'
        f'<li><article id="comment-2" class="uk-comment"><header class="uk-comment-header"><h3 class="uk-comment-title">Bob</h3><p class="uk-comment-meta"><time datetime="2006-05-14">May 14, 2006 at 9:05 am</time> | <a class="permalink" href="#comment-2">#</a></p></header><div class="uk-comment-body"><p>{B}</p></div></article></li>'
        f'<li><article id="comment-3" class="uk-comment"><header class="uk-comment-header"><h3 class="uk-comment-title"><a href="http://carl.example/" rel="external nofollow" class="url">Carl</a></h3><p class="uk-comment-meta"><time datetime="2006-05-15">May 15, 2006 at 11:30 am</time> | <a class="permalink" href="#comment-3">#</a></p></header><div class="uk-comment-body"><p>{C}</p></div></article></li></ul></div>',
        [
            ("Ann", "2006-05-13T14:54", A, None),
            ("Bob", "2006-05-14T09:05", B, None),
            ("Carl", "2006-05-15T11:30", C, None),
        ],
    ),
    "a name with digits before a day without a year, and a comment that mentions a day": (
        '<h3 id="comment">Comment</h3><ol class="comments">'
        f'<li id="c000001"><p>{A}</p><p class="small">&#8212; ann77 &#183; May 13, 2:54 pm &#183; <a href="#c000001">#</a></p></li>'
        f'<li id="c000002"><p>Since March 3, 2001.</p><p class="small">&#8212; <a rel="nofollow" href="http://bob.example">Bob</a> &#183; May 14, 9:05 am &#183; <a href="#c000002">#</a></p></li>'
        f'<li id="c000003"><p>{C}</p><p class="small">&#8212; Carl &#183; May 15, 11:30 am &#183; <a href="#c000003">#</a></p></li></ol>',
        [
            ("ann77", "2006-05-13T14:54", A, None),
            ("Bob", "2006-05-14T09:05", "Since March 3, 2001.", None),
            ("Carl", "2006-05-15T11:30", C, None),
        ],
    ),
    "a word of the line with the date is no name": (
        '<h3 id="comments">3 comments</h3><ul>'
        f'<li id="comment-1"><h3><a name="#comment-1"></a>Ann</h3><p class="comment-meta">Posted 6 days ago.</p><p class="comment-body">{A}</p></li>'
        f'<li id="comment-2"><h3><a name="#comment-2"></a>Bob</h3><p class="comment-meta">Posted 5 days ago.</p><p class="comment-body">{B}</p></li>'
        f'<li id="comment-3"><h3><a name="#comment-3"></a>Carl</h3><p class="comment-meta">Posted 3 days ago.</p><p class="comment-body">{C}</p></li></ul>',
        [
            ("Ann", "2012-05-26", A, None),
            ("Bob", "2012-05-27", B, None),
            ("Carl", "2012-05-29", C, None),
        ],
    ),
    "words behind the name, in bold with it": (
        '<h3 id="comments">3 Responses</h3><ol class="commentlist">'
        f'<li id="comment-1"><div class="comment-bubble"><div id="comment-text"><img class="avatar" src="a.png" /> <b><a href="http://ann.example/" rel="external nofollow" class="url">Ann</a> says...</b></div><br><p>{A}</p><div id="comment-text"><i>May 13th, 2006 at 2:54 pm</i></div></div></li>'
        f'<li id="comment-2"><div class="comment-bubble"><div id="comment-text"><img class="avatar" src="b.png" /> <b>Bob says...</b></div><br><p>{B}</p><div id="comment-text"><i>May 14th, 2006 at 9:05 am</i></div></div></li>'
        f'<li id="comment-3"><div class="comment-bubble"><div id="comment-text"><img class="avatar" src="c.png" /> <b><a href="http://carl.example/" rel="external nofollow" class="url">Carl</a> says...</b></div><br><p>{C}</p><div id="comment-text"><i>May 15th, 2006 at 11:30 am</i></div></div></li></ol>',
        [
            ("Ann", "2006-05-13T14:54", A, None),
            ("Bob", "2006-05-14T09:05", B, None),
            ("Carl", "2006-05-15T11:30", C, None),
        ],
    ),
    "answers moved by a style, their beginnings by none": (
        '<h3 id="comments">Comments</h3>'
        f'<a id="c1"></a><div id="serendipity_comment_1" class="serendipity_comment comment_oddbox"><div class="serendipity_commentBody">{A}</div><div class="serendipity_comment_source"><a href="#c1">#1</a> Ann on 2006-05-13 14:54</div></div>'
        f'<a id="c2"></a><div id="serendipity_comment_2" class="serendipity_comment comment_evenbox" style="padding-left: 20px"><div class="serendipity_commentBody">{B}</div><div class="serendipity_comment_source"><a href="#c2">#1.1</a> Bob on 2006-05-14 09:05</div></div>'
        f'<a id="c3"></a><div id="serendipity_comment_3" class="serendipity_comment comment_oddbox"><div class="serendipity_commentBody">{C}</div><div class="serendipity_comment_source"><a href="#c3">#2</a> Carl on 2006-05-15 11:30</div></div>',
        [
            ("Ann", "2006-05-13T14:54", A, None),
            ("Bob", "2006-05-14T09:05", B, 0),
            ("Carl", "2006-05-15T11:30", C, None),
        ],
    ),
    "answers moved by a calculated margin": (
        '<h2>Comments</h2><div id="mastodon-comments-list">'
        f'<div class="mastodon-comment" style="margin-left: calc(var(--mastodon-comment-indent) * 0)"><div class="author"><a class="name" href="https://m.example/@ann">Ann</a><a class="user" href="https://m.example/@ann">@ann@m.example</a><a class="date" href="https://m.example/@ann/1">05/13/2006, 14:54:00</a></div><div class="content"><p>{A}</p></div></div>'
        f'<div class="mastodon-comment" style="margin-left: calc(var(--mastodon-comment-indent) * 1)"><div class="author"><a class="name" href="https://m.example/@bob">Bob</a><a class="user" href="https://m.example/@bob">@bob@m.example</a><a class="date" href="https://m.example/@bob/2">05/14/2006, 09:05:00</a></div><div class="content"><p>{B}</p></div></div></div>',
        [("Ann", "2006-05-13T14:54", A, None), ("Bob", "2006-05-14T09:05", B, 0)],
    ),
    "answers that name the comment above, beginnings that name none": (
        '<h3>Comments (3)</h3><ul class="kmt-list">'
        + "".join(
            f'<li id="kmt-{n}" class="kmt-item kmt-child-{d}" parentid="kmt-{up}" itemscope itemtype="http://schema.org/Comment"><span class="kmt-author">{who}</span> <time itemprop="datePublished" datetime="{when}:00Z">x</time><div class="kmt-body" itemprop="text"><p>{text}</p></div></li>'
            for n, up, d, who, when, text in (
                (11, 0, 0, "Ann", "2006-05-13T14:54", A),
                (12, 11, 1, "Bob", "2006-05-14T09:05", B),
                (13, 0, 0, "Carl", "2006-05-15T11:30", C),
            )
        )
        + "</ul>",
        [
            ("Ann", "2006-05-13T14:54", A, None),
            ("Bob", "2006-05-14T09:05", B, 0),
            ("Carl", "2006-05-15T11:30", C, None),
        ],
    ),
    "answers in a box named like the one around it, behind their comment": (
        '<div id="comments"><h4>Comments</h4><div class="comments-list" id="comments-list-0">'
        f'<div class="comments-list-item"><div class="even" id="comment-item-11"><div class="comment-box"><a class="comment-anchor" href="#comment-11" id="comment-11">#</a> <span class="comment-author">Ann</span> <span class="comment-date">2006-05-13 14:54</span><div class="comment-body" id="comment-body-11">{A}</div></div></div>'
        f'<div class="comments-list" id="comments-list-11"><div class="comments-list-item"><div class="odd" id="comment-item-12"><div class="comment-box"><a class="comment-anchor" href="#comment-12" id="comment-12">#</a> <span class="comment-author">Bob</span> <span class="comment-date">2006-05-14 09:05</span><div class="comment-body" id="comment-body-12">{B}</div></div></div></div></div></div>'
        f'<div class="comments-list-item"><div class="even" id="comment-item-13"><div class="comment-box"><a class="comment-anchor" href="#comment-13" id="comment-13">#</a> <span class="comment-author">Carl</span> <span class="comment-date">2006-05-15 11:30</span><div class="comment-body" id="comment-body-13">{C}</div></div></div></div></div></div>',
        [
            ("Ann", "2006-05-13T14:54", A, None),
            ("Bob", "2006-05-14T09:05", B, 0),
            ("Carl", "2006-05-15T11:30", C, None),
        ],
    ),
    "answers in boxes of the same parts, with a class of their own": (
        '<div id="entry7Comment"><div class="cmt_box">'
        f'<div class="box"> <span class="name">Ann</span> <span class="opt">| 2006/05/13 14:54 | <a href="#">REPLY</a></span><br /><div class="desc">{A}</div><div class="reply_box"> <span class="name">Bob</span> <span class="opt">| 2006/05/14 09:05 | <a href="#">DEL</a></span><br /><div class="desc">{B}</div></div></div>'
        f'<div class="box"> <span class="name">Carl</span> <span class="opt">| 2006/05/15 11:30 | <a href="#">REPLY</a></span><br /><div class="desc">{C}</div></div></div></div>',
        [
            ("Ann", "2006-05-13T14:54", A, None),
            ("Bob", "2006-05-14T09:05", B, 0),
            ("Carl", "2006-05-15T11:30", C, None),
        ],
    ),
    "ids of hexadecimal digits, and more than the text next to short ones": (
        '<div class="wl-meta-head"><div class="wl-count"><span class="wl-num">4</span> Comments</div></div><div class="wl-cards">'
        + "".join(
            f'<div class="wl-card-item" id="{number}"><div class="wl-card"><div class="wl-head"><span class="wl-nick">{who}</span><span class="wl-time">{day}</span></div><div class="wl-content"><div><p>{text}</p></div></div><div class="wl-where"><span>{place}</span> <span>Chrome {n}.0.4758.{n}</span> <span>Windows {n}</span></div></div></div>'
            for n, number, who, day, text, place in (
                (96, "ce4d97363bbf9bcebcdaa952", "Ann", "2006-05-13", A + " " + C * 3, "Kent"),
                (97, "be4d97363bbf9bcebcdaa953", "Bob", "2006-05-14", "Yes.", "Ulm"),
                (98, "ae4d97363bbf9bcebcdaa954", "Carl", "2006-05-15", C + " " + A * 3, "Oslo"),
                (99, "ae4d97363bbf9bcebcdaa955", "Dan", "2006-05-16", C * 4, "Bern"),
            )
        )
        + "</div>",
        [
            ("Ann", "2006-05-13", A + " " + C * 3, None),
            ("Bob", "2006-05-14", "Yes.", None),
            ("Carl", "2006-05-15", C + " " + A * 3, None),
            ("Dan", "2006-05-16", C * 4, None),
        ],
    ),
    "names with a comma, and one that is a verb but for its capital": (
        '<h3 id="comments">2 comments</h3><ol class="commentlist">'
        f'<li class="comment" id="comment-1"><div class="comment-author">King, Ann</div><div class="comment-date">May 13, 2006</div><div class="comment-text"><p>{A}</p></div></li>'
        f'<li class="comment" id="comment-2"><div class="comment-author">Said</div><div class="comment-date">May 14, 2006</div><div class="comment-text"><p>{B}</p></div></li></ol>',
        [("King, Ann", "2006-05-13", A, None), ("Said", "2006-05-14", B, None)],
    ),
    "words behind names, of which some have no element": (
        '<h2>3 Comments</h2><ul class="commentlist">'
        f'<li class="item" id="comment-1"><div class="commententry"><a href="http://ann.example/" rel="external nofollow" class="url">Ann</a> says so:<br /><span><a href="#comment-1">May 13th, 2006</a> | </span><p>{A}</p></div></li>'
        f'<li class="item" id="comment-2"><div class="commententry"><a href="http://bob.example/" rel="external nofollow" class="url">Bob</a> says so:<br /><span><a href="#comment-2">May 14th, 2006</a> | </span><p>{B}</p></div></li>'
        f'<li class="item" id="comment-3"><div class="commententry">Carl says so:<br /><span><a href="#comment-3">May 15th, 2006</a> | </span><p>{C}</p></div></li></ul>',
        [
            ("Ann", "2006-05-13", A, None),
            ("Bob", "2006-05-14", B, None),
            ("Carl", "2006-05-15", C, None),
        ],
    ),
    "tables in a cell of a box with a number in its name": (
        '<div id="entry7Comment" style="display:block"><table width="100%" bgcolor="#dddddd"><tr><td bgcolor="#f9f9f9">'
        f'<table width="100%"><tr><td><b><a href="http://ann.example/">Ann</a></b> 2006/05/13 14:54 <a href="#">R</a> <a href="#">X</a><br />{A} <br /></td></tr></table>'
        f'<table width="100%"><tr><td><b>Bob</b> 2006/05/14 09:05 <a href="#">R</a> <a href="#">X</a><br />{B} <br /></td></tr></table>'
        f'<table width="100%"><tr><td><b>Carl</b> 2006/05/15 11:30 <a href="#">R</a> <a href="#">X</a><br />{C} <br /></td></tr></table>'
        '<table width="100%"><tr><td>Name: </td><td><input name="name" /></td></tr><tr><td>Text: </td><td><textarea name="comment"></textarea></td></tr></table></td></tr></table></div>',
        [
            ("Ann", "2006-05-13T14:54", A, None),
            ("Bob", "2006-05-14T09:05", B, None),
            ("Carl", "2006-05-15T11:30", C, None),
        ],
    ),
    "numbers of a day with blanks between them, numbers before names, a note behind one": (
        '<h5>2 Comments</h5><ul class="comment-list">'
        f'<li class="comment" id="comment-1"><div class="comment-text"><h5>#1 &middot; Ann (Author Comment)</h5><h3 class="comment-date">13 05 2006</h3><p>{A}</p></div></li>'
        f'<li class="comment" id="comment-2"><div class="comment-text"><h5>#2 &middot; Bob</h5><h3 class="comment-date">14 05 2006</h3><p>{B}</p></div></li></ul>',
        [("Ann", "2006-05-13", A, None), ("Bob", "2006-05-14", B, None)],
    ),
    "a text whose class has the word name, of somebody without one": (
        '<section class="comments"><h2 class="title">Comments</h2>'
        f'<a id="comment-1"></a><article class="comment clearfix"><h3><a href="/comment/1#comment-1" class="permalink" rel="bookmark">I have baked</a></h3><footer><p class="submitted">Submitted by <span class="username">Ann</span> on Sat, 05/13/2006 - 2:54pm</p></footer><div class="content"><div class="field field-name-comment-body"><p>{A}</p></div></div></article>'
        f'<a id="comment-2"></a><article class="comment clearfix"><h3><a href="/comment/2#comment-2" class="permalink" rel="bookmark">Nice bread.</a></h3><footer><p class="submitted">Submitted by <span class="username">Guest</span> on Sun, 05/14/2006 - 9:05am</p></footer><div class="content"><div class="field field-name-comment-body"><p>{B}</p></div></div></article></section>',
        [("Ann", "2006-05-13T14:54", A, None), ("Guest", "2006-05-14T09:05", B, None)],
    ),
    "another word for who wrote": (
        "<h3>Comments:</h3>"
        f'<div class="comments"><p>{A}</p><h5>Shared by: Ann at May 13, 2006 02:54 PM</h5></div>'
        f'<div class="comments"><p>{B}</p><h5>Shared by: Bob at May 14, 2006 09:05 AM</h5></div>',
        [("Ann", "2006-05-13T14:54", A, None), ("Bob", "2006-05-14T09:05", B, None)],
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_comments_of_a_template_are_read(name: str) -> None:
    markup, wanted = PAGES[name]
    html = f'<html lang="en"><title>Bread</title><body><div class="entry"><h1>Bread</h1><p>Flour, water and salt.</p></div>{markup}</body></html>'
    page = Page(url="http://blog.example/bread", body=html.encode(), fetched_at=VISIT)
    seen = look(page, language="en", published=POSTED).seen.comments
    place = {comment.id: number for number, comment in enumerate(seen)}
    assert [
        (
            c.author,
            c.published.isoformat()[: len(w[1])] if c.published else "",
            c.content_text,
            place.get(c.parent_id or ""),
        )
        for c, w in zip(seen, wanted, strict=True)
    ] == wanted
