"""Which elements of a page are taken for its comments, and by which strategy."""

from __future__ import annotations

import lxml.html
import pytest

from blogcrawl.comments import extract_comments, repeated_blocks
from blogcrawl.comments.locate import STRATEGIES, find_units
from blogcrawl.core.page import Page
from blogcrawl.text.visible import node_text

TEXTS = ("Great bread, thank you.", "So do I, every week.", "How long does it rest?")


def comments(template: str) -> str:
    return "".join(template.format(n=71 + n, text=text) for n, text in enumerate(TEXTS))


PAGES = {
    "ids": comments('<li id="comment-{n}"><cite>Ann</cite> 3 May 2010<p>{text}</p></li>'),
    "semantic": comments(
        '<div itemscope itemtype="http://schema.org/Comment"><b>Ann</b> 3 May 2010 {text}</div>'
    ),
    "classes": comments('<div class="comment"><cite>Ann</cite> 3 May 2010<p>{text}</p></div>'),
    "texts": comments(
        '<div class="row"><div><p class="who">Ann</p><p>3 May 2010</p>'
        '<p class="commentText">{text}</p></div><i class="like">0</i></div>'
    ),
    "section": "<h3>Comments</h3>"
    + comments("<div><b>Ann</b> <i>3 May 2010, 10:11</i><p>{text}</p></div>"),
}


@pytest.mark.parametrize("strategy", sorted(PAGES))
def test_strongest_evidence_locates_the_comments(strategy: str) -> None:
    root = lxml.html.fromstring(f"<body><p>Words of the post.</p>{PAGES[strategy]}</body>")
    units, method = find_units(root)
    assert method == strategy
    assert len(units) == len(TEXTS)
    assert all(text in node_text(u.elements[0]) for u, text in zip(units, TEXTS, strict=True))


@pytest.mark.parametrize(("label", "count"), [("single-post-recs", 0), ("said", len(TEXTS))])
def test_other_posts_below_a_section_without_comments_are_none(label: str, count: int) -> None:
    boxes = comments("<div><a href=/p{n}>Rye</a> <i>3 May 2010</i><p>{text}</p></div>")
    root = lxml.html.fromstring(
        "<body><p>Words of the post.</p><h3>Comments</h3><div class=list></div>"
        f"<div class={label}>{boxes}</div></body>"
    )
    assert len(find_units(root)[0]) == count


def test_ids_that_end_with_the_names_of_those_who_wrote_may_hold_digits() -> None:
    names = ("tom-harker", "kira_77", "7-of-9")
    items = "".join(
        f"<li id=comment-{20 + n}-by-{name}><cite>{name}</cite> 3 May 2010<p>{text}</p></li>"
        for n, (name, text) in enumerate(zip(names, TEXTS, strict=True))
    )
    root = lxml.html.fromstring(f"<body><p>Words of the post.</p><ol>{items}</ol></body>")
    units, method = find_units(root)
    assert (len(units), method) == (3, "ids")


def test_only_numbered_heading_stands_for_what_follows_it_in_its_box() -> None:
    said = f"<div class=comment><h4 id=comment71>Re: A walk</h4><p>{TEXTS[0]}</p>"
    foot = "<ul><li>2010/05/03 15:58:00</li><li>Ann</li></ul></div>"
    root = lxml.html.fromstring(f"<body><p>Words of the post.</p>{said}{foot}</body>")
    units, _ = find_units(root)
    assert [[element.tag for element in unit.elements] for unit in units] == [["h4", "p", "ul"]]


def test_learned_rule_wins_unless_numbered_elements_are_far_more() -> None:
    plain = "".join(f'<p class="said">{text}</p>' for text in TEXTS)
    root = lxml.html.fromstring(f"<body>{plain}</body>")
    assert find_units(root, "//p[@class='said']")[1] == "rule"
    root = lxml.html.fromstring(f'<body><p class="said">Old.</p><ol>{PAGES["ids"]}</ol></body>')
    assert find_units(root, "//p[@class='said']")[1] == "ids"


def test_replies_with_a_class_of_their_own_are_known_by_their_parts() -> None:
    each = "<div class={}><div class=day>Ann, 3 May 2010</div><div class=head></div>Text {}</div>"
    said = "".join(map(each.format, ("comment", "reply", "comment", "answer", "x"), range(5)))
    other = "<div class=x><div class=day>3 May 2010</div>The post's own day.</div>"
    units, _ = find_units(lxml.html.fromstring(f"<div id=page>{said}{other}</div>"))
    assert [node_text(unit.elements[0])[-1] for unit in units] == list("01234")


def test_form_that_holds_the_page_holds_its_comments() -> None:
    """As ASP.NET writes pages; names are dasBlog's."""
    said = comments(
        "<div class=commentBoxStyle><div class=commentDateStyle>3 May 2010</div>"
        "<div class=commentBodyStyle>{text}</div></div>"
    )
    links = "".join(f"<a href=/{number}>Post {number}</a>" for number in range(9))
    root = lxml.html.fromstring(
        f"<body><form><p>Words of the post.</p>{links}<div class=commentsContainer>{said}</div>"
        "</form></body>"
    )
    assert [unit.elements[0].get("class") for unit in find_units(root)[0]] == 3 * [
        "commentBoxStyle"
    ]


def test_strategies_have_unique_names() -> None:
    assert len({strategy.name for strategy in STRATEGIES}) == len(STRATEGIES)


