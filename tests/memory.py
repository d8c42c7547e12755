"""Peak memory of this process."""

from pathlib import Path


def peak_kilobytes() -> int:
    """The most memory that this program has held, from /proc (proc(5), VmHWM).

    `ru_maxrss` does not serve: a child inherits the peak of the process that forked it
    (getrusage(2)), so a test in a child would measure the test runner.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise OSError("/proc/self/status names no VmHWM")
