"""The index of captures: which record answers for an address, and how it is read."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from blogcrawl.core.errors import UsageError
from blogcrawl.packaging.http1 import Message
from blogcrawl.storage.web_archive import Captured, Entry, WebArchive, choose, spelling
from blogcrawl.storage.zstd_warc import zstd
from tests.warc_files import WarcFile

URL = "http://blog.test/post"


class Writer(WarcFile):
    """One whose records are captures of ``URL`` unless they name another address."""

    def add(self, url: str = URL, body: bytes = b"<html>", **how: Any) -> str:
        return super().add(url, body, **how)


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path / "a.warc.gz")


@pytest.fixture
def archive() -> Iterator[WebArchive]:
    with WebArchive() as found:
        yield found


def find(archive: WebArchive, url: str) -> Captured | None:
    return asyncio.run(archive.find(url))


def body(found: Captured | None) -> bytes:
    assert found is not None
    return Message(found.message).entity


def test_a_capture_is_read_with_the_time_and_the_file_it_comes_from(
    writer: Writer, archive: WebArchive
) -> None:
    writer.add(body=b"<html>one", record={"WARC-IP-Address": "192.0.2.7"})
    archive.add(writer.close())
    found = find(archive, URL)
    assert body(found) == b"<html>one" and found is not None
    assert found.date == datetime(2012, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert (found.ip, found.origin) == ("192.0.2.7", "a.warc.gz")
    source = archive.provenance()
    assert source["captures"] == 1 and source["files"][0]["file"] == "a.warc.gz"
    assert find(archive, "http://blog.test/other") is None


def test_the_newest_capture_that_answers_is_read(writer: Writer, archive: WebArchive) -> None:
    for day, text, status in ((1, b"old", "200 OK"), (2, b"new", "200 OK"), (3, b"x", "404 No")):
        writer.add(body=text, status=status, date=f"2012-05-0{day}T00:00:00Z")
    archive.add(writer.close())
    assert body(find(archive, URL)) == b"new"


def test_captures_after_a_given_time_are_left_out(writer: Writer) -> None:
    for day, text in ((1, b"old"), (2, b"new")):
        writer.add(body=text, date=f"2012-05-0{day}T00:00:00Z")
    path = writer.close()
    with WebArchive(before=datetime(2012, 5, 1, 12, tzinfo=UTC)) as archive:
        archive.add(path)
        assert body(find(archive, URL)) == b"old"


def test_page_captured_only_as_gone_is_gone(writer: Writer, archive: WebArchive) -> None:
    writer.add(status="404 Not Found")
    archive.add(writer.close())
    found = find(archive, URL)
    assert found is not None and Message(found.message).status == 404


def test_https_twin_is_read_in_place_of_the_redirect_to_it(
    writer: Writer, archive: WebArchive
) -> None:
    secure = "https://blog.test/post"
    writer.add(status="301 Moved", headers={"Location": secure})
    writer.add(secure, b"<html>secure")
    archive.add(writer.close())
    found = find(archive, URL)
    assert body(found) == b"<html>secure" and found is not None and found.url == secure


def test_captured_redirect_to_another_page_is_returned_as_is(
    writer: Writer, archive: WebArchive
) -> None:
    writer.add(status="302 Found", headers={"Location": "/new"})
    archive.add(writer.close())
    found = find(archive, URL)
    assert found is not None and Message(found.message).headers["location"] == "/new"


def test_another_spelling_of_the_page_is_found(writer: Writer, archive: WebArchive) -> None:
    writer.add("http://www.blog.test/caf%c3%a9/?utm_source=x", b"<html>tea")
    archive.add(writer.close())
    assert body(find(archive, "http://blog.test/caf%C3%A9")) == b"<html>tea"


def test_wget_urls_in_angle_brackets_are_read(writer: Writer, archive: WebArchive) -> None:
    writer.add(f"<{URL}>", b"<html>wget")
    archive.add(writer.close())
    assert body(find(archive, URL)) == b"<html>wget"


def test_revisit_takes_the_body_of_the_record_it_refers_to(
    writer: Writer, archive: WebArchive
) -> None:
    first = writer.add("http://blog.test/first", b"<html>same")
    profile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    named = {"WARC-Refers-To": first, "WARC-Profile": profile}
    writer.add(body=b"", kind="revisit", date="2013-01-01T00:00:00Z", record=named)
    archive.add(writer.close())
    found = find(archive, URL)
    assert body(found) == b"<html>same" and found is not None and found.date.year == 2013


def test_revisit_without_reference_is_found_by_its_digest(
    writer: Writer, archive: WebArchive
) -> None:
    writer.add("http://blog.test/first", b"<html>same")
    digest = "sha1:" + base64.b32encode(hashlib.sha1(b"<html>same").digest()).decode()
    writer.add(body=b"", kind="revisit", record={"WARC-Payload-Digest": digest})
    archive.add(writer.close())
    assert body(find(archive, URL)) == b"<html>same"


def test_revisit_without_its_body_yields_to_another_capture(
    writer: Writer, archive: WebArchive
) -> None:
    writer.add(body=b"<html>old", date="2011-01-01T00:00:00Z")
    lost = {"WARC-Payload-Digest": "sha1:" + "A" * 32}
    writer.add(body=b"", kind="revisit", record=lost)
    archive.add(writer.close())
    assert body(find(archive, URL)) == b"<html>old"


@pytest.mark.parametrize("length", ["6", "5000"])
def test_capture_without_body_yields_to_an_older_one(
    writer: Writer, archive: WebArchive, length: str
) -> None:
    writer.add(body=b"<html>", date="2011-01-01T00:00:00Z")
    writer.add(body=b"", headers={"Content-Length": length})
    archive.add(writer.close())
    assert body(find(archive, URL)) == b"<html>"


@pytest.mark.parametrize("order", ["request first", "response first"])
@pytest.mark.parametrize("method", ["HEAD", "POST", "OPTIONS"])
def test_only_responses_to_get_are_captures(
    writer: Writer, archive: WebArchive, method: str, order: str
) -> None:
    writer.add(body=b"<html>page", date="2011-01-01T00:00:00Z")
    ids = ["<urn:uuid:00000000-0000-4000-8000-000000000001>", "<urn:uuid:2>"]
    kinds = ["request", "response"] if order == "request first" else ["response", "request"]
    for kind, own, other in zip(kinds, ids, (None, ids[0]), strict=True):
        named = {"WARC-Record-ID": own, **({"WARC-Concurrent-To": other} if other else {})}
        status = f"{method} /post HTTP/1.1" if kind == "request" else "200 OK"
        writer.add(body=b"<html>other", kind=kind, status=status, record=named)
    archive.add(writer.close())
    assert body(find(archive, URL)) == b"<html>page"


def test_status_line_of_http_2_is_read(writer: Writer, archive: WebArchive, tmp_path: Path) -> None:
    path = writer.add(body=b"<html>two") and writer.close()
    data = gzip.decompress(path.read_bytes()).replace(b"HTTP/1.1 200 OK", b"HTTP/2 200  OK ")
    (tmp_path / "two.warc").write_bytes(data)
    archive.add(tmp_path / "two.warc")
    found = find(archive, URL)
    assert body(found) == b"<html>two" and found is not None
    assert Message(found.message).status == 200


def test_not_modified_responses_are_not_captures(writer: Writer, archive: WebArchive) -> None:
    writer.add(body=b"<html>old", date="2011-01-01T00:00:00Z")
    writer.add(body=b"", status="304 Not Modified", kind="revisit")
    archive.add(writer.close())
    found = find(archive, URL)
    assert body(found) == b"<html>old" and found is not None and found.date.year == 2011


def test_chunked_bodies_are_decoded_even_if_already_plain(
    writer: Writer, archive: WebArchive
) -> None:
    chunked = {"Transfer-Encoding": "chunked"}
    writer.add(body=b"6\r\n<html>\r\n3\r\nabc\r\n0\r\n\r\n", headers=chunked)
    writer.add("http://blog.test/plain", b"<html>plain", headers=chunked)
    archive.add(writer.close())
    assert body(find(archive, URL)) == b"<html>abc"
    assert body(find(archive, "http://blog.test/plain")) == b"<html>plain"


def test_recorded_dom_is_separate_from_the_response(writer: Writer, archive: WebArchive) -> None:
    writer.add(body=b"<html>static")
    writer.add(f"urn:dom:{URL}", b"<html>drawn", kind="resource")
    archive.add(writer.close())
    assert body(find(archive, URL)) == b"<html>static"
    drawn = asyncio.run(archive.rendered(URL))
    assert body(drawn) == b"<html>drawn" and drawn is not None and drawn.url == URL
    assert asyncio.run(archive.rendered("http://blog.test/other")) is None


def test_resource_record_of_a_page_serves_as_its_capture(
    writer: Writer, archive: WebArchive
) -> None:
    writer.add(body=b"<html>kept", kind="resource")
    archive.add(writer.close())
    found = find(archive, URL)
    assert body(found) == b"<html>kept"
    assert found is not None and Message(found.message).mime == "text/html"


def test_wacz_gives_the_captures_of_its_warc_files(
    writer: Writer, archive: WebArchive, tmp_path: Path
) -> None:
    writer.add(body=b"<html>wacz")
    path = tmp_path / "crawl.wacz"
    with zipfile.ZipFile(path, "w") as package:
        package.write(writer.close(), "archive/data.warc.gz")
    archive.add(path)
    found = find(archive, URL)
    assert body(found) == b"<html>wacz" and found is not None and found.origin == "crawl.wacz"


def test_uncompressed_file_is_read(tmp_path: Path, archive: WebArchive) -> None:
    writer = Writer(tmp_path / "plain.warc")
    writer.add("http://blog.test/1", b"<html>1")
    writer.add("http://blog.test/2", b"<html>2")
    archive.add(writer.close())
    assert body(find(archive, "http://blog.test/2")) == b"<html>2"


@pytest.mark.parametrize("dictionary", ["none", "plain", "compressed"])
def test_zstandard_file_is_read(tmp_path: Path, archive: WebArchive, dictionary: str) -> None:
    archive.add(zstd_warc(tmp_path, dictionary))
    found = find(archive, "http://blog.test/30")
    assert body(found) == b"<html>" + b"30 " * 30
    assert found is not None and found.origin == "big.warc.zst"
    assert [each["file"] for each in archive.provenance()["files"]] == ["big.warc.zst"]


def test_whole_records_of_a_truncated_zstandard_file_are_read(
    tmp_path: Path, archive: WebArchive
) -> None:
    path = zstd_warc(tmp_path, "compressed")
    path.write_bytes(path.read_bytes()[:-60])
    archive.add(path)
    assert body(find(archive, "http://blog.test/30")).startswith(b"<html>30")
    assert find(archive, "http://blog.test/39") is None
    assert archive.damaged and archive.damaged[0].startswith("big.warc.zst: ")


def zstd_warc(tmp_path: Path, dictionary: str) -> Path:
    """A file of 40 records, a frame each; its dictionary is in a skippable frame, the first."""
    records = []
    for number in range(40):
        one = Writer(tmp_path / f"{number}.warc")
        one.add(f"http://blog.test/{number}", b"<html>" + b"%d " % number * 30)
        records.append(one.close().read_bytes())
    known = zstd.train_dict(records, 4096) if dictionary != "none" else None
    frames = [zstd.compress(record, zstd_dict=known) for record in records]
    if known is not None:
        content = known.dict_content
        content = zstd.compress(content) if dictionary == "compressed" else content
        frames.insert(0, b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content)
    path = tmp_path / "big.warc.zst"
    path.write_bytes(b"".join(frames))
    return path


def test_whole_records_of_a_truncated_file_are_read(writer: Writer, archive: WebArchive) -> None:
    writer.add(body=b"<html>whole")
    writer.add("http://blog.test/cut", b"<html>" + bytes(range(256)) * 40)
    path = writer.close()
    path.write_bytes(path.read_bytes()[:-60])
    archive.add(path)
    assert body(find(archive, URL)) == b"<html>whole"


@pytest.mark.parametrize("name", ["joined.warc.gz", "joined.warc"])
def test_records_after_a_truncated_record_are_read(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files of an interrupted crawl and of the one that went on, joined: what follows the cut reads
    as compressed data for a while, or up to the end of the file."""
    parts = []
    for number in range(2):
        part = Writer(tmp_path / f"{number}-{name}")
        for page in range(3):
            part.add(f"http://blog.test/{number}{page}", bytes(range(32, 127)) * 9)
        parts.append(part.close().read_bytes())
    last = parts[0].rindex(b"\x1f\x8b\x08") if name.endswith(".gz") else len(parts[0]) - 140
    for cut in range(last + 24, len(parts[0]) - 9, 11):
        (tmp_path / name).write_bytes(parts[0][:cut] + parts[1])
        with WebArchive() as archive:
            archive.add(tmp_path / name)
            found = [len(body(find(archive, f"http://blog.test/{n}"))) for n in ("00", "10", "12")]
            assert found == [95 * 9] * 3, cut
            assert len(archive.damaged) == 1 and name in archive.damaged[0]
    assert capsys.readouterr().err == ""


