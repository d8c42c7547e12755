"""``blogcrawl remove``: take a post or a blog down, or erase it, and leave a tombstone.

Taken down, its package gets a new version without content and its rows go: lists, exports, replay
and harvesters see a removed record, earlier versions stay in the store. Purged, the content goes
from all versions of its package, from the blog's package and evidence, and from what crawls had
noted. The tombstone is written first: whatever happens afterwards, no crawl brings the content
back, and doing it again finishes what was broken off.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from blogcrawl.core.config import Config
from blogcrawl.core.errors import BlogcrawlError, LeaseLostError, StorageError
from blogcrawl.core.records import Post
from blogcrawl.dates.edtf import written
from blogcrawl.packaging import ids, records
from blogcrawl.packaging.aip import blog_aip, tombstone_aip
from blogcrawl.packaging.contents import BlogInput
from blogcrawl.packaging.layout import FEEDS, POST_JSON, RECORDS, TOMBSTONE_JSON, WEB
from blogcrawl.packaging.parts import Content, Kept, Stamp, host_name
from blogcrawl.packaging.premis import Event, Rights
from blogcrawl.storage.base import ObjectVersion, PackageStore
from blogcrawl.storage.captures import CAPTURES, FILES, forget_captures
from blogcrawl.storage.closing import kept_evidence
from blogcrawl.storage.erasure import (
    Erased,
    Unwanted,
    copy_wacz,
    copy_warc,
    holds_unwanted,
    passages,
)
from blogcrawl.storage.evidence import index_path, recover
from blogcrawl.storage.files import FolderLock, disk_errors, lazily, replace_file
from blogcrawl.storage.search.filling import forget
from blogcrawl.storage.selection import read_post
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import BlogRow, CrawlRow, PostRow, Removal
from blogcrawl.storage.temporary import new_file, scratch_folder
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.urls.canonical import canonicalize

LEASE_SECONDS = 3600.0
ANSWERS = "answers"
"""Folder of answers that a crawl keeps until it has a frontier (``crawling.response_cache``)."""


@dataclass(slots=True)
class Removed:
    """What was done. ``deposited``: receipts of deposits, where copies of the packages lie."""

    removal: Removal
    posts: int = 0
    records: int = 0
    deposited: list[str] = field(default_factory=list)


class Remover:
    """Removes from one archive. ``who`` and ``reason`` go into every tombstone."""

    def __init__(
        self,
        config: Config,
        state: SqlState,
        store: PackageStore,
        *,
        who: str,
        reason: str,
        purge: bool,
    ) -> None:
        self.config, self.state, self.store = config, state, store
        self.who, self.reason, self.purge = who, reason, purge
        self.tombstones = Tombstones(state)
        self.now = datetime.now(UTC)
        self.fence = 0

    def post(self, row: PostRow) -> Removed:
        """Remove one post. Raises LeaseLostError if its blog is being crawled, StorageError."""
        blog = self.state.get_blog(row.blog_id)
        if blog is None:
            raise StorageError(f"{row.url} belongs to no blog of this archive")
        with self._alone(blog):
            removal, unwanted = self._bury(row)
            done = Removed(removal, posts=1, deposited=self._receipts([row.aip_id]))
            erased = Erased()
            if self.purge:  # while the package still says what is to be looked for
                self._purge_blog(blog, unwanted, erased)
            for folder in self._folders(blog):
                self._clean_folder(folder, unwanted, erased)
            self._rewrite_blog(blog, removal, unwanted, erased)
            done.records = len(erased.records)
            self._close_package(row.aip_id, removal)
            self.tombstones.forget_post(row.blog_id, row.url, row.aip_id, fence=self.fence)
        self._settle()
        return done

    def blog(self, blog: BlogRow) -> Removed:
        """Remove a blog with all its posts."""
        with self._alone(blog):
            removal = self._removal(blog.id, blog.url, "blog", blog.aip_id, [blog.url])
            self.tombstones.add(removal)
            done = Removed(removal, deposited=self._receipts([blog.aip_id]))
            for row in list(self.state.posts(blog.id)):
                one, _ = self._bury(row)
                self._close_package(row.aip_id, one)
                done.posts += 1
                done.deposited += self._receipts([row.aip_id])
            self._close_package(blog.aip_id, removal)
            self.tombstones.forget_blog(blog.id)
        for folder in self._folders(blog):
            shutil.rmtree(folder, ignore_errors=True)
        self._settle()
        return done

    def row_of(self, removal: Removal) -> PostRow:
        """Return a row to purge a post that was removed earlier: its last version with content."""
        versions = self.store.versions(removal.aip_id) if removal.aip_id else []
        number = max(
            (version.version for version in versions if POST_JSON in version.files), default=0
        )
        return PostRow(
            blog_id=removal.blog_id, url=removal.url, aip_id=removal.aip_id, aip_version=number
        )

    def _stamp(self, created: datetime, version: int) -> Stamp:
        return Stamp(
            created=created,
            changed=self.now,
            version=version,
            operator=self.config.operator,
            person=self.who,
            host=host_name(),
        )

    # tombstones

    def _removal(
        self, blog_id: str, url: str, kind: str, aip_id: str | None, addresses: list[str]
    ) -> Removal:
        return Removal(
            blog_id=blog_id,
            url=url,
            kind=kind,
            aip_id=aip_id,
            addresses=tuple(dict.fromkeys(addresses)),
            removed_at=self.now,
            removed_by=self.who,
            reason=self.reason,
            purged=self.purge,
        )

    def _bury(self, row: PostRow) -> tuple[Removal, Unwanted]:
        """Write the tombstone; also what of the post lies elsewhere."""
        post = self._record(row)
        addresses = [row.url] + ([post.url, post.canonical_url] if post else [])
        removal = self._removal(row.blog_id, row.url, "post", row.aip_id, addresses)
        unwanted = self._unwanted(row, post, removal) if post else Unwanted(addresses=removal.keys)
        self.tombstones.add(removal)
        forget(self.config, self.state, self.store, [row.aip_id] if row.aip_id else [])
        return removal, unwanted

    def _record(self, row: PostRow) -> Post | None:
        """Read the post's record from its package; None if that is gone already."""
        try:
            return read_post(self.store, row) if row.aip_id else None
        except BlogcrawlError:
            return None

    def _unwanted(self, row: PostRow, post: Post, removal: Removal) -> Unwanted:
        """Collect its addresses, and the media and sentences that no other post has."""
        own: dict[str, str] = {file.url: file.sha256 for file in post.media if file.sha256}
        sentences = set(_passages_of(post)) if self.purge else set()
        for other in self.state.posts(row.blog_id):
            if not (own or sentences):
                break
            shown = self._record(other) if other.url != row.url else None
            if shown is not None:
                theirs = {file.sha256 for file in shown.media}
                own = {url: digest for url, digest in own.items() if digest not in theirs}
                sentences -= _passages_of(shown)
        return Unwanted(removal.keys, frozenset(own), frozenset(own.values()), frozenset(sentences))

    # packages

    def _close_package(self, object_id: str | None, removal: Removal) -> None:
        """Write the package's new version without content; when purging, clear earlier ones too."""
        if object_id is None:
            return
        head = self.store.settle(object_id)
        if head is None:
            return
        if self.purge:
            everything = {
                digest
                for version in self.store.versions(object_id)
                for digest in version.files.values()
            }
            own = set(head.files.values()) if TOMBSTONE_JSON in head.files else set()
            self.store.erase(object_id, dict.fromkeys(everything - own), fence=self.fence)
        created = self.store.versions(object_id)[0].created
        stamp = self._stamp(created, head.version + 1)
        files = tombstone_aip(
            object_id,
            asdict(removal) | {"removed_at": records.rfc3339(self.now)},
            stamp,
            purged=self.purge,
        )
        message = f"{'purged' if self.purge else 'removed'}: {removal.url}"
        self.store.put(object_id, files, message=message, created=self.now, fence=self.fence)

    def _rewrite_blog(
        self, blog: BlogRow, removal: Removal, unwanted: Unwanted, erased: Erased
    ) -> None:
        """Write the blog's package without the post and its evidence, with an event."""
        head = self.store.head(blog.aip_id) if blog.aip_id else None
        if head is None or blog.aip_id is None:
            return
        with scratch_folder("remove") as scratch:
            evidence: dict[str, Content] = dict(kept_evidence(self.store, head))
            for name in evidence if not self.purge else ():
                with self.store.open(head.object_id, WEB + name) as stream:
                    copy = self._clean_wacz(stream, unwanted, erased, scratch / name)
                if copy is not None:
                    evidence[name] = lazily(copy)
            self._put_blog(blog, head, removal, evidence, without_content(blog.model, unwanted))

    def _put_blog(
        self,
        blog: BlogRow,
        head: ObjectVersion,
        removal: Removal,
        evidence: Mapping[str, Content],
        model: Any,
    ) -> None:
        object_id, word = head.object_id, "purged" if self.purge else "removed"
        event = Event(
            type="deaccession",
            at=self.now,
            detail=f"{word} {removal.url}: {self.reason}",
            notes=[f"by {self.who}"],
        )
        source = BlogInput(
            blog=records.blog_from_json(dict(blog.record)),
            stamp=self._stamp(self.store.versions(object_id)[0].created, head.version + 1),
            model=dict(model or {}).get("model") or None,
            entries=[
                entry_line(row) for row in self.state.posts(blog.id) if row.url != removal.url
            ],
            crawls=[
                crawl_line(crawl)
                for crawl in self.state.crawls(blog.id)
                if crawl.outcome != "running"
            ],
            evidence=evidence,
            feeds=kept_feeds(self.store, head, next(iter(blog.feeds), "")),
            profile=self.config.metadata_profile,
            blog_urn=object_id,
            events=[event],
            rights=Rights(
                licence=dict(blog.record).get("licence"), statement=dict(blog.record).get("rights")
            ),
        )
        version = self.store.put(
            object_id,
            blog_aip(source),
            message=f"{word}: {removal.url}",
            created=self.now,
            fence=self.fence,
        )
        self.state.save_blog(
            replace(blog, aip_version=version.version, model=model), fence=self.fence
        )

    # purging

    def _purge_blog(self, blog: BlogRow, unwanted: Unwanted, erased: Erased) -> None:
        """Erase from all versions of the blog's package."""
        with scratch_folder("purge") as scratch:
            if blog.aip_id and self.store.head(blog.aip_id) is not None:
                replaced = self._cleaned(blog.aip_id, unwanted, erased, scratch)
                if replaced:
                    self.store.erase(blog.aip_id, replaced, fence=self.fence)

    def _cleaned(
        self, object_id: str, unwanted: Unwanted, erased: Erased, scratch: Path
    ) -> dict[str, Path | None]:
        """Map the SHA-512 of files with unwanted content to a clean copy, or None."""
        replaced: dict[str, Path | None] = {}
        seen: set[str] = set()
        store = self.store.view(object_id)
        for version in store.versions(object_id):
            for path, digest in version.files.items():
                if digest in seen:
                    continue
                seen.add(digest)
                with store.open(object_id, path, version.version) as stream:
                    if path.endswith(".wacz"):
                        copy = self._clean_wacz(stream, unwanted, erased, scratch / digest)
                        replaced |= {digest: copy} if copy else {}
                    elif unwanted.body(stream.read()):
                        replaced[digest] = None
        return replaced

    def _clean_wacz(
        self, stream: BinaryIO, unwanted: Unwanted, erased: Erased, copy: Path
    ) -> Path | None:
        """Make a copy without the unwanted records; None if there are none."""
        with tempfile.TemporaryFile() as whole:
            shutil.copyfileobj(stream, whole, 2**20)
            whole.seek(0)
            if not holds_unwanted(whole, unwanted, erased):
                return None
            with copy.open("wb") as out:
                copy_wacz(whole, out, unwanted, erased, self.now)
        return copy

    def _clean_folder(self, folder: Path, unwanted: Unwanted, erased: Erased) -> None:
        """Clean what crawls of the blog left: waiting evidence, notes of broken-off crawls."""
        for place in sorted((folder / "evidence").glob("*")):
            with disk_errors(str(place)):
                recover(place)
                for path in sorted([*place.glob("*.warc.gz"), *place.glob("*.wacz")]):
                    self._clean_evidence(path, unwanted, erased)
                _clean_pages(place / "pages.jsonl", unwanted)
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name in (ANSWERS, "media"):
                shutil.rmtree(path, ignore_errors=True)
            elif path.is_file() and path.name not in FILES and not path.name.startswith("."):
                # frontier and knowledge of a crawl that was broken off
                path.unlink(missing_ok=True)
        forget_captures(folder / CAPTURES, erased.records)

    def _clean_evidence(self, path: Path, unwanted: Unwanted, erased: Erased) -> None:
        with path.open("rb") as stream:
            if not holds_unwanted(stream, unwanted, erased):
                return
            with new_file(path, sync=True) as out:
                if path.suffix == ".wacz":
                    copy_wacz(stream, out, unwanted, erased, self.now)
                else:
                    lines = copy_warc(stream, out, unwanted, erased, path.name)
                    replace_file(
                        index_path(path),
                        "".join(line + "\n" for line in lines).encode("ascii", "backslashreplace"),
                    )

    # around it

    @contextlib.contextmanager
    def _alone(self, blog: BlogRow) -> Iterator[None]:
        """Hold the blog's lease, so that no crawl of it runs meanwhile. Raises LeaseLostError if
        one does.
        """
        with contextlib.ExitStack() as stack:
            for folder in self._folders(blog):
                lock = FolderLock(folder)
                stack.callback(lock.release)
            owner = f"remove {os.getpid()}"
            token = self.state.acquire_lease(blog.id, owner, LEASE_SECONDS, datetime.now(UTC))
            if token is None:
                raise LeaseLostError(
                    "a job is crawling this blog", blog=blog.url, advice="wait until it has ended"
                )
            stack.callback(self.state.release_lease, blog.id, owner)
            self.fence = token
            yield

    def _folders(self, blog: BlogRow) -> list[Path]:
        """Return scratch space of the blog's crawls."""
        names = dict.fromkeys((blog.id, ids.blog_id(canonicalize(blog.url)), ids.blog_id(blog.url)))
        return [
            folder
            for name in names
            if (folder := self.config.archive_path / "crawls" / name).is_dir()
        ]

    def _receipts(self, object_ids: list[str | None]) -> list[str]:
        """Return receipts of deposits of these packages: copies there are not ours to remove."""
        found = []
        for path in sorted((self.config.archive_path / "deposits").glob("*.jsonl")):
            for line in path.read_bytes().splitlines():
                with contextlib.suppress(ValueError):
                    entry = json.loads(line)
                    if isinstance(entry, dict) and entry.get("id") in object_ids:
                        found.append(str(entry.get("receipt")))
        return sorted(set(found))

    def _settle(self) -> None:
        """Purged: what deleted rows leave in the database's files goes too."""
        if self.purge:
            self.state.compact()
            forget(self.config, self.state, self.store, erase=True)


