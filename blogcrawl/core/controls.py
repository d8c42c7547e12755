"""Control characters in text of pages, which must not reach a terminal."""

from __future__ import annotations

CONTROLS = "".join(
    map(
        chr,
        [
            *range(9),
            11,
            12,
            *range(14, 32),
            *range(0x7F, 0xA0),
            0x61C,
            0x200E,
            0x200F,
            *range(0x2028, 0x202F),
        ],
    )
)
CONTROLS += "".join(map(chr, range(0x2066, 0x206A)))
"""What steers a terminal or turns the order of a line's letters: C0 but for tab and line ends, DEL,
C1, line and paragraph separator, and the bidirectional controls (Unicode UAX 9, 2.7)."""
_ESCAPES = str.maketrans({char: f"\\u{ord(char):04x}" for char in CONTROLS})


def escape_controls(document: str) -> str:
    """Escape control characters in JSON; they occur in strings only, so the data is the same."""
    return (
        document if document.isascii() and document.isprintable() else document.translate(_ESCAPES)
    )
