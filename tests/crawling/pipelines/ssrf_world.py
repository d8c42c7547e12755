"""A network namespace in which every address but the blog's is a canary, and a crawl of the hostile
blog in it.

    unshare --user --map-root-user --net --mount python -m tests.crawling.pipelines.ssrf_world MODE
    FENCE short|long FOLDER

``FENCE``: ``all`` as shipped; ``proxy`` with nothing but guard and proxy (no namespace, none of
Chromium's own checks of local networks, no handlers of tabs); ``none`` without guard and proxy as
well. Prints one JSON object: what the canary saw. All packets on the namespace's one interface are
read, so that a hit is seen whatever its address, port and protocol.
"""

from __future__ import annotations

import base64
import gzip
import http.server
import json
import re
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from blogcrawl.crawling.handlers.proxy_tls import server_context
from tests.crawling.pipelines.ssrf_cases import BLOG, CASES, INSIDE, SHORT, SITE_FILES, Case

BLOG_IP = "93.184.216.34"
DNS_IP = "127.0.0.53"
PORTS = (80, 443, 8080, 8081, 8082, 8083, 8443, 8444, 8445, 8446, 3480, 3481, 3482, 70, 21, 445)
SECRET = b"SECRET-OF-THE-INSIDE"
GROUP = 10
PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
WORDS = (
    "river stone paper winter compiler archive library bread light open window garden "
    "letter engine harbour mountain "
)
NAMES = {
    BLOG: [BLOG_IP],
    "www." + BLOG: [BLOG_IP],
    "inside.example.net": [INSIDE],
    "metadata.example.net": ["169.254.169.254"],
    "six.example.net": ["fd00::1"],
    "mapped.example.net": ["::ffff:10.66.0.1"],
    "alias.example.net": [INSIDE],
    "both.example.net": [INSIDE, "192.168.7.7"],
    "metadata.google.internal": ["169.254.169.254"],
    **{name: ["127.0.0.1"] for name in ("localhost", "any.localhost")},
    **{name: [INSIDE] for name in ("router", "printer.local", "nas.lan")},
}


# names


class Dns(socketserver.BaseRequestHandler):
    """Answers from the table; ``rebind-…`` is the blog's address the first time and the canary's
    from then on. TTL 0.
    """

    asked: ClassVar[Counter[str]] = Counter()

    def handle(self) -> None:
        data, sock = self.request
        labels, place = [], 12
        while data[place]:
            labels.append(data[place + 1 : place + 1 + data[place]].decode("latin-1"))
            place += data[place] + 1
        question = data[12 : place + 5]
        kind = struct.unpack(">H", data[place + 1 : place + 3])[0]
        records = b""
        count = 0
        for ip in self.addresses(".".join(labels).lower(), kind):
            family = socket.AF_INET6 if ":" in ip else socket.AF_INET
            if (kind, family) in ((1, socket.AF_INET), (28, socket.AF_INET6)):
                raw = socket.inet_pton(family, ip)
                records += b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(raw)) + raw
                count += 1
        sock.sendto(
            data[:2] + b"\x81\x80" + struct.pack(">HHHH", 1, count, 0, 0) + question + records,
            self.client_address,
        )

    def addresses(self, name: str, kind: int) -> list[str]:
        if name.startswith("rebind-") and kind == 1:
            self.asked[name] += 1
            return [BLOG_IP if self.asked[name] == 1 else INSIDE]
        return NAMES.get(name, [])


