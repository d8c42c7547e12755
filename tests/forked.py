"""Commands and servers in processes that are forked from one which has imported what they need:
starting Python and importing Scrapy costs more CPU time than most commands do.

``run`` is as ``subprocess.run``, ``Fork`` as ``Popen``. Tests of start-up itself start a Python of
their own.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
IMPORTED_LATE = (
    *("chardet.detector", "fasttext", "feedparser", "fsspec.core", "glob", "protego", "stringprep"),
    *("warcio.archiveiterator", "warcio.recordbuilder", "warcio.warcwriter", "xml.sax.saxutils"),
    *("blogcrawl.settings", "scrapy.statscollectors"),
)
"""What crawls import in functions; and Scrapy's components, which are named in settings."""


@dataclass(frozen=True)
class Request:
    """``line``: what follows ``python`` in a command line, ``-m module …`` or ``-c code …``."""

    line: list[str]
    folder: str
    environment: dict[str, str]


class Fork:
    """A running process; ``wait`` returns its exit code, negative for the number of a signal."""

    def __init__(
        self,
        line: Sequence[str | Path],
        *,
        cwd: Path = ROOT,
        env: dict[str, str] | None = None,
        streams: Sequence[int] | None = None,
    ) -> None:
        assert line[0] == sys.executable and line[1] in ("-c", "-m"), line
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(_server("tests.server" if line[2] == "tests.server" else "blogcrawl"))
        request = json.dumps([list(map(str, line[1:])), str(cwd), env or dict(os.environ)]).encode()
        self._socket.sendall(len(request).to_bytes(4, "big") + request)
        with open(os.devnull, "r+b") as nothing:
            socket.send_fds(self._socket, [b"x"], streams or [nothing.fileno()] * 3)
        self.pid = _number(self._socket)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        over = self.returncode is None and select.select([self._socket], [], [], 0)[0]
        return self.wait() if over else self.returncode

    def wait(self) -> int:
        if self.returncode is None:
            with self._socket:
                self.returncode = _number(self._socket)
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def run(
    line: Sequence[str | Path],
    *,
    cwd: Path = ROOT,
    env: dict[str, str] | None = None,
    stdin: IO[str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``[sys.executable, "-m", "blogcrawl", …]`` or ``[sys.executable, "-c", …]`` to its end
    and return its output.
    """
    with (
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
        open(os.devnull) as nothing,
    ):
        streams = [(stdin or nothing).fileno(), out.fileno(), err.fileno()]
        code = Fork(line, cwd=cwd, env=env, streams=streams).wait()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(line, code, out.read(), err.read())


@cache
def _server(module: str) -> str:
    """The address of the process that forks those which need a module, and ends with this one."""
    address = tempfile.mkdtemp(prefix="forks-") + "/s"
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.forked", address, module],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return address


def _serve(address: str, module: str) -> Request:
    """Fork for each request; only in forks it returns."""
    if module == "blogcrawl":
        import_all()
    else:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(64)
        os.write(1, b"ready\n")
        while True:
            while _reaped():
                pass
            ready, _, _ = select.select([0, listening], [], [])
            if 0 in ready:  # it says nothing: it has ended
                shutil.rmtree(Path(address).parent)
                os._exit(0)
            connection, _ = listening.accept()
            with connection:
                if not os.fork():
                    listening.close()
                    request = _started(connection)
                    if request is not None:
                        return request
                    os._exit(0)


def _reaped() -> bool:
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    return False


def _started(connection: socket.socket) -> Request | None:
    """The request in the process that is to run it; None in its parent, after its end."""
    request = Request(*json.loads(_exactly(connection, _number(connection))))
    _, given, _, _ = socket.recv_fds(connection, 1, 3)
    pid = os.fork()
    if not pid:
        connection.close()
        for number, descriptor in enumerate(given):
            os.dup2(descriptor, number)
            os.close(descriptor)
        return request
    for descriptor in given:
        os.close(descriptor)
    connection.sendall(pid.to_bytes(4, "big"))
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(BrokenPipeError):  # nobody waits for it any more
        connection.sendall(code.to_bytes(4, "big", signed=True))
    return None


def _number(connection: socket.socket) -> int:
    return int.from_bytes(_exactly(connection, 4), "big", signed=True)


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        read = connection.recv(count - len(data))
        assert read, "the other side has ended"
        data += read
    return data


def import_all() -> None:
    import blogcrawl

    for module in pkgutil.walk_packages(blogcrawl.__path__, "blogcrawl."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of an extra
                importlib.import_module(module.name)
    for name in IMPORTED_LATE:
        importlib.import_module(name)
    components: list[dict[Any, Any]] = [
        value
        for name, value in vars(sys.modules["blogcrawl.settings"]).items()
        if name.endswith("_BASE") and isinstance(value, dict)
    ]
    for path in (path for one in components for path in one if isinstance(path, str)):
        importlib.import_module(path.rpartition(".")[0])
    assert "twisted.internet.reactor" not in sys.modules, "two processes can't share one"


def _run(request: Request) -> None:
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    kind, what, *arguments = request.line
    sys.argv = [what if kind == "-m" else "-c", *arguments]
    if kind == "-c":
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
        return
    module = importlib.import_module("blogcrawl.cli.main" if what == "blogcrawl" else what)
    (module.run if what == "blogcrawl" else module.main)()


if __name__ == "__main__":
    _run(_serve(*sys.argv[1:]))
