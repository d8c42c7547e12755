"""Logins and other secrets: their sources, their origins, and keeping them out of output.

A login belongs to one origin (scheme, host and port: RFC 6454). It is held in memory only;
addresses are passed on without it. Later visits get it from a netrc file
(``BLOGCRAWL_CREDENTIALS_FILE``), never from the archive.
"""

from __future__ import annotations

import netrc
import os
import re
import stat
from base64 import b64encode
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from blogcrawl.core.errors import UsageError

HIDDEN = "***"
_PORTS = {"http": 80, "https": 443}
_LOGIN = re.compile(r"(?<=[A-Za-z0-9+.-])(://)[^\s/?#@\"'<>]*@")
"""Scheme, ``://`` and userinfo (RFC 3986, 3.2.1), wherever they occur in a text."""
_FIELD = re.compile(
    r"([?&](?:password|passwd|sslpassword|secret|token|access_token)=)[^&\s\"'<>]+", re.IGNORECASE
)
"""Query parameters that hold secrets, in addresses of databases and repositories."""
_PASSWORD = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@:]*):[^\s/?#@]*@")
_PASSWORD_FIELD = re.compile(r"([?&])(?:ssl)?password=[^&]*&?", re.IGNORECASE)
_HEADER = re.compile(rb"(?im)^(?:proxy-)?authorization[ \t]*:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*\r?\n")
_MAX_FILE = 2**16
_FORM = "write: machine ORIGIN login USER password PASSWORD"


class Origin(NamedTuple):
    """RFC 6454: what a login is bound to."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Login:
    """User name and password; neither occurs in ``repr``."""

    user: str = field(repr=False)
    password: str = field(repr=False)

    @property
    def header(self) -> bytes:
        """Return the value of ``Authorization`` (RFC 7617, UTF-8)."""
        return b"Basic " + b64encode(f"{self.user}:{self.password}".encode())


def origin_of(url: str) -> Origin | None:
    """Return the origin of an http(s) URL; None for others."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not host:
        return None
    return Origin(parts.scheme, host.rstrip("."), _PORTS[parts.scheme] if port is None else port)


def split_login(url: str) -> tuple[str, Login | None]:
    """Split ``url`` into the URL without login and the percent-decoded login, if any."""
    try:
        parts = urlsplit(url)
        user, password = parts.username, parts.password
    except ValueError:
        return redact(url), None
    if "@" not in parts.netloc:
        return url, None
    bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return bare, Login(unquote(user or ""), unquote(password or "")) if user or password else None


def with_login_of(url: str, given: str) -> str:
    """Return ``url`` with the login of ``given`` if both have the same origin."""
    bare, login = split_login(given)
    if login is None or origin_of(bare) != origin_of(url):
        return url
    parts = urlsplit(url)
    return urlunsplit(
        parts._replace(netloc=f"{urlsplit(given).netloc.rpartition('@')[0]}@{parts.netloc}")
    )


def has_login(url: str) -> bool:
    """Return whether a URL of any scheme holds a user name, a password or a token."""
    return _LOGIN.search(url) is not None or _FIELD.search(url) is not None


def redact(text: str) -> str:
    """Replace the logins of all URLs in ``text`` by ``***``, for logs, errors and terminals."""
    if "://" not in text:
        return text
    return _FIELD.sub(rf"\1{HIDDEN}", _LOGIN.sub(rf"\1{HIDDEN}@", text))


def hidden(text: str) -> str:
    """Return mistyped operator input for messages, without anything before the last ``@``."""
    return f"{HIDDEN}@{text.rpartition('@')[2]}" if "@" in text else text


def encode_advice(text: str) -> str | None:
    """Return advice for a URL that may be invalid because of its login."""
    return "percent-encode / ? # @ : in user name and password" if "@" in text else None


def without_login(url: str) -> str:
    """Return a URL of any scheme without its login, for storage."""
    return _FIELD.sub(rf"\1{HIDDEN}", _LOGIN.sub(r"\1", url))


def without_password(url: str) -> str:
    """Return a database URL without its password.

    The user name stays, so that the URL is usable with a password from elsewhere (``PGPASSFILE``).
    """
    return _PASSWORD_FIELD.sub(r"\1", _PASSWORD.sub(r"\1@", url)).rstrip("?&")


def without_authorization(request: bytes) -> bytes:
    """Remove ``Authorization`` and ``Proxy-Authorization`` from an HTTP/1.1 request for the
    evidence.
    """
    end = request.find(b"\r\n\r\n")
    head = request[: end + 2] if end >= 0 else request
    return _HEADER.sub(b"", head) + request[len(head) :]


class Logins:
    """The logins of one crawl or deposit, by origin."""

    def __init__(self, known: Mapping[Origin, Login] | None = None) -> None:
        self._known = dict(known or {})

    def take(self, url: str) -> str:
        """Store the login in ``url``, if any, and return the URL without it."""
        bare, login = split_login(url)
        origin = origin_of(bare)
        if login is not None and origin is not None:
            self._known[origin] = login
        return bare

    def of(self, url: str) -> Login | None:
        """Return the login for the origin of ``url``."""
        origin = origin_of(url) if self._known else None
        return self._known.get(origin) if origin is not None else None

    def for_hosts(self, hosts: Container[str]) -> Logins:
        """Return the logins for origins on ``hosts``."""
        return Logins(
            {origin: login for origin, login in self._known.items() if origin.host in hosts}
        )

    def __or__(self, others: Logins) -> Logins:
        """Merge; logins of ``others`` take precedence."""
        return Logins(self._known | others._known)

    def __bool__(self) -> bool:
        return bool(self._known)

    @property
    def origins(self) -> frozenset[Origin]:
        return frozenset(self._known)


def read_logins(path: str) -> Logins:
    """Read logins from a netrc file; return none for an empty ``path``.

    ``machine`` is an origin (``https://blog.example.org``, ``http://127.0.0.1:8000``) or a bare
    host, which means ``https`` on port 443. Raises UsageError if the file is unreadable, readable
    by others, or malformed; messages never quote from it.
    """
    if not path:
        return Logins()
    text = read_secret_file(path)
    known: dict[Origin, Login] = {}
    for name, (user, _, password) in _netrc_hosts(path).items():
        origin = origin_of(name if "://" in name else f"https://{name}")
        if origin is not None and name != "default":
            known[origin] = Login(user or "", password or "")
    if text.strip() and not known:
        raise UsageError(f"{path} names no origin", advice=_FORM)
    return Logins(known)


def _netrc_hosts(path: str) -> Mapping[str, tuple[str, str | None, str | None]]:
    try:
        return netrc.netrc(Path(path)).hosts
    except netrc.NetrcParseError as error:
        raise UsageError(f"{path}, line {error.lineno}: not a netrc file", advice=_FORM) from None
    except (OSError, UnicodeError):
        raise UsageError(f"{path} can't be read as text") from None


def read_secret_file(path: str) -> str:
    """Read a file with a secret. Raises UsageError if it is unreadable or readable by others."""
    try:
        with open(path, encoding="utf-8") as file:
            if _open_to_all(Path(path), os.fstat(file.fileno()).st_mode):
                raise UsageError(
                    f"every user of this machine may use {path}, which holds secrets",
                    advice=f"chmod 600 {path}",
                )
            return file.read(_MAX_FILE)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(f"{path}, which should hold a secret, can't be read: {why}") from None


def _open_to_all(path: Path, mode: int) -> bool:
    """Return whether every user may read the file.

    Files below ``/run/secrets`` are exempt: container engines make them readable in the container.
    """
    if not stat.S_ISREG(mode) or not mode & stat.S_IROTH or path.is_relative_to("/run/secrets"):
        return False
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in path.resolve().parents)


