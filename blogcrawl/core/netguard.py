"""Which hosts and addresses a crawl may reach (server-side request forgery), as pure rules.

Private, loopback and link-local addresses are reached only on a host that the operator named (the
start URL, the feed option), or where a setting allows them; never because a page, feed, sitemap or
redirect leads there. The check is made twice: on the URL (here, before a request leaves) and on the
address a name resolved to (``resolver.GuardedResolver`` for plain requests, ``pipelines.proxy`` for
the browser's), so that a DNS answer that changes between look-ups changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet")
"""Names that never lead to the public net (RFC 6761, 6762, 8375; .internal; by custom)."""

_SPECIAL: tuple[tuple[str, bool], ...] = (
    # iana.org/assignments/iana-ipv4-special-registry
    ("0.0.0.0/8", False),
    ("10.0.0.0/8", False),
    ("100.64.0.0/10", False),
    ("127.0.0.0/8", False),
    ("169.254.0.0/16", False),
    ("172.16.0.0/12", False),
    ("192.0.0.0/24", False),
    ("192.0.0.9/32", True),
    ("192.0.0.10/32", True),
    ("192.0.2.0/24", False),
    ("192.31.196.0/24", True),
    ("192.52.193.0/24", True),
    ("192.88.99.0/24", False),  # 6to4 relays, deprecated by RFC 7526
    ("192.168.0.0/16", False),
    ("192.175.48.0/24", True),
    ("198.18.0.0/15", False),
    ("198.51.100.0/24", False),
    ("203.0.113.0/24", False),
    ("240.0.0.0/4", False),
    ("224.0.0.0/4", False),  # iana.org/assignments/multicast-addresses
    # Azure's host; learn.microsoft.com, "What is IP address 168.63.129.16?"
    ("168.63.129.16/32", False),
    # iana.org/assignments/iana-ipv6-special-registry; outside 2000::/3 nothing is allocated
    # (iana.org/assignments/ipv6-address-space: fec0::/10, fc00::/7, fe80::/10, ff00::/8, 5f00::/16,
    # 100::/64)
    ("::/0", False),
    ("2000::/3", True),
    ("2001::/23", False),
    ("2001:1::1/128", True),
    ("2001:1::2/128", True),
    ("2001:1::3/128", True),
    ("2001:3::/32", True),
    ("2001:4:112::/48", True),
    ("2001:20::/28", True),
    ("2001:30::/28", True),
    ("2001:db8::/32", False),
    ("2620:4f:8000::/48", True),
    ("3ffe::/16", False),  # 6bone, returned by RFC 3701
    ("3fff::/20", False),
)
"""Address blocks and whether they are globally reachable; of several that hold an address the
narrowest decides.

Source: IANA's IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890) as of 2026-11, and what
the lines name."""

_BLOCKS: tuple[tuple[IPv4Network | IPv6Network, bool], ...] = tuple(
    sorted(
        ((ip_network(block), reachable) for block, reachable in _SPECIAL),
        key=lambda row: -row[0].prefixlen,
    )
)
_TRANSLATED = (
    IPv6Network("64:ff9b::/96"),
    IPv6Network("::/96"),
    IPv6Network("::ffff:0:0/96"),
    IPv6Network("::ffff:0:0:0/96"),
)
"""Prefixes before an IPv4 address: RFC 6052, RFC 4291, RFC 2765."""
_TEREDO = IPv6Network("2001::/32")
_6TO4 = IPv6Network("2002::/16")
_ISATAP = 0x5EFE
"""RFC 5214, 6.1: the interface identifier is 0000:5efe or 0200:5efe and the IPv4 address."""

_METADATA = frozenset(
    map(
        ip_address,
        "168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254 fd20:ce::254 fd00:42::42".split(),
    )
)
"""Addresses of clouds' credentials that are not link-local, by the clouds' manuals."""

BAD_PORTS = frozenset(
    map(
        int,
        (
            "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 "
            "109 110 111 113 115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 "
            "515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 "
            "2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
        ).split(),
    )
)
"""Ports of other protocols that no browser asks by HTTP (Fetch Standard, "Port blocking")."""
_DEFAULT_PORTS = {"http": 80, "https": 443}


def host_of(url: str) -> str:
    """Return the host of an http(s) URL in lower case, without brackets, port and trailing dot;
    ``""`` without one.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return ""
    if parts.scheme not in _DEFAULT_PORTS or not host:
        return ""
    return unicodedata.normalize("NFKC", host).lower().rstrip(".")


def port_of(url: str) -> int | None:
    """Return the port of an http(s) URL, the scheme's default, or None if it is unusable."""
    try:
        parts = urlsplit(url)
        return parts.port if parts.port is not None else _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None


def parse_ip(host: str) -> Address | None:
    """Parse a host string as an IP address in any form of ``inet_aton`` (or IPv6); None for names.

    Browsers and the C library read ``0x7f.1``, ``2130706433`` and ``0177.0.0.1`` as 127.0.0.1
    (WHATWG URL standard, "IPv4 parser"), so the guard has to as well.
    """
    text = (
        unicodedata.normalize("NFKC", host)
        .replace("\u3002", ".")
        .strip("[]")
        .rstrip(".")
        .split("%", 1)[0]
    )
    if ":" in text:
        try:
            return ip_address(text)
        except ValueError:
            return None
    return _parse_ipv4(text.split("."))