# the blog and the canary


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    files: ClassVar[dict[str, tuple[str, str, dict[str, str]]]] = {}
    targets: ClassVar[dict[str, str]] = {}

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_GET(self) -> None:
        if length := int(self.headers.get("Content-Length") or 0):
            self.rfile.read(length)
        moved = re.fullmatch(r"/r/(\d+)/([\w-]+)", self.path)
        if moved:
            target = self.targets.get(moved[2], f"http://{INSIDE}/{moved[2]}")
            self.send(int(moved[1]), "text/html", b"", {"Location": target})
        elif self.path in self.files:
            kind, body, headers = self.files[self.path]
            self.send(
                200,
                kind + ("; charset=utf-8" if kind.startswith("text/") else ""),
                body.encode(),
                headers,
            )
        elif self.path.endswith((".png", ".ico")):
            self.send(200, "image/gif", PIXEL, {"Connection": "close", "Cache-Control": "no-store"})
        else:
            self.send(404, "text/html", b"nothing", {})

    do_POST = do_PUT = do_HEAD = do_OPTIONS = do_GET

    def send(self, status: int, kind: str, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        shared = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
        for name, value in {"Content-Type": kind, **shared, **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Canary(Site):
    paths: ClassVar[set[str]] = set()

    def do_GET(self) -> None:
        self.paths.add(self.path)
        kind = "image/png" if "png" in self.path else "text/javascript"
        self.send(200, kind, b"/* " + SECRET + b" */", {"Access-Control-Allow-Methods": "*"})

    do_POST = do_PUT = do_HEAD = do_OPTIONS = do_GET


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[Site], *, tls: bool = False) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, handler, bind_and_activate=False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if ":" in address[0]:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        self.tls = tls
        self.server_bind()
        self.server_activate()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "x", self.server_address[1]

    def finish_request(self, request: Any, client_address: Any) -> None:
        try:
            if self.tls:
                request = server_context().wrap_socket(request, server_side=True)
            super().finish_request(request, client_address)
        except (OSError, ssl.SSLError, ValueError):
            return


class Sniffer(threading.Thread):
    """Everything that is sent to where no crawl has any business: (protocol, address, port)."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.bind(("lo", 0))
        self.seen: set[tuple[str, str, int]] = set()

    def run(self) -> None:
        while True:
            hit = self.read(self.socket.recv(2**16))
            if hit is not None and not is_allowed(*hit):
                self.seen.add(hit)

    @staticmethod
    def read(frame: bytes) -> tuple[str, str, int] | None:
        kind = frame[12:14]
        if kind == b"\x08\x00":
            protocol, ip, rest = (
                frame[23],
                socket.inet_ntoa(frame[30:34]),
                frame[14 + 4 * (frame[14] & 15) :],
            )
        elif kind == b"\x86\xdd":
            protocol, ip, rest = (
                frame[20],
                socket.inet_ntop(socket.AF_INET6, frame[38:54]),
                frame[54:],
            )
        else:
            return None
        if protocol == 6 and len(rest) > 13 and rest[13] & 0x12 == 0x02:
            return "tcp", ip, int.from_bytes(rest[2:4])
        if protocol == 17:
            return "udp", ip, int.from_bytes(rest[2:4])
        return None


def is_allowed(protocol: str, ip: str, port: int) -> bool:
    """The blog, the name server and its answers, and the proxy's listener (loopback, a port given
    out by the system).
    """
    if (ip, port) in ((BLOG_IP, 80), (BLOG_IP, 443), (DNS_IP, 53)):
        return True
    return ip.startswith("127.") and port >= 32768


# the world


def make_network(folder: Path) -> None:
    """Every address is local here, so every one can be a canary; names are asked of the server
    below.
    """
    for words in (
        ["ip", "link", "set", "lo", "up"],
        ["ip", "route", "add", "local", "0.0.0.0/0", "dev", "lo"],
        ["ip", "-6", "route", "add", "local", "::/0", "dev", "lo"],
    ):
        subprocess.run(words, check=True, capture_output=True)
    config = folder / "resolv.conf"
    config.write_text(f"nameserver {DNS_IP}\noptions timeout:2 attempts:1\n")
    subprocess.run(
        ["mount", "--bind", str(config), "/etc/resolv.conf"], check=True, capture_output=True
    )


def write_blog(cases: list[Case], *, drawn: bool) -> None:
    pages = [[case] for case in cases if case.alone]
    rest = [case for case in cases if not case.alone]
    pages += [rest[start : start + GROUP] for start in range(0, len(rest), GROUP)]
    items = ""
    for number, group in enumerate(pages):
        path, title = (
            f"/2020/01/post-{number}.html",
            f"On the {WORDS.split()[number % 16]} and the number {number}",
        )
        text = f"<p>{WORDS * 4} and part {number} of it.</p>" * 3
        body = "\n".join(case.filled(case.html) for case in group)
        head = "".join(case.filled(case.head) for case in group)
        shown = "" if drawn else text
        draw = (
            f"<script>document.getElementById('b').innerHTML = {json.dumps(text)}</script>"
            if drawn
            else ""
        )
        headers = {
            name: case.filled(value) for case in group for name, value in case.headers.items()
        }
        page = (
            f"<!doctype html><html><head><meta "
            f"charset=utf-8><title>{title}</title>{head}</head><body><article class=post>"
            f"<h1>{title}</h1><div class=body id=b>{shown}</div>{draw}{body}</article></body></h"
            f"tml>"
        )
        Site.files[path] = ("text/html", page, headers)
        extra = "".join(
            case.filled(case.feed).replace("{BLOG}", f"http://{BLOG}") for case in group
        )
        items += (
            f"<item><title>{title}</title><link>http://{BLOG}{path}</link><description><![C"
            f"DATA[{text}{body}]]></description>{extra}</item>"
        )
        for case in group:
            for name, (kind, content) in case.files.items():
                Site.files[name] = (kind, case.filled(content), {})
            host = case.host if not case.host.startswith("rebind") else INSIDE
            Site.targets[case.name] = f"http://{host}/{case.name}"
    Site.files["/feed.xml"] = (
        "application/rss+xml",
        f"<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY x SYSTEM "
        f"'http://{INSIDE}/feed_entity'>]><rss version='2.0' "
        "xmlns:media='http://search.yahoo.com/mrss/' "
        "xmlns:wfw='http://wellformedweb.org/CommentAPI/' "
        "xmlns:atom='http://www.w3.org/2005/Atom'>"
        f"<channel><title>Hostile</title><link>http://{INSIDE}/feed_link</link><atom:link "
        f"rel='hub' href='http://{INSIDE}/feed_hub'/>"
        f"<atom:link rel='next' href='http://{INSIDE}/feed_next'/>{items}</channel></rss>",
        {},
    )
    Site.files["/"] = (
        "text/html",
        "<html><head><title>Hostile</title><link rel=alternate type=application/rss+xml "
        "href=/feed.xml></head>"
        f"<body><p>{WORDS * 5}</p></body></html>",
        {},
    )
    Site.files.update({path: (kind, body, {}) for path, (kind, body) in SITE_FILES.items()})


CRAWL = """
import sys
from blogcrawl.cli.main import run
from blogcrawl.core.netguard import Guard
from blogcrawl.crawling.handlers import browser, namespace
from blogcrawl.crawling.pipelines import render, watch
fence = sys.argv.pop(1)
launch = browser.launch_options

