"""``blogcrawl import``: packages from folders, bags, ZIPs and OCFL objects into an archive.

Nothing enters unchecked, and nothing that the archive has is replaced by something older or
contradictory: each package is read where it lies, checked, compared with the versions that the
store has, and only then becomes a version of its own. Rows of the state that a crawl wrote keep
what only a crawl knows (the learned model, feeds, schedule, health).
"""

from __future__ import annotations

import contextlib
import enum
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import BinaryIO

from lxml import etree

from blogcrawl.core.errors import (
    ArchiveError,
    BlogcrawlError,
    DamagedError,
    DiskFullError,
    PackagingError,
)
from blogcrawl.core.records import Blog, Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.check import Package
from blogcrawl.packaging.digest import content_digest
from blogcrawl.packaging.layout import BLOG_JSON, MEDIA, POST_JSON, TOMBSTONE_JSON
from blogcrawl.packaging.parts import Content, measure
from blogcrawl.packaging.records import (
    blog_from_json,
    blog_to_json,
    decode,
    parse_rfc3339,
    post_from_json,
)
from blogcrawl.packaging.xmltools import METS, parse
from blogcrawl.storage import ocfl_model as model
from blogcrawl.storage.bags import check_bag
from blogcrawl.storage.base import ObjectVersion, PackageStore, opener
from blogcrawl.storage.files import checked, lazily
from blogcrawl.storage.ocfl_check import check_object
from blogcrawl.storage.selection import media_rows, parent_aip
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import BlogRow, MediaRow, PostRow
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.storage.trees import Leaf, Tree, below, folder_tree, zip_tree
from blogcrawl.text.language import letters_of
from blogcrawl.urls.outbound import linked_hosts

MAX_RECORD = 256 * 2**20
"""Bytes of an XML or JSON document in a package: it is read as a whole."""
CLOCKS_APART = timedelta(days=1)
"""How far in the future a package may be dated: clocks differ."""
_MAX_REASON, _MAX_WORD = 400, 100
_LONG = re.compile(r"\S{120,}")
_OBJECT_MARK = "0=ocfl_object_"
_ROOT = "METS.xml"
_DAMAGE = (
    BlogcrawlError,
    OSError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    etree.LxmlError,
)
"""What readers of foreign bytes raise: RuntimeError for ZIP methods, ValueError for NUL."""


@dataclass(slots=True)
class Imported:
    """What came in. ``conflicts`` and ``refused``: source -> why."""

    blogs: int = 0
    posts: int = 0
    unchanged: int = 0
    """The archive had them already, as its newest version."""
    older: int = 0
    """The archive had them already, as an older version."""
    conflicts: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


