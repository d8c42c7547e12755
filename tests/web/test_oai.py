"""OAI-PMH: every verb and error, and a real harvester (Sickle) against a real server."""

from __future__ import annotations

import asyncio
import base64
import io
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from lxml import etree

from blogcrawl.core.config import Config
from blogcrawl.core.errors import UsageError
from blogcrawl.core.organization import Organization
from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import BlogRow, PostRow
from blogcrawl.web.oai import Provider, asgi_app, wsgi_app
from blogcrawl.web.oaiterms import OAI, oai_id, set_spec
from tests.packaging.samples import BLOG, MOMENT, NASTY, OPERATOR, STAMP, entry

POSTS = 7
BLOG_ID = ids.blog_id(BLOG.url)


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    config = Config(archive=str(tmp_path_factory.mktemp("oai")))
    store, state = open_store(config), open_state(config)
    for number in range(POSTS):
        source = entry(number, post_changes={"title": NASTY} if number == 3 else {})
        url, made = source.post.canonical_url, MOMENT + timedelta(days=number)
        version = store.put(
            ids.urn(ids.entry_id(url)), entry_aip(source), message="m", created=made
        )
        row = PostRow(
            blog_id=BLOG_ID,
            url=url,
            aip_id=version.object_id,
            aip_version=1,
            first_seen=made,
            last_seen=MOMENT + timedelta(days=90),
        )
        state.save_post(row)
    version = store.put(
        ids.urn(BLOG_ID), blog_aip(BlogInput(blog=BLOG, stamp=STAMP)), message="m", created=MOMENT
    )
    state.save_blog(
        BlogRow(id=BLOG_ID, url=BLOG.url, title=BLOG.title, aip_id=version.object_id, aip_version=1)
    )
    state.save_blog(BlogRow(id="another one", url="https://other.example/"))
    yield Provider(
        state,
        store,
        operator=OPERATOR,
        base_url="http://127.0.0.1/oai",
        page=3,
        now=lambda: datetime(2026, 6, 1, tzinfo=UTC),
    )
    state.close()


def ask(provider: Provider, **arguments: str) -> etree._Element:
    pairs = [(name.rstrip("_"), value) for name, value in arguments.items()]
    return etree.fromstring(provider.answer(pairs))


def texts(root: etree._Element, name: str) -> list[str | None]:
    return [element.text for element in root.iter(f"{{{OAI}}}{name}")]


def error(root: etree._Element) -> str | None:
    found = root.find(f"{{{OAI}}}error")
    return None if found is None else found.get("code")


def test_identify_describes_the_repository(provider: Provider) -> None:
    root = ask(provider, verb="Identify")
    assert texts(root, "protocolVersion") == ["2.0"] and texts(root, "earliestDatestamp") == [
        "2026-03-01T12:00:00Z"
    ]


def test_administrator_is_the_operators_contact(provider: Provider) -> None:
    root = ask(provider, verb="Identify")
    assert texts(root, "adminEmail") == ["archive@archive.example"]
    assert texts(root, "repositoryName") == ["An archive"]


@pytest.mark.parametrize("contact", ["", "https://archive.example/contact"])
def test_provider_without_mail_address_is_refused(provider: Provider, contact: str) -> None:
    nobody = Organization(name="An archive", contact=contact)
    with pytest.raises(UsageError, match="administrator"):
        Provider(provider.state, provider.store, operator=nobody, base_url="x")


def test_sets_correspond_to_blogs(provider: Provider) -> None:
    assert set(texts(ask(provider, verb="ListSets"), "setSpec")) == {
        set_spec(BLOG_ID),
        "blog:another_one",
    }


def test_lists_continue_with_resumption_tokens(provider: Provider) -> None:
    seen: list[Any] = []
    root = ask(provider, verb="ListIdentifiers", metadataPrefix="oai_dc")
    for _ in range(5):
        seen += texts(root, "identifier")
        token = root.find(f".//{{{OAI}}}resumptionToken")
        assert token is not None
        if not token.text:
            break
        root = ask(provider, verb="ListIdentifiers", resumptionToken=token.text)
    assert len(seen) == len(set(seen)) == POSTS + 1


def test_lists_continue_across_blogs(tmp_path: Path) -> None:
    config = Config(archive=str(tmp_path))
    store, state = open_store(config), open_state(config)
    for url in ("https://a.example/", "https://b.example/", "https://c.example/"):
        state.save_blog(
            BlogRow(id=ids.blog_id(url), url=url, aip_id=ids.urn(ids.blog_id(url)), aip_version=1)
        )
        for number in (2, 1) if "b." not in url else ():
            state.save_post(
                PostRow(
                    blog_id=ids.blog_id(url),
                    url=f"{url}{number}",
                    aip_id=ids.urn(ids.entry_id(f"{url}{number}")),
                )
            )
    provider = Provider(state, store, operator=OPERATOR, base_url="http://127.0.0.1/oai", page=1)
    seen, cursors, arguments = [], [], {"metadataPrefix": "oai_dc"}
    while True:
        root = ask(provider, verb="ListIdentifiers", **arguments)
        seen += texts(root, "identifier")
        token = root.find(f".//{{{OAI}}}resumptionToken")
        assert token is not None
        cursors.append(token.get("cursor"))
        if not token.text:
            break
        arguments = {"resumptionToken": token.text}
    assert len(seen) == len(set(seen)) == 7 and cursors == [str(n) for n in range(7)]
    state.close()


