"""What an egg says of a node that lacks packages."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest

from blogcrawl.core.requirements import check_node, unmet

INSTALLED = {"click": "8.1.7", "lxml": "6.0.0", "numpy": "2.3.0rc1"}


def version(name: str) -> str:
    if name not in INSTALLED:
        raise metadata.PackageNotFoundError(name)
    return INSTALLED[name]


@pytest.mark.parametrize(
    ("requirement", "lacking"),
    [
        ("lxml>=5.3,<7", []),
        ("numpy>=2,<3", []),
        ("msgspec<1,>=0.19", ["msgspec"]),
        ("click>=8.5", ["click>=8.5 (installed: 8.1.7)"]),
        ('s3fs>=2025.1; extra == "s3"', []),
        ('colorama; sys_platform == "win32"', []),
    ],
)
def test_unmet_requirements_are_named_with_what_is_installed(
    requirement: str, lacking: list[str]
) -> None:
    assert unmet([requirement], version) == lacking


def write_egg(folder: Path, requires: str) -> Path:
    egg = folder / "0_1_0.egg"  # the name under which Scrapyd stores it
    with ZipFile(egg, "w") as file:
        file.writestr("EGG-INFO/PKG-INFO", "Metadata-Version: 2.1\nName: blogcrawl\n")
        file.writestr("EGG-INFO/requires.txt", requires)
    return egg


def test_all_missing_packages_of_an_egg_are_in_one_line(tmp_path: Path) -> None:
    egg = write_egg(tmp_path, "lxml\nno-such-a>=1\nno-such-b\n\n[s3]\nno-such-c\n")
    with pytest.raises(SystemExit) as end:
        check_node(egg)
    assert str(end.value).startswith("blogcrawl: run `pip install --require-hashes -r ")
    assert str(end.value).endswith("it lacks no-such-a, no-such-b")


def test_an_egg_whose_packages_are_installed_runs(tmp_path: Path) -> None:
    check_node(write_egg(tmp_path, "lxml\nclick>=8\n"))
