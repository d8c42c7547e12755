"""Vocabularies: words by which themes name comments, bylines and boilerplate."""