class Verdict(enum.Enum):
    """How a package stands to what the archive has under its id."""

    NEW = "new"
    NEWER = "newer"
    SAME = "same"
    OLDER = "older"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A package that was checked: its files, digests, dates, and the one record in it."""

    files: Tree
    digests: Mapping[str, str]
    object_id: str
    created: datetime
    changed: datetime
    post: Post | None = None
    blog: Blog | None = None
    parent: str = ""
    """Id (bare) of the blog that a post belongs to."""


def import_packages(
    source: Path, store: PackageStore, state: SqlState, *, now: datetime, replace: bool = False
) -> Imported:
    """Import all packages at or below ``source`` into ``store``, with rows in ``state``.

    Bags are checked against their manifests, OCFL objects against their inventories, packages
    against their METS. One that is damaged is refused, one that contradicts the archive is a
    conflict; the others come in. Importing what the archive has changes nothing. ``replace``:
    packages that are older or in conflict become the newest version. Raises ArchiveError if there
    is nothing to import, DiskFullError, and StorageError if store or state can't be used.
    """
    importer = _Importer(store, state, now, replace)
    for place in _candidates(source):
        try:
            importer.take(place)
        except ArchiveTrouble as trouble:
            raise trouble.cause from None
    done = importer.done
    if not (
        done.blogs or done.posts or done.unchanged or done.older or done.conflicts or done.refused
    ):
        raise ArchiveError(f"there are no packages at {source}")
    return done


def _candidates(source: Path) -> Iterator[Path]:
    """Yield the source itself, or what lies in it: OCFL objects, bags, packages, ZIP files.

    Links to folders are followed to such a folder only, never searched.
    """
    if not source.exists():
        raise ArchiveError(f"{source} does not exist")
    if source.is_file() or _is_candidate(source):
        yield source
    else:
        yield from _candidates_in(source)


def _candidates_in(source: Path) -> Iterator[Path]:
    """Yield what lies in a folder."""
    waiting = [source]
    while waiting:  # os.walk recurses, and folders may be nested deeper than Python does
        folder = waiting.pop()
        inside = _entries(folder)
        found = [place for place in inside if _is_zip(place) or _is_candidate(place)]
        yield from found
        inner = (place for place in inside if place.is_dir() and not place.is_symlink())
        waiting += reversed([place for place in inner if place not in found])


def _entries(folder: Path) -> list[Path]:
    """List a folder by name, without hidden files and the scratch folders of objects."""
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    scratch = {f"{name}.work" for name in names}
    return [folder / name for name in names if name not in scratch]


def _is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and not path.is_dir()


def _is_candidate(folder: Path) -> bool:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return any(
            entry.name in (_ROOT, "bagit.txt") or entry.name.startswith(_OBJECT_MARK)
            for entry in entries
        )
    return False


@contextlib.contextmanager
def _tree(place: Path) -> Iterator[Tree]:
    if place.is_dir():
        yield folder_tree(place)
        return
    with zip_tree(place) as tree:
        yield tree


def _packages(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Yield prefix and files of each package in a tree; bags at its root or one folder below are
    checked. A package inside another one is part of that."""
    bags = _bags(tree)
    for prefix in bags:
        check_bag(below(tree, prefix))
    roots = _roots(tree)
    if not roots:
        raise PackagingError("there is no package in it (no METS.xml)")
    for prefix in sorted(roots):
        holder = next((bag for bag in bags if prefix.startswith(bag)), None)
        if holder is not None and not prefix[len(holder) :].startswith("data/"):
            raise PackagingError(f"{prefix}{_ROOT} is not in the payload of its bag")
        yield prefix, below(tree, prefix)


def _bags(tree: Tree) -> list[str]:
    """Return prefixes of the bags at the root of a tree or one folder below."""
    return sorted(
        path.removesuffix("bagit.txt")
        for path in tree
        if path.split("/")[-1] == "bagit.txt" and path.count("/") <= 1
    )


def _roots(tree: Tree) -> list[str]:
    """Return prefixes of the packages in a tree, without those inside another one."""
    roots: list[str] = []
    for path in sorted(
        (path for path in tree if path.split("/")[-1] == _ROOT),
        key=lambda path: (path.count("/"), path),
    ):
        prefix = path.removesuffix(_ROOT)
        if not any(prefix.startswith(outer) for outer in roots):
            roots.append(prefix)
    return roots


