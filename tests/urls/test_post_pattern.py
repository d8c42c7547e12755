"""Post URLs distinguished from others by a pattern learned from the feed's URLs."""

from __future__ import annotations

import json

import pytest
from msgspec import to_builtins

from blogcrawl.urls.post_pattern import (
    LIKELY,
    PostPattern,
    blind_score,
    is_list_address,
    shape_of,
)
from blogcrawl.urls.shapes import MANY, MAX_CLUSTERS, Shapes, is_trap, leads_elsewhere
from tests.cpu import loops

H = "http://example.org"
SLUGS = (
    "a-walk-in-rain the-old-house my-new-bike why-we-left ten-good-books on-being-late "
    "small-things winter-is-here"
).split()


@pytest.mark.parametrize(
    ("posts", "yes", "no"),
    [
        (
            [f"{H}/2012/0{i + 1}/{s}/" for i, s in enumerate(SLUGS)],
            "/2019/11/a-new-one/",
            ["/2012/03/", "/tag/a-new-one/", "/2012/03/a-b/x-y/", "/about/"],
        ),
        (
            [f"{H}/blog/{s}" for s in SLUGS],
            "/blog/something-quite-new",
            ["/wiki/something-quite-new", "/blog/a/b", "/blog", "/page/2", "/tag/a-b-c"],
        ),
        (
            [f"{H}/{s}/" for s in SLUGS],
            "/something-quite-new/",
            ["/about/", "/contact/", "/page/2/", "/something/quite-new/"],
        ),
        (
            [f"{H}/?p={100 + i}" for i in range(8)],
            "/?p=9999",
            ["/?page_id=2", "/?paged=2", "/?cat=3", "/?p=1&order=2"],
        ),
        (
            [f"{H}/archives/{90 + 7 * i}" for i in range(8)],
            "/archives/1234",
            ["/archives/2012/03", "/archives/", "/tags/1234"],
        ),
        (
            [f"{H}/2012-03-0{i + 1}-{s}.html" for i, s in enumerate(SLUGS)],
            "/2020-12-24-new.html",
            ["/index2.html", "/2020.html", "/about.html"],
        ),
    ],
)
def test_shapes_of_permalinks(posts: list[str], yes: str, no: list[str]) -> None:
    pattern = PostPattern.learn(posts)
    assert pattern.score(H + yes) >= 0.5
    assert {u: round(pattern.score(H + u), 2) for u in no if pattern.score(H + u) >= 0.5} == {}


def test_one_odd_entry_does_not_widen_the_pattern() -> None:
    pattern = PostPattern.learn(
        [f"{H}/2012/03/{s}" for s in SLUGS]
        + [f"{H}/podcast", "http://other.example/2012/03/an-offer-for-you"]
    )
    assert pattern.score(f"{H}/2014/05/new-one-here") >= 0.5
    assert pattern.score(f"{H}/about") < 0.5
    assert pattern.score("http://third.example/2012/03/spam-spam-spam") < 0.5


def test_several_supported_shapes_are_learned() -> None:
    pattern = PostPattern.learn(
        [f"{H}/2012/03/{s}" for s in SLUGS] + [f"{H}/notes/{i}" for i in range(200, 205)]
    )
    assert pattern.score(f"{H}/notes/777") >= 0.5
    assert pattern.score(f"{H}/2012/04/some-thing") >= 0.5


def test_numbers_in_slugs_do_not_matter() -> None:
    pattern = PostPattern.learn([f"{H}/blog/{s}" for s in SLUGS])
    assert pattern.score(f"{H}/blog/7-reasons-to-stay") >= 0.5
    assert (
        pattern.score(f"{H}/blog/2014-in-review") >= 0.5
        or pattern.score(f"{H}/blog/2014-in-review") > 0
    )


def test_negative_examples_lower_the_score() -> None:
    posts = [f"{H}/{s}" for s in SLUGS]
    before = PostPattern.learn(posts).score(f"{H}/products")
    after = PostPattern.learn(
        posts, [f"{H}/{w}" for w in ("shoes", "hats", "gloves", "socks", "coats", "belts")]
    ).score(f"{H}/products")
    assert after <= before < 0.5


