# ruff: noqa: E501 (markup as engines write it)
"""Comment lists as blog engines and hosts of many countries write them: two comments each, in the engine's own markup."""

from __future__ import annotations

import pytest

from blogcrawl.comments import extract_comments
from blogcrawl.core.page import Page

POST = "<article><h1>T</h1><div class='entry'><p>Post text goes here with several words, on 3 May 2011 it was written.</p></div></article>"

MARKUP: dict[str, tuple[str, str]] = {
    "movabletype": (
        "en",
        '<div id="comments" class="comments"><h2 class="comments-header">2 Comments</h2><div class="comments-content">'
        + "".join(
            f'<div class="comment" id="comment-{n}"><div class="inner"><div class="comment-header"><div class="user-pic"><img class="userpic" src=x></div><div class="asset-meta"><span class="byline"><span class="vcard author">{w}</span> | <a href="#comment-{n}"><abbr class="published" title="2009-05-0{n}T10:00:00+09:00">May {n}, 2009 10:00 AM</abbr></a></span> | <a href="javascript:void(0)">Reply</a></div></div><div class="comment-content"><p>Text of {w}</p></div></div></div>'
            for n, w in ((1, "Ann Lee"), (2, "Bob"))
        )
        + "</div></div>",
    ),
    "typepad": (
        "en",
        '<div class="comments" id="comments"><h3 class="comments-header">Comments</h3><div class="comments-content">'
        + "".join(
            f'<a id="{h}"></a><div class="comment" id="comment-{h}"><div class="comment-content"><p>Text of {w}, quite long.</p></div><p class="comment-footer">Posted by: <a href="http://x.example" rel="nofollow">{w}</a> | <a href="#comment-{h}">May 0{n}, 2009 at 10:00 AM</a></p></div>'
            for n, w, h in (
                (1, "Ann Lee", "6a00d83451b0a369e20115"),
                (2, "Bob", "6a00d83451b0a369e20116"),
            )
        )
        + "</div></div>",
    ),
    "drupal": (
        "en",
        '<section id="comments" class="comment-wrapper"><h2 class="title">Comments</h2>'
        + "".join(
            f'<a id="comment-{n}"></a><article class="comment clearfix" about="/comment/{n}#comment-{n}" typeof="sioc:Post sioct:Comment"><header class="comment-header"><div class="attribution"><div class="submitted"><p class="commenter-name"><span class="username" property="foaf:name">{w}</span></p><p class="comment-time"><span property="dc:date" content="2012-05-0{n}T10:00:00+02:00">Tue, 05/0{n}/2012 - 10:00</span></p><p class="comment-permalink"><a class="permalink" href="/comment/{n}#comment-{n}">Permalink</a></p></div></div></header><div class="comment-text"><div class="content"><div class="field field-name-comment-body"><div class="field-items"><div class="field-item even"><p>Text of {w}</p></div></div></div></div><ul class="links inline"><li class="comment-reply"><a href="/comment/reply/1/{n}">reply</a></li></ul></div></article>'
            for n, w in ((1, "Ann Lee"), (2, "Bob"))
        )
        + "</section>",
    ),
    "fc2": (
        "ja",
        '<div class="comment" id="comment"><h3>コメント</h3>'
        + "".join(
            f'<div class="cm" id="comment{n}"><h4 class="cm_title">題{n}</h4><div class="cm_body">本文です、{w}より。とても楽しい記事でした。</div><ul class="cm_info"><li>2012/05/0{n}(火) 10:00:00 |</li><li>URL |</li><li>{w} #- [ <a href="#">編集</a>]</li></ul></div>'
            for n, w in ((1, "太郎"), (2, "花子"))
        )
        + "</div>",
    ),
    "livedoor": (
        "ja",
        '<div id="comments"><h3>コメント一覧 (2)</h3><ol class="comments-list">'
        + "".join(
            f'<li class="comment-body"><ul class="comment-info"><li class="comment-author"><span class="comment-author-name">{n}. {w}</span></li><li class="comment-date"><time>2012年05月0{n}日 10:00</time></li></ul><div class="comment-text">本文です、{w}より。</div></li>'
            for n, w in ((1, "太郎"), (2, "花子"))
        )
        + "</ol></div>",
    ),
    "hatena": (
        "ja",
        '<div class="comment-box js-comment-box"><ul class="comment js-comment">'
        + "".join(
            f'<li class="entry-comment" id="comment-1234567890123456{n}"><p class="comment-user-name"><a class="comment-user-id" href="http://blog.hatena.ne.jp/{w}/"><span class="comment-nickname">{w}</span></a></p><div class="comment-content"><p>本文です、{w}より。</p></div><p class="comment-metadata"><time data-epoch="1336000000000" data-time-format="x" datetime="2012-05-0{n}T10:00:00Z">2012-05-0{n} 10:00</time></p></li>'
            for n, w in ((1, "taro"), (2, "hanako"))
        )
        + "</ul></div>",
    ),
    "dotclear": (
        "fr",
        '<div id="comments"><h3>Commentaires</h3><dl>'
        + "".join(
            f'<dt id="c{n}00" class="odd"><a href="#c{n}00" class="comment-number">{n}.</a> Le lundi {n} juin 2009, 10:0{n} par <a href="http://x.example" rel="nofollow">{w}</a></dt><dd class="odd"><p>Texte de {w}</p></dd>'
            for n, w in ((1, "Anne"), (2, "Benoît"))
        )
        + "</dl></div>",
    ),
    "serendipity": (
        "de",
        '<div class="comments serendipity_section_comments"><a id="comments"></a><h3>Kommentare</h3>'
        + "".join(
            f'<a id="c{n}77"></a><div id="serendipity_comment_{n}77" class="serendipity_comment serendipity_comment_author_x comment_oddbox"><div class="serendipity_commentBody"><p>Text von {w}, recht lang sogar.</p></div><div class="comment_source"><a class="comment_source_trace" href="#c{n}77">#{n}</a> <span class="comment_source_author">{w}</span> am <span class="comment_source_ctime">0{n}.06.2009 10:00</span> (<a class="comment_reply" href="#">Antwort</a>)</div></div>'
            for n, w in ((1, "Anna"), (2, "Bert"))
        )
        + "</div>",
    ),
    "livejournal": (
        "ru",
        '<div class="b-tree" id="comments">'
        + "".join(
            f'<div id="t{n}234" class="b-leaf" data-dtid="{n}"><div class="b-leaf-inner"><div class="b-leaf-header"><div class="b-leaf-username"><span class="ljuser" lj:user="{w}"><a href="http://{w}.lj.example/"><b>{w}</b></a></span></div><div class="b-leaf-meta"><span class="b-leaf-createdtime">{n} мая 2012, 10:00:00 UTC</span></div></div><div class="b-leaf-article"><div>Текст от {w}, довольно длинный.</div></div></div></div>'
            for n, w in ((1, "anna"), (2, "boris"))
        )
        + "</div>",
    ),
    "staticman": (
        "en",
        '<section class="post-comments"><h2>Comments</h2>'
        + "".join(
            f'<article class="static-comment" id="{h}"><img src="g.png"><div><strong>{w}</strong><small><a href="#{h}">0{n} May 2018</a></small><p>Text of {w}</p></div></article>'
            for n, w, h in ((1, "Ann", "u1"), (2, "Bob", "u2"))
        )
        + "</section>",
    ),
    "wp-kubrick": (
        "en",
        '<h3 id="comments">2 Responses to &#8220;T&#8221;</h3><ol class="commentlist">'
        + "".join(
            f'<li class="alt" id="comment-{n}"><cite><a href="http://x.example" rel="external nofollow">{w}</a></cite> Says:<br /><small class="commentmetadata"><a href="#comment-{n}" title="">May {n}th, 2006 at 10:00 am</a></small><p>Text of {w}</p></li>'
            for n, w in ((1, "Ann"), (2, "Bob"))
        )
        + "</ol>",
    ),
    "tistory": (
        "ko",
        '<div class="comment"><h2>댓글 2</h2><ol>'
        + "".join(
            f'<li id="comment{n}999"><div class="rp_general"><div class="rp_admin"><span class="name">{w}</span><span class="date">2012.05.0{n} 10:00</span></div><p>본문 {w} 입니다. 정말 재미있네요.</p></div></li>'
            for n, w in ((1, "철수"), (2, "영희"))
        )
        + "</ol></div>",
    ),
    "bootstrap-media": (
        "en",
        '<div class="comments"><h4>2 Comments</h4>'
        + "".join(
            f'<div class="media"><a class="pull-left" href="#"><img class="media-object" src="x"></a><div class="media-body"><h4 class="media-heading">{w} <small>May {n}, 2014 at 9:30 PM</small></h4>Text of {w} here.</div></div>'
            for n, w in ((1, "Ann"), (2, "Bob"))
        )
        + "</div>",
    ),
    "table": (
        "en",
        '<h3>Comments:</h3><table class="comments">'
        + "".join(
            f'<tr class="comment"><td class="who"><b>{w}</b><br>2007-05-0{n}</td><td class="txt">Text of {w} here.</td></tr>'
            for n, w in ((1, "Ann"), (2, "Bob"))
        )
        + "</table>",
    ),
    "wordpress.com": (
        "en",
        '<div id="comments"><h2 class="comments-title">2 thoughts</h2><ol class="commentlist">'
        + "".join(
            f'<li class="comment even depth-1 highlander-comment" id="li-comment-{n}"><div id="comment-{n}" class="comment"><div class="comment-author vcard"><img class="avatar"><cite class="fn"><a class="url">{w}</a></cite> <span class="says">says:</span></div><div class="comment-meta commentmetadata"><a href="#comment-{n}">May {n}, 2010 at 10:00 am</a></div><div class="comment-body"><p>Text of {w}</p><p id="comment-like-{n}" data-liked="comment-not-liked" class="comment-likes comment-not-liked"><a href="?like_comment={n}" class="comment-like-link needs-login"><span>Like</span></a><span id="comment-like-count-{n}" class="comment-like-feedback">Liked by 1 person</span></p></div><div class="reply"><a class="comment-reply-link">Reply</a></div></div></li>'
            for n, w in ((1, "Ann"), (2, "Bob"))
        )
        + "</ol></div>",
    ),
}

