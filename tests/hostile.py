# ruff: noqa: E501
"""Pages that cost a crawler much more to read than their server to write: each a post among healthy ones."""

from __future__ import annotations

from collections.abc import Callable

TEXT = "The ferry left late, and the people on the quay said that it had always been so. "
BODY = "".join(f"<p>{TEXT * 3}{n}</p>" for n in range(5))


def _page(
    title: str, content: str = BODY, *, head: str = "", after: str = "", attributes: str = ""
) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{title} | Small Notes</title>{head}</head><body><header><a href="/">Small Notes</a>'
        f"</header><main><article {attributes}><h1>{title}</h1><time datetime=2024-03-01>March 1, 2024</time>"
        f'<div class="entry">{content}</div></article>{after}</main></body></html>'
    )


def comments(count: int, levels: int) -> str:
    """Comments as WordPress writes them, each answering the one before, down to so many levels."""
    out = ["<section id=comments><h2>Comments</h2><ol class=comment-list>"]
    for n in range(count):
        out.append(
            f'<li id="comment-{n}" class="comment depth-{n % levels + 1}"><article><cite class=fn>Ann {n % 50}</cite> <time '
            f'datetime="2024-03-02T10:{n % 60:02d}:00Z">March 2, 2024</time><div class=comment-content><p>Yes, ferry {n}.</p></div></article>'
        )
        last = n == count - 1 or n % levels == levels - 1
        out.append("</li></ol>" * (n % levels) + "</li>" if last else "<ol class=children>")
    return "".join(out) + "</ol></section>"


def _names(count: int) -> str:
    return " ".join(f"a{n:x}" for n in range(count))


PAGES: dict[str, Callable[[str], str]] = {
    "100,000 attributes on one element": lambda t: _page(t, attributes=_names(100_000)),
    "attributes hidden by quotes": lambda t: _page(
        t, '<!-- <a " -->' + BODY, attributes=f'x=">" {_names(60_000)} y="<b "'
    ),
    "40 elements of 10,000 attributes": lambda t: _page(
        t, BODY + f"<i {_names(10_000)}>x</i>" * 40
    ),
    "<!--posted and blanks": lambda t: _page(t, BODY + "<!--posted" + " " * 60_000),
    "<!--posted a thousand times": lambda t: _page(t, BODY + ("<!-- posted on" + " " * 100) * 1000),
    "30,000 comments on 5,000 levels": lambda t: _page(t, after=comments(30_000, 5_000)),
    "3,000 comments, flat": lambda t: _page(t, after=comments(3_000, 1)),
    "2,000 comments on 500 levels": lambda t: _page(t, after=comments(2_000, 500)),
    "200,000 empty elements": lambda t: _page(t, BODY + "<i></i>" * 200_000),
    "20,000 nested elements": lambda t: _page(t, BODY + "<div>" * 20_000 + "x"),
    "formatting opened and never closed": lambda t: _page(t, BODY + "<b><p>" * 60_000),
    "5 MB of one word": lambda t: _page(t, BODY + "<p>" + "a" * 5_000_000),
    "1 MB of blanks": lambda t: _page(t, BODY + "<p>x" + " " * 1_000_000 + "y"),
    "200 kB of blanks in title and byline": lambda t: _page(
        "x" + " " * 200_000 + "y", "<p class=byline>by" + " " * 200_000 + "</p>" + BODY
    ),
    "digits without end": lambda t: _page(
        t, f"<p class=date>{'1' * 300_000}</p><p>{'1 ' * 100_000}</p>" + BODY
    ),
    "dots and dashes without end": lambda t: _page(
        t, f"<p>{'.-' * 150_000}</p><p>{'- ' * 100_000}</p><p>{'@a.' * 60_000}</p>" + BODY
    ),
    "a class of 100,000 names": lambda t: _page(t, f'<div class="{_names(100_000)}">{BODY}</div>'),
    "50,000 ids": lambda t: _page(t, BODY + "".join(f"<p id=p{n}>x" for n in range(50_000))),
    "50,000 links": lambda t: _page(
        t, BODY + "".join(f'<a href="/x/{n}">{n}</a> ' for n in range(50_000))
    ),
    "20,000 pictures with srcset": lambda t: _page(
        t, BODY + "<img src=/img/1.png srcset='" + "/img/1.png 1x, " * 20_000 + "'>"
    ),
    "JSON-LD nested 100,000 deep": lambda t: _page(
        t, head=f'<script type="application/ld+json">{"[" * 100_000}</script>'
    ),
    "JSON-LD with an endless number": lambda t: _page(
        t,
        head=f'<script type="application/ld+json">{{"@type":"BlogPosting","datePublished":{"9" * 500_000}}}</script>',
    ),
    "JSON-LD of 300,000 objects": lambda t: _page(
        t, head=f'<script type="application/ld+json">[{"{},".join([""] * 300_000)}{{}}]</script>'
    ),
    "entities without end": lambda t: _page(
        t, f"<p>{'&amp;' * 300_000}{'&#x41' * 100_000}</p>" + BODY
    ),
    "a table of 40,000 cells": lambda t: _page(
        t, BODY + "<table>" + "<tr><td>1<td>2" * 20_000 + "</table>"
    ),
    "tables in tables": lambda t: _page(t, BODY + "<table><tr><td>" * 3_000),
}
