"""A stand-in for DSpace's REST API as its contract describes it: csrf-tokens.md, authentication.md,
items.md, bundles.md, bitstreams, the search of Discovery. What the contract demands is demanded
here: the CSRF token of the cookie in each modifying request, a bearer token, content types.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from email import message_from_bytes
from email.message import Message
from urllib.parse import parse_qs

import httpx

BASE = "http://dspace.test/server/api"
COLLECTION = "1c11f3f1-ba1f-4f36-908a-3f1ea9a557eb"
USER, PASSWORD = "archivist@dspace.test", "s3cret&"


class DSpace:
    """One collection. ``items``: metadata and more by UUID; ``files``: bytes by item and name."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, object]] = {}
        self.bundles: dict[str, tuple[str, str]] = {}
        self.files: dict[str, dict[str, bytes]] = {}
        self.fail_uploads = False
        self.damage_uploads = False
        self.is_administrator = True
        self._token = ""
        self._bearer = ""
        self._made = 0

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self))

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = self._checked(request)
        known = f"DSPACE-XSRF-COOKIE={self._token}" in request.headers.get("Cookie", "")
        if request.method != "GET" or not known:  # a new token for a new client and after changes
            self._made += 1
            self._token = f"token-{self._made}"
            answer.headers["DSPACE-XSRF-TOKEN"] = self._token
            answer.headers["Set-Cookie"] = f"DSPACE-XSRF-COOKIE={self._token}; Path=/server"
        return answer

    def _checked(self, request: httpx.Request) -> httpx.Response:
        if request.method != "GET":
            cookie = f"DSPACE-XSRF-COOKIE={self._token}"
            sent = request.headers.get("X-XSRF-TOKEN")
            if sent != self._token or cookie not in request.headers.get("Cookie", ""):
                return httpx.Response(403, text="Invalid CSRF token")
        path = request.url.path.removeprefix("/server/api")
        if path == "/authn/status":
            return httpx.Response(200, json={"okay": True, "authenticated": False})
        if path == "/authn/login":
            return self._log_in(request)
        if request.headers.get("Authorization") != self._bearer:
            return httpx.Response(401)
        return self._route(request, [part for part in path.split("/") if part])

    def _log_in(self, request: httpx.Request) -> httpx.Response:
        form = parse_qs(request.read().decode())
        if request.headers["Content-Type"] != "application/x-www-form-urlencoded":
            return httpx.Response(415)
        if form != {"user": [USER], "password": [PASSWORD]}:
            return httpx.Response(401, headers={"WWW-Authenticate": 'password realm="DSpace"'})
        self._bearer = f"Bearer jwt-{self._made}"
        return httpx.Response(200, headers={"Authorization": self._bearer})

    def _route(self, request: httpx.Request, path: list[str]) -> httpx.Response:
        match (request.method, *path):
            case ("GET", "discover", "search", "objects"):
                return self._search(request)
            case ("POST", "core", "items"):
                return self._make_item(request)
            case ("GET", "core", "items", item) if item in self.items:
                return httpx.Response(200, json=self.items[item])
            case ("PUT", "core", "items", item) if item in self.items:
                self.items[item] = json.loads(request.read())
                return httpx.Response(200, json=self.items[item])
            case ("DELETE", "core", "items", item) if item in self.items:
                del self.items[item], self.files[item]
                return httpx.Response(204)
            case (method, "core", "items", item, "bundles") if item in self.items:
                return self._bundles(method, item)
            case (method, "core", "bundles", bundle, "bitstreams") if bundle in self.bundles:
                return self._bitstreams(method, self.bundles[bundle][0], request)
        return httpx.Response(404)

    def _search(self, request: httpx.Request) -> httpx.Response:
        asked = request.url.params
        assert asked["dsoType"] == "item" and asked["scope"] == COLLECTION
        field, _, value = asked["query"].partition(":")
        hits = [
            {"_embedded": {"indexableObject": item}}
            for item in self.items.values()
            if any(f'"{one["value"]}"' == value for one in item["metadata"].get(field, ()))  # type: ignore[attr-defined]
        ]
        return httpx.Response(
            200, json={"_embedded": {"searchResult": {"_embedded": {"objects": hits}}}}
        )

    def _make_item(self, request: httpx.Request) -> httpx.Response:
        if not self.is_administrator:
            return httpx.Response(403, json={"status": 403, "error": "Forbidden"})
        if request.url.params["owningCollection"] != COLLECTION:
            return httpx.Response(422)
        if request.headers["Content-Type"] != "application/json":
            return httpx.Response(415)
        item = json.loads(request.read())
        if not item["inArchive"] or not item["metadata"]["dc.title"]:
            return httpx.Response(400)
        name = str(uuid.uuid4())
        stamp = [{"value": "2026-01-01T00:00:00Z", "language": None}]
        item |= {"uuid": name, "handle": f"10673/{len(self.items)}"}
        item["metadata"]["dc.date.accessioned"] = stamp
        self.items[name], self.files[name] = item, {}
        return httpx.Response(201, json=item)

    def _bundles(self, method: str, item: str) -> httpx.Response:
        mine = [name for name, (owner, _) in self.bundles.items() if owner == item]
        if method == "POST":
            if mine:
                return httpx.Response(400)
            name = str(uuid.uuid4())
            self.bundles[name] = (item, "ORIGINAL")
            return httpx.Response(201, json={"uuid": name, "name": "ORIGINAL"})
        known = [{"uuid": name, "name": self.bundles[name][1]} for name in mine]
        return httpx.Response(200, json={"_embedded": {"bundles": known}})

    def _bitstreams(self, method: str, item: str, request: httpx.Request) -> httpx.Response:
        files = self.files[item]
        if method == "GET":  # pages of one, so that paging is needed
            page = int(request.url.params["page"])
            names = [{"name": name} for name in sorted(files)[page : page + 1]]
            return httpx.Response(
                200,
                json={
                    "_embedded": {"bitstreams": names},
                    "page": {"number": page, "totalPages": len(files)},
                },
            )
        if self.fail_uploads:
            raise httpx.ReadTimeout("the server is gone")
        parts = _multipart(request)
        properties = json.loads(parts["properties"].get_payload(decode=True))  # type: ignore[arg-type]
        body = parts["file"].get_payload(decode=True)
        assert isinstance(body, bytes)
        if self.damage_uploads:
            body = body[:-1]
        files[properties["name"]] = body
        return httpx.Response(
            201,
            json={
                "name": properties["name"],
                "sizeBytes": len(body),
                "checkSum": {
                    "checkSumAlgorithm": "MD5",
                    "value": hashlib.md5(body).hexdigest(),
                },
            },
        )


def _multipart(request: httpx.Request) -> dict[str, Message]:
    """Return the parts of a multipart body by name."""
    head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
    parts = message_from_bytes(head + request.read()).get_payload()
    assert isinstance(parts, list)
    return {str(part.get_param("name", header="content-disposition")): part for part in parts}  # type: ignore[union-attr,misc]
