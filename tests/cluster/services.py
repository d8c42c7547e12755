"""A real PostgreSQL and a real S3 server for tests and benchmarks, each in a folder of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret-of-tests"}


@dataclass(frozen=True)
class Postgres:
    url: str
    folder: Path
    pg_ctl: tuple[str, ...]
    options: str

    @property
    def pid(self) -> int:
        return int((self.folder / "data/postmaster.pid").read_text().split()[0])

    def start(self) -> None:
        command = [
            *self.pg_ctl,
            "-D",
            f"{self.folder}/data",
            "-o",
            self.options,
            "-w",
            "-l",
            f"{self.folder}/log",
            "start",
        ]
        subprocess.run(command, check=True, capture_output=True)

    def stop(self, mode: str = "fast") -> None:
        """``immediate``: as after a power cut; the next start recovers."""
        subprocess.run(
            [*self.pg_ctl, "-D", f"{self.folder}/data", "-m", mode, "stop"], capture_output=True
        )

    def create(self, name: str) -> str:
        """Make a database of this name; its URL."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[call-overload]
        return self.url.replace("/postgres", f"/{name}", 1)


@contextlib.contextmanager
def postgres(address: str = "") -> Iterator[Postgres | None]:
    """A server of the distribution's binaries (as user postgres when root), on a socket or an
    address; None where there are none.
    """
    found = (
        sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if Path("/usr/lib/postgresql").is_dir()
        else []
    )
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="bc-pg-"))  # short: the address of a socket
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if user:
        shutil.chown(folder, "postgres")
    subprocess.run(
        [*user, initdb, "-D", f"{folder}/data", "-A", "trust", "-U", "blogcrawl"],
        check=True,
        capture_output=True,
    )
    with (folder / "data/pg_hba.conf").open("a") as rules:
        rules.write("host all all 0.0.0.0/0 trust\n" if address else "")
    place = f"{address}/postgres" if address else f"/postgres?host={folder}"
    server = Postgres(
        f"postgresql://blogcrawl@{place}",
        folder,
        (*user, str(Path(initdb).with_name("pg_ctl"))),
        f"-k {folder} -c listen_addresses={address}",
    )
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class S3:
    """A server that a test may stop (killed) and start again; localbucket keeps its data, moto does
    not.
    """

    command: list[str]
    port: int
    address: str
    log: Path
    keeps: bool
    environment: dict[str, str]
    child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.child = subprocess.Popen(self.command, stdout=log, stderr=log)
        while True:
            with socket.socket() as probe:
                if not probe.connect_ex((self.address, self.port)):
                    return
            if self.child.poll() is not None:
                raise RuntimeError(self.log.read_text()[-2000:])
            time.sleep(0.1)

    def stop(self) -> None:
        if self.child is not None:
            self.child.send_signal(signal.SIGKILL)
            self.child.wait()
            self.child = None


@contextlib.contextmanager
def _running_s3(folder: Path, address: str) -> Iterator[S3 | None]:
    with socket.socket() as probe:
        probe.bind((address, 0))
        port = probe.getsockname()[1]
    programs = Path(sys.executable).parent
    localbucket, moto = programs / "localbucket", programs / "moto_server"
    if localbucket.exists():
        (folder / "s3").mkdir()
        command = [str(localbucket), "--host", address, "--port", str(port), str(folder / "s3")]
    elif moto.exists():
        command = [str(moto), "-H", address, "-p", str(port)]
    else:
        yield None
        return
    environment = KEYS | {"AWS_ENDPOINT_URL": f"http://{address}:{port}"}
    server = S3(command, port, address, folder / "s3.log", localbucket.exists(), environment)
    try:
        server.start()
        make = "import s3fs; s3fs.S3FileSystem(skip_instance_cache=True).mkdir('packages')"
        subprocess.run([sys.executable, "-c", make], check=True, env=os.environ | environment)
        yield server
    finally:
        server.stop()
        # s3fs keeps its connections by their arguments, and the server's address is not among them.
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()


@contextlib.contextmanager
def s3_service(folder: Path, address: str = "127.0.0.1") -> Iterator[S3 | None]:
    """A server that may be stopped and started again without losing its data; None where
    localbucket is not installed.
    """
    with _running_s3(folder, address) as server:
        yield server if server is not None and server.keeps else None


@contextlib.contextmanager
def s3_server(folder: Path, address: str = "127.0.0.1") -> Iterator[dict[str, str] | None]:
    """localbucket (data on disk, conditional writes) where it is installed, else moto; with an
    empty bucket ``packages``.

    The environment that leads to it; None where there is neither. (nanio refuses every key with a
    ``%``, of which OCFL's are full: it checks the signature against the decoded path.)
    """
    with _running_s3(folder, address) as server:
        yield server.environment if server is not None else None
