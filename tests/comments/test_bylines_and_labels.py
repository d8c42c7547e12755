# ruff: noqa: E501 (markup as engines write it)
"""What stands around a comment's text: bylines in all shapes, labels and counters that come back in
each, sections that hide their name.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.comments import author, extract_comments
from blogcrawl.comments.author import bare_name
from blogcrawl.core.page import Page

LONG = "I have baked this bread four times now and it never failed me, thank you."
SAID = (
    (41, "Ann Lee", 1, LONG, None),
    (42, "Bob", 2, "Nice one.", 41),
    (43, "Carl", 3, "So do I, every week.", None),
)
Wanted = list[tuple[str | None, str, str, str | None]]

PAGES: dict[str, tuple[str, str, str]] = {
    "words outside of the name's element": (
        "de",
        '<section><a name="comments"></a><h3>Kommentare</h3><ul>{all}</ul></section>',
        '<li><a name="comment-{n}"></a><div class="sc-b"><strong>{who}</strong> <!-- -->sagt:<br/><time datetime="{stamp}">{d:02}.05.2010 - 10:11</time><br/><div class="sc-c">{text}<br> </div><button>antworten</button></div></li>',
    ),
    "a label in front of the name": (
        "sv",
        '<div id="comments"><h4>Kommentarer</h4>{all}</div>',
        '<div class="comment"><a name="c{n}"></a><strong>Postat av: {who}</strong><div class="commentbody"><p>{text}</p></div><p class="small">2010-05-{d:02} @ 10:11:12<br></p></div>',
    ),
    "a label of a link to the comment": (
        "fr",
        '<div class="bFeedback"><h4>Commentaires:</h4>{all}</div>',
        '<a name="c{n}"></a><div class="bComment"><div class="bCommentTitle">Commentaire de: {who} [Visiteur]</div><div class="bCommentText"><p>{text}</p></div><div class="bCommentSmallPrint"><a href="#c{n}">Lien permanent</a>{d:02}.05.10 @ 10:11</div></div>',
    ),
    "a label and an address": (
        "fr",
        '<div class="bFeedback"><h4>Commentaires:</h4>{all}</div>',
        '<a name="c{n}"></a><div class="bComment"><div class="bCommentTitle">Commentaire de: <a href="http://x{n}.example">{who}</a> [Visiteur] &middot; http://x{n}.example</div><div class="bCommentText"><p>{text}</p></div><div class="bCommentSmallPrint"><a href="#c{n}">Lien permanent</a>{d:02}.05.10 @ 10:11</div></div>',
    ),
    "a label that ends with from, and a mark for the link to the comment": (
        "en",
        '<a name="comments"></a><h3>Comments</h3>{all}',
        '<div id="comment{n}" class="response"><h1><a name="comment4{n}"></a>Re: Bread</h1><div class="metadata">Comment from <span class="unauthenticated">{who}</span> on {d:02} May 2010 10:11:00 o\'clock BST <a href="#comment4{n}">#</a></div><div class="responseBody"><p>{text}</p></div></div>',
    ),
    "number, day and name in one line that ends with said": (
        "fr",
        "<h2>3 commentaires</h2>{all}",
        '<div id="c{n}"><p><small><a href="#c{n}">#{d}</a> <time datetime="2010-05-{d:02} 10:11">dimanche {d} mai 2010 - 10:11</time> - {who} a dit :</small></p><blockquote class="comment"><p class="content_com">{text}</p></blockquote></div>',
    ),
    "a heading that says who wrote": (
        "nl",
        '<h2 id="c">Reacties</h2><div class="contentdiv">{all}</div>',
        '<div class="contentitem"><div class="contentitem1"><h3 class="contenttitle">{who} schreef:</h3><div class="contentitem2"><div class="contentbody">{text}<br></div></div></div><div class="contentitem3"><div class="contentitempostedby">{d} mei 2010 10:11</div></div></div>',
    ),
    "the name in the link below the text": (
        "en",
        '<div id="comments"><a name="commentstart"></a>{all}</div>',
        '<div class="commentBoxStyle"><a name="c{n}"></a><div class="commentDateStyle">{d:02}.05.2010 10:11 (GMT Standard Time, UTC+00:00)</div><div class="commentBodyStyle"><p>{text}</p></div><div class="commentBoxFooterStyle"><a class="commentPermalinkStyle" href="http://x{n}.example/">{who}</a></div></div>',
    ),
    "names and days in cells of a table": (
        "fa",
        '<a name="comments"></a><p class="ct">نظرات شما</p><table class="comments">{all}</table>',
        '<tr><td class="cname">{who}</td><td class="cdate">سه شنبه 2010-05-{d:02} ساعت 10:11</td></tr><tr><td colspan="2" class="cbody">{text}<br></td></tr>',
    ),
    "a word behind the name that has no element, and a short day of the week": (
        "en",
        '<div><a name="comments"></a><h3>Comments</h3><ol>{all}</ol></div>',
        '<li class="c4f" id="comment-{n}"><div class="c8a"><b>{who}</b> says:</div><div class="ccb">Day {d:02} May 2010</div><p>{text}</p><a href="#r">Reply</a></li>',
    ),
    "a short day of the week between name and date": (
        "en",
        "<div><h3>Comments</h3><ol>{all}</ol></div>",
        '<li id="comment-{n}"><b>{who} Day {d:02} May 2010</b><p>{text}</p></li>',
    ),
    "a word for authors before the name": (
        "ru",
        '<div class="c1"><h3>Комментарии</h3>{all}</div>',
        '<div class="c2"><div class="c3">Автор: {who}  2010-05-{d:02}</div><div class="c4"><p>{text}</p></div></div>',
    ),
    "subjects above the bylines": (
        "en",
        '<div id="comments"><h2>Comments</h2>{all}</div>',
        '<div class="comment" id="comment{n}"><h3>RE: Bread</h3><p class="comment-details">{who} | {d} May, 2010, 10:11</p><p>{text}</p></div>',
    ),
    "subjects below the bylines, and a list of the latest": (
        "en",
        '<div id="block-comment-0"><h2>Replies</h2><ul><li>So do I<br>2 weeks ago</li></ul></div><div id="comments">{all}</div>',
        '<a id="comment-{n}"></a><div class="comment odd"><span class="submitted">Sat, 2010-05-{d:02} 10:11 — {who} (not verified)</span><h3>{text:.9}</h3><div class="content"><p>{text}</p></div></div>',
    ),
    "how long after the post": (
        "en",
        '<h4>Comments</h4><ol class="comment-list">{all}</ol>',
        '<li id="comment-{n}" class="comment"><div class="author"><cite><strong>{who}</strong></cite><abbr title="{d} May 2010 10:11:00 GMT">about 3 hours later:</abbr></div><div class="content"><p>{text}</p></div></li>',
    ),
    "a form to tick them": (
        "en",
        '<form method="post">{all}<input type="submit" value="Delete"></form>',
        '<a name="t{n}"></a><div id="ljcmt{n}"><table><tr><td><b>{text:.9}</b><br><span class="ljuser"><a href="/u/{n}"><img alt="[info]"></a><a href="/x/{n}"><b>{who}</b></a></span><br><font>2010-05-{d:02} 10:11 am UTC</font> (<a href="/1.html?thread={n}#t{n}">link</a>)</td></tr><tr><td>{text}<p>(<a href="/1.html?replyto={n}">Reply</a>)</p></td></tr></table></div>',
    ),
    "a table each": (
        "en",
        "<b>Comments</b>{all}",
        '<table class="cmt"><tr><td class="name">{who}, {d} May 2010 10:11</td></tr><tr><td class="words"><p>{text}</p></td></tr></table>',
    ),
    "a label in each": (
        "de",
        '<div id="comments">{all}</div>',
        '<div class="comment" id="comment-{n}"><div class="left"><img class="avatar"><span>Gast</span></div><b class="author">{who}</b> <span class="date">{d:02}.05.2010 10:11</span><p>{text}</p></div>',
    ),
    "counters": (
        "en",
        '<div id="comments">{all}</div>',
        '<div class="comment" id="comment-{n}"><p class="comment-author">{who}</p><span class="hearts"><strong><span class="total">{n}87</span></strong><i></i></span><small>{d} May 2010, 10:11 <a class="quote" href="javascript:">Quote</a></small><div class="panel"><p>{text}</p></div></div>',
    ),
    "what the engine says of the writer": (
        "en",
        '<ol class="commentlist">{all}</ol>',
        '<li class="comment" id="comment-{n}"><p class="comment-number"><a href="#comment-{n}">{n}</a></p>Comment<small> by </small><cite>{who}</cite> | <small class="commentmetadata">May {d}, 2010 at 10:11</small> <p>{text}</p></li>',
    ),
    "a role next to the name": (
        "en",
        '<ol class="commentlist">{all}</ol>',
        '<li class="comment" id="comment-{n}"><div class="comment-author"><cite class="fn">{who}<br><span class="p3">Author</span></cite></div><span class="comment-date">{d} May 2010 / 10:11</span><div class="comment-content"><p>{text}</p></div></li>',
    ),
    "names that only a style sheet keeps from the day": (
        "en",
        "<section><h2>3 comments</h2>{all}</section>",
        '<div class="mt-6"><div class="flex"><div><div class="flex items-baseline"><span class="font-semibold">{who}</span><span class="text-sm">May {d}, 2010</span></div><div class="mt-1"><p>{text}</p></div><button>Reply</button></div></div></div>',
    ),
    "humps": (
        "de",
        '<div class="kommentarModul"><p class="strong">3 Beitr.</p><div class="commentConWrap">{all}</div></div>',
        '<div class="commentsCon flex" id="{n}"><div class="leftCon"><p class="strong commentAuthor">{who}</p><p class="commentDate">{d}. Mai 2010</p><p class="commentText">{text}</p></div></div>',
    ),
    "readers' comments in one word": (
        "de",
        '<div class="sect"><div class="secthead"><h2><a name="x"><span>Leserkommentare</span></a></h2><ul class="toolbar"></ul></div><ul>{all}</ul></div>',
        '<li class="member"><a class="person" href="/u{n}"><h4>{who}</h4></a><time datetime="2010-05-{d:02}T10:11:00Z">{d:02}. 05. 2010</time><div class="obj"><p>{text}</p></div></li>',
    ),
    "a legend": (
        "it",
        "<p><b>Commenti: 3</b></p>{all}",
        "<fieldset><legend>{who}</legend><i>scritto il {d:02}/05/2010 alle 10:11</i><br>{text}</fieldset>",
    ),
    "two digits behind an apostrophe": (
        "nl",
        "<h3>3 reacties</h3>{all}",
        '<div class="rb"><p>{text}</p><cite><strong>{who}</strong> (<a href="http://r.example" rel="nofollow">URL</a>) - {d:02}-05-’10 10:11</cite></div>',
    ),
    "letters' subjects": (
        "en",
        '<div id="comments"><h3>Feedback</h3>{all}</div>',
        '<div class="post"><h4 class="postTitle"><a name="{n}17">#</a> re: my bread</h4><div class="postText">{text}</div><div class="postFoot">Left by {who} on May {d}, 2010 10:11 AM</div></div>',
    ),
    "a name that speaks": (
        "en",
        '<div id="comments"><h3>Comments</h3><ul>{all}</ul></div>',
        '<li><a name="{n}44"></a><div class="box"><h4 class="t">{who} said:</h4><div class="c"><p>{text}</p></div><div class="i">May {d}, 2010 10:11 AM</div></div></li>',
    ),
    "a heading behind the last one": (
        "fr",
        '<h2><a id="comments"></a>Commentaires</h2>{all}<h2><a id="post"></a>Poster un commentaire</h2><form><textarea></textarea></form>',
        '<a id="c10{n}7"></a><p>{text}</p><p class="posted">Rédigé par : {who} | le {d:02}/05/2010 à 10:11</p>',
    ),
    "the day of the week": (
        "es",
        '<h3>3 comentarios</h3><ul class="lista">{all}</ul>',
        '<li><p>{text}</p><p align="right"><em>{who}</em><br><small>jueves {d} de mayo de 2010, 10:11</small></p></li>',
    ),
    "a label in the table's first row": (
        "fr",
        '<table width="100%"><tr><td><b>Réactions à cet article (3)</b></td></tr>{all}</table>',
        '<tr bgcolor="#eee"><td><a name="m{n}"></a><font size="2"><b>{who}</b> a écrit le {d:02}/05/2010 à 10:11 :</font><br><font size="2">{text}</font></td></tr>',
    ),
    "a cell of the label": (
        "en",
        '<table class="mt"><tr><td class="head">Comments</td></tr>{all}</table>',
        '<tr><td class="cell"><a name="10{n}"></a>{text}<br><span class="byline"><a href="http://r.example" target="_blank">{who}</a> | <a class="h" href="mailto:x@y.example">Email</a> | 05.{d:02}.10 - 10:11 am | <a href="#10{n}">#</a></span><hr></td></tr>',
    ),
    "a label for those who do not see": (
        "en",
        '<section aria-label="Comments"><h2>What readers say</h2>{all}</section>',
        '<article><header><img src="/a.png" alt=""><div><a href="/u/{n}">{who}</a><small>{d} May 2010 · 10:11</small></div></header><div><p>{text}</p></div><footer><button>Like</button></footer></article>',
    ),
    "voices": (
        "de",
        "<section><h2>Stimmen zu diesem Beitrag</h2>{all}</section>",
        '<figure class="st"><blockquote><p>{text}</p></blockquote><figcaption>{who}, <time>{d}. Mai 2010, 10:11</time></figcaption></figure>',
    ),
    "a badge named after authors": (
        "en",
        '<main><h1 class="th"><a href="x">3 Comments</a></h1>{all}</main>',
        '<article class="timeline-comment"><div class="comment"><header class="comment-header"><span class="comment-meta"><a class="text-link" href="/u{n}"><strong>{who}</strong></a> commented <a class="text-link" href="/i#issuecomment-{n}">May {d}, 2010</a></span><div class="comment-actions"><span class="author-association-badge">Contributor</span></div></header><div class="markdown-body"><p>{text}</p></div></div></article>',
    ),
    "what each has written so far": (
        "de",
        '<p><b>Diskussion</b></p><div id="posts">{all}</div>',
        '<table class="tb" id="post{n}9"><tr><td class="thead">{d:02}.05.2010, 10:11</td><td class="thead"><a href="p.php?{n}"><strong>{n}</strong></a></td></tr><tr><td class="alt2"><a class="bigusername" href="m.php?{n}">{who}</a><div class="small">Neuer Benutzer</div><div class="small">Beiträge: {n}</div></td><td class="alt1"><div>{text}</div></td></tr></table>',
    ),
    "a number in bold before the name": (
        "en",
        '<h3 id="co">Comments</h3>{all}',
        '<p id="co{n}" class="comment-info"><strong>{n}.</strong> On May {d}, 2010, 10:11 by <strong>{who}</strong></p><blockquote><p>{text}</p></blockquote>',
    ),
    "a line in bold above the form": (
        "de",
        "<p><b>3 Kommentare</b></p>{all}<p><b>Sag was dazu</b></p><form><textarea></textarea></form>",
        '<p><font size="2"><b>{who} <span class="badge">Autor</span></b> @ {d}. Mai 2010 10:11</font></p><p>{text}</p><hr>',
    ),
    "a badge of the author": (
        "no",
        "<h3>3 kommentarer</h3><ol>{all}</ol>",
        '<li id="comment-{n}"><p>{text}</p><p><cite>Kommentar av <a href="http://x{n}.example" rel="nofollow">{who}</a> <span class="badge author-badge">Forfatter</span></cite> <small>{d}. mai 2010 10:11</small></p></li>',
    ),
    "a verb right before the name": (
        "cs",
        '<div id="comments"><h3>Komentáře</h3>{all}</div>',
        '<div class="comment" id="c{n}"><p>{text}</p><p class="comment-footer">Vystavil {who} v {d}. května 2010 10:11</p></div>',
    ),
    "a verb and a preposition before the name": (
        "el",
        '<div id="comments"><h3>Σχόλια</h3>{all}</div>',
        '<div class="comment" id="c{n}"><p>{text}</p><p class="comment-footer">Αναρτήθηκε από <a href="http://x{n}.example">{who}</a> | <a href="#c{n}">{d}/5/2010 10:11</a></p></div>',
    ),
    "a name in the box's class": (
        "zh",
        '<div id="vcomments"><div class="vcount">3 评论</div><div class="vcards">{all}</div></div>',
        '<div class="vcard" id="{n:024x}"><div class="vh"><div class="vhead"><a class="vnick" rel="nofollow" href="#">{who}</a> <span class="vsys">Linux</span></div><div class="vmeta"><span class="vtime">2010-05-{d:02}</span></div><div class="vcontent"><p>{text}</p></div></div></div>',
    ),
}

THREADS: dict[str, tuple[str, str, str]] = {
    "numbers that name what they answer": (
        "de",
        '<div id="wpdcom"><div class="list">{all}</div></div>',
        '<div id="wc-comm-{n}_{above}" class="wc-comment wc_comment_level-{level}"><div class="wc-left"><span>Gast</span></div><div id="comment-{n}" class="wc-right"><div class="wc-comment-author">{who}</div><div class="wc-comment-date">{d}. Mai 2010 10:11</div><div class="wc-comment-text"><p>{text}</p></div></div>{inner}</div>',
    ),
    "answers named as the button is": (
        "ko",
        '<div class="comment"><div class="count">댓글 3</div><ol>{all}</ol></div>',
        '<li id="comment{n}"><div class="rp_{kind}"><div class="rp_meta"><span class="name">{who}</span> <span class="date">2010.05.{d:02} 10:11</span> <a href="#" class="modify">수정/삭제</a></div><p class="desc">{text}</p></div><ul>{inner}</ul></li>',
    ),
    "answers with a class more": (
        "es",
        '<div class="citas"><h4>3 comentarios</h4>{all}</div>',
        '<div class="cita{more}" id="n{n}"><div class="cab"><b>{who}</b> | {d}/05/2010 a las 10:11</div><div class="txt"><p>{text}</p></div>{inner}</div>',
    ),
    "boxes behind empty anchors": (
        "de",
        '<section><h3>Kommentare</h3><ul class="CommentList">{all}</ul></section>',
        '<li><a name="comment-{n}"></a><div class="sc-b"><strong>{who}</strong> <time datetime="{stamp}">{d:02}.05.2010</time><div class="sc-c">{text}</div><ul class="CommentList">{inner}</ul></div></li>',
    ),
    "a link to the one above": (
        "en",
        '<div class="root">{all}</div>',
        '<div class="thread"><article class="comment" id="remark42__comment-0000{n}ab-1111-4222-8333-444444444444"><button class="comment__username">{who}</button><a class="comment__time" href="#remark42__comment-0000{n}ab-1111-4222-8333-444444444444">{d:02}.05.2010 at 10:11</a><a class="comment__link-to-parent" href="#remark42__comment-0000{above}ab-1111-4222-8333-444444444444"></a><div class="comment__text"><p>{text}</p></div></article>{inner}</div>',
    ),
    "replied to": (
        "en",
        '<div id="comments">{all}</div>',
        '<div id="comment-{n}" class="comment"><div class="head"><span class="author">{who}</span>{to} | <abbr title="2010-05-{d:02}T10:11:00Z">May {d}, 2010</abbr></div><div class="comment-content"><p>{text}</p></div></div>{inner}',
    ),
}


def drawn(template: str, row: tuple[int, str, int, str, int | None], inner: str) -> str:
    n, who, d, text, above = row
    to = f' replied to <a href="#comment-{above}">comment from somebody</a>' if above else ""
    stamp = int(datetime(2010, 5, d, 10, 11, tzinfo=UTC).timestamp()) * 1000
    more = {
        "above": above or 0,
        "level": 2 if above else 1,
        "kind": "reply" if above else "general",
        "more": " resp" if above else "",
    }
    template = template.replace("Day ", f"{datetime(2010, 5, d):%a} ")
    return template.format(n=n, who=who, d=d, text=text, inner=inner, to=to, stamp=stamp, **more)


def seen(language: str, section: str) -> Wanted:
    post = (
        "<p>Bread is made of flour, water and salt, and of time more than of anything else, as my mother used to say.</p>"
        * 4
    )
    page = Page(
        url="http://blog.example/bread",
        body=f"<!doctype html><html lang={language}><meta charset=utf-8><title>Bread</title><body><h1>Bread</h1><div class=d>30 April 2010</div><div class=text>{post}</div>{section}</body></html>".encode(),
    )
    content = page.tree.xpath("//div[@class='text']")[0]
    found = extract_comments(
        page, content=content, language=language, published=datetime(2010, 4, 30, tzinfo=UTC)
    ).comments
    text_of = {c.id: c.content_text for c in found}
    return [
        (c.author, str(c.published)[:10], c.content_text, text_of.get(c.parent_id or ""))
        for c in found
    ]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_bylines_are_split_into_name_and_date(name: str) -> None:
    language, frame, template = PAGES[name]
    section = frame.format(all="".join(drawn(template, row, "") for row in SAID))
    assert seen(language, section) == [
        (who, f"2010-05-{d:02}", text, None) for _, who, d, text, _ in SAID
    ]


@pytest.mark.parametrize("name", sorted(THREADS))
def test_comment_threads_are_read(name: str) -> None:
    language, frame, template = THREADS[name]
    inner = "".join(drawn(template, row, "") for row in SAID if row[-1])
    section = frame.format(
        all=drawn(template, SAID[0], inner)
        + "".join(drawn(template, row, "") for row in SAID[1:] if not row[-1])
    )
    assert seen(language, section) == [
        (who, f"2010-05-{d:02}", text, LONG if above else None) for _, who, d, text, above in SAID
    ]


def test_teasers_below_a_comment_label_are_no_comments() -> None:
    teasers = "".join(
        f'<li class="item"><article><h2><a href="/p/{i}.html">Another bread of number {i} for you</a></h2><span>0{i}.05.2010, 15:20</span></article></li>'
        for i in (1, 2, 3)
    )
    for label in ("Comments", "No comments yet"):
        section = f'<h3>{label}</h3><div class="more"><h2>More of the same</h2><ul>{teasers}</ul></div><div class="author"><b>Zoe</b> 3 May 2010</div>'
        assert seen("en", section) == []


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("[Kitchen Notes] » Blog Archive", "[Kitchen Notes] » Blog Archive"),
        ("{Ann}", "Ann"),
        ("Ann (", "Ann"),
        ("【Ann】", "Ann"),
        ("Ann （Kent）", "Ann （Kent）"),
    ],
)
def test_names_keep_brackets_that_hold_a_part_of_them(written: str, name: str) -> None:
    section = f'<div id=comments><h3>Comments</h3><div class="comment" id="comment-7"><cite class="fn"><a href="http://a.example">{written}</a></cite> <small>May 01, 2010 at 03:24</small><p>{LONG}</p></div></div>'
    assert [who for who, _, _, _ in seen("en", section)] == [name]


def test_readers_mean_their_address_amid_a_sentence() -> None:
    own = "My blog Bob, at http://bob.example .. come and see it one day, if you like bread."
    body = own.replace("http://bob.example", '<a href="http://bob.example">http://bob.example</a>')
    section = "<div id=comments><h3>Comments</h3>" + "".join(
        f'<div class="comment" id="comment-{n}"><cite class="fn"><a href="http://{who.lower()}.example">{who}</a></cite> <small>May 0{n}, 2010 at 03:24</small><p>{text}</p></div>'
        for n, who, text in ((1, "Ann", LONG), (2, "Bob", body), (3, "Carl", LONG + " Really."))
    )
    texts = [text for _, _, text, _ in seen("en", section + "</div>")]
    assert texts == [LONG, own, LONG + " Really."]


def test_number_of_a_comment_before_its_date_is_no_name() -> None:
    section = "<div class=comments-content><h3>Comments</h3>" + "".join(
        f'<div class="comment" id="comment-{n}"><div class="comment-content"><p>{LONG}</p></div><p class="comment-footer">\nPosted by:\n{who} | <a href="#comment-{n}">({n}) May 0{n}, 2010 03:24 AM</a></p></div>'
        for n, who in ((1, "Ann Lee"), (2, "bo"), (3, "陈工"))
    )
    assert [comment[0] for comment in seen("en", section + "</div>")] == ["Ann Lee", "bo", "陈工"]


def test_pingback_text_is_its_title() -> None:
    section = '<ol class="commentlist"><li class="pingback" id="comment-7"><p>Pingback: <a href="http://o.example/" rel="external nofollow" class="url">Bread week</a></p></li><li id="comment-8"><a href="http://p.example/x" rel="external nofollow" class="url">Bread links</a> - […] the best bread […]</li></ol>'
    assert [(who, text) for who, _, text, _ in seen("en", section)] == [
        ("Bread week", ""),
        ("Bread links", "[…] the best bread […]"),
    ]


def test_relative_times_are_no_comment_text() -> None:
    section = '<div id="comments">' + "".join(
        f'<article class="comment" id="cid-{n}"><h4 class="meta__name">{who}</h4><a class="meta__date" href="?cid={n}#cid-{n}">#{d} — {d} hours ago</a><div class="body"><p>{text}</p></div></article>'
        for n, who, d, text, _ in SAID
    )
    assert [(who, text) for who, _, text, _ in seen("en", section)] == [
        (who, text) for _, who, _, text, _ in SAID
    ]


def test_relative_times_behind_names_and_bars_between_links_are_no_comment_text() -> None:
    section = '<div id="comments"><ul class="media-list">' + "".join(
        f'<li id="comment-{n}"><em><strong><img src="/avatar/{n}"> {who}</strong> {d} years, 3 months ago</em><p>{text}</p><a href="/bread/#comment-{n}">Link</a> / <a href="#reply-{n}" class="reply">Reply</a></li>'
        for n, who, d, text, _ in SAID[:2]
    )
    assert [(who, text) for who, _, text, _ in seen("en", section)] == [
        (who, text) for _, who, _, text, _ in SAID[:2]
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("John [shots]", "John [shots]"),
        ("Ann (mother)", "Ann (mother)"),
        ("[Ann]", "Ann"),
        ("(Ann", "Ann"),
        ("Ann)", "Ann"),
        ("()", None),
        ("Ann (Kent - UK) wrote", "Ann (Kent - UK)"),
        ("Rob Say", "Rob Say"),
        ("Rob Says:", "Rob"),
        ("пишет:", None),
        ("回复", None),
        ("Répondre", None),
    ],
)
def test_brackets_that_belong_to_a_name_are_kept(text: str, name: str | None) -> None:
    assert bare_name(text) == name


def test_name_behind_a_label_ends_before_the_date() -> None:
    assert author._labelled_name("Posted by: Ann Lee 3 May 2020") == "Ann Lee"


def test_a_text_that_begins_with_another_languages_word_for_by_is_no_byline() -> None:
    row = '<li id="comment-{n}"><div><b>{who}</b> schrieb:</div><div>0{n}.05.2010</div><p>{text}</p></li>'
    texts = ("Da sich alles ändert, komme ich mit.", "Das war gut.", "Bis bald also.")
    said = list(zip((1, 2, 3), ("Chris", "Ann Lee", "Bo Day"), texts, strict=True))
    rows = "".join(row.format(n=n, who=who, text=text) for n, who, text in said)
    section = f"<div><a name=comments></a><h3>Kommentare</h3><ol>{rows}</ol></div>"
    assert [(who, text) for who, _, text, _ in seen("de", section)] == [row[1:] for row in said]
