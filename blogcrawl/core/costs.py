"""What reading one page may cost: a check before parsing, and a limit on CPU time.

Everything that is read from a page runs in the crawl's own process.  Two fences keep a hostile page
from stopping it:

- ``looks_costly``: a measure in linear time of the bytes.  It names the pages on which libxml2 may
  run for long inside of C, where no
  signal ends it; those are tried in a child process first (``crawling.fence``).
- ``cpu_limit``: an alarm after so many seconds of CPU time, for Python code and regular expressions
  (``re`` looks for signals).
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from blogcrawl.core.errors import FeedError, TooCostlyError
from blogcrawl.core.evidence import SEVERAL

P = ParamSpec("P")
T = TypeVar("T")

LARGE_BYTES = 2**20
"""The largest of 61,000 recorded pages of 75 blogs has 1.2 MB, 99.9 % have less than 0.6 MB."""
MANY_TAGS = 12_000
"""Of "<"; libxml2 sorts the results of a union in quadratic time."""
FEW_NAMES_BYTES = 80_000
"""Below, a page can't hold the names of so many attributes that they cost a second."""
ATTRIBUTE_STEPS = 400_000_000
"""libxml2 2.14 compares all attributes of an element: 64,000 took 7 s (1.7 ns a step)."""
_OWN = __name__.partition(".")[0]
_NAMES_END = bytes.maketrans(b"/=>\t\n\r\f", b"       ")
BUSY = 0.75
"""Load per CPU from which on a machine is busy. There CPU time counts for about half, as caches and
cores are shared: 522 comments took 0.7 s on a quiet machine and 1.5 s on one with a load of 24, and
what is archived must not depend on how busy one is."""
TOO_SLOW = "reading it takes too much CPU time"
SECONDS_BYTES, MEMORY_BYTES, MOST_BYTES = 2**18, 2**20, 2**23
"""The size up to which a page may cost the CPU time and the memory of the settings; larger pages
may cost more in proportion, and this size at most counts. A list of 751 kB took 1 s of CPU time,
10,000 comments (7 MB) 16 s with their trial in a child process, and 240 MB; more than 21 s on a
machine that was slow though not busy."""
KNOWN_PAGES = 512
LEARNED_SECONDS = 0.1
"""Of learning from one page, more than it takes of any blog: 10 to 20 pages of 26 blogs took 0.06
to 0.5 s together, on a machine with a load of 13."""
REPEAT_SECONDS = 0.05
"""The alarm rings again, for Python ignores what is raised in a garbage collector's callback or in
a ``__del__``, and some code takes the first alarm for an error of its own."""


def looks_costly(body: bytes) -> str | None:
    """Return why parsing ``body`` may keep libxml2 busy; None for ordinary pages. Linear time."""
    if len(body) > LARGE_BYTES:
        return "large"
    if body.count(b"<") > MANY_TAGS:
        return "many elements"
    return "many attributes" if may_have_many_attributes(body) else None


def without_costly(items: Sequence[T], body_of: Callable[[T], bytes]) -> Sequence[T]:
    """Return those whose bodies don't look costly where they suffice to learn from, else all."""
    plain = [item for item in items if not looks_costly(body_of(item))]
    return plain if len(plain) >= SEVERAL else items


def may_have_many_attributes(body: bytes) -> bool:
    """Report whether elements may have so many attributes that libxml2 (quadratic) is slow.

    The number of its steps is bounded from above, whatever quotes and comments hide: each new
    attribute of an element has a name of its own, and names end at white space, ``/``, ``=`` or
    ``>`` (HTML Living Standard, 13.2.5.33).
    """
    if len(body) < FEW_NAMES_BYTES:
        return False
    names = body.translate(_NAMES_END).split()
    return len(names) ** 2 > ATTRIBUTE_STEPS and len(names) * len(set(names)) > ATTRIBUTE_STEPS


SECONDS_PER_MEGABYTE = 5.0
"""Of a document with entries; 20,000 of them, the most that are read, took 4 s and 3.4 MB."""


class _Alarm(BaseException):
    """Not an Exception, so that broad handlers do not catch it."""


_armed = False


_GUARDS = frozenset((contextlib.__file__, __file__))
"""Code that ends a block: an alarm that rings again in it would leave the limit armed for all that
follows. In the block itself it rings once more."""


def _ring(_number: int, frame: FrameType | None) -> None:
    if _armed and frame is not None and frame.f_code.co_filename not in _GUARDS:
        raise _Alarm


@contextlib.contextmanager
def cpu_limit(seconds: float, url: str) -> Iterator[None]:
    """Limit the block to this CPU time of the process; 0 means no limit.

    The block must be pure computation that may stop anywhere: no writing to disk, no awaiting.
    Inside another limit, and outside the main thread (where Python runs no signal handlers), it has
    no limit of its own. Raises TooCostlyError.
    """
    global _armed
    if seconds <= 0 or _armed or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGPROF, _ring)
    try:
        _armed = True
        signal.setitimer(signal.ITIMER_PROF, seconds, REPEAT_SECONDS)
        try:
            yield
        finally:
            _armed = False
            signal.setitimer(signal.ITIMER_PROF, 0)
    except _Alarm:
        raise TooCostlyError(TOO_SLOW, url=url) from None


