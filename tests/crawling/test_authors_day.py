"""The author's day and what is known of the time, from the page to every output."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from blogcrawl.cli.main import cli
from blogcrawl.core.config import Config
from blogcrawl.storage.export import export, write_folder
from blogcrawl.storage.ocfl import open_store
from blogcrawl.storage.selection import Export, Selection
from blogcrawl.storage.state import open_state
from blogcrawl.web.site import write_site
from tests.crawling.blog import Entry, write_blog
from tests.crawling.crawling import crawl, faults
from tests.server import Server

pymarc = pytest.importorskip("pymarc")
COUNT = 14


@dataclass(frozen=True)
class Evening(Entry):
    """A post of 23:18 at -04:00: the feed writes the next day, in UTC."""

    @property
    def date(self) -> datetime:
        start = datetime(2012, 10, 3, 23, 18, tzinfo=timezone(timedelta(hours=-4)))
        return start + timedelta(days=5 * self.number)


@dataclass(frozen=True)
class Bare(Entry):
    """A post with a day only; its feed has midnight, as static site generators write days."""

    @property
    def datetime(self) -> str:
        return f"{self.date:%Y-%m-%d}"

    @property
    def pub_date(self) -> str:
        return f"{self.date:%a, %d %b %Y} 00:00:00 +0000"


def archived(
    make: Callable[[int], Entry], root: Path, folder: Path, profile: str
) -> tuple[Config, dict[str, Entry]]:
    """Crawl a blog of such posts; the posts by title."""
    posts = [make(number) for number in range(COUNT)]
    with Server(root) as server:
        write_blog(root, posts, base=server.url.rstrip("/"), feed=6)
        row = crawl(server.url, folder, metadata_profile=profile)
    assert row.counts["posts_archived"] == COUNT and faults(folder) == []
    return Config(archive=str(folder)), {entry.title: entry for entry in posts}


def lines(config: Config, form: str) -> Path:
    """Export the archive."""
    target = config.archive_path.parent / f"out.{form}"
    state = open_state(config)
    job = Export(state, open_store(config), Selection(), target)
    if form == "html":
        assert write_folder(job, form, write_site) >= COUNT
    else:
        assert export(form, Export(state, job.store, job.selection, target)) >= COUNT
    state.close()
    return target


def shown(*command: str) -> Any:
    done = CliRunner().invoke(cli, [*command])
    assert done.exit_code == 0, done.output
    return json.loads(done.output) if "--json" in command else done.output


def subfields(record: Any, profile: str) -> tuple[str, ...]:
    """Return 008/06-14 and the dates in their fields."""
    if profile == "marc21":
        return record["008"].data[6:15], record["046"]["k"], record["264"]["c"]
    return record["008"].data[6:15], record["269"]["c"]


@pytest.mark.parametrize("profile", ["blogforever", "marc21"])
@pytest.mark.parametrize("make", [Evening, Bare])
def test_every_output_has_the_local_date_and_no_invented_time(
    make: type[Entry], profile: str, root: Path, tmp_path: Path
) -> None:
    config, posts = archived(make, root, tmp_path / "archive", profile)
    is_timed = make is Evening
    days = {title: f"{entry.date:%Y-%m-%d}" for title, entry in posts.items()}
    texts = {
        title: entry.date.isoformat() if is_timed else days[title] for title, entry in posts.items()
    }

    records = [json.loads(line) for line in lines(config, "jsonl").read_bytes().splitlines()]
    assert {record["title"]: record["published"] for record in records} == texts

    marc = pymarc.parse_xml_to_array(BytesIO(lines(config, "marcxml").read_bytes()))
    named = [((record.title or "").removesuffix("."), record) for record in marc]
    found = {title: subfields(record, profile) for title, record in named if title in texts}
    assert found.keys() == texts.keys()
    for title, values in found.items():
        coded = f"e{days[title].replace('-', '')}"
        published = (f"{days[title]}.",) if profile == "marc21" else ()
        wanted = (coded, texts[title], *published)
        assert values == wanted

    core = lines(config, "dc").read_text()
    assert all(f"<dc:date>{text}</dc:date>" in core for text in texts.values())

    pages = {path.name for path in lines(config, "html").rglob("posts/*.html")}
    assert sorted(name[:10] for name in pages) == sorted(days.values())
    index = next((config.archive_path.parent / "out.html").glob("*/index.html")).read_text()
    assert all(f">{day}</time>" in index for day in days.values())

    [blog] = shown("list", "--archive", str(config.archive_path), "--json")
    assert (blog["first_post"], blog["last_post"]) == (min(texts.values()), max(texts.values()))
    table = shown("show", blog["url"], "--archive", str(config.archive_path), "-n", "0")
    assert all(f"\n{day} " in table for day in days.values())
    assert f"{min(days.values())} to {max(days.values())}" in table


@pytest.mark.parametrize("make", [Evening, Bare])
def test_parquet_has_date_time_and_precision(make: type[Entry], root: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    config, posts = archived(make, root, tmp_path / "archive", "blogforever")
    for row in parquet.read_table(lines(config, "parquet")).to_pylist():
        entry = posts[row["title"]]
        moment = entry.date if make is Evening else None
        assert row["published_date"] == date.fromisoformat(f"{entry.date:%Y-%m-%d}")
        assert row["published"] == moment
        assert row["published_precision"] == ("time" if moment else "day")
