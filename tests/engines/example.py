"""Writes the blog of docs/tutorial.md: ``python -m tests.engines.example``."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tests.conftest import ROOT, rebase
from tests.engines.build import BASE, build_blag

ADDRESS = "http://127.0.0.1:8000"
FOLDER = ROOT / "docs" / "example-blog"


def main() -> None:
    """Build the blog with its engine and put the tutorial's address into it."""
    with tempfile.TemporaryDirectory() as scratch:
        site = build_blag(Path(scratch), full_feed=False)
        shutil.rmtree(FOLDER, ignore_errors=True)
        shutil.copytree(site.root, FOLDER)
    rebase(FOLDER, BASE, ADDRESS)


if __name__ == "__main__":
    main()
