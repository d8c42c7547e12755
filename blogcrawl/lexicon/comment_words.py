"""Regular expressions for the words and markup names of comments, made of the lists in
``data/comments.toml`` and ``data/bylines.toml``: a new language or a theme's habit is an entry
there.
"""

from __future__ import annotations

import re
from functools import lru_cache

from blogcrawl.lexicon.vocabulary import any_of, entries, word_set

COMMENT_WORDS = any_of("comments", "comment")
"""The word in a heading such as "4 comments"; matched case-insensitively."""
_COUNTER = any_of("comments", "counter")

COUNT = re.compile(
    rf"(?<![\w.,/#:-])(\d{{1,5}})[)\]]?\s{{0,20}}(?:{_COUNTER})?\s{{0,20}}(?:\w{{1,40}}\s{{1,20}})?"
    rf"(?:{COMMENT_WORDS})",
    re.I,
)
COUNT_AFTER = re.compile(
    rf"(?:{COMMENT_WORDS})\s{{0,20}}[:：]?\s{{0,20}}[（(\[]?\s{{0,20}}(\d{{1,5}})"
    r"(?![\d.:/]|\s{0,20}(?:am|pm|h\d))",
    re.I,
)
ONE = re.compile(
    rf"^\W{{0,40}}(?:{any_of('comments', 'one')})\s{{1,20}}(?:\w{{1,40}}\s{{1,20}})?"
    rf"(?:{COMMENT_WORDS})",
    re.I,
)
NONE = re.compile(
    rf"^\W{{0,40}}(?:(?:{any_of('comments', 'none.before')})\s{{1,20}}(?:\w{{1,40}}\s{{1,20}})?"
    rf"(?:{COMMENT_WORDS})(?:\s{{1,20}}(?:{any_of('comments', 'none.preposition')})\b|\W|$)"
    rf"|(?:{any_of('comments', 'none.before_without_blank')})\s{{0,20}}(?:{COMMENT_WORDS})"
    rf"|{any_of('comments', 'none.sentence')}|0\s{{0,20}}(?:{COMMENT_WORDS}))",
    re.I,
)

_TALK = any_of("comments", "discussion")
_OTHER = re.compile(any_of("comments", "other_lists"), re.I)
_LATEST = re.compile(any_of("comments", "other_lists.recent"), re.I)
_SPACED = r"[a-z\u00c0-\u06ff]"
_OF_READERS = f"(?:{any_of('comments', 'readers')})?"
_LABEL = re.compile(rf"(?<!{_SPACED}){_OF_READERS}(?:{COMMENT_WORDS}|{_TALK})(?!{_SPACED})", re.I)
_BARE_LABEL = re.compile(rf"\W{{0,40}}(?:{COMMENT_WORDS}|{_TALK})\W{{0,40}}", re.I)
_LABEL_WORDS = re.compile(r"\S*[^\W\d_]\S*")
MAX_LABEL_WORDS = 4
LABEL_SHARE = 0.3
"""Minimum share of a label's letters in the word itself: "Readers' opinions" is a label, a post's
title with the word "comments" in it is not.
"""


@lru_cache(maxsize=4096)
def is_label(text: str, words: int = MAX_LABEL_WORDS) -> bool:
    """Return whether a short text heads comments: a word for them, perhaps their number, and at
    most ``words`` words in all.
    """
    return names_comments(text, words) and _OTHER.search(text) is None


def heads_latest(text: str) -> bool:
    """Return whether a heading is that of a list of all posts' latest comments."""
    return _LATEST.search(text) is not None


def names_comments(text: str, words: int = MAX_LABEL_WORDS) -> bool:
    """Return whether a short text heads comments, the form for them or a list of the latest."""
    if (
        len(text) > 60 or not 0 < len(_LABEL_WORDS.findall(text)) <= words
    ):  # cheaper than the search for one of so many words
        return False
    found = _LABEL.search(text)
    return found is not None and len(found.group()) >= LABEL_SHARE * len(
        re.findall(r"[^\W\d_]", text)
    )


def is_bare_label(text: str) -> bool:
    """Return whether a text is the word for comments and nothing else."""
    return _BARE_LABEL.fullmatch(text) is not None


def _named(name: str) -> re.Pattern[str]:
    """Return an expression for one of the names as a whole part of an id or of class names: between
    blanks, hyphens, underscores.
    """
    return re.compile(rf"(?:^|[-_ ])(?:{any_of('comments', f'names.{name}')})(?:$|[-_ ])", re.I)


SECTION = _named("section")
"""id or class of the block that holds all comments of a page."""

COMMENT_NAMES = re.compile(any_of("comments", "stem"), re.I)
"""Anywhere in a class or id of comments."""

UNIT_TOKENS = re.compile(
    rf"^(?:comment|comments?[-_]?(?:{any_of('comments', 'names.unit_parts')})"
    rf"|(?!{any_of('comments', 'names.unit_other')})(?:[a-z]{{1,12}}[-_]+){{1,3}}comment"
    rf"|{any_of('comments', 'names.unit')})$",
    re.I,
)
"""A class token that marks one comment."""

