"""A password on its way through every command: it reaches its origin, and is written nowhere."""

from __future__ import annotations

import base64
import contextlib
import gzip
import io
import os
import subprocess
import sys
import threading
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_bad_input import small_blog
from tests.conftest import Cli, Done, clean_environment
from tests.crawling.blog import png
from tests.crawling.pipelines import shellblog
from tests.rendering.browsing import needs_browser
from tests.server import Rule, Server

USER, PASSWORD = "archivist", "Kx7/very@unique%word"
TYPED = "Kx7%2Fvery%40unique%25word"
TRACES = [
    PASSWORD.encode(),
    TYPED.encode(),
    b"very@unique",
    b"very%40unique",
    base64.b64encode(f"{USER}:{PASSWORD}".encode()),
    base64.b64encode(PASSWORD.encode()).rstrip(b"="),
]


def with_login(server: Server) -> str:
    return server.url.replace("://", f"://{USER}:{TYPED}@")


def traces(data: bytes, name: str) -> Iterator[str]:
    """Where the password is in ``data``, in ZIP and gzip members too."""
    yield from (f"{name}: {trace!r}" for trace in TRACES if trace in data)
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            for member in package.namelist():
                yield from traces(package.read(member), f"{name}!{member}")
    elif data[:2] == b"\x1f\x8b":
        with contextlib.suppress(EOFError, zlib.error):  # the last member of a file under way
            yield from traces(gzip.decompress(data), f"{name}!")


def traces_below(folder: Path) -> list[str]:
    """In names and bytes of all files."""
    found: list[str] = []
    for path in folder.rglob("*"):
        found += traces(os.fsencode(path.name), f"name {path}")
        if path.is_file() and not path.is_symlink():
            found += traces(path.read_bytes(), str(path.relative_to(folder)))
    return found


