-- How many posts of a blog are archived and missing.
ALTER TABLE visits ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN missing INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN missing_due TEXT;
