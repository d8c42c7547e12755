"""A Memento client (RFC 7089, section 4.2.1) that knows nothing but the protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from urllib.parse import urljoin

import httpx
import pytest
from starlette.types import ASGIApp

from blogcrawl.web.app import reading_room
from tests.packaging.samples import MOMENT, entry
from tests.web.archive import Sample, ask, make

_LINK = re.compile(r'\s*<([^>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)\s*(?:,|$)')
_ATTRIBUTE = re.compile(r';\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s",;]+))')
ADDRESSES = (
    "https://blog.example/plain",
    "https://blog.example/?p=12&preview=a,b",
    "https://blog.example/caf%C3%A9/%D7%A9%D7%9C",
    "https://blog.example/100%25-true",
    "https://blog.example/what%3F",
    "https://blog.example/a%2Fb",
)
DAYS = (10, 20, 30)


@dataclass(frozen=True)
class Link:
    """A link of RFC 8288."""

    target: str
    relations: frozenset[str]
    moment: datetime | None


def links(text: str, base: str) -> list[Link]:
    """Read links; all of the text must be links."""
    found, at = [], 0
    while at < len(text.rstrip()):
        one = _LINK.match(text, at)
        assert one is not None, text[at:]
        named = {name: quoted or bare for name, quoted, bare in _ATTRIBUTE.findall(one[2])}
        moment = parsedate_to_datetime(named["datetime"]) if "datetime" in named else None
        relations = frozenset(named["rel"].split())
        found.append(Link(urljoin(base, one[1]), relations, moment))
        at = one.end()
    return found


class Client:
    """Finds the version of a moment, from the address of a TimeGate on."""

    def __init__(self, app: ASGIApp, gate: str) -> None:
        self._app, self._gate = app, gate

    def get(self, url: str, **headers: str) -> httpx.Response:
        path = url.removeprefix("http://127.0.0.1")
        return ask(self._app, path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def at(self, original: str, moment: datetime) -> httpx.Response:
        """Negotiate, follow, and check that both sides say the same."""
        gate = self._gate + original
        answer = self.get(gate, accept_datetime=format_datetime(moment, usegmt=True))
        assert answer.status_code == 302 and "memento-datetime" not in answer.headers
        assert "accept-datetime" in answer.headers["vary"].lower()
        named = links(answer.headers["link"], gate)
        assert [one.target for one in named if "original" in one.relations] == [original]
        found = self.get(answer.headers["location"])
        assert found.status_code == 200
        [own] = {one for one in named if one.target == answer.headers["location"]}
        assert own.moment == parsedate_to_datetime(found.headers["memento-datetime"])
        of_memento = links(found.headers["link"], answer.headers["location"])
        assert [one.target for one in of_memento if "original" in one.relations] == [original]
        [again] = {one.target for one in of_memento if "timegate" in one.relations}
        assert self.get(again).status_code == 302
        return found

    def versions(self, original: str) -> list[Link]:
        """Return the mementos of the TimeMap that the TimeGate names, oldest first."""
        gate = self._gate + original
        named = links(self.get(gate).headers["link"], gate)
        [place] = {one.target for one in named if "timemap" in one.relations}
        every = links(self.get(place).text, place)
        assert [one.target for one in every if "self" in one.relations] == [place]
        found = [one for one in every if "memento" in one.relations]
        assert "first" in found[0].relations and "last" in found[-1].relations
        return found


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    made = make(tmp_path_factory.mktemp("mementos"), 1)
    for number, url in enumerate(ADDRESSES):
        for day in DAYS:
            changes = {"url": url, "canonical_url": url, "title": f"Post {number} of day {day}"}
            made.archive_post(entry(number + 50, post_changes=changes), day)
    yield made
    made.state.close()


@pytest.mark.parametrize("original", ADDRESSES)
def test_a_client_finds_the_right_version(sample: Sample, original: str) -> None:
    client = Client(reading_room(sample.room), "http://127.0.0.1/timegate/")
    number = ADDRESSES.index(original)
    versions = client.versions(original)
    moments = [MOMENT + timedelta(days=day) for day in DAYS]
    assert [one.moment for one in versions] == moments
    for seconds in (-1, 0, 1, 3600):
        for moment in moments:
            asked = moment + timedelta(seconds=seconds)
            before = [day for day, made in zip(DAYS, moments, strict=True) if made <= asked]
            right = before[-1] if before else DAYS[0]
            assert f"Post {number} of day {right}<" in client.at(original, asked).text
