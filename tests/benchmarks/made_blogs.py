"""What generated blogs share: words, and a server of their pages."""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = tuple[int, str, str]
"""Status, type and body of a page, or where a redirect leads; ``BASE`` stands for the server's
address."""
GONE: Answer = (404, "text/html", "not found")


def words(vocabulary: Sequence[str], seed: int, count: int) -> str:
    return " ".join(random.Random(seed).choices(vocabulary, k=count))


def serve(pages: Mapping[str, Answer]) -> ThreadingHTTPServer:
    """Serve pages by path and query on a free port, until ``shutdown``."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, body = pages.get(self.path, GONE)
            data = body.replace("BASE", f"http://{self.headers['Host']}").encode()
            self.send_response(status)
            self.send_header("Content-Type", kind + "; charset=utf-8" * kind.startswith("text"))
            self.send_header("Content-Length", str(len(data)))
            if 300 <= status < 400:
                self.send_header("Location", data.decode())
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