def test_pattern_is_updated_incrementally() -> None:
    pattern = PostPattern.learn([f"{H}/posts/{s}" for s in SLUGS])
    assert pattern.score(f"{H}/ru/posts/new-thing-here") < 0.5
    for s in SLUGS[:4]:
        pattern.add(f"{H}/ru/posts/{s}", is_post=True)
    assert pattern.score(f"{H}/ru/posts/new-thing-here") >= 0.5


def test_untrained_pattern_gives_no_score() -> None:
    assert PostPattern.learn([]).score(f"{H}/2012/03/a") == 0
    assert PostPattern.learn(["not a url", "mailto:x@y.example"]).score(f"{H}/a") == 0


def test_hostile_urls_cost_linear_time() -> None:
    evil = [
        H + "/" + "a" * 100_000,
        H + "/" + "a-" * 50_000,
        H + "/" + "/a" * 50_000,
        H + "/?" + "a=b&" * 50_000,
        H + "/" + "%61" * 50_000 + "!",
    ]
    pattern = PostPattern.learn([*evil, *(f"{H}/2012/03/{s}" for s in SLUGS)])
    assert loops(lambda: [pattern.score(url) for url in evil * 20]) < 200
    assert pattern.score(f"{H}/2012/03/x-y-z") >= 0.5


def test_pattern_memory_is_bounded() -> None:
    pattern = PostPattern()
    for i in range(5000):
        pattern.add(f"{H}/{'x/' * (i % 12)}{i}-name?k{i % 700}=v{i}", is_post=i % 2 == 0)
    assert len(json.dumps(to_builtins(pattern))) < 3_000_000


def test_urls_are_clustered_by_shape() -> None:
    shapes = Shapes()
    assert shapes.name(f"{H}/tag/a") == shapes.name(f"{H}/tag/b-c")
    assert shapes.name(f"{H}/2012/03/a") == shapes.name(f"{H}/2013/11/b")
    assert shapes.name(f"{H}/page/2") != shapes.name(f"{H}/tag/b")
    assert (
        shapes.name(f"{H}/?p=1") == shapes.name(f"{H}/?p=2") != shapes.name(f"{H}/?p=1&order=asc")
    )
    words = ("PermaLink,guid,3f", "PermaLink,guid,7c", "CommentView,guid,3f", "AWalk")
    assert len({shapes.name(f"{H}/{name}.aspx") for name in words}) == 3
    many = {shapes.name(f"{H}/user{'abcdefghij'[i % 10]}{chr(97 + i // 10)}/x") for i in range(200)}
    assert len(many) <= MANY + 1
    facets = {
        shapes.name(f"{H}/shop?" + "&".join(f"f{j}=x" for j in range(9) if i >> j & 1))
        for i in range(512)
    }
    assert len(facets) <= MAX_CLUSTERS


def test_clusters_survive_a_restart() -> None:
    first, second = Shapes(), Shapes()
    urls = [f"{H}/s{chr(97 + i % 26)}{chr(97 + i // 26)}/x" for i in range(60)]
    names = [first.name(u) for u in urls]
    for name in dict.fromkeys(names):
        second.remember(name)
    assert [second.name(u) for u in urls] == names


@pytest.mark.parametrize(
    "path",
    [
        "/a/b/a/b/a/b",
        "/x/x/x",
        "/p/a-walk/p/the-sea/p/rain",
        "/a" * 13,
        "/?" + "a=1&" * 14,
        "/" + "y" * 1600,
    ],
)
def test_crawler_traps_are_recognised(path: str) -> None:
    assert is_trap(H + path)


@pytest.mark.parametrize(
    "path", ["/2012/03/04/a-b", "/a/b/a/b", "/a/b/c/a/d/a", "/1/1/1", "/", "/a/b/c/d/e/f/g"]
)
def test_ordinary_urls_are_no_traps(path: str) -> None:
    assert not is_trap(H + path)


@pytest.mark.parametrize(
    ("path", "is_elsewhere"),
    [
        ("/2012/03/a-walk/www.hills.example", True),
        ("/2012/03/www.hills.example/maps/12", True),
        ("/www.hills.example", True),
        ("/2012/03/a-walk/maps.hills.org/12", True),
        ("/2012/03/a-walk/ann@hills.example", True),
        ("/2012/03/a-walk/https:/hills.example/", True),
        ("/2012/03/a-walk/[hills](https:/hills.example", True),
        ("/2012/03/node.js", False),
        ("/2012/03/www-and-more/", False),
        ("/@ann/a-walk", False),
        ("/2012/03/a-walk/map.html", False),
    ],
)
def test_links_that_lack_their_scheme_lead_elsewhere(path: str, is_elsewhere: bool) -> None:
    assert leads_elsewhere(H + path, H + "/2012/03/a-walk/") == is_elsewhere


