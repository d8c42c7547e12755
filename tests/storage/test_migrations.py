"""Databases of every earlier version become today's, with all their rows, on both databases."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect

from blogcrawl.core.config import Config
from blogcrawl.core.errors import ArchiveError
from blogcrawl.storage.migrations import HEAD, current_revision, migrate, packaged_revisions
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import SqlState, open_state
from blogcrawl.storage.subscriptions import Subscriptions
from blogcrawl.storage.tables import METADATA, BlogRow
from blogcrawl.storage.tombstones import Tombstones
from tests.cluster.services import Postgres, postgres

VERSIONS = Path(__file__).parents[1] / "fixtures" / "state_versions"
"""Databases as each version made them, with rows, before Alembic came: ``N.sql``."""
NUMBERS = sorted(int(path.stem) for path in VERSIONS.glob("*.sql"))
MOMENT = datetime(2026, 1, 31, 12, 30, 0, 123456, tzinfo=UTC)
URL = "https://blog.example.org/"


def script(version: int) -> str:
    return (VERSIONS / f"{version}.sql").read_text("utf-8")


def sqlite_of(version: int, folder: Path) -> SqlState:
    with closing(sqlite3.connect(folder / "state.db")) as connection:
        connection.executescript(script(version))
    return open_state(Config(archive=str(folder)))


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    pytest.importorskip("psycopg")
    with postgres() as made:
        if made is None:
            pytest.skip("no PostgreSQL binaries")
        yield made


def postgres_of(version: int, server: Postgres) -> SqlState:
    import psycopg

    url = server.create(f"version{version}")
    with psycopg.connect(url) as connection:
        connection.execute(script(version))  # type: ignore[arg-type]
    return SqlState(url)


def check_rows(state: SqlState, version: int) -> None:
    """Every row of the fixture is there, with the defaults of columns that came later."""
    blog = state.get_blog("http://old.example.org")
    assert blog is not None and (blog.url, blog.title, blog.aip_version) == (URL, "Blåg", 3)
    assert blog.last_crawl == MOMENT and blog.health == "well" and blog.model == {"rules": [1]}
    assert blog.feeds == {f"{URL}feed": {"etag": "W/x"}}
    assert state.get_blog("b2") == BlogRow(id="b2", url="https://other.example.org/")
    post = state.get_post("b1", f"{URL}a")
    assert post is not None and (post.published, post.comments_shown) == (MOMENT, 4)
    assert post.comments_tries == (2 if version >= 4 else 0)
    file = state.get_media("b1", "https://cdn.example.org/x.png")
    assert file is not None and file.size == 5_000_000_000
    assert [crawl.counts for crawl in state.crawls("b1")] == [{"posts": 1}]
    assert state.acquire_lease("b1", "node2", 60, MOMENT) == 8
    visit = Schedule(state).get_visit("b1")
    assert (visit is not None) == (version >= 2)
    if visit is not None:
        assert visit.habit == {"rate": 0.5} and visit.missing == (3 if version >= 6 else 0)
        assert Schedule(state).nodes()[0].jobs_sent == 5_000_000_000
        assert [job.blogs for job in Schedule(state).jobs()] == [["b1"]]
    assert bool(Subscriptions(state).by_token("t")) == (version >= 3)
    removal = Tombstones(state).find("https://blog.example.org/?p=2")
    assert (removal is not None and removal.purged) == (version >= 5)
    assert list(state.check()) == []


def differences(engine: Engine) -> list[Any]:
    """What a database's tables lack of today's, or have beyond them.

    SQLite takes NULL in a primary key that is not declared otherwise. The search index has tables
    of its own.
    """
    with engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection), METADATA)
    return [
        one
        for one in found
        if not _is_of_search(one)
        and not (
            engine.dialect.name == "sqlite"
            and isinstance(one, list)
            and one[0][0] == "modify_nullable"
            and METADATA.tables[one[0][2]].c[one[0][3]].primary_key
        )
    ]


def _is_of_search(difference: Any) -> bool:
    kind, thing, *_ = difference if isinstance(difference, tuple) else ("", None)
    table = thing if kind == "remove_table" else getattr(thing, "table", None)
    return getattr(table, "name", "") == "search_posts"


def check_schema(state: SqlState) -> None:
    assert differences(state.engine) == []
    with state.engine.connect() as connection:
        assert current_revision(connection) == HEAD
        assert not inspect(connection).has_table("schema_version")


@pytest.mark.parametrize("version", NUMBERS)
def test_sqlite_of_each_version_is_migrated_with_its_rows(version: int, tmp_path: Path) -> None:
    state = sqlite_of(version, tmp_path)
    check_schema(state)
    check_rows(state, version)
    state.close()


@pytest.mark.parametrize("version", NUMBERS)
def test_postgresql_of_each_version_is_migrated_with_its_rows(
    version: int, server: Postgres
) -> None:
    state = postgres_of(version, server)
    check_schema(state)
    check_rows(state, version)
    state.close()


def test_new_database_has_the_tables_that_migrations_create(
    tmp_path: Path, server: Postgres
) -> None:
    for url in (f"sqlite:///{tmp_path}/new.db", server.create("new")):
        state = SqlState(url)
        check_schema(state)
        state.close()


def test_revisions_follow_each_other_up_to_the_head() -> None:
    modules = packaged_revisions()
    assert [one.down_revision for one in modules] == [None, *(r.revision for r in modules[:-1])]
    assert modules[-1].revision == HEAD


def test_a_failing_revision_changes_nothing(tmp_path: Path) -> None:
    state = sqlite_of(6, tmp_path)

    def upgrade() -> None:
        from alembic import op

        op.execute("CREATE TABLE later (x TEXT)")
        op.execute("NO SQL AT ALL")

    later: Any = SimpleNamespace(
        revision="9999", down_revision=HEAD, upgrade=upgrade, __file__="r9999.py", __doc__="Later."
    )
    with pytest.raises(Exception, match="syntax"), state.write() as connection:
        migrate(connection, [*packaged_revisions(), later])
    check_schema(state)
    check_rows(state, 6)
    state.close()


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    config = Config(archive=str(tmp_path))
    open_state(config).close()
    with closing(sqlite3.connect(tmp_path / "state.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(ArchiveError, match="of version 9999") as caught:
        open_state(config)
    assert caught.value.advice == "use a newer blogcrawl"


def test_a_second_process_finds_the_migration_done(tmp_path: Path) -> None:
    state = sqlite_of(1, tmp_path)
    with state.write() as connection:
        migrate(connection)
    check_schema(state)
    state.close()


def test_each_revision_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "alembic"):
        sqlite_of(1, tmp_path).close()
    assert f"-> {HEAD}" in caplog.text


OPEN = """
import sys
sys.path.insert(0, sys.argv[1])
import blogcrawl
from blogcrawl.storage.state import SqlState
SqlState(sys.argv[2]).close()
print(blogcrawl.__file__, "alembic" in sys.modules)
"""


def test_revisions_are_found_in_a_zipped_egg(tmp_path: Path) -> None:
    """As Scrapyd runs the project; and Alembic is imported for the migration only."""
    package = Path(__file__).parents[2] / "blogcrawl"
    egg = tmp_path / "project.egg"
    with zipfile.ZipFile(egg, "w") as packed:
        for path in package.rglob("*"):
            if path.is_file() and path.suffix != ".pyc":
                packed.write(path, path.relative_to(package.parent))
    with closing(sqlite3.connect(tmp_path / "state.db")) as connection:
        connection.executescript(script(1))
    command = [sys.executable, "-c", OPEN, str(egg), f"sqlite:///{tmp_path}/state.db"]
    for imported in ("True", "False"):
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.stdout.split() == [f"{egg}/blogcrawl/__init__.py", imported], done.stderr
    state = SqlState(f"sqlite:///{tmp_path}/state.db")
    check_schema(state)
    check_rows(state, 1)
    state.close()


def test_new_database_is_created_without_alembic(tmp_path: Path) -> None:
    code = OPEN.replace("sys.path.insert(0, sys.argv[1])", "")
    command = [sys.executable, "-c", code, "", f"sqlite:///{tmp_path}/new.db"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split()[1] == "False"
    with closing(sqlite3.connect(tmp_path / "new.db")) as connection:
        assert connection.execute("SELECT * FROM alembic_version").fetchall() == [(HEAD,)]
