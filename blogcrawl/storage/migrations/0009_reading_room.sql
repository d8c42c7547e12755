-- Indexes for the reading room: posts archived last, and numbers of comments without their rows.
CREATE INDEX posts_by_first_seen ON posts (first_seen);
CREATE INDEX posts_by_comments ON posts (blog_id, comment_count);
