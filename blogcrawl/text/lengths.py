"""How long what pages say may be: labels, names, lines, titles; in characters if not in words."""

from __future__ import annotations

MIN_WORDS = 4
"""Words in a row that do not agree by chance."""
MAX_WORDS = 6
"""Words of a name or a tag."""
MIN_REST = 20
"""What must be left of a text for it to be one, and what a content may lack to be the same."""
MAX_CONTROL = 30
"""The label of a button, a link to click, or a section."""
MAX_LABEL = 40
"""A label, or the words around a name or a date."""
MAX_BYLINE = 60
"""A line that is but name and date."""
SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
MIN_SENTENCE = 80
"""From here on a text is a sentence; names, days and headings of dates are shorter."""
MAX_LINE = 120
"""A line with name or date among other words."""
MAX_DATE_LINE = 160
"""A line of a page that may hold the post's date, and how far a byline stands from the title."""
MAX_TITLE = 200
"""A title: a longer one is the content's beginning."""
MIN_PARAGRAPH = 400
"""A paragraph: a text of at least this length is no teaser, a byline has come by then."""
MAX_TEASER = 500
"""A box or paragraph that announces another post."""
