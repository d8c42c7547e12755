"""What the spiders' tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder that a test's server shows."""
    folder = tmp_path / "site"
    folder.mkdir()
    return folder
