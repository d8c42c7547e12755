"""The documentation as a site: ``python -m sphinx -W docs build/docs`` (the extra ``dev``)."""

project = "blogcrawl"
author = "The blogcrawl authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4
exclude_patterns = ["example-blog"]
html_theme = "furo"
html_title = "blogcrawl"
html_copy_source = False
html_show_sphinx = False
# The example package is a generated page.
suppress_warnings = ["myst.header"]
