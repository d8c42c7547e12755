"""Generate synthetic blog pages for training: templates of many shapes, texts of invented words,
labels known.

Nothing here is taken from any blog or theme: shapes and names vary at random (seeded) over what
blog markup looks like in general. A node is labelled by the attribute ``data-label`` (``title`` or
``body``), which the trainer removes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from html import escape

LABEL = "data-label"
_SYLLABLES = {
    "latin": (
        "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri "
        "ro sa se si so ta te ti to va vi"
    ).split(),
    "cyrillic": (
        "ба бе би бо да де ди до ка ке ки ко ла ле ли ло ма ме ми мо на не ни но ра ре "
        "ри ро са се си со та те ти то"
    ).split(),
    "han": list("天地人大小山水火木金土日月年上下中外左右春夏秋冬东南西北文字书画诗歌花草鸟鱼"),
}
_CONTENT = (
    "entry-content post-content post-body article-body entry content article-content post-text "
    "text body entrytext storycontent"
    " e-content markdown-body prose blog-post__content c-article__text contenu inhalt "
    "texto-post css-1q2w3e main-text"
).split()
_POST = (
    "post hentry entry article blog-post single item post-single h-entry beitrag story box "
    "wrapper css-9zx8 card"
).split()
_TITLE = (
    "entry-title post-title title p-name article-title headline post__title blog-title heading"
).split()
_WRAP = (
    "wrapper container site page wrap main content-area inner row col-md-8 columns grid "
    "layout outer primary site-main"
).split()
_SIDE = "sidebar widget-area secondary side aside right-column rightbar col-md-4 panel".split()
_META = "post-meta entry-meta meta byline info posted-on date details post-header__meta".split()


class Maker:
    """Makes one template and pages of it.  Everything follows from the random source given."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        script = rng.choices(list(_SYLLABLES), (7, 2, 2))[0]
        self.syllables, self.han = _SYLLABLES[script], script == "han"
        self.site = self.words(rng.randint(1, 3)).title()
        self.named = rng.random() < 0.8
        self.semantic = rng.random() < 0.5
        self.names = {
            key: rng.choice(pool)
            for key, pool in {
                "content": _CONTENT,
                "post": _POST,
                "title": _TITLE,
                "wrap": _WRAP,
                "side": _SIDE,
                "meta": _META,
            }.items()
        }
        self.title_tag = rng.choices(["h1", "h2", "h3", "div"], (6, 4, 1, 1))[0]
        self.title_linked = rng.random() < 0.45
        self.has_content_box = rng.random() < 0.85
        self.brs = rng.random() < 0.08
        self.table_layout = rng.random() < 0.08
        self.side = rng.choice(["left", "right", "none", "right", "below"])
        self.site_title_tag = rng.choice(["h1", "div", "a", "p", "h1"])
        self.comments_named = rng.random() < 0.8
        self.parts = {
            part: rng.random() < chance
            for part, chance in {
                **{
                    "meta_before": 0.6,
                    "meta_after": 0.4,
                    "share": 0.4,
                    "tags": 0.5,
                    "author": 0.3,
                    "related": 0.4,
                    "prevnext": 0.5,
                },
                **{
                    "comments": 0.6,
                    "form": 0.5,
                    "hero": 0.3,
                    "tagline": 0.5,
                    "about": 0.5,
                    "breadcrumb": 0.2,
                    "site_in_title": 0.8,
                },
            }.items()
        }
        self.depth = rng.choice([0, 0, 1, 2, 4, 7])
        self.inner = rng.choice([(1, 2), (2, 3), (2, 3, 4), (3, 4), (4, 5)])
        self.date_tag = rng.choice(["div", "p", "p", "h2", "h4", "span", "time"])
        self.side_heading = rng.choice(["h2", "h3", "h4", "h3", "div", "h1"])
        self.busy = rng.choice([1, 1, 2, 5])
        self.style = _style(rng, self.side, self.names)

    # texts

    def words(self, count: int) -> str:
        rng = self.rng
        made = (
            "".join(rng.choice(self.syllables) for _ in range(rng.randint(1, 2 if self.han else 4)))
            for _ in range(count)
        )
        return ("" if self.han else " ").join(made)

    def sentence(self) -> str:
        words = self.words(self.rng.randint(5, 22))
        if self.rng.random() < 0.4:
            half = len(words) // 2
            words = words[:half] + ("，" if self.han else ", ") + words[half:]
        end = self.rng.choices([".", "!", "?"], (10, 1, 1))[0]
        return words[:1].upper() + words[1:] + (("。" if end == "." else end) if self.han else end)

    def paragraph(self) -> str:
        return " ".join(self.sentence() for _ in range(self.rng.randint(1, 6)))

    def title(self) -> str:
        text = self.words(self.rng.randint(1, 9))
        return text[:1].upper() + text[1:] + self.rng.choices(["", "?", "!"], (12, 1, 1))[0]

    def date(self) -> str:
        rng = self.rng
        return f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.{rng.randint(2004, 2025)}"

    # pieces

    def box(self, tag: str, inner: str, name: str = "", label: str = "") -> str:
        marks = f' class="{escape(name)}"' if name and self.named else ""
        marks += f' {LABEL}="{label}"' if label else ""
        return f"<{tag}{marks}>{inner}</{tag}>"

    def link(self, text: str) -> str:
        return (
            f'<a href="/{self.rng.randint(1, 999)}/{self.rng.randint(1, 999)}.html">'
            f"{escape(text)}</a>"
        )

    def body(self, excerpt: bool = False) -> str:
        rng = self.rng
        if excerpt:
            return (
                f"<p>{self.paragraph()} {'…' if rng.random() < 0.5 else self.link('more...')}</p>"
            )
        if self.brs:
            return "<br><br>".join(self.paragraph() for _ in range(rng.randint(2, 8)))
        makers: list[Callable[[], str]] = [
            lambda: f"<p>{self.paragraph()}</p>",
            lambda: self.box(f"h{rng.choice(self.inner)}", escape(self.title())),
            lambda: (
                "<ul>"
                + "".join(f"<li>{self.sentence()}</li>" for _ in range(rng.randint(2, 6)))
                + "</ul>"
            ),
            lambda: (
                "<pre><code>"
                + "\n".join(self.words(3) + "();" for _ in range(rng.randint(2, 12)))
                + "</code></pre>"
            ),
            lambda: f"<blockquote><p>{self.paragraph()}</p></blockquote>",
            lambda: '<p><img src="/i.jpg" width="400" height="260"></p>',
            lambda: f"<p>{self.sentence()} {self.link(self.words(2))} {self.sentence()}</p>",
        ]
        count = rng.choices([1, 2, 5, 12, 25, 60], (1, 2, 4, 4, 2, 1))[0]
        return f"<p>{self.paragraph()}</p>" + "".join(
            rng.choices(makers, (8, 1, 1, 1, 1, 1, 2))[0]() for _ in range(count)
        )

    def post(self, excerpt: bool = False, title: str | None = None) -> str:
        rng, names, parts = self.rng, self.names, self.parts
        title = title or self.title()
        shown = self.link(title) if self.title_linked or excerpt else escape(title)
        heading = self.box(self.title_tag, shown, names["title"], "title")
        day = (
            self.date()
            if rng.random() < 0.5
            else f"{rng.randint(1, 28)} {self.words(1)} {rng.randint(2004, 2025)}"
        )
        meta = self.box(
            self.date_tag,
            f"{day} {self.link(self.words(2)) if self.date_tag in {'div', 'p'} else ''}",
            names["meta"],
        )
        content = self.body(excerpt)
        if parts["hero"]:
            content = '<img src="/hero.jpg" width="600" height="300">' + content
        content = (
            self.box("div", content, names["content"], "body") if self.has_content_box else content
        )
        before = meta if parts["meta_before"] else ""
        out = (
            (before + heading if self.date_tag == "h2" else heading + before)
            + content
            + (meta if parts["meta_after"] else "")
        )
        if parts["tags"]:
            out += self.box(
                "div",
                "Tags: " + " ".join(self.link(self.words(1)) for _ in range(rng.randint(1, 5))),
                "tags",
            )
        if parts["share"]:
            out += self.box(
                "ul",
                "".join(f"<li>{self.link(name)}</li>" for name in ("Tweet", "Share", "Pin")),
                "share-links",
            )
        return self.box(
            "article" if self.semantic else "div",
            out,
            names["post"],
            "" if self.has_content_box else "body",
        )

    def list_of(self, count: int, title: str) -> str:
        return (
            f"<{self.side_heading}>{title}</{self.side_heading}><ul>"
            + "".join(f"<li>{self.link(self.title())}</li>" for _ in range(count))
            + "</ul>"
        )

    def sidebar(self) -> str:
        rng = self.rng
        pieces = [
            self.list_of(rng.randint(3, 10 * self.busy), self.words(1))
            for _ in range(rng.randint(1, 3 + self.busy))
        ]
        if rng.random() < 0.3:
            rows = "".join(
                "<tr>" + "".join(f"<td>{day + 7 * week}</td>" for day in range(1, 8)) + "</tr>"
                for week in range(5)
            )
            pieces.append(f"<table><caption>{self.words(1)}</caption>{rows}</table>")
        if rng.random() < 0.3:
            pieces.append(
                self.box("div", f"<p>{self.sentence()}</p><form><input name=q></form>", "widget")
            )
        if self.parts["about"]:
            pieces.insert(
                rng.randint(0, len(pieces)),
                (
                    f"<{self.side_heading}>{self.words(1)}</{self.side_heading}><p>"
                    f"{self.paragraph()}</p>"
                ),
            )
        return self.box("aside" if self.semantic else "div", "".join(pieces), self.names["side"])

    def comments(self) -> str:
        rng = self.rng
        if not self.parts["comments"]:
            return ""
        one = rng.choice(["li", "div"])
        made = "".join(
            self.box(
                one,
                f"<b>{self.words(1)}</b> <i>{self.date()}</i><p>{self.paragraph()}</p>",
                "comment" if self.comments_named else "row",
            )
            for _ in range(rng.choice([0, 1, 3, 10, 25]))
        )
        form = (
            "<form><p>Name <input name=n></p><textarea></textarea></form>"
            if self.parts["form"]
            else ""
        )
        return self.box(
            "div",
            f"<h3>{self.words(1)}</h3>{self.box('ol' if one == 'li' else 'div', made)}{form}",
            "comments",
        )

    def page(self, several: bool) -> str:
        """One page as HTML with labels."""
        rng, parts = self.rng, self.parts
        title = self.title()
        excerpt = rng.random() < 0.5
        main = (
            "".join(self.post(excerpt) for _ in range(rng.randint(2, 8)))
            if several
            else self.post(title=title)
        )
        if not several:
            main += self.comments()
            main += (
                self.box("div", self.list_of(4, self.words(1)), "related-posts")
                if parts["related"]
                else ""
            )
        if parts["prevnext"]:
            main += self.box(
                "div", f"« {self.link(self.title())} {self.link(self.title())} »", "nav-links"
            )
        if parts["breadcrumb"]:
            main = (
                self.box(
                    "div",
                    f"{self.link('Home')} » {self.link(self.words(1))} » {escape(title)}",
                    "crumbs",
                )
                + main
            )
        main = self.box("main" if self.semantic else "div", main, self.names["wrap"])
        side = self.sidebar() if self.side != "none" else ""
        if self.table_layout and side:
            cells = [f"<td valign=top>{main}</td>", f"<td valign=top width=200>{side}</td>"]
            middle = (
                f"<table><tr>{''.join(cells[::-1] if self.side == 'left' else cells)}</tr></table>"
            )
        else:
            middle = self.box("div", side + main if self.side == "left" else main + side, "layout")
        head = self.box(self.site_title_tag, self.link(self.site), "site-title") + (
            f"<p>{self.sentence()}</p>" if parts["tagline"] else ""
        )
        menu = (
            "<ul>"
            + "".join(f"<li>{self.link(self.words(1))}</li>" for _ in range(rng.randint(3, 7)))
            + "</ul>"
        )
        top = self.box(
            "header" if self.semantic else "div",
            head + self.box("nav" if self.semantic else "div", menu, "menu"),
            "top",
        )
        foot = self.box(
            "footer" if self.semantic else "div",
            f"<p>© {rng.randint(2005, 2025)} {self.site}. {self.sentence()}</p>",
            "bottom",
        )
        whole = (
            self.site if several else f"{title} | {self.site}" if parts["site_in_title"] else title
        )
        for level in range(self.depth):
            middle = self.box("div", middle, f"{self.names['wrap']}-{level}")
        return (
            f"<!DOCTYPE html><html><head><meta "
            f"charset=utf-8><title>{escape(whole)}</title><style>{self.style}</style></head>"
            f"<body>{top}{middle}{foot}</body></html>"
        )


