"""Tags of posts, separated from links that a theme shows on every page."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from blogcrawl.core.page import Page
from blogcrawl.core.records import FeedEntry, FieldValue, Post
from blogcrawl.extraction.explain import explain
from blogcrawl.extraction.fields.tag_links import learn_tags, tags_of
from blogcrawl.extraction.fields.tag_sources import read_source
from blogcrawl.extraction.model import BlogModel, extract_post, learn_blog
from blogcrawl.induction.ruleset import Sample
from blogcrawl.induction.site_facts import TagFacts

NAMES = ("rain", "snails", "garden", "Москва", "2020 plans", "C++", "wool", "bread")
BODY = (
    "<p>It rained for three days and nobody minded, least of all the snails in the garden.</p>" * 6
)


def page_of(n: int, head: str, foot: str) -> Page:
    cloud = "".join(f"<a href='/tags/{i}/'>{name}</a> " for i, name in enumerate(NAMES))
    menu = (
        "<div id=top><a href='/tags/all.html'>Everything</a><a "
        "href='/category/life/'>Life</a></div>"
    )
    top = f"<title>Post {n}</title><meta name=keywords content='blog, my life'>{head}"
    post = f"<article><h1>Post {n}</h1><div>{BODY}{n}</div>{foot}</article>"
    html = (
        f"<html><head>{top}</head><body>{menu}{post}<div class=sidebar>{cloud}</div></body></html>"
    )
    return Page(url=f"https://b.example/p{n}/", body=html.encode())


def own(n: int) -> list[str]:
    return [NAMES[n % 8], NAMES[(3 * n + 1) % 8]]


def _links(n: int, address: str) -> str:
    return ", ".join(f"<a href='{address.format(i)}'>{name}</a>" for i, name in enumerate(own(n)))


HOW = {
    "tag links": lambda n: (
        "",
        "".join(
            f"<a href='../tags/{i}.html'>#{name}</a>"
            for i, name in enumerate(NAMES)
            if name in own(n)
        ),
    ),
    "meta article:tag": lambda n: (
        "".join(f"<meta property='article:tag' content='{name}'>" for name in own(n)),
        "",
    ),
    "behind a label": lambda n: ("", f"<p>Posted in: {_links(n, '/l{}.htm')} (2)</p>"),
    "behind a label and the start page": lambda n: (
        "",
        f"<p>Category: <a href='/index.html'>Home</a> &gt; {_links(n, '/l{}.htm')}</p>",
    ),
    "rel=tag": lambda n: (
        "",
        "".join(f"<a rel=tag href='/x/{i}'>{name}</a>" for i, name in enumerate(own(n))),
    ),
    "tag and category links": lambda n: (
        "",
        "".join(f"<a href='/tags/{name}/'> {name} </a>" for name in own(n))
        + "".join(
            f"<a href='/tags/{name}/'><i></i>{name}<span>{n + 2}</span></a>" for name in own(n)
        ),
    ),
    "elements called tag": lambda n: (
        "",
        "<nav class='md-tags'>"
        + "".join(f"<span class='md-tag'>{name}</span>" for name in own(n))
        + "</nav>",
    ),
    "elements without a link in a list of tags": lambda n: (
        "",
        "<div class='tags'>Tags: "
        + " ".join(f"<span class='createlink'>{name}</span>" for name in own(n))
        + "</div>",
    ),
    "elements without a link behind the icon of a list of tags": lambda n: (
        "",
        "<i class='tags iconfont icon-tag'>"
        + "".join(f"<span class='tag-item'>{name}</span>" for name in own(n))
        + "</i>",
    ),
    "words without a link in a list of tags": lambda n: (
        "",
        f"<p class='post-tags'>Tags: {', '.join(own(n))}</p>",
    ),
    "p-category": lambda n: (
        "",
        "".join(
            f"<a class=p-category href='/x/{i}.html'>{name}</a>" for i, name in enumerate(own(n))
        ),
    ),
    "tag links of the post's sidebar": lambda n: (
        "",
        "<div class='sidebar'><nav><ul class='md-post__meta'><li><nav><ul><li>"
        f"<div>{_links(n, '../category/{}/')}</div></ul></nav></ul></nav></div>",
    ),
    "tag links in an aside of the post": lambda n: (
        "",
        f"<aside><p>3 May, {_links(n, '/tags/{}.html')}</p></aside>",
    ),
    "tag links outside posts": lambda n: ("", f"<p>{_links(n, '/tag-{}.html')}</p>"),
    "tag links to files named after them": lambda n: (
        "",
        f"<p>Tags: {_links(n, 'tag_{}.html')}</p>",
    ),
    "tag links in a query": lambda n: ("", f"<p>{_links(n, '/index.php?tag/{}')}</p>"),
    "tag links with a count deep inside": lambda n: (
        "",
        "".join(
            f"<a href='/tags/{i}/'><b><i></i>{name}<span>{n + 2}</span></b></a>"
            for i, name in enumerate(own(n))
        ),
    ),
    "hashtags in a list of that name": lambda n: (
        "",
        "<p class='tags'>"
        + " ".join(f"<a href='/blog/?q={i}'>#{name}</a>" for i, name in enumerate(own(n)))
        + "</p>",
    ),
    "hashtags in a line": lambda n: (
        "",
        "<p>" + " ".join(f"<a href='/find/{i}'>#{name}</a>" for i, name in enumerate(own(n))),
    ),
    "links whose class is a category's": lambda n: (
        "",
        "<p>filed under: "
        + ", ".join(
            f"<a class='link-category' href='/search?Subject={i}'>{name}</a>"
            for i, name in enumerate(own(n))
        ),
    ),
    "keywords of a box that is called a footer": lambda n: (
        "",
        "<div class=footer><p><span>3 May</span><span class='list-tags' itemprop=keywords>"
        f"{_links(n, '/find/{}')}</span></p></div>",
    ),
    "links of type tag next to the post": lambda n: (
        "",
        "</article><div class=aside><div class='menu words'><ul>"
        + "".join(
            f"<li><a rel=tag href='?word{i}'>{name}</a></li>" for i, name in enumerate(own(n))
        )
        + "</ul></div></div><article>",
    ),
    "category links": lambda n: (
        "",
        "".join(f"<a href='/?cat={i}'>{name} (3)</a>" for i, name in enumerate(own(n))),
    ),
}


def samples_of(how: str, tags: bool = False) -> list[Sample]:
    out = []
    for n in range(10):
        page = page_of(n, *HOW[how](n))
        out.append(
            Sample(
                page=page,
                entry=FeedEntry(
                    url=page.url,
                    title=f"Post {n}",
                    tags=tuple(own(n)) if tags else (),
                    source="feed",
                ),
            )
        )
    return out


@pytest.mark.parametrize("how", sorted(HOW))
@pytest.mark.parametrize("fed", [False, True])
def test_tags_in_every_markup_are_found(how: str, fed: bool) -> None:
    samples = samples_of(how, fed)
    model = learn_blog(samples)
    found = extract_post(samples[3].page, model, promised=True)
    assert isinstance(found, Post) and set(found.tags) == set(own(3))


def test_tags_behind_a_label_may_stand_on_one_page_each_at_its_name() -> None:
    line = "by Ann on 6.4.2018 · Tags: <a href='/themes#rivers'>rivers</a> <a href='{}'>music</a>"
    for href, found in (("/themes#music", ["rivers", "music"]), ("#music", ["rivers"])):
        page = Page(url="https://b.example/7/", body=f"<p>{line.format(href)}</p>".encode())
        assert read_source(page, "behind a label") == found


def test_names_of_meta_elements_are_read_whatever_their_case() -> None:
    def page(n: int) -> Page:
        plain = page_of(n, "", "")
        said = f"<meta name=Keywords content='{', '.join(own(n))}, blog'>".encode()
        body = plain.body.replace(b"<meta name=keywords content='blog, my life'>", said)
        return Page(url=plain.url, body=body)

    samples = [
        Sample(page=page(n), entry=FeedEntry(url=page(n).url, title=f"Post {n}", source="feed"))
        for n in range(8)
    ]
    found = extract_post(samples[3].page, learn_blog(samples), promised=True)
    assert isinstance(found, Post) and set(found.tags) == set(own(3))


@pytest.mark.parametrize(
    "how", ["/tag/{}.html", "/x/{}' rel='tag", "/x/{}' class='tag", "/categories/{}/"]
)
def test_tag_of_nearly_all_posts_is_kept_beside_others(how: str) -> None:
    """A blog on one thing names it on nearly every post; a cloud does so with all its names."""

    def line(n: int) -> str:
        names = [*(["diary"] if n != 7 else []), *own(n)[: n % 3]]
        cloud = "".join(f"<a href='{how.format(name)}'>{name}</a> " for name in (*NAMES, "diary"))
        mine = "".join(f"<li><a href='{how.format(name)}'># {name}</a></li>" for name in names)
        return f"<ul>{mine}</ul></article><div>{cloud}</div><article>"

    samples = [
        Sample(page=page, entry=FeedEntry(url=page.url, title="x", source="feed"))
        for n in range(10)
        for page in [page_of(n, "", line(n))]
    ]
    model = learn_blog(samples)
    for n, expected in {3: {"diary"}, 4: {"diary", *own(4)[:1]}, 7: set(own(7)[:1])}.items():
        found = extract_post(samples[n].page, model, promised=True)
        assert isinstance(found, Post) and set(found.tags) == expected


def test_short_cloud_that_stands_twice_is_no_list_of_a_post() -> None:
    """A card of all tags in the header and one in the menu; a post with one tag has no list."""
    few = ("rain", "snails", "garden", "wool", "bread", "yarn")

    def own_of(n: int) -> list[str]:
        return [few[n * 5 % 6], few[(n * 5 + 1 + n % 2) % 6]][: 1 + (n % 4 == 0)]

    def page(n: int) -> Page:
        links = {name: f"<a href='/tags/{name}/'>{name}</a>" for name in few}
        card = f"<div><div>{''.join(links.values())}</div></div>"
        mine = f"{'<div>' * 6}{''.join(links[name] for name in own_of(n))}{'</div>' * 6}"
        category = f"<a href='/categories/{few[n % 2]}/'>{few[n % 2]}</a>"
        post = f"<h1>Post {n}</h1><p>{category}</p>{mine}<div>{BODY}{n}</div>{mine}"
        html = f"<title>Post {n}</title>{card}{card}<article>{post}</article>"
        return Page(url=f"https://b.example/p{n}/", body=html.encode())

    samples = [
        Sample(
            page=page(n),
            entry=FeedEntry(
                url=page(n).url, title=f"Post {n}", source="feed", tags=[few[n % 2], *own_of(n)]
            ),
        )
        for n in range(10)
    ]
    model = learn_blog(samples)
    for n in range(6):
        found = extract_post(samples[n].page, model, promised=True)
        assert isinstance(found, Post) and set(found.tags) == {few[n % 2], *own_of(n)}


@pytest.mark.parametrize("rel", ["", "rel=tag"])
def test_unnamed_tag_cloud_on_every_page_is_ignored(rel: str) -> None:
    def foot(n: int) -> str:
        box = "p" if rel else "nav"
        mine = "".join(f"<a {rel} href='/tag/{name}.html'>{name}</a>" for name in own(n))
        return (
            f"<{box} class='article-tags'>{mine}</{box}><div>"
            f"{''.join(f'<a href=/tag/{name}>{name}</a>' for name in NAMES)}</div>"
        )

    pages = [page_of(n, "", foot(n)) for n in range(10)]
    model = learn_blog(
        [
            Sample(page=page, entry=FeedEntry(url=page.url, title="x", source="feed"))
            for page in pages
        ]
    )
    found = extract_post(pages[3], model, promised=True)
    assert isinstance(found, Post) and set(found.tags) == set(own(3))


def test_links_equal_on_all_pages_are_no_tags() -> None:
    pages = [page_of(n, "", "") for n in range(6)]
    samples = [
        Sample(page=page, entry=FeedEntry(url=page.url, title=f"Post {n}", source="feed"))
        for n, page in enumerate(pages)
    ]
    facts = learn_tags(samples)
    assert facts.source is None
    model = learn_blog(samples)
    found = extract_post(samples[0].page, model, promised=True)
    assert isinstance(found, Post) and found.tags == ()
    kept = tags_of(
        samples[0].page,
        facts,
        [FieldValue(value=["Blog", "rain"], method="metadata", confidence=0.4)],
    )
    assert [value.value for value in kept] == [["rain"]]


def test_tag_of_all_posts_is_kept_if_in_the_feed() -> None:
    samples = [
        Sample(
            page=page_of(n, "", ""),
            entry=FeedEntry(
                url=f"https://b.example/p{n}/", title="x", tags=("my life", "blog"), source="feed"
            ),
        )
        for n in range(6)
    ]
    assert learn_tags(samples).source == "meta keywords"


def test_few_pages_are_no_evidence_about_tags() -> None:
    assert learn_tags(samples_of("rel=tag")[:2]) == TagFacts()


def test_theme_links_returned_by_a_tag_rule_are_dropped() -> None:
    """The permalink and a site-wide category, in the feed for some posts only, are next to the
    tags.
    """
    samples = []
    for n in range(10):
        mine = "".join(f"<a href='/x/{i}'>{name}</a> " for i, name in enumerate(own(n)))
        foot = f"<p class=foot>{mine}<a href='/p{n}/'>Permalenke</a> <a href='/x/home'>Home</a></p>"
        page = page_of(n, "", foot)
        tags = (*own(n), *(("Home",) if n % 2 else ()))
        samples.append(
            Sample(
                page=page,
                entry=FeedEntry(url=page.url, title=f"Post {n}", tags=tags, source="feed"),
            )
        )
    model = learn_blog(samples)
    assert "foot" in model.ruleset.rules["tags"][0].xpath
    for n in (4, 6):
        found = extract_post(samples[n].page, model, promised=True)
        assert isinstance(found, Post) and set(found.tags) == set(own(n))
        tag_opinions = [
            opinion
            for opinion in explain(samples[n].page, model).opinions
            if opinion.field == "tags"
        ]
        assert any(opinion.won for opinion in tag_opinions) and not any(
            "Permalenke" in opinion.value for opinion in tag_opinions
        )


def test_only_feed_category_in_the_sidebar() -> None:
    side = (
        "<div id=sidebar><ul><li><a href=/c/1>All</a><li><a href=/c/2>Army</a><li><a "
        "href=/c/3>Before</a></ul></div>"
    )
    samples = []
    for n in range(6):
        body = f"<h1>Post {n}</h1><div class=c>{BODY}{n}</div>{side}"
        page = Page(
            url=f"https://b.example/p{n}/", body=f"<title>Post {n}</title><body>{body}".encode()
        )
        entry = FeedEntry(
            url=page.url,
            title=f"Post {n}",
            content_html=f"{BODY}{n}",
            is_full=True,
            tags=("Army",),
            source="feed",
        )
        samples.append(Sample(page=page, entry=entry))
    assert "tags" not in learn_blog(samples).ruleset.rules


@pytest.mark.parametrize("shown", [True, False])
def test_feed_has_the_category_and_the_page_more_tags(shown: bool) -> None:
    """Feeds of many engines name only the category; whether the page shows it too
    does not matter.
    """
    samples = []
    for n in range(10):
        room = ("Cellar", "Attic", "Yard")[n % 3]
        top = f"<p>in <a href='/category/{room.lower()}/'>{room}</a></p>" if shown else ""
        foot = (
            "<ul class=tags>"
            + "".join(f"<li><a href='/tag/{i}/'>{name}</a>" for i, name in enumerate(own(n)))
            + "</ul>"
        )
        page = page_of(n, "", top + foot)
        samples.append(
            Sample(
                page=page,
                entry=FeedEntry(url=page.url, title=f"Post {n}", tags=(room,), source="feed"),
            )
        )
    model = learn_blog(samples)
    for entry in (samples[4].entry, None):
        found = extract_post(samples[4].page, model, entry, promised=True)
        assert isinstance(found, Post) and set(own(4)) <= set(found.tags)
        assert ("Attic" in found.tags) == (shown or entry is not None) and len(found.tags) == len(
            set(found.tags)
        )


ROOMS = ("Cellar", "Attic", "Yard")


def sample_of(n: int, top: str, foot: str) -> Sample:
    """Return a sample whose feed entry lists the room among the tags."""
    page = page_of(n, "", f"{top}{foot}")
    entry = FeedEntry(url=page.url, title=f"Post {n}", tags=(ROOMS[n % 3], *own(n)), source="feed")
    return Sample(page=page, entry=entry)


def test_category_with_an_uninformative_url() -> None:
    """Only its place does: the first link of a line, the last step of the path."""
    samples = []
    for n in range(10):
        foot = "".join(f"<a rel=tag href='/t{i}'>{name}</a> " for i, name in enumerate(own(n)))
        line = (
            f"<div class=line><a href='/r{n % 3}.html'>{ROOMS[n % 3]}</a> <a "
            f"href='/p{n}/#c'>{n} notes</a></div>"
        )
        samples.append(sample_of(n, line, f"<p>{foot}</p>"))
    model = learn_blog(samples)
    found = extract_post(samples[4].page, model, promised=True)
    assert isinstance(found, Post) and set(found.tags) == {ROOMS[1], *own(4)}


def test_theme_links_in_one_location_do_not_discredit_another() -> None:
    """A list of all categories in the sidebar says nothing against the one that a rule finds above
    the title.
    """
    side = (
        "<ul class=categories>"
        + "".join(f"<li><a href='/category/{room}'>{room}</a>" for room in ROOMS)
        + "</ul>"
    )
    samples = []
    for n in range(10):
        foot = "".join(f"<a rel=tag href='/tag/{i}'>{name}</a> " for i, name in enumerate(own(n)))
        line = f"<div class=head><b><a href='/category/{ROOMS[n % 3]}'>{ROOMS[n % 3]}</a></b></div>"
        samples.append(sample_of(n, line, f"<p>{foot}</p>{side}"))
    model = learn_blog(samples)
    for n in (4, 6):
        found = extract_post(samples[n].page, model, promised=True)
        assert isinstance(found, Post) and set(found.tags) == {ROOMS[n % 3], *own(n)}


def test_tag_source_better_than_the_rule_wins() -> None:
    """The rule can only take the author's link along."""
    samples = []
    for n in range(10):
        links = "".join(
            f"<span><a href='/tag/{i}.html'>{name}</a></span>" for i, name in enumerate(own(n))
        )
        room = ROOMS[n % 3]
        links += (
            f"<span><a href='/author/{room}.html'>Ann {room}</a></span><span><a "
            f"href='/category/{room}'>{room}</a></span>"
        )
        samples.append(sample_of(n, "", f"<footer class=info>{links}</footer>"))
    model = learn_blog(samples)
    found = extract_post(samples[4].page, model, promised=True)
    assert isinstance(found, Post) and set(found.tags) == {ROOMS[1], *own(4)}


