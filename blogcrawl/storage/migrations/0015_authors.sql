-- The authors of each post, as a JSON array, by which the blog's authors are found. They were not
-- kept here: visits fill them in, and `import ARCHIVE/packages` all at once.
ALTER TABLE posts ADD COLUMN authors TEXT;
