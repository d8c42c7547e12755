"""Terms of OAI-PMH 2.0: verbs, errors, formats, resumption tokens, dates."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lxml import etree

from blogcrawl.packaging import ids
from blogcrawl.packaging.layout import DC_XML, MARC_XML
from blogcrawl.packaging.xmltools import MARC, METS, OAI_DC, clean

OAI = "http://www.openarchives.org/OAI/2.0/"
PAGE = 100
"""Records in one answer."""
_DAY, SECOND = "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"
FORMATS = {
    "oai_dc": (DC_XML, OAI_DC, "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"),
    "marc21": (MARC_XML, MARC, "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd"),
    "mets": ("METS.xml", METS, "http://www.loc.gov/standards/mets/mets.xsd"),
}
"""metadataPrefix -> file of the package, namespace, schema."""
ARGUMENTS = {
    "Identify": (set(), set()),
    "ListMetadataFormats": (set(), {"identifier"}),
    "ListSets": (set(), {"resumptionToken"}),
    "GetRecord": ({"identifier", "metadataPrefix"}, set()),
    "ListRecords": ({"metadataPrefix"}, {"from", "until", "set", "resumptionToken"}),
    "ListIdentifiers": ({"metadataPrefix"}, {"from", "until", "set", "resumptionToken"}),
}
"""verb -> required and optional arguments."""


class OaiError(Exception):
    """An error with a code of the protocol."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Item:
    """A package as an OAI item."""

    urn: str
    version: int
    blog_id: str
    url: str
    """Of a post; empty for the blog itself. With ``blog_id`` it is the item's place in lists."""
    latest: datetime | None
    """It did not change after this; cheaper to know than when exactly it did."""


@dataclass(frozen=True, slots=True)
class Query:
    """A list request in progress.

    ``after``: number of items returned already; ``place``: blog and URL of the last one.
    """

    prefix: str
    since: str = ""
    until: str = ""
    blog: str = ""
    after: int = 0
    place: tuple[str, str] = ("", "")

    def token(self) -> str:
        fields = [self.prefix, self.since, self.until, self.blog, self.after, *self.place]
        return base64.urlsafe_b64encode(json.dumps(fields, separators=(",", ":")).encode()).decode()

    @classmethod
    def parse(cls, token: str) -> Query:
        try:
            prefix, since, until, blog, after, at_blog, at_url = json.loads(
                base64.urlsafe_b64decode(token.encode())
            )
            query = cls(
                str(prefix),
                str(since),
                str(until),
                str(blog),
                int(after),
                (str(at_blog), str(at_url)),
            )
        except (ValueError, TypeError, RecursionError):
            raise OaiError("badResumptionToken", "invalid resumption token") from None
        if query.prefix not in FORMATS or query.after < 0:
            raise OaiError("badResumptionToken", "invalid resumption token")
        return query


def add(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    element = etree.SubElement(parent, f"{{{OAI}}}{name}")
    if text is not None:
        element.text = clean(text)
    return element


def oai_id(urn: str) -> str:
    return f"oai:blogcrawl:{ids.bare(urn)}"


def set_spec(blog_id: str) -> str:
    """Return the setSpec of a blog, restricted to the permitted characters."""
    return "blog:" + "".join(
        c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in blog_id
    )


def second(time: datetime) -> datetime:
    aware = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return aware.replace(microsecond=0)


def moment(text: str) -> datetime:
    for form in (_DAY, SECOND):
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise OaiError("badArgument", f"{text!r} is no date as the protocol has them")


def inside(stamp: datetime, query: Query) -> bool:
    if query.since and stamp < moment(query.since):
        return False
    if query.until:
        return stamp - moment(query.until) < (
            timedelta(days=1) if len(query.until) == 10 else timedelta(seconds=1)
        )
    return True
