"""Where a post begins and ends when its feed cuts it, or its theme adds more than
its author wrote.
"""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, Post
from blogcrawl.dom.selectors import Selector, Step
from blogcrawl.extraction.model import extract_post, learn_blog
from blogcrawl.induction.apply import content_node
from blogcrawl.induction.content_rules import RIGHT, ContentVerdicts, Own, least_right, rules_of
from blogcrawl.induction.learn import Verdict
from blogcrawl.induction.ruleset import Rule, Sample
from tests.induction.test_unlabelled_drops import (
    THEMES,
    Theme,
    page_of,
    plain,
    sentence_of,
    text_of,
)


def _short(n: int) -> str:
    """A post of a few short paragraphs."""
    return "".join(f"<p>{sentence_of(20 * n + k)}</p>" for k in range(2 + n % 3))


def _extracted(theme: Theme, letters: int) -> list[tuple[Post, str]]:
    """Return later posts extracted after learning from five excerpts, each with its true text."""
    pages = {
        n: page_of(n, lambda _text, n: theme(_short(n), n)) for n in (*range(5), *range(20, 24))
    }
    summaries = [plain(_short(n)).replace("\n", " ")[:letters] for n in range(5)]
    entries = [
        FeedEntry(url=f"http://b.example/{n}", title=f"Post {n}", summary_html=summaries[n])
        for n in range(5)
    ]
    model = learn_blog([Sample(page=pages[n], entry=entry) for n, entry in enumerate(entries)])
    out = []
    for n in range(20, 24):
        post = extract_post(pages[n], model, None, True)
        assert isinstance(post, Post)
        out.append((post, plain(_short(n))))
    return out


@pytest.mark.parametrize("letters", [100, 150])
@pytest.mark.parametrize(
    "name", ["links to previous and next posts, above and below", "a paragraph that ends all posts"]
)
def test_short_posts_are_complete_with_much_boilerplate(name: str, letters: int) -> None:
    for post, own in _extracted(THEMES[name], letters):
        assert post.content_text == own


def test_title_in_a_line_that_the_feed_adds_below_is_no_end_of_the_post() -> None:
    def sample(n: int) -> Sample:
        url, title, text = f"http://b.example/{n}", sentence_of(n + 900), _short(n)
        html = (
            f"<article><header><h1>{title}</h1><time>2020-01-0{n + 1}</time></header>"
            f"<div class=entry>{text}</div></article>"
        )
        line = (
            f'<p><a href="{url}">{title}</a>最先出现在<a href="http://b.example/">Harbour</a>。</p>'
        )
        entry = FeedEntry(url=url, title=title, content_html=text + line, is_full=True)
        return Sample(page=Page(url=url, body=f"<body>{html}".encode()), entry=entry)

    model = learn_blog([sample(n) for n in range(3)])
    post = extract_post(sample(5).page, model, None, True)
    assert isinstance(post, Post) and post.content_text == plain(_short(5))


def test_posts_are_found_amid_far_more_boilerplate() -> None:
    def theme(_text: str, n: int) -> str:
        foot = "".join(
            f"<p>{sentence_of(n + k) if k > 702 else sentence_of(k)}</p>" for k in range(700, 706)
        )
        return f"{_short(n)}<div class='c4f2'>{foot}</div>"

    entries = [
        FeedEntry(
            url=f"http://b.example/{n}", title=f"Post {n}", content_html=_short(n), is_full=True
        )
        for n in range(8)
    ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)]
    )
    for n in range(20, 24):
        post = extract_post(page_of(n, theme), model, None, True)
        assert isinstance(post, Post) and post.content_text == plain(_short(n))


@pytest.mark.parametrize("look", ["{}", "<b>{}</b>"])
def test_first_paragraph_with_the_excerpt_is_not_the_post(look: str) -> None:
    """Most posts read first are one paragraph, whose rule is the best there; that the excerpts of
    the others stand in their first paragraphs proves nothing."""

    about = " ".join(sentence_of(n) for n in (900, 901, 902)).lower()[:150]

    def theme(_text: str, n: int) -> str:
        said = f"{sentence_of(n)} {sentence_of(n + 50)} {sentence_of(n + 100)}"
        first = f"<p>{look.format(said)}</p>"
        rest = "".join(f"<p>{sentence_of(n + k)}</p>" for k in range(300, 306)) * (
            n in (1, 2, 5, 7, 21)
        )
        return f"<div class='of'>{n % 27 + 1} March 2012 {about}</div>{first}{rest}"

    summaries = [plain(theme("", n)).partition("<p>")[2][:137] for n in range(10)]
    entries = [
        FeedEntry(url=f"http://b.example/{n}", title=f"Post {n}", summary_html=text)
        for n, text in enumerate(summaries)
    ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)]
    )
    post = extract_post(page_of(21, theme), model, None, True)
    assert (
        isinstance(post, Post)
        and [post.content_text.count(sentence_of(n)) for n in (21, 71, 121, 321, 323, 326)]
        == [1] * 6
    )