class _Importer:
    def __init__(self, store: PackageStore, state: SqlState, now: datetime, replace: bool) -> None:
        self.store, self.state, self.now, self.replace = store, state, now, replace
        self.tombstones = Tombstones(state)
        self.done = Imported()

    def take(self, place: Path) -> None:
        """Import what is at ``place``. Raises errors of the archive, not of the package."""
        with self._refusing(str(place)), _tree(place) as tree:
            if any(path.startswith(_OBJECT_MARK) for path in tree):
                self._take_object(place, tree)
                return
            packages = list(_packages(tree))
            for prefix, files in packages:
                where = str(place if len(packages) == 1 else place / prefix)
                with self._refusing(where):
                    self._enter(where, read_package(files, self.now), f"imported from {place.name}")

    @contextlib.contextmanager
    def _refusing(self, where: str) -> Iterator[None]:
        """Note what is wrong with the package at ``where``; raise errors of the archive."""
        try:
            yield
        except (DiskFullError, ArchiveTrouble):
            raise
        except _DAMAGE as error:
            self.done.refused[where] = _why(error)

    def _take_object(self, place: Path, tree: Tree) -> None:
        """Import an OCFL object: all versions, or those after the last one that the archive has."""
        inventory = _inventory(tree)
        if TOMBSTONE_JSON in inventory.files():
            raise PackagingError(
                "it was removed from its archive: the newest version is a tombstone"
            )
        for number in self._wanted_versions(inventory):
            files = _logical(tree, inventory, number)
            incoming = read_package(files, self.now)
            if incoming.object_id != inventory.id:
                raise PackagingError(
                    f"version {number} holds {incoming.object_id}, the inventory says "
                    f"{inventory.id[:100]}"
                )
            if not self._enter(
                str(place),
                incoming,
                inventory.record(number).message or f"imported from {place.name}",
            ):
                return

    def _wanted_versions(self, inventory: model.Inventory) -> Sequence[int]:
        """Choose the versions to import; one alone where it replaces or adds nothing."""
        versions = self._versions(ids.urn(ids.checked(inventory.id)))
        known = [dict(version.files) for version in versions]
        numbers = inventory.numbers()
        shared = [number for number in numbers if inventory.files(number) in known]
        last = max(shared, default=0)
        wanted = [number for number in numbers if number > last]
        if self.replace or not wanted or (known and not shared):
            return numbers[-1:]
        return wanted

    def _versions(self, object_id: str) -> list[ObjectVersion]:
        with _ours():
            return self.store.versions(object_id)

    def _enter(self, where: str, incoming: Incoming, message: str) -> bool:
        """Import a package where the archive agrees; False if it is a conflict."""
        versions = self._versions(incoming.object_id)
        with _ours():
            why = self._removed(incoming, versions) or self._belongs_elsewhere(incoming)
            if why:
                self.done.conflicts[where] = why
                return False
            verdict, why = judge(incoming, versions, self.store)
        if verdict is Verdict.CONFLICT and not self.replace:
            self.done.conflicts[where] = f"{why}; --replace makes it the newest version"
            return False
        is_same = verdict is Verdict.SAME
        wanted = verdict in (Verdict.NEW, Verdict.NEWER) or (self.replace and not is_same)
        with _ours():
            if not wanted:
                self._pass_over(incoming, versions[-1], is_same)
                return True
            why = self._removed_inside(incoming)
            if why:
                self.done.conflicts[where] = why
                return False
            self._save(incoming, self._put(incoming, message))
            self.done.posts += incoming.post is not None
            self.done.blogs += incoming.blog is not None
        return True

    def _pass_over(self, incoming: Incoming, newest: ObjectVersion, is_same: bool) -> None:
        """Leave a package out that the archive has, as it is or newer; mend its row."""
        self.done.unchanged += is_same
        self.done.older += not is_same
        if not self._has_row(incoming):
            self._save(incoming if is_same else self._stored(newest), newest)
        elif is_same and incoming.post is not None:
            self._complete(incoming.parent, incoming.post)

    def _complete(self, blog_id: str, post: Post) -> None:
        """Add what a row lacks that was written before rows had it."""
        row = self.state.get_post(blog_id, post.canonical_url)
        if row is None:
            return
        known, here, moment = row, row.published, post.published
        if here and moment and here == moment and here.utcoffset() != moment.utcoffset():
            known = replace(known, published=moment, modified=post.modified)
        if row.letters is None:
            known = replace(
                known,
                language=row.language or post.language,
                letters=letters_of(post.content_text),
            )
        if row.authors is None:  # rows that lack links lack these too
            links = linked_hosts(post.content_html, post.canonical_url)
            known = replace(known, links=links, authors=post.authors)
        if known is not row:
            self.state.save_post(known)

    def _has_row(self, incoming: Incoming) -> bool:
        """Report whether the state knows the package: it may have been lost, the store not."""
        if incoming.post is not None:
            post = self.state.get_post(incoming.parent, incoming.post.canonical_url)
            return post is not None and post.aip_version > 0
        blog = self.state.get_blog(ids.bare(incoming.object_id))
        return blog is not None and blog.aip_version > 0

    def _put(self, incoming: Incoming, message: str) -> ObjectVersion:
        content: dict[str, Content] = {
            path: lazily(partial(_open_checked, leaf, incoming.digests[path], path))
            for path, leaf in incoming.files.items()
        }
        return self.store.put(
            incoming.object_id, content, message=message, created=incoming.changed
        )

    def _stored(self, head: ObjectVersion) -> Incoming:
        """Read the archive's own package like an imported one: its row may be missing."""
        read = opener(self.store, head)
        files = {path: Leaf(0, partial(read, path)) for path in head.files}
        return _described(files, head.files, self.now)

    def _removed(self, incoming: Incoming, versions: Sequence[ObjectVersion]) -> str:
        """Return when and why the package was removed from this archive; empty: it was not.

        No import brings it back, even if the state or the store has lost its part of the tombstone.
        """
        if incoming.post is not None:
            post = incoming.post
            found = (
                self.tombstones.blog(incoming.parent)
                or self.tombstones.find(post.canonical_url)
                or self.tombstones.find(post.url)
            )
        else:
            found = self.tombstones.blog(ids.bare(incoming.object_id))
        if found is not None:
            return f"it was {found.sentence}"
        if versions and TOMBSTONE_JSON in versions[-1].files:
            return "it was removed from this archive on purpose (show says when and why)"
        return ""

    def _removed_inside(self, incoming: Incoming) -> str:
        """Return which removed post a blog's package may hold: it has evidence of all posts.

        One that was made before the removal stays out, after a purge any that the archive has not
        made itself.
        """
        if incoming.blog is None:
            return ""
        for removal in self.tombstones.posts_of(ids.bare(incoming.object_id)):
            if removal.purged or incoming.changed <= removal.removed_at:
                return f"it may hold {removal.url}, which was {removal.sentence}"
        return ""

    def _belongs_elsewhere(self, incoming: Incoming) -> str:
        """Return under which other identity the archive has this blog or post; empty: none."""
        if incoming.blog is not None:
            row = self.state.get_blog(incoming.blog.url)
            if row is not None and incoming.object_id not in (ids.urn(row.id), row.aip_id):
                return f"the archive has the blog {incoming.blog.url} under the identifier {row.id}"
            return ""
        row_of_post = self.state.post_of_package(incoming.object_id)
        if row_of_post is not None and row_of_post.blog_id != incoming.parent:
            return (
                f"the archive has this post in the blog {row_of_post.blog_id}, the package "
                f"says {incoming.parent}"
            )
        return ""

    def _save(self, incoming: Incoming, version: ObjectVersion) -> None:
        if incoming.post is not None:
            self._save_post(incoming, incoming.post, version)
        elif incoming.blog is not None:
            old = self.state.get_blog(ids.bare(version.object_id))
            self.state.save_blog(blog_row(incoming.blog, version, old))

    def _save_post(self, incoming: Incoming, post: Post, version: ObjectVersion) -> None:
        old = self.state.get_post(incoming.parent, post.canonical_url)
        if self.state.get_blog(incoming.parent) is None:
            self.state.save_blog(
                BlogRow(id=incoming.parent, url=ids.urn(incoming.parent), health="imported")
            )
        row = post_row(post, incoming.parent, version, old=old, seen=incoming.changed)
        media = media_rows(incoming.parent, post, version)
        self.state.save_post(row, [one for one in media if one.path and self._is_new_media(one)])

    def _is_new_media(self, media: MediaRow) -> bool:
        known = self.state.get_media(media.blog_id, media.url)
        return known is None or known.sha256 is None


