"""What failed downloads say."""

from __future__ import annotations

import pytest
from scrapy.exceptions import DownloadFailedError
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure
from twisted.web.client import ResponseNeverReceived

from blogcrawl.crawling.fetch import as_error


@pytest.mark.parametrize(
    ("reasons", "said"),
    [
        (
            [Exception([("SSL routines", "", "wrong version number")])],
            "no secure connection (wrong version number)",
        ),
        ([Exception()], "Exception"),
        ([Exception("gone"), Exception("gone")], "gone"),
        ([ConnectionLost()], "Connection to the other side was lost in a non-clean fashion."),
    ],
)
def test_failed_download_says_its_reasons_once_and_readably(
    reasons: list[Exception], said: str
) -> None:
    error = DownloadFailedError("[<twisted.python.failure.Failure …>]")
    error.__cause__ = ResponseNeverReceived([Failure(reason) for reason in reasons])
    assert as_error(error, "https://b.example/").message == f"the download failed: {said}"


def test_failed_download_without_reasons_says_what_its_exception_says() -> None:
    assert as_error(DownloadFailedError("no  route"), "").message == "the download failed: no route"
    assert as_error(DownloadFailedError(), "").message == "the download failed: DownloadFailedError"
