"""Title, authors, date line and tags as readers and machines find them on a page."""
