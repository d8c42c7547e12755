"""What a generated blog says: posts as structure, from which each engine's source and the expected
text are made.
"""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

WORDS = {
    "en": (
        "harbour lantern winter letter garden stone river market silver morning kettle window "
        "copper engine thread paper"
        " mountain bicycle orchard signal library borrowed quiet narrow careful old northern "
        "broken patient small yellow"
        " walks carries repairs forgets opens paints measures follows answers collects "
        "remembers builds writes finds"
        " slowly twice again together almost never outside before without between beside every "
        "another several"
    ).split(),
    "de": (
        "Hafen Laterne Winter Brief Garten Stein Fluss Markt Silber Morgen Kessel Fenster "
        "Kupfer Maschine Faden Papier"
        " Gebirge Fahrrad Obsthain Zeichen Bücherei geliehen still schmal sorgfältig alt "
        "nördlich zerbrochen geduldig"
        " geht trägt flickt vergisst öffnet malt misst folgt antwortet sammelt erinnert baut "
        "schreibt findet über"
        " langsam zweimal wieder zusammen beinahe niemals draußen vorher ohne zwischen neben "
        "jeder größer mehrere"
    ).split(),
}
TAGS = ["travel", "cooking", "radio", "maps", "gardens", "printing"]
BLOCK_KINDS = ("heading", "list", "code", "quote", "picture", "paragraph")


@dataclass(frozen=True)
class Block:
    kind: str
    """paragraph, heading, list, code, quote or picture."""
    lines: tuple[str, ...]
    """Sentences, list items, code lines; of a picture its file name and description."""


@dataclass(frozen=True)
class TruthPost:
    slug: str
    title: str
    author: str
    published: datetime
    tags: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The words that a reader sees, in order; pictures show none."""
        parts = (
            " ".join(b.lines) if b.kind in ("paragraph", "quote") else "\n".join(b.lines)
            for b in self.blocks
            if b.kind != "picture"
        )
        return "\n".join(parts)

    @property
    def pictures(self) -> tuple[str, ...]:
        return tuple(block.lines[0] for block in self.blocks if block.kind == "picture")

    def markdown(self) -> str:
        return "\n\n".join(_MARKDOWN[block.kind](block.lines) for block in self.blocks)

    def restructured(self) -> str:
        return "\n\n".join(_RST[block.kind](block.lines) for block in self.blocks)


_MARKDOWN = {
    "paragraph": " ".join,
    "heading": lambda lines: "## " + lines[0],
    "list": lambda lines: "\n".join("- " + line for line in lines),
    "code": lambda lines: "\n".join("    " + line for line in lines),
    "quote": lambda lines: "> " + " ".join(lines),
    "picture": lambda lines: f"![{lines[1]}](/images/{lines[0]})",
}
_RST = {
    "paragraph": " ".join,
    "heading": lambda lines: f"{lines[0]}\n{'-' * 2 * len(lines[0])}",
    "list": lambda lines: "\n".join("* " + line for line in lines),
    "code": lambda lines: "::\n\n" + "\n".join("    " + line for line in lines),
    "quote": lambda lines: "    " + " ".join(lines),
    "picture": lambda lines: f".. image:: /images/{lines[0]}\n   :alt: {lines[1]}",
}


def make_posts(
    count: int = 44,
    *,
    seed: int = 7,
    language: str = "en",
    authors: tuple[str, ...] = ("Ada Quill",),
) -> list[TruthPost]:
    """``count`` posts, oldest first, all different; the same arguments make the same posts."""
    rng = random.Random(seed)
    words = WORDS[language]
    moment = datetime(2019, 3, 2, 8, 15, tzinfo=UTC)
    posts: list[TruthPost] = []
    for number in range(count):
        moment += timedelta(
            days=rng.randint(3, 19), hours=rng.randint(0, 5), minutes=rng.randint(0, 59)
        )
        title = " ".join(rng.sample(words, 4)).capitalize() + f" {number + 1}"
        posts.append(
            TruthPost(
                slug=f"{rng.choice(words).lower()}-{rng.choice(words).lower()}-{number + 1}".translate(  # noqa: E501
                    str.maketrans("äöüß", "aous")
                ),
                title=title,
                author=authors[number % len(authors)],
                published=moment,
                tags=tuple(sorted(rng.sample(TAGS, rng.randint(1, 3)))),
                blocks=_blocks(rng, words, number),
            )
        )
    return posts


def _blocks(rng: random.Random, words: list[str], number: int) -> tuple[Block, ...]:
    def sentence(low: int = 7, high: int = 15) -> str:
        return " ".join(rng.choice(words) for _ in range(rng.randint(low, high))).capitalize() + "."

    blocks = [Block("paragraph", tuple(sentence() for _ in range(rng.randint(2, 4))))]
    for kind in rng.sample(BLOCK_KINDS, rng.randint(2, len(BLOCK_KINDS))):
        if kind == "heading":
            blocks.append(Block(kind, (" ".join(rng.sample(words, 3)).capitalize(),)))
        elif kind == "list":
            blocks.append(Block(kind, tuple(sentence(2, 5) for _ in range(rng.randint(2, 5)))))
        elif kind == "code":
            blocks.append(
                Block(
                    kind,
                    tuple(
                        f"{rng.choice(words).lower()} = {rng.randint(1, 999)}"
                        for _ in range(rng.randint(2, 4))
                    ),
                )
            )
        elif kind == "picture":
            blocks.append(Block(kind, (f"photo-{number + 1}.png", " ".join(rng.sample(words, 3)))))
        else:
            blocks.append(Block(kind, tuple(sentence() for _ in range(rng.randint(1, 3)))))
        blocks.append(Block("paragraph", tuple(sentence() for _ in range(rng.randint(1, 4)))))
    return tuple(blocks)


def png(seed: int, side: int = 24) -> bytes:
    """A small picture, another for every seed."""
    rng = random.Random(seed)
    rows = b"".join(b"\0" + rng.randbytes(3 * side) for _ in range(side))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )
