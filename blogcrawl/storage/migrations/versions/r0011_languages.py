"""The language and the letters of each post, by which the blog's language is found.

They were not kept here: visits fill them in, and ``import ARCHIVE/packages`` all at once.
"""

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.execute("ALTER TABLE posts ADD COLUMN language TEXT")
    op.execute("ALTER TABLE posts ADD COLUMN letters INTEGER")
