# ruff: noqa: E501 (markup as people write it)
"""Comments of hand-made pages: no telling class or id, labels in many words and languages, bylines
without a box around them.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from babel.dates import format_date

from blogcrawl.comments import extract_comments
from blogcrawl.core.page import Page
from blogcrawl.dates.parse import find_date
from blogcrawl.lexicon.comment_words import is_label
from tests.cpu import loops

LONG = "I have baked this bread four times now and it never failed me, thank you."
ANN, BOB, CARL = (
    ("Ann", "2010-05-01", LONG),
    ("Bob", "2010-05-02", "Nice."),
    ("Carl", "2010-05-03", "So do I, every week."),
)


def each(template: str, *, between: str = "", linked: str = "Bob") -> str:
    """One comment after the other, a bar around each; ``linked`` has an address."""
    return (
        "|"
        + (between + "|").join(
            template.format(
                who=f'<a href="http://r.example/">{who}</a>' if who == linked else who,
                d=int(day[-2:]),
                text=text,
                i=i,
            )
            for i, (who, day, text) in enumerate((ANN, BOB, CARL), 1)
        )
        + "|"
    )


PAGES: dict[str, tuple[str, str]] = {
    "paragraphs, bylines in italics below them, and a rule": (
        "en",
        "<b>Replies: 3 Comments</b>"
        + each("<p>{text}<p><i>Posted by {who} @ 05/{d:02}/2010 05:57 PM EST</i><hr>"),
    ),
    "bylines without a year, in the class of the links below": (
        "en",
        "<div class=comments><h2 class=title>Comments</h2>"
        + each(
            "<p>{text}</p><div class=posted>Posted by {who}&nbsp; on 05/{d:02} &nbsp;at 10:11 AM</div>"
        )
        + "<div class=posted>Next entry: <a href=/rye>Rye</a></div></div>",
    ),
    "boxes without a class, texts and bylines in turn": (
        "en",
        "<h3>Comments</h3>" + each("<div>{text}</div><div>{who} - May {d}, 2010 10:11</div>"),
    ),
    "long texts without a box below a class of comments, signed at the end": (
        "en",
        "<div class=comments-head>Comments</div>"
        + each(
            "<div class=comments-body><p>{text}</p><span class=comments-post>Posted by: {who} at May {d}, 2010 10:11 AM</span></div>"
        ),
    ),
    "days in brackets in the term, the text in the description": (
        "en",
        "<h3>Comments</h3><dl>"
        + each("<dt>{who} ({d} May 2010)</dt><dd>{text}</dd>", linked="")
        + "</dl>",
    ),
    "names before the time, which links to the comment": (
        "en",
        "<h3>Comments</h3>"
        + each(
            '<div><span>{who}</span> <small><a href="#c{i}"><time>2010-05-{d:02} 10:11</time></a></small><div>{text}</div></div>'
        ),
    ),
    "anchors in paragraphs of one box": (
        "en",
        "<div class=comment><div class=caption>Comments</div><div class=commentshort>"
        + each(
            '<p><a class=canchor name="c{i}4" href="#c{i}4"></a><span class=commentator>{who}</span> <span class=timestamp>2010/05/{d:02} 10:11</span> <span class=commentbody>{text}</span></p>',
            linked="",
        )
        + "</div></div>",
    ),
    "links of several words to themselves": (
        "en",
        "<div class=itemComments><h3>Comments</h3><ul class=itemCommentsList>"
        + each(
            '<li><span class=commentLink><a href="http://blog.example/bread#comment5{i}" name="comment5{i}" id="comment5{i}">Link to this one</a></span><span class=commentDate>Saturday, May {d}, 2010</span><span class=commentAuthorName>posted by {who}</span><p>{text}</p></li>'
        )
        + "</ul></div>",
    ),
    "what a commenter is, before the name": (
        "en",
        "<div id=comments><div class=caption>Reader Comments (3)</div>"
        + each(
            '<div class=comment-wrapper id="comment7{i}"><div class=text><p>{text}</p></div><div class=signature><span class=comment-date>May {d}, 2010</span><span class=inline-divider> &#124; </span><span class=comment-icon></span><span class=author-type>Unregistered Commenter</span>{who}</div></div>'
        )
        + "</div>",
    ),
    "threads and answers in brackets": (
        "en",
        "<div id=Comments><b>(3 comments)</b>"
        + each(
            '<table id="ljcmt9{i}"><tr><td><b>Re:</b><br>From: {who}<br>2010-05-{d:02} 10:11 (UTC)</td></tr><tr><td>{text}<p>(<a href="?replyto=9{i}">Reply</a>) (<a href="/bread?thread=9{i}#t9{i}">Thread</a>)</p></td></tr></table>',
            linked="",
        )
        + "</div>",
    ),
    "rows of a coloured table": (
        "he",
        "<table><tr><td><b>תגובות</b></td></tr>"
        + each(
            "<tr><td bgcolor=#eeeeee><b>{who}</b>, {d}/5/2010 10:11:</td></tr><tr><td>{text}</td></tr>",
            linked="",
        )
        + "</table>",
    ),
    "headings that are named so, signed below": (
        "en",
        "<h2>Comments</h2>"
        + each(
            '<a name="c8{i}"></a><div class=comment_item><h3 class=commentheader>I have baked</h3><div class=itemcomment><p>{text}</p></div><p class=itemfooter>Posted by {who}, May {d}, 2010 at 10:11</p></div>'
        ),
    ),
    "days without a year in a class of two words": (
        "de",
        "<a name=comments></a>"
        + each(
            '<div class=comment><a name="30{i}"></a><div class=commentTitle>I have baked</div><p>{text}</p><p class=commentDate>{who} (Gast) - {d}. Mai, 10:11</p></div>',
            linked="",
        ),
    ),
    "terms that begin with the hour": (
        "es",
        "<div class=blogComments>Comentarios:<dl>"
        + each(
            '<dt class=comment-poster id="c8{i}">A las 10:11 del {d:02}/05/10, {who} dijo...</dt><dd class=comment-body><p>{text}</p></dd>'
        )
        + "</dl></div>",
    ),
    "numbered texts, signed below": (
        "en",
        "<h2 id=comments>Comments</h2>"
        + each(
            "<div id=c{i}><p>{text}</p></div><p class=posted>Posted by: {who} at May {d}, 2010 10:11 AM</p>"
        ),
    ),
    "numbered entries of a list of definitions, dates in their terms": (
        "fr",
        "<div id=comments><h3>3 réponses</h3><dl class=commentlist>"
        + each(
            '<dt class="by{i}"><small class=date><span class=date_day>{d}</span> <span class=date_month>05</span> <span class=date_year>2010</span></small></dt><dd class="commentlist_item by{i}" id="comment-{i}"><div class=comment><strong class=author>{who}</strong> <small>(10:11:12)</small> : <br><div class=comment_text><p>{text}</p></div></div></dd>'
        )
        + "</dl></div>",
    ),
    "a day in the term, the time behind the name": (
        "fr",
        "<div id=comments><dl>"
        + each(
            '<dt class="by{i}"><small class=date>{d}/05/2010</small></dt><dd class="by{i}" id="comment-{i}"><div><strong class=author>{who}</strong> <small>(10:1{i}:12)</small> : <br><div class=comment_text>{text}</div></div></dd>'
        )
        + "</dl></div>",
    ),
    "numbered texts, dates in numbers above": (
        "fr",
        "<h3 id=comments>3 réponses</h3><dl>"
        + each(
            '<dt><small class=date><span>{d}</span> <span>05</span> <span>2010</span></small></dt><dd id="comment-{i}"><strong class=author>{who}</strong> <small>(10:11:12)</small><div class=comment_text><p>{text}</p></div></dd>'
        )
        + "</dl>",
    ),
    "byline above two breaks in the text's own cell": (
        "en",
        "<table><tr><td><b>3 Comments:</b></td></tr>"
        + each(
            "<tr><td><font><a name=c{i}></a>At {d} May 2010 10:11 AM, <b>{who}</b> said...<br><br>{text}</font><br><br></td></tr>"
        )
        + "</table>",
    ),
    "name and day as lines of the text's first paragraph": (
        "en",
        "<h2>Comments</h2><ul>"
        + each("<li><p><strong>{who}</strong><br>May {d}, 2010<br>{text}</p></li>")
        + "</ul>",
    ),
    "rows by turns": (
        "en",
        "<h3>Comments</h3><table>"
        + each(
            "<tr><td><b>{who}</b></td><td>May {d}, 2010</td></tr><tr><td colspan=2>{text}</td></tr>"
        )
        + "</table>",
    ),
    "a term and two definitions": (
        "en",
        "<h3>Comments</h3><dl>"
        + each("<dt>{who}</dt><dd>May {d}, 2010</dd><dd>{text}</dd>")
        + "</dl>",
    ),
    "at noon": (
        "en",
        "<h3>Comments</h3>"
        + each("<div class=cm><p>{text}</p><p>May {d}, 2010, noon by {who}</p></div>"),
    ),
    "with a time zone": (
        "en",
        "<h3>Comments</h3>"
        + each(
            "<div class=cm><p>{text}</p><p>Posted by <b><a href=//x.example>{who}</a></b> on May {d},"
            " 2010 at 06:34 PM PST <a href=#c>#</a></p></div>"
        ),
    ),
    "tables": (
        "de",
        "<font size=3><b>Kommentare (3)</b></font><br>"
        + each(
            "<table bgcolor=#eee><tr><td><b>{who}</b></td><td align=right>{d:02}.05.2010 um 10:11 Uhr</td></tr><tr><td colspan=2><font>{text}</font></td></tr></table><br>"
        ),
    ),
    "headings": (
        "en",
        "<a name=c></a><h3>Comments</h3>"
        + each("<h4>{who} &mdash; May {d}, 2010 10:11</h4><p>{text}</p>"),
    ),
    "signed below": (
        "en",
        "<div class=blogbody><b>Comments</b><br>"
        + each("<p>{text}</p><p class=posted>Posted by: {who} on May {d}, 2010 10:11 AM</p>")
        + "</div>",
    ),
    "bare text": (
        "es",
        "<div class=coms><h3>Comentarios</h3>"
        + each("<b>{who}</b> <i>({d:02}-05-2010 10:11)</i><br>{text}", between="<hr>")
        + "</div>",
    ),
    "definitions": (
        "fr",
        "<h4>Vos réactions</h4><dl>"
        + each("<dt>{who}, le {d:02}/05/2010 à 10h11</dt><dd><p>{text}</p></dd>")
        + "</dl>",
    ),
    "after the date": (
        "fr",
        "<div id=comments><h3>Commentaires</h3><dl>"
        + each(
            '<dt id="c{i}"><a href="#c{i}">{i}.</a> Le samedi {d} mai 2010, 10:11 par {who}</dt><dd><p>{text}</p></dd>'
        )
        + "</dl></div>",
    ),
    "inline label": (
        "ru",
        "<div class=obs><b>Обсуждение</b> (3)"
        + each(
            "<div class=msg><span class=nick>{who}</span> <span class=dt>{d} мая 2010 г. в 10:11</span><div class=tx>{text}</div></div>"
        )
        + "</div>",
    ),
    "numbered": (
        "cs",
        "<h2>Diskuse</h2>"
        + each(
            "<div class=prispevek><h4><span>[{i}]</span> {who} <em>{d}. 5. 2010 10:11</em></h4><div><p>{text}</p></div></div>"
        ),
    ),
    "nameless spans": (
        "ar",
        "<div class=box><h3>التعليقات (3)</h3>"
        + each(
            "<div class=t><span class=a>{who}</span><span class=b>{d} مايو 2010 10:11</span><div class=c><p>{text}</p></div></div>",
            linked="",
        )
        + "</div>",
    ),
    "said": (
        "el",
        "<div class=sx><h4>3 σχόλια</h4>"
        + each(
            "<div><p class=on>Ο/Η {who} είπε...</p><p class=ti>{text}</p><p class=hm>{d} Μαΐου 2010 10:11</p></div>"
        )
        + "</div>",
    ),
    "lines": (
        "nl",
        "<div><h5>3 reacties</h5>"
        + each("<p class=r><b>{who}</b> <span>{d} mei 2010 10:11</span><br>{text}</p>")
        + "</div>",
    ),
    "classified by the title": (
        "sv",
        "<div><h3>3 kommentarer</h3>"
        + each(
            '<div><div>{who} · <span title="2010-05-{d:02} 10:11">för 9 år sedan</span></div><div><p>{text}</p></div></div>'
        )
        + "</div>",
    ),
    "labels in the byline": (
        "en",
        "<div id=comments>"
        + each(
            '<div id="cmt{i}0"><div class=header><span class=poster-label>From:</span> <span class=poster><b>{who}</b></span><div class=datetime>Date: 2010-05-{d:02} 10:11 (UTC)</div></div><div class=comment-content>{text}</div></div>'
        )
        + "</div>",
    ),
    "a subject that leads to itself": (
        "en",
        "<div id=comments>"
        + each(
            '<div class=comment id="comment-{i}a0b1c2d3e4f5a6b7"><div class=comment-subject><a href="http://b.example/p.html#comment-{i}a0b1c2d3e4f5a6b7">re {i}</a></div><div class=inlinecontent>{text}</div><div class=comment-header>Comment by <span class=author>{who}</span> &mdash; <span class=date>May {d} 10:11:00 2010</span></div></div>',
            linked="",
        )
        + "</div>",
    ),
    "a form in each": (
        "en",
        "<div id=comments><h3>Comments</h3>"
        + each(
            '<div id="comment-{i}" class="comment media"><div class=media-body><h4 class=media-heading>{who} <small class=timespan title="2010-05-{d:02} 10:11">13&nbsp;years, {i}&nbsp;months ago</small></h4><p>{text}</p> <a href="/p/#comment-{i}"><span class=link></span> Link</a> \u2502 <a href="#reply-{i}" class=reply>Reply</a><form class=reply-form id="reply-{i}"><label>Name</label><input name=name><b class=help>required</b><textarea name=comment></textarea></form></div></div>',
            linked="",
        ).replace("\u2502", "&#124;")
        + "</div>",
    ),
}

PAGES["a heading that names the post, next to its text"] = (
    "en",
    "<h3>3 Responses to &#8220;A bread that never failed my mother in all those forty years&#8221;</h3><ol>"
    + each("<li><cite>{who}</cite> <p>May {d}, 2010 at 10:11 am</p><p>{text}</p></li>")
    + "</ol><h3>Leave a Reply</h3>",
)

PAGES["names, days and texts each in a box of its own, sites behind some names"] = (
    "en",
    "<h2>Comments</h2>"
    + each(
        "<div class=comment_subject>{who}</div><div class=comment_date>Saturday, May {d}, 2010, 10:11 AM</div><div class=comment_body>{text}</div><hr>",
    ).replace(
        '<a href="http://r.example/">Bob</a>',
        'Bob <a href="http://r.example/">http://r.example/</a>',
    )
    + "<h2>Add Comment</h2>",
)
PAGES["a name, a day and a text, each in its paragraph, the first with its site"] = (
    "en",
    "<h4>Comments:</h4>"
    + each(
        "<p>{who}</p><p><i>May {d}, 2010</i></p><p>{text}</p>",
    ).replace("<p>Ann</p>", '<p>Ann <a href="http://r.example/">http://r.example/</a></p>'),
)

PAGES["items of a text, a break, a name and a moment"] = (
    "en",
    "<div id=comments><ul>"
    + each("<li>{text}<br>{who} @ 2010-05-{d:02} 10:11:12</li>")
    + "</ul></div>",
)

PAGES["media objects behind the form, without a label"] = (
    "en",
    "<hr><div class=well><form role=form><textarea rows=3></textarea><button>Submit</button></form></div><hr>"
    + each(
        "<div class=media><a class=pull-left href=#><img class=media-object src=a.png></a><div class=media-body><h4 class=media-heading>{who} <small>May {d}, 2010 at 10:11 AM</small></h4>{text}</div></div>",
    ),
)

PAGES["names in the box named as the text, linked or not, and a word behind them"] = (
    "en",
    "<ul class=commentlist>"
    + each(
        '<li class=item id="comment-{i}1"><div class=commententry>{who} says so:<br><span><a href="#comment-{i}1">May {d}, 2010 10:11 AM</a></span><p>{text} <span class=right><a href="#">top</a></span></p></div></li>',
    )
    + "</ul>",
)

POST = (
    "<div class=d>30 April 2010</div><div class=entry-content>"
    + "<p>Bread is made of <b>flour</b>, water and salt, and of time more than of anything else, as my mother used to say.</p>"
    * 4
    + "</div>"
)


def test_list_of_one_comment_is_that_comment() -> None:
    body = f"<div id=comments><ul><li>{LONG}<br>Ann @ 2010-05-01 10:11:12</li></ul></div>"
    page = Page(url="http://b.example/c", body=f"<html><body>{body}</body></html>".encode())
    (found,) = extract_comments(page).comments
    assert (found.author, found.content_text) == ("Ann", LONG)


def test_answer_in_a_box_behind_the_date_is_a_comment_of_its_own() -> None:
    comment = "<div id=comment{n}><h4>Re:</h4><div>{said}</div><ul><li>2012/03/2{n} (10:11)</li><li>{who}</li></ul>{answer}</div>"
    answer = "<div style='margin:5px'>パンを焼いた朝に読んで、とても嬉しかったです。<ul><li>2012/03/23 (18:09)</li></ul></div>"
    parts = (("Ann", answer), ("Bob", ""), ("Carl", ""))
    body = "".join(
        comment.format(n=n, said=LONG, who=who, answer=box) for n, (who, box) in enumerate(parts, 1)
    )
    page = Page(url="http://b.example/p", body=f"<html><body>{body}</body></html>".encode())
    found = {comment.author: comment for comment in extract_comments(page).comments}
    assert found.keys() == {"Ann", "Bob", "Carl", None}
    assert found[None].content_text == "パンを焼いた朝に読んで、とても嬉しかったです。"
    assert (found["Ann"].content_text, found[None].parent_id) == (LONG, found["Ann"].id)


def test_paragraph_below_that_of_name_and_day_is_text() -> None:
    template = (
        "<li><p><strong>{who}</strong><br>May {d}, 2010<br>{text}</p><p>See you, {i}.</p></li>"
    )
    html = f"<h1>Bread</h1><p>{LONG}</p><h2>Comments</h2><ul>{each(template)}</ul>"
    found = extract_comments(Page(url="https://b.example/1", body=html.encode())).comments
    assert [c.content_text for c in found] == [
        f"{text}\nSee you, {i}." for i, (_, _, text) in enumerate((ANN, BOB, CARL), 1)
    ]
    assert [c.author for c in found] == ["Ann", "Bob", "Carl"]


def test_table_with_the_form_is_no_comment() -> None:
    rows = "".join(
        f"<table><tr><td><b>{who}</b><br><font>1{n}.05.2010, 10:11</font></td><td>So do I, every week, and {n} times.</td></tr></table>"
        for n, who in enumerate(("Ann Lee", "Bob"))
    )
    form = '<table><tr><th>Write one</th></tr><tr><td>Name:</td><td><input name="who"></td></tr></table>'
    page = f'<html lang="de"><body><h1>Bread</h1>{POST}<table><tr><th>\n      Kommentare zu diesem Artikel</th></tr></table>{rows}{form}</body></html>'
    seen = extract_comments(Page(url="http://b.example/1.html", status=200, body=page.encode()))
    assert [c.author for c in seen.comments] == ["Ann Lee", "Bob"]


@pytest.mark.parametrize(
    ("box", "around"),
    [
        ("<li class={odd}>{said}{inner}</li>", "<ul>{all}</ul>"),
        ("<div class={odd} id=zz-{n}>{said}{inner}</div>", "{all}"),
    ],
)
def test_classes_of_every_other_comment_do_not_part_them(box: str, around: str) -> None:
    said = (
        "<p>By <a href='http://{who}.example/' rel='external nofollow'>{who}</a> on {n} May 2010 at 10:1{n}. "
        "<a rel=nofollow href='/bread?replytocom={n}#x'>Svar</a></p><p>So do I, every week, {n} times.</p>"
    )
    names = ("Ann", "Bob", "Carl", "Dora")

    def comment(n: int, inner: str = "") -> str:
        text = said.format(who=names[n - 1], n=n)
        return box.format(odd="''" if n % 2 else "ww", n=n, said=text, inner=inner)

    numbered = comment(4) if "id=" in box else ""
    comments = around.format(all=comment(1) + comment(2) + comment(3, numbered))
    page = f"<html><body><h1>Bread</h1>{POST}<h2>Comments</h2>{comments}</body></html>"
    seen = extract_comments(Page(url="http://b.example/bread", status=200, body=page.encode()))
    assert [c.author for c in seen.comments] == list(names[: 4 if numbered else 3])


def test_classes_of_every_other_term_do_not_part_a_list_of_comments() -> None:
    entries = "".join(
        f"<dt class='qa {odd}'><strong>{who}</strong> <span>{{ 0{n}.2{n}.09 at 4:05 am }}</span></dt>"
        f"<dd class='qa {odd}'><div><p>So do I, every week, and {n} times.</p></div></dd>"
        for n, (who, odd) in enumerate(
            (("Ann", ""), ("Bob", "qb"), ("Carl", ""), ("Dora", "qb")), 1
        )
    )
    page = f"<html><body><h1>Bread</h1>{POST}<p><span>4 comments</span></p><dl>{entries}</dl>"
    seen = extract_comments(Page(url="http://b.example/bread", status=200, body=page.encode()))
    assert [c.author for c in seen.comments] == ["Ann", "Bob", "Carl", "Dora"]
    assert all(comment.published for comment in seen.comments)


def _commented(*comments: str) -> list[tuple[str | None, str]]:
    said = "".join(f"<li>{comment}</li>" for comment in comments)
    page = f"<html><body><h1>Bread</h1>{POST}<h2>Comments</h2><ul>{said}</ul></body></html>"
    seen = extract_comments(Page(url="http://b.example/bread", status=200, body=page.encode()))
    return [(comment.author, comment.content_text) for comment in seen.comments]


def test_day_of_the_week_in_the_line_of_the_date_is_no_name() -> None:
    line = "<p>Wednesday, {n}. Dec @ 13:44 1166535885{n}Wed, {n} Dec 2006 13:44:45 +0100</p>"
    linked = "<a href=http://a.example rel=nofollow>{}</a>"
    names = (linked.format("Ann Lee"), "Bob", linked.format("Carl"))
    comments = (
        f"<p>Comment by {name}</p>{line.format(n=10 + n)}<p>So do I, {n} times.</p>"
        for n, name in enumerate(names)
    )
    assert _commented(*comments) == [
        (name, f"So do I, {n} times.") for n, name in enumerate(("Ann Lee", "Bob", "Carl"))
    ]


@pytest.mark.parametrize("label", ["Comment by", "Kommentar von", "Posted by", "Written by:"])
def test_line_that_says_who_wrote_is_no_text(label: str) -> None:
    comments = (
        f"<p>{label} {name}</p><p>{10 + n} May 2010</p><p>So do I, {n} times.</p>"
        for n, name in enumerate(("Ann Lee", "Bob", "Carl"))
    )
    assert _commented(*comments) == [
        (name, f"So do I, {n} times.") for n, name in enumerate(("Ann Lee", "Bob", "Carl"))
    ]


def test_word_of_address_behind_a_name_is_no_text() -> None:
    comment = "<cite>山道38</cite> さん <small>2005年4月9日 10:20</small><p>が窓辺で音楽を。</p>"
    assert _commented(comment) == [("山道38", "が窓辺で音楽を。")]


def test_commenters_address_in_a_sentence_is_text() -> None:
    address = "<a href=http://ann.example/ rel=nofollow>{}</a>"
    said = f"<p>So do I, see<br>{address.format('http://ann.example/')}</p>"
    comment = f"<p>By {address.format('Ann')} on 13 May 2010, 10:11</p>{said}"
    assert _commented(comment) == [("Ann", "So do I, see\nhttp://ann.example/")]


@pytest.mark.parametrize("end", ("see<br>{}</p>", "see</p><p>{}</p>", "see {}</p>"))
def test_commenters_address_below_a_text_is_text_though_it_has_the_name(end: str) -> None:
    address = "<a href=http://ann-lee.example/ rel=nofollow>{}</a>"
    end = end.format(address.format("http://ann-lee.example/"))
    said = f"<p>Photographs of all the other gardens will follow next week, {end}"
    comment = f"<p>By {address.format('ann-lee')} on 13 May 2010, 10:11</p>{said}"
    ((author, text),) = _commented(comment)
    assert author == "ann-lee"
    assert text.split()[-2:] == ["see", "http://ann-lee.example/"]


def test_line_with_a_colon_in_one_of_several_comments_is_text() -> None:
    texts = "<p>So do I.</p>", "<p>or perhaps I should say:</p><p>So do we.</p>", "<p>Me too.</p>"
    comments = (
        f"<div class=side><p>{name}<br>May {n}, 2010 10:11 AM</p></div>"
        f"<div class=comments-body>{text}</div>"
        for n, (name, text) in enumerate(zip(("ann", "bob", "carl"), texts, strict=True), 1)
    )
    assert _commented(*comments) == [
        ("ann", "So do I."),
        ("bob", "or perhaps I should say:\nSo do we."),
        ("carl", "Me too."),
    ]


@pytest.mark.parametrize("site", ("[rye.example]", "(www.rye.example)", "(http://rye.example/)"))
def test_site_in_brackets_behind_a_name_is_no_part_of_it(site: str) -> None:
    comment = f"<cite>Ann Lee {site}</cite> <i>13 May 2010, 10:11</i><p>So do I.</p>"
    assert _commented(comment) == [("Ann Lee", "So do I.")]


def test_buttons_are_no_text() -> None:
    buttons = (
        "<span><a target=_self>Responder</a><a href='/delete-comment.g?post=1'>Eliminar</a></span>"
        "<div><a target=_self>Respuestas</a></div>"
    )
    comment = f"<cite>Ann Lee</cite> <i>13 May 2010, 10:11</i><p>So do I.</p>{buttons}"
    assert _commented(comment) == [("Ann Lee", "So do I.")]


def test_address_in_the_place_of_a_name_leaves_the_text_behind_it() -> None:
    names = ("http://ann.example/", "Bob", "Carl Lund")
    units = "".join(
        f"<div class=one-old-comment><span class=comment-date>2010-03-0{day}</span>"
        f"<span class=commenter-name>{name}</span><div class=comment-body>{text}</div></div>"
        for day, (name, text) in enumerate(zip(names, ("Good.", LONG, LONG), strict=True), 1)
    )
    page = Page(url="http://b.example/p", body=f"<div class=comments>{units}</div>".encode())
    found = extract_comments(page).comments
    assert [c.content_text for c in found] == ["Good.", LONG, LONG]
    assert [c.author for c in found][1:] == list(names[1:])


def test_word_that_stands_before_dates_is_part_of_a_name() -> None:
    for name in ("Jorge el constructor", "Louis le Grand", "Katze am Fenster"):
        comment = f"<b>{name}</b> <a href='#c1'>13 May 2010, 10:11</a><p>So do I.</p>"
        assert _commented(comment, comment) == [(name, "So do I.")] * 2


def test_whom_a_comment_greets_is_not_its_author() -> None:
    said = (
        ("Ann Lee", "Bob, have you tried rye?"),
        ("Bob Day", "Not yet. Ann knows."),
        ("Carl Roe", "Bob, I have."),
    )
    boxes = "".join(
        f'<div class=q><p>{text}</p><a href="http://r.example/{n}">{who}</a> <time datetime=2010-05-0{n}>2010-05-0{n}</time></div>'
        for n, (who, text) in enumerate(said, 1)
    )
    page = (
        f"<html><body><h1>Bread</h1>{POST}<footer><h3>Comments</h3>{boxes}</footer></body></html>"
    )
    seen = extract_comments(Page(url="http://b.example/bread", status=200, body=page.encode()))
    assert [(c.author, c.content_text) for c in seen.comments] == list(said)


@pytest.mark.parametrize("name", sorted(PAGES))
@pytest.mark.parametrize("count", [3, 1])
def test_comments_of_hand_made_pages_are_read(name: str, count: int) -> None:
    language, html = PAGES[name]
    before, *said, after = html.split("|")
    html = before + "".join(said[:count]) + after
    page = Page(
        url="http://blog.example/bread",
        body=f"<!doctype html><html lang={language}><meta charset=utf-8><title>Bread</title><body><div class=mid><h1>Bread</h1>{POST}{html}</div></body></html>".encode(),
    )
    content = page.tree.xpath("//div[@class='entry-content']")[0]
    found = extract_comments(
        page, content=content, language=language, published=datetime(2010, 4, 30, tzinfo=UTC)
    ).comments
    assert [(c.author, str(c.published)[:10], c.content_text) for c in found] == [ANN, BOB, CARL][
        :count
    ]


def test_comment_labels_in_many_languages_are_read() -> None:
    for text in (
        "Comments",
        "Kommentare (3)",
        "3 comentários",
        "Opinie czytelników",
        "共有3条评论",
        "نظرات",
        "ความคิดเห็น",
        "Ý kiến bạn đọc (3)",
    ):
        assert is_label(text), text
    for text in (
        "Recent comments",
        "Leave a comment",
        "Kommentar schreiben",
        "RSS feed",
        "A post on comments in the old files",
        "防病毒软件的有争议的讨论",
    ):
        assert not is_label(text), text


SPOKEN = "en de fr es it pt nl sv nb da fi pl cs sk hu ro ru uk bg el tr hr sl et id vi ar fa hi bn ta th lo km az sq mk bs is gl zh ja ko".split()


@pytest.mark.parametrize("language", SPOKEN)
def test_every_month_name_of_a_language_is_read(language: str) -> None:
    for month in range(1, 13):
        for form in ("long", "medium"):
            written = format_date(datetime(2012, month, 17), form, locale=language)
            read = find_date(written, language)
            assert read is not None and str(read.pick(None))[:10] == f"2012-{month:02}-17", written


def test_month_initials_and_long_words_without_spaces() -> None:
    assert str(find_date("9 มี.ค. 2555 เวลา 10:11 น.", "th").pick(None)) == "2012-03-09 10:11:00"  # type: ignore[union-attr]
    assert str(find_date("17 בינו׳ 2012", "he").pick(None))[:10] == "2012-01-17"  # type: ignore[union-attr]
    words = "ท่าเรือโคมไฟฤดูหนาวจดหมายสวนหินแม่น้ำ12ตลาดเงินเช้าหน้าต่างทองแดงกระดาษภูเขาจักรยานห้องสมุดเงียบ"
    assert loops(lambda: find_date(words, "th")) < 100


def test_a_label_that_ends_with_the_title_heads_comments_whatever_its_length() -> None:
    title = "Keeping stones and leaves through the winter"
    body = (
        f"<html><head><title>Boathouse: Comments on {title}</title></head><body>"
        f"<b>Comments: {title}</b><p>A fine thing.</p><font>Posted by Ann at May 3, 2004</font>"
        "<p>So it is.</p><font>Posted by Bob at May 4, 2004</font></body></html>"
    )
    seen = extract_comments(Page(url="https://b.example/comments?id=12", body=body.encode()))
    assert [(c.author, c.content_text) for c in seen.comments] == [
        ("Ann", "A fine thing."),
        ("Bob", "So it is."),
    ]


@pytest.mark.parametrize(
    "byline",
    [
        "posted by <b>Ann</b> on <i>Tuesday 29 January 2008 AD</i>:<br /> ",
        "Geschrieben von <b>Ann</b> am <i>29. Januar 2008</i>:<br /> ",
        "By <b>Ann</b> on <i>January 29, 2008</i><br /> ",
    ],
)
def test_words_of_a_byline_around_name_and_day_are_no_text_of_a_lone_comment(byline: str) -> None:
    body = (
        "<html><body><article><h1>Rain</h1><p>It rained on the harbour all day long.</p></article>"
        "<div class='well'><h4>Comments</h4><ol id='commentList'>"
        f"<li>{byline}So it did here, and the cat came in.<br /><hr /></li></ol></div></body></html>"
    )
    seen = extract_comments(Page(url="https://b.example/2008/01/rain.html", body=body.encode()))
    assert [(c.author, str(c.published)[:10], c.content_text) for c in seen.comments] == [
        ("Ann", "2008-01-29", "So it did here, and the cat came in.")
    ]
