"""Tombstones of what was removed on purpose."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.execute("""
        CREATE TABLE removed (
            url_key TEXT NOT NULL,
            blog_id TEXT NOT NULL,
            url TEXT NOT NULL,
            kind TEXT NOT NULL,
            aip_id TEXT,
            addresses TEXT,
            removed_at TEXT NOT NULL,
            removed_by TEXT NOT NULL,
            reason TEXT NOT NULL,
            purged INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (url_key, blog_id)
        )
    """)
    op.execute("CREATE INDEX removed_by_blog ON removed (blog_id, url_key)")