UNIT_ID = re.compile(
    r"^(?!c\d{0,60}[a-f][0-9a-f]{0,60}$)"
    rf"(?P<pre>(?:[a-z]{{1,30}}[-_]){{0,8}}?(?:{any_of('comments', 'names.unit_id')})[-_]?)"
    r"(?P<num>\d{1,20}(?:[-_]\d{1,20}){0,8}|[0-9a-f]{12,64}|"
    r"[0-9a-f]{8}-[0-9a-f-]{27})(?P<post>(?:[_-](?:[a-z_-][\w-]{0,40})?)?)$",
    re.I,
)
"""``comment-12``, ``li-comment-12``, ``c847632…`` (Blogger), ``comment-6a00d…`` (TypePad),
``isso-3``, ``comment-20-by-ann_77``; not an id of hexadecimal digits that begins with a "c".
"""

NOT_UNIT = re.compile(any_of("comments", "names.not_unit"), re.I)

CONTROL = _named("control")
"""Parts of a comment that no one wrote: links, buttons, avatars."""

AUTHOR, DATE, BODY = _named("author"), _named("date"), _named("body")

NO_COMMENT = _named("no_comment")
"""A block of the page near the comments."""

STRICT_BODY = re.compile(
    rf"comment[-_]*(?:{any_of('comments', 'names.strict_body')})(?:$|[-_ ])", re.I
)
"""Names that mean a comment's text and nothing else."""

_BY, _SAYS = any_of("bylines", "by", "of"), any_of("bylines", "says")
_ON, _COMMENTED = any_of("bylines", "on"), any_of("bylines", "commented")
_SIGNED, _FROM = any_of("bylines", "signed"), f"(?:{any_of('bylines', 'from')})"

BY_WORDS = re.compile(
    rf"^(?P<act>(?:{any_of('bylines', 'written')}|{_COMMENTED})(?:\s+{_FROM})?\s+)?"
    rf"(?:(?:{_BY}|{_SIGNED}|ο/η|投稿者|作者)(?:\s*[:：]\s*|\s+)"
    rf"|(?:{any_of('bylines', 'commenter', 'role')})\s*[:：]\s*)?",
    re.I,
)
FROM_PLACE = re.compile(rf"(?<=\S)\s{{1,20}}(?:{any_of('bylines', 'place')})\s(?s:.*)\Z", re.I)
"""Behind a name that words introduce: where its bearer lives, and everything after it."""
SIGNED_BY = re.compile(
    rf"^.*[^\w\s][\w\s]*?(?<!\w)(?:{any_of('bylines', 'written')})\s+(?:{_BY})"
    r"(?:\s*[:：]\s*|\s+)(?=\S)",
    re.I | re.S,
)
"""A comment's text and the words of the byline behind it: "Well done. Posted by Ann"."""
SAID_AT_END = re.compile(rf"(?<=\S)\s{{1,20}}(?:{_SAYS})\W{{0,20}}$", re.I)
"""Behind the name in a line that begins with the time: "A las 10:11, Ann dijo..."."""
BY_AFTER = re.compile(rf"^\W*(?:{_BY}|{_SIGNED}|od)(?:\s*[:：]\s*|\s+)(?=\S)", re.I)
"""After a date, before the author ("On 3 May 2010 by Ann")."""
_ZONE = "|".join(
    name for name, _, _ in (zone.partition(":") for zone in entries("dates", "zones")) if name[1:]
)
HOUR = re.compile(
    rf"^\s*\((?=[^()]{{0,60}}\b(?-i:{_ZONE})\b)[^()]{{0,80}}\)"
    rf"|^\W*(?:{any_of('bylines', 'hour')}|(?-i:{_ZONE}))(?!\w)",
    re.I,
)
"""A time of day in words behind a date, or the zone of one in digits."""
_SAYS_MARKS = (
    rf"\s{{1,20}}(?:{any_of('bylines', 'before_date')})\s{{0,20}}\Z"
    r"|\s{0,20}(?![^()\[\]]{0,60}[)\]])(?:[:：|·•@{](?=\W|$)|(?<=\s)[-–—](?=\s)"
    rf"|(?<=\s)(?:{_SAYS})(?=\W|$)"
)
SAYS_WORDS = re.compile(rf"{_SAYS_MARKS}|,(?=\W|$)|(?<=\s)(?:{_ON})(?=\W|$))(?s:.*)\Z", re.I | re.S)
"""What follows a name in a byline: "Ann says:", "Ann schrieb am", and everything after it; not what
stands in brackets: "Ann (Kent - UK)"."""
SAYS_UNDATED = re.compile(
    rf"{_SAYS_MARKS}|,(?=\W{{0,5}}[\w-]{{1,63}}\.[\w-]|.{{40}})"
    rf"|(?<=\s)(?:{_ON})(?=\W*+(?:$|{any_of('dates', 'weekdays')})|\D{{1,20}}\d))(?s:.*)\Z",
    re.I | re.S,
)
"""The same where no date is read behind it: "Louis le Grand" and "King, Ann" are names, what
follows in "Ann, host.example" is where she wrote, and a text of so many letters is no name."""

