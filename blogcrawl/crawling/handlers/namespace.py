"""The second fence: on Linux the browser runs in a network namespace of its own, which has no
routes at all.

This module is also the program that starts it there (``python -c SOURCE SOCKET PROGRAM ARGUMENT
...``, standard library only; by its source, because Scrapyd's nodes may run the project from a
zipped egg). It opens a listening socket inside the new namespace, hands it over to the crawl's
process, which accepts the browser's connections on it (a socket stays in the namespace it was made
in), and becomes the browser. So the proxy is all that can be reached from inside, no one outside
can reach the proxy, and nothing is copied in between.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import fcntl
import os
import secrets
import shlex
import socket
import struct
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import cache
from importlib import resources
from pathlib import Path

PORT = 3128
"""Of the proxy inside the namespace, where all are free."""
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1
_PROBE_SECONDS = 10
LAUNCHER = "browser.sh"


def leave_network() -> None:
    """Move this process into a new network namespace whose loopback interface is up. Raises OSError
    where that is forbidden.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.geteuid(), os.getegid()
    if libc.unshare(_NEW_NET) != 0:  # without privileges only together with a user namespace
        if libc.unshare(_NEW_NET | _NEW_USER) != 0:
            raise OSError(ctypes.get_errno(), "no network namespace can be made")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        name = b"lo".ljust(16, b"\0")
        row = fcntl.ioctl(control, _GET_FLAGS, name + bytes(24))
        flags = struct.unpack_from("h", row, 16)[0]
        fcntl.ioctl(control, _SET_FLAGS, name + struct.pack("h", flags | _UP) + bytes(22))


def main(arguments: list[str]) -> None:
    """Become the program in a new namespace; without arguments only try whether that is
    possible."""
    if not arguments:
        leave_network()
        return
    name, program, *rest = arguments
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect("\0" + name)  # before the namespace is left: abstract names are part of it
        leave_network()
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
            listener.bind(("127.0.0.1", PORT))
            listener.listen(256)
            socket.send_fds(channel, [b"."], [listener.fileno()])
    os.execv(program, [program, *rest])


@cache
def is_possible() -> bool:
    """Return whether a namespace can be created here. Tried once in a process of its own
    (containers and some systems forbid it).
    """
    if sys.platform != "linux":
        return False
    try:
        done = subprocess.run(
            [*_command()], capture_output=True, timeout=_PROBE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _command() -> tuple[str, ...]:
    return (
        sys.executable,
        "-I",
        "-S",
        "-c",
        resources.files(__package__).joinpath("namespace.py").read_text("utf-8"),
    )


class Doorway:
    """Where browsers that are started in their namespace hand their listening socket over, one
    after the other.
    """

    def __init__(self, arrived: Callable[[socket.socket], Awaitable[object]]) -> None:
        self._arrived = arrived
        self._files: list[int] = []
        self._name = f"blogcrawl-{os.getpid()}-{secrets.token_hex(16)}"
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind("\0" + self._name)
        self._socket.listen(8)
        self._socket.setblocking(False)
        self._task = asyncio.ensure_future(self._accept())

    def launcher(self, program: str, folder: Path) -> Path:
        """Return an executable file in ``folder`` that starts ``program`` in a namespace and passes
        its arguments on; a file in memory (memfd_create(2)) where nothing may be executed in
        ``folder`` (mount option noexec), which lives as long as the doorway.
        """
        command = shlex.join([*_command(), self._name, program])
        script = f'#!/bin/sh\nexec {command} "$@"\n'
        if os.statvfs(folder).f_flag & os.ST_NOEXEC:
            return self._in_memory(script)
        path = folder / LAUNCHER
        path.write_text(script)
        path.chmod(0o700)
        return path

    def _in_memory(self, script: str) -> Path:
        with os.fdopen(os.memfd_create(LAUNCHER), "w", encoding="utf-8") as file:
            file.write(script)
            file.flush()
            # to be executed it must not be open for writing (ETXTBSY)
            self._files.append(os.open(f"/proc/self/fd/{file.fileno()}", os.O_RDONLY))
        return Path(f"/proc/{os.getpid()}/fd/{self._files[-1]}")

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            channel, _ = await loop.sock_accept(self._socket)
            with channel, contextlib.suppress(OSError, TimeoutError):
                await self._take(channel)

    async def _take(self, channel: socket.socket) -> None:
        """Only from processes of the same user: abstract names are open to all."""
        credentials = channel.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
        )
        if struct.unpack("3i", credentials)[1] != os.geteuid():
            return
        channel.settimeout(_PROBE_SECONDS)
        _, descriptors, _, _ = await asyncio.to_thread(socket.recv_fds, channel, 1, 1)
        for descriptor in descriptors:
            listener = socket.socket(fileno=descriptor)
            listener.setblocking(False)
            await self._arrived(listener)

    def close(self) -> None:
        self._task.cancel()
        self._socket.close()
        for descriptor in self._files:
            os.close(descriptor)


if __name__ == "__main__":
    main(sys.argv[1:])
