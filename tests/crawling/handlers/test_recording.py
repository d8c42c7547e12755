"""Scrapy's traffic as WARC: what the server sent, byte for byte, also where it breaks off. In a
child process.
"""

from __future__ import annotations

import gzip
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from blogcrawl.storage.warccheck import check_warc

SCRIPT = """
import sys
from pathlib import Path
from types import SimpleNamespace
import scrapy
from scrapy.crawler import CrawlerProcess
from blogcrawl.core.config import Config
from blogcrawl.storage.evidence import open_evidence

class Session:
    services = SimpleNamespace(gate=SimpleNamespace(write=lambda write: write()))

class Spider(scrapy.Spider):
    name = "recorded"
    custom_settings = {
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "blogcrawl.crawling.handlers.recording.RecordingHandler"),
        "RETRY_ENABLED": False, "LOG_LEVEL": "CRITICAL", "TELNETCONSOLE_ENABLED": False, "USER_AGENT": "tester",
        "CONCURRENT_REQUESTS_PER_DOMAIN": 4, "REMOTE_CONTROL_ENABLED": False,
    }
    async def start(self):
        self.session = Session()
        config = Config(contact="me@example.org")
        self.session.evidence = open_evidence(
            Path(sys.argv[2]), crawl_id="c1", blog_url="x", operator=config.operator,
            user_agent=self.settings["USER_AGENT"],
            obeys_robots=self.settings.getbool("ROBOTSTXT_OBEY"),
        )
        for path in ("plain", "chunked", "empty", "moved", "cut", "early", "old", "plain?2", "post"):
            more = {"method": "POST", "body": b"a=1"} if path == "post" else {}
            yield scrapy.Request(sys.argv[1] + path, callback=self.parse, errback=lambda f: None, **more)
    def parse(self, response):
        pass
    def closed(self, reason):
        self.session.evidence.close()

process = CrawlerProcess()
process.crawl(Spider)
process.start()
"""  # noqa: E501
BODY = gzip.compress(b"<html>" + b"x" * 2000, mtime=0)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        path = self.path.split("?")[0].strip("/")
        raw = {
            "chunked": (
                b"HTTP/1.1 200 OK\r\ntransfer-ENCODING: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
            ),
            "empty": b"HTTP/1.1 204 No Content\r\n\r\n",
            "moved": b"HTTP/1.1 301 Moved\r\nLocation: /target\r\nContent-Length: 0\r\n\r\n",
            "cut": b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nonly this",
            "early": (
                b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 "
                b"OK\r\nContent-Length: 2\r\n\r\nok"
            ),
            "old": b"HTTP/1.0 200 OK\r\n\r\nuntil the end",
        }.get(path)
        if raw is None:
            raw = (
                b"HTTP/1.1 200 Fine\r\nX-oDD:  two  blanks\r\nContent-Encoding: "
                b"gzip\r\nContent-Length: %d\r\n\r\n"
            ) % len(BODY) + BODY
        self.wfile.write(raw)
        self.close_connection = path in ("cut", "old")

    do_POST = do_GET

    def log_message(self, *_args: Any) -> None:
        return


@pytest.fixture
def server() -> Iterator[str]:
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}/"
    httpd.shutdown()
    httpd.server_close()


def test_exchanges_are_recorded_byte_for_byte(server: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, server, str(tmp_path)],
        capture_output=True,
        text=True,
    )
    (path,) = (tmp_path / "evidence" / "c1").glob("*.warc.gz")
    with path.open("rb") as stream:
        assert list(check_warc(stream)) == [], done.stderr[-2000:]
    responses: dict[str, Any] = {}
    requests: dict[str, bytes] = {}
    revisits = []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, no_record_parse=True):
            url = (record.rec_headers.get_header("WARC-Target-URI") or "").removeprefix(server)
            if record.rec_type == "response":
                responses[url] = (record.raw_stream.read(), record.rec_headers)
            elif record.rec_type == "request":
                requests[url] = record.raw_stream.read()
            elif record.rec_type == "revisit":
                revisits.append(url)
            elif record.rec_type == "warcinfo":
                raw = record.raw_stream.read()
                assert (
                    b"operator: me@example.org" in raw
                    and b"robots: ignore" in raw
                    and b"tester" in raw
                )
    assert set(requests) == {
        "plain",
        "chunked",
        "empty",
        "moved",
        "cut",
        "early",
        "old",
        "plain?2",
        "post",
        "target",
    }
    whole = {url: raw for url, (raw, _) in responses.items()}
    first = next(url for url in ("plain", "plain?2", "post", "target") if url in whole)
    assert whole[first].startswith(b"HTTP/1.1 200 Fine\r\nX-oDD:  two  blanks\r\n") and whole[
        first
    ].endswith(BODY)
    assert set(revisits) == {"plain", "plain?2", "post", "target"} - {first}
    assert whole["chunked"].endswith(b"transfer-ENCODING: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    assert whole["early"] == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    assert whole["moved"].startswith(b"HTTP/1.1 301") and whole["old"].endswith(b"until the end")
    truncated = {
        url for url, (_, headers) in responses.items() if headers.get_header("WARC-Truncated")
    }
    assert truncated == {"cut"} and whole["cut"].endswith(b"only this")
    assert requests["post"].startswith(b"POST /post HTTP/1.1\r\n") and requests["post"].endswith(
        b"\r\n\r\na=1"
    )
    assert all(
        headers.get_header("WARC-IP-Address") == "127.0.0.1" for _, headers in responses.values()
    )
