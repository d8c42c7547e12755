"""Logins and secrets: bound to an origin, taken from files, kept out of texts."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawl.core.credentials import (
    Login,
    Logins,
    has_login,
    origin_of,
    read_logins,
    redact,
    secret,
    split_login,
    without_authorization,
    without_login,
    without_password,
)
from blogcrawl.core.errors import UsageError

ADDRESS = "http://ada:s3cret@127.0.0.1:8000/blog/"


def test_login_is_split_from_the_address() -> None:
    bare, login = split_login("https://ada:p%40ss%2Fw%C3%B6rd@blog.example:8443/a?b#c")
    assert bare == "https://blog.example:8443/a?b#c" and login == Login("ada", "p@ss/wörd")
    assert split_login("https://blog.example/@ada") == ("https://blog.example/@ada", None)
    assert (
        login is not None
        and login.header == b"Basic YWRhOnBAc3Mvd8O2cmQ="
        and "p@ss" not in repr(login)
    )


@pytest.mark.parametrize(
    ("url", "knows"),
    [
        ("http://127.0.0.1:8000/other/page?x", True),
        ("https://127.0.0.1:8000/blog/", False),
        ("http://127.0.0.1:8001/blog/", False),
        ("http://127.0.0.1/blog/", False),
        ("http://localhost:8000/blog/", False),
        ("http://127.0.0.1.example:8000/", False),
        ("http://sub.127.0.0.1:8000/", False),
        ("http://[/", False),
    ],
)
def test_login_is_for_its_origin_only(url: str, knows: bool) -> None:
    logins = Logins()
    assert logins.take(ADDRESS) == "http://127.0.0.1:8000/blog/"
    assert (logins.of(url) is not None) == knows


def test_default_ports_are_the_same_origin() -> None:
    assert (
        origin_of("https://Blog.Example/a")
        == origin_of("https://blog.example:443/")
        != origin_of("http://blog.example/")
    )


@pytest.mark.parametrize(
    "text",
    [
        "GET http://ada:s3cret@host/ failed",
        "fedora+https://ada:s3cret@host/rest: refused",
        "postgresql://ada:s3cret@db/blogcrawl",
        "postgresql://db/blogcrawl?user=ada&password=s3cret&x=1",
        "'inveniordm+https://s3cret@host/api'",
        "two: http://a:s3cret@x/ and http://b:s3cret@y/",
    ],
)
def test_logins_in_texts_are_redacted(text: str) -> None:
    assert "s3cret" not in redact(text) and "***" in redact(text) and has_login(text)
    assert "s3cret" not in without_login(text)


@pytest.mark.parametrize(
    "text",
    ["https://medium.example/@ada/post", "ada@example.org", "http://host/?q=a@b://c", "no address"],
)
def test_texts_without_login_are_unchanged(text: str) -> None:
    assert redact(text) == text and not has_login(text)


@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("postgresql://ada:s3cret@db:5432/blogcrawl", "postgresql://ada@db:5432/blogcrawl"),
        (
            "postgresql+psycopg://:s3cret@db/x?sslmode=require",
            "postgresql+psycopg://@db/x?sslmode=require",
        ),
        ("postgresql://db/x?user=ada&password=s3cret", "postgresql://db/x?user=ada"),
        ("postgresql://db/x?password=s3cret&user=ada", "postgresql://db/x?user=ada"),
        ("postgresql:///blogcrawl", "postgresql:///blogcrawl"),
        ("sqlite:////srv/a:b/c@d/state.db", "sqlite:////srv/a:b/c@d/state.db"),
        ("", ""),
    ],
)
def test_database_urls_are_shown_without_password(url: str, bare: str) -> None:
    assert without_password(url) == bare


def test_evidence_omits_the_authorization_header() -> None:
    request = (
        b"GET / HTTP/1.1\r\nHost: h\r\nauthorization: Basic c2VjcmV0\r\n more\r\nAccept: "
        b"*/*\r\nProxy-Authorization: x\r\n\r\n"
    )
    request += b"Authorization: body\r\n"
    assert (
        without_authorization(request)
        == b"GET / HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\nAuthorization: body\r\n"
    )
    assert (
        without_authorization(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        == b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    )


def private(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


def test_logins_of_a_netrc_file(tmp_path: Path) -> None:
    text = (
        "machine http://127.0.0.1:8000 login ada password s3cret\nmachine blog.example login "
        "eve password other\n"
    )
    logins = read_logins(private(tmp_path / "netrc", text))
    assert logins.of("http://127.0.0.1:8000/x") == Login("ada", "s3cret")
    assert logins.of("https://blog.example/x") == Login("eve", "other")
    assert logins.of("http://blog.example/x") is None, (
        "never unencrypted where only a host is named"
    )
    assert not read_logins("")


@pytest.mark.parametrize(
    "text",
    [
        "machine",
        "maschine h login s3cret",
        "machine h login a password s3cret bogus",
        "default login a password s3cret",
    ],
)
def test_broken_netrc_files_are_refused_without_quoting_them(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_logins(private(tmp_path / "netrc", text))
    assert "s3cret" not in str(caught.value) and caught.value.__cause__ is None


def test_world_readable_secret_files_are_refused() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(private(Path(folder) / "password", "s3cret\n"))
        assert secret("X", {"X_FILE": str(path)}) == "s3cret"
        path.chmod(0o644)
        assert secret("X", {"X_FILE": str(path)}) == "s3cret", "other users cannot enter the folder"
        Path(folder).chmod(0o755)
        with pytest.raises(UsageError, match="chmod 600"):
            secret("X", {"X_FILE": str(path)})


def test_secrets_come_from_the_environment_or_a_file(tmp_path: Path) -> None:
    path = private(tmp_path / "secret", "from the file\n")
    assert secret("X", {"X": "from the environment", "X_FILE": path}) == "from the environment"
    assert secret("X", {"X_FILE": path}) == "from the file" and secret("X", {}) == ""
    with pytest.raises(UsageError, match="can't be read"):
        secret("X", {"X_FILE": str(tmp_path / "none")})


@given(st.text(), st.text(min_size=1))
def test_random_logins_are_split_and_redacted(user: str, password: str) -> None:
    from urllib.parse import quote

    url = (
        f"https://{quote(user, safe='', errors='replace')}:"
        f"{quote(password, safe='', errors='replace')}@host.example/p"
    )
    bare, login = split_login(url)
    assert bare == "https://host.example/p" and login is not None
    assert redact(url) == "https://***@host.example/p" and without_login(url) == bare
