"""Dates of posts keep their precision and offset behind the moment in UTC.

Midnight UTC was a bare day. Offsets were not kept here: ``import ARCHIVE/packages`` reads them from
the packages.
"""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    for name in ("published", "modified"):
        op.execute(
            f"UPDATE posts SET {name} = {name} || ' day' WHERE {name} LIKE '%T00:00:00.000000Z'"
        )