def test_names_of_a_copys_folders_lead_nowhere_else() -> None:
    assert not leads_elsewhere(H + "/www.hills.org/2013/x/", H + "/www.hills.org/2012/y/")


@pytest.mark.parametrize(
    ("slugs", "other"), [("a-b", "one-two-three-four"), ("a-long-name", "two-words")]
)
def test_root_slugs_of_another_length(slugs: str, other: str) -> None:
    pattern = PostPattern.learn(
        [f"{H}/{slugs}{i}/" for i in range(10)], [f"{H}/about/", f"{H}/links/"]
    )
    assert pattern.score(f"{H}/{other}/") >= 0.5
    assert pattern.score(f"{H}/contact/") < 0.1


@pytest.mark.parametrize(
    ("path", "tag_path", "likely"),
    [
        ("/node/92", "article.node>header>h2.node__title>a", True),
        ("/post/41", "div.post>div.posttitle>a", True),
        ("/archive/2016-02", "div.sidebar>ul>li>a", False),
        ("/2016/02/", "div.sidebar>h3>a", False),
        ("/2016_02.html", "h2.title>a", False),
        ("/about", "header>nav>ul>li>a", False),
    ],
)
def test_numbered_heading_links_are_candidates_and_months_are_not(
    path: str, tag_path: str, likely: bool
) -> None:
    assert (blind_score("http://b.org" + path, tag_path) > 0.2) is likely


@pytest.mark.parametrize(
    ("path", "is_list"),
    [
        ("/2016/09/28/2000", False),
        ("/2018/02/49", False),
        ("/2016/09/28/12", False),
        ("/2018/02/28", True),
        ("/2018/02", True),
        ("/2018", True),
        ("/2018/october", True),
    ],
)
def test_digits_not_continuing_a_date_are_a_slug(path: str, is_list: bool) -> None:
    pattern = PostPattern.learn([f"{H}/2016/09/28/one-day", f"{H}/2018/02/two-weeks"])
    assert is_list_address(H + path) is is_list
    assert (pattern.score(H + path) >= LIKELY) is not is_list


@pytest.mark.parametrize(
    "name",
    ["tag-garden", "archive-2011", "archive-2011-1", "author-ann", "category_old-books", "pages-2"],
)
def test_lists_in_the_post_folder_are_recognised_by_name(name: str) -> None:
    """Engines that write all pages into one folder; where a post is called so, such names are as
    good as any.
    """
    posts = [f"{H}/{slug}.html" for slug in SLUGS]
    assert (
        PostPattern.learn(posts).score(f"{H}/{name}.html")
        < 0.5
        < PostPattern.learn(posts).score(f"{H}/tagging-along-again.html")
    )
    among = PostPattern.learn([*posts, f"{H}/category-theory-for-cats.html"])
    assert among.score(f"{H}/archive-of-old-maps.html") > 0.5
    assert blind_score(f"{H}/{name}.html") <= blind_score(f"{H}/two-words.html")
    in_folder = PostPattern.learn([f"{H}/notes/{slug}.html" for slug in SLUGS])
    assert in_folder.score(f"{H}/notes/category-theory.html") > 0.5


def test_one_word_tag_slugs_are_no_evidence_about_posts() -> None:
    pattern = PostPattern.learn(
        [f"{H}/post/{s}/" for s in SLUGS],
        [f"{H}/tags/{t}/" for t in ("go", "web", "music", "bread")],
    )
    assert pattern.score(f"{H}/post/udev/") >= 0.5
    assert max(pattern.score(f"{H}/tags/{t}/") for t in ("linux", "slow-food")) < 0.1


def test_posts_among_many_pages_of_equal_shape() -> None:
    docs = [f"{H}/docs/{part}-{i}/" for part in ("install", "use") for i in range(30)]
    pattern = PostPattern.learn([f"{H}/blog/{s}/" for s in SLUGS], docs)
    assert pattern.score(f"{H}/blog/what-is-new/") >= 0.5
    assert pattern.score(f"{H}/docs/what-is-new/") < 0.1


