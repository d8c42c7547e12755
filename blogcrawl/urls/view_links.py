"""Links to further pages about the posts that a list shows (to print or answer one). Pure.

Titles differ from post to post; what leads to a view of each has the same words everywhere ("3
comments", "Print"). Where such a label follows a title in each entry and leads elsewhere than the
title, its pages are no posts. Where it leads to the same page, or no title is a link, it is the way
to the post. And where several pages of each of two names have the same queries
(``story.php?id=9``, ``print.php?id=9``), those that are met later are views of the others; and so
are several that add one item to the queries of others (``/9.html``, ``/9.html?mode=reply``).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from blogcrawl.core.evidence import NEARLY_ALL, SEVERAL
from blogcrawl.text.similarity import folded
from blogcrawl.urls.parts import path_and_query
from blogcrawl.urls.post_pattern import is_list_address, is_numbered

_NUMBER = re.compile(r"[0-9]+")


def view_links(links: Iterable[tuple[str, str]]) -> set[str]:
    """Return those of a page's ``links`` within the blog (canonical URL and anchor text, in their
    order) that are labels next to titles."""
    known = [(url, _NUMBER.sub("", folded(anchor)).strip()) for url, anchor in links]
    targets: dict[str, set[str]] = defaultdict(set)
    for url, label in known:
        targets[label].add(url)
    labels = {label: urls for label, urls in targets.items() if label and len(urls) >= SEVERAL}
    if not labels:
        return set()
    titles = {url for url, label in known if label not in {"", *labels} and not _is_list(url)}
    return set().union(*(urls for urls in labels.values() if _follow(known, urls, titles)))


def name_and_query(key: str) -> tuple[str, str, str]:
    """Return folder, name and query of a canonical URL; a copy of a site has the query in its
    files' names."""
    path, query = path_and_query(key.replace("%3F", "?"))
    folder, _, name = path.rpartition("/")
    return folder, name, query


def have_one_query(key: str, other: str) -> bool:
    """Return whether two canonical URLs differ in the name before their query alone."""
    folder, _, query = name_and_query(key)
    return bool(query) and name_and_query(other)[::2] == (folder, query)


def without_items(key: str) -> Iterator[tuple[str, str]]:
    """Yield the items of a canonical URL's query, and what the URL is without each."""
    path, _, query = key.partition("?")
    items = query.split("&") if query else []
    for at, item in enumerate(items):
        others = "&".join(items[:at] + items[at + 1 :])
        yield item, f"{path}?{others}" if others else path


def adding_views(keys: Iterable[str]) -> set[str]:
    """Return those of canonical URLs that add to others of them what several do."""
    known = set(keys)
    added: dict[str, set[str]] = defaultdict(set)
    for key in known:
        for item, base in without_items(key):
            if base in known:
                added[item].add(key)
    return set().union(*(views for views in added.values() if len(views) >= SEVERAL))


def query_views(keys: Iterable[str]) -> set[str]:
    """Return those of canonical URLs that have the query of one before them, at another name."""
    known = [(key, *name_and_query(key)) for key in dict.fromkeys(keys)]
    queries: dict[tuple[str, str], set[str]] = defaultdict(set)
    for _, folder, name, query in known:
        queries[folder, name] |= {query} - {""}
    first: dict[tuple[str, str], str] = {}
    return {
        key
        for key, folder, name, query in known
        if len(queries[folder, name]) >= SEVERAL
        and query
        and first.setdefault((folder, query), name) != name
    }


def _follow(
    links: Sequence[tuple[str, str]], labelled: Collection[str], titles: AbstractSet[str]
) -> bool:
    """Return whether a title of its own stands before nearly each of the links with one label."""
    if not titles.isdisjoint(labelled):
        return False
    last, headed, seen = "", [], set()
    for url, _ in links:
        if url in titles:
            last = last or url
        elif url in labelled and url not in seen:
            seen.add(url)
            headed.append(last)
            last = ""
    own = set(headed) - {""}
    return len(own) >= NEARLY_ALL * len(headed)


def _is_list(url: str) -> bool:
    return is_list_address(url) and not is_numbered(url)
