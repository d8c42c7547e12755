"""Names and suffixes met on the web. The lists, with their sources, are in ``tables.toml``."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

_LISTS: dict[str, str] = tomllib.loads(
    files(__package__).joinpath("tables.toml").read_text("utf-8")
)


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


TRACKING_PREFIXES = tuple(_LISTS["tracking_prefixes"].split())
TRACKING = _words("tracking")
SESSION = _words("session")
SESSION_WHEN_TOKEN = _words("session_when_token")
VARIANTS = frozenset(
    (name, value) for name, _, value in (pair.partition("=") for pair in _words("variants"))
)
REFERRER_NAMES = _words("referrer_names")
REFERRER_VALUES = _words("referrer_values")
INDEX_FILES = _words("index_files")
LABEL_SEGMENTS = _words("label_segments")
MONTH_SEGMENTS = _words("month_segments")
TAXONOMY_SEGMENTS = LABEL_SEGMENTS | {"archive", "archives"}
"""The same, and the folder where old engines (Movable Type, Greymatter) keep lists and posts."""

MIRROR_HOSTS = ((r"\.blogspot\.(?:com?\.)?[a-z]{2,3}$", ".blogspot.com"),)
"""Country mirrors of one blog: Blogger answered every blog under each of its country domains from
2012 to 2018.
"""

FRAMED_VIEWS = dict.fromkeys(("postview.naver", "postview.nhn"), ("blogId", "logNo"))
"""Scripts that show a post in the frame of its page, and the parts of the query that make the
page's path: Naver Blog, whose posts' addresses (``/ann/220000182740``) are shells around
``/PostView.naver?blogId=ann&logNo=220000182740``."""

PICTURE_SUFFIXES = _words("picture_suffixes")
AUDIO_SUFFIXES = _words("audio_suffixes")
VIDEO_SUFFIXES = _words("video_suffixes")
PLUGIN_SUFFIXES = frozenset({"swf", "dcr"})
"""Films and games that browsers once showed by plug-ins (Flash, Shockwave)."""
MEDIA_SUFFIXES = PICTURE_SUFFIXES | AUDIO_SUFFIXES | VIDEO_SUFFIXES | PLUGIN_SUFFIXES
DOCUMENT_SUFFIXES = _words("document_suffixes")
FILE_SUFFIXES = DOCUMENT_SUFFIXES | _words("file_suffixes")
FEED_SUFFIXES = _words("feed_suffixes")
FEED_LAST_SEGMENTS = _words("feed_last_segments")
FEED_QUERY = _words("feed_query")
SERVICE_SEGMENTS = _words("service_segments")
SCRIPT_SUFFIXES = _words("script_suffixes")
COMMENT_SCRIPT = re.compile(
    r"(?:[a-z]{1,6}[-_])?(?:view|show|read|add|post|popup|pop)?[-_]?(?:comments?|comentarios?|"
    r"commentaires?|kommentare?|talkback|reacties?)"
    r"(?:[-_]?(?:popup|pop|add|form|list|view|window))?"
)
"""Scripts of early engines (Movable Type, b2, Greymatter, home-made ASP) that show a post's
comments in a window of their own.
"""
POST_IN_COMMENT_SCRIPT = re.compile(r"(?:^|&)entry=entry\d{6}-\d{6}(?:&|$)")
"""The query of such a script where its pages are the posts' own: Simple PHP Blog."""
PAGE_SEGMENTS = _words("page_segments")
DOCUMENTATION_SEGMENTS = _words("documentation_segments")

NO_DATE_BEFORE = "".join(
    f"(?<!/{before})"
    for before in (
        *(r"[12]\d{3}/\d\d", r"[12]\d{3}/\d\d/\d\d", r"1[3-9]", r"[2-9]\d"),
        *(rf"\d{{{digits}}}" for digits in range(3, 10)),
    )
)
"""Regular expression: where neither a date ends nor a number that is no month. A year after one is
a post's name (``/2016/09/28/2000/``, ``/123/2000/``), else that of a list.
"""