class ArchiveTrouble(BlogcrawlError):
    """Store or state can't be used: no fault of the package. ``cause`` is what they raised."""

    def __init__(self, cause: BlogcrawlError) -> None:
        super().__init__(cause.message)
        self.cause = cause


@contextlib.contextmanager
def _ours() -> Iterator[None]:
    """Mark errors of the archive itself, other than damage of the one package that it has."""
    try:
        yield
    except (DamagedError, PackagingError):
        raise
    except BlogcrawlError as error:
        raise ArchiveTrouble(error) from error


def _why(error: BaseException) -> str:
    """Return the reason as one line of bounded length: names in it may be very long."""
    text = _LONG.sub(
        lambda found: found[0][:_MAX_WORD] + "…",
        " ".join(str(error).split()) or type(error).__name__,
    )
    return text if len(text) <= _MAX_REASON else text[:_MAX_REASON] + "…"


def _open_checked(leaf: Leaf, sha512: str, path: str) -> BinaryIO:
    return checked(leaf.open(), sha512, path)


def read_package(files: Tree, now: datetime) -> Incoming:
    """Check a package and read what an import needs of it. Raises PackagingError with the first
    fault (or what readers of damaged files raise)."""
    for path, leaf in files.items():
        if (
            path.endswith((".xml", ".json"))
            and leaf.size > MAX_RECORD
            and not path.startswith(MEDIA)
        ):
            raise PackagingError(f"{path} has {leaf.size} bytes: more than a record may have")
    package = Package(files, lambda path: files[path].open())
    _refuse(package.check())
    digests = {path: package.measured.get(path) or _digest(leaf) for path, leaf in files.items()}
    return _described(files, digests, now)


