"""The organization that runs the archive, as packages and WARC files name it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogcrawl.core.errors import UsageError

_ROR = re.compile(r"https://ror\.org/0[a-hj-km-np-tv-z0-9]{6}[0-9]{2}")
"""https://ror.readme.io/docs/identifier"""
_ISIL = re.compile(r"[A-Za-z]{1,4}-[A-Za-z0-9/:-]{1,11}")
"""ISO 15511: prefix (country or agency) and unit identifier, 16 characters at most."""
_URI = re.compile(r"(?:https?://|urn:)\S+")
_MAIL = re.compile(r"(?:mailto:)?(?P<address>[^\s@<>:/]+@[^\s@<>:/]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Organization:
    """Who runs the archive. Nothing here is ever invented: what is not set stays empty."""

    name: str = ""
    identifier: str = ""
    """ROR (``https://ror.org/…``), ISIL (``DE-1``) or another URI."""
    address: str = ""
    """Postal address."""
    contact: str = ""
    """URL or mail address."""
    rights: str = ""
    """What users may do with the archived content, in the organization's words."""

    @property
    def scheme(self) -> str:
        """Return the kind of the identifier: ROR, ISIL or URI; "" without one."""
        if not self.identifier:
            return ""
        if _ROR.fullmatch(self.identifier):
            return "ROR"
        return "ISIL" if _ISIL.fullmatch(self.identifier) else "URI"

    @property
    def mail(self) -> str:
        """Return the bare mail address of the contact; "" if the contact is not one."""
        found = _MAIL.fullmatch(self.contact)
        return found["address"] if found else ""

    @property
    def label(self) -> str:
        """Return the name, else the contact: what an agent is called."""
        return self.name or self.contact

    def line(self) -> str:
        """Return name, identifier and contact in one line, for WARC files."""
        return ", ".join(filter(None, (self.name, self.identifier, self.contact)))


SETTINGS = {
    "organization": "name",
    "organization_id": "identifier",
    "organization_address": "address",
    "organization_rights": "rights",
    "contact": "contact",
}
"""Setting -> field of Organization."""
UNNAMED = Organization()


def missing_settings(organization: Organization) -> list[str]:
    """Return the settings of the organization that are not set, in the order of the docs."""
    return [name for name, field in SETTINGS.items() if not getattr(organization, field)]


def checked_identifier(identifier: str) -> str:
    """Return an organization's identifier. Raises UsageError on anything but ROR, ISIL or URI."""
    known = (_ROR, _ISIL, _URI)
    if identifier and not any(form.fullmatch(identifier) for form in known):
        raise UsageError(
            f"BLOGCRAWL_ORGANIZATION_ID is {identifier!r}; it takes a ROR (https://ror.org/…), an "
            f"ISIL (DE-1) or another URI"
        )
    return identifier
