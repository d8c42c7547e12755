"""The organization: kinds of identifiers, names."""

from __future__ import annotations

import pytest

from blogcrawl.core.config import Config
from blogcrawl.core.errors import UsageError
from blogcrawl.core.organization import Organization, missing_settings


@pytest.mark.parametrize(
    ("identifier", "scheme"),
    [
        ("https://ror.org/05xpvk416", "ROR"),
        ("DE-1", "ISIL"),
        ("OCLC-DLC", "ISIL"),
        ("https://isni.example/1", "URI"),
        ("", ""),
    ],
)
def test_identifier_has_its_scheme(identifier: str, scheme: str) -> None:
    config = Config.from_settings({"BLOGCRAWL_ORGANIZATION_ID": identifier})
    assert config.operator.scheme == scheme


def test_identifier_of_another_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="BLOGCRAWL_ORGANIZATION_ID"):
        Config.from_settings({"BLOGCRAWL_ORGANIZATION_ID": "our library"})


def test_contact_is_the_name_where_there_is_none() -> None:
    assert Organization(contact="mailto:a@b.example").label == "mailto:a@b.example"
    known = Organization(name="An archive", identifier="DE-1", contact="https://b.example/")
    assert (known.label, known.line()) == ("An archive", "An archive, DE-1, https://b.example/")


def test_settings_that_are_missing_are_listed() -> None:
    known = {"BLOGCRAWL_ORGANIZATION": "An archive", "BLOGCRAWL_ORGANIZATION_ADDRESS": "1 Lane"}
    assert missing_settings(Config.from_settings(known).operator) == [
        "organization_id",
        "organization_rights",
        "contact",
    ]
    assert missing_settings(Organization(name="a", identifier="DE-1", rights="r")) == [
        "organization_address",
        "contact",
    ]