def test_truncated_record_yields_its_remaining_bytes(writer: Writer, archive: WebArchive) -> None:
    page = b"<html>" + hashlib.sha512(b"a").hexdigest().encode() * 200
    writer.add(body=page)
    path = writer.close()
    path.write_bytes(path.read_bytes()[:-60])
    archive.add(path)
    found = body(find(archive, URL))
    assert found.startswith(b"<html>") and len(found) <= len(page)


@pytest.mark.parametrize(
    "data",
    [
        b"<html>no archive",
        gzip.compress(b"nothing", mtime=0),
        b"\x00" * 64,
        zstd.compress(b"nothing"),
        b"\x28\xb5\x2f\xfd and no frame",
        b"\x5d\x2a\x4d\x18\xff\xff\xff\xff no dictionary",
    ],
    ids=["html", "gzip", "zeros", "zstd", "broken zstd", "broken dictionary"],
)
def test_unknown_file_type_is_an_error_naming_the_file(
    tmp_path: Path, archive: WebArchive, data: bytes
) -> None:
    path = tmp_path / "page.warc.gz"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=r"page\.warc\.gz"):
        archive.add(path)


def test_zip_without_warc_files_is_an_error_naming_the_file(
    tmp_path: Path, archive: WebArchive
) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("readme.txt", "hello")
    with pytest.raises(UsageError, match="holds no WARC files"):
        archive.add(path)


def test_truncated_capture_is_used_only_without_a_complete_one() -> None:
    cut = Entry(url=URL, date="2013", is_cut=True)
    assert choose(URL, [cut, Entry(url=URL, date="2012")]) == Entry(url=URL, date="2012")
    assert choose(URL, [cut]) is cut


def test_equivalent_urls_share_a_key() -> None:
    assert spelling("https://Blog.test:443/a%7eb/%c3%bc#x") == spelling(
        "http://blog.test/a~b/\u00fc"
    )
    assert spelling("http://blog.test/a") != spelling("http://blog.test/a/")
    assert spelling("http://blog.test/?a=1%26b") != spelling("http://blog.test/?a=1&b")


def test_pages_are_listed_up_to_a_given_time(writer: Writer, archive: WebArchive) -> None:
    writer.add("http://blog.test/1", date="2011-01-01T00:00:00Z")
    writer.add("http://blog.test/2")
    writer.add("http://blog.test/a.png", mime="image/png")
    writer.add("http://blog.test/gone", status="404 Not Found")
    archive.add(writer.close())
    assert list(archive.pages()) == ["http://blog.test/1", "http://blog.test/2"]
    archive.before = datetime(2012, 1, 1, tzinfo=UTC)
    assert list(archive.pages()) == ["http://blog.test/1"]


def test_start_page_is_the_first_of_the_site_with_most_pages(
    writer: Writer, archive: WebArchive
) -> None:
    for url in ("http://other.test/", "http://blog.test/notes/", "http://blog.test/1"):
        writer.add(url)
    archive.add(writer.close())
    assert archive.start() == "http://blog.test/notes/"


def test_start_page_is_the_main_page_of_a_wacz(
    writer: Writer, archive: WebArchive, tmp_path: Path
) -> None:
    writer.add()
    path = tmp_path / "crawl.wacz"
    with zipfile.ZipFile(path, "w") as package:
        package.write(writer.close(), "archive/data.warc.gz")
        package.writestr("datapackage.json", '{"mainPageUrl": "http://blog.test/"}')
    archive.add(path)
    assert archive.start() == "http://blog.test/"
