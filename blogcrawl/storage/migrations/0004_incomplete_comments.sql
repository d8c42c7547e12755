-- Posts of which comments are missing.
ALTER TABLE posts ADD COLUMN comments_incomplete TEXT;
ALTER TABLE posts ADD COLUMN comments_tries INTEGER NOT NULL DEFAULT 0;
