"""What a crawl asks: learn a blog from its feed's pages, then turn any page into a Post or say why it is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from blogcrawl.extraction import chain
from blogcrawl.extraction.clean import clean_content
from blogcrawl.induction.induce import learn_rules
from blogcrawl.induction.ruleset import RuleSet, Sample
from blogcrawl.items import Feed, FeedEntry, Post
from blogcrawl.page import Page

FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Hints:
    """What the site knows besides the samples: its start page, other pages that are no posts, the post feed,
    and entries of other sources (other feeds, sitemaps, archive lists) by URL."""

    home: Page | None = None
    others: Sequence[Page] = ()
    feed: Feed | None = None
    entries: Mapping[str, FeedEntry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NotAPost:
    """Why a page is no post, and how sure that is (0..1)."""

    reason: str
    confidence: float


@dataclass
class BlogModel:
    """All that was learned of a blog."""

    ruleset: RuleSet = field(default_factory=RuleSet)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"format": FORMAT, "ruleset": self.ruleset.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BlogModel:
        """Raises ValueError on data of a newer format."""
        if data.get("format", FORMAT) > FORMAT:
            raise ValueError("model of a newer format")
        return cls(ruleset=RuleSet.from_json(data["ruleset"]))


def learn_blog(samples: Sequence[Sample], hints: Hints | None = None, only: str | None = None) -> BlogModel:
    """A model from samples (page and feed entry each) and what else the site knows."""
    hints = hints or Hints()
    ruleset = learn_rules(samples, [page for page in (hints.home, *hints.others) if page]) or RuleSet()
    for name in chain.names():
        extractor = chain.method(name)
        if name != "rules" and extractor is not None and (only is None or only == name) and hasattr(extractor, "learn"):
            ruleset = ruleset.merged(extractor.learn(samples))
    return BlogModel(ruleset)


def extract_post(page: Page, model: BlogModel, entry: FeedEntry | None = None, promised: bool = False, only: str | None = None) -> Post | NotAPost:
    """The page's post.  ``entry`` is what feed or sitemap say of it; ``promised``: a source says it is a post."""
    found = chain.gather(page, model.ruleset, only)
    best = {name: values[0] for name, values in found.items() if values}
    if "content" not in best:
        return NotAPost("no content found", 0.5)
    title = best["title"].value if "title" in best else None
    cleaned = clean_content(best["content"].value, page, title=title)
    authors = best["authors"].value if "authors" in best else model.ruleset.constants.get("authors", [])
    return Post(
        url=page.url,
        canonical_url=page.url,
        title=title,
        subtitle=best["subtitle"].value if "subtitle" in best else None,
        authors=tuple([authors] if isinstance(authors, str) else authors),
        published=best["published"].value if "published" in best else None,
        published_raw=best["published"].raw if "published" in best else None,
        modified=best["modified"].value if "modified" in best else None,
        tags=tuple(best["tags"].value if "tags" in best else ()),
        content_html=cleaned.html,
        content_text=cleaned.text,
        media=cleaned.media,
        language=model.ruleset.language,
        fetched_at=page.fetched_at,
        http_status=page.status,
        rendered=page.rendered,
        extraction={name: {"method": v.method, "confidence": v.confidence, "rule": v.rule} for name, v in best.items()},
    )