def test_anchors_at_the_end_of_the_previous_box_keep_the_boxes() -> None:
    """As a static copy of an old Blogger template writes them, boxes closed too late."""
    said = "".join(
        f'{text}<br><a href="#c{n}0000">{n}/1/06, 12:19 AM</a><br>'
        f'<div class="avt" id="c{n + 1}0000"></div>'
        f'<b><a href="/profile/{n}" rel="nofollow">Reader {n}</a> said...</b></div>'
        '<div class="cmt">'
        for n, text in enumerate(TEXTS, 4)
    )
    root = lxml.html.fromstring(
        '<body><p>Words of the post.</p><div id="comments"><h4>3 comments:</h4><div>'
        '<div class="cmt"><div class="avt" id="c40000"></div><b>Reader 3 said...</b></div>'
        f'<div class="cmt">{said}</div></div></div></body>'
    )
    units, _ = find_units(root)
    found = " ".join(node_text(e) for unit in units for e in unit.elements)
    assert [text in found for text in TEXTS] == [True] * len(TEXTS)


def test_deeply_nested_label_reads_little_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    depth = 200
    nested = f"{'<div>' * depth}<h3>Comments</h3>{'</div>' * depth}"
    page = f"<div><p>A post with many words.</p>{nested}</div>"
    root = lxml.html.fromstring(page)
    read = []
    monkeypatch.setattr(
        repeated_blocks, "node_text", lambda node: read.append(node) or node_text(node)
    )
    box = repeated_blocks.outermost(root.find(".//h3"))
    assert box.getparent() is root and box.tag == "div"
    assert len(read) < 10


@pytest.mark.parametrize(
    ("page", "tag"),
    [
        ("<section><b></b> <h3>Comments</h3><i> </i></section>", "section"),
        ("<section>A long text of its own stands before. <h3>Comments</h3></section>", "h3"),
        ("<section><h3>Comments</h3> and more than a label</section>", "h3"),
        ("<section><b>3</b> <h3>Comments</h3></section>", "section"),
    ],
)
def test_label_includes_boxes_without_other_text(page: str, tag: str) -> None:
    root = lxml.html.fromstring(f"<main><p>A text.</p><div>{page}<p>Ann: hi</p></div></main>")
    assert repeated_blocks.outermost(root.find(".//h3")).tag == tag


SIGNED = "<p>{text}</p><p>Posted by {who} on 03/{day}/2022</p><hr>"
ROW = "<tr><td><b>{who}</b><br><small>03/{day}/2022</small></td><td>{text}</td></tr>"


@pytest.mark.parametrize(
    "section",
    [
        "<div><h3>2 Comments</h3>{signed}<h4>Leave a comment</h4><form></form>",
        "<a name='comments'></a><table>{rows}</table><hr><p>Made by hand.</p>",
    ],
    ids=["a form with a heading of its own", "an anchor and no heading"],
)
def test_comments_without_names_begin_at_a_label_and_end_at_the_next(section: str) -> None:
    said = (("Ann Lee", 28, "I was on that ferry, too."), ("Bo Day", 29, "So was my dog."))
    signed, rows = (
        "".join(form.format(who=who, day=day, text=text) for who, day, text in said)
        for form in (SIGNED, ROW)
    )
    post = "<p>The ferry left late, and the people on the quay waved for a long time.</p>" * 3
    body = f"<h1>Ferry</h1>{post}{section.format(signed=signed, rows=rows)}"
    page = Page(url="http://b.example/9", body=f"<html><body>{body}</body></html>".encode())
    found = extract_comments(page, content=post).comments
    assert [(c.author, c.content_text) for c in found] == [(who, text) for who, _, text in said]


def test_a_class_that_ends_in_a_number_parts_comments_from_other_boxes() -> None:
    box = "<div class=c68227><div>Posted by {} on May {}, 2009</div><div><p>{}</p></div></div>"
    said = [("Ann Lee", 3, "I was on it."), ("Bo Day", 4, "So was I."), ("Carl", 5, "Not me.")]
    boxes = "".join(box.format(*one) for one in said)
    body = f"<h1>Ferry</h1><p>It left late.</p><h3>3 Comments</h3>{boxes}<div>tea rain maps</div>"
    page = Page(url="http://b.example/9", body=f"<html><body>{body}</body></html>".encode())
    found = extract_comments(page).comments
    assert [(c.author, c.content_text) for c in found] == [(who, text) for who, _, text in said]


def test_anchors_without_boxes_begin_the_comments_below_their_heading() -> None:
    """As TypePad's first templates write them."""
    said = "".join(
        f'<a id="c17{n:05}"></a><p>{text}</p><p>And more of it.</p>'
        f'<p class="posted">Posted by: Ann | Jun {n}, 2007 5:39:00 PM</p>'
        for n, text in enumerate(TEXTS, 3)
    )
    root = lxml.html.fromstring(
        "<body><h3>Bread</h3><p>Words of the post.</p><p class=posted>Ben posted Jun 2, 2007</p>"
        f'<h2><a id="comments"></a>Comments</h2>{said}<h2>Post a comment</h2><p>No spam.</p></body>'
    )
    units, method = find_units(root)
    found = [" ".join(map(node_text, unit.elements)).strip() for unit in units]
    assert method == "ids"
    assert [unit.anchor for unit in units] == [f"c17{n:05}" for n in (3, 4, 5)]
    assert found == [
        f"{text} And more of it. Posted by: Ann | Jun {n}, 2007 5:39:00 PM"
        for n, text in enumerate(TEXTS, 3)
    ]
