"""Full text over posts and comments: SQLite FTS5 or PostgreSQL behind one interface.

``documents`` makes an index entry of a post, ``queries`` reads what a user types, ``sqlite`` and
``postgres`` hold the index, ``filling`` keeps it equal to the state, ``finding`` answers a query
with snippets from the packages.
"""
