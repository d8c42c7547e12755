"""Deposit into DSpace 7 or newer over its REST API (github.com/DSpace/RestContract).

``dspace+https://user:password@host/server/api?collection=UUID`` (or the login in DSPACE_USER and
DSPACE_PASSWORD, or in the credentials file). A package becomes an archived item of the collection,
which only its administrators may make: the package's Dublin Core is the item's metadata, the
package as E-ARK ZIP its file. A newer version is one more file of the same item, and replaces the
item's metadata.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import parse_qs, urlsplit, urlunsplit
from uuid import UUID

import httpx
from lxml import etree

from blogcrawl.core.credentials import Login, read_logins, secret, split_login
from blogcrawl.core.errors import DepositError, UsageError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.packaging.layout import DC_XML
from blogcrawl.packaging.xmltools import DC, parse
from blogcrawl.storage.base import DepositTarget, ObjectVersion
from blogcrawl.storage.submissions import write_aip
from blogcrawl.storage.temporary import scratch_folder

_TIMEOUT_SECONDS = 120.0
_BUNDLE = "ORIGINAL"
_IDENTIFIER = "dc.identifier.other"
_ISSUED = "dc.date.issued"
_FIELDS = {
    "title": "dc.title",
    "creator": "dc.contributor.author",
    "contributor": "dc.contributor",
    "date": _ISSUED,
    "subject": "dc.subject",
    "description": "dc.description.abstract",
    "publisher": "dc.publisher",
    "language": "dc.language.iso",
    "rights": "dc.rights",
    "source": "dc.source",
    "relation": "dc.relation",
    "type": "dc.type",
    "format": "dc.format",
    "identifier": "dc.identifier",
    "coverage": "dc.coverage",
}
"""Element of Dublin Core -> field of DSpace's default metadata registry."""
_ONLY_FOR_ADMINISTRATORS = (
    "only administrators of the collection may add archived items: ask for that right, or deposit "
    "to zip:FOLDER and submit the files by hand"
)