def test_cards_of_other_posts_beside_an_excerpt_post_are_not_its() -> None:
    """Each card has the class names of its own post, as WordPress gives them."""

    def card(n: int) -> str:
        return (
            f'<article class="card post-{n} tag-{n}"><div class=badge>News</div><h3><a href="/{n}">'
            f"{sentence_of(n + 700)}</a></h3><p>{sentence_of(n + 800)}</p>"
            "</article>"
        )

    def theme(_text: str, n: int) -> str:
        text = "".join(f"<p>{sentence_of(20 * n + k)}</p>" for k in range(6 + n % 3))
        return (
            f'<div class="builder b-{n % 2}"><div class="col left"><div class="box of-post">'
            f'<div class="box__inner">{text}</div></div></div><div class="col right">'
            f'<h3>More</h3><div class="posts">{card(3 * n)}{card(3 * n + 1)}</div></div></div>'
        )

    entries = [
        FeedEntry(
            url=f"http://b.example/{n}", title=f"Post {n}", summary_html=sentence_of(20 * n)[:100]
        )
        for n in range(5)
    ]
    model = learn_blog([Sample(page=page_of(n, theme), entry=e) for n, e in enumerate(entries)])
    post = extract_post(page_of(21, theme), model, None, True)
    assert isinstance(post, Post) and sentence_of(422) in post.content_text
    assert sentence_of(763) not in post.content_text
    assert sentence_of(863) not in post.content_text


def judged(*scores: float) -> Verdict:
    return Verdict(Selector((), 0), None, list(scores), 0, [True] * len(scores))


def test_lower_score_is_accepted_only_without_a_rule_right_on_half() -> None:
    assert least_right([judged(0.7, 0.7, 0.7, 0.74)]) == pytest.approx(0.8 * 0.71)
    # the wide element has the better mean and is not right: short posts, long lists of others below
    assert least_right([judged(0.74, 0.74, 0.74, 0.74), judged(0.9, 0.9, 0.3, 0.3)]) == RIGHT
    assert least_right([judged(0.1, 0.2)]) == 0.5 and least_right([]) == 0.5


def test_heading_shared_by_two_excerpt_posts_is_kept() -> None:
    reading = (
        "<h2 id=reference>Reference</h2><ul><li><a href=/files/metrics.pdf>Metrics of the "
        "harbour and all of its old bridges</a></li></ul>"
    )

    def theme(text: str, n: int) -> str:
        return f"{text}{reading}" if n not in (2, 3) else text

    summaries = [plain(text_of(n)).replace("\n", " ")[:250] + " […]" for n in range(4)]
    entries = [
        FeedEntry(url=f"http://b.example/{n}", title=f"Post {n}", summary_html=text)
        for n, text in enumerate(summaries)
    ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)]
    )
    for n in range(20, 24):
        post = extract_post(page_of(n, theme), model, None, True)
        assert isinstance(post, Post) and post.extraction["content"]["method"] == "rules"
        assert (
            post.content_text
            == f"{plain(text_of(n))}\nReference\nMetrics of the harbour and all of its old bridges"
        )


@pytest.mark.parametrize("tag", ["pre", "h3"])
def test_post_consisting_of_code_or_a_heading_makes_no_rule_for_it(tag: str) -> None:
    def theme(text: str, n: int) -> str:
        code = (
            f"<{tag} class=literal-block>"
            + "\n".join(f"call step-{n}-{k} of the long listing" for k in range(30))
            + f"</{tag}>"
        )
        added = f"<ul><li>{sentence_of(n + 900)}</li><li>{sentence_of(n + 901)}</li></ul>" * 3
        return f"<p>{sentence_of(n)}</p>{code}{added}" if n in (3, 21) else f"{text}{added}"

    def feed_html(n: int) -> str:
        return theme(text_of(n), n).partition("<ul>")[0]

    entries = [
        FeedEntry(
            url=f"http://b.example/{n}", title=f"Post {n}", content_html=feed_html(n), is_full=True
        )
        for n in range(8)
    ]
    model = learn_blog(
        [Sample(page=page_of(n, theme), entry=entry) for n, entry in enumerate(entries)]
    )
    assert not any(tag in rule.xpath for rule in model.ruleset.rules["content"])
    post = extract_post(page_of(21, theme), model, None, True)
    assert isinstance(post, Post) and post.content_text.startswith(sentence_of(21))


