"""``blogcrawl remove``: taken down, purged, and what every other command then shows."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from blogcrawl.core.config import Config
from blogcrawl.core.organization import Organization
from blogcrawl.packaging import ids
from blogcrawl.packaging.xmltools import METS, PREMIS, parse
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.web.oai import Provider
from tests.cluster.services import postgres, s3_server
from tests.conftest import Cli, Done, clean_environment, command
from tests.crawling.blog import Entry, png, write_blog
from tests.server import Server

CRAWL = ("--delay", "0", "--render", "never")
VICTIM = 3
WORDS = (
    "An unmistakable sentence about the purple accordion that nobody else in this blog "
    "would ever write down."
)


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


def write_site(folder: Path, server: Server, *, posts: int) -> list[Entry]:
    """A blog of which one post, VICTIM, has a sentence and a picture that no other has."""
    written = [Entry(n, text=WORDS if n == VICTIM else "") for n in range(posts)]
    write_blog(folder, written, base=server.url.rstrip("/"), feed=posts, sitemap=True)
    page = folder / written[VICTIM].path.strip("/") / "index.html"
    page.write_text(
        page.read_text()
        .replace("</article>", '<p><img src="/img/own.png"></p></article>')
        .replace(
            '<img src="/img/missing.png">', '<img src="/img/own.png"><img src="/img/missing.png">'
        )
    )
    (folder / "img/own.png").write_bytes(own_picture())
    return written


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Server, list[Entry]]]:
    folder = tmp_path_factory.mktemp("removal")
    with Server(folder / "site") as server:
        posts = write_site(folder / "site", server, posts=12)
        done = command("crawl", server.url, *CRAWL, cwd=folder)
        assert "12 new" in done.out, done
        yield folder, server, posts


@pytest.fixture
def archive(
    crawled: tuple[Path, Server, list[Entry]], tmp_path: Path
) -> tuple[Path, Server, Entry]:
    folder, server, posts = crawled
    shutil.copytree(folder / "archive", tmp_path / "archive")
    return tmp_path / "archive", server, posts[VICTIM]


def url_of(server: Server, entry: Entry) -> str:
    return server.url.rstrip("/") + entry.path


def exported(cli: Cli) -> dict[str, str]:
    done = cli("export", "--format", "jsonl")
    assert done.code == 0, done
    return {json.loads(line)["url"]: line for line in done.out.splitlines()}


def oai(config: Config, query: dict[str, str]) -> str:
    state = open_state(config)
    try:
        return (
            Provider(
                state,
                open_store(config),
                operator=Organization(contact="a@b.example"),
                base_url="http://a.example/oai",
            )
            .answer(query.items())
            .decode()
        )
    finally:
        state.close()


def check_removed(cli: Cli, config: Config, url: str, *, left: int = 11) -> None:
    """What holds for both kinds."""
    done = cli("export", "--format", "jsonl")
    urls = [json.loads(line)["url"] for line in done.out.splitlines()]
    assert url not in urls and len(urls) == left and "1 posts removed" in done.err, done
    shown = cli("show", url)
    assert (
        shown.code == 0 and "by order of the court" in shown.out and "Ada Archivist" in shown.out
    ), shown
    assert cli("show", url, "--json").json["removed"]["reason"] == "by order of the court"
    checked = cli("verify", "--deep")
    assert checked.code == 0, checked
    state, store = open_state(config), open_store(config)
    [removal] = Tombstones(state).posts_of(next(iter(state.blogs())).id)
    blog = next(iter(state.blogs()))
    state.close()
    head = store.head(removal.aip_id or "")
    assert head is not None and [path for path in head.files if "/data/" in path] == [
        "representations/records/data/tombstone.json"
    ]
    with store.open(head.object_id, "METS.xml") as file:
        assert parse(file.read()).find(f"{{{METS}}}metsHdr").get("RECORDSTATUS") == "DEACCESSIONED"  # type: ignore[union-attr]
    for object_id in (head.object_id, blog.aip_id or ""):
        with store.open(object_id, "metadata/preservation/premis.xml") as file:
            root = parse(file.read())
        events = {e.text for e in root.iter(f"{{{PREMIS}}}eventType")}
        assert "deaccession" in events
    record = oai(
        config,
        {
            "verb": "GetRecord",
            "identifier": f"oai:blogcrawl:{ids.bare(head.object_id)}",
            "metadataPrefix": "oai_dc",
        },
    )
    listed = oai(config, {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"})
    assert 'status="deleted"' in listed and listed.count("<header") == left + 2, listed
    assert 'status="deleted"' in record or "idDoesNotExist" in record


def check_it_stays_away(cli: Cli, server: Server, url: str, *, left: int = 11) -> None:
    """No update and no crawl from scratch fetches or archives it again, and both report it."""
    for words in (["update"], ["crawl", server.url, "--full"]):
        server.clear_log()
        done = cli(*words, *CRAWL)
        assert done.code in (0, 11) and "1 posts were removed from this archive" in done.err, done
        assert server.log() and not [
            hit.path for hit in server.log() if hit.path == "/" + url.split("/", 3)[3]
        ]
        urls = exported(cli)
        assert url not in urls and len(urls) == left
        assert cli("verify", "--deep").code == 0


def test_taken_down_post_is_hidden_everywhere_and_not_fetched_again(
    cli: Cli, archive: tuple[Path, Server, Entry], tmp_path: Path
) -> None:
    folder, server, entry = archive
    url = url_of(server, entry)
    assert holding(folder / "packages", WORDS.encode()), "the test looks in the right place"
    assert cli("export", "--format", "eark-zip", "-o", "backup").code == 0
    refused = cli("remove", url, "--reason", "by order of the court")
    assert refused.code == 2 and "--yes" in refused.err and url in exported(cli), refused
    done = cli(
        "remove",
        url,
        "--reason",
        "by order of the court",
        "--by",
        "Ada Archivist",
        "--yes",
        "--json",
    )
    assert (
        done.code == 0 and done.json["removal"]["purged"] is False and done.json["records"] > 0
    ), done
    check_removed(cli, Config(archive=str(folder)), url)
    assert holding(folder / "packages", WORDS.encode()), "earlier versions keep it"
    assert cli("export", "--format", "warc", "-o", "warc").code == 0
    pages = []
    for path in (tmp_path / "warc").rglob("*.warc.gz"):
        with path.open("rb") as stream:
            pages += [
                record.rec_headers.get_header("WARC-Target-URI")
                for record in ArchiveIterator(stream)
            ]
    assert url not in pages and url_of(server, Entry(4)) in pages
    assert server.url + "img/own.png" not in pages and server.url + "img/3.png" in pages, (
        "media that others show stay"
    )
    check_it_stays_away(cli, server, url)
    back = cli("import", "backup", "--replace")
    assert back.code != 0 and "from this archive on " in back.out + back.err, back
    assert url not in exported(cli) and cli("verify").code == 0
    again = cli("remove", url, "--reason", "x", "--yes")
    assert again.code == 2 and "was removed" in again.err
    done = cli(
        "remove",
        url,
        "--reason",
        "by order of the court",
        "--by",
        "Ada Archivist",
        "--yes",
        "--purge",
    )
    assert done.code == 0, done
    assert holding(folder, WORDS.encode(), own_picture()) == []
    check_removed(cli, Config(archive=str(folder)), url)


def test_purge_leaves_no_byte_of_the_post(cli: Cli, archive: tuple[Path, Server, Entry]) -> None:
    folder, server, entry = archive
    url = url_of(server, entry)
    traces = (WORDS.encode(), own_picture(), os.fsencode(WORDS[:40]), b"ordion")
    assert {"packages", "search.db"} <= {name.split("/")[0] for name in holding(folder, *traces)}
    done = cli(
        "remove",
        url,
        "--reason",
        "by order of the court",
        "--by",
        "Ada Archivist",
        "--purge",
        "--yes",
    )
    assert done.code == 0 and "erased" in done.out, done
    assert holding(folder, *traces) == []
    check_removed(cli, Config(archive=str(folder)), url)
    assert holding(folder, png(3)), "media that others show stay"
    assert cli("export", "--format", "bagit", "-o", "bags").code == 0
    ocfl = pytest.importorskip("ocfl")
    assert ocfl.StorageRoot(root=str(folder / "packages")).validate(
        validate_objects=True, check_digests=True
    )
    # the blog still publishes it: crawls leave the page alone; lists and feeds are recorded as they
    # are served
    check_it_stays_away(cli, server, url)


def test_whole_blog_is_purged(cli: Cli, archive: tuple[Path, Server, Entry]) -> None:
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
        listed = oai(
            Config(archive=str(folder)), {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"}
        )
        assert listed.count('status="deleted"') == 13 and listed.count("<header") == 13 + 7
        assert "the author wishes so" in cli("show", server.url).out


def test_remove_refuses_while_the_blog_is_crawled(
    cli: Cli, archive: tuple[Path, Server, Entry]
) -> None:
    from blogcrawl.storage.files import FolderLock
    from blogcrawl.urls.canonical import canonicalize

    folder, server, entry = archive
    lock = FolderLock(folder / "crawls" / ids.blog_id(canonicalize(server.url)))
    done = cli("remove", url_of(server, entry), "--reason", "x", "--yes")
    lock.release()
    assert done.code == 13 and len(exported(cli)) == 12, done


def fetched(config: Config, folder: Path) -> Path:
    """What a remote state and store hold, as files: objects by their keys in ``store``, tables by
    their names in ``state``.
    """
    import psycopg
    import s3fs

    (folder / "state").mkdir(parents=True)
    s3fs.S3FileSystem(skip_instance_cache=True).get(
        config.store_url.removeprefix("s3://"), str(folder / "store"), recursive=True
    )
    with psycopg.connect(config.state_url) as connection:
        for (name,) in connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        ).fetchall():
            rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()  # type: ignore[call-overload]
            (folder / "state" / name).write_text(repr(rows), "utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.by_hand
def test_remove_works_on_postgresql_and_s3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken down, its earlier versions stay in the store; purged, no byte of it is left there, in
    the state or in the scratch folder.
    """
    traces = (WORDS.encode(), own_picture())
    with postgres() as database, s3_server(tmp_path) as keys, Server(tmp_path / "site") as server:
        if database is None or keys is None:
            pytest.skip("PostgreSQL or an S3 server (localbucket, moto) is not installed")
        for name, value in keys.items():
            monkeypatch.setenv(name, value)
        victim = write_site(tmp_path / "site", server, posts=5)[VICTIM]
        url, title = url_of(server, victim), victim.title.encode()
        config = Config(
            archive=str(tmp_path / "archive"),
            state_url=database.create("removal"),
            store_url="s3://packages/removal",
        )
        places = {"BLOGCRAWL_STATE_URL": config.state_url, "BLOGCRAWL_STORE_URL": config.store_url}

        def cli(*arguments: str | Path) -> Done:
            return command(*arguments, cwd=tmp_path, env=clean_environment(**places))

        done = cli("crawl", server.url, *CRAWL)
        assert "5 new" in done.out, done
        assert holding(fetched(config, tmp_path / "crawled") / "state", title)
        order = ("--reason", "by order of the court", "--by", "Ada Archivist", "--yes")
        done = cli("remove", url, *order)
        assert done.code == 0, done
        check_removed(cli, config, url, left=4)
        before = fetched(config, tmp_path / "before")
        assert holding(before / "store", *traces) and holding(before, b"</article>"), (
            "earlier versions keep it"
        )
        done = cli("remove", url, *order, "--purge")
        assert done.code == 0 and "erased" in done.out, done
        check_removed(cli, config, url, left=4)
        after = fetched(config, tmp_path / "after")
        assert holding(after, *traces) == [] and holding(tmp_path / "archive", *traces) == []
        assert holding(after / "state", title) == []
        assert holding(after / "store", png(0)), "media that others show stay"
        check_it_stays_away(cli, server, url, left=4)
        done = cli("remove", server.url, *order, "--purge")
        assert done.code == 0, done
        assert exported(cli) == {} and cli("verify", "--deep").code == 0
        assert holding(fetched(config, tmp_path / "empty"), b"</article>", png(0)) == []
