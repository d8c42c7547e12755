"""Lines of a page, whatever boxes they stand in."""

from __future__ import annotations

import lxml.html

from blogcrawl.dom.page_lines import blank, copied, page_lines
from blogcrawl.text.visible import node_text

PAGE = """<body><table><tr><td><b>A title</b><br>One <i>two</i> three<hr>Four
<form><textarea name=x>typed</textarea></form>Five</td></tr></table>
<font size=1>Six<p>Seven</font><pre>From: Ann
Date: today</pre><script>no()</script></body>"""


def test_breaks_end_lines_in_boxes_and_out_of_them():
    lines = page_lines(lxml.html.document_fromstring(PAGE).body)
    assert [line.text for line in lines] == [
        "A title",
        "One two three",
        "Four",
        "Five",
        "Six",
        "Seven",
        "From: Ann",
        "Date: today",
    ]
    assert [line.text for line in lines if line.is_ruled] == ["Four"]
    assert [line.text for line in lines if line.is_behind_field] == ["Five"]


def test_lines_are_taken_out_of_their_tree():
    body = lxml.html.document_fromstring(PAGE).body
    lines = page_lines(body)
    blank([line for line in lines if line.text in ("One two three", "Six", "From: Ann")])
    assert node_text(body).split() == "A title Four Five Seven Date: today".split()


def test_a_line_is_copied_with_its_markup():
    line = page_lines(lxml.html.document_fromstring(PAGE).body)[1]
    copy = lxml.html.tostring(copied(line, "p"), encoding="unicode")
    assert copy == "<p>One <i>two</i> three</p>"
