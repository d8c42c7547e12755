"""Packages in the forms that repositories take in: folders, BagIt bags, E-ARK ZIPs of AIPs and of
SIPs, standard transfers of Archivematica.
"""

from __future__ import annotations

import csv
import io
import os
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from lxml import etree

from blogcrawl.core.organization import UNNAMED, Organization
from blogcrawl.packaging import ids
from blogcrawl.packaging.layout import DC_XML
from blogcrawl.packaging.mets import submission
from blogcrawl.packaging.parts import measure
from blogcrawl.packaging.wacz import zip_time
from blogcrawl.packaging.xmltools import DC, parse
from blogcrawl.storage.bags import write_bag
from blogcrawl.storage.base import ObjectVersion
from blogcrawl.storage.files import sync_tree
from blogcrawl.storage.temporary import new_file, new_folder

_STORED = tuple(".wacz .gz .zip .png .jpg .jpeg .gif .webp .mp4 .mp3 .ogg .pdf".split())
"""Files that a second compression makes no smaller."""
_CHUNK = 2**20
Read = Callable[[str], BinaryIO]
"""Opens a file of a package by its path."""
Writer = Callable[[ObjectVersion, Read, Path, Organization], Path]
"""Writes one package into a folder, whole or not at all; its path there. The organization is the
one whose archive it is.
"""


def name_of(version: ObjectVersion) -> str:
    """Return the name of a package's version as file or folder: ``uuid-…-v1``."""
    return f"{ids.objid(version.object_id)}-v{version.version}"


def write_zip(version: ObjectVersion, read: Read, place: Path | BinaryIO) -> None:
    """Write one package as ZIP; the same version gives the same bytes. ``read`` opens a path."""
    name = ids.objid(version.object_id)
    with zipfile.ZipFile(place, "w", allowZip64=True) as package:
        for path in sorted(version.files):
            info = zipfile.ZipInfo(f"{name}/{path}", zip_time(version.created))
            info.compress_type = (
                zipfile.ZIP_STORED if path.endswith(_STORED) else zipfile.ZIP_DEFLATED
            )
            info.external_attr = 0o644 << 16
            with read(path) as source, package.open(info, "w", force_zip64=True) as out:
                shutil.copyfileobj(source, out, _CHUNK)


def write_folder(
    version: ObjectVersion, read: Read, target: Path, _operator: Organization = UNNAMED
) -> Path:
    """Write one package and version as folder into ``target``, unless it is there."""
    final = target / name_of(version)
    if final.exists():
        return final
    with new_folder(final) as part:
        for path in version.files:
            _copy(read(path), part / PurePosixPath(path))
        sync_tree(part)
        os.rename(part, final)
    return final


def write_aip(
    version: ObjectVersion, read: Read, target: Path, _operator: Organization = UNNAMED
) -> Path:
    """Write one package as ZIP into ``target``, unless it is there; return its path."""
    final = target / f"{name_of(version)}.zip"
    if not final.exists():
        with new_file(final, sync=True) as out:
            write_zip(version, read, out)
    return final


def write_sip(version: ObjectVersion, read: Read, target: Path, submitter: Organization) -> Path:
    """Write one package as E-ARK SIP into ``target``, a ZIP, unless it is there; return its path.

    The files are those of the package but for each METS.xml, which is a SIP's. Raises UsageError
    if the organization that submits has no name.
    """

    def opened(path: str) -> BinaryIO:
        if PurePosixPath(path).name != "METS.xml":
            return read(path)
        with read(path) as source:
            return io.BytesIO(submission(source.read(), submitter))

    return write_aip(version, opened, target)


def write_transfer(
    version: ObjectVersion, read: Read, target: Path, _operator: Organization = UNNAMED
) -> Path:
    """Write one package as standard transfer of Archivematica into ``target``, unless it is there.

    The package is the compound object ``objects/<OBJID>``; ``metadata/metadata.csv`` describes it
    in Dublin Core, ``metadata/checksum.sha512`` has a line for each file, which Archivematica
    checks (sha512sum --check, from the transfer's folder). Returns the transfer's folder.
    """
    final = target / name_of(version)
    if final.exists():
        return final
    folder = f"objects/{ids.objid(version.object_id)}"
    with new_folder(final) as part:
        sums = [
            f"{_copy(read(path), part / folder / path)}  {folder}/{path}\n"
            for path in sorted(version.files)
        ]
        metadata = part / "metadata"
        metadata.mkdir()
        (metadata / "checksum.sha512").write_text("".join(sums), encoding="utf-8")
        with (
            read(DC_XML) as source,
            (metadata / "metadata.csv").open("w", encoding="utf-8", newline="") as out,
        ):
            columns = [("filename", folder), *_dublin_core(source.read())]
            csv.writer(out).writerows(zip(*columns, strict=True))
        sync_tree(part)
        os.rename(part, final)
    return final


def _copy(source: BinaryIO, place: Path) -> str:
    """Copy the stream to ``place``; return its SHA-512 in hexadecimal digits."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with source, place.open("wb") as out:
        return measure(source, copy=out)[0]


def _dublin_core(document: bytes) -> list[tuple[str, str]]:
    """Return the elements as columns of metadata.csv: ``dc.title`` and its text; repeated ones
    are columns of the same name.
    """
    return [
        (f"dc.{etree.QName(element).localname}", element.text)
        for element in parse(document).iterfind(f"{{{DC}}}*")
        if element.text
    ]


WRITERS: Mapping[str, Writer] = {
    "folder": write_folder,
    "bag": write_bag,
    "zip": write_aip,
    "sip": write_sip,
    "archivematica": write_transfer,
}