def options_without_checks(*arguments):
    found = launch(*arguments)
    own = "LocalNetworkAccessChecks,LocalNetworkAccessForWorkers,LocalNetworkAccessChecksWebSockets,LocalNetworkAccessChecksWebRTC"
    found["args"] = [a + "," + own if a.startswith("--disable-features=") else a for a in found["args"]]
    found["args"].append("--allow-loopback-in-peer-connection")
    return found

async def bare_tab(tab, guard, traffic, limits):
    tab.on("request", lambda _: watch._begin(traffic))
    tab.on("requestfailed", lambda _: watch._end(traffic))
    tab.on("requestfinished", lambda _: watch._end(traffic))

async def open_network(self, program, seconds=30):
    found = browser.launch_options(program, seconds)
    closed = ("--proxy", "--host-res", "--force-webrtc", "--webrtc", "--no-pings", "--dns-prefetch-disable")
    found["args"] = [a for a in found["args"] if not a.startswith(closed)]
    return found

if fence != "all":
    namespace.is_possible = lambda: False
    browser.launch_options = options_without_checks
    render.watch = bare_tab
if fence == "none":
    Guard.refuse_url = Guard.refuse_address = lambda *_: None
    browser.BrowserNetwork.options = open_network
run()
"""  # noqa: E501
"""The command, with fences taken out: the browser's namespace, its own checks and the handlers of
its tabs; and the rest.
"""


def crawl(mode: str, fence: str, folder: Path, seconds: float) -> tuple[int, str]:
    command = [
        sys.executable,
        "-c",
        CRAWL,
        fence,
        "crawl",
        f"http://{BLOG}/",
        "--archive",
        str(folder / "archive"),
        "--delay",
        "0",
    ]
    command += [
        "--render",
        mode,
        "--set",
        "render_seconds=20",
        "--set",
        f"max_seconds={int(seconds)}",
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=seconds + 120, check=False
    )
    return done.returncode, done.stdout[-2000:] + done.stderr[-3000:]


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """All files below ``folder``, those in packages unpacked."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    data = archive.read(name)
                    yield f"{path}/{name}", gzip.decompress(data) if name.endswith(".gz") else data
        else:
            data = path.read_bytes()
            yield str(path), gzip.decompress(data) if path.suffix == ".gz" else data


def main() -> None:
    mode, fence, size, folder = *sys.argv[1:4], Path(sys.argv[4])
    cases = [case for case in CASES if size == "long" or case.name in SHORT]
    make_network(folder)
    write_blog(cases, drawn=mode == "auto")
    threading.Thread(
        target=socketserver.ThreadingUDPServer((DNS_IP, 53), Dns).serve_forever, daemon=True
    ).start()
    Listener((BLOG_IP, 80), Site)
    Listener((BLOG_IP, 443), Site, tls=True)
    for port in PORTS:
        for everywhere in ("0.0.0.0", "::"):
            Listener((everywhere, port), Canary)
    sniffer = Sniffer()
    sniffer.start()
    code, said = crawl(mode, fence, folder, 900 if size == "long" else 240)
    time.sleep(1)
    ports = {port for _, _, port in sniffer.seen}
    reached = {re.split(r"[./?]", path.strip("/"))[0] for path in Canary.paths}
    names = sorted(case.name for case in cases if case.name in reached or case.port in ports)
    stored = list(contents(folder / "archive"))
    print(
        json.dumps(
            {
                "code": code,
                "said": said,
                "hits": sorted(map(str, sniffer.seen)),
                "paths": sorted(Canary.paths),
                "cases": names,
                "missed": sorted({case.name for case in cases} - set(names)),
                "of": len(cases),
                "leaks": [name for name, data in stored if SECRET in data],
                "drawn": sum(
                    data.count(b"WARC-Target-URI: urn:dom:")
                    for name, data in stored
                    if ".warc" in name
                ),
            }
        )
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory():
        main()
