"""The package in a zipped egg, as Scrapyd runs it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "blogcrawl"


def output_from_egg(script: str, folder: Path, data: str) -> str:
    """Return what ``script`` prints with all modules and files of the suffix ``data`` in an egg."""
    egg = folder / "blogcrawl.egg"
    with zipfile.ZipFile(egg, "w") as package:
        for path in PACKAGE.rglob("*"):
            if path.suffix in (".py", data):
                package.write(path, path.relative_to(PACKAGE.parent))
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(egg)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
