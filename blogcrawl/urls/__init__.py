"""URLs: canonical form, scope, shapes, and the vocabulary of list and post addresses."""
