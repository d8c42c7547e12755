"""OAI-PMH 2.0 (openarchives.org/OAI/2.0/openarchivesprotocol.htm) as WSGI and ASGI application.

Records are the packages of posts and blogs; sets are blogs. A post that is gone from its site stays
a record. A resumption token holds the complete state of a list, so the server keeps none.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import dropwhile
from typing import Any
from urllib.parse import parse_qsl

from lxml import etree

from blogcrawl.core.errors import StorageError, UsageError
from blogcrawl.core.organization import Organization
from blogcrawl.packaging import ids
from blogcrawl.packaging.layout import TOMBSTONE_JSON
from blogcrawl.packaging.xmltools import XSI, clean, namespaces, parse
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.selection import parent_aip
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tombstones import Tombstones
from blogcrawl.web.oaiterms import (
    ARGUMENTS,
    FORMATS,
    OAI,
    PAGE,
    SECOND,
    Item,
    OaiError,
    Query,
    add,
    inside,
    moment,
    oai_id,
    second,
    set_spec,
)

logger = logging.getLogger(__name__)


REMOVED = "removed "
"""Marks the place of a removed post in a list that goes on."""


class Provider:
    """Answer requests from state and store. ``now`` is injected for tests.

    Raises UsageError where the operator's contact is no mail address: the protocol requires an
    adminEmail (section 4.2), and none is invented.
    """

    def __init__(
        self,
        state: SqlState,
        store: PackageStore,
        *,
        operator: Organization,
        base_url: str,
        page: int = PAGE,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.state, self.store, self.base_url = state, store, base_url
        self.operator = operator
        if not operator.mail:
            raise UsageError(
                "OAI-PMH requires the mail address of an administrator",
                advice="set BLOGCRAWL_CONTACT to one (mailto:you@example.org)",
            )
        self.page, self.now = page, now

    def answer(self, pairs: Iterable[tuple[str, str]]) -> bytes:
        """Return the response document for a request; protocol errors are responses too."""
        root = etree.Element(f"{{{OAI}}}OAI-PMH", nsmap=namespaces(OAI, xsi=XSI))
        root.set(
            f"{{{XSI}}}schemaLocation", f"{OAI} http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"
        )
        add(root, "responseDate", self.now().astimezone(UTC).strftime(SECOND))
        request = add(root, "request", self.base_url)
        try:
            arguments = self._checked(list(pairs))
            for name, value in arguments.items():
                request.set(name, clean(value))
            verb = arguments.pop("verb")
            getattr(self, "_" + verb)(root, arguments)
        except OaiError as error:
            for child in list(root)[2:]:
                root.remove(child)
            if error.code in ("badVerb", "badArgument"):
                request.attrib.clear()  # section 3.2: they need not be what the schema has
            add(root, "error", str(error)).set("code", error.code)
        return etree.tostring(root, encoding="UTF-8", xml_declaration=True)

    def _checked(self, pairs: list[tuple[str, str]]) -> dict[str, str]:
        arguments = dict(pairs)
        verb = arguments.get("verb", "")
        if verb not in ARGUMENTS or [name for name, _ in pairs].count("verb") != 1:
            raise OaiError("badVerb", "one verb, one of " + ", ".join(ARGUMENTS))
        required, optional = ARGUMENTS[verb]
        names = set(arguments) - {"verb"}
        if len(arguments) != len(pairs) or names - required - optional:
            raise OaiError("badArgument", "an argument is repeated or unknown to this verb")
        if "resumptionToken" in names:
            if len(names) > 1:
                raise OaiError("badArgument", "resumptionToken stands alone")
        elif required - names:
            raise OaiError("badArgument", "missing: " + ", ".join(sorted(required - names)))
        return arguments

    def _Identify(self, root: etree._Element, _told: Mapping[str, str]) -> None:
        body = add(root, "Identify")
        earliest = self.state.post_span().first_seen or self.now()
        for name, value in (
            ("repositoryName", self.operator.name or "blogcrawl archive"),
            ("baseURL", self.base_url),
            ("protocolVersion", "2.0"),
            ("adminEmail", self.operator.mail),
            ("earliestDatestamp", second(earliest).strftime(SECOND)),
            ("deletedRecord", "transient"),
            ("granularity", "YYYY-MM-DDThh:mm:ssZ"),
        ):
            add(body, name, value)

    def _ListMetadataFormats(self, root: etree._Element, arguments: Mapping[str, str]) -> None:
        if "identifier" in arguments:
            self._item(arguments["identifier"])
        body = add(root, "ListMetadataFormats")
        for prefix, (_, namespace, schema) in FORMATS.items():
            form = add(body, "metadataFormat")
            add(form, "metadataPrefix", prefix)
            add(form, "schema", schema)
            add(form, "metadataNamespace", namespace)

    def _ListSets(self, root: etree._Element, arguments: Mapping[str, str]) -> None:
        if "resumptionToken" in arguments:
            raise OaiError("badResumptionToken", "sets are listed completely")
        body = add(root, "ListSets")
        for blog in self.state.blogs():
            one = add(body, "set")
            add(one, "setSpec", set_spec(blog.id))
            add(one, "setName", blog.name)
        if len(body) == 0:
            raise OaiError("noSetHierarchy", "there are no blogs yet")

    def _GetRecord(self, root: etree._Element, arguments: Mapping[str, str]) -> None:
        self._known(arguments["metadataPrefix"])
        body = add(root, "GetRecord")
        self._record(body, self._item(arguments["identifier"]), arguments["metadataPrefix"])
        if len(body) == 0:
            raise OaiError("cannotDisseminateFormat", "the package is damaged there")

    def _ListRecords(self, root: etree._Element, arguments: Mapping[str, str]) -> None:
        self._list(add(root, "ListRecords"), arguments, self._record)

    def _ListIdentifiers(self, root: etree._Element, arguments: Mapping[str, str]) -> None:
        body = add(root, "ListIdentifiers")
        self._list(body, arguments, lambda body, item, _prefix: self._header(body, item))

    def _list(
        self,
        body: etree._Element,
        arguments: Mapping[str, str],
        write: Callable[[etree._Element, Item, str], object],
    ) -> None:
        query = (
            Query.parse(arguments["resumptionToken"])
            if "resumptionToken" in arguments
            else self._query(arguments)
        )
        more, place = False, query.place
        for item in self._items(query.blog, query.place):
            if not self._inside(item, query):
                continue
            if len(body) == self.page:
                more = True
                break
            write(body, item, query.prefix)
            place = (item.blog_id, item.url)
        if len(body) == 0:
            if query.after:
                raise OaiError("badResumptionToken", "the list has no such page any more")
            raise OaiError("noRecordsMatch", "nothing fits these arguments")
        if more or query.after:
            following = replace(query, after=query.after + len(body), place=place)
            token = add(body, "resumptionToken", following.token() if more else None)
            token.set("cursor", str(query.after))

    def _query(self, arguments: Mapping[str, str]) -> Query:
        self._known(arguments["metadataPrefix"])
        since, until = arguments.get("from", ""), arguments.get("until", "")
        for text in (since, until):
            if text:
                moment(text)
        if since and until and (len(since) != len(until) or moment(since) > moment(until)):
            raise OaiError(
                "badArgument", "from and until differ in granularity, or are the wrong way round"
            )
        blog = self._blog_of_set(arguments["set"]) if "set" in arguments else ""
        return Query(arguments["metadataPrefix"], since, until, blog)

    def _blog_of_set(self, spec: str) -> str:
        """Return the id of a set's blog. Raises OaiError."""
        for row in self.state.blogs():
            if set_spec(row.id) == spec:
                return row.id
        raise OaiError("noRecordsMatch", "there is no such set")

    def _known(self, prefix: str) -> None:
        if prefix not in FORMATS:
            raise OaiError("cannotDisseminateFormat", "one of " + ", ".join(FORMATS))

    def _items(self, blog_id: str, place: tuple[str, str]) -> Iterator[Item]:
        """Yield all items after ``place`` in stable order: each blog, then its posts by URL."""
        at_blog, at_url = place
        blogs = self.state.blogs()
        if at_blog and self.state.get_blog(at_blog) is None:  # among the removed ones
            blogs = iter(())
        for blog in dropwhile(lambda row: row.id != at_blog, blogs) if at_blog else blogs:
            if blog_id and blog.id != blog_id:
                continue
            if blog.aip_id and blog.id != at_blog:
                yield Item(blog.aip_id, blog.aip_version, blog.id, "", None)
            after = at_url if blog.id == at_blog else ""
            if not after.startswith(REMOVED):
                yield from self._posts(blog.id, after)
            yield from self._removed(blog.id, after)
        yield from self._removed_blogs(blog_id, place)

    def _posts(self, blog_id: str, after: str) -> Iterator[Item]:
        for row in self.state.posts_by_key(blog_id, after):
            if row.aip_id:
                yield Item(row.aip_id, row.aip_version, blog_id, row.url, row.last_seen)

    def _removed(self, blog_id: str, after: str) -> Iterator[Item]:
        """Yield tombstones of posts as deleted records, after the posts of their blog."""
        behind = after.removeprefix(REMOVED) if after.startswith(REMOVED) else ""
        for removal in Tombstones(self.state).posts_of(blog_id, behind):
            if removal.aip_id:
                yield Item(removal.aip_id, 0, blog_id, REMOVED + removal.url, None)

    def _removed_blogs(self, blog_id: str, place: tuple[str, str]) -> Iterator[Item]:
        """Yield removed blogs in the order of their ids, each with its posts, after all others."""
        at_blog, at_url = place
        removed = list(Tombstones(self.state).blogs())
        begun = any(one.blog_id == at_blog for one in removed)
        for removal in removed:
            if (blog_id and removal.blog_id != blog_id) or (begun and removal.blog_id < at_blog):
                continue
            if removal.aip_id and removal.blog_id != at_blog:
                yield Item(removal.aip_id, 0, removal.blog_id, "", None)
            yield from self._removed(removal.blog_id, at_url if removal.blog_id == at_blog else "")

    def _inside(self, item: Item, query: Query) -> bool:
        if not (query.since or query.until):
            return True
        if item.latest is not None and query.since and second(item.latest) < moment(query.since):
            return False
        return inside(self._made(item)[0], query)

    def _made(self, item: Item) -> tuple[datetime, bool]:
        """Return when this version of the package was created, and whether it was removed."""
        head = self.store.head(item.urn)
        return second(
            head.created if head else item.latest or self.now()
        ), head is None or TOMBSTONE_JSON in head.files

    def _item(self, identifier: str) -> Item:
        """Find an item by the identifiers inside its package, without reading a list."""
        urn = ids.urn(ids.bare(identifier.removeprefix(oai_id(""))))
        head = self.store.head(urn) if oai_id(urn) == identifier else None
        if head is None:
            raise OaiError("idDoesNotExist", "there is no such item")
        if TOMBSTONE_JSON in head.files:
            with self.store.open(urn, TOMBSTONE_JSON) as file:
                return Item(urn, head.version, str(json.load(file)["blog_id"]), "", None)
        blog = parent_aip(head.files, lambda path: self.store.open(urn, path)) or urn
        row = self.state.get_blog(ids.bare(blog)) or next(
            (row for row in self.state.blogs() if row.aip_id == blog), None
        )
        return Item(urn, head.version, row.id if row else ids.bare(blog), "", None)

    def _header(self, body: etree._Element, item: Item) -> bool:
        """Write a header and return whether the record is deleted."""
        header, (made, gone) = add(body, "header"), self._made(item)
        if gone:
            header.set("status", "deleted")
        add(header, "identifier", oai_id(item.urn))
        add(header, "datestamp", made.strftime(SECOND))
        add(header, "setSpec", set_spec(item.blog_id))
        return gone

    def _record(self, body: etree._Element, item: Item, prefix: str) -> None:
        """Write a record; log and skip damaged ones.

        Reported as deleted, harvesters would delete their good copy.
        """
        record = add(body, "record")
        if self._header(record, item):
            return
        try:
            with self.store.open(item.urn, FORMATS[prefix][0], item.version or None) as file:
                document = parse(file.read())
        except (StorageError, FileNotFoundError, etree.XMLSyntaxError) as error:
            logger.error(
                "cannot serialise %s as %s: %s; run `blogcrawl verify`", item.urn, prefix, error
            )
            body.remove(record)
            return
        if prefix == "marc21" and len(document):
            document = document[0]  # the record of the post or blog; comments come with the package
        add(record, "metadata").append(document)