NAMES = {
    "movabletype": ("Ann Lee", "Bob"),
    "typepad": ("Ann Lee", "Bob"),
    "drupal": ("Ann Lee", "Bob"),
    "livedoor": ("太郎", "花子"),
    "hatena": ("taro", "hanako"),
    "dotclear": ("Anne", "Benoît"),
    "serendipity": ("Anna", "Bert"),
    "livejournal": ("anna", "boris"),
    "tistory": ("철수", "영희"),
}


@pytest.mark.parametrize("engine", sorted(MARKUP))
def test_comments_of_an_engine_are_read(engine: str) -> None:
    language, html = MARKUP[engine]
    page = Page(
        url="http://b.example/p",
        body=f"<!doctype html><html lang={language}><head><meta charset=utf-8></head><body>{POST}{html}</body></html>".encode(),
    )
    found = extract_comments(page).comments
    assert len(found) == 2
    if engine != "fc2":  # its heads are titles of comments
        assert tuple(c.author for c in found) == NAMES.get(engine, ("Ann", "Bob"))
    for number, comment in enumerate(found, 1):
        assert (
            comment.published is not None
            and comment.published.day == number
            and 2006 <= comment.published.year <= 2018
        )
        assert comment.content_text.split()[0].rstrip("、").lower() in (
            "text",
            "texte",
            "текст",
            "본문",
        ) or comment.content_text.startswith("本文")
        assert (
            "\n" not in comment.content_text
            and "Reply" not in comment.content_text
            and "Like" not in comment.content_text
        )
