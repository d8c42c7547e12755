"""``blogcrawl verify``: is everything in the archive whole?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from blogcrawl.cli.options import archive_option, find_blog, json_option, reading_config
from blogcrawl.cli.output import Output
from blogcrawl.errors import StorageError, VerifyError


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with one package (or the root, ``object_id`` empty)."""

    object_id: str
    url: str | None
    text: str


@click.command()
@click.argument("name", metavar="[BLOG]", required=False)
@click.option("--deep", is_flag=True, help="Read every byte again and compare its digest.")
@archive_option
@json_option
def verify(name: str | None, deep: bool, archive: str | None, as_json: bool) -> int:
    """Check the packages of BLOG, or of all blogs: inventories, digests, orphan files, and that state and packages tell the same."""
    from blogcrawl.storage.ocfl import open_store
    from blogcrawl.storage.state import open_state

    out = Output(as_json)
    config = reading_config(archive)
    state, store = open_state(config), open_store(config)
    counts = {"blogs": 0, "packages": 0}
    faults = []
    try:
        blogs = [find_blog(state, name)] if name else list(state.blogs())
        for fault in check(state, store, blogs, deep, counts, orphans=name is None):
            faults.append(fault)
            out.line(f"{fault.object_id or 'archive'}: {fault.text}" + (f"  ({fault.url})" if fault.url else ""))
    finally:
        state.close()
    out.result({**counts, "deep": deep, "faults": [{"package": f.object_id, "url": f.url, "fault": f.text} for f in faults]})
    if faults:
        if as_json:
            return VerifyError.exit_code
        raise VerifyError(f"{len(faults)} faults in {counts['packages']} packages", advice="nothing was changed")
    depth = "every byte compared with its digest" if deep else "inventories and files; --deep reads the content too"
    out.line(f"{counts['packages']} packages of {counts['blogs']} blogs are whole ({depth})")
    return 0


def check(state: Any, store: Any, blogs: list[Any], deep: bool, counts: dict[str, int], *, orphans: bool) -> Iterator[Fault]:
    """Every fault of these blogs' packages; ``orphans``: also packages that the state knows nothing of."""
    known: set[str] = set()
    for blog in blogs:
        counts["blogs"] += 1
        if blog.aip_id:
            known.add(blog.aip_id)
            yield from check_package(store, blog.aip_id, blog.aip_version, blog.url, deep, counts)
        for post in state.posts(blog.id):
            if post.aip_id is None:
                yield Fault("", post.url, "has no package")
                continue
            known.add(post.aip_id)
            yield from check_package(store, post.aip_id, post.aip_version, post.url, deep, counts)
    if orphans:
        for object_id in store.object_ids():
            if object_id not in known:
                counts["packages"] += 1
                yield from (Fault(object_id, None, text) for text in store.verify(object_id, deep=deep))


def check_package(store: Any, object_id: str, version: int, url: str, deep: bool, counts: dict[str, int]) -> Iterator[Fault]:
    counts["packages"] += 1
    try:
        head = store.head(object_id)
        if head is None:
            yield Fault(object_id, url, "is missing in the store")
            return
        if head.version < version:
            yield Fault(object_id, url, f"is at version {head.version}, the state knows version {version}")
        for text in store.verify(object_id, deep=deep):
            yield Fault(object_id, url, text)
    except StorageError as error:
        yield Fault(object_id, url, error.message)
