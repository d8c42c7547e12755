"""Crawls and extractions that operators start: child processes, watched live."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from blogcrawl.core.credentials import redact
from blogcrawl.core.errors import IncompleteError, UsageError

AT_ONCE = 2
"""Jobs that run at the same time: each is a process that crawls or extracts."""
KEPT = 50
LINES = 500
"""Last lines of a job's log that are kept."""
_LONGEST = 500
_STOP_SECONDS = 30.0


@dataclass(slots=True)
class Job:
    """One child process. ``process``: None while it waits; ``code``: None until it has ended;
    ``corrections``: patterns and fields that it was started for.
    """

    id: str
    what: str
    subject: str
    who: str
    started: datetime
    process: subprocess.Popen[bytes] | None = None
    corrections: tuple[str, ...] = ()
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LINES))
    written: int = 0
    code: int | None = None

    def read(self) -> None:
        """Take what the process writes until it ends."""
        assert self.process is not None and self.process.stdout is not None
        for line in self.process.stdout:
            text = redact(line.decode("utf-8", "replace").rstrip())[:_LONGEST]
            if text:
                self.lines.append(text)
                self.written += 1
        self.code = self.process.wait()

    @property
    def waits(self) -> bool:
        """Report whether it has not begun."""
        return self.process is None and self.code is None

    @property
    def is_incomplete(self) -> bool:
        """Report whether it ended well, and something is missing in the archive."""
        return self.code == IncompleteError.exit_code

    def after(self, number: int) -> Sequence[str]:
        """Return the lines that are kept, after the first ``number`` written."""
        kept = list(self.lines)
        return kept[max(0, len(kept) - max(0, self.written - number)) :] if kept else ()

    def stop(self) -> None:
        """Ask it to stop as Ctrl-C does: what is in flight is finished and saved."""
        if self.process is None:
            self.code = -signal.SIGINT
        elif self.code is None:
            self.process.send_signal(signal.SIGINT)


class Jobs:
    """Starts jobs and keeps the last ones. ``settings``: environment of the archive."""

    def __init__(self, settings: Mapping[str, str], *, at_once: int = AT_ONCE) -> None:
        self._environment = {**os.environ, "PYTHONUNBUFFERED": "1", **settings}
        self._at_once = at_once
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, what: str, subject: str, *, who: str, now: datetime) -> Job:
        """Run ``blogcrawl what subject``. Raises UsageError if enough of them run."""
        with self._lock:
            running = self._running()
            if len(running) >= self._at_once:
                raise UsageError(f"{len(running)} jobs are running: wait until one has ended")
            return self._begin(self._kept(Job(uuid.uuid4().hex, what, subject, who, now)))

    def queue(self, what: str, subject: str, *, who: str, now: datetime, about: str) -> Job:
        """Run ``blogcrawl what subject`` as soon as there is room and no other job has the subject.
        One that has not begun is joined: it will see what this one is ``about`` too.
        """
        with self._lock:
            same = (
                job for job in self._jobs.values() if (job.what, job.subject) == (what, subject)
            )
            job = next((one for one in same if one.waits), None)
            if job is None:
                job = self._kept(Job(uuid.uuid4().hex, what, subject, who, now))
            job.corrections += (about,)
            self._begin_waiting()
        return job

    def stop(self, job: Job) -> None:
        """Ask a job to stop as Ctrl-C does; one that waits never begins."""
        with self._lock:
            job.stop()

    def _running(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.process and job.code is None]

    def _kept(self, job: Job) -> Job:
        """Keep a new job, and forget the first ones that have ended."""
        self._jobs[job.id] = job
        ended = [one.id for one in self._jobs.values() if one.code is not None]
        for name in ended[: max(0, len(self._jobs) - KEPT)]:
            del self._jobs[name]
        return job

    def _begin(self, job: Job) -> Job:
        job.process = subprocess.Popen(
            [sys.executable, "-m", "blogcrawl", job.what, "--", job.subject],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
            start_new_session=True,
        )
        threading.Thread(target=self._follow, args=(job,), daemon=True).start()
        return job

    def _begin_waiting(self) -> None:
        """Begin what waits, in order, as far as there is room."""
        for job in [one for one in self._jobs.values() if one.waits]:
            running = self._running()
            if len(running) < self._at_once and job.subject not in {one.subject for one in running}:
                self._begin(job)

    def _follow(self, job: Job) -> None:
        job.read()
        with self._lock:
            self._begin_waiting()

    def all(self) -> list[Job]:
        """Return the jobs, newest first."""
        return list(self._jobs.values())[::-1]

    def get(self, name: str) -> Job | None:
        return self._jobs.get(name)

    def close(self) -> None:
        """Stop what runs and wait for it; kill what does not stop."""
        with self._lock:
            for job in self.all():
                job.stop()
        for process in filter(None, (job.process for job in self.all())):
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()


async def events(job: Job, seconds: float = 0.5) -> AsyncIterator[str]:
    """Yield the job's lines as server-sent events until it ends, then its exit code."""
    sent = 0
    while True:
        ended = job.code is not None
        for line in job.after(sent):
            yield f"data: {line}\n\n"
        sent = job.written
        if ended:
            yield f"event: ended\ndata: {job.code}\n\n"
            return
        yield ": waiting\n\n"
        await asyncio.sleep(seconds)
