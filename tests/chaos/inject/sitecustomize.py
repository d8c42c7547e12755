"""Loaded by Python itself at the start of a program under test: ends it with SIGKILL before its
n-th change of a file.

Changes are those of files below CHAOS_BELOW: opened for writing, renamed, removed, linked, made,
flushed to disk. CHAOS_KILL_AT: n, or 0 to count only; the count is written to CHAOS_COUNT when the
program ends. Only the process that CHAOS_PARENT started is meant.
"""

import atexit
import os
import signal
import sys

CHANGES = {
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.truncate",
    "os.symlink",
    "shutil.rmtree",
    "shutil.move",
}


def watch(below: bytes, kill_at: int) -> None:
    count = 0

    def note() -> None:
        nonlocal count
        count += 1
        if count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, args: tuple) -> None:  # type: ignore[type-arg]
        if event == "open":
            changes = isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            paths = args[:1] if changes else ()
        else:
            paths = args[:2] if event in CHANGES else ()
        if any(
            isinstance(path, str | bytes | os.PathLike) and os.fsencode(path).startswith(below)
            for path in paths
        ):
            note()

    flush = os.fsync

    def fsync(file: object) -> None:
        note()
        flush(file)  # type: ignore[arg-type]

    os.fsync = fsync
    sys.addaudithook(hook)
    if counted := os.environ.get("CHAOS_COUNT"):

        @atexit.register
        def write() -> None:
            with open(counted, "w") as file:
                file.write(str(count))


if os.environ.get("CHAOS_PARENT") == str(os.getppid()):
    watch(os.fsencode(os.environ["CHAOS_BELOW"]), int(os.environ.get("CHAOS_KILL_AT", "0")))
