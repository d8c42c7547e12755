"""WARC files as other tools write them, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter


class WarcFile:
    """A WARC file under construction."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("wb")
        self._writer = WARCWriter(self._file, gzip=path.name.endswith(".gz"))

    def add(
        self,
        url: str,
        body: bytes = b"<html>",
        *,
        status: str = "200 OK",
        mime: str = "text/html",
        date: str = "2012-05-06T07:08:09Z",
        kind: str = "response",
        headers: Mapping[str, str] | None = None,
        record: Mapping[str, str] | None = None,
    ) -> str:
        """Append a record; its id. ``headers``: of HTTP; ``record``: of the record itself."""
        fields = {"Content-Type": mime, **(headers or {})}
        http = StatusAndHeaders(status, list(fields.items()), protocol="HTTP/1.1")
        made = self._writer.create_warc_record(
            url,
            kind,
            payload=BytesIO(body),
            http_headers=None if kind == "resource" else http,
            warc_content_type=mime if kind == "resource" else "",
            warc_headers_dict={"WARC-Date": date, **(record or {})},
        )
        self._writer.write_record(made)
        return str(made.rec_headers.get_header("WARC-Record-ID"))

    def close(self) -> Path:
        """End the file."""
        self._file.close()
        return self.path
