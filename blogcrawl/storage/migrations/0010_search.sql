-- only postgresql
-- The search index, in PostgreSQL; that of an archive in SQLite is a file of its own.

CREATE TABLE search_posts (
    aip_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    blog_id TEXT NOT NULL,
    published BIGINT,
    year TEXT,
    language TEXT,
    authors TEXT[] NOT NULL,
    tags TEXT[] NOT NULL,
    terms TSVECTOR NOT NULL
);
CREATE INDEX search_posts_by_blog ON search_posts (blog_id);
CREATE INDEX search_posts_by_terms ON search_posts USING gin (terms);
