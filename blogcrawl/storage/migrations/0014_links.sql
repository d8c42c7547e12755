-- The hosts that each post links to, as a JSON array. They were not kept here: visits fill them in,
-- and `import ARCHIVE/packages` all at once.
ALTER TABLE posts ADD COLUMN links TEXT;
