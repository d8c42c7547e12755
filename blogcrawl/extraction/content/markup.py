"""The markup that archived content may consist of: what is kept, what goes with its content."""

from __future__ import annotations

TAGS = frozenset(
    "a abbr acronym address article aside audio b bdi bdo big blockquote br caption center cite "
    "code col colgroup data dd del details dfn"
    " div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hgroup hr i img ins kbd li main mark ol "
    "p picture pre q rp rt ruby s samp section"
    " small source span strike strong sub summary sup table tbody td tfoot th thead time tr "
    "track tt u ul var video wbr"
    # MathML core
    " math annotation maction menclose merror mfrac mi mmultiscripts mn mo mover mpadded "
    "mphantom mprescripts mroot mrow ms mspace msqrt"
    " mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics".split()
)
"""What a post may be made of (HTML Living Standard, flow and phrasing content; MathML Core)."""

ATTRIBUTES: dict[str, set[str]] = {
    "*": {"id", "title", "lang", "dir"},
    "a": {"href", "name", "hreflang", "rev"},
    "img": {"src", "alt", "width", "height"},
    "audio": {"src", "controls"},
    "video": {"src", "poster", "controls", "width", "height"},
    "source": {"src", "type", "media"},
    "track": {"src", "kind", "srclang", "label"},
    "blockquote": {"cite"},
    "q": {"cite"},
    "del": {"cite", "datetime"},
    "ins": {"cite", "datetime"},
    "time": {"datetime"},
    "data": {"value"},
    "ol": {"start", "type", "reversed"},
    "li": {"value"},
    "td": {"colspan", "rowspan", "headers", "align"},
    "th": {"colspan", "rowspan", "headers", "scope", "align"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    # language-xyz of code blocks; what highlighters hang on spans is not kept
    "code": {"class"},
    "pre": {"class"},
    "math": {"display", "xmlns", "alttext"},
    "annotation": {"encoding"},
    "mo": {"stretchy", "fence", "separator", "lspace", "rspace"},
    "mi": {"mathvariant"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mspace": {"width"},
    "mtd": {"columnspan", "rowspan"},
    "mfrac": {"linethickness"},
}

DROP_WITH_CONTENT = frozenset(
    (
        "script style template noscript iframe object embed applet svg canvas select textarea "
        "button head"
    ).split()
)
