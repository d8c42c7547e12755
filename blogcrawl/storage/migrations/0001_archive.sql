-- Blogs, their addresses, posts, media, crawls and leases.

CREATE TABLE blogs (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    title TEXT,
    feeds TEXT,
    model TEXT,
    record TEXT,
    aip_id TEXT,
    aip_version INTEGER NOT NULL DEFAULT 0,
    last_crawl TEXT,
    next_visit TEXT,
    interval_seconds INTEGER,
    health TEXT NOT NULL DEFAULT 'new',
    failures INTEGER NOT NULL DEFAULT 0,
    reason TEXT
);
CREATE INDEX blogs_by_url ON blogs (url);
CREATE INDEX blogs_by_visit ON blogs (next_visit);

CREATE TABLE aliases (
    url_key TEXT PRIMARY KEY,
    blog_id TEXT NOT NULL
);

CREATE TABLE posts (
    blog_id TEXT NOT NULL,
    url_key TEXT NOT NULL,
    url TEXT NOT NULL,
    title TEXT,
    published TEXT,
    modified TEXT,
    content_digest TEXT,
    comment_count INTEGER NOT NULL DEFAULT 0,
    comments_shown INTEGER,
    aip_id TEXT,
    aip_version INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT 'published',
    etag TEXT,
    last_modified TEXT,
    first_seen TEXT,
    last_seen TEXT,
    next_comment_check TEXT,
    comments_feed_url TEXT,
    PRIMARY KEY (blog_id, url_key)
);
CREATE INDEX posts_by_date ON posts (blog_id, published, url_key);
CREATE INDEX posts_by_aip ON posts (aip_id);

CREATE TABLE media (
    blog_id TEXT NOT NULL,
    url_key TEXT NOT NULL,
    url TEXT NOT NULL,
    sha256 TEXT,
    mime TEXT,
    size BIGINT,
    aip_id TEXT,
    path TEXT,
    error TEXT,
    PRIMARY KEY (blog_id, url_key)
);
CREATE INDEX media_by_digest ON media (blog_id, sha256);

CREATE TABLE crawls (
    id TEXT PRIMARY KEY,
    blog_id TEXT NOT NULL,
    spider TEXT NOT NULL,
    node TEXT NOT NULL DEFAULT '',
    started TEXT,
    ended TEXT,
    outcome TEXT NOT NULL DEFAULT 'running',
    counts TEXT,
    report TEXT
);
CREATE INDEX crawls_by_blog ON crawls (blog_id, started);

CREATE TABLE leases (
    blog_id TEXT PRIMARY KEY,
    token BIGINT NOT NULL,
    owner TEXT NOT NULL,
    expires TEXT
);