@pytest.mark.parametrize(
    ("since", "until", "count"),
    [
        ("2026-03-03", "", 5),
        ("", "2026-03-02", 3),
        ("2026-03-02", "2026-03-02", 1),
        ("2026-03-02T12:00:00Z", "2026-03-03T11:59:59Z", 1),
        ("2026-03-08", "", 0),
        ("", "9999-12-31", POSTS + 1),
        ("", "9999-12-31T23:59:59Z", POSTS + 1),
    ],
)
def test_ranges_use_the_package_change_time(
    provider: Provider, since: str, until: str, count: int
) -> None:
    arguments = {"from_": since, "until": until}
    root = ask(
        provider,
        verb="ListIdentifiers",
        metadataPrefix="mets",
        set=set_spec(BLOG_ID),
        **{k: v for k, v in arguments.items() if v},
    )
    if count == 0:
        assert error(root) == "noRecordsMatch"
    elif count <= 3:
        assert len(texts(root, "identifier")) == count
    else:
        assert root.find(f".//{{{OAI}}}resumptionToken") is not None


@pytest.mark.parametrize("prefix", ["oai_dc", "marc21", "mets"])
def test_get_record_returns_metadata(provider: Provider, prefix: str) -> None:
    name = oai_id(ids.urn(ids.entry_id("https://blog.example/post-3")))
    root = ask(provider, verb="GetRecord", identifier=name, metadataPrefix=prefix)
    document = root.find(f".//{{{OAI}}}metadata")
    assert document is not None and len(document) == 1
    assert (
        etree.QName(document[0]).localname
        == {"oai_dc": "dc", "marc21": "record", "mets": "mets"}[prefix]
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "badVerb"),
        ({"verb": "Nothing"}, "badVerb"),
        ({"verb": "Identify", "x": "1"}, "badArgument"),
        ({"verb": "ListRecords"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "x"}, "cannotDisseminateFormat"),
        ({"verb": "ListRecords", "metadataPrefix": "mets", "from_": "yesterday"}, "badArgument"),
        (
            {
                "verb": "ListRecords",
                "metadataPrefix": "mets",
                "from_": "2026-01-01",
                "until": "2026-01-01T00:00:00Z",
            },
            "badArgument",
        ),
        (
            {
                "verb": "ListRecords",
                "metadataPrefix": "mets",
                "from_": "2026-02-01",
                "until": "2026-01-01",
            },
            "badArgument",
        ),
        ({"verb": "ListRecords", "metadataPrefix": "mets", "set": "blog:none"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "resumptionToken": "AAAA"}, "badResumptionToken"),
        (
            {
                "verb": "ListRecords",
                "resumptionToken": base64.urlsafe_b64encode(b"[" * 30_000).decode(),
            },
            "badResumptionToken",
        ),
        ({"verb": "ListRecords", "resumptionToken": "\udcff"}, "badResumptionToken"),
        ({"verb": "ListRecords", "resumptionToken": "x", "metadataPrefix": "mets"}, "badArgument"),
        ({"verb": "GetRecord", "identifier": "oai:x", "metadataPrefix": "mets"}, "idDoesNotExist"),
        ({"verb": "ListMetadataFormats", "identifier": "oai:x"}, "idDoesNotExist"),
    ],
)
def test_errors_follow_the_protocol(
    provider: Provider, arguments: dict[str, str], code: str
) -> None:
    root = ask(provider, **arguments)
    request = root.find(f"{{{OAI}}}request")
    assert error(root) == code and request is not None
    assert bool(request.attrib) == (code not in ("badVerb", "badArgument"))  # section 3.2


def test_repeated_arguments_are_refused(provider: Provider) -> None:
    root = etree.fromstring(provider.answer([("verb", "Identify"), ("verb", "Identify")]))
    assert error(root) == "badVerb"
    pairs = [("verb", "ListRecords"), ("metadataPrefix", "mets"), ("metadataPrefix", "oai_dc")]
    assert error(etree.fromstring(provider.answer(pairs))) == "badArgument"


