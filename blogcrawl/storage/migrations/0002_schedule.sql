-- The schedule of a cluster: visits, jobs and nodes.

CREATE TABLE visits (
    blog_id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    next_visit TEXT,
    habit TEXT,
    facts TEXT,
    feed TEXT,
    failures INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    job_id TEXT
);
CREATE INDEX visits_due ON visits (state, next_visit);
CREATE INDEX visits_by_job ON visits (job_id);

CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    host TEXT NOT NULL,
    blogs TEXT NOT NULL,
    node TEXT,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 1,
    created TEXT,
    sent TEXT,
    lease_until TEXT,
    ended TEXT,
    reason TEXT
);
CREATE INDEX jobs_by_state ON jobs (state);

CREATE TABLE nodes (
    url TEXT PRIMARY KEY,
    capacity INTEGER NOT NULL,
    state TEXT NOT NULL,
    trouble TEXT,
    message TEXT,
    failures INTEGER NOT NULL DEFAULT 0,
    retry_at TEXT,
    version TEXT,
    running INTEGER NOT NULL DEFAULT 0,
    pending INTEGER NOT NULL DEFAULT 0,
    jobs_sent BIGINT NOT NULL DEFAULT 0,
    last_seen TEXT
);