def _passages_of(post: Post) -> AbstractSet[str]:
    return passages([post.content_text, *(comment.content_text for comment in post.comments)])


def _clean_pages(path: Path, unwanted: Unwanted) -> None:
    """Take removed addresses out of the list of pages that evidence waits with."""
    if not path.exists():
        return
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if not unwanted.address(json.loads(line)["url"])]
    replace_file(path, b"".join(kept))


def without_content(value: Any, unwanted: Unwanted) -> Any:
    """Return what crawls remember, without removed addresses and texts."""
    if isinstance(value, Mapping):
        kept = {
            key: without_content(one, unwanted)
            for key, one in value.items()
            if not _names(str(key), unwanted)
        }
        return {key: one for key, one in kept.items() if one is not None or value[key] is None}
    if isinstance(value, list):
        return [without_content(one, unwanted) for one in value]
    if isinstance(value, str) and unwanted.sentences:
        return None if unwanted.body(value.encode("utf-8", "replace")) else value
    return value


def _names(key: str, unwanted: Unwanted) -> bool:
    return "://" in key and unwanted.address(key)


def entry_line(row: PostRow) -> dict[str, object]:
    """Return a post's line in the list of a blog's package."""
    return {
        "url": row.url,
        "aip_id": row.aip_id,
        "version": row.aip_version,
        "title": row.title,
        "published": written(row.published) if row.published else None,
        "status": row.status,
    }


def crawl_line(crawl: CrawlRow) -> dict[str, object]:
    """Return a crawl's line in a blog's package."""
    missing = crawl.report.get("missing", ())
    return {
        "id": crawl.id,
        "spider": crawl.spider,
        "started": records.rfc3339(crawl.started) if crawl.started else None,
        "ended": records.rfc3339(crawl.ended) if crawl.ended else None,
        "outcome": crawl.outcome,
        "detail": crawl.report.get("stop", {}).get("detail", ""),
        "posts": crawl.counts.get("posts", 0),
        "missing_count": crawl.report.get("missing_count", 0),
        "missing": [{"url": page["url"], "reason": page["reason"]} for page in missing],
    }


def kept_feeds(
    store: PackageStore, head: ObjectVersion, url: str
) -> Mapping[str, tuple[str, Kept]]:
    """Return the feed that the head version holds, as content that stays."""
    for name in FEEDS:
        digest = head.files.get(RECORDS + name)
        if digest is not None:
            with store.open(head.object_id, RECORDS + name) as stream:
                return {name: (url, Kept(sha512=digest, size=stream.seek(0, io.SEEK_END)))}
    return {}
