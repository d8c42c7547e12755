"""A stand-in for InvenioRDM's REST API as its documentation describes it (docs-invenio-rdm,
``reference/rest_api_*.md``). Each body is checked with ``inveniordm.json``. As there, a draft with
wrong fields is made, without them and with ``errors``, and is not published; links of files are
relative; a version of a record begins without date, number and files, and is the same draft until
it is published; a rate limit is answered 429.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
from jsonschema import Draft202012Validator

HOST = "http://rdm.test"
API = f"{HOST}/api"
TOKEN = "s3cret"
COMMUNITY = "9b44aa91-de2b-4551-97ff-8a9cb25e5752"
_SCHEMA = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
_MISSING = (
    "Missing uploaded files. To disable files for this record please mark it as metadata-only."
)


def failures(kind: str, body: object) -> list[dict[str, Any]]:
    """Return what is wrong with a body, in the form of InvenioRDM's ``errors``."""
    judge = Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": _SCHEMA["$defs"]})
    found = []
    for error in judge.iter_errors(body):  # type: ignore[arg-type]
        path = [str(part) for part in error.absolute_path]
        if error.validator == "required":
            path.append(error.message.split("'")[1])
        found.append({"field": ".".join(path), "messages": [error.message]})
    return found


def refusal(status: int, message: str, **more: object) -> httpx.Response:
    return httpx.Response(status, json={"status": status, "message": message, **more})


