"""The comments of a post as a tree that is safe to write: unique ids, no circles, bounded depth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from blogcrawl.core.records import Comment, Post
from blogcrawl.packaging import ids
from blogcrawl.packaging.mets import Node

MAX_DEPTH = 60
"""Deepest nesting in the logical structure: libxml2 refuses documents deeper than 256 levels. The
true parent of a deeper comment still stands in its MARC record and in post.json."""
_LABEL_CHARS = 120


@dataclass(slots=True)
class Reply:
    """A comment in its thread. ``uuid``: bare; ``parent``: None where that is the post."""

    comment: Comment
    uuid: str
    parent: Reply | None = None
    replies: list[Reply] = field(default_factory=list)


class Thread:
    """All comments of a post, in order; an unknown or circular parent counts as the post."""

    def __init__(self, post: Post, entry: str) -> None:
        self.replies: list[Reply] = []
        by_id: dict[str, Reply] = {}
        used: dict[str, int] = {}
        for comment in post.comments:
            name, n = comment.id, used.get(comment.id, 1)
            while name in by_id:
                n += 1
                name = f"{comment.id}#{n}"
            used[comment.id] = n
            reply = Reply(comment, ids.comment_id(entry, name))
            by_id[name] = reply
            self.replies.append(reply)
        tops: dict[int, Reply] = {}
        for reply in self.replies:
            parent = (
                by_id.get(reply.comment.parent_id) if reply.comment.parent_id is not None else None
            )
            if parent is not None and _top(parent, tops) is not reply:
                tops[id(reply)] = reply.parent = parent
                parent.replies.append(reply)
        self.roots = [reply for reply in self.replies if reply.parent is None]

    def __iter__(self) -> Iterator[Reply]:
        return iter(self.replies)

    def node(self, entry: str, title: str) -> Node:
        """Return the tree as divs of a METS structMap."""
        top = Node(type="post", label=title, urn=ids.urn(entry))
        stack = [(top, reply, 1) for reply in reversed(self.roots)]
        while stack:
            above, reply, depth = stack.pop()
            label = (reply.comment.author or reply.comment.title or reply.comment.kind)[
                :_LABEL_CHARS
            ]
            node = Node(type=reply.comment.kind, label=label, urn=ids.urn(reply.uuid))
            above.children.append(node)
            below = node if depth < MAX_DEPTH else above
            stack.extend((below, child, depth + 1) for child in reversed(reply.replies))
        return top


def _top(start: Reply, above: dict[int, Reply]) -> Reply:
    """Return the end of the chain of ``start``; ``above`` (ancestors) is shortened on the way.

    Walking the parents themselves is quadratic in the levels of a thread.
    """
    step = start
    while id(step) in above:
        parent = above[id(step)]
        above[id(step)] = above.get(id(parent), parent)
        step = parent
    return step