class Watcher(threading.Thread):
    """Notes arguments and environment of a process and all below it, for as long as it runs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        super().__init__(daemon=True)
        self.process, self.found, self.programs = process, set[str](), set[str]()
        self.own = ["nothing was seen"]

    def run(self) -> None:
        from blogcrawl.crawling.handlers.browser import descendants

        while self.process.poll() is None:
            for pid in [self.process.pid, *descendants(self.process.pid)]:
                with contextlib.suppress(OSError):
                    words = Path(f"/proc/{pid}/cmdline").read_bytes()
                    self.programs.add(os.fsdecode(words.split(b"\0")[0]))
                    where = list(traces(words, f"arguments of {words[:80]!r}"))
                    if (
                        pid == self.process.pid
                        # its own arguments are overwritten once Python has started; see
                        # docs/commands.md
                    ):
                        self.own = where
                    else:
                        self.found.update(where)
                    self.found.update(
                        traces(
                            Path(f"/proc/{pid}/environ").read_bytes(),
                            f"environment of {words[:80]!r}",
                        )
                    )
            threading.Event().wait(0.3)


def watched(tmp_path: Path, *args: str) -> tuple[Done, Watcher]:
    command = [sys.executable, "-m", "blogcrawl", *args]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=tmp_path, env=clean_environment(), stdout=pipe, stderr=pipe, text=True
    )
    watcher = Watcher(process)
    watcher.start()
    out, err = process.communicate()
    watcher.join(10)
    return Done(process.returncode, out, err), watcher


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Server]:
    """Another origin, which a page shows pictures from and one of its addresses leads to."""
    root = tmp_path / "other"
    (root / "img").mkdir(parents=True)
    (root / "img/a.png").write_bytes(png(3))
    (root / "moved.html").write_text("<h1>Elsewhere</h1>")
    with Server(root) as server:
        yield server


@pytest.fixture
def blog(tmp_path: Path, other: Server) -> Iterator[Server]:
    """A blog behind a login; a picture of each post lies on another origin."""
    site = tmp_path / "site"
    small_blog(site, 8, 4)
    for path in site.rglob("letter-*.html"):
        path.write_text(
            path.read_text().replace(
                "</p>", f"</p><img src='{other.url}img/a.png'><img src='/own.png'>"
            )
        )
    (site / "own.png").write_bytes(png(5))
    rules = [
        Rule(path="/(?!robots).*", login=f"{USER}:{PASSWORD}"),
        Rule(path="/2020/03/.*", status=302, headers={"Location": f"{other.url}moved.html"}),
    ]
    with Server(site, rules) as server:
        yield server


def never_sent_to(server: Server) -> bool:
    hits = server.log()
    return bool(hits) and not any("authorization" in hit.headers for hit in hits)


@pytest.mark.slow
@pytest.mark.by_hand
def test_password_is_sent_to_its_origin_only_and_never_stored(
    cli: Cli, tmp_path: Path, blog: Server, other: Server
) -> None:
    archive, netrc = tmp_path / "archive", tmp_path / "netrc"
    said: list[Done] = []
    plain = ["--delay", "0", "--render", "never", "--set", "allow_private=1"]
    done, watcher = watched(tmp_path, "crawl", with_login(blog), *plain, "--verbose")
    said.append(done)
    assert done.code in (0, 11) and "7 new" in done.out, done
    assert not watcher.found and not watcher.own
    assert {hit.status for hit in blog.log() if hit.path.endswith((".html", ".png"))} >= {200}
    assert never_sent_to(other), "neither with media nor with a redirect"

    said.append(cli("update", *plain))
    assert said[-1].code == 4 and "BLOGCRAWL_CREDENTIALS_FILE" in said[-1].err, said[-1]
    netrc.write_text(f"machine {blog.url.rstrip('/')} login {USER} password {PASSWORD}\n")
    netrc.chmod(0o600)
    blog.clear_log()
    file = {"BLOGCRAWL_CREDENTIALS_FILE": str(netrc)}
    said.append(cli("update", *plain, "--json", env=file))
    assert said[-1].code in (0, 11) and any("authorization" in hit.headers for hit in blog.log()), (
        said[-1]
    )
    assert never_sent_to(other)
    said.append(cli("update", with_login(blog), *plain, env={"BLOGCRAWL_DEBUG": "1"}))

    for command in (
        ["list", "--json"],
        ["show", with_login(blog)],
        ["show", "--json", blog.url],
        ["verify", "--deep", "--report", "report.html"],
        ["report", "--json"],
        ["rules", with_login(blog)],
        ["export", "--format", "jsonl"],
        *(
            ["export", "--format", name, "-o", f"out/{name}"]
            for name in ("wacz", "warc", "bagit", "eark-zip", "html", "marcxml")
        ),
        ["deposit", "--to", "folder:" + str(tmp_path / "out/deposit")],
        ["deposit", "--to", f"fedora+http://{USER}:{TYPED}@127.0.0.1:1/rest"],
        ["deposit", "--to", f"inveniordm+http://{TYPED}@127.0.0.1:1/api", "--json"],
        ["deposit", "--to", f"fedora+http://{USER}:{TYPED}@127.0.0.1:port/rest"],
        ["deposit", "--to", f"s3://{USER}:{TYPED}@bucket/x"],
        ["crawl", f"http://{USER}:Kx7/very@unique%word@127.0.0.1:1/"],
        ["crawl", f"ftp://{USER}:{TYPED}@127.0.0.1/"],
        ["crawl", f"http://{USER}:{TYPED}@127.0.0.1:1/", "--json"],
        ["crawl", f"http://{USER}:{TYPED}@ /"],
        [f"http://{USER}:{TYPED}@127.0.0.1/"],
        ["controller", "--node", f"http://{USER}:{TYPED}@127.0.0.1:6800", "--once"],
        ["crawl", "--set", f"state_url=postgresql://{USER}:{TYPED}@127.0.0.1:1/x", blog.url],
        ["crawl", "--set", f"nothing=http://{USER}:{TYPED}@127.0.0.1:1/x", blog.url],
    ):
        said.append(cli(*command))
        assert said[-1].code != 70, (command, said[-1])
    login = f"{USER}:{TYPED}@"
    for variable in (
        f"postgresql://{login}127.0.0.1:1/x",
        f"nonsense://{login}h",
        f"postgresql://{login}h:y",
    ):
        for debug in ("", "1"):
            said.append(
                cli("list", env={"BLOGCRAWL_STATE_URL": variable, "BLOGCRAWL_DEBUG": debug})
            )
            assert said[-1].code in (9, 12), said[-1]
    netrc.unlink()
    assert [
        found
        for one in said
        for stream in (one.out, one.err)
        for found in traces(stream.encode(), str(one))
    ] == []
    assert traces_below(archive) == [] and traces_below(tmp_path / "out") == []
    assert list(traces((tmp_path / "report.html").read_bytes(), "report")) == []


def test_evidence_requests_omit_the_login_and_note_it(
    tmp_path: Path, cli: Cli, blog: Server
) -> None:
    done = cli("crawl", with_login(blog), "--delay", "0", "--render", "never")
    assert done.code in (0, 11), done
    assert cli("export", "--format", "warc", "-o", "warc").code == 0
    data = b"".join(
        gzip.decompress(path.read_bytes()) for path in (tmp_path / "warc").rglob("*.warc.gz")
    )
    assert b"GET /2020/" in data and b"authorization:" not in data.lower()
    assert b"Authorization and Proxy-Authorization fields are left out" in data


@pytest.mark.parametrize("rendering", [pytest.param("always", marks=needs_browser), "never"])
def test_wrong_password_is_a_one_line_error(cli: Cli, blog: Server, rendering: str) -> None:
    done = cli(
        "crawl",
        blog.url.replace("://", "://archivist:wrong-and-unique@"),
        "--delay",
        "0",
        "--render",
        rendering,
    )
    assert done.code == 4 and "401" in done.err and "wrong-and-unique" not in done.err + done.out, (
        done
    )


@needs_browser
def test_browser_sends_the_login_to_its_origin_only(tmp_path: Path, other: Server) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with Server(site, [Rule(path="/(?!robots).*", login=f"{USER}:{PASSWORD}")]) as server:
        made = shellblog.write(site, server.url)
        page = (site / "app.js").read_text()
        (site / "app.js").write_text(page + f"\nnew Image().src = '{other.url}img/a.png';\n")
        done, watcher = watched(
            tmp_path, "crawl", with_login(server), "--delay", "0", "--set", "allow_private=1"
        )
        assert done.code == 0 and f"{len(made)} new" in done.out, done
        assert any("chrom" in program for program in watcher.programs), watcher.programs
        assert not watcher.found and not watcher.own
        assert never_sent_to(other)
    assert traces_below(tmp_path / "archive") == []
    assert list(traces((done.out + done.err).encode(), "said")) == []
