"""Indexes for the reading room: posts archived last, and numbers of comments without their rows."""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.execute("CREATE INDEX posts_by_first_seen ON posts (first_seen)")
    op.execute("CREATE INDEX posts_by_comments ON posts (blog_id, comment_count)")
