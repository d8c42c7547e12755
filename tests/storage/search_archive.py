"""A small archive to search in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from blogcrawl.core.config import Config
from blogcrawl.core.records import Comment, Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.layout import POST_JSON
from blogcrawl.packaging.records import encode, post_to_json
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.search.base import SearchIndex
from blogcrawl.storage.search.filling import Filled, fill, open_index
from blogcrawl.storage.search.finding import Results, Search
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.tables import BlogRow, PostRow
from tests.packaging.samples import MOMENT


def post(name: str, text: str = "", comments: Iterable[str] = (), **fields: object) -> Post:
    url = f"https://blog.example.org/{name}"
    made = tuple(
        Comment(id=f"{name}-{number}", author="Ann Other", content_text=one)
        for number, one in enumerate(comments)
    )
    return Post(url=url, canonical_url=url, content_text=text, comments=made, **fields)  # type: ignore[arg-type]


class SearchArchive:
    """An archive whose posts are given; packages hold their records only."""

    def __init__(self, folder: Path, state_url: str = "") -> None:
        self.config = Config(archive=str(folder), state_url=state_url)
        open_archive(self.config, now=MOMENT)
        self.state: SqlState = open_state(self.config)
        self.store: PackageStore = open_store(self.config)

    def archive(self, *posts: Post, blog: str = "https://blog.example.org/") -> list[PostRow]:
        """Package posts and save their rows; the index does not know it yet."""
        blog_id = ids.blog_id(blog)
        self.state.save_blog(BlogRow(id=blog_id, url=blog))
        return [self._save(one, blog_id) for one in posts]

    def _save(self, post: Post, blog_id: str) -> PostRow:
        version = self.store.put(
            ids.urn(ids.entry_id(post.canonical_url)),
            {POST_JSON: encode(post_to_json(post))},
            message="m",
            created=MOMENT,
        )
        row = PostRow(
            blog_id=blog_id,
            url=post.canonical_url,
            title=post.title,
            published=post.published,
            aip_id=version.object_id,
            aip_version=version.version,
        )
        self.state.save_post(row)
        return row

    def index(self, *, reading: bool = False) -> SearchIndex:
        return open_index(self.config, self.state, self.store, reading=reading)

    def fill(self) -> Filled:
        index = self.index()
        try:
            return fill(self.state, self.store, index)
        finally:
            index.close()

    def find(self, text: str, **how: object) -> Results:
        index = self.index()
        try:
            return Search(index, self.store).find(text, **how)  # type: ignore[arg-type]
        finally:
            index.close()

    def names(self, text: str, **how: object) -> list[str]:
        """Return the last parts of the addresses of what is found."""
        return [hit.url.rsplit("/", 1)[1] for hit in self.find(text, **how).hits]
