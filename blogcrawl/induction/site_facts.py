"""What holds for all posts of a blog: learned from feed and pages, used where fields are decided.

A value that was not learned is the field's default and is left out of the JSON form.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, convert, field, to_builtins


class TitleFacts(Struct, kw_only=True, omit_defaults=True):
    """How the blog writes titles. All texts are folded."""

    common: list[str] = field(default_factory=list)
    """Titles that most pages have: the site's, never a post's."""
    unshown: list[str] = field(default_factory=list)
    """Titles that the feed gives to several posts and no page shows: "Photo"."""
    ends: list[str] = field(default_factory=list)
    """With what many titles end behind a separator, or most begin, folded: names of the site and
    its sections.
    """
    headings: list[str] = field(default_factory=list)
    """Headings that stand on all pages."""
    recased: bool = False
    """The document's title has the capitals of the entry where the theme's heading has not."""
    foreign_heads: bool = False
    """The documents' titles name something else than the posts."""
    own_heads: bool = False
    """The documents' titles name the posts, all of them."""
    line: tuple[str, int] | None = None
    """In which elements the line stands that is the title where no heading is, and how many such
    lines before it."""
    before_days: str | None = None
    """What all titles of documents begin with before the post's day, where they have nothing
    else."""
    undated: bool = False
    """None of the titles that were learned from is a date and nothing else."""


class AuthorFacts(Struct, kw_only=True, omit_defaults=True):
    """Who writes the blog."""

    usual: list[str] = field(default_factory=list)
    """The authors of (nearly) all posts."""
    share: float = 1.0
    """Share of the entries that the usual authors wrote."""
    names: list[str] = field(default_factory=list)
    """All authors of the feed, where there are several."""
    misnamed: str | None = None
    """The feed's only author where the pages know better."""
    accounts: list[str] = field(default_factory=list)
    """The feed's several authors where they are keys of accounts whose names the pages have."""


class DateFacts(Struct, kw_only=True, omit_defaults=True):
    """How the blog writes dates."""

    url_day: float = 0.5
    """Share of the posts' URLs whose date is the post's."""
    zones: tuple[str, ...] = ()
    """Zones of which the clock of the pages has one, as far as that is known."""
    day_first: bool | None = None
    """Whether the day stands before the month in numbers, where the pages prove it."""
    mislabelled: bool = False
    """The pages write the times of that clock with the label of UTC."""
    day_offset: int = 0
    """Minutes from the feed's midnights to those with which the days on the pages begin."""
    build_time: str = ""
    """Moment that several posts have as that of their last change: the site was generated then."""
    change_is_sites: bool = False
    """The day of change that the pages show is that of the site."""
    changes_are_first: bool = False
    """The sitemap's moments of the last change are those of publication."""


class TagFacts(Struct, kw_only=True, omit_defaults=True):
    """Where the pages name the tags of posts."""

    source: str | None = None
    """Key of ``tag_sources.SOURCES`` that gives tags of posts."""
    template: dict[str, int] = field(default_factory=dict)
    """Folded names of the template's tags there, with the times each stands on a page."""
    second: str | None = None
    """Another source, of tags that the first leaves out."""
    second_template: dict[str, int] = field(default_factory=dict)
    rule_template: dict[str, int] = field(default_factory=dict)
    """The template's tags that the rules return."""
    max_per_post: int | None = None
    source_first: bool = False
    """The source is better than the rules."""


class SignedLines(Struct, kw_only=True, omit_defaults=True):
    """How the comments of a blog are signed."""

    kind: tuple[str, ...]
    """Of the lines with the date (``signed_lines``)."""
    words: list[str] = field(default_factory=list)
    """Of these lines and those with the names, what is no name, folded."""
    name_at: int = 0
    """How many lines from the date the name stands."""
    name_in: str = ""
    """Of what kind the line is that begins a comment with its name, the text between it and the
    date; empty: the name stands elsewhere."""
    heads: int = 0
    """Lines before date and name: a subject."""
    is_above: bool = False
    """The texts stand above their dates."""
    is_ruled: bool = False
    """A horizontal rule stands between comments."""
    is_posts: bool = False
    """The post is signed like its comments, before them."""
    day_first: bool | None = None
    """Whether the day stands before the month in numbers, where the pages prove it."""
    template: list[int] = field(default_factory=list)
    """Digests of lines that many pages have."""


class SiteFacts(Struct, kw_only=True, omit_defaults=True):
    """All facts of one blog."""

    titles: TitleFacts = field(default_factory=TitleFacts)
    authors: AuthorFacts = field(default_factory=AuthorFacts)
    dates: DateFacts = field(default_factory=DateFacts)
    tags: TagFacts | None = None
    """None where nothing was learned of the blog."""
    signed: SignedLines | None = None
    """How comments are signed on pages that name nothing, where that was learned."""
    languages: dict[str, int] = field(default_factory=dict)
    """Language -> training posts in it, by their text."""
    feed_language: str | None = None
    """What the blog's feed declares for all posts, those that it no longer has as well."""
    pictures: list[str] = field(default_factory=list)
    """Names of pictures that the metadata of several posts give: no post's own."""
    media_places: list[str] = field(default_factory=list)
    """Where posts show pictures, films and sounds of their own outside their text."""
    repeated: list[str] = field(default_factory=list)
    """Texts that the pages of nearly all posts have."""
    ended: bool = False
    """The template writes the end tag of the page."""
    unread: int = 0
    """Samples that were not read, for the rules left no doubt."""
    returned: dict[str, int] = field(default_factory=dict)
    """Elements that the rule for a field usually returns on a page."""
    absent: list[str] = field(default_factory=list)
    """Fields that the feed knows and the pages never name."""
    useless: dict[str, list[str]] = field(default_factory=dict)
    """By field, the methods that were asked and never right, where another was."""

    def merged(self, other: SiteFacts) -> SiteFacts:
        """Return these facts and those of ``other``, which wins where both were learned."""
        mine: dict[str, Any] = to_builtins(self)
        for name, value in to_builtins(other).items():
            is_group = name in _GROUPS and name in mine
            mine[name] = {**mine[name], **value} if is_group else value
        return convert(mine, SiteFacts)


_GROUPS = ("titles", "authors", "dates", "tags")