def test_categories_in_a_sidebar_and_tags_below_the_post() -> None:
    """No feed lists tags, and tags are not linked, so only the category links are found."""
    samples = []
    for n in range(10):
        room = ROOMS[n % 3]
        side = (
            f"<div class=sidebar><nav><ul class=md-post__meta><li><div><a "
            f"href='../category/{room}/'>{room}</a></div></ul></nav></div>"
        )
        foot = (
            "<nav class=md-tags>"
            + "".join(f"<span class=md-tag>{name}</span>" for name in own(n))
            + "</nav>"
        )
        page = page_of(n, "", side + foot)
        samples.append(Sample(page=page, entry=FeedEntry(url=page.url)))
    model = learn_blog(samples)
    found = extract_post(samples[4].page, model, promised=True)
    assert isinstance(found, Post) and set(found.tags) == {ROOMS[1], *own(4)}


PROSE = (
    "<p>"
    + "We walked along the river until the bridge came into sight, and then the rain began. " * 9
    + "</p>"
)


def alone(foot: str, head: str = "", menu: str = "") -> set[str]:
    body = f"<nav>{menu}</nav><article><h1>The rain came early</h1>{PROSE}{foot}</article>"
    page = Page(
        url="https://b.example/2021/rain",
        body=(
            f"<html><head><title>The rain came early</title>{head}</head><body>{body}</body></html>"
        ).encode(),
        headers={"content-type": "text/html"},
    )
    post = extract_post(page, BlogModel(), None, True)
    assert isinstance(post, Post)
    return set(post.tags)