def test_caption_post_content_equals_its_feed_content() -> None:
    def theme(_text: str, n: int) -> str:
        caption = f"<div class='caption'>Roses {n}, august 20{n + 10}; © Ann</div>"
        return caption if n % 2 else f"<p>{sentence_of(n)}</p>"

    entries = [
        FeedEntry(
            url=f"http://b.example/{n}",
            title=f"Post {n}",
            summary_html=f"Roses {n}, august 20{n + 10}; © Ann" if n % 2 else sentence_of(n),
            authors=("Ann",),
        )
        for n in range(8)
    ]
    model = learn_blog([Sample(page=page_of(n, theme), entry=e) for n, e in enumerate(entries)])
    post = extract_post(page_of(21, theme), model, None, True)
    assert isinstance(post, Post) and post.content_text.startswith("Roses 21")


def test_outer_box_of_equal_words_is_the_content() -> None:
    def theme(text: str, n: int) -> str:
        second = f"<div class='y2'>{text_of(500 + n)}</div>" if n > 9 else ""
        return f"<div class='x1'>{text}</div>{second}"

    entries = [
        FeedEntry(
            url=f"http://b.example/{n}", title=f"Post {n}", content_html=text_of(n), is_full=True
        )
        for n in range(8)
    ]
    model = learn_blog([Sample(page=page_of(n, theme), entry=e) for n, e in enumerate(entries)])
    post = extract_post(page_of(21, theme), model, None, True)
    assert isinstance(post, Post)
    assert post.content_text == f"{plain(text_of(21))}\n{plain(text_of(521))}"


WHERE = "//div[@id='page']/div[1]/div[1]"
PROSE = "<p>We walked along the river until the bridge came into sight.</p>" * 3


@pytest.mark.parametrize(
    "body",
    [
        f"<div>{PROSE}<div><div>ls -l</div></div>{PROSE}</div>",
        f"<div><div><a href=/1>Older: The long way</a></div></div><section>{PROSE}</section>",
        f"<div><div>Along the river</div><div>{PROSE.replace('p>', 'i>')}</div></div>",
    ],
)
def test_positional_rule_finds_nothing_without_the_wrapper(body: str) -> None:
    title = "<title>Along the river - Walks</title>"
    page = Page(url="http://b/1", body=f"{title}<body><div id=page>{body}</div></body>".encode())
    assert content_node(page.tree, _rule(WHERE)) is None


def test_positional_rule_finds_the_post_in_its_wrapper() -> None:
    body = f"<div><div>{PROSE}</div><p>Filed under walks</p></div>"
    page = Page(url="http://b/1", body=f"<body><div id=page>{body}</div></body>".encode())
    assert content_node(page.tree, _rule(WHERE)) is not None


def test_positional_rule_finds_a_post_shorter_than_its_comments() -> None:
    post = "<div><div>A short note about the bridge.</div><p>CC BY 3.0</p></div>"
    body = f"{post}<h3>Comments</h3><h4>Ann, 2 May</h4>{PROSE}"
    page = Page(url="http://b/1", body=f"<body><div id=page>{body}</div></body>".encode())
    found = content_node(page.tree, _rule(WHERE))
    assert found is not None and found.text == "A short note about the bridge."


def test_positional_rule_finds_a_picture_below_its_title() -> None:
    post = "<div><h1>Along the river</h1><img src=/1.jpg></div>"
    line = "<ul><li><a href=/2>Next: The long way round the old mill</a></ul>"
    body = f"<title>Along the river - Walks</title><body><div id=page><div>{post}{line}</div></div>"
    page = Page(url="http://b/1", body=body.encode())
    found = content_node(page.tree, _rule(WHERE))
    assert found is not None and [child.tag for child in found] == ["h1", "img"]


BELOW = "//div[@id='page']/div/div"


