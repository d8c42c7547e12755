-- A column of blogs that nothing wrote: when a blog is visited stands in visits (0002).
DROP INDEX blogs_by_visit;
ALTER TABLE blogs DROP COLUMN next_visit;
