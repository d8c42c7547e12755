"""Versions of the state database: Alembic's revisions, each a file ``NNNN_name.sql``.

Alembic is imported only where there is a revision to apply: a new database gets today's tables
(``tables.METADATA``), one of the newest version is left alone. The files are read as resources of
the package instead of by Alembic's ``ScriptDirectory``: Scrapyd runs the project from a zipped egg,
where a folder of scripts has no path. One that was released is never edited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select, text

from blogcrawl.core.errors import ArchiveError
from blogcrawl.storage.tables import METADATA

if TYPE_CHECKING:
    from alembic.runtime.migration import RevisionStep

HEAD = "0015"
"""The newest revision."""
SEARCH = "0010_search.sql"
"""What the records have no tables for: the search index, in PostgreSQL."""
VERSION_TABLE = Table(
    "alembic_version", MetaData(), Column("version_num", String(32), primary_key=True)
)
_LOCK = text("SELECT pg_advisory_xact_lock(20140613)")
_NUMBERED = text("SELECT MAX(version) FROM schema_version")
"""The bookkeeping before Alembic: a table with the numbers of the steps that were applied."""


def current_revision(connection: Connection) -> str | None:
    """Return the database's revision, in whichever bookkeeping; None for an empty database.

    Raises ArchiveError if a newer blogcrawl has made it.
    """
    tables = inspect(connection)
    found: str | None = None
    if tables.has_table(VERSION_TABLE.name):
        found = connection.execute(select(VERSION_TABLE.c.version_num)).scalar()
    elif tables.has_table("schema_version") and (number := connection.execute(_NUMBERED).scalar()):
        found = f"{number:04}"
    if found is not None and found > HEAD:
        raise ArchiveError(
            f"the state database is of version {found}, this blogcrawl knows versions up to {HEAD}",
            advice="use a newer blogcrawl",
        )
    return found


def migrate(connection: Connection, revisions: Iterable[Any] | None = None) -> None:
    """Bring the database to the newest revision, inside the caller's transaction.

    ``revisions``: in the place of those of the package. Raises ArchiveError if a newer blogcrawl
    has made it.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK)
    found = current_revision(connection)
    if found is None:
        METADATA.create_all(connection, checkfirst=False)
        for statement in _statements(_sql(SEARCH), connection.dialect.name):
            connection.execute(text(statement))
        _stamp(connection, HEAD)
        return
    if not inspect(connection).has_table(VERSION_TABLE.name):
        _stamp(connection, found)
        connection.execute(text("DROP TABLE schema_version"))
    if revisions is not None or found != HEAD:
        _upgrade(connection, packaged_revisions() if revisions is None else revisions)


def packaged_revisions() -> list[Any]:
    """Return the revisions of the package, each after the one before it."""
    names = sorted(path.name for path in files(__package__).iterdir() if path.name[:4].isdigit())
    return [
        SimpleNamespace(
            revision=name[:4],
            down_revision=before and before[:4],
            upgrade=_upgrade_by(_sql(name)),
            __file__=name,
            __doc__=name,
        )
        for before, name in pairwise([None, *names])
        if name
    ]


def _sql(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _statements(sql: str, dialect: str) -> Iterator[str]:
    """Yield the statements of a file; none of one that begins with the name of another dialect."""
    if sql.startswith("-- only ") and not sql.startswith(f"-- only {dialect}\n"):
        return
    lines = (line for line in sql.splitlines() if not line.startswith("--"))
    yield from filter(str.strip, "\n".join(lines).split(";"))


def _upgrade_by(sql: str) -> Callable[[], None]:
    """Return a revision's function; Alembic's log asks for its name, which a partial lacks."""

    def upgrade() -> None:
        from alembic import op

        for statement in _statements(sql, op.get_bind().dialect.name):
            op.execute(statement)

    return upgrade


def _stamp(connection: Connection, revision: str) -> None:
    VERSION_TABLE.create(connection, checkfirst=True)
    connection.execute(VERSION_TABLE.delete())
    connection.execute(VERSION_TABLE.insert().values(version_num=revision))


def _upgrade(connection: Connection, modules: Iterable[Any]) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext, MigrationStep
    from alembic.script import Script
    from alembic.script.revision import RevisionMap

    scripts = [Script(module, module.revision, str(module.__file__)) for module in modules]
    revisions = RevisionMap(lambda: scripts)

    def steps(heads: tuple[str, ...], _context: Any) -> list[RevisionStep]:
        ahead = revisions.iterate_revisions("heads", heads, implicit_base=True)
        return [
            MigrationStep.upgrade_from_script(revisions, cast(Script, one))
            for one in reversed([*ahead])
        ]

    context = MigrationContext.configure(connection, opts={"fn": steps})
    with Operations.context(context):
        context.run_migrations()