def test_positional_rule_finds_nothing_below_the_post() -> None:
    body = f"<div>{PROSE}</div><div><div>See <a href=/9>the long way</a> round it</div></div>"
    page = Page(url="http://b/1", body=f"<body><div id=page>{body}</div></body>".encode())
    assert content_node(page.tree, _rule(BELOW)) is None


def test_picture_above_the_links_that_a_positional_rule_finds_is_the_post() -> None:
    body = (
        "<div><img src=/1.jpg></div><div><div><a href=/0>Back</a> <a href=/2>Next</a></div></div>"
    )
    page = Page(url="http://b/1", body=f"<body><div id=page>{body}</div></body>".encode())
    found = content_node(page.tree, _rule(BELOW))
    assert found is not None and [child.tag for child in found] == ["img"]


def _rule(xpath: str) -> Rule:
    return Rule(field="content", xpath=xpath, support_right=9, support_tried=9, mean_score=1.0)


def test_picture_beside_the_only_paragraph_is_the_posts() -> None:
    def text(n: int) -> str:
        picture = f"<div class=figure><p><img src=/pics/{n}.jpg alt=''></p></div>"
        return f"<p>{' '.join(map(sentence_of, range(20 * n, 20 * n + 9)))}</p>" + (
            picture if n % 2 else ""
        )

    def page(n: int) -> Page:
        html = (
            f"<html><head><title>Post {n}</title></head><body><div id=top><a href=/>Home</a></div>"
            f"<div id=content><h1 class=title>Post {n}</h1>{text(n)}</div><div id=foot><p>Author: "
            f"Ann</p></div></body></html>"
        )
        return Page(url=f"http://b.example/{n}", body=html.encode())

    entries = [
        FeedEntry(url=f"http://b.example/{n}", title=f"Post {n}", content_html=text(n))
        for n in range(8)
    ]
    model = learn_blog([Sample(page=page(n), entry=e) for n, e in enumerate(entries)])
    post = extract_post(page(21), model, None, True)
    assert isinstance(post, Post) and "/pics/21.jpg" in (post.content_html or "")
    assert post.content_text == plain(f"<p>{' '.join(map(sentence_of, range(420, 429)))}</p>")


@pytest.mark.parametrize("label", ["Comments", "<a id=comments></a>コメント", "3 Comments"])
def test_comments_below_a_heading_without_a_box_are_no_part_of_posts(label: str) -> None:
    def text(n: int) -> str:
        return "".join(f"<p>{sentence_of(20 * n + k)}</p>" for k in range(2 + n % 3))

    def page(n: int) -> Page:
        said = "".join(
            f"<p>{' '.join(sentence_of(9000 + 40 * n + 4 * c + k) for k in range(4))}</p><p "
            f"class=posted>Posted by: {name} | May {c + 1}, 2008</p>"
            for c, name in enumerate(("Ann", "Bo", "Cy", "Di", "Ed")[: 3 + n % 3])
        )
        html = (
            f"<html><head><title>Post {n}</title></head><body><div id=center><div class=content>"
            f"<h3>Post {n}</h3><div class=entry-body-text>{text(n)}</div><p>May 1, 2008 | "
            f"<a href=/{n}>Permalink</a></p><h2>{label}</h2>{said}</div></div></body></html>"
        )
        return Page(url=f"http://b.example/{n}", body=html.encode())

    entries = [
        FeedEntry(url=f"http://b.example/{n}", title=f"Post {n}", summary_html=plain(text(n))[:90])
        for n in range(8)
    ]
    model = learn_blog([Sample(page=page(n), entry=e) for n, e in enumerate(entries)])
    for n in range(20, 24):
        post = extract_post(page(n), model, None, True)
        assert isinstance(post, Post) and post.content_text == plain(text(n))


@pytest.mark.parametrize(("is_full", "count"), [(True, 2), (False, 1)])
def test_rule_of_one_page_is_no_template_where_excerpts_are_known(
    is_full: bool, count: int
) -> None:
    """It may return the quotation with which one post begins."""
    usual = Verdict(Selector((Step("section"),), 3), None, [0.95] * 9 + [0.2], 0, [True] * 10)
    quoted = Verdict(
        Selector((Step("blockquote"),), 3), None, [0.0] * 9 + [1.0], 0, [False] * 9 + [True]
    )
    rules = rules_of(ContentVerdicts([usual, quoted], [], Own([]), is_full))
    assert len(rules) == count and rules[-1].xpath == "//section"
