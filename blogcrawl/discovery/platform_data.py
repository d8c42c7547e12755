"""What blog engines look like and what each offers: the data table of ``platforms``.

Clues come from the engines' own templates and documentation: the ``generator`` values they write,
folders and scripts that only they have. ``offers`` say where feeds, sitemaps and archives lie by
default; paths are relative to the blog's root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Paging = Literal[
    "",
    "wordpress",
    "blogger",
    "ghost",
    "drupal",
    "tumblr",
    "substack",
    "joomla",
    "squarespace",
    "whole",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    name: str
    generator: str = ""
    """Regex over generator strings (meta element, feed, HTTP header), case ignored; group 1 is the
    version.
    """
    clues: tuple[str, ...] = ()
    """Regexes over the page's source, each enough on its own."""
    headers: tuple[str, ...] = ()
    """Regexes over "name: value" of response headers."""
    hosts: str = ""
    """Regex over host names on which only this engine runs."""
    feeds: tuple[str, ...] = ()
    sitemap: str = "sitemap.xml"
    """Where its sitemap lies though robots.txt names none; empty if the engine names it there, or
    writes none of itself.
    """
    archive: str = ""
    """The page that lists all posts, where it writes one whatever the theme."""
    section_feed: str = ""
    """Feed that it writes next to the listing of every section; relative to that listing."""
    paging: Paging = ""
    """How older entries of its feed are requested."""
    whole: str = ""
    """For ``paging`` "whole": the document that lists all posts."""


