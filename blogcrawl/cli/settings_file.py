"""Settings from ``blogcrawl.toml`` in the working folder and in the archive folder."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from blogcrawl.cli.output import suggestion
from blogcrawl.core.config import PREFIX, Config
from blogcrawl.core.credentials import without_password
from blogcrawl.core.errors import UsageError

FILE = "blogcrawl.toml"
ELSEWHERE = {
    "webhook": "is a secret: set it in the environment",
    "browser_path": "names a program, and the file may come with an archive of others: set it in "
    "the environment",
    **dict.fromkeys(
        ("blog_id", "job_id", "node", "lease_token"), "belongs to one job of a cluster"
    ),
}
"""Settings that no file may have, and why."""


def setting_names() -> frozenset[str]:
    """Return the names of all settings, as ``--set`` and the files have them."""
    return frozenset(spec.name for spec in fields(Config))


def settings_from_environment() -> dict[str, str]:
    """Return the ``BLOGCRAWL_*`` variables that name a setting; empty ones count as unset."""
    names = {PREFIX + name.upper() for name in setting_names()}
    return {name: value for name, value in os.environ.items() if name in names and value}


def given_settings(archive: str | None) -> dict[str, str]:
    """Return the settings of both files and the environment; the later wins.

    ``archive``: the archive folder if it was given on the command line. Raises UsageError.
    """
    settings: dict[str, str] = {}
    for path in files_read(archive):
        settings |= _read(path)
    return settings | settings_from_environment()


def files_read(archive: str | None) -> Iterator[Path]:
    """Yield the files that exist: that of the working folder, then that of the archive folder."""
    here = Path(FILE)
    if here.is_file():
        yield here
    folder = archive or os.environ.get(PREFIX + "ARCHIVE")
    if not folder and here.is_file():
        folder = _read(here).get(PREFIX + "ARCHIVE")
    there = Path(folder or Config().archive) / FILE
    if there.is_file() and not (here.is_file() and there.samefile(here)):
        yield there


def _read(path: Path) -> dict[str, str]:
    """Return the settings of a file under their full names. Raises UsageError."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} can't be read: {error}") from None
    return {
        PREFIX + (key := _checked(path, name, value)).upper(): _text(path, key, value)
        for name, value in data.items()
    }


def _checked(path: Path, name: str, value: Any) -> str:
    """Return the setting's name in lower case. Raises UsageError."""
    key, known = name.lower().removeprefix(PREFIX.lower()), setting_names()
    if key not in known:
        raise UsageError(
            f"{path} has no setting {name!r} to give",
            advice=suggestion(key, known) or "docs/settings.md lists all",
        )
    if key in ELSEWHERE:
        raise UsageError(f"{path}: {key} {ELSEWHERE[key]}")
    if key == "state_url" and without_password(str(value)) != value:
        raise UsageError(
            f"{path} holds a password in state_url",
            advice=f"name a file with it in {PREFIX}STATE_URL_FILE",
        )
    return key


def _text(path: Path, name: str, value: Any) -> str:
    """Return a value as the environment would have it; a list's items separated by blanks."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    if isinstance(value, str | int | float):
        return str(value)
    raise UsageError(f"{path}: {name} takes a text, a number, true, false or a list of texts")
