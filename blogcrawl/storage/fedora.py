"""Deposit into Fedora 6 over REST (fedora.info/2018/11/22/spec/, wiki.lyrasis.org: FEDORA6x).

A blog is a container, each of its packages an Archival Group in it (one OCFL object in Fedora, so a
deposit is one version there). Binaries carry their SHA-512, which the server checks; all of a
package goes in one transaction, so a break leaves nothing half. What the server has already, with
the same digest, does not travel again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import BinaryIO
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import httpx

from blogcrawl.core.credentials import Login, read_logins, secret, split_login
from blogcrawl.core.errors import DepositError
from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.packaging import ids
from blogcrawl.storage.base import DepositTarget, ObjectVersion
from blogcrawl.storage.selection import parent_aip
from blogcrawl.text.visible import natural

_GROUP = '<http://fedora.info/definitions/v4/repository#ArchivalGroup>;rel="type"'
_BINARY = '<http://www.w3.org/ns/ldp#NonRDFSource>;rel="type"'
_VERSION = "urn:blogcrawl:version"
"""Property of a container: the package's version in it. Written last in the transaction."""
_CHUNK = 2**20
_MIME = {
    ".xml": "application/xml",
    ".json": "application/json",
    ".html": "text/html",
    ".txt": "text/plain",
    ".png": "image/png",
}
_TIMEOUT = 120.0