SAYS = re.compile(rf"{_SAYS}|{any_of('bylines', 'written')}|{_COMMENTED}", re.I)
"""What a commenter did."""

SAYS_ALONE = re.compile(rf"^\s*(?:{_SAYS})\s*[:：]\s*(?:<br\s*/?>\s*)*", re.I)
"""The rest of a byline without its name, at the start of a comment's HTML."""

RESIDUE = re.compile(
    rf"\W*(?:(?:{_COMMENTED}|pingback|trackback|reactie)(?:\W+|$))?"
    rf"(?:(?:{any_of('bylines', 'written')})\s+(?:{_BY})(?:\s+(?:{_ON}))?|(?:{_BY})\s+(?:{_ON})"
    rf"|{_BY}|{any_of('bylines', 'from')}|{_SAYS}|{_ON}|uhr|\d{{1,2}}:\d\d:\d\d"
    r"|(?<=[(\[])\d{1,2}:\d\d(?=[)\]]))?\W*",
    re.I,
)
"""What remains of a byline without its name and date: words, or the time of day."""

NOT_THE_NAME = re.compile(
    r"^(?:_\s{1,20}|#?\d{1,5}\s?[楼樓][.:)]?\s{1,20}|#\d{1,5}(?:\.\d{1,5}){0,8}[.:)]?\s{1,20}"
    r"(?:[·|–—-]\s{1,20})?"
    r"|[\[(]?\d{1,4}[.:)\]]{1,80}\s{1,20})(?=\S)"
    r"|\s{0,20}[(\[](?:url|www|web(?:site)?|home\s?page|e-?mail|site|link)[)\]]$"
    r"|\s{1,20}[(\[](?:https?://)?(?:[a-z\d-]{1,63}\.){1,5}[a-z]{2,10}/?[)\]]$"
    r"|\s{1,20}(?:\d{1,4}\s?(?:楼|樓|f)|[(\[#]\d{1,5}[)\]]?)$"
    rf"|\s{{0,20}}[(\[](?:{any_of('bylines', 'unverified')})[)\]]$",
    re.I,
)
"""Around a name in its element: the number of the comment in its list, the commenter's site, and
the engine's note on people without an account.
"""

ROLE = re.compile(
    rf"\W*(?:{any_of('bylines', 'standing')})\W*|@[\w.-]{{1,64}}@[\w.-]{{1,255}}", re.I
)
"""What a commenter is to the site, or "@ann@social.example", next to the name."""

AUTHOR_NOUN = re.compile(rf"\W*(?:{any_of('bylines', 'role')})\W*", re.I)
"""What a badge next to a name calls the post's author."""

STANDING = re.compile(r"\s{0,20}\[[^\[\]]{2,30}\]\s{0,20}")
"""An engine's note on a commenter, next to the name: "[Visitor]"."""

_SAYS_SHORT = any_of("bylines", *(f"says.{code}" for code in "en de fr es it pt nl sv".split()))
NO_NAME = re.compile(
    rf"^(?:https?(?::\S*)?|h|#?\d*[.:)]?|(?-i:{_ZONE})(?:\s[a-z]{{3,9}}\stime)?"
    rf"|{any_of('bylines', 'no_name', 'role')}"
    rf"|(?:(?:{any_of('bylines', 'written', 'commented.en')})\s)?"
    rf"(?:{any_of('bylines', 'by.en', 'by.de', 'by.fr', 'on.en')})"
    rf"|{any_of('bylines', 'written.en')}"
    rf"|(?-i:{_SAYS_SHORT}):?|\W*)$",
    re.I,
)


_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")


_LONGEST_FIRST = sorted(word_set("dates", "weekdays"), key=len, reverse=True)
WEEKDAY = re.compile(rf"(?<!\w)(?:{'|'.join(_LONGEST_FIRST)})(?!\w)", re.I)
"""A day of the week in the languages that most pages are written in (CLDR): part of a date, never a
name.
"""


@lru_cache(maxsize=4096)
def names_section(names: str) -> bool:
    """Return whether an id, a class or both name the block of all comments. Cached, for a blog's
    pages repeat a few hundred of them.
    """
    return SECTION.search(names) is not None or SECTION.search(_HUMP.sub("-", names)) is not None


@lru_cache(maxsize=4096)
def words_of(class_value: str | None) -> str:
    """Return the class tokens that name a role: ``bCommentText`` as ``b-Comment-Text``."""
    return _HUMP.sub("-", " ".join(tokens(class_value)))


@lru_cache(maxsize=4096)
def tokens(class_value: str | None) -> tuple[str, ...]:
    """Return the class tokens without those that count or alternate (``odd``, ``depth-2``,
    ``comment-17``): these do not name a role.
    """
    return tuple(t for t in (class_value or "").split() if not _VARYING.search(t))


_VARYING = re.compile(
    rf"[-_]\d{{1,20}}$|\d{{2,40}}$|^(?:{any_of('comments', 'names.varying')})$|^(?:odd|even)-?",
    re.I,
)
