"""Packages made hostile on purpose: a real one, changed, its digests made to fit again so that only
the change itself is wrong.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

from blogcrawl.packaging import ids
from blogcrawl.packaging.aip import BlogInput, blog_aip, entry_aip
from blogcrawl.packaging.layout import BLOG_JSON, POST_JSON
from blogcrawl.packaging.xmltools import METS, XLINK
from tests.packaging.samples import BLOG, STAMP, entry, with_media

Files = dict[str, bytes]
HREF = f"{{{XLINK}}}href"


def post_files(number: int = 0) -> Files:
    return _bytes(
        entry_aip(with_media(number) if number == 0 else entry(number, source=b"<html>short"))
    )


def blog_files() -> Files:
    return _bytes(blog_aip(BlogInput(blog=BLOG, stamp=STAMP, model={"rules": 1})))


def _bytes(files: Mapping[str, Any]) -> Files:
    return {path: content for path, content in files.items() if isinstance(content, bytes)}


def name_of(files: Files) -> str:
    """The package's OBJID."""
    return str(etree.fromstring(files["METS.xml"]).get("OBJID"))


def write_folder(files: Files, folder: Path) -> Path:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


def write_zip(files: Files, place: Path, folder: str = "") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as package:
        for path, content in files.items():
            package.writestr(f"{folder or name_of(files)}/{path}", content)
    return place


def write_bag(files: Files, bag: Path, algorithm: str = "sha512") -> Path:
    payload = {f"data/{bag.name}/{path}": content for path, content in files.items()}
    write_folder(payload, bag)
    (bag / "bagit.txt").write_text("BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n")
    (bag / "bag-info.txt").write_text(
        f"Payload-Oxum: {sum(map(len, payload.values()))}.{len(payload)}\n"
    )
    lines = [
        f"{hashlib.new(algorithm, content).hexdigest()}  {path}\n"
        for path, content in payload.items()
    ]
    (bag / f"manifest-{algorithm}.txt").write_text("".join(lines))
    tags = ("bagit.txt", "bag-info.txt", f"manifest-{algorithm}.txt")
    lines = [
        f"{hashlib.new(algorithm, (bag / tag).read_bytes()).hexdigest()}  {tag}\n" for tag in tags
    ]
    (bag / f"tagmanifest-{algorithm}.txt").write_text("".join(lines))
    return bag


def refreshed(files: Files) -> Files:
    """Digests and sizes in every METS as the files are now, those of the representations first."""
    out = dict(files)
    for path in sorted((p for p in out if p.endswith("METS.xml")), key=lambda p: -p.count("/")):
        try:
            root = etree.fromstring(out[path])
        except etree.XMLSyntaxError:
            continue
        prefix = path.removesuffix("METS.xml")
        for element in root.iter(f"{{{METS}}}mdRef", f"{{{METS}}}file"):
            holder = (
                element if element.tag == f"{{{METS}}}mdRef" else element.find(f"{{{METS}}}FLocat")
            )
            content = (
                out.get(prefix + unquote(holder.get(HREF, ""))) if holder is not None else None
            )
            if content is not None and element.get("CHECKSUMTYPE") == "SHA-512":
                element.set("CHECKSUM", hashlib.sha512(content).hexdigest())
                element.set("SIZE", str(len(content)))
        out[path] = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return out


def with_record(
    change: Callable[[dict[str, Any]], object], of: str = "post"
) -> Callable[[Files], None]:
    """Change the JSON record of the package."""

    def mutate(files: Files) -> None:
        path = POST_JSON if of == "post" else BLOG_JSON
        record = json.loads(files[path])
        change(record)
        files[path] = json.dumps(record).encode()

    return mutate


def with_mets(
    change: Callable[[etree._Element], object], path: str = "METS.xml"
) -> Callable[[Files], None]:
    """Change a METS document."""

    def mutate(files: Files) -> None:
        root = etree.fromstring(files[path])
        change(root)
        files[path] = etree.tostring(root, encoding="UTF-8", xml_declaration=True)

    return mutate


def head(root: etree._Element) -> Any:
    return root.find(f"{{{METS}}}metsHdr")


def resigned(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change an OCFL object's inventory, and make both copies and both sidecars fit."""
    inventory = json.loads((folder / "inventory.json").read_bytes())
    head_folder = folder / inventory["head"]
    change(inventory)
    data = json.dumps(inventory).encode()
    for place in (folder, head_folder):
        (place / "inventory.json").write_bytes(data)
        (place / "inventory.json.sha512").write_text(
            f"{hashlib.sha512(data).hexdigest()} inventory.json\n"
        )


def other_id(number: int) -> str:
    return ids.objid(ids.blog_id(f"https://other.example/{number}"))