def _refuse(faults: Sequence[str]) -> None:
    """Raise PackagingError where there are faults, with the first of them."""
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise PackagingError(faults[0] + more)


def _described(files: Tree, digests: Mapping[str, str], now: datetime) -> Incoming:
    """Read identity, dates and record of a package that was checked. Raises PackagingError."""
    mets = parse(files[_ROOT].read())
    object_id = ids.urn(ids.checked(mets.get("OBJID", "")))
    created, changed = _dates(mets)
    if changed > now + CLOCKS_APART:
        raise PackagingError(f"the package is dated in the future ({changed:%Y-%m-%d})")
    if TOMBSTONE_JSON in files:
        raise PackagingError("it is a tombstone: its content was removed")
    if (POST_JSON in files) == (BLOG_JSON in files):
        raise PackagingError(
            "it is neither a post nor a blog: one of post.json and blog.json has to be in "
            "metadata/other"
        )
    incoming = Incoming(
        files=files, digests=digests, object_id=object_id, created=created, changed=changed
    )
    if BLOG_JSON in files:
        return replace(incoming, blog=blog_from_json(decode(files[BLOG_JSON].read())))
    post = post_from_json(decode(files[POST_JSON].read()))
    if ids.entry_id(post.canonical_url) != ids.bare(object_id):
        raise PackagingError(f"{object_id} is not the identifier of the post {post.canonical_url}")
    _check_media(post, files)
    blog = parent_aip(files, lambda path: files[path].open())
    if blog is None:
        raise PackagingError("the package names no blog that it belongs to")
    return replace(incoming, post=post, parent=ids.checked(blog))


def _dates(mets: etree._Element) -> tuple[datetime, datetime]:
    """Return when the package and when this version of it was made. Raises PackagingError."""
    head = mets.find(f"{{{METS}}}metsHdr")
    created = head.get("CREATEDATE", "") if head is not None else ""
    changed = (head.get("LASTMODDATE") if head is not None else None) or created
    return parse_rfc3339(created), parse_rfc3339(changed)


def _check_media(post: Post, files: Tree) -> None:
    """Raise PackagingError where a file is not what its SHA-256 says: later crawls rely on it."""
    for name, sha256 in {(one.name, one.sha256) for one in post.media if one.name and one.sha256}:
        leaf = files.get(f"{MEDIA}{name}")
        if leaf is not None and _digest(leaf, "sha256") != sha256:
            raise PackagingError(f"{MEDIA}{name} has another SHA-256 than its name says")


def _digest(leaf: Leaf, algorithm: str = "sha512") -> str:
    with leaf.open() as stream:
        return measure(stream, algorithm)[0]