class FedoraTarget:
    """``fedora+http://user:password@host:port/rest/path``. The login may also be in FEDORA_USER and
    FEDORA_PASSWORD, or in the credentials file."""

    def __init__(
        self, base: str, auth: tuple[str, str] | None = None, *, client: httpx.Client | None = None
    ) -> None:
        self.base = base.rstrip("/")
        self.client = client or httpx.Client(auth=auth, timeout=_TIMEOUT, follow_redirects=False)

    def deposit(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        """See DepositTarget; the receipt is the container's address. Raises DepositError."""
        place = self._place(version, files)
        try:
            there = self._version(place)
            if there >= version.version:
                return place
            with self._transaction() as transaction:
                self._package(place, version, files, transaction, fresh=there < 0)
        except (httpx.HTTPError, KeyError, IndexError) as error:
            raise DepositError(
                f"{self.base} broke off: {type(error).__name__} {error}".strip(), url=place
            ) from error
        if self._version(place) != version.version:
            raise DepositError("the repository has not kept the package", url=place)
        return place

    def _place(self, version: ObjectVersion, files: Mapping[str, BinaryIO]) -> str:
        """Return ``<blog>/<post>`` for a post's package, ``<blog>/blog`` for the blog's own."""
        name = ids.objid(version.object_id)
        blog = parent_aip(files, files.__getitem__)
        return f"{self.base}/{ids.objid(blog)}/{name}" if blog else f"{self.base}/{name}/blog"

    def _version(self, place: str) -> int:
        """Return the package's version at ``place``; 0: an empty container, -1: nothing."""
        answer = self.client.get(place, headers={"Accept": "application/n-triples"})
        if answer.status_code in (404, 410):
            return -1
        self._expect(answer, 200)
        for line in answer.text.splitlines():
            if f"<{_VERSION}>" in line:
                return natural(line.split('"')[1]) or 0
        return 0

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[dict[str, str]]:
        """Yield the headers of a new transaction; committed at the end, or rolled back."""
        parts = urlsplit(self.base)
        root = urlunsplit(
            (parts.scheme, parts.netloc, parts.path.split("/rest")[0] + "/rest", "", "")
        )
        answer = self.client.post(f"{root}/fcr:tx")
        self._expect(answer, 201)
        address = answer.headers["Location"]
        with contextlib.ExitStack() as undo:
            undo.callback(self._roll_back, address)
            yield {"Atomic-ID": address}
            self._expect(self.client.put(address), 204)
            undo.pop_all()

    def _roll_back(self, address: str) -> None:
        with contextlib.suppress(httpx.HTTPError):
            self.client.delete(address)

    def _package(
        self,
        place: str,
        version: ObjectVersion,
        files: Mapping[str, BinaryIO],
        transaction: Mapping[str, str],
        *,
        fresh: bool,
    ) -> None:
        old = {} if fresh else self._manifest(place, transaction)
        if fresh:
            headers = {"Link": _GROUP, "Content-Type": "text/turtle", **transaction}
            self._expect(self.client.put(place, content=b"", headers=headers), 201, 204)
        for path in files:
            digest = version.files[path]
            if old.get(path) != digest:
                self._binary(f"{place}/{quote(path)}", path, digest, files[path], transaction)
        for path in set(old) - set(files):
            address = f"{place}/{quote(path)}"
            self._expect(self.client.delete(address, headers=dict(transaction)), 204, 404, 410)
        update = (
            f"DELETE WHERE {{ <> <{_VERSION}> ?v }} ;\n"
            f'INSERT DATA {{ <> <{_VERSION}> "{version.version}" ;\n'
            f'  <http://purl.org/dc/terms/identifier> "{version.object_id}" . }}'
        )
        headers = {"Content-Type": "application/sparql-update", **transaction}
        self._expect(self.client.patch(place, content=update.encode(), headers=headers), 204)

    def _binary(
        self,
        address: str,
        path: str,
        digest: str,
        content: BinaryIO,
        transaction: Mapping[str, str],
    ) -> None:
        name = path.rsplit("/", 1)[-1]
        headers = {
            "Link": _BINARY,
            "Content-Type": _MIME.get(PurePosixPath(path).suffix, "application/octet-stream"),
            "Content-Disposition": f'attachment; filename="{quote(name)}"',
            "Content-Length": str(content.seek(0, os.SEEK_END)),
            "Digest": f"sha-512={digest}",
            **transaction,
        }
        content.seek(0)
        body = iter(lambda: content.read(_CHUNK), b"")
        self._expect(self.client.put(address, content=body, headers=headers), 201, 204)

    def _manifest(self, place: str, transaction: Mapping[str, str]) -> dict[str, str]:
        """Return path -> SHA-512 of the binaries below a container, as the server computes them."""
        out: dict[str, str] = {}
        stack = [place]
        while stack:
            holder = stack.pop()
            for child in self._children(holder, transaction):
                answer = self.client.head(child, headers={"Want-Digest": "sha-512", **transaction})
                digest = answer.headers.get("Digest", "")
                if answer.status_code == 200 and "sha-512=" in digest:
                    path = child[len(place) + 1 :]
                    out[unquote(path)] = digest.split("sha-512=", 1)[1].split(",")[0].strip()
                else:
                    stack.append(child)
        return out

    def _children(self, place: str, transaction: Mapping[str, str]) -> Iterator[str]:
        answer = self.client.get(place, headers={"Accept": "application/n-triples", **transaction})
        if answer.status_code != 200:
            return
        for line in answer.text.splitlines():
            if "<http://www.w3.org/ns/ldp#contains>" in line:
                yield line.split(" ")[2].strip("<>")

    def _expect(self, answer: httpx.Response, *codes: int) -> None:
        if answer.status_code not in codes:
            advice = "check user and password" if answer.status_code in (401, 403) else None
            text = " ".join(answer.text.split())[:200]
            raise DepositError(
                f"HTTP {answer.status_code} for {answer.request.method}: {text}",
                url=str(answer.request.url),
                advice=advice,
            )


def fedora_target(url: str, _operator: Organization = UNNAMED) -> DepositTarget:
    """From ``fedora+http(s)://…``."""
    bare, login = split_login(url.removeprefix("fedora+"))
    if login is None and os.environ.get("FEDORA_USER"):
        login = Login(os.environ["FEDORA_USER"], secret("FEDORA_PASSWORD"))
    login = login or read_logins(os.environ.get("BLOGCRAWL_CREDENTIALS_FILE", "")).of(bare)
    parts = urlsplit(bare)
    _ = parts.port  # raises ValueError if it is no number
    base = urlunsplit((parts.scheme, parts.netloc, parts.path or "/rest", "", ""))
    return FedoraTarget(base, (login.user, login.password) if login else None)
