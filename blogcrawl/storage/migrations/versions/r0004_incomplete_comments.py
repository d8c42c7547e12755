"""Posts of which comments are missing."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.execute("ALTER TABLE posts ADD COLUMN comments_incomplete TEXT")
    op.execute("ALTER TABLE posts ADD COLUMN comments_tries INTEGER NOT NULL DEFAULT 0")
