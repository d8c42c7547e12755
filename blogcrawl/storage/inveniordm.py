"""Deposit into InvenioRDM over REST: the example of how to add a repository that takes no METS.

``inveniordm+https://TOKEN@host/api`` (or the token in INVENIORDM_TOKEN). A draft record is made of
the package's Dublin Core, the package goes up as one E-ARK ZIP, the record is published. A newer
version of a package becomes a new version of its record
(inveniordm.docs.cern.ch/reference/rest_api_drafts_records/).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import quote, urlsplit, urlunsplit

import httpx

from blogcrawl.core.credentials import read_logins, secret, split_login
from blogcrawl.core.errors import DepositError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.packaging.layout import DC_XML
from blogcrawl.packaging.xmltools import DC, parse
from blogcrawl.storage.base import DepositTarget, ObjectVersion
from blogcrawl.storage.submissions import name_of, write_zip
from blogcrawl.storage.temporary import scratch_folder

_TIMEOUT = 120.0
_TITLE_CHARS = 3
"""InvenioRDM takes no shorter title (invenio-rdm-records, schema of metadata)."""


class InvenioTarget:
    """Records of resource type ``publication-other``, one per package, versions linked."""

    def __init__(self, base: str, token: str, *, client: httpx.Client | None = None) -> None:
        self.base = base.rstrip("/")
        self.client = client or httpx.Client(timeout=_TIMEOUT)
        self.client.headers["Authorization"] = f"Bearer {token}"

    def deposit(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        """See DepositTarget; the receipt is the published record's address. Raises DepositError."""
        try:
            earlier = self._find(version)
            number = str(version.version)
            if earlier is not None and earlier["metadata"].get("version") == number:
                return str(earlier["links"]["self_html"])
            with files[DC_XML] as stream:
                metadata = describe(stream.read(), version)
            draft = self._draft(earlier, metadata)
            try:
                return self._publish(draft, version, files)
            except (httpx.HTTPError, KeyError, DepositError):
                self._discard(draft)
                raise
        except (httpx.HTTPError, KeyError, ValueError, TypeError, IndexError) as error:
            raise DepositError(f"{self.base} broke off or answered oddly: {error!r}") from error

    def _find(self, version: ObjectVersion) -> dict[str, Any] | None:
        query = quote(f'metadata.identifiers.identifier:"{version.object_id}"')
        hits = self._ask("GET", f"{self.base}/records?q={query}&size=1")["hits"]["hits"]
        return hits[0] if hits else None

    def _draft(self, earlier: dict[str, Any] | None, metadata: dict[str, Any]) -> dict[str, Any]:
        body = {
            "metadata": metadata,
            "files": {"enabled": True},
            "access": {"record": "public", "files": "restricted"},
        }
        if earlier is None:
            return self._ask("POST", f"{self.base}/records", json=body)
        draft = self._ask("POST", earlier["links"]["versions"])
        return self._ask("PUT", draft["links"]["self"], json=body)

    def _publish(
        self, draft: dict[str, Any], version: ObjectVersion, files: Mapping[str, BinaryIO]
    ) -> str:
        with scratch_folder("deposit") as folder:
            name = f"{name_of(version)}.zip"
            path = folder / name
            write_zip(version, files.__getitem__, path)
            self._upload(draft, name, path)
        return str(self._ask("POST", draft["links"]["publish"])["links"]["self_html"])

    def _discard(self, draft: dict[str, Any]) -> None:
        """Delete a draft that could not be finished; the next try makes its own."""
        with contextlib.suppress(httpx.HTTPError, KeyError, DepositError):
            self._ask("DELETE", draft["links"]["self"])

    def _upload(self, draft: dict[str, Any], name: str, path: Path) -> None:
        entry = self._ask("POST", draft["links"]["files"], json=[{"key": name}])["entries"][0]
        with path.open("rb") as body:
            self._ask(
                "PUT",
                entry["links"]["content"],
                content=body,
                headers={"Content-Type": "application/octet-stream"},
            )
        self._ask("POST", entry["links"]["commit"])

    def _ask(self, method: str, url: str, **more: Any) -> dict[str, Any]:
        answer = self.client.request(method, url, **more)
        if answer.status_code >= 400:
            raise DepositError(
                f"HTTP {answer.status_code} for {method}: {' '.join(answer.text.split())[:200]}",
                url=url,
            )
        return cast("dict[str, Any]", answer.json()) if answer.content else {}


def describe(dublin_core: bytes, version: ObjectVersion) -> dict[str, Any]:
    """Convert a package's Dublin Core to InvenioRDM's metadata."""
    root = parse(dublin_core)

    def all_of(name: str) -> list[str]:
        return [element.text for element in root.iterfind(f"{{{DC}}}{name}") if element.text]

    names = all_of("creator") or all_of("publisher") or ["unknown"]
    publisher = (all_of("publisher") or ["blogcrawl"])[0]
    title = all_of("title")[0]
    day = (all_of("date") or [version.created.isoformat()])[0][:10]
    return {
        "title": title if len(title) >= _TITLE_CHARS else f"{title} ({publisher})",
        "resource_type": {"id": "publication-other"},
        "publication_date": day,
        "creators": [
            {"person_or_org": {"type": "personal", "family_name": name, "name": name}}
            for name in names
        ],
        "publisher": publisher,
        "description": " ".join(all_of("description"))[:10_000],
        "subjects": [{"subject": tag} for tag in all_of("subject")],
        "identifiers": [{"scheme": "urn", "identifier": version.object_id}],
        "version": str(version.version),
    }


def inveniordm_target(url: str, _operator: Organization = UNNAMED) -> DepositTarget:
    """From ``inveniordm+https://…``."""
    bare, login = split_login(url.removeprefix("inveniordm+"))
    known = (
        read_logins(os.environ.get("BLOGCRAWL_CREDENTIALS_FILE", "")).of(bare)
        if login is None
        else None
    )
    token = login.user if login else secret("INVENIORDM_TOKEN") or (known.password if known else "")
    if not token:
        raise DepositError(
            "no token", advice="put it into INVENIORDM_TOKEN or the credentials file"
        )
    parts = urlsplit(bare)
    _ = parts.port  # raises ValueError if it is no number
    return InvenioTarget(
        urlunsplit((parts.scheme, parts.netloc, parts.path or "/api", "", "")), token
    )
