"""Entries filled from the pages of a blog without a feed."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, FieldValue, Post
from blogcrawl.extraction.fields.names import same_headings
from blogcrawl.extraction.methods.self_training import common_titles, with_marked_text
from blogcrawl.extraction.model import Hints, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample


def _titled(*titles: str) -> dict[str, list[FieldValue]]:
    return {
        "title": [FieldValue(value=title, method="generic", confidence=0.5) for title in titles]
    }


def test_title_on_over_a_quarter_of_pages_is_the_sites() -> None:
    pages = [_titled(f"Letter {n}", *(["The Long  Street"] if n < 3 else [])) for n in range(8)]
    assert common_titles(pages) == {"the long street"}
    assert not common_titles([*pages, _titled("Letter 8")])


def test_heading_on_two_pages_is_a_posts() -> None:
    def page(n: int) -> Page:
        body = f"<h1>The Long Street</h1>{'<h1>Part two</h1>' if n < 2 else ''}<h1>Letter {n}</h1>"
        return Page(url=f"http://b.example/{n}", body=f"<html><body>{body}".encode())

    assert same_headings([page(n) for n in range(4)]) == ["the long street"]


def test_title_that_other_posts_show_among_popular_ones_is_its_posts() -> None:
    def page(n: int) -> Page:
        popular = "<a href=/1><h1>Bridges</h1></a>" * (n != 1)
        title = TITLES[n] if n != 1 else "Bridges"
        text = "".join(f"<p>{title} and {n * k} geese came over the hill.</p>" for k in range(40))
        body = f"<div class=t>{title}</div><div class=text>{text}</div>{popular}"
        html = f"<html><title>{title} - The Harbour</title><body>{body}"
        return Page(url=f"http://b.example/{n}", body=html.encode())

    pages = [page(n) for n in range(7)]
    model = learn_blog([Sample(page=p, entry=FeedEntry(url=p.url)) for p in pages])
    assert "bridges" not in model.ruleset.facts.titles.common
    assert same_headings(pages) == [] and same_headings(pages[2:]) == ["bridges"]


def test_heading_of_a_box_is_the_templates_but_no_title_and_no_link() -> None:
    def page(n: int) -> Page:
        body = (
            f"<div>Letter {n}</div><h3>Opinions</h3><h4><a href=/1>Letter 1</a></h4><h2>Links</h2>"
            "<div><a href=/2><h3>Letter 2</h3></a></div>"
        )
        return Page(url=f"http://b.example/{n}", body=f"<html><body>{body}".encode())

    assert same_headings([page(n) for n in range(4)], ["Links"]) == ["opinions"]


TITLES = (
    "The long street",
    "Lamps at dusk",
    "A house with two doors",
    "The baker leaves",
    "Snow on the roofs",
    "Where the tram turned",
    "Seven windows",
    "Names on the letter boxes",
    "The last shop",
)


def _old_page(n: int) -> Page:
    """A page of a template that names the blog in all documents' titles, with the day as the first
    heading."""
    text = "".join(
        f"<p>In week {n} of year {k} we counted {n * k + 3} steps from the {TITLES[n].lower()} to "
        f"the {TITLES[(n + k) % len(TITLES)].lower()}, and went home late.</p>"
        for k in range(1, 7)
    )
    body = (
        f"<div id=top><p class=motto>Notes from a street that is longer than it seems, written by "
        f"those who live in it.</p><h2>01.{n + 10}.04</h2><h3>{TITLES[n]}</h3>{text}"
        f"<span class=byline>Posted by Ada at January {n + 10}, 2004 06:48 PM</span></div>"
    )
    html = f"<html><head><title>The Street</title></head><body>{body}</body></html>"
    return Page(url=f"http://b.example/archives/{n:06}.html", body=html.encode())


def _marked_page(n: int, end: str = "") -> Page:
    """A page that marks its text, which may be short, and shows much of the posts beside it."""

    def text(n: int, length: int) -> str:
        return " ".join(
            f"In week {n * 31 + k} the {TITLES[(n + k) % 9].lower()} was counted by {n * k + 3} of "
            f"us, {'once' if k % 2 else 'twice'}, before the {TITLES[(n * k) % 9].lower()}."
            for k in range(length)
        )

    def beside(n: int, name: str) -> str:
        title, begin = TITLES[n % 9], text(n, 2)
        return f"<a class={name} href='/{n}.html'><p class=name>{title}</p><p>{begin}…</p></a>"

    parts = "".join(f"<h2>Week {k}</h2><p>{text(n + k, 4)}</p>" for k in range(n % 4))
    body = (
        f"<div id=main><article id=post><div class=meta><h1>{TITLES[n % 9]}</h1>"
        f"<div class=meta-item><p>On {n + 1} May 2020</p></div></div>"
        f"<div id=post-body itemprop=articleBody><p>{text(n, 1)}</p>{parts}{end}</div>"
        f"<div class=prev-next>{beside(n + 1, 'prev')}{beside(n + 8, 'next')}</div></article></div>"
    )
    html = (
        f"<html><head><title>{TITLES[n % 9]} - The Street</title></head><body><article itemscope "
        f"itemtype='http://schema.org/BlogPosting'>{body}</body></html>"
    )
    return Page(url=f"http://b.example/{n}.html", body=html.encode())


def test_texts_that_pages_mark_teach_where_only_titles_are_known() -> None:
    pages = [_marked_page(n) for n in range(8)]
    samples = [
        Sample(page=page, entry=FeedEntry(url=page.url, title=TITLES[n]))
        for n, page in enumerate(pages)
    ]
    post = extract_post(_marked_page(8), learn_blog(samples), None, True)
    assert isinstance(post, Post)
    assert "In week 248" in post.content_text and "In week 279" not in post.content_text


@pytest.mark.parametrize(
    "box", ["", "<div>Related walks: no related walks were found for it.</div>"]
)
def test_marked_texts_that_end_with_the_templates_words_teach_nothing(box: str) -> None:
    pages = [_marked_page(n, box) for n in range(8)]
    samples = [Sample(page=page, entry=FeedEntry(url=page.url)) for page in pages]
    marked = [bool(sample.entry.content_html) for sample in with_marked_text(samples)]
    assert marked == [not box] * 8


def test_unique_headings_on_most_pages_are_titles() -> None:
    samples = [Sample(page=_old_page(n), entry=FeedEntry(url=_old_page(n).url)) for n in range(8)]
    post = extract_post(_old_page(8), learn_blog(samples), None, True)
    assert isinstance(post, Post)
    assert post.title == TITLES[8]


def test_site_name_suffix_of_older_pages_is_cut() -> None:
    def page(n: int, document: str) -> Page:
        text = "".join(f"<p>{n} lamps and {k} doors, {TITLES[n]}, in a row.</p>" for k in range(9))
        html = (
            f"<html><head><title>{document}</title></head><body><a href='/'>The Street</a>"
            f"<div class=text>{text}</div></body></html>"
        )
        return Page(url=f"http://b.example/archives/{n:06}.html", body=html.encode())

    samples = [
        Sample(page=page(n, TITLES[n]), entry=FeedEntry(url=page(n, "").url, title=TITLES[n]))
        for n in range(8)
    ]
    post = extract_post(page(8, f"{TITLES[8]} : The Street"), learn_blog(samples), None, True)
    assert isinstance(post, Post)
    assert post.title == TITLES[8]


def test_start_page_knows_the_name_that_titles_begin_with() -> None:
    def page(path: str, title: str, n: int) -> Page:
        text = "".join(f"<p>{n} lamps and {k} doors, {TITLES[n]}, in a row.</p>" for k in range(9))
        body = f"<div><h1>The Street</h1></div><div class=text>{text}</div>"
        html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
        return Page(url=f"http://b.example/{path}", body=html.encode())

    def post(n: int) -> Page:
        return page(f"{n}.html", "The Street" if n in {1, 2} else f"The Street: {TITLES[n]}", n)

    known = [Sample(page=post(n), entry=FeedEntry(url=post(n).url)) for n in range(6)]
    model = learn_blog(known, Hints(home=page("", "The Street: notes", 8)))
    found = extract_post(post(7), model, None, True)
    assert isinstance(found, Post) and found.title == TITLES[7]


@pytest.mark.parametrize(("end", "is_sites"), [("Street Notes", True), ("photos", False)])
def test_brackets_at_the_end_of_titles_hold_the_sites_name_or_the_kind_of_post(
    end: str, is_sites: bool
) -> None:
    def page(path: str, title: str, n: int) -> Page:
        text = "".join(f"<p>{n} lamps and {k} doors, {TITLES[n]}, in a row.</p>" for k in range(9))
        html = f"<html><head><title>{title}</title></head><body><div class=text>{text}</div></body>"
        return Page(url=f"http://b.example/{path}", body=html.encode())

    posts = [page(f"{n}.html", f"{TITLES[n]} ({end})", n) for n in range(8)]
    known = [Sample(page=post, entry=FeedEntry(url=post.url)) for post in posts[:7]]
    model = learn_blog(known, Hints(home=page("", "The Street", 8)))
    found = extract_post(posts[7], model, None, True)
    assert isinstance(found, Post)
    assert found.title == (TITLES[7] if is_sites else f"{TITLES[7]} ({end})")


@pytest.mark.parametrize(
    "document",
    [
        "{title}: The Street",  # a colon, of which titles have some of their own
        "{title} @ The Street :: The Host ::",  # the host behind the blog
        "The Street &amp;raquo; {title}",  # escaped twice
    ],
)
def test_name_that_all_documents_show_is_no_part_of_titles(document: str) -> None:
    def page(path: str, title: str, n: int) -> Page:
        text = "".join(f"<p>{n} lamps and {k} doors, {TITLES[n]}, in a row.</p>" for k in range(9))
        html = f"<html><head><title>{title}</title></head><body><div class=text>{text}</div>"
        return Page(url=f"http://b.example/{path}", body=html.encode())

    posts = [page(f"{n}.html", document.format(title=TITLES[n]), n) for n in range(9)]
    model = learn_blog(
        [Sample(page=post, entry=FeedEntry(url=post.url)) for post in posts[:7]],
        Hints(home=page("", "The Street", 8)),
    )
    found = extract_post(posts[7], model, None, True)
    assert isinstance(found, Post) and found.title == TITLES[7]


def test_name_on_one_page_of_a_blog_without_bylines_is_not_its_author() -> None:
    def page(n: int, line: str = "") -> Page:
        text = "".join(f"<p>{n} lamps and {k} doors, {TITLES[n]}, in a row.</p>" for k in range(9))
        body = f"<h1>{TITLES[n]}</h1>{line}<div class=text>{text}</div>"
        html = f"<html><head><title>{TITLES[n]}</title></head><body>{body}</body></html>"
        return Page(url=f"http://b.example/archives/{n:06}.html", body=html.encode())

    samples = [Sample(page=page(n), entry=FeedEntry(url=page(n).url)) for n in range(8)]
    guest = page(8, "<p><a href=http://net.example/people/ann-lee>Ann Lee</a></p>")
    for known, authors in (([], ("Ann Lee",)), (samples, ())):
        post = extract_post(guest, learn_blog(known), None, True)
        assert isinstance(post, Post) and post.authors == authors


def test_start_page_title_is_no_post_title() -> None:
    home = Page(
        url="http://b.example/",
        body=b"<html><head><title>The Street</title></head><body><p>Notes</p></body></html>",
    )
    post = extract_post(_old_page(8), learn_blog([], Hints(home=home)), None, True)
    assert isinstance(post, Post)
    assert post.title != "The Street"


def _tabled_page(n: int) -> Page:
    """A page of a table without classes: short posts seem to be all of it, long ones their cell."""
    text = " ".join(
        f"In week {n} we counted {n * k + 3} steps to the {TITLES[(n + k) % 9].lower()}."
        for k in range(1, 3 if n % 2 else 25)
    )
    rows = (TITLES[n % 9], f"{n + 1}. mai 2004", "Bidrag fra: Kari", f"Visninger: {n * 7}", text)
    cells = "".join(f"<tr><td>{row}</td></tr>" for row in rows)
    body = f"<table><tr><td><table>{cells}</table></td></tr></table><p>Takk for besøket</p>"
    html = f"<html><head><title>Gata: {TITLES[n % 9]}</title></head><body>{body}</body></html>"
    return Page(url=f"http://b.example/{n:06}.html", body=html.encode())


def test_contents_of_short_and_long_posts_get_the_same_extent() -> None:
    pages = [_tabled_page(n) for n in range(9)]
    model = learn_blog([Sample(page=p, entry=FeedEntry(url=p.url)) for p in pages], Hints())
    for n in (3, 4):
        post = extract_post(pages[n], model, None, True)
        assert isinstance(post, Post) and post.content_text.startswith(f"In week {n} we counted")


def _shared_page(n: int, sentences: int) -> Page:
    """A page whose text ends with links for sharing, which are much of a short post."""
    text = " ".join(f"In week {n} we counted {n * k + 3} steps." for k in range(1, 1 + sentences))
    share = "<p class=share>Save it: <a href=#>del.icio.us</a> <a href=#>Digg</a></p>"
    body = (
        f"<div class=post><h2>{TITLES[n % 9]}</h2><div class=entry><p>{text}</p>{share}</div></div>"
    )
    html = f"<html><head><title>Gata: {TITLES[n % 9]}</title></head><body>{body}</body></html>"
    return Page(url=f"http://b.example/{n:06}.html", body=html.encode())


def test_a_short_post_that_kept_a_box_of_the_theme_does_not_keep_that_of_others() -> None:
    pages = [_shared_page(n, 1 if n == 4 else 20) for n in range(9)]
    model = learn_blog([Sample(page=p, entry=FeedEntry(url=p.url)) for p in pages], Hints())
    post = extract_post(_shared_page(12, 1), model, None, True)
    assert isinstance(post, Post) and post.content_text == "In week 12 we counted 15 steps."


def test_the_blogs_name_and_a_day_in_brackets_are_no_title() -> None:
    """Diaries call their pages so (tDiary), and the post's title stands behind its day."""

    def page(n: int, document: str, path: str = "") -> Page:
        text = "".join(f"<p>{n} lamps and {k} doors, {TITLES[n]}, in a row.</p>" for k in range(9))
        head = f"<span class=date>2004-05-1{n}</span> <span class=title>{TITLES[n]}</span>"
        body = f"<h1>The Street</h1><div class=day><h2>{head}</h2><div>{text}</div></div>"
        html = f"<html><head><title>{document}</title></head><body>{body}</body></html>"
        return Page(url=f"http://b.example/{path}", body=html.encode())

    posts = [page(n, f"The Street(2004-05-1{n})", f"2004051{n}.html") for n in range(9)]
    known = [Sample(page=post, entry=FeedEntry(url=post.url)) for post in posts[:7]]
    model = learn_blog(known, Hints(home=page(8, "The Street")))
    found = extract_post(posts[8], model, None, True)
    assert isinstance(found, Post) and found.title == TITLES[8]


