"""The example of docs/example-package.md, made anew: ``python -m tests.packaging.example >
docs/example-package.md``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from blogcrawl.packaging.aip import entry_aip
from tests.packaging.samples import post, with_media

SHOWN = {
    "METS.xml": "METS.xml",
    "metadata/descriptive/marc.xml": "metadata/descriptive/marc.xml (profile blogforever)",
    "metadata/descriptive/dc.xml": "metadata/descriptive/dc.xml",
    "metadata/preservation/premis.xml": "metadata/preservation/premis.xml",
    "representations/web/METS.xml": "representations/web/METS.xml",
    "representations/media/metadata/preservation/premis.xml": (
        "representations/media/metadata/preservation/premis.xml"
    ),
    "metadata/other/post.json": "metadata/other/post.json",
}


def document() -> str:
    source = with_media(1)
    short = post(
        1, comments=2, content_html="<p>Hello.</p>", content_text="Hello.", media=source.post.media
    )
    page = b"<!DOCTYPE html><title>Post 1</title><main><p>Hello.</p></main>"
    files = {
        path: content
        for path, content in entry_aip(replace(source, post=short, source=page)).items()
        if isinstance(content, bytes)
    }
    lines = [
        "# An entry package, complete\n",
        "A post with two comments, a picture, its rendered page and a screenshot. Digests are "
        "shortened."
        " [packages.md](packages.md) explains it.\n",
        "### Files\n",
        "```",
        *(f"{len(content):7}  {path}" for path, content in sorted(files.items())),
        "```\n",
    ]
    for path, title in SHOWN.items():
        text = re.sub(r"\b([0-9a-f]{12})[0-9a-f]{116}\b", r"\1…", files[path].decode()).rstrip("\n")
        lines += [f"### {title}\n", f"```{path.rpartition('.')[2]}", text, "```\n"]
    return "\n".join(lines).rstrip("\n") + "\n"


if __name__ == "__main__":
    print(document(), end="")
