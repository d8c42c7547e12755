"""Identifiers that never change: UUIDs of version 5 (RFC 9562, name based) over canonical URLs.

Anybody can compute them again from the URL alone; two nodes that meet the same post name it alike.
"""

from __future__ import annotations

import hashlib
import re
import uuid

from blogcrawl.core.errors import PackagingError

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_SHOWN = 80
"""Characters of a refused identifier that the message repeats."""
_PREFIX = "blogcrawl"
_NAMESPACE = uuid.NAMESPACE_URL.bytes


def _uuid(kind: str, name: str) -> str:
    """``uuid.uuid5`` without the object in between: a package asks for some seventy of them."""
    name_bytes = f"{_PREFIX}:{kind}:{name}".encode("utf-8", "replace")
    digest = bytearray(hashlib.sha1(_NAMESPACE + name_bytes, usedforsecurity=False).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    text = digest.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def blog_id(url: str) -> str:
    """Return id of a blog (and of its blog AIP) from its canonical URL: a bare UUID."""
    return _uuid("blog", url)


def entry_id(canonical_url: str) -> str:
    """Return id of a post (and of its entry AIP) from its canonical URL: a bare UUID."""
    return _uuid("entry", canonical_url)


def comment_id(entry: str, comment: str) -> str:
    """Return id of a comment from its entry's id and the comment's own id: a bare UUID."""
    return _uuid("comment", f"{entry}#{comment}")


def event_id(package: str, kind: str, moment: str) -> str:
    """Return id of a PREMIS event in ``package``."""
    return _uuid("event", f"{package}#{kind}#{moment}")


def part_id(package: str, part: str) -> str:
    """Return a deterministic ``xml:id`` for a part of a package (``uuid-…``)."""
    return "uuid-" + _uuid("part", f"{package}#{part}")


def urn(bare: str) -> str:
    """``urn:uuid:…`` (RFC 9562, section 4): the form that stands in OCFL, MARC and PREMIS."""
    return "urn:uuid:" + bare


def bare(urn_or_objid: str) -> str:
    """Return the UUID inside ``urn:uuid:…`` or ``uuid-…``; anything else unchanged."""
    for prefix in ("urn:uuid:", "uuid-"):
        if urn_or_objid.startswith(prefix):
            return urn_or_objid[len(prefix) :]
    return urn_or_objid


def is_uuid(text: str) -> bool:
    """Report whether ``text`` is a UUID in its canonical form (RFC 9562, section 4: lower case)."""
    return _UUID.match(text) is not None


def checked(identifier: str) -> str:
    """Return the bare UUID of an identifier in any of its three forms (URN, OBJID, bare).

    Raises PackagingError, with the beginning of what was given, if it is none of ours.
    """
    found = bare(identifier)
    if not is_uuid(found):
        shown = identifier if len(identifier) <= _SHOWN else identifier[:_SHOWN] + "…"
        raise PackagingError(f"{shown!r} is not an identifier: it has to be a UUID")
    return found


def objid(identifier: str) -> str:
    """Return ``uuid-…``, METS OBJID and name of the package's folder (CSIPSTR2), of any form.

    Every file or folder that is named after an identifier gets its name here (objects of the OCFL
    store by ``ocfl_model.object_path``, as the specification has it): the result is one plain path
    component of 41 characters. Raises PackagingError on anything but a UUID.
    """
    return "uuid-" + checked(identifier)
