"""Where a post's text stands on a page, what in it is not the post, and the clean HTML that is
kept.
"""
