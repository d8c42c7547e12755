"""Revisions of the state database. One that was released is never edited."""
