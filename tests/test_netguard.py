"""The guard against server-side request forgery: forms of addresses, operator's hosts, rebinding."""

from __future__ import annotations

import pytest

from blogcrawl.netguard import Guard, is_public, parse_ip

LOOPBACK_FORMS = ["127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "017700000001", "127.0.0.1.", "１２７.0.0.1"]


@pytest.mark.parametrize("host", LOOPBACK_FORMS)
def test_every_form_of_loopback_is_one_address(host: str) -> None:
    assert str(parse_ip(host)) == "127.0.0.1"


@pytest.mark.parametrize(
    "host", ["example.org", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "0x", "08", "99999999999", "a.1", "", "1..2", "::g"]
)
def test_names_and_broken_numbers(host: str) -> None:
    ip = parse_ip(host)
    assert ip is None or host == "0x"


PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1", "224.0.0.1", "255.255.255.255",
    "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
    "198.18.0.1", "240.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("ip", PRIVATE)
def test_private(ip: str) -> None:
    assert not is_public(ip)


@pytest.mark.parametrize("ip", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_public(ip: str) -> None:
    assert is_public(ip)


URLS = [
    *(f"http://{host}/x" for host in LOOPBACK_FORMS),
    *(f"http://[{ip}]/" if ":" in ip else f"http://{ip}/" for ip in PRIVATE),
    "http://localhost/", "http://x.localhost/", "http://router/", "http://metadata.google.internal/", "file:///etc/passwd", "ftp://example.org/",
    "data:text/html,x", "http://user@127.0.0.1@127.0.0.1/", "http:///x", "gopher://example.org",
]  # fmt: skip


@pytest.mark.parametrize("url", URLS)
def test_a_page_leads_nowhere_private(url: str) -> None:
    assert Guard(["https://blog.example.org/"]).refuse_url(url)


def test_operators_own_host_only() -> None:
    guard = Guard(["http://127.0.0.1:8000/blog/"])
    assert guard.refuse_url("http://127.0.0.1:9000/feed") is None
    assert guard.refuse_url("http://127.0.0.2:8000/")
    assert guard.refuse_url("http://localhost:8000/")
    assert Guard(["http://x.org/"], allow_private=True).refuse_url("http://10.0.0.1/") is None


def test_the_resolved_address_counts() -> None:
    guard = Guard(["https://blog.example.org/"])
    assert guard.refuse_address("cdn.example.net", "10.0.0.7")
    assert guard.refuse_address("cdn.example.net", "::ffff:10.0.0.7")
    assert guard.refuse_address("cdn.example.net", "93.184.216.34") is None


def test_rebinding_of_the_operators_own_name() -> None:
    intranet = Guard(["http://wiki.corp.example/"])
    assert intranet.refuse_address("wiki.corp.example", "10.0.0.7") is None
    assert intranet.refuse_address("wiki.corp.example", "169.254.169.254")
    public = Guard(["http://blog.example.org/"])
    assert public.refuse_address("blog.example.org", "93.184.216.34") is None
    assert public.refuse_address("blog.example.org", "127.0.0.1")
