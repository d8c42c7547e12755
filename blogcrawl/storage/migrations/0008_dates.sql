-- Dates of posts keep their precision and offset behind the moment in UTC. Midnight UTC was a bare
-- day. Offsets were not kept here: `import ARCHIVE/packages` reads them from the packages.
UPDATE posts SET published = published || ' day' WHERE published LIKE '%T00:00:00.000000Z';
UPDATE posts SET modified = modified || ' day' WHERE modified LIKE '%T00:00:00.000000Z';
