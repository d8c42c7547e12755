"""Name resolution under guard: no connection is opened to an address that no running crawl may
reach.

Scrapy installs one resolver a process (setting ``TWISTED_DNS_RESOLVER``), so this one asks the
guards of all crawls that run in the process; ``middlewares.GuardMiddleware`` then holds each crawl
to its own.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any
from urllib.request import getproxies

from scrapy.crawler import Crawler
from twisted.internet._resolver import GAIResolver
from twisted.internet.base import ReactorBase
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from blogcrawl.core.netguard import Guard, host_of, is_public

_guards: list[Guard] = []
private_names: set[str] = set()
"""Names that resolved to a private address under the guard of some crawl: no other crawl's
business.
"""


unanswered_names: set[str] = set()
"""Names of which the last look-up failed for another reason than that they don't exist: no name
server answered, or it had trouble itself (SERVFAIL). Another look-up may find them.
"""
_NO_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


def register(guard: Guard) -> None:
    _guards.append(guard)


def unregister(guard: Guard) -> None:
    if guard in _guards:
        _guards.remove(guard)
    if not _guards:
        private_names.clear()
        unanswered_names.clear()


def look_up(host: str, *args: Any, **kwargs: Any) -> Any:
    """Call ``socket.getaddrinfo`` and note why there is no address; Twisted discards it. Runs in
    threads.
    """
    name = host.lower().rstrip(".")
    try:
        found = socket.getaddrinfo(host, *args, **kwargs)
    except socket.gaierror as error:
        (unanswered_names.discard if error.errno in _NO_NAME else unanswered_names.add)(name)
        raise
    unanswered_names.discard(name)
    return found


def _refuse(host: str, ip: str) -> str | None:
    """Return why no crawl may reach ``host`` at ``ip``, or None if one may. Without any crawl only
    public addresses pass.
    """
    if host in {host_of(proxy) for proxy in getproxies().values()}:
        return None
    reason: str | None = (
        None if is_public(ip) else f"{host} leads to {ip}, an address of a private network"
    )
    for guard in _guards:
        reason = guard.refuse_address(host, ip)
        if reason is None:
            break
    if reason is None and not is_public(ip):
        private_names.add(host)
    return reason


@implementer(IResolutionReceiver)
class _Filter:
    """Passes on the addresses that may be reached."""

    def __init__(self, receiver: Any, host: str) -> None:
        self.receiver, self.host = receiver, host

    def resolutionBegan(self, resolution: Any) -> None:
        self.receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:
        reason = _refuse(self.host, str(address.host))
        if reason is None:
            self.receiver.addressResolved(address)
        else:
            for guard in _guards:
                guard.refused_names[self.host] = reason

    def resolutionComplete(self) -> None:
        self.receiver.resolutionComplete()


@implementer(IHostnameResolver)
class GuardedResolver:
    """IPv4 and IPv6 through the system's resolver, unfit addresses left out."""

    def __init__(self, reactor: ReactorBase) -> None:
        self.reactor = reactor
        self.inner: Any = GAIResolver(reactor, lambda: reactor.getThreadPool(), look_up)  # type: ignore[arg-type]

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> GuardedResolver:
        return cls(reactor)

    def install_on_reactor(self) -> None:
        self.reactor.installNameResolver(self)  # type: ignore[arg-type]

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[Any] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        return self.inner.resolveHostName(
            _Filter(resolutionReceiver, hostName.lower().rstrip(".")),
            hostName,
            portNumber,
            addressTypes,
            transportSemantics,
        )