class InvenioRDM:
    """One repository with one community. ``records`` and ``drafts`` by identifier; ``files``: the
    bytes by identifier and name, None for a pending file.
    """

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.drafts: dict[str, dict[str, Any]] = {}
        self.files: dict[str, dict[str, bytes | None]] = {}
        self.committed: set[tuple[str, str]] = set()
        self.asked: list[str] = []
        self.requests: list[str] = []
        """Parents of records that a community's curators have not yet taken in."""
        self.limited = 0
        """How many requests are answered 429 from now on."""
        self.break_off_at = ""
        """A pattern of requests (``PUT .*content``) whose answer never comes."""
        self.damage_uploads = False
        self._made = 0

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self))

    def __call__(self, request: httpx.Request) -> httpx.Response:
        place = f"{request.method} {request.url.path}"
        self.asked.append(place)
        if self.limited:
            self.limited -= 1
            return httpx.Response(
                429,
                json={"status": 429, "message": "Rate limit exceeded."},
                headers={"Retry-After": "7", "X-RateLimit-Remaining": "0"},
            )
        if self.break_off_at and re.fullmatch(self.break_off_at, place):
            raise httpx.ReadTimeout("the server is gone")
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return refusal(401, "The server could not verify that you are authorized.")
        path = [unquote(part) for part in request.url.path.split("/")[2:]]
        if path[0] != "records" or request.url.path.split("/")[1] != "api":
            return refusal(404, "The requested URL was not found on the server.")
        return self._route(request, path[1:])

    def _route(self, request: httpx.Request, path: list[str]) -> httpx.Response:
        routes: dict[tuple[str, ...], Callable[..., httpx.Response]] = {
            ("GET",): self._search,
            ("POST",): self._create,
            ("POST", "*", "versions"): self._version,
            ("GET", "*", "requests"): self._open_requests,
            ("POST", "*", "communities"): self._include,
            ("PUT", "*", "draft"): self._update,
            ("DELETE", "*", "draft"): self._discard,
            ("POST", "*", "draft", "actions", "publish"): self._publish,
            ("GET", "*", "draft", "files"): self._list,
            ("POST", "*", "draft", "files"): self._start,
            ("DELETE", "*", "draft", "files", "*"): self._remove,
            ("PUT", "*", "draft", "files", "*", "content"): self._content,
            ("POST", "*", "draft", "files", "*", "commit"): self._commit,
        }
        asked = (request.method, *path)
        for route, answer in routes.items():
            if len(route) == len(asked) and all(
                a in ("*", b) for a, b in zip(route, asked, strict=True)
            ):
                names = [b for a, b in zip(route, asked, strict=True) if a == "*"]
                known = self.drafts if "draft" in path else self.records
                if names and names[0] not in known:
                    return refusal(404, "The persistent identifier does not exist.")
                return answer(request, *names)
        return refusal(405, "The method is not allowed for the requested URL.")

    # Records

    def _search(self, request: httpx.Request) -> httpx.Response:
        field, _, value = request.url.params["q"].partition(":")
        if field != "metadata.identifiers.identifier" or not re.fullmatch(r'"[^"]+"', value):
            return refusal(400, "Invalid query string syntax.")
        newest = {record["parent"]["id"]: record for record in self.records.values()}
        hits = [
            record
            for record in newest.values()
            if any(
                one["identifier"] == value[1:-1]
                for one in record["metadata"].get("identifiers", ())
            )
        ]
        return httpx.Response(200, json={"hits": {"hits": hits, "total": len(hits)}})

    def _create(self, request: httpx.Request) -> httpx.Response:
        return self._save(request, self._new(parent=None), 201)

    def _new(self, parent: str | None) -> str:
        self._made += 1
        name = f"draft-{self._made:05}"
        self.drafts[name] = {
            "id": name,
            "is_published": False,
            "parent": {"id": parent or f"parent-{self._made:05}", "communities": {"ids": []}},
            "links": self._links(name, draft=True),
        }
        self.files[name] = {}
        return name

    def _links(self, name: str, *, draft: bool) -> dict[str, str]:
        here = f"{API}/records/{name}"
        links = {"versions": f"{here}/versions", "communities": f"{here}/communities"}
        links |= {"latest": f"{here}/versions/latest", "requests": f"{here}/requests"}
        if not draft:
            return links | {"self": here, "self_html": f"{HOST}/records/{name}"}
        return links | {
            "self": f"{here}/draft",
            "self_html": f"{HOST}/uploads/{name}",
            "publish": f"{here}/draft/actions/publish",
            "files": f"{here}/draft/files",
        }

    def _save(self, request: httpx.Request, name: str, status: int) -> httpx.Response:
        if request.headers.get("Content-Type") != "application/json":
            return refusal(415, "Invalid 'Content-Type' header.")
        body = json.loads(request.read())
        wrong = failures("draft", body)
        for field in {error["field"].split(".")[1] for error in wrong if "." in error["field"]}:
            body.get("metadata", {}).pop(field, None)  # a draft keeps what is right
        draft = self.drafts[name]
        draft |= {"metadata": body.get("metadata", {}), "access": body.get("access", {})}
        draft["files"] = body.get("files", {"enabled": True})
        return httpx.Response(status, json=draft | {"errors": [*wrong, *self._fileless(name)]})

    def _fileless(self, name: str) -> list[dict[str, Any]]:
        if self.drafts[name]["files"].get("enabled") and not self.files[name]:
            return [{"field": "files.enabled", "messages": [_MISSING]}]
        return []

    def _update(self, request: httpx.Request, name: str) -> httpx.Response:
        return self._save(request, name, 200)

    def _discard(self, _request: httpx.Request, name: str) -> httpx.Response:
        del self.drafts[name], self.files[name]
        return httpx.Response(204)

    def _publish(self, _request: httpx.Request, name: str) -> httpx.Response:
        draft = self.drafts[name]
        sent = {part: draft[part] for part in ("metadata", "access", "files")}
        wrong = [*failures("draft", sent), *self._fileless(name)]
        if not wrong and any((name, key) not in self.committed for key in self.files[name]):
            wrong = [{"field": "files", "messages": ["One or more files have not completed."]}]
        if wrong:
            return refusal(400, "A validation error occurred.", errors=wrong)
        record = deepcopy(self.drafts.pop(name))
        record |= {"is_published": True, "links": self._links(name, draft=False)}
        self.records[name] = record
        return httpx.Response(202, json=record)

    def _version(self, _request: httpx.Request, name: str) -> httpx.Response:
        before = self.records[name]
        for draft in self.drafts.values():
            if draft["parent"]["id"] == before["parent"]["id"]:
                return httpx.Response(201, json=draft)
        draft = self.drafts[self._new(before["parent"]["id"])]
        draft["parent"] = deepcopy(before["parent"])
        left_out = ("publication_date", "version")
        metadata = {k: v for k, v in before["metadata"].items() if k not in left_out}
        draft |= {"metadata": metadata, "access": before["access"], "files": before["files"]}
        return httpx.Response(201, json=draft)

    # Files of drafts

    def _entry(self, name: str, key: str) -> dict[str, Any]:
        here = f"/api/records/{name}/draft/files/{key}"
        entry: dict[str, Any] = {
            "key": key,
            "status": "pending",
            "links": {"self": here, "content": f"{here}/content", "commit": f"{here}/commit"},
        }
        body = self.files[name][key]
        if (name, key) in self.committed and body is not None:
            digest = f"md5:{hashlib.md5(body).hexdigest()}"
            entry |= {"status": "completed", "size": float(len(body)), "checksum": digest}
        return entry

    def _list(self, _request: httpx.Request, name: str) -> httpx.Response:
        entries = [self._entry(name, key) for key in self.files[name]]
        return httpx.Response(200, json={"enabled": True, "entries": entries})

    def _start(self, request: httpx.Request, name: str) -> httpx.Response:
        if request.headers.get("Content-Type") != "application/json":
            return refusal(415, "Invalid 'Content-Type' header.")
        body = json.loads(request.read())
        wrong = failures("files", body)
        if wrong:
            return refusal(400, "A validation error occurred.", errors=wrong)
        if any(one["key"] in self.files[name] for one in body):
            return refusal(400, f"File with key {body[0]['key']} already exists.")
        self.files[name] |= dict.fromkeys((one["key"] for one in body), None)
        answer = self._list(request, name)
        return httpx.Response(201, json=answer.json())

    def _remove(self, _request: httpx.Request, name: str, key: str) -> httpx.Response:
        if key not in self.files[name]:
            return refusal(404, f"No file with key {key}.")
        del self.files[name][key]
        self.committed.discard((name, key))
        return httpx.Response(204)

    def _content(self, request: httpx.Request, name: str, key: str) -> httpx.Response:
        if request.headers.get("Content-Type") != "application/octet-stream":
            return refusal(415, "Invalid 'Content-Type' header.")
        body = request.read()
        if key not in self.files[name] or int(request.headers["Content-Length"]) != len(body):
            return refusal(400, "The file is unknown, or is not as long as its head says.")
        self.files[name][key] = body[:-1] if self.damage_uploads else body
        return httpx.Response(200, json=self._entry(name, key))

    def _commit(self, _request: httpx.Request, name: str, key: str) -> httpx.Response:
        if self.files[name].get(key) is None:
            return refusal(400, f"File {key} has no content.")
        self.committed.add((name, key))
        return httpx.Response(200, json=self._entry(name, key))

    # Communities

    def _open_requests(self, _request: httpx.Request, name: str) -> httpx.Response:
        mine = self.records[name]["parent"]["id"] in self.requests
        hits = [{"is_open": True, "receiver": {"community": COMMUNITY}}] if mine else []
        return httpx.Response(200, json={"hits": {"hits": hits, "total": len(hits)}})

    def _include(self, request: httpx.Request, name: str) -> httpx.Response:
        body = json.loads(request.read())
        wrong = failures("inclusion", body)
        if wrong:
            return refusal(400, "A validation error occurred.", errors=wrong)
        community, parent = body["communities"][0]["id"], self.records[name]["parent"]
        why = (
            "Community not found."
            if community != COMMUNITY
            else "The record is already included in this community."
            if COMMUNITY in parent["communities"]["ids"]
            else "There is already an open inclusion request for this community."
            if parent["id"] in self.requests
            else ""
        )
        if why:
            return httpx.Response(400, json={"errors": [{"community": community, "message": why}]})
        self.requests.append(parent["id"])
        done = {"community_id": community, "request_id": f"request-{len(self.requests)}"}
        return httpx.Response(200, json={"processed": [done]})
