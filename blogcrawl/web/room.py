"""What the pages of the reading room work with, and how they answer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from importlib import resources
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from blogcrawl.core.organization import Organization
from blogcrawl.dates.edtf import readable, readable_date
from blogcrawl.packaging import ids
from blogcrawl.storage.base import PackageStore
from blogcrawl.storage.search.base import SearchIndex
from blogcrawl.storage.state import SqlState
from blogcrawl.storage.tables import PostRow
from blogcrawl.storage.warc_records import CapturedPages
from blogcrawl.web.captured import Captures
from blogcrawl.web.catalogue import Catalogue
from blogcrawl.web.charts import bars, sparkline
from blogcrawl.web.rates import Rates
from blogcrawl.web.reading import Reader
from blogcrawl.web.replays import Replays
from blogcrawl.web.sanitise import link, plain, prose, readable_address
from blogcrawl.web.texts import LANGUAGES, Texts, choose

LONGEST = 500
"""Characters of a parameter that are read."""
_YEAR = 365 * 86_400
_KB = 1000
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The archive, and where the room itself is. ``public``: its address as readers see it, without
    its last slash. ``now`` is injected for tests."""

    state: SqlState
    store: PackageStore
    captures: Captures
    operator: Organization
    now: Callable[[], datetime]
    public: str
    index: Callable[[], SearchIndex] | None = None
    """Opens the search index; raises ArchiveError if it is missing."""
    replays: Replays | None = None
    """Starts replays; None where there is no pywb, or others than this machine are served."""
    crawl_command: str = "blogcrawl crawl"
    """What archives a blog here, shown where there is none yet."""
    catalogue: Catalogue = field(init=False)
    captured_pages: CapturedPages = field(init=False)
    rates: Rates = field(init=False, default_factory=Rates)

    def __post_init__(self) -> None:
        object.__setattr__(self, "catalogue", Catalogue(self.state))
        object.__setattr__(self, "captured_pages", CapturedPages(self.store))

    @property
    def reader(self) -> Reader:
        return Reader(self.state, self.store, self.captures, _page_of)

    def texts(self, request: Request) -> Texts:
        """Return the texts in the reader's language: the one asked for, else the browser's."""
        asked = request.query_params.get("lang", "") or request.cookies.get("lang", "")
        return Texts(choose(asked, request.headers.get("accept-language", "")))

    def page(
        self, request: Request, template: str, *, status: int = 200, **values: object
    ) -> Response:
        """Return a page in the reader's language."""
        texts, asked = self.texts(request), request.query_params.get("lang", "")
        context = {
            **texts.names(),
            "languages": LANGUAGES,
            "request": request,
            "organization": self.operator.name,
            "visitor": request.scope.get("visitor"),
            "insight": request.scope.get("insight", False),
            "form_token": request.scope.get("form_token", ""),
            "here": here(request),
            **values,
        }
        response = HTMLResponse(environment().get_template(template).render(context), status)
        response.headers["Content-Language"] = texts.language
        response.headers["Vary"] = "Accept-Language, Cookie"
        if asked == texts.language:
            response.set_cookie("lang", asked, max_age=_YEAR, httponly=True, samesite="lax")
        return response


def _page_of(row: PostRow) -> str:
    return f"/post/{ids.bare(str(row.aip_id))}"


def parameter(request: Request, name: str) -> str:
    """Return a parameter of the address without controls, of bounded length."""
    return plain(request.query_params.get(name, "")[:LONGEST]).strip()


def whole(request: Request, name: str, most: int = 10**6) -> int:
    """Return a parameter that is a number from 0 on; 0 if it is not."""
    text = request.query_params.get(name, "")[:9]
    return min(int(text), most) if text.isascii() and text.isdigit() else 0


def here(request: Request) -> Callable[..., str]:
    """Return the function that writes the address of this page with other parameters."""

    def changed(**values: object) -> str:
        kept: dict[str, object] = {
            name: value[:LONGEST] for name, value in request.query_params.items() if name != "lang"
        }
        kept |= values
        written = urlencode({name: str(value) for name, value in kept.items() if value})
        return f"?{written}" if written else request.url.path

    return changed


@cache
def environment() -> Environment:
    """Return the templates; their loader reads from a zipped egg too."""
    made = Environment(
        loader=PackageLoader("blogcrawl.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "day": readable_date,
        "date": readable,
        "timed": timed,
        "plain": plain,
        "readable": readable_address,
        "prose": prose,
        "link": link,
        "bare": ids.bare,
        "size": size,
        "path": path_of,
        "code": Markup("<code>{}</code>").format,
        "segment": lambda text: quote(str(text), safe=""),
    }
    made.globals |= {"sparkline": sparkline, "bars": bars, "static": static_address}
    return made


def timed(date: str) -> Markup:
    """Return the element of a date in its form for people or in EDTF; HTML has no approximate ones
    (WHATWG, the time element)."""
    bare = date.strip("~")
    shown = bare if bare == date else f"~{bare}"
    stated = Markup(' dir="ltr" datetime="{}"').format(bare) if bare[:4].isdecimal() else ""
    return Markup("<time{}>{}</time>").format(stated, shown)


def size(number: int) -> str:
    """Return bytes for people."""
    for unit in ("B", "kB", "MB"):
        if number < _KB:
            return f"{number:.0f} {unit}"
        number = number // _KB if unit == "B" else int(number / _KB)
    return f"{number} GB"


def path_of(url: str) -> str:
    """Return the address of an untitled post below its host."""
    path = url.partition("://")[2].partition("/")[2].strip("/")
    return path or url


@cache
def static_file(name: str) -> tuple[bytes, str] | None:
    """Return a file of the application and its type; None for an unknown name."""
    kind = TYPES.get(name.rpartition(".")[2])
    folder = resources.files("blogcrawl.web") / "static"
    if kind is None or name not in {entry.name for entry in folder.iterdir()}:
        return None
    return (folder / name).read_bytes(), kind


@cache
def static_address(name: str) -> str:
    """Return the address of a file of the application, which changes with its content."""
    found = static_file(name)
    assert found is not None, name
    return f"/static/{name}?{hashlib.sha256(found[0]).hexdigest()[:12]}"
