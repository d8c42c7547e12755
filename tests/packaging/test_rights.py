"""Rights statements of a package: valid PREMIS, one statement a basis."""

from __future__ import annotations

from dataclasses import replace

from blogcrawl.core.organization import Organization
from blogcrawl.packaging.aip import entry_aip
from blogcrawl.packaging.check import Package
from blogcrawl.packaging.premis import Rights
from blogcrawl.packaging.xmltools import PREMIS, parse
from tests.packaging.samples import OPERATOR, STAMP, entry

ROBOTS = ("robots.txt: allows", "meta robots: noarchive")
RIGHTS = Rights(
    licence="https://creativecommons.org/licenses/by/4.0/", statement="© Ada 2020", robots=ROBOTS
)


def test_rights_are_in_the_package() -> None:
    import io

    files = entry_aip(replace(entry(), rights=RIGHTS))
    data = {
        path: content if isinstance(content, bytes) else content.read()
        for path, content in files.items()
    }  # type: ignore[union-attr]
    assert Package(data, lambda path: io.BytesIO(data[path])).check() == []
    root = parse(data["metadata/preservation/premis.xml"])
    assert [child.tag.rpartition("}")[2] for child in root][-4:] == ["rights"] * 4
    bases = [element.text for element in root.iter(f"{{{PREMIS}}}rightsBasis")]
    notes = [element.text for element in root.iter(f"{{{PREMIS}}}otherRightsNote")]
    assert bases == ["license", "other", "other", "other"]
    assert notes == ["© Ada 2020", *RIGHTS.robots, OPERATOR.rights]
    statements = {e.text for e in root.iter(f"{{{PREMIS}}}rightsStatementIdentifierValue")}
    linked = {e.text for e in root.iter(f"{{{PREMIS}}}linkingRightsStatementIdentifierValue")}
    assert len(statements) == 4 and linked == statements
    assert RIGHTS.licence in [
        e.text for e in root.iter(f"{{{PREMIS}}}licenseDocumentationIdentifierValue")
    ]


def test_unknown_rights_write_no_statement() -> None:
    files = entry_aip(
        replace(entry(), rights=Rights(), stamp=replace(STAMP, operator=Organization()))
    )
    assert b"rightsStatement" not in files["metadata/preservation/premis.xml"]  # type: ignore[operator]
