"""Which hosts and addresses a crawl may reach: the rules against server-side request forgery, as pure decisions.

Private, loopback and link-local addresses are reached only on a host that the operator named (the start URL, the feed
option), or where a setting allows them; never because a page, feed, sitemap or redirect says so.  The check is made
twice: on the URL (here, before a request leaves) and on the address a name resolved to (``middlewares.GuardedResolver``),
so that a DNS answer that changes between look-ups changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
_NAT64 = IPv6Network("64:ff9b::/96")
"""RFC 6052: the IPv4 address lies in the last 32 bits."""
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet")
"""Names that never lead to the public net (RFC 6761, 6762, 8375; ICANN's .internal; .lan and .intranet by custom)."""


def host_of(url: str) -> str | None:
    """Host of an http(s) URL in lower case, without brackets, port and trailing dot; None where there is none."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or not host:
        return None
    return unicodedata.normalize("NFKC", host).lower().rstrip(".") or None


def parse_ip(host: str) -> Address | None:
    """The address a host string *is*, in all forms that ``inet_aton`` takes (decimal, hex, octal, 1 to 4 parts) and IPv6.

    None: it is a name. Browsers and the C library read ``0x7f.1``, ``2130706433`` and ``0177.0.0.1`` as 127.0.0.1
    (WHATWG URL standard, "IPv4 parser"), so the guard has to as well.
    """
    text = unicodedata.normalize("NFKC", host).strip("[]").rstrip(".").split("%", 1)[0]
    if ":" in text:
        try:
            return ip_address(text)
        except ValueError:
            return None
    parts = text.split(".")
    if not 1 <= len(parts) <= 4 or not all(_NUMBER.fullmatch(p) for p in parts):
        return None
    try:
        numbers = [_to_int(p) for p in parts]
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


def embedded(ip: Address) -> Address:
    """The IPv4 address inside an IPv6 one (mapped, compatible, 6to4, Teredo server, NAT64), else ``ip`` itself."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip.teredo is not None:
        return ip.teredo[1]
    if ip in _NAT64 or (int(ip) >> 32 == 0 and int(ip) > 1):
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip


def is_public(ip: Address | str) -> bool:
    """True for an address of the open Internet: global unicast, also after undoing IPv4-in-IPv6 forms."""
    address = embedded(ip_address(ip) if isinstance(ip, str) else ip)
    return address.is_global and not address.is_multicast and not address.is_reserved


class Guard:
    """The decision for one crawl.

    ``operator_urls`` are the URLs that the operator typed: their hosts may be private. A *name* among them that first
    resolved to a public address stays public for the whole crawl (DNS rebinding), and no name leads to link-local
    addresses, where clouds keep their credentials.
    """

    def __init__(self, operator_urls: Iterable[str], *, allow_private: bool = False) -> None:
        self.hosts = frozenset(h for h in map(host_of, operator_urls) if h)
        self.allow_private = allow_private
        self.refused_names: dict[str, str] = {}
        """Names that led to an unfit address, with the reason (noted by the resolver)."""
        self._seen_public: set[str] = set()

    def refuse_url(self, url: str) -> str | None:
        """Why ``url`` must not be asked for, None when it may (its name still has to resolve to a fit address)."""
        host = host_of(url)
        if host is None:
            return "only http and https URLs with a host are fetched"
        ip = parse_ip(host)
        if ip is not None:
            return self.refuse_address(host, ip)
        if self.allow_private or host in self.hosts:
            return None
        if host == "localhost" or host.endswith(_LOCAL_NAMES) or "." not in host:
            return f"{host} is a name of a private network"
        return None

    def refuse_address(self, host: str, ip: Address | str) -> str | None:
        """Why ``host`` must not be reached at ``ip`` (the address a connection goes to), None when it may."""
        address = ip_address(ip.split("%", 1)[0]) if isinstance(ip, str) else ip
        host = host.strip("[]").lower().rstrip(".")
        if is_public(address):
            if host in self.hosts:
                self._seen_public.add(host)
            return None
        if self.allow_private:
            return None
        if host in self.hosts and host not in self._seen_public and (parse_ip(host) is not None or not embedded(address).is_link_local):
            return None
        return f"{host} leads to {address}, an address of a private network"
