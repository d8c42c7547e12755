"""Dates as blogs write them, on pages, in feeds, URLs and comments."""