def test_single_page_tags_are_its_linked_tags_and_categories() -> None:
    menu = "<a href=/category/about>About</a> <a href=/tag/all>All</a>"
    assert alone(
        "<div><a href=/category/walks>Walks</a> <a href=/tag/rain>#Rain</a></div>", menu=menu
    ) == {"Walks", "Rain"}
    rel_tag = "<p><a rel=tag href=/x/wind>Wind</a></p>"
    assert alone(f"{rel_tag}<div><a href=/tag/rain>Rain</a></div>") == {"Wind", "Rain"}


def test_tag_link_within_a_sentence_is_no_tag() -> None:
    sentence = (
        "<p>All that was written here about <a href=/tag/bridges>the bridges of this "
        "valley</a> comes to some forty pages by now.</p>"
    )
    assert alone(sentence) == set()
    assert alone(f"{sentence}<div><a href=/tag/bridges>the bridges of this valley</a></div>") == {
        "the bridges of this valley"
    }


def test_tag_cloud_on_a_single_page_is_ignored() -> None:
    cloud = "".join(f"<a href=/tag/t{n}>Topic {n}</a> " for n in range(40))
    assert alone(f"<div>{cloud}</div>", '<meta name=keywords content="rain, bridge">') == {
        "rain",
        "bridge",
    }