_TYPE = "text/xml; charset=utf-8"
_MAX_FORM = 65_536


def wsgi_app(provider: Provider) -> Callable[[dict[str, Any], Callable[..., Any]], list[bytes]]:
    """Return the provider as a WSGI application: GET, or POST with a form."""

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        text = environ.get("QUERY_STRING", "")
        if environ.get("REQUEST_METHOD") == "POST":
            announced = environ.get("CONTENT_LENGTH") or ""
            length = (
                min(int(announced), _MAX_FORM) if announced.isascii() and announced.isdigit() else 0
            )
            text = environ["wsgi.input"].read(length).decode("utf-8", "replace")
        body = provider.answer(parse_qsl(text, keep_blank_values=True))
        start_response("200 OK", [("Content-Type", _TYPE), ("Content-Length", str(len(body)))])
        return [body]

    return app


def asgi_app(provider: Provider) -> Callable[..., Awaitable[None]]:
    """Return the provider as an ASGI application, for mounting in another one."""

    async def app(
        scope: Mapping[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
    ) -> None:
        if scope["type"] != "http":
            return
        text = scope.get("query_string", b"").decode("ascii", "replace")
        if scope["method"] == "POST":
            data = b""
            while len(data) < _MAX_FORM:
                message = await receive()
                data += message.get("body", b"")
                if not message.get("more_body"):
                    break
            text = data.decode("utf-8", "replace")
        body = await asyncio.to_thread(provider.answer, parse_qsl(text, keep_blank_values=True))
        headers = [(b"content-type", _TYPE.encode()), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return app
