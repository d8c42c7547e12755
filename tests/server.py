"""A small real web server for tests, in a child process: a folder of files, and rules that change
what it answers.

    with Server(folder) as server:
        server.rules = [Rule(path="/post-1", status=404), Rule(path=".*", fail_every=2)]
        crawl(server.url) assert [hit.path for hit in server.log()] == ...

Files get ETag and Last-Modified and answer 304; ``/dir`` moves to ``/dir/``; ``/page`` serves
``page.html``. Changing a file or the rules changes the next answer. The log is what arrived, in
order.
"""

from __future__ import annotations

import argparse
import base64
import email.utils
import hashlib
import json
import mimetypes
import os
import re
import shutil
import sys
import tempfile
import threading
import time
import weakref
from collections import Counter
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self
from urllib.parse import unquote, urlsplit

from tests import forked

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".xml": "application/xml",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The first rule whose ``path`` (a regular expression for path and query) matches fully
    decides.

    ``fail_every``: each n-th matching request answers 500, the others go on as if there were no
    rule. ``times``: the rule holds for so many requests. ``body`` None with status 200: the file.
    ``delay`` in seconds.
    """

    path: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    delay: float = 0.0
    fail_every: int = 0
    times: int = 0
    login: str = ""
    """``user:password`` that the request must have (Basic); with it the rule, or those after it, go
    on as if it had none.
    """
    drop: bool = False
    """Close the connection without an answer."""
    file: str = ""
    """The bytes of this file in the server's folder, in place of ``body``."""
    endless: bool = False
    """Send ``body`` again and again until the client closes the connection."""


@dataclass(frozen=True)
class Hit:
    method: str
    path: str
    status: int
    headers: dict[str, str]
    time: float


class Server:
    def __init__(
        self,
        root: Path | None = None,
        rules: list[Rule] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.root, self.host, self.port = root, host, port
        self._control = Path(tempfile.mkdtemp(prefix="blogcrawl-server-"))
        weakref.finalize(self, shutil.rmtree, self._control, ignore_errors=True)
        self._rules: list[Rule] = rules or []

    @property
    def rules(self) -> list[Rule]:
        return self._rules

    @rules.setter
    def rules(self, rules: list[Rule]) -> None:
        self._rules = rules
        temporary = self._control / "rules.tmp"
        temporary.write_text(
            json.dumps({"stamp": time.time_ns(), "rules": [asdict(r) for r in rules]})
        )
        temporary.replace(self._control / "rules.json")

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/"

    def log(self) -> list[Hit]:
        path = self._control / "log.jsonl"
        return (
            [Hit(**json.loads(line)) for line in path.read_text().splitlines()]
            if path.exists()
            else []
        )

    def clear_log(self) -> None:
        (self._control / "log.jsonl").write_text("")

    def paths(self) -> list[str]:
        return [hit.path for hit in self.log()]

    def __enter__(self) -> Self:
        self.rules = self._rules
        arguments = [str(self.root or ""), str(self._control), self.host, str(self.port)]
        line = [sys.executable, "-m", "tests.server", *arguments]
        reading, writing = os.pipe()
        with open(reading) as told, open(os.devnull, "r+b") as nothing:
            streams = [nothing.fileno(), writing, 2]
            self._child = forked.Fork(line, streams=streams)
            os.close(writing)
            self.port = int(told.readline())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._child.kill()
        self._child.wait()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    root: Path | None
    control: Path
    lock = threading.Lock()
    counts: ClassVar[Counter[str]] = Counter()
    stamp = 0

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_GET(self) -> None:
        rule = self._rule()
        if rule is not None and rule.delay:
            time.sleep(rule.delay)
        if rule is not None and rule.drop:
            self._note(0)
            self.close_connection = True
            self.connection.shutdown(2)
            return
        if rule is not None and (rule.status != 200 or rule.body is not None or rule.file):
            headers = {"Content-Type": "text/html; charset=utf-8", **rule.headers}
            body = (
                (self.root / rule.file).read_bytes()
                if rule.file and self.root
                else (rule.body or "").encode()
            )
            if rule.endless:
                self._answer(rule.status, {"Connection": "close", **headers}, body)
                while True:
                    self.wfile.write(body)
            self._answer(rule.status, headers, body)
            return
        self._file(rule.headers if rule else {})

    do_HEAD = do_GET

    def _rule(self) -> Rule | None:
        data = json.loads((self.control / "rules.json").read_text())
        with self.lock:
            if data["stamp"] != _Handler.stamp:
                _Handler.stamp = data["stamp"]
                self.counts.clear()
            for number, raw in enumerate(data["rules"]):
                rule = Rule(**raw)
                if not re.fullmatch(rule.path, self.path):
                    continue
                if rule.login:
                    expected = "Basic " + base64.b64encode(rule.login.encode()).decode()
                    if self.headers.get("Authorization") == expected:
                        continue
                    return Rule(
                        path=rule.path,
                        status=401,
                        headers={"WWW-Authenticate": 'Basic realm="x"'},
                        body="log in",
                    )
                self.counts[str(number)] += 1
                count = self.counts[str(number)]
                if rule.times and count > rule.times:
                    continue
                if rule.fail_every:
                    if count % rule.fail_every == 0:
                        return Rule(path=rule.path, status=500, body="trouble")
                    continue
                return rule
        return None

    def _file(self, extra: dict[str, str]) -> None:
        path = unquote(urlsplit(self.path).path)
        file = self._find(path)
        if file is None:
            self._answer(404, {"Content-Type": "text/html"}, b"<h1>Not found</h1>")
            return
        if file.name == "index.html" and not path.endswith(("/", "index.html")):
            self._answer(301, {"Location": path + "/"}, b"")
            return
        body = file.read_bytes()
        etag = '"' + hashlib.md5(body).hexdigest() + '"'
        headers = {
            "Content-Type": TYPES.get(file.suffix)
            or mimetypes.guess_type(file.name)[0]
            or "application/octet-stream",
            "ETag": etag,
            "Last-Modified": email.utils.formatdate(int(file.stat().st_mtime), usegmt=True),
            **extra,
        }
        if self.headers.get("If-None-Match") == headers["ETag"]:
            self._answer(304, headers, b"")
            return
        self._answer(200, headers, body)

    def _find(self, path: str) -> Path | None:
        if self.root is None or ".." in path.split("/"):
            return None
        base = self.root / path.strip("/")
        for file in (
            base,
            base / "index.html",
            base.with_name(base.name + ".html") if path.strip("/") else base / "index.html",
        ):
            if file.is_file():
                return file
        return None

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self._note(status)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers and headers.get("Connection") != "close":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status != 304:
            self.wfile.write(body)

    def _note(self, status: int) -> None:
        hit = {
            "method": self.command,
            "path": self.path,
            "status": status,
            "headers": {k.lower(): v for k, v in self.headers.items()},
        }
        with self.lock, (self.control / "log.jsonl").open("a") as log:
            log.write(json.dumps({**hit, "time": time.time()}) + "\n")


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that are killed reset their connections: no fault of the server's."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("root", "control", "host", "port"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    _Handler.root = Path(arguments.root) if arguments.root else None
    _Handler.control = Path(arguments.control)
    server = _Server((arguments.host, int(arguments.port)), _Handler)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
