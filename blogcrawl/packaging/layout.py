"""Where files lie inside a package: the one place that names them."""

from __future__ import annotations

MARC_XML = "metadata/descriptive/marc.xml"
DC_XML = "metadata/descriptive/dc.xml"
POST_JSON = "metadata/other/post.json"
BLOG_JSON = "metadata/other/blog.json"
TOMBSTONE_JSON = "metadata/other/tombstone.json"
"""In the newest version of a package that was removed: what, when, by whom, why."""
WEB = "representations/web/data/"
"""Of a post: the page in its forms; of a blog: its WACZ files."""
SOURCE_HTML = WEB + "source.html"
"""The page as it was fetched."""
MEDIA = "representations/media/data/"
RECORDS = "representations/records/data/"
ENTRIES = RECORDS + "entries.jsonl"
FEEDS = ("feed.xml", "feed.json")
"""What the blog's own feed is called among its records."""
