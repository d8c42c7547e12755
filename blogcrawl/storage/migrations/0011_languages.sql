-- The language and the letters of each post, by which the blog's language is found. They were not
-- kept here: visits fill them in, and `import ARCHIVE/packages` all at once.
ALTER TABLE posts ADD COLUMN language TEXT;
ALTER TABLE posts ADD COLUMN letters INTEGER;
