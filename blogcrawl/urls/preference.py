"""Which of a post's addresses is the one to cite. Pure."""

from __future__ import annotations

import re

from blogcrawl.urls.parts import path_and_query
from blogcrawl.urls.post_pattern import is_list_address

_WORD = re.compile(r"[^\W\d_]{3}")


def preference(key: str) -> tuple[bool, bool, bool, int, str]:
    """Return by what a post's addresses (canonical) are sorted, the best one first: not of a month
    that has no other post, without a query, with a word in its name, short; of two that are alike,
    the first in the alphabet.

    >>> sorted(["http://b/2005/08/", "http://b/?p=9", "http://b/2005/08/a-walk"], key=preference)
    ['http://b/2005/08/a-walk', 'http://b/?p=9', 'http://b/2005/08/']
    """
    path, query = path_and_query(key.replace("%3F", "?"))
    name = path.rstrip("/").rpartition("/")[2].partition(".")[0]
    return is_list_address(key), bool(query), _WORD.search(name) is None, len(key), key
