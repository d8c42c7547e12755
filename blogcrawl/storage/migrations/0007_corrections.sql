-- Corrections by the operator.

CREATE TABLE corrections (
    blog_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL DEFAULT '',
    made TEXT,
    PRIMARY KEY (blog_id, kind, name)
);
