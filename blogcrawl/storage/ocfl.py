"""Opening the package store: a local folder, or anything fsspec reaches."""

from __future__ import annotations

from pathlib import Path

from blogcrawl import __version__
from blogcrawl.core.config import Config
from blogcrawl.packaging.ids import part_id, urn
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.ocfl_local import LocalStore
from blogcrawl.storage.ocfl_store import Guard


def open_store(
    config: Config, *, guard: Guard | None = None, reading: bool = False
) -> PackageStore:
    """Open the OCFL storage root of ``config``, made if needed and not only for ``reading``.

    ``guard(object_id, fence)`` is asked right before a version becomes visible and raises
    LeaseLostError to stop it. Raises ArchiveError if the place can't be used, UsageError on a URL
    of an unknown kind.
    """
    place = store_place(config)
    user = {"name": f"blogcrawl {__version__}", "address": _address(config.contact)}
    if "://" in place and not place.startswith("file://"):
        from blogcrawl.storage.ocfl_remote import RemoteStore

        return RemoteStore(place, user=user, guard=guard)
    return LocalStore(
        Path(place.removeprefix("file://")).absolute(), user=user, guard=guard, reading=reading
    )


def store_place(config: Config) -> str:
    """Return path or URL of the storage root."""
    return config.store_url or str(config.archive_path / "packages")


def _address(contact: str) -> str:
    """Return the URI that OCFL wants: the operator's, else the software's own (PREMIS agent)."""
    if "://" in contact or contact.startswith("mailto:"):
        return contact
    return f"mailto:{contact}" if "@" in contact else urn(part_id("blogcrawl", __version__)[5:])
