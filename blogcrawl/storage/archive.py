"""The archive folder: what lies where, and which version of that layout it is.

::

    blogcrawl-archive.json   the mark: layout version, when made, by which version
    state.db                 what is known between crawls
    search.db                the search index, made of the packages
    packages/                OCFL storage root: entry AIPs and blog AIPs
    packages.work/           writers' scratch space, next to the root so that the root stays clean
    crawls/<blog>/<crawl>/   running crawls: frontier, WARC files not yet closed into a WACZ
    deposits/                receipts of what was deposited where
    blogcrawl.toml           settings, if the operator wrote some
    audit.jsonl              what operators did in the reading room
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from blogcrawl import __version__
from blogcrawl.core.config import Config
from blogcrawl.core.errors import ArchiveError, PackagingError
from blogcrawl.packaging import ids
from blogcrawl.packaging.records import parse_rfc3339, rfc3339
from blogcrawl.storage.files import disk_errors, replace_file
from blogcrawl.storage.temporary import sweep, temporary_root

MARK = "blogcrawl-archive.json"
STATE_FILE = "state.db"
AUDIT = "audit.jsonl"
LAYOUT_VERSION = 1
_FIRST_FIELDS = {"layout", "made", "software"}
_KNOWN = frozenset(
    {
        "state.db",
        "state.db-wal",
        "state.db-shm",
        "search.db",
        "search.db-wal",
        "search.db-shm",
        "packages",
        "packages.work",
        "crawls",
        "deposits",
        "blogcrawl.toml",
        AUDIT,
        MARK,
        "lost+found",
    }
)


@dataclass(frozen=True, slots=True)
class Archive:
    """An opened archive folder. All paths exist where a method's name says ``make``."""

    path: Path
    layout: int = LAYOUT_VERSION

    @property
    def packages(self) -> Path:
        return self.path / "packages"

    @property
    def crawls(self) -> Path:
        return self.path / "crawls"

    @property
    def deposits(self) -> Path:
        return self.path / "deposits"


def crawl_folder(path: Path, blog_id: str) -> Path:
    """Return the scratch folder of a blog's crawls; an id that is not a UUID becomes one."""
    return path / "crawls" / (blog_id if ids.is_uuid(blog_id) else ids.blog_id(blog_id))


def open_archive(
    config: Config, *, now: datetime, create: bool = True, reading: bool = False
) -> Archive:
    """Open the archive of ``config``, made and marked if it is new and ``create``.

    Raises ArchiveError: not there, not writable, a folder with other things in it, or of a newer
    version; DiskFullError.
    """
    path = config.archive_path.absolute()
    if not path.exists() and not create:
        raise ArchiveError(
            f"there is no archive at {path}",
            advice="crawl a blog first, or name another one with --archive",
        )
    if path.exists() and not path.is_dir():
        raise ArchiveError(f"{path} is a file, not an archive folder")
    with disk_errors(str(path)):
        try:
            if create:
                path.mkdir(parents=True, exist_ok=True)
        except (FileNotFoundError, NotADirectoryError, FileExistsError) as error:
            raise ArchiveError(f"{path} can't be made: {error.strerror}") from None
        layout = _mark(path, now, create)
        if not reading and not os.access(path, os.W_OK | os.X_OK):
            raise ArchiveError(f"{path} can't be written", advice="check its owner and permissions")
        if create:
            for place in (path, path / "deposits", path / "crawls", temporary_root()):
                sweep(place)
        return Archive(path, layout)


def made_at(path: Path) -> datetime | None:
    """Return when the archive in ``path`` was made; None if its mark does not say."""
    try:
        return parse_rfc3339(json.loads((path / MARK).read_bytes())["made"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError, PackagingError):
        return None


def check_mark(path: Path) -> list[str]:
    """Return the faults of an archive's mark, for ``verify``, which goes on without it."""
    mark = path / MARK
    try:
        fields = json.loads(mark.read_bytes())
        check = fields.pop("check", None)
        if not isinstance(fields["layout"], int) or not all(
            isinstance(fields.get(name), str) for name in ("made", "software")
        ):
            return ["its fields are missing or of another type"]
    except FileNotFoundError:
        return ["it is missing; the next crawl writes it again"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return [f"it can't be read: {error}"]
    faults = (
        []
        if fields["layout"] <= LAYOUT_VERSION
        else [f"it names layout {fields['layout']}, known are up to {LAYOUT_VERSION}"]
    )
    # the first version had no checksum
    if check != _checksum(fields) and not (check is None and set(fields) == _FIRST_FIELDS):
        faults.append("its checksum does not fit")
    return faults


def _checksum(fields: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def _mark(path: Path, now: datetime, create: bool) -> int:
    mark = path / MARK
    try:
        mark_data = json.loads(mark.read_bytes())
        layout = int(mark_data["layout"])
    except FileNotFoundError:
        return _new_mark(path, now, create)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        advice = (
            "blogcrawl verify checks the rest; without that file the next crawl writes it again"
        )
        raise ArchiveError(f"{mark} can't be read: {error}", advice=advice) from None
    if layout > LAYOUT_VERSION:
        raise ArchiveError(
            f"{path} was written by a newer blogcrawl ({mark_data.get('software', '?')}, layout "
            f"{layout};"
            f" this one knows layouts up to {LAYOUT_VERSION})",
            advice="use that version or a newer one",
        )
    return layout


def _new_mark(path: Path, now: datetime, create: bool) -> int:
    strangers = sorted(
        name for name in os.listdir(path) if name not in _KNOWN and not name.startswith(".")
    )
    if strangers:
        raise ArchiveError(
            f"{path} is no blogcrawl archive and not empty: it holds {strangers[0]!r}",
            advice="name an empty folder",
        )
    if not create:
        raise ArchiveError(
            f"there is no archive at {path}",
            advice="crawl a blog first, or name another one with --archive",
        )
    fields = {
        "layout": LAYOUT_VERSION,
        "made": rfc3339(now),
        "software": f"blogcrawl {__version__}",
    }
    replace_file(
        path / MARK, json.dumps({**fields, "check": _checksum(fields)}, indent=1).encode() + b"\n"
    )
    return LAYOUT_VERSION