def bounded(
    parse: Callable[Concatenate[bytes, str, P], T],
) -> Callable[Concatenate[bytes, str, P], T]:
    """Limit the CPU time of a reader of feeds, sitemaps or the like by the size of its document.

    A limit of the caller takes precedence. Documents over the limit raise FeedError, like
    unreadable ones.
    """

    @functools.wraps(parse)
    def limited(body: bytes, url: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            with cpu_limit(SECONDS_PER_MEGABYTE * (1 + len(body) / 2**20), url):
                return parse(body, url, *args, **kwargs)
        except TooCostlyError as error:
            raise FeedError(error.message, url=url) from None

    return limited


def read_at(error: BaseException | None, urls: Collection[str]) -> str | None:
    """Return which of the pages the innermost function that had a single one of them was reading
    when the alarm rang or it failed; None where no function had."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__ if error else None)]
    for frame in reversed(frames):
        for value in frame.f_locals.values():
            if type(value).__module__.startswith(_OWN):
                url = getattr(getattr(value, "page", value), "url", None)
                if isinstance(url, str) and url in urls:
                    return url
    return None


def is_busy() -> bool:
    """Return whether so much else runs on this machine that all takes more CPU time: in the last
    minute, or now."""
    return max(os.getloadavg()[0], _running()) > BUSY * (os.cpu_count() or 1)


def _running() -> int:
    """Return how many threads of this machine run or wait for a CPU, this one included; 0 where
    the system does not say (proc_loadavg(5))."""
    try:
        return int(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        return 0


def slowness() -> int:
    """Return how many CPU seconds count for one of a quiet machine."""
    return 1 + is_busy()


def allowed(limit: float, size: int, unit: int) -> float:
    """Return what a page of ``size`` bytes may cost where one of ``unit`` bytes may cost
    ``limit``: reading takes time and memory in proportion to what is read."""
    return limit * max(1.0, min(size, MOST_BYTES) / unit)


class Bytes(Protocol):
    """A page: what its cost depends on."""

    @property
    def url(self) -> str: ...

    @property
    def body(self) -> bytes: ...


class Account:
    """CPU seconds, as of a quiet machine, spent on each of the latest pages, so that all stages
    share one limit: ``limit_seconds``, more for large pages (``SECONDS_BYTES``).
    """

    def __init__(self, limit_seconds: float) -> None:
        self.limit_seconds = limit_seconds
        self._spent: OrderedDict[str, float] = OrderedDict()
        self._refused: OrderedDict[str, str] = OrderedDict()

    def charge(self, url: str, seconds: float) -> None:
        """Add the CPU time spent on a page."""
        self._spent[url] = self._spent.pop(url, 0.0) + seconds
        if len(self._spent) > KNOWN_PAGES:
            self._spent.popitem(last=False)

    @contextlib.contextmanager
    def batch(self, sizes: Mapping[str, int]) -> Iterator[None]:
        """Limit what is learned from several pages together to what one page may cost: ordinary
        ones take less. Each is charged its share, by its size in bytes.

        Raises TooCostlyError, which names the one that was read when the time was up, or the
        largest; none is charged then."""
        largest = allowed(self.limit_seconds, max(sizes.values(), default=0), SECONDS_BYTES)
        seconds = self.limit_seconds and max(largest, LEARNED_SECONDS * len(sizes))
        began = time.process_time()
        try:
            with cpu_limit(seconds * slowness(), max(sizes, key=sizes.__getitem__, default="")):
                yield
        except TooCostlyError as error:
            error.url = read_at(error.__context__, sizes) or error.url
            raise
        self.share(sizes, time.process_time() - began)

    def share(self, sizes: Mapping[str, int], seconds: float) -> None:
        """Charge each of several pages its share of what was learned from them, by its size."""
        for url, size in sizes.items():
            self.charge(url, seconds * size / max(1, sum(sizes.values())) / slowness())

    def left(self, page: Bytes) -> float:
        """CPU seconds that a page has left; 0 where there is no limit."""
        limit = allowed(self.limit_seconds, len(page.body), SECONDS_BYTES)
        return max(0.0, limit - self._spent.get(page.url, 0.0))

    def refuse(self, url: str, reason: str) -> None:
        """Refuse all further reading of a page, with or without a limit."""
        self._refused[url] = reason
        if len(self._refused) > KNOWN_PAGES:
            self._refused.popitem(last=False)

    def check(self, page: Bytes) -> None:
        """Raise TooCostlyError for a page that is refused or has used up its CPU time."""
        if page.url in self._refused:
            raise TooCostlyError(self._refused[page.url], url=page.url)
        if self.limit_seconds and not self.left(page):
            raise TooCostlyError(TOO_SLOW, url=page.url)

    @contextlib.contextmanager
    def page(self, page: Bytes) -> Iterator[None]:
        """Apply ``cpu_limit`` with the remaining seconds of a page. Raises TooCostlyError."""
        self.check(page)
        times, began = slowness(), time.process_time()
        try:
            with cpu_limit(times * self.left(page), page.url):
                yield
        finally:
            self.charge(page.url, (time.process_time() - began) / times)