def _style(rng: random.Random, side: str, names: dict[str, str]) -> str:
    """Sizes and columns, so that boxes vary as they do on real pages."""
    width, column = rng.choice([720, 960, 1100, 1280]), rng.choice([180, 240, 320])
    sizes = [rng.randint(22, 48), rng.randint(18, 34), rng.randint(14, 22)]
    floated = (
        f".layout{{overflow:hidden}} .{names['side']},aside{{float:{side};width:{column}px}}"
        f" main,.{names['wrap']}{{margin-{side}:{column + 30}px}}"
        if side in {"left", "right"} and rng.random() < 0.8
        else ""
    )
    return (
        f"body{{font:{rng.randint(13, 19)}px/1.{rng.randint(3, 8)} "
        f"serif;max-width:{width}px;margin:{rng.choice(['0 auto', '0', '20px'])}}}"
        f"h1{{font-size:{sizes[0]}px}}h2{{font-size:{sizes[1]}px}}h3{{font-size:{sizes[2]}px}}"
        f".{names['title']}{{font-size:{sizes[rng.randint(0, 1)]}px}}"
        f"{floated} .menu li{{display:inline-block;margin:5px}}"
    )


def make_pages(seed: int, templates: int, each: int = 3) -> list[tuple[str, str]]:
    """``(url, html)`` of ``templates`` blogs with ``each`` pages, every fourth page with several
    posts; the same for the same seed.
    """
    out = []
    for number in range(templates):
        maker = Maker(random.Random(f"{seed}/{number}"))
        for place in range(each):
            out.append(
                (
                    f"http://blog{number}.example/{2000 + place}/{place}.html",
                    maker.page(several=place % 4 == 3),
                )
            )
    return out
