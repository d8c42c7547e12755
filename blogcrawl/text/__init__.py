"""Text: visible text of HTML trees, normalisation and similarity."""