def test_unnamed_tag_cloud_of_another_theme_is_ignored() -> None:
    """A later page of another theme shows an unlabelled cloud of all tags, the post's own among
    them.
    """
    many = [f"tag{n}" for n in range(40)]
    samples = [
        Sample(page=page_of(n, *HOW["tag links"](n)), entry=FeedEntry(url="x", tags=tuple(own(n))))
        for n in range(8)
    ]
    facts = learn_tags(samples)
    cloud = "".join(f"<a href='/tags/{i}.html'>{name}</a> " for i, name in enumerate(many))
    mine = "".join(f"<a href='/tags/{i}.html'>{many[i]}</a> " for i in (3, 5))
    page = Page(
        url="https://b.example/old/",
        body=f"<body><p>{cloud}</p><article>{BODY}<p>{mine}</p></article>".encode(),
    )
    assert [value.value for value in tags_of(page, facts, [])] == [["tag3", "tag5"]]


@pytest.mark.parametrize("label", ["post-tags", "tags"])
def test_older_post_has_tags_where_the_newest_share_one(label: str) -> None:
    """What all of the newest posts have is known from a theme's link where its box is named as one
    about the post; an older post's are in any case."""

    def page(n: int, names: Sequence[str]) -> Page:
        links = "".join(f"<li><a href='/tags/{name}/'>{name}</a></li>" for name in names)
        return page_of(n, "", f"<ul class={label}>{links}</ul>")

    samples = [
        Sample(page=new, entry=FeedEntry(url=new.url, title=f"Post {n}", source="feed"))
        for n in range(10)
        for new in [page(n, ["books"])]
    ]
    model = learn_blog(samples)
    old = extract_post(page(30, ["wool", "bread"]), model, promised=True)
    assert isinstance(old, Post) and set(old.tags) == {"wool", "bread"}
    new = extract_post(page(9, ["books"]), model, promised=True)
    assert isinstance(new, Post) and new.tags == (("books",) if label == "post-tags" else ())