def test_guest_is_the_author_of_one_post_where_the_foot_names_the_owner() -> None:
    def page(n: int) -> Page:
        author = "Bo Lindgren" if n % 5 == 2 else "Ann Lee"
        text = "".join(f"<p>{n} lamps and {k} doors, {TITLES[n]}, in a row.</p>" for k in range(9))
        line = (
            f"<span class=post-meta>Posted on May {n + 3}, 2021 | {n + 4} words | {author}</span>"
        )
        foot = "<footer><p class=copyright><a href=/>Ann Lee</a> &bull; 2021</p></footer>"
        body = f"<header><h1>{TITLES[n]}</h1>{line}</header><article>{text}</article>{foot}"
        html = f"<html><head><title>{TITLES[n]}</title></head><body>{body}</body></html>"
        return Page(url=f"http://b.example/posts/{n}/", body=html.encode())

    samples = [Sample(page=page(n), entry=FeedEntry(url=page(n).url)) for n in range(5)]
    model = learn_blog(samples)
    posts = [extract_post(page(n), model, None, True) for n in range(5, 9)]
    assert [post.authors for post in posts if isinstance(post, Post)] == [
        ("Ann Lee",),
        ("Ann Lee",),
        ("Bo Lindgren",),
        ("Ann Lee",),
    ]


def test_guest_of_whom_the_sample_has_no_post_is_an_author_too() -> None:
    def page(n: int, author: str) -> Page:
        text = "".join(f"<p>{n} lamps and {k} doors, {TITLES[n]}, in a row.</p>" for k in range(9))
        line = f"<p class=byline><time>0{n + 1}.05.2021</time> · {author}</p>"
        body = f"<h1>{TITLES[n]}</h1>{line}<article>{text}</article>"
        html = f"<html><head><title>{TITLES[n]}</title></head><body>{body}</body></html>"
        return Page(url=f"http://b.example/posts/{n}/", body=html.encode())

    pages = [page(n, "Ann Lee") for n in range(8)]
    model = learn_blog([Sample(page=p, entry=FeedEntry(url=p.url)) for p in pages])
    assert model.ruleset.facts.authors.usual == ["Ann Lee"]
    post = extract_post(page(8, "Bo Lindgren"), model, None, True)
    assert isinstance(post, Post) and post.authors == ("Bo Lindgren",)
