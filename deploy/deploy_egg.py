"""Put this project's egg on Scrapyd nodes: python deploy/deploy_egg.py URL… (login from
BLOGCRAWL_NODES_USERNAME and _PASSWORD_FILE).
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import io
import marshal
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from blogcrawl import __version__
from blogcrawl.cluster.scrapyd import NodeError, ScrapydClient
from blogcrawl.core.credentials import secret

PATIENCE_SECONDS = 180
"""How long a node may take to start, and to answer: it reads the whole egg in a process of its own
first.
"""


ROOT = Path(__file__).resolve().parent.parent
BUILT_FROM = ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "scrapy.cfg")


def kept_egg(folder: Path) -> bytes:
    """Return the egg that ``folder`` keeps of these very sources, else build it and keep it there.

    Building takes as long as all else before the first job: 2.5 s of CPU.
    """
    egg = folder / f"blogcrawl-{_state_of_sources()}.egg"
    try:
        return egg.read_bytes()
    except OSError:
        built = build_egg()
    part = egg.with_suffix(f".{os.getpid()}")
    try:
        for old in folder.glob("blogcrawl-*.egg"):
            old.unlink(missing_ok=True)
        part.write_bytes(built)
        part.replace(egg)
    except OSError as error:  # a folder that is not ours to write into
        print(f"the egg is not kept in {folder}: {error.strerror}", file=sys.stderr)
    return built


def _state_of_sources() -> str:
    """Return a digest of what the egg is built from (names, sizes, times) and of Python."""
    paths = [ROOT / name for name in BUILT_FROM]
    paths += (path for path in (ROOT / "blogcrawl").rglob("*") if path.parent.name != "__pycache__")
    files = sorted(path for path in paths if path.is_file())
    facts = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return hashlib.sha256(repr((sys.version, facts)).encode()).hexdigest()[:16]


def build_egg() -> bytes:
    """The egg that scrapyd-deploy would build, without leaving files in the clone."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "setup.py",
            "-q",
            "egg_info",
            "--egg-base",
            folder,
            "build",
            "--build-base",
            f"{folder}/build",
            "bdist_egg",
            "-d",
            folder,
            "-b",
            f"{folder}/egg",
        ]
        done = subprocess.run(
            command,
            cwd=ROOT,
            # `with_bytecode` compiles: once is enough
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
        )
        eggs = list(Path(folder).glob("*.egg"))
        if done.returncode or not eggs:
            sys.exit(f"the egg can't be built: {' '.join(done.stderr.strip().splitlines()[-1:])}")
        return with_bytecode(eggs[0].read_bytes())


def with_bytecode(egg: bytes) -> bytes:
    """Put each module's bytecode beside its source, where zipimport looks for it.

    setuptools writes it to ``__pycache__``, which zipimport ignores, so that each job would compile
    the whole project. Nodes with another Python take the sources.
    """
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(egg)) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for entry in old.infolist():
            if "/__pycache__/" in entry.filename:
                continue
            data = old.read(entry)
            new.writestr(entry, data, zipfile.ZIP_DEFLATED)
            if entry.filename.endswith(".py"):
                code = compile(data, entry.filename, "exec", dont_inherit=True)
                # Unchecked, hash-based (PEP 552): the times in a ZIP have no time zone.
                head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little")
                head += importlib.util.source_hash(data)
                new.writestr(entry.filename + "c", head + marshal.dumps(code))
    return made.getvalue()


async def deploy(urls: list[str], egg: bytes, user: str, password: str) -> None:
    """To all nodes at once, waiting for those that are still starting. Leaves with one line where a
    node refuses.
    """
    await asyncio.gather(*(_deploy_to(url, egg, user, password) for url in urls))


async def _deploy_to(url: str, egg: bytes, user: str, password: str) -> None:
    client = ScrapydClient(url, username=user, password=password, timeout_seconds=PATIENCE_SECONDS)
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            spiders = await client.add_version(__version__, egg)
            print(f"{url}: version {__version__}, {spiders} spiders", file=sys.stderr)
            break
        except NodeError as error:
            if error.trouble != "unreachable" or time.monotonic() > until:
                sys.exit(f"the egg can't be deployed: {error}")
            await asyncio.sleep(0.2)
    await client.close()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    credentials = os.environ.get("BLOGCRAWL_NODES_USERNAME", ""), secret("BLOGCRAWL_NODES_PASSWORD")
    asyncio.run(deploy(sys.argv[1:], kept_egg(Path(sys.prefix)), *credentials))
