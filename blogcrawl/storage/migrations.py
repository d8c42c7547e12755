"""Versions of the state database. A step, once released, is never edited: a change of tables is a
new step at the end.

The SQL is the part that SQLite and PostgreSQL share. Times are UTC ISO 8601 text, JSON is text
(``state_schema``).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, inspect, text

from blogcrawl.core.errors import ArchiveError

STEPS: Sequence[Sequence[str]] = (
    (
        """CREATE TABLE blogs (id TEXT PRIMARY KEY, url TEXT NOT NULL, title TEXT, feeds TEXT,
        model TEXT, record TEXT, aip_id TEXT,
           aip_version INTEGER NOT NULL DEFAULT 0, last_crawl TEXT, next_visit TEXT,
           interval_seconds INTEGER,
           health TEXT NOT NULL DEFAULT 'new', failures INTEGER NOT NULL DEFAULT 0, reason TEXT)""",
        "CREATE INDEX blogs_by_url ON blogs (url)",
        "CREATE INDEX blogs_by_visit ON blogs (next_visit)",
        "CREATE TABLE aliases (url_key TEXT PRIMARY KEY, blog_id TEXT NOT NULL)",
        """CREATE TABLE posts (blog_id TEXT NOT NULL, url_key TEXT NOT NULL, url TEXT NOT NULL,
        title TEXT, published TEXT, modified TEXT,
           content_digest TEXT, comment_count INTEGER NOT NULL DEFAULT 0, comments_shown INTEGER,
           aip_id TEXT,
           aip_version INTEGER NOT NULL DEFAULT 0, status TEXT NOT NULL DEFAULT 'published',
           etag TEXT, last_modified TEXT,
           first_seen TEXT, last_seen TEXT, next_comment_check TEXT, comments_feed_url TEXT,
           PRIMARY KEY (blog_id, url_key))""",
        "CREATE INDEX posts_by_date ON posts (blog_id, published, url_key)",
        "CREATE INDEX posts_by_aip ON posts (aip_id)",
        """CREATE TABLE media (blog_id TEXT NOT NULL, url_key TEXT NOT NULL, url TEXT NOT NULL,
        sha256 TEXT, mime TEXT, size BIGINT,
           aip_id TEXT, path TEXT, error TEXT, PRIMARY KEY (blog_id, url_key))""",
        "CREATE INDEX media_by_digest ON media (blog_id, sha256)",
        """CREATE TABLE crawls (id TEXT PRIMARY KEY, blog_id TEXT NOT NULL, spider TEXT NOT NULL,
        node TEXT NOT NULL DEFAULT '',
           started TEXT, ended TEXT, outcome TEXT NOT NULL DEFAULT 'running', counts TEXT,
           report TEXT)""",
        "CREATE INDEX crawls_by_blog ON crawls (blog_id, started)",
        (
            "CREATE TABLE leases (blog_id TEXT PRIMARY KEY, token BIGINT NOT NULL, owner TEXT NOT "
            "NULL, expires TEXT)"
        ),
    ),
    (
        """CREATE TABLE visits (blog_id TEXT PRIMARY KEY, url TEXT NOT NULL, host TEXT NOT NULL,
        kind TEXT NOT NULL, state TEXT NOT NULL,
           next_visit TEXT, habit TEXT, facts TEXT, feed TEXT,
           failures INTEGER NOT NULL DEFAULT 0, reason TEXT, job_id TEXT)""",
        "CREATE INDEX visits_due ON visits (state, next_visit)",
        "CREATE INDEX visits_by_job ON visits (job_id)",
        """CREATE TABLE jobs (id TEXT PRIMARY KEY, kind TEXT NOT NULL, host TEXT NOT NULL,
        blogs TEXT NOT NULL, node TEXT,
           state TEXT NOT NULL, attempt INTEGER NOT NULL DEFAULT 1, created TEXT, sent TEXT,
           lease_until TEXT, ended TEXT, reason TEXT)""",
        "CREATE INDEX jobs_by_state ON jobs (state)",
        """CREATE TABLE nodes (url TEXT PRIMARY KEY, capacity INTEGER NOT NULL,
        state TEXT NOT NULL, trouble TEXT, message TEXT,
           failures INTEGER NOT NULL DEFAULT 0, retry_at TEXT, version TEXT,
           running INTEGER NOT NULL DEFAULT 0,
           pending INTEGER NOT NULL DEFAULT 0, jobs_sent BIGINT NOT NULL DEFAULT 0,
           last_seen TEXT)""",
    ),
    (
        "CREATE INDEX crawls_by_end ON crawls (ended)",
        """CREATE TABLE subscriptions (blog_id TEXT PRIMARY KEY, token TEXT NOT NULL,
        topic TEXT NOT NULL, hub TEXT NOT NULL,
           secret TEXT NOT NULL, state TEXT NOT NULL, due TEXT, expires TEXT, pushed TEXT,
           failures INTEGER NOT NULL DEFAULT 0,
           reason TEXT)""",
        "CREATE UNIQUE INDEX subscriptions_by_token ON subscriptions (token)",
        "CREATE INDEX subscriptions_due ON subscriptions (due)",
    ),
    (
        "ALTER TABLE posts ADD COLUMN comments_incomplete TEXT",
        "ALTER TABLE posts ADD COLUMN comments_tries INTEGER NOT NULL DEFAULT 0",
    ),
    (
        """CREATE TABLE removed (url_key TEXT NOT NULL, blog_id TEXT NOT NULL, url TEXT NOT NULL,
        kind TEXT NOT NULL, aip_id TEXT,
           addresses TEXT, removed_at TEXT NOT NULL, removed_by TEXT NOT NULL, reason TEXT NOT NULL,
           purged INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (url_key, blog_id))""",
        "CREATE INDEX removed_by_blog ON removed (blog_id, url_key)",
    ),
    (
        "ALTER TABLE visits ADD COLUMN archived INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE visits ADD COLUMN missing INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE visits ADD COLUMN missing_due TEXT",
    ),
)
VERSION = len(STEPS)


def current_version(connection: Connection) -> int:
    """0 for an empty database."""
    if not inspect(connection).has_table("schema_version"):
        return 0
    return int(connection.execute(text("SELECT MAX(version) FROM schema_version")).scalar() or 0)


def check_version(connection: Connection, steps: Sequence[Sequence[str]] = STEPS) -> int:
    """The database's version. Raises ArchiveError where a newer blogcrawl has made it."""
    found = current_version(connection)
    if found > len(steps):
        raise ArchiveError(
            (
                f"the state database is of version {found}, this blogcrawl knows versions up to "
                f"{len(steps)}"
            ),
            advice="use a newer blogcrawl",
        )
    return found


def migrate(connection: Connection, steps: Sequence[Sequence[str]] = STEPS) -> None:
    """Bring the database to the newest version, inside the caller's transaction.

    Raises ArchiveError where a newer blogcrawl has made it.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(20140613)"))
    found = check_version(connection, steps)
    if found == 0:
        connection.execute(
            text("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY)")
        )
    for number, statements in enumerate(steps[found:], start=found + 1):
        for statement in statements:
            connection.execute(text(statement))
        connection.execute(text("INSERT INTO schema_version (version) VALUES (:v)"), {"v": number})
