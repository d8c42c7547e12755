"""Pages that look costly are tried in a child process first, where the system ends what takes too
long or too much memory.

A signal can't end a loop inside of libxml2; the kernel ends a process. The child is a copy of the
crawl (fork), so nothing is sent to it and nothing comes back but how it ended: what it survived
within the limits, the crawl then does itself. Only the few pages that ``costs.looks_costly`` names
are read twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import resource
import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path

from blogcrawl.core.costs import (
    LARGE_BYTES,
    MEMORY_BYTES,
    TOO_SLOW,
    Account,
    allowed,
    looks_costly,
    slowness,
)
from blogcrawl.core.errors import TooCostlyError
from blogcrawl.core.page import EMPTY, Page
from blogcrawl.dom.links import page_links
from blogcrawl.storage.linux import return_large_blocks

logger = logging.getLogger(__name__)

SHARE = 0.5
"""Of a page's CPU seconds: the crawl needs as many again to read what the child could read."""
READING = 0.75
"""Of the CPU seconds a page may cost: what follows can't be stopped midway. Writing the packages of
3,000 comments took 0.3 s, queuing 5,000 links 0.5 s.
"""
FULL = 0.95
"""Of the memory: libxml2 goes on with half a page where it gets no more."""
WALL_SECONDS, WALL_TIMES = 60.0, 10
"""A child on a busy machine may wait for its turn, so long at least or so many times its CPU
seconds: with a load of 14 on 2 cores it had a sixth of one. One that waits for ever is ended."""
_FAILED, _NO_MEMORY = 3, 4
_HANDLED = {signal.SIGINT, signal.SIGTERM, signal.SIGPROF}

Work = Callable[[Page], object]


class Fence:
    """The limits of one crawl, for pages of usual size: large ones may cost more in proportion.
    ``seconds`` (of CPU time, for a page from its bytes to its package) and ``memory_bytes`` 0:
    none.
    """

    def __init__(self, seconds: float, memory_bytes: int) -> None:
        self.seconds, self.memory_bytes = seconds, memory_bytes
        self.account = Account(READING * seconds)
        self._one = asyncio.Semaphore(1)
        if memory_bytes:
            return_large_blocks(LARGE_BYTES)

    async def vet(self, page: Page, *further: Work) -> Page:
        """Return ``page``, parsed, once parsing and ``further`` work are known to end within the
        limits.

        Where parsing alone does, the page leads to others, and ``account`` refuses all that stages
        would read of it besides. Raises TooCostlyError where not even that ends.
        """
        if "tree" in page.__dict__:
            return page
        why = looks_costly(page.body) if self.seconds or self.memory_bytes else None
        refusal = None
        if why is not None:
            async with self._one:
                refusal = await self._try(page, why, (page_links, *further))
        with self.account.page(page):
            page_links(page)
        if refusal is not None:
            self.account.refuse(page.url, refusal)
        return page

    async def _try(self, page: Page, why: str, works: tuple[Work, ...]) -> str | None:
        """Return why not all of ``works`` end within the limits; None if they do. Raises
        TooCostlyError where not even the first does.
        """
        _load_libraries()
        times = slowness()
        seconds = SHARE * times * self.account.left(page)
        if self.seconds and seconds <= 0:
            raise TooCostlyError(TOO_SLOW, url=page.url)
        memory_bytes = round(allowed(self.memory_bytes, len(page.body), MEMORY_BYTES))
        child = _fork(page, works, seconds, memory_bytes)
        if child is None:
            return None
        pid, pipe = child
        try:
            done = await _count_steps(pipe, max(WALL_SECONDS, WALL_TIMES * seconds))
        finally:
            os.close(pipe)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)  # it has closed its end: it is over, or never will be
            _, status, usage = os.wait4(pid, 0)
        spent = usage.ru_utime + usage.ru_stime
        self.account.charge(page.url, spent / times)
        code = os.waitstatus_to_exitcode(status)
        logger.debug("%s looks costly (%s): tried for %.2f s, %d", page.url, why, spent, code)
        refusal = _refusal(code)
        if refusal is not None and not done:
            raise TooCostlyError(refusal, url=page.url)
        return refusal


