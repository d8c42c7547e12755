"""A real Fedora 6: deposit 200 posts and their blog, kill the server in the middle, go on, read
everything back.

Not part of the tests (it needs Java and some minutes):

    mvn dependency:get -Dartifact=org.fcrepo:fcrepo-webapp:6.1.0:war -Dtransitive=false
    mvn dependency:get -Dartifact=org.eclipse.jetty:jetty-runner:9.4.54.v20240208 -Dtransitive=false
    python -m tests.fedora.real --posts 200
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import tempfile
import threading
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import httpx

from blogcrawl.core.config import Config
from blogcrawl.core.errors import DepositError
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.storage.deposit import Ledger, deposit, open_target
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.selection import Selection
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import BlogRow, PostRow
from tests.packaging.samples import BLOG, MOMENT, STAMP, entry, with_media

MAVEN = Path.home() / ".m2/repository"
WAR = MAVEN / "org/fcrepo/fcrepo-webapp/6.1.0/fcrepo-webapp-6.1.0.war"
JETTY = MAVEN / "org/eclipse/jetty/jetty-runner/9.4.54.v20240208/jetty-runner-9.4.54.v20240208.jar"
CONFIG = """<?xml version="1.0"?>
<!DOCTYPE Configure PUBLIC "-//Jetty//Configure//EN" "http://www.eclipse.org/jetty/configure_9_3.dtd">
<Configure id="Server" class="org.eclipse.jetty.server.Server">
  <Call name="addBean"><Arg><New class="org.eclipse.jetty.security.HashLoginService">
    <Set name="name">fcrepo</Set><Set name="config">{users}</Set></New></Arg></Call>
</Configure>
"""


class Fedora:
    """A Fedora on loopback whose data lie in ``home``."""

    def __init__(self, home: Path, port: int) -> None:
        self.home, self.port = home, port
        self.url = f"http://127.0.0.1:{port}/rest"
        self.auth = ("fedoraAdmin", "fedoraAdmin")
        (home / "users.properties").write_text("fedoraAdmin: fedoraAdmin,fedoraAdmin\n")
        (home / "jetty.xml").write_text(CONFIG.format(users=home / "users.properties"))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            "java",
            "-Xmx1g",
            f"-Dfcrepo.home={self.home / 'data'}",
            "-Dfile.encoding=UTF-8",
            "-jar",
            str(JETTY),
        ]
        command += [
            "--config",
            str(self.home / "jetty.xml"),
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            str(WAR),
        ]
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.home)
        for _ in range(600):
            time.sleep(1)
            try:
                if httpx.get(self.url, auth=self.auth, timeout=5).status_code == 200:
                    return
            except httpx.HTTPError:
                continue
        raise SystemExit("Fedora does not start; see " + str(self.home / "log"))

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def kill_after(self, ledger: Path, lines: int) -> None:
        """Kill it once so many deposits are noted."""
        while sum(len(path.read_bytes().splitlines()) for path in ledger.glob("*.jsonl")) < lines:
            time.sleep(0.05)
        self.kill()


def fill(archive: Path, posts: int):  # type: ignore[no-untyped-def]
    """An archive with one blog and ``posts`` posts."""
    config = Config(archive=str(archive))
    store, state = open_store(config), open_state(config)
    blog = ids.blog_id(BLOG.url)
    lines = []
    for number in range(posts):
        source = with_media(number) if number % 10 == 0 else entry(number, comments=10)
        url = source.post.canonical_url
        made = store.put(
            ids.urn(ids.entry_id(url)), entry_aip(source), message="first", created=MOMENT
        )
        lines.append({"url": url, "aip_id": made.object_id, "version": 1})
        state.save_post(
            PostRow(
                blog_id=blog, url=url, title=source.post.title, aip_id=made.object_id, aip_version=1
            )
        )
    made = store.put(
        ids.urn(blog),
        blog_aip(BlogInput(blog=BLOG, stamp=STAMP, entries=lines)),
        message="first",
        created=MOMENT,
    )
    state.save_blog(
        BlogRow(id=blog, url=BLOG.url, title=BLOG.title, aip_id=made.object_id, aip_version=1)
    )
    return store, state


def read_back(fedora: Fedora, store) -> tuple[int, int]:  # type: ignore[no-untyped-def]
    """Packages and files whose bytes, read over REST, have the digest of the store."""
    blog = ids.objid(ids.blog_id(BLOG.url))
    packages = files = 0
    with httpx.Client(auth=fedora.auth, timeout=60) as client:
        for object_id in store.object_ids():
            name = ids.objid(ids.bare(object_id))
            place = f"{fedora.url}/blogs/{blog}/" + ("blog" if name == blog else name)
            for path, digest in store.head(object_id).files.items():
                answer = client.get(f"{place}/{quote(path)}")
                assert answer.status_code == 200, (place, path, answer.status_code)
                assert hashlib.sha512(answer.content).hexdigest() == digest, (place, path)
                files += 1
            packages += 1
        listed = client.get(
            f"{fedora.url}/blogs/{blog}", headers={"Accept": "application/n-triples"}
        ).text
    children = {line.split(" ")[2] for line in listed.splitlines() if "ldp#contains>" in line}
    assert not children or len(children) == packages, (len(children), packages)
    return packages, files


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--posts", type=int, default=200)
    options.add_argument("--port", type=int, default=8899)
    args = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="fedora-") as folder:
        home = Path(folder)
        store, state = fill(home / "archive", args.posts)
        fedora = Fedora(home, args.port)
        fedora.start()
        try:
            run(fedora, store, state, home, args.posts)
        finally:
            fedora.kill()


def run(fedora: Fedora, store, state, home: Path, posts: int) -> None:  # type: ignore[no-untyped-def]
    url = f"fedora+http://fedoraAdmin:fedoraAdmin@127.0.0.1:{fedora.port}/rest/blogs"
    ledger = home / "archive" / "deposits"
    threading.Thread(target=fedora.kill_after, args=(ledger, posts // 2), daemon=True).start()
    try:
        print(
            "before the kill:",
            deposit(state, store, Selection(), open_target(url), Ledger(ledger, url)),
        )
    except DepositError as error:
        print("broke off:", error.message[:100])
    print(
        "in the ledger then:",
        len((ledger / next(p.name for p in ledger.glob("*.jsonl"))).read_bytes().splitlines()),
    )
    fedora.kill()
    fedora.start()
    began = time.time()
    print(
        "after:",
        deposit(state, store, Selection(), open_target(url), Ledger(ledger, url)),
        f"{time.time() - began:.1f} s",
    )
    print("packages and files read back, digests equal:", *read_back(fedora, store))
    again = deposit(state, store, Selection(), open_target(url), Ledger(home / "no-ledger", url))
    print("with the ledger lost, the server still knows them:", again)
    changed = entry(1, comments=11, stamp=STAMP)
    store.put(
        ids.urn(ids.entry_id(changed.post.canonical_url)),
        entry_aip(changed),
        message="changed",
        created=MOMENT + timedelta(days=1),
    )
    print(
        "one new version:",
        deposit(state, store, Selection(), open_target(url), Ledger(ledger, url)),
    )
    print("packages and files read back, digests equal:", *read_back(fedora, store))


if __name__ == "__main__":
    main()
