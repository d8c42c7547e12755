-- Subscriptions to hubs (WebSub); crawls by their end.
CREATE INDEX crawls_by_end ON crawls (ended);

CREATE TABLE subscriptions (
    blog_id TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    topic TEXT NOT NULL,
    hub TEXT NOT NULL,
    secret TEXT NOT NULL,
    state TEXT NOT NULL,
    due TEXT,
    expires TEXT,
    pushed TEXT,
    failures INTEGER NOT NULL DEFAULT 0,
    reason TEXT
);
CREATE UNIQUE INDEX subscriptions_by_token ON subscriptions (token);
CREATE INDEX subscriptions_due ON subscriptions (due);
