"""Deposit into InvenioRDM over REST: the example of how to add a repository that takes no METS.

``inveniordm+https://TOKEN@host/api`` (or the token in INVENIORDM_TOKEN). A draft record is made of
the package's Dublin Core, the package goes up as one E-ARK ZIP, the record is published. A newer
version of a package becomes a new version of its record. With ``?community=UUID`` the community's
curators are asked to take the record in.
(inveniordm.docs.cern.ch/reference/rest_api_drafts_records/)
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import parse_qs, urljoin, urlsplit, urlunsplit

import httpx

from blogcrawl.core.credentials import read_logins, secret, split_login
from blogcrawl.core.errors import DepositError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.packaging.layout import DC_XML
from blogcrawl.packaging.xmltools import DC, parse
from blogcrawl.storage.base import DepositTarget, ObjectVersion
from blogcrawl.storage.submissions import write_aip
from blogcrawl.storage.temporary import scratch_folder

_TIMEOUT = 120.0
_SHORTEST = 3
"""InvenioRDM takes no shorter title or description (invenio-rdm-records, schema of metadata)."""
_TRIES = 5
_LONGEST_WAIT_SECONDS = 120.0
_DATE = r"\d{4}(?:-\d\d(?:-\d\d)?)?"
_LEVEL_0 = re.compile(f"{_DATE}(?:/{_DATE}$)?")
"""A day, month or year, or an interval of them: what publication dates may be (EDTF level 0)."""


class InvenioTarget:
    """Records of resource type ``publication-other``, one per package, versions linked."""

    def __init__(
        self,
        base: str,
        token: str,
        community: str = "",
        *,
        client: httpx.Client | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base = base.rstrip("/")
        self.community = community
        self.client = client or httpx.Client(timeout=_TIMEOUT)
        self.client.headers["Authorization"] = f"Bearer {token}"
        self.wait = wait

    def deposit(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        """See DepositTarget; the receipt is the published record's address. Raises DepositError."""
        try:
            record = self._find(version)
            if record is None or record["metadata"].get("version") != str(version.version):
                record = self._new_record(record, version, files)
            if self.community:
                self._offer(record)
            return str(record["links"]["self_html"])
        except (httpx.HTTPError, KeyError, ValueError, TypeError, IndexError) as error:
            raise DepositError(f"{self.base} broke off or answered oddly: {error!r}") from error

    def _find(self, version: ObjectVersion) -> dict[str, Any] | None:
        """Return the newest published record of the package."""
        query = {"q": f'metadata.identifiers.identifier:"{version.object_id}"'}
        for hit in self._ask("GET", f"{self.base}/records", params=query)["hits"]["hits"]:
            known = hit["metadata"].get("identifiers", ())
            if any(one["identifier"] == version.object_id for one in known):
                return cast("dict[str, Any]", hit)
        return None

    def _new_record(
        self,
        earlier: dict[str, Any] | None,
        version: ObjectVersion,
        files: Mapping[str, BinaryIO],
    ) -> dict[str, Any]:
        with files[DC_XML] as stream:
            metadata = describe(stream.read(), version)
        draft = self._draft(earlier)
        try:
            self._describe(draft, metadata)
            with scratch_folder("deposit") as folder:
                self._upload(draft, write_aip(version, files.__getitem__, folder))
            return self._ask("POST", draft["links"]["publish"])
        except BaseException:
            self._discard(draft)
            raise

    def _draft(self, earlier: dict[str, Any] | None) -> dict[str, Any]:
        """Make a draft, or take up the one that a broken-off deposit has left."""
        if earlier is None:
            return self._ask("POST", f"{self.base}/records", json={"files": {"enabled": True}})
        draft = self._ask("POST", earlier["links"]["versions"])
        for left in self._ask("GET", draft["links"]["files"])["entries"]:
            self._ask("DELETE", left["links"]["self"])
        return draft

    def _describe(self, draft: dict[str, Any], metadata: dict[str, Any]) -> None:
        """Write the draft's metadata. Raises DepositError where the repository refuses some: a
        draft is saved without them.
        """
        body = {
            "metadata": metadata,
            "files": {"enabled": True},
            "access": {"record": "public", "files": "restricted"},
        }
        saved = self._ask("PUT", draft["links"]["self"], json=body)
        wrong = [e for e in saved.get("errors", ()) if e["field"].startswith("metadata")]
        if wrong:
            raise DepositError(f"metadata refused: {_named(wrong)}", url=draft["links"]["self"])

    def _discard(self, draft: dict[str, Any]) -> None:
        """Delete a draft that could not be finished; the next try makes its own."""
        with contextlib.suppress(httpx.HTTPError, KeyError, DepositError):
            self._ask("DELETE", draft["links"]["self"])

    def _upload(self, draft: dict[str, Any], package: Path) -> None:
        """Send the file. Raises DepositError if the repository has kept other bytes."""
        files = draft["links"]["files"]
        entry = self._ask("POST", files, json=[{"key": package.name}])["entries"][0]
        with package.open("rb") as body:
            self._ask(
                "PUT",
                entry["links"]["content"],
                content=body,
                headers={"Content-Type": "application/octet-stream"},
            )
            kept = self._ask("POST", entry["links"]["commit"])
            body.seek(0)
            digest = hashlib.file_digest(body, "md5").hexdigest()
        if kept["checksum"] != f"md5:{digest}":
            raise DepositError(f"the repository has kept other bytes of {package.name}", url=files)

    def _offer(self, record: dict[str, Any]) -> None:
        """Ask the community's curators to take the record in, unless they have or were asked."""
        if self.community in record["parent"].get("communities", {}).get("ids", ()):
            return
        asked = self._ask("GET", record["links"]["requests"])["hits"]["hits"]
        if not any(
            one["is_open"] and one["receiver"].get("community") == self.community for one in asked
        ):
            body = {"communities": [{"id": self.community}]}
            self._ask("POST", record["links"]["communities"], json=body)

    def _ask(self, method: str, place: str, **more: Any) -> dict[str, Any]:
        """Send a request, later where the repository asks for that; links may be relative."""
        url = urljoin(f"{self.base}/", place)
        for last in (*(False,) * (_TRIES - 1), True):
            if "content" in more:
                more["content"].seek(0)
            answer = self.client.request(method, url, **more)
            if answer.status_code != 429 or last:
                break
            asked = answer.headers.get("Retry-After", "")
            seconds = float(asked) if asked.isdecimal() else 1.0
            self.wait(min(seconds, _LONGEST_WAIT_SECONDS))
        if answer.status_code >= 400:
            advice = "check the token" if answer.status_code in (401, 403) else None
            message = f"HTTP {answer.status_code} for {method}: {_reason(answer)}"
            raise DepositError(message, url=url, advice=advice)
        return cast("dict[str, Any]", answer.json()) if answer.content else {}


