"""The search index, in PostgreSQL; that of an archive in SQLite is a file of its own."""

from alembic import op

from blogcrawl.storage.search.schema import STATEMENTS

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for statement in STATEMENTS:
            op.execute(statement)
