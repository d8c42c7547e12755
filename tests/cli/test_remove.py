"""``blogcrawl remove``: taken down, purged, and what every other command then shows."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from blogcrawl.config import Config
from blogcrawl.packaging import ids
from blogcrawl.packaging.xmltools import METS, PREMIS, parse
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.web.oai import Provider
from tests.conftest import Cli
from tests.server import Server
from tests.spiders.blog import Entry, png, write_blog

CRAWL = ("--delay", "0", "--render", "never")
VICTIM = 3
WORDS = "An unmistakable sentence about the purple accordion that nobody else in this blog would ever write down."


def own_picture() -> bytes:
    return png(3) + b"bytes that only the picture of the removed post has"


def all_bytes(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each file, and of each member of ZIP and gzip files in it."""

    def inside(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
        yield name, data
        if data[:2] == b"PK":
            with zipfile.ZipFile(io.BytesIO(data)) as package:
                for member in package.namelist():
                    yield from inside(f"{name}!{member}", package.read(member))
        elif data[:2] == b"\x1f\x8b":
            yield from inside(f"{name}!", gzip.decompress(data))

    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield from inside(str(path.relative_to(folder)), path.read_bytes())


def holding(folder: Path, *traces: bytes) -> list[str]:
    return [name for name, data in all_bytes(folder) if any(trace in data for trace in traces)]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Server, list[Entry]]]:
    import subprocess

    from tests.conftest import clean_environment

    folder = tmp_path_factory.mktemp("removal")
    with Server(folder / "site") as server:
        posts = [Entry(n, text=WORDS if n == VICTIM else "") for n in range(12)]
        write_blog(folder / "site", posts, base=server.url.rstrip("/"), feed=12, sitemap=True)
        page = folder / "site" / posts[VICTIM].path.strip("/") / "index.html"
        page.write_text(
            page.read_text()
            .replace("</article>", '<p><img src="/img/own.png"></p></article>')
            .replace('<img src="/img/missing.png">', '<img src="/img/own.png"><img src="/img/missing.png">')
        )
        (folder / "site/img/own.png").write_bytes(own_picture())
        command = [sys.executable, "-m", "blogcrawl", "crawl", server.url, *CRAWL]
        done = subprocess.run(command, cwd=folder, env=clean_environment(), capture_output=True, text=True, timeout=300)
        assert "12 new" in done.stdout, done
        yield folder, server, posts


@pytest.fixture
def archive(crawled: tuple[Path, Server, list[Entry]], tmp_path: Path) -> tuple[Path, Server, Entry]:
    folder, server, posts = crawled
    shutil.copytree(folder / "archive", tmp_path / "archive")
    return tmp_path / "archive", server, posts[VICTIM]


def url_of(server: Server, entry: Entry) -> str:
    return server.url.rstrip("/") + entry.path


def exported(cli: Cli) -> dict[str, str]:
    done = cli("export", "--format", "jsonl")
    assert done.code == 0, done
    return {json.loads(line)["url"]: line for line in done.out.splitlines()}


def oai(archive: Path, query: dict[str, str]) -> str:
    config = Config(archive=str(archive))
    state = open_state(config)
    try:
        return Provider(state, open_store(config), base_url="http://a.example/oai").answer(query.items()).decode()
    finally:
        state.close()


