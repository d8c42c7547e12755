-- A column of blogs that nothing used: visits are in a table of their own (0002).
ALTER TABLE blogs DROP COLUMN interval_seconds;
