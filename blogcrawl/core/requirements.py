"""The packages that an egg needs of the node that runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

INSTALL = "pip install --require-hashes -r deploy/requirements-node.lock"


def unmet(
    requirements: Iterable[str], version: Callable[[str], str] = metadata.version
) -> list[str]:
    """Return the requirements (PEP 508) that the installed packages do not meet.

    Requirements of extras and of other systems are left out. An installed version that does not fit
    is named: ``click>=8.5 (installed: 8.1.7)``.
    """
    lacking = []
    for requirement in map(Requirement, requirements):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = version(requirement.name)
        except metadata.PackageNotFoundError:
            lacking.append(requirement.name)
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            lacking.append(f"{requirement.name}{requirement.specifier} (installed: {installed})")
    return lacking


def check_node(egg: Path) -> None:
    """End the process with one line if packages that the egg requires are not installed.

    Scrapyd passes what is written on standard error on to whoever deploys the egg.
    """
    # by its path, since Scrapyd stores an egg under its version alone
    found = metadata.distributions(path=[str(egg)])
    lacking = unmet(name for egg_info in found for name in egg_info.requires or ())
    if lacking:
        raise SystemExit(
            f"blogcrawl: run `{INSTALL}` in this node's environment; it lacks {', '.join(lacking)}"
        )
