"""The search page: full text over posts and comments, by the index of ``blogcrawl index``."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from blogcrawl.core.errors import ArchiveError
from blogcrawl.storage.search.base import ORDERS, Filters, Order, SearchIndex
from blogcrawl.storage.search.finding import Results, Search, Snippet
from blogcrawl.web.room import LONGEST, Room, parameter, whole
from blogcrawl.web.sanitise import plain

HITS = 20
FACETS = ("blog", "author", "year", "tag", "language")
_CHOSEN = 20
"""Values of one facet that are read."""


class Finding:
    """The endpoint. ``room.index`` opens the index, which a crawl may make while we serve."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._opened: SearchIndex | None = None

    def routes(self) -> list[Route]:
        """Return the route of the search page."""
        return [Route("/search", self.search, methods=["GET"])]

    def search(self, request: Request) -> Response:
        """Show what fits the words and the facets that are chosen."""
        text, order = parameter(request, "q"), parameter(request, "order")
        chosen, index = chosen_values(request), self._index()
        results = self.find(request, HITS) if text or any(chosen.values()) else None
        return self.room.page(
            request,
            "search.html",
            text=text,
            order=_order(order),
            orders=ORDERS,
            chosen=chosen,
            results=results,
            there_is_an_index=index is not None,
            there_are_posts=index is not None or self.room.state.post_span().posts > 0,
            blogs=self._titles(results, chosen),
            blog_of=self.room.catalogue.blogs_of([hit.aip_id for hit in results.hits])
            if results
            else {},
            marked=marked,
            place=Place(text, order, chosen),
        )

    def find(self, request: Request, limit: int) -> Results | None:
        """Return what fits the words and facets of an address; None where there is no index."""
        index = self._index()
        if index is None:
            return None
        return Search(index, self.room.store).find(
            parameter(request, "q"),
            filters=Filters(**chosen_values(request)),
            order=_order(parameter(request, "order")),
            after=whole(request, "after"),
            limit=limit,
        )

    def _index(self) -> SearchIndex | None:
        """Return the index, opened on first use; None until it is made."""
        if self._opened is None and self.room.index is not None:
            try:
                self._opened = self.room.index()
            except ArchiveError:
                return None
        return self._opened

    def _titles(
        self, results: Results | None, chosen: Mapping[str, tuple[str, ...]]
    ) -> Mapping[str, str]:
        """Return the titles of the blogs that the facet names, by id."""
        counted = results.facets.get("blog", ()) if results else ()
        names = {*(name for name, _ in counted), *chosen["blog"]}
        return self.room.catalogue.titles(sorted(names))


def marked(snippet: Snippet) -> Markup:
    """Return a snippet with the words that were found marked."""
    pieces, at = [], 0
    for start, end in snippet.marks:
        pieces.append(escape(plain(snippet.text[at:start])))
        pieces.append(Markup("<mark>{}</mark>").format(plain(snippet.text[start:end])))
        at = end
    return Markup("").join([*pieces, escape(plain(snippet.text[at:]))])


def chosen_values(request: Request) -> dict[str, tuple[str, ...]]:
    """Return the values of facets that an address names."""
    return {name: _values(request, name) for name in FACETS}


def _values(request: Request, name: str) -> tuple[str, ...]:
    given = request.query_params.getlist(name)[:_CHOSEN]
    return tuple(filter(None, (plain(value[:LONGEST]).strip() for value in given)))


def _order(name: str) -> Order:
    return next((order for order in ORDERS if order == name), ORDERS[0])


class Place:
    """Addresses of this search with one value of a facet more or less, or another page."""

    def __init__(self, text: str, order: str, chosen: Mapping[str, tuple[str, ...]]) -> None:
        self._text, self._order, self._chosen = text, order, chosen

    def with_value(self, name: str, value: str) -> str:
        """Return the address with a value chosen, or without it where it is."""
        values = self._chosen[name]
        others = tuple(one for one in values if one != value)
        added = () if value in values else (value,)
        return self._address({**self._chosen, name: (*others, *added)})

    @property
    def bare(self) -> str:
        """Return the address without any value chosen."""
        return self._address({})

    def after(self, number: int) -> str:
        """Return the address of the page after ``number`` hits."""
        return self._address(self._chosen, after=number)

    def _address(self, chosen: Mapping[str, tuple[str, ...]], after: int = 0) -> str:
        pairs = [("q", self._text), ("order", self._order)]
        pairs += [(name, value) for name, values in chosen.items() for value in values]
        pairs += [("after", str(after))] if after else []
        return "/search?" + urlencode([pair for pair in pairs if pair[1]])
