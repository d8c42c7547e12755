"""REST targets against stand-ins that record requests, and S3 by moto. A real Fedora:
tests/fedora/real.py.
"""

from __future__ import annotations

import hashlib
import io
import re
import uuid
from pathlib import Path

import httpx
import pytest

from blogcrawl.core.errors import DepositError
from blogcrawl.packaging import ids
from blogcrawl.storage.bags import bag_version
from blogcrawl.storage.base import ObjectVersion
from blogcrawl.storage.deposit_files import S3Target
from blogcrawl.storage.fedora import FedoraTarget, fedora_target
from tests.packaging.samples import BLOG, MOMENT
from tests.storage.shelf import Shelf

BASE = "http://fedora.test/rest/blogs"


class StandIn:
    """As much of Fedora's API as the target uses: transactions, containers, binaries
    with digests.
    """

    def __init__(self) -> None:
        self.live: dict[str, bytes] = {}
        self.open: dict[str, dict[str, bytes]] = {}
        self.puts = 0
        self.break_at = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        if url.endswith("/fcr:tx") and request.method == "POST":
            name = f"{url}/{len(self.open)}"
            self.open[name] = dict(self.live)
            return httpx.Response(201, headers={"Location": name})
        if url in self.open:
            if request.method == "PUT":
                self.live = self.open.pop(url)
            else:
                self.open.pop(url)
            return httpx.Response(204)
        place = (
            self.open[request.headers["Atomic-ID"]] if "Atomic-ID" in request.headers else self.live
        )
        return getattr(self, request.method.lower())(request, url, place)

    def put(self, request: httpx.Request, url: str, place: dict[str, bytes]) -> httpx.Response:
        self.puts += 1
        if self.break_at and self.puts == self.break_at:
            raise httpx.ReadError("connection reset")
        body = request.read()
        digest = request.headers.get("Digest", "")
        if digest and digest != f"sha-512={hashlib.sha512(body).hexdigest()}":
            return httpx.Response(409)
        place[url] = body
        return httpx.Response(201)

    def patch(self, request: httpx.Request, url: str, place: dict[str, bytes]) -> httpx.Response:
        place[url] = request.read()
        return httpx.Response(204)

    def delete(self, _request: httpx.Request, url: str, place: dict[str, bytes]) -> httpx.Response:
        return httpx.Response(204 if place.pop(url, None) is not None else 404)

    def get(self, _request: httpx.Request, url: str, place: dict[str, bytes]) -> httpx.Response:
        below = {key for key in place if key.startswith(url + "/")}
        if url not in place and not below:
            return httpx.Response(404)
        children = {url + "/" + key[len(url) + 1 :].split("/")[0] for key in below}
        text = "".join(
            f"<{url}> <http://www.w3.org/ns/ldp#contains> <{child}> .\n" for child in children
        )
        version = re.search(rb'<urn:blogcrawl:version> "(\d+)"', place.get(url, b""))
        if version:
            text += f'<{url}> <urn:blogcrawl:version> "{version[1].decode()}" .\n'
        return httpx.Response(200, text=text)

    def head(self, _request: httpx.Request, url: str, place: dict[str, bytes]) -> httpx.Response:
        if url not in place:
            return httpx.Response(200 if any(key.startswith(url + "/") for key in place) else 404)
        return httpx.Response(
            200, headers={"Digest": f"sha-512={hashlib.sha512(place[url]).hexdigest()}"}
        )


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_fedora_receives_a_package_then_only_changed_files(shelf: Shelf) -> None:
    server = StandIn()
    target = FedoraTarget(BASE, client=httpx.Client(transport=httpx.MockTransport(server)))
    first = shelf.put(3)
    place = shelf.send(target, first)
    assert (
        place == f"{BASE}/{ids.objid(ids.blog_id(BLOG.url))}/{ids.objid(ids.bare(first.object_id))}"
    )
    assert {k[len(place) + 1 :] for k in server.live if k != place} == set(first.files)
    sent = server.puts
    assert shelf.send(target, first) == place and server.puts == sent
    shelf.send(target, shelf.put(4))
    assert 0 < server.puts - sent < len(first.files)
    assert server.open == {}


def test_fedora_transaction_that_breaks_off_is_rolled_back(shelf: Shelf) -> None:
    server = StandIn()
    server.break_at = 5
    target = FedoraTarget(BASE, client=httpx.Client(transport=httpx.MockTransport(server)))
    version = shelf.put(1)
    with pytest.raises(DepositError, match="broke off"):
        shelf.send(target, version)
    assert server.live == {} and server.open == {}
    server.break_at = 0
    shelf.send(target, version)
    assert len(server.live) == len(version.files) + 1


def test_fedora_refusal_is_a_storage_error(shelf: Shelf) -> None:
    target = FedoraTarget(
        BASE, client=httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(401)))
    )
    with pytest.raises(DepositError, match=r"401.*password"):
        shelf.send(target, shelf.put(1))


@pytest.mark.parametrize("number", ["²", "9" * 5000, "", "-1"])
def test_fedora_with_a_nonnumeric_version_gets_the_package(shelf: Shelf, number: str) -> None:
    server = StandIn()
    answers = 0

    def odd(request: httpx.Request) -> httpx.Response:
        nonlocal answers
        answer = server(request)
        if request.method == "GET" and not answers:
            answers += 1
            return httpx.Response(
                200, text=f'<{request.url}> <urn:blogcrawl:version> "{number}" .\n'
            )
        return answer

    target = FedoraTarget(BASE, client=httpx.Client(transport=httpx.MockTransport(odd)))
    version = shelf.put(1)
    place = shelf.send(target, version)
    assert {k[len(place) + 1 :] for k in server.live if k != place} == set(version.files)


@pytest.mark.parametrize(("line", "version"), [("7", 7), ("²", 0), ("9" * 5000, 0), ("", 0)])
def test_the_version_of_a_bag_is_a_number_or_none(line: str, version: int, tmp_path: Path) -> None:
    (tmp_path / "bag-info.txt").write_text(f"Blogcrawl-Version: {line}\n", "utf-8")
    assert bag_version(tmp_path) == version


def test_target_urls_are_parsed() -> None:
    assert fedora_target("fedora+https://me:pw@host:8443/rest/a").base == (
        "https://host:8443/rest/a"
    )  # type: ignore[attr-defined]


def test_s3_upload_writes_mets_last() -> None:
    import fsspec

    class Order(dict[str, bytes]):
        pass

    place = uuid.uuid4().hex
    target = S3Target(f"memory://{place}")
    version = ObjectVersion(
        object_id=ids.urn(ids.blog_id("x")),
        version=2,
        created=MOMENT,
        message="",
        files={"METS.xml": "", "a/b": ""},
    )
    receipt = target.deposit(version, {"METS.xml": io.BytesIO(b"m"), "a/b": io.BytesIO(b"x")})
    fs = fsspec.filesystem("memory")
    assert (
        receipt.endswith(name := f"{ids.objid(version.object_id)}-v2")
        and fs.cat_file(f"/{place}/{name}/a/b") == b"x"
    )
    assert target.deposit(version, Order()) == receipt
