"""The page index, selectors and text statistics of a parsed page."""