class DSpaceTarget:
    """Items of one collection, a package each."""

    def __init__(
        self, base: str, login: Login, collection: str, *, client: httpx.Client | None = None
    ) -> None:
        self.base = base.rstrip("/")
        self.login = login
        self.collection = collection
        self.client = client or httpx.Client(timeout=_TIMEOUT_SECONDS)
        self.client.event_hooks["response"].append(self._keep_token)

    def deposit(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        """See DepositTarget; the receipt is the item's address. Raises DepositError."""
        try:
            self._log_in()
            with files[DC_XML] as stream:
                metadata = item_metadata(stream.read(), version)
            with scratch_folder("deposit") as folder:
                package = write_aip(version, files.__getitem__, folder)
                with self._item(version, metadata) as item:
                    bundle = self._bundle(item)
                    if package.name not in self._names(bundle):
                        self._upload(bundle, package)
                        self._describe(item, metadata)
                    self._confirm(item)
            return item
        except (httpx.HTTPError, KeyError, ValueError, TypeError) as error:
            raise DepositError(f"{self.base} broke off or answered oddly: {error!r}") from error

    def _keep_token(self, answer: httpx.Response) -> None:
        """Send back the newest CSRF token, which any answer may carry (csrf-tokens.md)."""
        token = answer.headers.get("DSPACE-XSRF-TOKEN")
        if token:
            self.client.headers["X-XSRF-TOKEN"] = token

    def _log_in(self) -> None:
        """Get a bearer token (authentication.md); it is good for half an hour by default."""
        self.client.headers.pop("Authorization", None)
        self._ask("GET", "/authn/status")
        form = {"user": self.login.user, "password": self.login.password}
        answer = self._ask("POST", "/authn/login", data=form)
        self.client.headers["Authorization"] = answer.headers["Authorization"]

    @contextlib.contextmanager
    def _item(self, version: ObjectVersion, metadata: dict[str, Any]) -> Iterator[str]:
        """Give the address of the package's item; a new one is deleted if the block fails."""
        found = self._find(version.object_id)
        if found is not None:
            yield f"{self.base}/core/items/{found}"
            return
        body = {
            "name": metadata["dc.title"][0]["value"],
            "metadata": metadata,
            "inArchive": True,
            "discoverable": True,
            "withdrawn": False,
            "type": "item",
        }
        query = {"owningCollection": self.collection}
        made = self._ask(
            "POST", "/core/items", params=query, json=body, advice=_ONLY_FOR_ADMINISTRATORS
        )
        item = f"{self.base}/core/items/{UUID(made.json()['uuid'])}"
        try:
            yield item
        except BaseException:
            with contextlib.suppress(httpx.HTTPError, DepositError):
                self._ask("DELETE", item)
            raise

    def _find(self, object_id: str) -> UUID | None:
        """Return the item with this identifier, by the index of Discovery (search-endpoint.md)."""
        query = {
            "query": f'{_IDENTIFIER}:"{object_id}"',
            "dsoType": "item",
            "scope": self.collection,
        }
        answer = self._ask("GET", "/discover/search/objects", params=query).json()
        for hit in answer["_embedded"]["searchResult"]["_embedded"]["objects"]:
            item = hit["_embedded"]["indexableObject"]
            if any(one["value"] == object_id for one in item["metadata"].get(_IDENTIFIER, ())):
                return UUID(item["uuid"])
        return None

    def _bundle(self, item: str) -> str:
        """Return the address of the item's bundle of files, made if there is none (bundles.md)."""
        known = self._ask("GET", f"{item}/bundles").json().get("_embedded", {}).get("bundles", [])
        for bundle in known:
            if bundle["name"] == _BUNDLE:
                return f"{self.base}/core/bundles/{UUID(bundle['uuid'])}"
        made = self._ask("POST", f"{item}/bundles", json={"name": _BUNDLE, "metadata": {}})
        return f"{self.base}/core/bundles/{UUID(made.json()['uuid'])}"

    def _names(self, bundle: str) -> set[str]:
        names: set[str] = set()
        page, pages = 0, 1
        while page < pages:
            query = {"page": page, "size": 100}
            answer = self._ask("GET", f"{bundle}/bitstreams", params=query).json()
            names |= {one["name"] for one in answer.get("_embedded", {}).get("bitstreams", ())}
            page, pages = page + 1, int(answer.get("page", {}).get("totalPages", 1))
        return names

    def _upload(self, bundle: str, package: Path) -> None:
        """Send the file. Raises DepositError if the repository has kept other bytes."""
        properties = json.dumps({"name": package.name, "metadata": {}, "bundleName": _BUNDLE})
        with package.open("rb") as body:
            kept = self._ask(
                "POST",
                f"{bundle}/bitstreams",
                files={
                    "file": (package.name, body, "application/zip"),
                    "properties": (None, properties, "application/json"),
                },
            ).json()
        with package.open("rb") as body:
            digest = hashlib.file_digest(body, "md5").hexdigest()
        if kept["sizeBytes"] != package.stat().st_size or kept["checkSum"]["value"] != digest:
            raise DepositError(f"the repository has kept other bytes of {package.name}", url=bundle)

    def _describe(self, item: str, metadata: dict[str, Any]) -> None:
        """Replace the item's values of our fields; those of the repository stay (items.md)."""
        there = self._ask("GET", item).json()
        ours = {*_FIELDS.values(), _IDENTIFIER}
        others = {name: value for name, value in there["metadata"].items() if name not in ours}
        there["metadata"] = others | metadata
        self._ask("PUT", item, json=there)

    def _confirm(self, item: str) -> None:
        """Read the item back. Raises DepositError if it is not in the archive (items.md)."""
        kept = self._ask("GET", item).json()
        if not kept["inArchive"] or kept["withdrawn"]:
            state = "is withdrawn" if kept["withdrawn"] else "is not in the archive"
            raise DepositError(f"the item {state}", url=item, advice="see to it in DSpace")

    def _ask(
        self,
        method: str,
        place: str,
        *,
        advice: str = "check user, password and rights",
        **more: Any,
    ) -> httpx.Response:
        url = place if place.startswith(self.base) else self.base + place
        answer = self.client.request(method, url, **more)
        if answer.status_code >= 300:
            text = " ".join(answer.text.split())[:200]
            raise DepositError(
                f"HTTP {answer.status_code} for {method}: {text}",
                url=url,
                advice=advice if answer.status_code in (401, 403) else None,
            )
        return answer


def item_metadata(dublin_core: bytes, version: ObjectVersion) -> dict[str, Any]:
    """Convert a package's Dublin Core to an item's metadata; ``dc.date`` keeps an approximate date,
    which DSpace can't read as date of issue."""
    metadata: dict[str, list[dict[str, Any]]] = {_IDENTIFIER: [_value(version.object_id)]}
    for element in parse(dublin_core).iterfind(f"{{{DC}}}*"):
        text = element.text
        if text and text != version.object_id:
            field = _FIELDS[etree.QName(element).localname]
            if field == _ISSUED and "~" in text:
                metadata["dc.date"] = [_value(text)]
                text = text.replace("~", "")
            metadata.setdefault(field, []).append(_value(text))
    return metadata


def _value(text: str) -> dict[str, Any]:
    return {"value": text, "language": None, "authority": None, "confidence": -1}


def dspace_target(url: str, _operator: Organization = UNNAMED) -> DepositTarget:
    """From ``dspace+http(s)://…?collection=UUID``. Raises UsageError, DepositError."""
    bare, login = split_login(url.removeprefix("dspace+"))
    parts = urlsplit(bare)
    _ = parts.port  # raises ValueError if it is no number
    base = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") or "/server/api", "", ""))
    try:
        (name,) = parse_qs(parts.query)["collection"]
        collection = str(UUID(name))
    except (KeyError, ValueError):
        raise UsageError(
            "the deposit target names no collection",
            advice="write dspace+https://host/server/api?collection=UUID",
        ) from None
    if login is None and os.environ.get("DSPACE_USER"):
        login = Login(os.environ["DSPACE_USER"], secret("DSPACE_PASSWORD"))
    login = login or read_logins(os.environ.get("BLOGCRAWL_CREDENTIALS_FILE", "")).of(base)
    if login is None:
        raise DepositError(
            "no login", advice="set DSPACE_USER and DSPACE_PASSWORD, or use the credentials file"
        )
    return cast("DepositTarget", DSpaceTarget(base, login, collection))