def check_removed(cli: Cli, archive: Path, url: str) -> None:
    """What holds for both kinds."""
    assert url not in exported(cli) and len(exported(cli)) == 11
    assert "1 posts that were removed" in cli("export", "--format", "jsonl").err
    shown = cli("show", url)
    assert shown.code == 0 and "by order of the court" in shown.out and "Ada Archivist" in shown.out, shown
    assert cli("show", url, "--json").json["removed"]["reason"] == "by order of the court"
    checked = cli("verify", "--deep")
    assert checked.code == 0, checked
    config = Config(archive=str(archive))
    state, store = open_state(config), open_store(config)
    [removal] = Tombstones(state).posts_of(next(iter(state.blogs())).id)
    blog = next(iter(state.blogs()))
    state.close()
    head = store.head(removal.aip_id or "")
    assert head is not None and not [path for path in head.files if path.startswith("representations/")]
    with store.open(head.object_id, "METS.xml") as file:
        assert parse(file.read()).find(f"{{{METS}}}metsHdr").get("RECORDSTATUS") == "DEACCESSIONED"  # type: ignore[union-attr]
    for object_id in (head.object_id, blog.aip_id or ""):
        with store.open(object_id, "metadata/preservation/premis.xml") as file:
            root = parse(file.read())
        events = {e.text for e in root.iter(f"{{{PREMIS}}}eventType")}
        assert "deaccession" in events
    record = oai(archive, {"verb": "GetRecord", "identifier": f"oai:blogcrawl:{ids.bare(head.object_id)}", "metadataPrefix": "oai_dc"})
    listed = oai(archive, {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"})
    assert 'status="deleted"' in listed and listed.count("<header") == 13, listed
    assert 'status="deleted"' in record or "idDoesNotExist" in record


def check_it_stays_away(cli: Cli, server: Server, url: str) -> None:
    """No update and no crawl from scratch fetches or archives it again, and both say so."""
    for command in (["update"], ["crawl", server.url, "--full"]):
        server.clear_log()
        done = cli(*command, *CRAWL)
        assert done.code in (0, 11) and "1 posts were removed from this archive" in done.err, done
        assert server.log() and not [hit.path for hit in server.log() if hit.path == "/" + url.split("/", 3)[3]]
        assert url not in exported(cli) and len(exported(cli)) == 11
        assert cli("verify", "--deep").code == 0


def test_taken_down_it_is_left_out_everywhere_and_not_fetched_again(cli: Cli, archive: tuple[Path, Server, Entry], tmp_path: Path) -> None:
    folder, server, entry = archive
    url = url_of(server, entry)
    assert holding(folder / "packages", WORDS.encode()), "the test looks in the right place"
    assert cli("export", "--format", "eark-zip", "-o", "backup").code == 0
    refused = cli("remove", url, "--reason", "by order of the court")
    assert refused.code == 2 and "--yes" in refused.err and url in exported(cli), refused
    done = cli("remove", url, "--reason", "by order of the court", "--by", "Ada Archivist", "--yes", "--json")
    assert done.code == 0 and done.json["removal"]["purged"] is False and done.json["records"] > 0, done
    check_removed(cli, folder, url)
    assert holding(folder / "packages", WORDS.encode()), "earlier versions keep it"
    assert cli("export", "--format", "warc", "-o", "warc").code == 0
    pages = []
    for path in (tmp_path / "warc").rglob("*.warc.gz"):
        with path.open("rb") as stream:
            pages += [record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(stream)]
    assert url not in pages and url_of(server, Entry(4)) in pages
    assert server.url + "img/own.png" not in pages and server.url + "img/3.png" in pages, "media that others show stay"
    check_it_stays_away(cli, server, url)
    back = cli("import", "backup", "--replace")
    assert back.code != 0 and "from this archive on " in back.out + back.err, back
    assert url not in exported(cli) and cli("verify").code == 0
    again = cli("remove", url, "--reason", "x", "--yes")
    assert again.code == 2 and "was removed" in again.err
    done = cli("remove", url, "--reason", "by order of the court", "--by", "Ada Archivist", "--yes", "--purge")
    assert done.code == 0, done
    assert holding(folder, WORDS.encode(), own_picture()) == []
    check_removed(cli, folder, url)


def test_purged_no_byte_of_it_is_left(cli: Cli, archive: tuple[Path, Server, Entry]) -> None:
    folder, server, entry = archive
    url = url_of(server, entry)
    traces = (WORDS.encode(), own_picture(), os.fsencode(WORDS[:40]))
    assert {"packages"} <= {name.split("/")[0] for name in holding(folder, *traces)}
    done = cli("remove", url, "--reason", "by order of the court", "--by", "Ada Archivist", "--purge", "--yes")
    assert done.code == 0 and "erased" in done.out, done
    assert holding(folder, *traces) == []
    check_removed(cli, folder, url)
    assert holding(folder, png(3)), "media that others show stay"
    assert cli("export", "--format", "bagit", "-o", "bags").code == 0
    ocfl = pytest.importorskip("ocfl")
    assert ocfl.StorageRoot(root=str(folder / "packages")).validate(validate_objects=True, check_digests=True)
    # the blog still publishes it: crawls leave the page alone; lists and feeds are recorded as they are served
    check_it_stays_away(cli, server, url)


def test_a_whole_blog(cli: Cli, archive: tuple[Path, Server, Entry]) -> None:
    folder, server, _ = archive
    other = folder.parent / "other"
    with Server(other) as second:
        write_blog(other, [Entry(n + 40) for n in range(6)], base=second.url.rstrip("/"))
        assert cli("crawl", second.url, *CRAWL).code in (0, 11)
        done = cli("remove", server.url, "--reason", "the author wishes so", "--purge", "--yes")
        assert done.code == 0 and "12 posts" in done.out, done
        assert holding(folder, WORDS.encode(), own_picture()) == []
        assert {url.split("/")[2] for url in exported(cli)} == {second.url.split("/")[2]}
        assert cli("verify", "--deep").code == 0
        again = cli("crawl", server.url, *CRAWL)
        assert again.code == 2 and "the author wishes so" in again.err, again
        assert cli("update", *CRAWL).code in (0, 11)
        listed = oai(folder, {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"})
        assert listed.count('status="deleted"') == 13 and listed.count("<header") == 13 + 7
        assert "the author wishes so" in cli("show", server.url).out


def test_nothing_is_removed_of_a_blog_that_is_being_crawled(cli: Cli, archive: tuple[Path, Server, Entry]) -> None:
    from blogcrawl.frontier.canonical import canonicalize
    from blogcrawl.storage.files import FolderLock

    folder, server, entry = archive
    lock = FolderLock(folder / "crawls" / ids.blog_id(canonicalize(server.url)))
    done = cli("remove", url_of(server, entry), "--reason", "x", "--yes")
    lock.release()
    assert done.code == 13 and len(exported(cli)) == 12, done
