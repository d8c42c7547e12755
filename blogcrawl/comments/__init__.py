"""Comments of a post: from the platform's data, feeds, pages and browsers, merged into one
thread."""

from blogcrawl.comments.learn import learn_comments
from blogcrawl.comments.merge import merge
from blogcrawl.comments.page_reader import extract_comments
from blogcrawl.comments.records import CommentResult, CommentRules
from blogcrawl.comments.sources import entry_comment, feed_comments, wordpress_comments

__all__ = [
    "CommentResult",
    "CommentRules",
    "entry_comment",
    "extract_comments",
    "feed_comments",
    "learn_comments",
    "merge",
    "wordpress_comments",
]
