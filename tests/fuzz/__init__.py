"""Fuzzing of every parser of foreign bytes: see ``__main__`` for the command and ``targets`` for
what is fuzzed.
"""
