"""The ways of finding fields, one class each: the papers' methods, embedded data, the generic
scorer; and learning without a feed.
"""
