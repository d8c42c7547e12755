"""A column of blogs that nothing used: visits are in a table of their own (0002)."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.execute("ALTER TABLE blogs DROP COLUMN interval_seconds")
