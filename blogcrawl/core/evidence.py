"""How many, and which share of, pages, posts, comments or letters is evidence."""

from __future__ import annotations

SEVERAL = 3
"""Pages, posts or comments that are not alike by chance: two may quote the same."""
FEW_PAGES = 4
"""Pages that stand for all of a blog where each costs time."""
MORE_PAGES = 7
"""Pages that show what recurs on a blog."""
NEAR = 3
"""Lines, blocks or elements at an edge or around a place that are looked at."""
LEVELS = 6
"""Elements around one that may hold what belongs to it."""
FOLLOWING = 12
"""Elements in or behind one that may belong to it."""
MARGIN = 0.03
"""How much more alike what costs more (a second place, a rule of one page) must be."""
SOME = 0.25
"""Share from which something is no exception."""
MAJORITY = 0.6
"""Share that must have something which the rest may lack."""
MOSTLY_LINKS = 0.7
"""Share of a block's letters in links from which it is links and nothing else."""
MOST = 0.8
"""Share from which what is alike is said of all."""
NEARLY_ALL = 0.9
"""Share that counts as all: one odd page in ten says nothing."""