ENGINES: tuple[Engine, ...] = (
    Engine(
        name="WordPress",
        generator=r"wordpress(?:\.org/\?v=|\.com|\s)*v?([0-9][0-9.]*)?",
        clues=(
            "/wp-content/(?:themes|plugins|uploads)/",
            "/wp-includes/",
            r"api\.w\.org/",
            r"/xmlrpc\.php\?rsd",
        ),
        headers=(r"link: .*api\.w\.org", r"x-pingback: .*/xmlrpc\.php"),
        hosts=r"\.wordpress\.com$",
        feeds=(
            "feed/",
            "?feed=rss2",
            "feed/index.xml",
            "feed/atom/",
        ),  # the third: what exports to static files make of the first
        sitemap="",
        paging="wordpress",
    ),
    Engine(
        name="ClassicPress",
        generator=r"classicpress\s*([0-9][0-9.]*)?",
        feeds=("feed/",),
        sitemap="",
        paging="wordpress",
    ),
    Engine(
        name="Blogger",
        generator=r"^blogger\b(?:\s*([0-9][0-9.]*))?",
        clues=(
            r"www\.blogger\.com/(?:static|rearrange|feeds|dyn-css)",
            r"blogger\.com/feeds/\d+/posts",
            r"b:skin|\.blogspot\.com/feeds/",
        ),
        hosts=r"\.blogspot\.[a-z.]{2,6}$",
        feeds=(
            "feeds/posts/default",
            "feeds/posts/default?alt=rss",
            "feeds/posts/default?alt=json",
        ),
        sitemap="",
        paging="blogger",
    ),
    Engine(
        name="Tumblr",
        generator=r"tumblr\s*(?:\(([0-9.]+))?",
        clues=(r"assets\.tumblr\.com/", r"static\.tumblr\.com/"),
        headers=("x-tumblr-user:",),
        hosts=r"\.tumblr\.com$",
        feeds=("rss",),
        sitemap="",
        archive="archive",
        paging="tumblr",
    ),
    Engine(
        name="Ghost",
        generator=r"ghost\s*v?([0-9][0-9.]*)?$",
        clues=("/ghost/api/", "data-ghost=", "ghost-(?:url|sdk)"),
        headers=("x-ghost-cache-status:",),
        hosts=r"\.ghost\.(?:io|org)$",
        feeds=("rss/",),
        sitemap="sitemap-posts.xml",
        paging="ghost",
    ),
    Engine(
        name="Medium",
        generator="^medium$",
        clues=(r"cdn-client\.medium\.com", r"com\.medium\.reader"),
        hosts=r"(?:^|\.)medium\.com$",
        feeds=("feed",),
        sitemap="sitemap/sitemap.xml",
        archive="archive",
    ),
    Engine(
        name="Substack",
        generator="^substack",
        clues=(r"substackcdn\.com", r"substack\.com/embed"),
        hosts=r"\.substack\.com$",
        feeds=("feed",),
        archive="archive",
        paging="substack",
    ),
    Engine(
        name="Octopress",
        generator=r"octopress\s*(?:v?([0-9][0-9.]*))?",
        clues=(r"octopress\.org", r"/javascripts/octopress\.js"),
        feeds=("atom.xml",),
        archive="blog/archives/",
    ),
    Engine(
        name="Jekyll",
        generator=r"jekyll\s*v?([0-9][0-9.]*)?",
        clues=("Begin Jekyll SEO tag", r"href=[\"']https?://jekyllrb\.com"),
        feeds=("feed.xml", "atom.xml", "rss.xml"),
    ),
    Engine(
        name="Hugo",
        generator=r"\bhugo\s*v?([0-9][0-9.]*)?",
        clues=(r"href=[\"']?https?://gohugo\.io",),
        feeds=("index.xml", "posts/index.xml", "post/index.xml"),
        archive="posts/",
        section_feed="index.xml",
    ),
    Engine(
        name="Hexo",
        generator=r"^hexo\s*v?([0-9][0-9.]*)?",
        clues=(r"href=[\"']https?://hexo\.io", "var CONFIG = .{0,80}hexo|hexo-config"),
        feeds=("atom.xml", "rss2.xml", "feed.xml", "rss.xml"),
        archive="archives/",
    ),
    Engine(
        name="Pelican",
        generator=r"pelican\s*([0-9][0-9.]*)?",
        clues=(r"(?:getpelican\.com|docs\.getpelican|alexis\.notmyidea\.org/pelican)",),
        feeds=("feeds/all.atom.xml", "feeds/all.rss.xml", "feeds/atom.xml"),
        sitemap="",
        archive="archives.html",
    ),
    Engine(
        name="Nikola",
        generator=r"nikola(?:\s*\(getnikola\.com\)|\s*v?([0-9][0-9.]*))?",
        clues=(r"getnikola\.com",),
        feeds=("rss.xml", "feed.atom"),
        archive="archive.html",
    ),
    Engine(
        name="Eleventy",
        generator=r"eleventy\s*v?([0-9][0-9.]*)?",
        clues=(r"href=[\"']https?://(?:www\.)?11ty\.(?:dev|io)",),
        feeds=("feed/feed.xml", "feed.xml"),
    ),
    Engine(
        name="Gatsby",
        generator=r"gatsby\s*v?([0-9][0-9.]*)?",
        clues=(r"id=[\"']?___gatsby",),
        feeds=("rss.xml",),
        sitemap="sitemap-index.xml",
    ),
    Engine(
        name="Astro",
        generator=r"astro\s*v?([0-9][0-9.]*)?",
        clues=("<astro-island",),
        feeds=("rss.xml",),
        sitemap="sitemap-index.xml",
    ),
    Engine(
        name="Next.js",
        generator=r"next\.js",
        clues=(r"id=[\"']__NEXT_DATA__",),
        feeds=("feed.xml", "rss.xml"),
    ),
    Engine(
        name="Zola",
        generator=r"\bzola\b\s*v?([0-9][0-9.]*)?",
        clues=(r"href=[\"']https?://www\.getzola\.org",),
        feeds=("atom.xml", "rss.xml"),
    ),
    Engine(
        name="JBake",
        generator=r"jbake\s*v?([0-9][0-9.]*)?",
        clues=(r"href=[\"']https?://(?:www\.)?jbake\.org",),
        feeds=("feed.xml",),
        archive="archive.html",
    ),
    Engine(name="Middleman", generator=r"middleman\s*v?([0-9][0-9.]*)?", feeds=("feed.xml",)),
    Engine(
        name="Docusaurus",
        generator=r"docusaurus\s*v?([0-9][0-9.]*)?",
        feeds=("blog/atom.xml", "blog/rss.xml"),
        archive="blog/archive",
    ),
    Engine(name="VuePress", generator=r"(?:vuepress|vitepress)\s*v?([0-9][0-9.]*)?"),
    Engine(name="Quarto", generator="quarto-?([0-9][0-9.]*)?", feeds=("index.xml",)),
    Engine(name="Lektor", generator="lektor", feeds=("feed.xml",)),
    Engine(name="Publii", generator="publii", feeds=("feed.xml", "feed.json")),
    Engine(
        name="Bear Blog",
        generator=r"bear\s?blog",
        clues=(r"bearblog\.dev",),
        feeds=("feed/", "atom/", "rss/"),
        archive="blog/",
    ),
    Engine(
        name="micro.blog",
        generator=r"micro\.blog",
        clues=(r"micro\.blog/(?:avatars|curtiss|webmention)",),
        hosts=r"\.micro\.blog$",
        feeds=("feed.json", "feed.xml"),
        archive="archive/",
        paging="whole",
        whole="archive/index.json",
    ),
    Engine(
        name="WriteFreely",
        generator=r"writefreely|write\.as",
        clues=(r"writefreely\.org", r"cdn\.writeas\.net"),
        hosts=r"\.writeas\.com$",
        feeds=("feed/",),
        archive="archive/",
    ),
    Engine(
        name="Movable Type",
        generator=(
            r"movable\s*type(?:\s*(?:pro|publishing "
            r"platform|enterprise|advanced))?\s*v?([0-9][0-9.]*)?"
        ),
        clues=("/mt-static/", r"mt-comments\.cgi"),
        feeds=("atom.xml", "index.xml", "index.rdf", "rss.xml"),
        archive="archives.html",
    ),
    Engine(
        name="TypePad",
        generator="typepad",
        clues=(r"static\.typepad\.com", r"\.typepad\.com/\.shared"),
        hosts=r"\.typepad\.(?:com|fr|jp)$",
        feeds=("atom.xml", "rss.xml", "index.rdf"),
        archive="archives.html",
    ),
    Engine(
        name="LiveJournal",
        generator="livejournal",
        clues=(r"l-stat\.livejournal\.(?:net|com)",),
        hosts=r"\.livejournal\.com$",
        feeds=("data/rss", "data/atom"),
        archive="calendar",
    ),
    Engine(
        name="Dreamwidth",
        clues=(r"dreamwidth\.org/js",),
        hosts=r"\.dreamwidth\.org$",
        feeds=("data/atom", "data/rss"),
        archive="archive",
    ),
    Engine(
        name="Squarespace",
        generator="squarespace",
        clues=(r"static1?\.squarespace\.com", r"assets\.squarespace\.com"),
        headers=("server: squarespace",),
        feeds=("?format=rss", "blog?format=rss", "blog/rss.xml", "blog?format=json"),
        archive="archive",
        paging="squarespace",
    ),
    Engine(
        name="Wix",
        generator=r"wix\.com",
        clues=(r"static\.(?:wixstatic|parastorage)\.com",),
        headers=("x-wix-request-id:",),
        feeds=("blog-feed.xml", "feed.xml"),
        sitemap="blog-posts-sitemap.xml",
        archive="blog",
    ),
    Engine(
        name="Weebly",
        generator="weebly",
        clues=(r"cdn\d?\.editmysite\.com",),
        feeds=("1/feed", "blog/feed"),
    ),
    Engine(
        name="Drupal",
        generator=r"drupal\s*([0-9][0-9.]*)?",
        clues=(
            "/sites/(?:default|all)/(?:files|themes|modules)/",
            "data-drupal-selector",
            r"Drupal\.settings",
        ),
        headers=("x-generator: drupal", "x-drupal-cache:"),
        feeds=("rss.xml", "blog/feed", "blog/rss"),
        paging="drupal",
    ),
    Engine(
        name="Joomla",
        generator=r"joomla!?\s*([0-9][0-9.]*)?",
        clues=("/media/(?:system|jui)/js/", "/components/com_"),
        feeds=("?format=feed&type=rss", "?format=feed&type=atom"),
        paging="joomla",
    ),
    Engine(
        name="Dotclear",
        generator=r"dotclear\s*([0-9][0-9.]*)?",
        clues=(r"dotclear\.(?:org|net)", r"/index\.php\?(?:pf|tf)="),
        feeds=("feed/atom", "feed/rss2", "index.php?feed/atom"),
        archive="archive",
    ),
    Engine(
        name="Serendipity",
        generator=r"serendipity\s*v?\.?([0-9][0-9.]*)?",
        clues=(r"serendipity\.css|s9y\.org",),
        feeds=("feeds/index.rss2", "index.php?/feeds/index.rss2", "rss.php?version=2.0"),
        archive="archive",
    ),
    Engine(
        name="Textpattern",
        generator=r"textpattern(?: cms)?\s*([0-9][0-9.]*)?",
        clues=(r"textpattern\.com|textpattern/",),
        feeds=("rss/", "atom/", "?rss=1"),
        archive="archive",
    ),
    Engine(
        name="b2evolution",
        generator=r"b2evolution\s*([0-9][0-9.]*)?",
        feeds=("?tempskin=_rss2", "?tempskin=_atom"),
        sitemap="?tempskin=_sitemap",
        archive="?disp=arcdir",
    ),
    Engine(
        name="Typecho",
        generator=r"typecho\s*([0-9][0-9./]*)?",
        feeds=("feed/", "feed/rss/"),
        archive="archives.html",
    ),
    Engine(
        name="Z-Blog", generator=r"z-blog(?:php)?\s*([0-9][0-9.]*)?", feeds=("feed.php", "feed.asp")
    ),
    Engine(name="Emlog", generator="emlog", feeds=("rss.php",)),
    Engine(
        name="Halo",
        generator=r"halo\s*([0-9][0-9.]*)?$",
        feeds=("rss.xml", "feed.xml", "atom.xml"),
        archive="archives",
    ),
    Engine(
        name="Tistory",
        clues=(r"t1\.daumcdn\.net/tistory",),
        hosts=r"\.tistory\.com$",
        feeds=("rss",),
        archive="archive",
    ),
    Engine(
        name="Hatena Blog",
        generator="hatena(?:::| )blog",
        clues=(r"cdn\.blog\.st-hatena\.com",),
        hosts=r"\.(?:hatenablog|hateblo|hatenadiary)\.(?:com|jp)$",
        feeds=("feed", "rss"),
        sitemap="sitemap_index.xml",
        archive="archive",
    ),
    Engine(
        name="Ameba",
        clues=(r"stat\.ameba\.jp",),
        hosts=r"^ameblo\.jp$",
        feeds=("rss20.html", "rss.html"),
        archive="entrylist.html",
    ),
    Engine(
        name="FC2",
        clues=(r"static\.fc2\.com", r"blog-imgs-\d+"),
        hosts=r"\.fc2\.com$",
        feeds=("?xml",),
        archive="archives.html",
    ),
    Engine(
        name="Livedoor",
        clues=(r"parts\.blog\.livedoor\.jp",),
        hosts=r"^blog\.livedoor\.jp$",
        feeds=("index.rdf", "atom.xml"),
    ),
    Engine(
        name="Overblog",
        generator="over-?blog",
        clues=(r"assets\.over-blog",),
        feeds=("rss", "rss-articles.xml"),
        archive="archives",
    ),
    Engine(
        name="CanalBlog",
        clues=(r"storage\.canalblog\.com",),
        hosts=r"\.canalblog\.com$",
        feeds=("rss.xml", "feed.rss"),
        archive="archives/",
    ),
    Engine(name="Plume", generator="plume", clues=(r"joinplu\.me",), feeds=("feed.atom",)),
    Engine(name="Grav", generator=r"gravcms|\bgrav\b", feeds=("blog.rss", "blog.atom")),
    Engine(name="Kirby", generator="kirby", feeds=("feed",)),
    Engine(name="Craft", headers=("x-powered-by: craft cms",), feeds=("feed.rss", "feed")),
    Engine(
        name="TYPO3", generator=r"typo3(?: cms)?\s*([0-9][0-9.]*)?", clues=("/typo3(?:conf|temp)/",)
    ),
    Engine(
        name="HubSpot",
        generator="hubspot",
        clues=(r"js\.hs-scripts\.com",),
        feeds=("rss.xml", "blog/rss.xml"),
    ),
    Engine(
        name="Webflow",
        generator="webflow",
        clues=("data-wf-site=",),
        feeds=("blog/rss.xml", "post/rss.xml"),
    ),
    Engine(name="Known", generator=r"known https?://withknown\.com", feeds=("?_t=rss",)),
    Engine(name="Mataroa", clues=(r"mataroa\.blog",), feeds=("rss/",), archive="blog/"),
    Engine(name="DokuWiki", generator="dokuwiki", feeds=("feed.php",)),
    Engine(name="MediaWiki", generator=r"mediawiki\s*([0-9][0-9.]*)?"),
    Engine(name="Discourse", generator=r"discourse\s*([0-9][0-9.]*)?", feeds=("latest.rss",)),
    Engine(name="phpBB", clues=(r"href=[\"']https?://www\.phpbb\.com",)),
)
