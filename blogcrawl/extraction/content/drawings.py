"""Drawings that a post has as inline SVG become pictures that carry their own data.

As elements of the page they could run scripts and take styles from a theme that is not kept; as
pictures they do neither (SVG 2, 2.1, image processing mode).
"""

from __future__ import annotations

import base64

import lxml.html
from lxml import etree
from lxml.html import HtmlElement

from blogcrawl.core.bounds import MAX_ELEMENTS
from blogcrawl.core.evidence import FOLLOWING
from blogcrawl.text.visible import squeeze

DRAWN = "data:image/svg+xml;charset=utf-8;base64,"
"""What the address of a drawing begins with, and of no placeholder."""
_ACTIVE = ("script", "iframe", "object", "embed", "audio", "video")
_WORDS = ("text", "foreignobject", "foreignObject")
_SHAPES = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "image", *_WORDS)
_IS_FORMULA = etree.XPath(
    "boolean(ancestor::*[self::mjx-container or contains(@class, 'MathJax')"
    " or contains(@class, 'katex')])"
)
"""MathJax and KaTeX: the formula itself stands next to what draws it."""
_ELSEWHERE = frozenset("svg a button label summary nav h1 h2 h3 h4 h5 h6".split())
"""Elements in which a drawing is a part of another one, or the sign of a control."""

# HTML Living Standard, 13.2.6.1 and 13.2.6.5: the names that are not all lower case in SVG, which
# the parser of HTML writes so
_ELEMENTS = {
    name.lower(): name
    for name in (
        "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath "
        "feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting "
        "feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR "
        "feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight "
        "feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient "
        "radialGradient textPath"
    ).split()
}
_ATTRIBUTES = {
    name.lower(): name
    for name in (
        "attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits "
        "diffuseConstant edgeMode filterUnits glyphRef gradientTransform gradientUnits "
        "kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lengthAdjust "
        "limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits "
        "numOctaves pathLength patternContentUnits patternTransform patternUnits pointsAtX "
        "pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits refX refY "
        "repeatCount repeatDur requiredExtensions requiredFeatures specularConstant "
        "specularExponent spreadMethod startOffset stdDeviation stitchTiles surfaceScale "
        "systemLanguage tableValues targetX targetY textLength viewBox viewTarget "
        "xChannelSelector yChannelSelector zoomAndPan"
    ).split()
}
_XHTML = "http://www.w3.org/1999/xhtml"
_NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def drawings_to_pictures(root: HtmlElement) -> None:
    """Put a picture in the place of each ``svg`` below ``root`` that draws something; signs of
    links and buttons stay what they are."""
    for drawing in list(filter(_is_drawing, root.iter("svg"))):
        data = _data(drawing)
        picture = lxml.html.Element("img", src=data, alt=_name(drawing))
        picture.tail = drawing.tail
        drawing.getparent().replace(drawing, picture)


def _is_drawing(drawing: HtmlElement) -> bool:
    """Return whether it has words or more shapes than a sign (a sun with its rays has nine), or is
    shown as a figure; what has too many to look at stays in the evidence alone."""
    around = {above.tag for above in drawing.iterancestors()}
    if not _ELSEWHERE.isdisjoint(around) or _IS_FORMULA(drawing):
        return False
    shapes = len(list(drawing.iter(*_SHAPES)))
    least = 1 if _words(drawing) or "figure" in around else FOLLOWING
    return least <= shapes <= MAX_ELEMENTS


def _words(drawing: HtmlElement) -> str:
    return squeeze(" ".join(text.text_content() for text in drawing.iter(*_WORDS)))


def _name(drawing: HtmlElement) -> str:
    """Return what the drawing is called: its title or description, else the words in it."""
    named = (squeeze(drawing.findtext(tag)) for tag in ("title", "desc"))
    return next(filter(None, named), "") or drawing.get("aria-label") or _words(drawing)


def _data(drawing: HtmlElement) -> str:
    """Return the drawing as an address that holds it. It is changed."""
    etree.strip_elements(drawing, etree.Comment, *_ACTIVE, with_tail=False)
    for part in drawing.iterfind(".//foreignobject/*"):
        part.set("xmlns", _XHTML)
    for element in drawing.iter(etree.Element):
        element.tag = _ELEMENTS.get(element.tag, element.tag)
        kept = {
            _ATTRIBUTES.get(name, name): value
            for name, value in element.attrib.items()
            if not name.startswith(("on", "xmlns")) or value == _XHTML
        }
        element.attrib.clear()
        element.attrib.update(kept)
    markup = etree.tostring(drawing, encoding="unicode", with_tail=False)
    markup = markup.replace("<svg", f"<svg {_NAMESPACES}", 1)
    return DRAWN + base64.b64encode(markup.encode()).decode()