@pytest.mark.parametrize(
    ("way", "end"),
    [
        ("index.php?/archives/30-", ".html"),
        ("index.php?post/2007/10/07/", ""),
        ("?q=blog/ann/", ""),
    ],
)
def test_path_in_a_query_is_read_as_a_path(way: str, end: str) -> None:
    pattern = PostPattern.learn([f"{H}/{way}{s.title()}{end}" for s in SLUGS])
    assert pattern.score(f"{H}/{way}An-Older-Walk{end}") >= 0.5
    assert pattern.score(f"{H}/{way.partition('?')[0]}?category/Bread") < 0.1


@pytest.mark.parametrize(
    ("path", "is_list"),
    [
        ("/archives/", True),
        ("/archives/2004_03.html", True),
        ("/archives/2004/", True),
        ("/archives/a-walk-in-rain.html", False),
        ("/archives/000123.html", False),
        ("/tags/a-walk-in-rain.html", True),
        ("/blog", True),
        ("/blog/ibm/", False),
        ("/blog/tags/ibm/", True),
        ("/shop/kettle/", True),
    ],
)
def test_posts_in_a_folder_are_no_lists(path: str, is_list: bool) -> None:
    assert is_list_address(H + path) is is_list


@pytest.mark.parametrize(
    ("posts", "url", "is_post"),
    [
        ("http://x/{}.html", "http://x/1971.html", True),
        ("http://x/node/{}", "http://x/node/2011", True),
        ("http://x/archives/{}", "http://x/archives/1999", True),
        ("http://x/node/{}", "http://x/archive/2011", False),
        ("http://x/node/{}", "http://x/node/2011/05", False),
    ],
)
def test_number_like_a_year_is_a_post_among_numbered_posts(
    posts: str, url: str, is_post: bool
) -> None:
    pattern = PostPattern.learn(map(posts.format, (8139, 8410, 8701, 9003, 9274)))
    assert (pattern.score(url) >= LIKELY) is is_post


def test_year_is_a_list_where_posts_have_smaller_numbers() -> None:
    pattern = PostPattern.learn(f"http://x/{n}" for n in range(71, 90))
    assert pattern.score("http://x/2011") < LIKELY


@pytest.mark.parametrize(
    ("query", "is_list"),
    [
        ("m=200607", True),
        ("y=06&m=07", True),
        ("year=2006&month=7", True),
        ("month=200607", True),
        ("y=06&m=07&entry=entry060725-090100", False),
        ("date=20060712", False),
        ("p=200607", False),
        ("m=77", False),
    ],
)
def test_query_of_a_year_or_month_is_of_a_list(query: str, is_list: bool) -> None:
    assert is_list_address(f"{H}/index.php?{query}") is is_list


def test_letters_before_a_number_say_what_kind_of_page_it_is() -> None:
    base = "http://old.example/"
    pattern = PostPattern.learn(f"{base}s{number}.htm" for number in range(201, 230))
    assert pattern.score(f"{base}s199.htm") >= LIKELY
    for name in ("mail199", "pr199", "add199"):
        assert pattern.score(f"{base}{name}.htm") < 0.1
        assert shape_of(f"{base}{name}.htm") != shape_of(f"{base}s199.htm")


def test_names_that_end_in_numbers_are_posts_among_others_that_do_not() -> None:
    base = "http://old.example/notes/"
    names = "summer2003 a-walk-in-may dogs iphone12 christmas2004 the-old-bridge".split()
    pattern = PostPattern.learn(base + name for name in names)
    assert pattern.score(f"{base}easter2005") >= LIKELY


def test_word_before_a_colon_in_a_query_names_the_kind_of_page() -> None:
    """FlatPress has posts, months and pages in one parameter."""
    pattern = PostPattern()
    for day in range(10, 16):
        pattern.add(f"http://b.example/?x=entry:entry2401{day}-093014", is_post=True)
        pattern.add(f"http://b.example/?x=y:24;m:{day}", is_post=False)
    assert pattern.score("http://b.example/?x=entry:entry240301-120000") >= LIKELY
    assert pattern.score("http://b.example/?x=static:about") < LIKELY
    assert pattern.score("http://b.example/?x=y:24;m:09") < LIKELY
