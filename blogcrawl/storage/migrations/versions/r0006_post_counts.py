"""How many posts of a blog are archived and missing."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.execute("ALTER TABLE visits ADD COLUMN archived INTEGER NOT NULL DEFAULT 0")
    op.execute("ALTER TABLE visits ADD COLUMN missing INTEGER NOT NULL DEFAULT 0")
    op.execute("ALTER TABLE visits ADD COLUMN missing_due TEXT")
