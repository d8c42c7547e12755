"""Client of a Scrapyd node: each kind of failure is distinguished (httpx's MockTransport)."""

import asyncio

import httpx
import pytest

from blogcrawl.cluster.scrapyd import NodeError, ScrapydClient


def call(handler, method, *args, **kwargs):
    async def go():
        client = ScrapydClient(
            "http://127.0.0.1:6800",
            username="u",
            password="p",
            transport=httpx.MockTransport(handler),
        )
        try:
            return await getattr(client, method)(*args, **kwargs)
        finally:
            await client.close()

    return asyncio.run(go())


def raising(error):
    def handler(request):
        raise error

    return handler


@pytest.mark.parametrize(
    ("handler", "trouble"),
    [
        (raising(httpx.ReadTimeout("slow")), "timeout"),
        (raising(httpx.ConnectError("refused")), "unreachable"),
        (lambda r: httpx.Response(401, text="no"), "auth"),
        (lambda r: httpx.Response(500, text="Traceback"), "http"),
        (lambda r: httpx.Response(200, text="<html>it works</html>"), "not-json"),
        (lambda r: httpx.Response(200, json=["ok"]), "not-json"),
        (lambda r: httpx.Response(200, json={"status": "ok"}), "not-json"),
        (
            lambda r: httpx.Response(
                200, json={"status": "error", "message": "project 'x' not found"}
            ),
            "refused",
        ),
    ],
)
def test_node_failures_are_classified(handler, trouble):
    with pytest.raises(NodeError) as caught:
        call(handler, "jobs")
    assert caught.value.trouble == trouble
    assert "127.0.0.1:6800" in str(caught.value)


def test_jobs_are_sorted_by_state():
    answer = {
        "status": "ok",
        "pending": [{"id": "a"}],
        "running": [{"id": "b"}],
        "finished": [{"id": "c"}, {"id": "d"}],
    }
    jobs = call(lambda r: httpx.Response(200, json=answer), "jobs")
    assert (jobs.pending, jobs.running, jobs.finished) == ({"a"}, {"b"}, {"c", "d"})


def test_schedule_sends_our_id_settings_and_version_with_credentials():
    seen = {}

    def handler(request):
        seen["form"] = dict(httpx.QueryParams(request.content.decode()).multi_items())
        seen["settings"] = httpx.QueryParams(request.content.decode()).get_list("setting")
        seen["auth"] = request.headers["authorization"]
        return httpx.Response(200, json={"status": "ok", "jobid": "job-1"})

    assert (
        call(
            handler,
            "schedule",
            "newcrawl",
            "job-1",
            {"startat": "http://127.0.0.1/"},
            {"A": "1", "B": "x=y"},
            version="7",
        )
        == "job-1"
    )
    assert (
        seen["form"]["spider"] == "newcrawl"
        and seen["form"]["_version"] == "7"
        and seen["form"]["startat"] == "http://127.0.0.1/"
    )
    assert seen["settings"] == ["A=1", "B=x=y"]
    assert seen["auth"].startswith("Basic ")


@pytest.mark.parametrize("job_id", ["../../x", "a/b", "", "a" * 200, "x\n"])
def test_job_ids_with_path_characters_are_never_sent(job_id):
    with pytest.raises(ValueError):
        call(raising(AssertionError("must not be called")), "schedule", "newcrawl", job_id, {}, {})
