"""Corrections by the operator."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute("""
        CREATE TABLE corrections (
            blog_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            value TEXT NOT NULL DEFAULT '',
            made TEXT,
            PRIMARY KEY (blog_id, kind, name)
        )
    """)