def _parse_ipv4(parts: list[str]) -> IPv4Address | None:
    """Parse one to four numbers, of which the last fills the rest of the address."""
    if not 1 <= len(parts) <= 4 or not all(map(_NUMBER.fullmatch, parts)):
        return None
    try:
        numbers = list(map(_to_int, parts))
    except ValueError:
        return None
    if any(n > 255 for n in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        return None
    value = numbers[-1]
    for place, number in enumerate(numbers[:-1]):
        value += number << (8 * (3 - place))
    return IPv4Address(value)


def _to_int(part: str) -> int:
    if part[:2] in {"0x", "0X"}:
        return int(part[2:] or "0", 16)
    if len(part) > 1 and part[0] == "0":
        return int(part, 8)
    if len(part) > 10:
        raise ValueError(part)
    return int(part)


def embedded(ip: Address) -> Iterator[Address]:
    """Return ``ip`` and all IPv4 addresses inside it.

    These are mapped, compatible, NAT64, 6to4 and ISATAP ones, and Teredo's server and client.
    """
    yield ip
    if isinstance(ip, IPv4Address):
        return
    value = int(ip)
    low = IPv4Address(value & 0xFFFFFFFF)
    if any(ip in block for block in _TRANSLATED) and value > 1:
        yield low
    if ip in _6TO4:
        yield IPv4Address(value >> 80 & 0xFFFFFFFF)
    if ip in _TEREDO:
        yield IPv4Address(value >> 64 & 0xFFFFFFFF)
        yield IPv4Address(~value & 0xFFFFFFFF)
    if (value >> 32 & 0xFDFFFFFF) == _ISATAP:
        yield low


def is_public(ip: Address | str) -> bool:
    """Return whether an address is public by IANA's registries, including embedded IPv4 addresses.

    ``ip`` as text may have a zone (``fe80::1%eth0``). Raises ValueError for invalid addresses.
    """
    address = _address(ip)
    parts = list(embedded(address))
    if any(address in block for block in _TRANSLATED):
        parts = parts[1:]  # only another way to write the IPv4 address
    return bool(parts) and all(_reachable(part) for part in parts)


def _reachable(address: Address) -> bool:
    if address in _TEREDO:
        return True  # decided by the addresses inside it
    return next((reachable for block, reachable in _BLOCKS if address in block), True)


def _address(ip: Address | str) -> Address:
    return ip_address(ip.strip("[]").split("%", 1)[0]) if isinstance(ip, str) else ip


def _is_metadata(address: Address) -> bool:
    """Return whether this is (or leads to) the address of a cloud's metadata service."""
    return any(part.is_link_local or part in _METADATA for part in embedded(address))


def parse_ports(text: str) -> frozenset[int] | None:
    """Parse ``BLOGCRAWL_ALLOW_PORTS``: numbers separated by spaces or commas; None for ``any``.

    Raises ValueError.
    """
    if text.strip().lower() == "any":
        return None
    ports = frozenset(map(int, text.replace(",", " ").split()))
    if not all(0 < port < 2**16 for port in ports):
        raise ValueError(text)
    return ports


class Guard:
    """The decision for one crawl.

    ``operator_urls`` are the URLs that the operator typed: their hosts may be private, and are
    reached on the ports of those URLs and on ``ports`` only (80 and 443 stand for each other; None:
    on any). A *name* among them that first resolved to a public address stays public for the whole
    crawl (DNS rebinding), and no name leads to link-local addresses, where clouds keep their
    credentials. ``allow_private`` opens all addresses and ports.
    """

    def __init__(
        self,
        operator_urls: Iterable[str],
        *,
        allow_private: bool = False,
        ports: frozenset[int] | None = frozenset(),
    ) -> None:
        self._ports: dict[str, set[int]] = {}
        for url in operator_urls:
            host, port = host_of(url), port_of(url)
            if host and port is not None:
                both = {80, 443} if port in _DEFAULT_PORTS.values() else {port}
                self._ports.setdefault(host, set()).update(both)
        self.hosts = frozenset(self._ports)
        self.allow_private = allow_private
        self.extra_ports = ports
        self.refused_names: dict[str, str] = {}
        """Names that led to an unfit address, with the reason (noted by the resolver)."""
        self._seen_public: set[str] = set()
        self._hosts_at: dict[Address, str] = {}
        """Addresses that the operator's hosts were found at."""

    def refuse_url(self, url: str) -> str | None:
        """Return why ``url`` must not be requested; None if allowed, before its name resolves."""
        host, port = host_of(url), port_of(url)
        if not host or port is None:
            return "only http and https URLs with a host are fetched"
        return self._refuse_port(host, port) or self._refuse_host(host)

    def _refuse_port(self, host: str, port: int) -> str | None:
        literal = parse_ip(host)
        if literal is not None:  # the number of a host is the host
            host = self._hosts_at.get(literal, host)
        if self.allow_private or port in self._ports.get(host, ()):
            return None
        if port in BAD_PORTS:
            return f"port {port} of {host} is not one of web servers"
        if host in self.hosts and self.extra_ports is not None and port not in self.extra_ports:
            return (
                f"port {port} of {host} is not the one of the URL that you gave "
                f"(BLOGCRAWL_ALLOW_PORTS)"
            )
        return None

    def _refuse_host(self, host: str) -> str | None:
        ip = parse_ip(host)
        if ip is not None:
            return self.refuse_address(host, ip)
        if self.allow_private or host in self.hosts:
            return None
        if host == "localhost" or host.endswith(_LOCAL_NAMES) or "." not in host:
            return f"{host} is a name of a private network"
        return None

    def refuse_address(self, host: str, ip: Address | str) -> str | None:
        """Return why ``host`` must not be reached at ``ip``; None if allowed."""
        address = _address(ip)
        host = host.strip("[]").lower().rstrip(".")
        if is_public(address):
            if host in self.hosts:
                self._seen_public.add(host)
                self._hosts_at[address] = host
            return None
        if self.allow_private:
            return None
        own = host in self.hosts and host not in self._seen_public
        if own and (parse_ip(host) is not None or not _is_metadata(address)):
            return None
        return f"{host} leads to {address}, an address of a private network"