def secret(name: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the secret in variable ``name``, or in the file named by ``<name>_FILE``; else "".

    Raises UsageError like ``read_secret_file``.
    """
    known = os.environ if environment is None else environment
    if known.get(name):
        return known[name]
    path = known.get(f"{name}_FILE", "")
    return read_secret_file(path).strip() if path else ""


def hide_arguments(words: Iterable[str]) -> None:
    """Overwrite the logins of ``words`` in the arguments of this process (Linux only).

    Other users can list them until Python has started; files and the environment are never listed.
    """
    secrets = {
        match.group(0)[len(match.group(1)) : -1]
        for word in words
        for match in _LOGIN.finditer(word)
    }
    if not secrets:
        return
    try:
        import ctypes

        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        # arg_start and arg_end, fields 48 and 49 (proc_pid_stat(5))
        start, end = (int(fields[45]), int(fields[46]))
        if (
            not 0 < end - start < 2**22
            or ctypes.string_at(start, end - start) != Path("/proc/self/cmdline").read_bytes()
        ):
            return
        for one in secrets:
            data, place = ctypes.string_at(start, end - start), 0
            while (place := data.find(os.fsencode(one), place)) >= 0:
                ctypes.memset(start + place, ord("*"), len(os.fsencode(one)))
                place += 1
    except (OSError, ValueError, IndexError, ImportError):
        return  # not Linux, or /proc is not there