def _reason(answer: httpx.Response) -> str:
    """Return what an error's body says: message and fields, or its text."""
    try:
        body = answer.json()
        said = [body.get("message", ""), _named(body.get("errors", ()))]
        return ": ".join(filter(None, said))[:500]
    except (ValueError, AttributeError, TypeError, KeyError):
        return " ".join(answer.text.split())[:200]


def _named(errors: Any) -> str:
    """Return the errors of a body, each with the field or community that it is about."""
    return "; ".join(
        f"{one.get('field') or one['community']}: "
        + " ".join(one.get("messages") or [one.get("message", "")])
        for one in errors
    )


def describe(dublin_core: bytes, version: ObjectVersion) -> dict[str, Any]:
    """Convert a package's Dublin Core to InvenioRDM's metadata."""
    root = parse(dublin_core)

    def all_of(name: str) -> list[str]:
        return [element.text for element in root.iterfind(f"{{{DC}}}{name}") if element.text]

    publisher = (all_of("publisher") or ["blogcrawl"])[0]
    title = all_of("title")[0]
    stated = (all_of("date") or [""])[0]
    dated = _LEVEL_0.match(stated.replace("~", ""))
    metadata = {
        "title": title if len(title) >= _SHORTEST else f"{title} ({publisher})",
        "resource_type": {"id": "publication-other"},
        "publication_date": dated[0] if dated else version.created.date().isoformat(),
        "creators": [
            {"person_or_org": {"type": "personal", "family_name": name}}
            for name in all_of("creator")
        ]
        or [{"person_or_org": {"type": "organizational", "name": publisher}}],
        "publisher": publisher,
        "subjects": [{"subject": tag} for tag in all_of("subject")],
        "identifiers": [{"scheme": "urn", "identifier": version.object_id}],
        "version": str(version.version),
    }
    if "~" in stated and dated:
        note = {"date": dated[0], "type": {"id": "issued"}, "description": f"approximate: {stated}"}
        metadata["dates"] = [note]
    description = escape(" ".join(all_of("description"))[:10_000], quote=False)  # it is HTML
    return metadata | ({"description": description} if len(description) >= _SHORTEST else {})


def inveniordm_target(url: str, _operator: Organization = UNNAMED) -> DepositTarget:
    """From ``inveniordm+https://…``. Raises DepositError, and ValueError for a wrong port."""
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
    base = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") or "/api", "", ""))
    return InvenioTarget(base, token, parse_qs(parts.query).get("community", [""])[0])