def test_removed_package_is_reported_as_deleted(provider: Provider, tmp_path: Path) -> None:
    state = open_state(Config(archive=str(tmp_path)))
    state.save_blog(BlogRow(id="b", url="https://x.example/"))
    state.save_post(
        PostRow(
            blog_id="b",
            url="https://x.example/1",
            aip_id="urn:uuid:gone",
            aip_version=1,
            last_seen=MOMENT,
        )
    )
    root = ask(
        Provider(state, open_store(Config(archive=str(tmp_path))), operator=OPERATOR, base_url="x"),
        verb="ListRecords",
        metadataPrefix="oai_dc",
    )
    for verb in ("ListRecords", "ListIdentifiers"):
        root = ask(
            Provider(
                state, open_store(Config(archive=str(tmp_path))), operator=OPERATOR, base_url="x"
            ),
            verb=verb,
            metadataPrefix="oai_dc",
        )
        header = root.find(f".//{{{OAI}}}header")
        assert header is not None and header.get("status") == "deleted"
    state.close()


def test_damaged_package_is_omitted_not_reported_as_deleted(tmp_path: Path) -> None:
    """A harvester that receives a deletion deletes its own copy, the undamaged one."""
    config = Config(archive=str(tmp_path))
    store, state = open_store(config), open_state(config)
    for number in range(3):
        source = entry(number)
        urn = ids.urn(ids.entry_id(source.post.canonical_url))
        store.put(urn, entry_aip(source), message="m", created=MOMENT)
        state.save_post(
            PostRow(
                blog_id=BLOG_ID,
                url=source.post.canonical_url,
                aip_id=urn,
                aip_version=1,
                last_seen=MOMENT,
            )
        )
    state.save_blog(BlogRow(id=BLOG_ID, url=BLOG.url))
    hurt, lost, _ = sorted(tmp_path.glob("packages/*/*/*/*/v1/content/metadata/descriptive/dc.xml"))
    hurt.write_bytes(b"<half")
    lost.unlink()
    provider = Provider(state, store, operator=OPERATOR, base_url="x", page=2)
    root = ask(provider, verb="ListRecords", metadataPrefix="oai_dc")
    assert len(texts(root, "identifier")) == 1 and "deleted" not in etree.tostring(root).decode()
    urn = "urn:uuid:" + hurt.parents[4].name.rsplit("%3a", 1)[-1]
    assert (
        error(ask(provider, verb="GetRecord", identifier=oai_id(urn), metadataPrefix="oai_dc"))
        == "cannotDisseminateFormat"
    )
    assert (
        error(ask(provider, verb="GetRecord", identifier=oai_id(urn), metadataPrefix="mets"))
        is None
    )
    state.close()


class Quiet(WSGIRequestHandler):
    def log_message(self, *_args: Any) -> None:
        return


def test_sickle_harvests_everything(provider: Provider) -> None:
    sickle = pytest.importorskip("sickle")
    server = make_server("127.0.0.1", 0, wsgi_app(provider), handler_class=Quiet)  # type: ignore[arg-type]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        client = sickle.Sickle(f"http://127.0.0.1:{server.server_port}/")
        assert client.Identify().protocolVersion == "2.0"
        assert [f.metadataPrefix for f in client.ListMetadataFormats()] == [
            "oai_dc",
            "marc21",
            "mets",
        ]
        for prefix in ("oai_dc", "marc21", "mets"):
            found = list(client.ListRecords(metadataPrefix=prefix))
            assert len({record.header.identifier for record in found}) == POSTS + 1
        record = client.GetRecord(
            identifier=oai_id(ids.urn(ids.entry_id("https://blog.example/post-1"))),
            metadataPrefix="oai_dc",
        )
        assert record.metadata["title"] == ["Post 1 <of> many"] and record.metadata["creator"] == [
            "Ann",
            "Bob",
        ]
        assert (
            len(list(client.ListIdentifiers(metadataPrefix="oai_dc", **{"from": "2026-03-04"})))
            == 4
        )
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("length", ["", "x", "-1", "99999999999"])
def test_wsgi_handles_invalid_content_lengths(provider: Provider, length: str) -> None:
    environ = {
        "REQUEST_METHOD": "POST",
        "CONTENT_LENGTH": length,
        "wsgi.input": io.BytesIO(b"verb=Identify"),
    }
    [body] = wsgi_app(provider)(environ, lambda *_: None)
    assert (b"<Identify>" in body) == (length == "99999999999")


def test_asgi_gives_the_same_responses(provider: Provider) -> None:
    async def call(method: str, query: bytes, body: bytes) -> bytes:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await asgi_app(provider)(
            {"type": "http", "method": method, "query_string": query}, receive, send
        )
        return sent[1]["body"]

    wanted = provider.answer([("verb", "Identify")])
    assert asyncio.run(call("GET", b"verb=Identify", b"")) == wanted
    assert asyncio.run(call("POST", b"", b"verb=Identify")) == wanted