async def _count_steps(pipe: int, seconds: float) -> int:
    """Wait until a child closes its pipe, so long at most; return how many steps it ended."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    done = 0

    def read() -> None:
        nonlocal done
        steps = os.read(pipe, 64)
        done += len(steps)
        if not steps:
            ended.set()

    loop.add_reader(pipe, read)
    try:
        async with asyncio.timeout(seconds):
            await ended.wait()
    except TimeoutError:
        pass
    finally:
        loop.remove_reader(pipe)
    return done


def _refusal(code: int) -> str | None:
    """Return why a page is refused whose child ended with this exit code; None if it is not."""
    if code == _NO_MEMORY:
        return "reading it takes too much memory"
    if code in (-signal.SIGPROF, -signal.SIGKILL):
        return TOO_SLOW
    if code not in (0, _FAILED):
        return f"reading it ends its process (status {code})"
    return None


@cache
def _load_libraries() -> None:
    """Import what reading a page imports when needed, and read the tables that it needs: in the
    child it would count as the page's time and memory, and be done once more in the crawl; and
    OpenBLAS ends a process whose buffers do not fit.
    """
    import numpy  # noqa: F401

    from blogcrawl.extraction.model import BlogModel, extract_post

    extract_post(Page(url="https://empty.invalid/", body=EMPTY.encode()), BlogModel(), None, True)


def _fork(
    page: Page, works: tuple[Work, ...], seconds: float, memory_bytes: int
) -> tuple[int, int] | None:
    """Return id of the child and the pipe that closes when it ends; None if no process can be
    made."""
    read, write = os.pipe()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
    try:
        pid = os.fork()
    except OSError as error:  # no memory, or no more processes
        logger.warning("%s could not be tried: %s", page.url, error)
        os.close(read)
        os.close(write)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return None
    if pid:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(write)
        os.set_blocking(read, False)
        return pid, read
    code = _FAILED
    try:
        # The crawl's own handlers write to a socket that both processes share: a Ctrl-C would count
        # twice.
        signal.set_wakeup_fd(-1)
        for number in _HANDLED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        code = _work(page, works, seconds, memory_bytes, write)
    finally:
        os._exit(code)


def _work(page: Page, works: tuple[Work, ...], seconds: float, memory_bytes: int, pipe: int) -> int:
    """Do all work on the page within the limits, in the child process; return how it ended.

    Each step that ends within the limits is a byte in ``pipe``.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if seconds:
        signal.setitimer(signal.ITIMER_PROF, seconds)  # SIGPROF ends the process, in C code too
    top = _size() + memory_bytes
    if memory_bytes:
        _limit(resource.RLIMIT_AS, top)
        # Where the heap may not grow, glibc goes on in a thread's arena, which is mapped already.
        _limit(resource.RLIMIT_DATA, _size("VmData") + memory_bytes)
    try:
        for work in works:
            work(page)
            if memory_bytes and _size("VmPeak") > top - (1 - FULL) * memory_bytes:
                return _NO_MEMORY
            os.write(pipe, b".")
    except MemoryError:
        return _NO_MEMORY
    except Exception:  # the crawl meets it again, and reports it with its stage
        return _FAILED
    finally:
        for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            _limit(limit, resource.RLIM_INFINITY)
    return 0


def _limit(which: int, most: int) -> None:
    """Set a soft limit of this process, as far as its hard one allows."""
    hard = resource.getrlimit(which)[1]
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (soft, hard))


def _size(name: str = "VmSize") -> int:
    """Return address space of this process, in bytes."""
    for line in Path("/proc/self/status").read_text("ascii", "replace").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return 0
