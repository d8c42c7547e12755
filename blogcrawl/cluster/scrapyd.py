"""A client for the JSON API of one Scrapyd server, with failures by kind."""

from __future__ import annotations

import contextlib
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol
from urllib.parse import quote_plus

import httpx

from blogcrawl.core.errors import ClusterError

Trouble = Literal["timeout", "unreachable", "auth", "http", "not-json", "refused", "version"]
"""timeout: no answer in time. unreachable: no connection. auth: 401/403. http: 5xx and other codes.
not-json: an answer that is not Scrapyd's. refused: Scrapyd says ``status: error``. version: it has
another egg than the controller wants."""

JOB_ID = re.compile(r"[A-Za-z0-9_-]{1,80}\Z")
"""Scrapyd uses any job id as a file name: ``../../x`` kills a launcher slot for good."""


def egg_version(text: str) -> str:
    """Return a version as Scrapyd stores and lists it: 0_1_0 for 0.1.0."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)


@lru_cache(maxsize=1000)
def _quoted(value: str) -> str:
    """Quote a value; cached, since consecutive jobs share most values."""
    return quote_plus(value)


class NodeError(ClusterError):
    """A node's failure; ``trouble`` is its kind."""

    def __init__(self, trouble: Trouble, message: str, *, node: str) -> None:
        super().__init__(f"node {node}: {message}", url=node)
        self.trouble: Trouble = trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeJobs:
    """Jobs on a node by id; ``finished`` holds those that its job storage remembers."""

    pending: frozenset[str]
    running: frozenset[str]
    finished: frozenset[str]


class NodeClient(Protocol):
    """What the controller asks of a node. Every method may raise NodeError."""

    async def close(self) -> None: ...

    async def versions(self) -> list[str]: ...

    async def jobs(self) -> NodeJobs: ...

    async def schedule(
        self,
        spider: str,
        job_id: str,
        arguments: Mapping[str, str],
        settings: Mapping[str, str],
        *,
        version: str = "",
    ) -> str: ...


class ScrapydClient:
    """Client for one node (``url`` like ``http://127.0.0.1:6800``) with persistent connections.

    Every method raises NodeError.
    """

    def __init__(
        self,
        url: str,
        *,
        username: str = "",
        password: str = "",
        project: str = "blogcrawl",
        timeout_seconds: float = 10.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url, self.project = url.rstrip("/"), project
        # The transport itself: cookies, redirects and hooks of a whole client take longer than all
        # else that a job costs us.
        self._http = transport or httpx.AsyncHTTPTransport(trust_env=False)
        self._headers = {"Host": httpx.URL(self.url).netloc.decode(), "Accept": "application/json"}
        if username:
            self._headers["Authorization"] = (
                "Basic " + b64encode(f"{username}:{password}".encode()).decode()
            )
        self._timeouts = dict.fromkeys(("connect", "read", "write", "pool"), timeout_seconds)

    async def close(self) -> None:
        await self._http.aclose()

    async def versions(self) -> list[str]:
        """Return the egg versions of the project, oldest first."""
        answer = await self._call("GET", "listversions.json", params={"project": self.project})
        with self._expecting("listversions.json"):
            return [str(version) for version in answer["versions"]]

    async def jobs(self) -> NodeJobs:
        answer = await self._call("GET", "listjobs.json", params={"project": self.project})
        with self._expecting("listjobs.json"):
            ids = {
                state: frozenset(str(job["id"]) for job in answer[state])
                for state in ("pending", "running", "finished")
            }
        return NodeJobs(**ids)

    async def schedule(
        self,
        spider: str,
        job_id: str,
        arguments: Mapping[str, str],
        settings: Mapping[str, str],
        *,
        version: str = "",
    ) -> str:
        """Queue a job under *our* id.

        Scrapyd accepts the same id twice: if in doubt, query ``jobs()`` first.
        """
        if not JOB_ID.match(job_id):
            raise ValueError(f"{job_id!r} is no safe job id")
        form = [
            *arguments.items(),
            ("project", self.project),
            ("spider", spider),
            ("jobid", job_id),
        ]
        form += [("setting", f"{name}={value}") for name, value in settings.items()]
        form += [("_version", version)] if version else []
        content = "&".join(f"{name}={_quoted(value)}" for name, value in form)
        answer = await self._call("POST", "schedule.json", content=content, form=True)
        with self._expecting("schedule.json"):
            return str(answer["jobid"])

    async def cancel(self, job_id: str) -> str | None:
        """Cancel a job and return its previous state; None if the node does not know it."""
        answer = await self._call(
            "POST", "cancel.json", data={"project": self.project, "job": job_id}
        )
        return answer.get("prevstate")

    async def add_version(self, version: str, egg: bytes) -> int:
        """Upload the project and return the number of its spiders.

        The version is sent as Scrapyd stores it: Scrapyd keeps the list of spiders by the version
        that it was given, and `schedule` would list them again, for seconds.
        """
        data = {"project": self.project, "version": egg_version(version)}
        answer = await self._call("POST", "addversion.json", data=data, files={"egg": egg})
        with self._expecting("addversion.json"):
            return int(answer["spiders"])

    @contextlib.contextmanager
    def _expecting(self, path: str) -> Iterator[None]:
        """Raise NodeError if the response lacks a field of Scrapyd's or has it in another type."""
        try:
            yield
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise NodeError(
                "not-json", f"{path} answers JSON that is not Scrapyd's: {error}", node=self.url
            ) from error

    async def _call(
        self, method: str, path: str, *, form: bool = False, **kwargs: Any
    ) -> dict[str, Any]:
        headers = self._headers | (
            {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
        )
        try:
            request = httpx.Request(
                method,
                f"{self.url}/{path}",
                headers=headers,
                extensions={"timeout": self._timeouts},
                **kwargs,
            )
            response = await self._http.handle_async_request(request)
            await response.aread()
        except httpx.TimeoutException as error:
            raise NodeError("timeout", f"no answer to {path} in time", node=self.url) from error
        except httpx.HTTPError as error:
            raise NodeError(
                "unreachable", f"{path}: {error or type(error).__name__}", node=self.url
            ) from error
        return self._answer(response, path)

    def _answer(self, response: httpx.Response, path: str) -> dict[str, Any]:
        """Return the JSON object of an answer that is no failure. Raises NodeError."""
        if response.status_code in (401, 403):
            raise NodeError(
                "auth", f"user name or password refused ({response.status_code})", node=self.url
            )
        if response.status_code != 200:
            raise NodeError("http", f"{path} answers {response.status_code}", node=self.url)
        try:
            answer = json.loads(response.content)
        except (ValueError, RecursionError) as error:
            raise NodeError("not-json", f"{path} answers no JSON", node=self.url) from error
        if not isinstance(answer, dict) or "status" not in answer:
            raise NodeError("not-json", f"{path} answers JSON that is not Scrapyd's", node=self.url)
        if answer["status"] != "ok":
            raise NodeError(
                "refused",
                f"{path}: {str(answer.get('message', 'status: error'))[:300]}",
                node=self.url,
            )
        return answer
