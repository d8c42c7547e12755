-- Tombstones of what was removed on purpose.

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
);
CREATE INDEX removed_by_blog ON removed (blog_id, url_key);