class _TreeReader:
    """ObjectReader on a tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def read(self, path: str) -> bytes | None:
        leaf = self.tree.get(path)
        return leaf.read() if leaf is not None else None

    def open(self, path: str) -> BinaryIO:
        return self.tree[path].open()

    def walk(self) -> Iterator[str]:
        return iter(self.tree)


def _inventory(tree: Tree) -> model.Inventory:
    """Read an OCFL object's inventory, every byte checked. Raises PackagingError, DamagedError."""
    linked = next((path for path, leaf in tree.items() if leaf.names > 1), None)
    if linked is not None:
        raise PackagingError(
            f"{linked!r} has another name elsewhere (a hard link): copy the folder and import "
            f"the copy"
        )
    reader = _TreeReader(tree)
    inventory = model.read_inventory(reader.read, "the object")
    if inventory is None:
        raise PackagingError("the OCFL object has no inventory")
    _refuse(check_object(reader, inventory.id, deep=True))
    return inventory


def _logical(tree: Tree, inventory: model.Inventory, number: int) -> dict[str, Leaf]:
    """Return the files of one version under their logical paths."""
    return {path: tree[inventory.locate(path, number)] for path in inventory.files(number)}


def judge(
    incoming: Incoming, versions: Sequence[ObjectVersion], store: PackageStore
) -> tuple[Verdict, str]:
    """Compare a package with the store's versions: the verdict, and why where it is a conflict.

    It is newer if it goes back to the same first version (METS CREATEDATE) and was made after the
    newest one here (LASTMODDATE). Raises StorageError.
    """
    if not versions:
        return Verdict.NEW, ""
    head = versions[-1]
    same = [version for version in versions if dict(version.files) == dict(incoming.digests)]
    if same:
        return (Verdict.SAME if dict(head.files) == dict(incoming.digests) else Verdict.OLDER), ""
    with store.open(head.object_id, _ROOT, head.version) as stream:
        created, changed = _dates(parse(stream.read()))
    here = f"the archive has version {head.version} of {changed:%Y-%m-%d %H:%M:%S}"
    if created != incoming.created:
        return (
            Verdict.CONFLICT,
            (
                f"{incoming.object_id} was first made {incoming.created:%Y-%m-%d}, {here}, first "
                f"made {created:%Y-%m-%d}"
            ),
        )
    if incoming.changed <= changed:
        return (
            Verdict.CONFLICT,
            f"{incoming.object_id} is of {incoming.changed:%Y-%m-%d %H:%M:%S} and unknown, {here}",
        )
    return Verdict.NEWER, ""


def post_row(
    post: Post, blog_id: str, version: ObjectVersion, *, old: PostRow | None, seen: datetime
) -> PostRow:
    """Make the row of an imported post.

    Of an ``old`` one stays what packages don't have, without its HTTP validators, since the page
    they belong to need not have been this one.
    """
    seen = post.fetched_at or seen
    row = PostRow(
        blog_id=blog_id,
        url=post.canonical_url,
        title=post.title,
        published=post.published,
        modified=post.modified,
        content_digest=content_digest(post),
        comment_count=len(post.comments),
        comments_shown=post.comments_shown,
        aip_id=version.object_id,
        aip_version=version.version,
        status=post.status,
        language=post.language,
        letters=letters_of(post.content_text),
        links=linked_hosts(post.content_html, post.canonical_url),
        authors=post.authors,
        first_seen=seen,
        last_seen=max(seen, version.created),
    )
    if old is None:
        return row
    return replace(
        row,
        first_seen=min(filter(None, (old.first_seen, seen))),
        last_seen=max(filter(None, (old.last_seen, row.last_seen))),
        next_comment_check=old.next_comment_check,
        comments_feed_url=old.comments_feed_url,
    )


def blog_row(blog: Blog, version: ObjectVersion, old: BlogRow | None) -> BlogRow:
    """Make the row of an imported blog; one that a crawl wrote keeps what packages don't have."""
    if old is None or old.url == ids.urn(old.id):
        old = BlogRow(id=ids.bare(version.object_id), url=blog.url, health="imported")
    return replace(
        old,
        title=blog.title or old.title,
        record=blog_to_json(blog),
        aip_id=version.object_id,
        aip_version=version.version,
    )
