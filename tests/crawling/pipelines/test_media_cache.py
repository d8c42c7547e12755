"""Media between download and package."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from blogcrawl.core.errors import DiskFullError
from blogcrawl.crawling.pipelines.media_cache import MediaCache

BODY = b"\x89PNG\r\n\x1a\n" + bytes(1000)
DIGEST = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def cache(tmp_path: Path) -> MediaCache:
    return MediaCache(None, None, tmp_path / "media", "blog")  # type: ignore[arg-type]


def test_half_written_media_of_a_killed_crawl_are_replaced(cache: MediaCache) -> None:
    cache.folder.mkdir()
    (cache.folder / DIGEST).write_bytes(BODY[:100])
    cache.keep(DIGEST, BODY)
    assert cache.collect([DIGEST]) == {DIGEST: BODY}


def test_media_file_is_renamed_only_when_complete(
    cache: MediaCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(DiskFullError):
            cache.keep(DIGEST, BODY)
    assert list(cache.folder.iterdir()) == []
    cache.keep(DIGEST, BODY)
    assert cache.collect([DIGEST]) == {DIGEST: BODY}
