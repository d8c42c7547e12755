"""The guard against server-side request forgery: forms of addresses, operator's
hosts, rebinding.
"""

from __future__ import annotations

import pytest

from blogcrawl.core.netguard import Guard, is_public, parse_ip, parse_ports

LOOPBACK_FORMS = [
    "127.0.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "017700000001",
    "127.0.0.1.",
    "１２７.0.0.1",
]


@pytest.mark.parametrize("host", LOOPBACK_FORMS)
def test_every_form_of_loopback_is_one_address(host: str) -> None:
    assert str(parse_ip(host)) == "127.0.0.1"


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "1.2.3.4.5",
        "256.1.1.1",
        "1.2.3.256",
        "0x",
        "08",
        "99999999999",
        "a.1",
        "",
        "1..2",
        "::g",
    ],
)
def test_host_names_and_invalid_addresses(host: str) -> None:
    ip = parse_ip(host)
    assert ip is None or host == "0x"


PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "0.0.0.0",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "198.18.0.1",
    "240.0.0.1",
    # IANA's special registries, and addresses with a private one inside
    "0.1.2.3",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "198.51.100.1",
    "203.0.113.1",
    "fec0::1",
    "3fff::1",
    "3ffe::1",
    "100::1",
    "100:0:0:1::1",
    "5f00::1",
    "4000::1",
    "2001:2::1",
    "2001:10::1",
    "2001:db8::1",
    "64:ff9b:1::1",
    "::ffff:0:127.0.0.1",
    "fe80::1%lo",
    "fd00:ec2::254",
    "2002:a00:1::1",
    "2001:0:a00:1::f7f7:f7f7",
    "2001:0:808:808::f5ff:fffe",
    "2606:4700::5efe:10.0.0.1",
    "2606:4700::200:5efe:127.0.0.1",
    "168.63.129.16",  # Azure's host
]


@pytest.mark.parametrize("ip", PRIVATE)
def test_private_addresses_are_recognised(ip: str) -> None:
    assert not is_public(ip)


PUBLIC_PARTS = [
    "2002:808:808::1",
    "64:ff9b::808:808",
    "2606:4700::5efe:8.8.8.8",
    "192.0.0.9",
    "192.31.196.1",
    "2001:4:112::1",
    "2620:4f:8000::1",
    "2001:20::1",
]


@pytest.mark.parametrize(
    "ip", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", *PUBLIC_PARTS]
)
def test_public_addresses_are_recognised(ip: str) -> None:
    assert is_public(ip)


URLS = [
    *(f"http://{host}/x" for host in LOOPBACK_FORMS),
    *(f"http://[{ip}]/" if ":" in ip else f"http://{ip}/" for ip in PRIVATE),
    "http://localhost/",
    "http://x.localhost/",
    "http://router/",
    "http://metadata.google.internal/",
    "file:///etc/passwd",
    "ftp://example.org/",
    "data:text/html,x",
    "http://user@127.0.0.1@127.0.0.1/",
    "http:///x",
    "gopher://example.org",
]


@pytest.mark.parametrize("url", URLS)
def test_links_to_private_addresses_are_refused(url: str) -> None:
    assert Guard(["https://blog.example.org/"]).refuse_url(url)


def test_only_the_operators_own_host_is_allowed() -> None:
    guard = Guard(["http://127.0.0.1:8000/blog/"])
    assert guard.refuse_url("http://127.0.0.1:8000/feed") is None
    assert guard.refuse_url("http://127.0.0.2:8000/")
    assert guard.refuse_url("http://localhost:8000/")
    assert Guard(["http://x.org/"], allow_private=True).refuse_url("http://10.0.0.1/") is None


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9000/feed",
        "http://127.0.0.1/",
        "https://127.0.0.1/",
        "http://127.0.0.1:0/",
    ],
)
def test_only_the_operators_own_port_is_allowed(url: str) -> None:
    assert Guard(["http://127.0.0.1:8000/blog/"]).refuse_url(url)


def test_usual_ports_are_allowed() -> None:
    two = Guard(["http://127.0.0.1:8000/", "http://127.0.0.1:8001/feed"])
    assert (
        two.refuse_url("http://127.0.0.1:8000/") is two.refuse_url("http://127.0.0.1:8001/") is None
    )
    public = Guard(["http://blog.example.org/"])
    assert public.refuse_url("https://blog.example.org/") is None, "80 and 443 stand for each other"
    assert public.refuse_url("http://blog.example.org:8080/")
    assert public.refuse_url("http://cdn.example.net:8080/a.png") is None, (
        "another public host has its own"
    )
    assert public.refuse_url("http://cdn.example.net:25/")
    assert public.refuse_url("http://cdn.example.net:99999/")
    some = Guard(["http://blog.example.org/"], ports=parse_ports("8080, 8081"))
    assert some.refuse_url("http://blog.example.org:8081/") is None and some.refuse_url(
        "http://blog.example.org:9/"
    )
    every = Guard(["http://blog.example.org/"], ports=parse_ports("any"))
    assert every.refuse_url("http://blog.example.org:1234/") is None and every.refuse_url(
        "http://blog.example.org:22/"
    )
    assert Guard(["http://127.0.0.1:22/"]).refuse_url("http://127.0.0.1:22/") is None, (
        "what the operator typed"
    )


def test_ip_address_of_the_start_host_is_allowed() -> None:
    guard = Guard(["http://blog.example.org/"])
    assert guard.refuse_address("blog.example.org", "93.184.216.34") is None
    assert guard.refuse_url("http://93.184.216.34/") is None
    assert guard.refuse_url("http://93.184.216.34:8081/") and guard.refuse_url(
        "http://0x5db8d822:8081/"
    )


@pytest.mark.parametrize("text", ["http", "0", "65536", "-1", "8080-8090"])
def test_invalid_ports_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_ports(text)


def test_resolved_address_is_checked() -> None:
    guard = Guard(["https://blog.example.org/"])
    assert guard.refuse_address("cdn.example.net", "10.0.0.7")
    assert guard.refuse_address("cdn.example.net", "::ffff:10.0.0.7")
    assert guard.refuse_address("cdn.example.net", "93.184.216.34") is None


def test_rebinding_of_the_operators_host_is_refused() -> None:
    intranet = Guard(["http://wiki.corp.example/"])
    assert intranet.refuse_address("wiki.corp.example", "10.0.0.7") is None
    assert intranet.refuse_address("wiki.corp.example", "169.254.169.254")
    for metadata in (
        "168.63.129.16",
        "fd00:ec2::254",
        "100.100.100.200",
        "192.0.0.192",
        "2002:a9fe:a9fe::1",
    ):
        assert intranet.refuse_address("wiki.corp.example", metadata)
    public = Guard(["http://blog.example.org/"])
    assert public.refuse_address("blog.example.org", "93.184.216.34") is None
    assert public.refuse_address("blog.example.org", "127.0.0.1")
