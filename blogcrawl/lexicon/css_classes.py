"""Words by which themes and plug-ins name what is *not* the post.  Data, no knowledge of any one
blog.

A label is the text of an element's ``class``, ``id``, ``role`` and the like. It is cut into words
at punctuation and at lower-upper case changes; ``kind_of`` then looks for single words and for
pairs. The vocabulary comes from the defaults of blog engines (WordPress, Blogger, Ghost, Movable
Type, Drupal), static generators' themes, microformats and widely used sharing/related/comment
plug-ins; words of other languages are those of localised themes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Kind = Literal[
    "share", "related", "comments", "author", "meta", "nav", "subscribe", "ad", "hidden", "title"
]

_WORDS = re.compile(r"[A-Z]?[a-z\u00df-\u024f\u0400-\u04ff]+|[A-Z]+(?![a-z])|\d+|[\u3040-\u9fff]+")

SINGLE: dict[str, Kind] = {
    word: kind  # type: ignore[misc]
    for kind, words in {
        "share": "sharedaddy sharing addtoany addthis a2a shareaholic sharethis sociable ssba "
        "essb heateor mashsb ssk sharebar sharebuttons"
        " sharer shares socialshare sharepost postshare addshare bookmarking socialmedia "
        "partager teilen compartir condividi compartilhar"
        " delen udostepnij поделиться shariff ulike likebtn upvote kudos claps hatena "
        "tweetbutton likebox fbshare tweetmeme digg snapback"
        " donate donation tipjar sponsorship reward postratings kksr yasr",
        "related": "yarpp yarppp relatedposts jprelatedposts relatedpost zemanta outbrain "
        "taboola linkwithin similarposts nrelate crp"
        " wprp relatedcontent recirculation linkbox teasers aehnliche verwandte verwandt "
        "похожие similaires relacionados"
        " relacionadas correlati podobne",
        "comments": "disqus respond commentlist commentform giscus utterances utteranc gitalk "
        "gitment valine waline twikoo isso cusdis"
        " remark42 hyvor intensedebate commento cactus livefyre trackbacks trackback pingbacks "
        "pingback kommentare kommentarer commentaires"
        " comentarios comentários commenti reacties komentarze комментарии webmentions webmention",
        "author": (
            "saboxplugin molongui authorbox authorbio authorinfo aboutauthor bio "
            "biography byline autor"
        ),
        "meta": "postmeta entrymeta postinfo postmetadata metadata postdate dateline permalink "
        "tagcloud postedon taglist posttags entryinfo"
        " articlemeta articleinfo readingtime wordcount pageviews busuanzi leancloud updated "
        "editlink copyright license licence taxonomies"
        " licenceinfo licenseinfo entryfooter postfooter articlefooter",
        "nav": "breadcrumb breadcrumbs crumb crumbs pagination pager paginator prevnext postnav "
        "postnavigation postpager skiplink sidebar"
        " navbar navigation sitenav nextprev nav offcanvas topnav backtotop totop menu",
        "subscribe": (
            "newsletter subscribe subscription mailchimp mailerlite convertkit "
            "substack signup optin cta"
        ),
        "ad": "anzeige werbung reklama publicidad publicite adsbygoogle adsense advertisement "
        "advert ads adbox sponsored"
        " adslot bannerad googlead dfp",
        "hidden": "headerlink headeranchor heading anchorlink cookieconsent cookiebanner "
        "cookiebar cookienotice cookielaw borlabs onetrust"
        " usercentrics cookiebot cmplz iubenda didomi gdpr dsgvo ccpa rgpd",
    }.items()
    for word in words.split()
    if word != "heading"
}
"""One word is enough."""

_OBJECT = "post entry article blog page single content item story hentry"
PAIRS: dict[Kind, tuple[tuple[str, str], ...]] = {
    "share": (
        (
            "share social",
            (
                "buttons button bar links link icons icon box tools wrap wrapper container list "
                "this block media post article row"
            ),
        ),
        (_OBJECT, "share sharing social shares likes like"),
        ("social share like", "widget section area networks network"),
        (
            "fb twitter facebook tweet plusone pinterest linkedin whatsapp telegram",
            "share button like follow",
        ),
        ("follow", "us me buttons links"),
        ("print", "button buttons link links"),
        ("recipe", "buttons button jump print"),
        ("jump", "recipe"),
        ("audio", "player"),
        (_OBJECT, "rating ratings"),
    ),
    "related": (
        (
            (
                "related similar recommended suggested more recent popular latest read also other "
                "further"
            ),
            (
                "posts post articles article entries entry stories reading content links list "
                "items "
                "section widget container box wrapper"
            ),
        ),
        ("you", "may might"),
        ("jp", "relatedposts"),
        (_OBJECT, "related recommend recommended recommendations similar series"),
        ("read", "next more also"),
        ("up", "next"),
        ("next previous prev", "post article entry posts articles story"),
    ),
    "comments": (
        (
            "comment comments",
            (
                "list area section form wrap wrapper container thread template respond box body "
                "reply count link block holder"
            ),
        ),
        (
            "kommentar",
            (
                "list liste bereich box form formular feld content inhalt container modul wrapper "
                "block"
            ),
        ),
        ("review reviews", "list widget widg section container wrap wrapper tab tabs form summary"),
        ("product customer user guest", "reviews ratings"),
        (_OBJECT, "comment comments"),
        ("leave", "comment reply"),
        ("reply", "form link"),
    ),
    "author": (
        (
            "author",
            (
                "box bio info card profile description area block section about avatar details "
                "meta "
                "widget vcard"
            ),
        ),
        ("about", "author me"),
        (_OBJECT, "author byline authors"),
    ),
    "meta": (
        (
            _OBJECT,
            "meta metadata info tags tag categories category cats date time taxonomy taxonomies "
            "footer utility details views"
            " published status permalink credits byline header copyright license tools actions "
            "options edit updated",
        ),
        ("tag tags tagged", "list links cloud container wrap items box"),
        ("cat category categories", "links list"),
        ("tags", "links"),
        ("posted filed", "on in by under"),
        ("reading read", "time"),
        ("edit", "link post page"),
        ("last", "updated modified edited"),
        ("word view", "count"),
        ("editorial affiliate advertiser advertising comments", "disclosure disclaimer"),
    ),
    "nav": (
        (_OBJECT, "nav navigation navi pager pagination pages prev next"),
        ("nav", "links previous next single below above post posts"),
        ("page", "links numbers nav"),
        ("back", "top"),
        ("skip", "link content"),
        ("post", "older newer"),
        ("side", "bar"),
    ),
    "subscribe": (
        ("email mail news", "signup subscribe subscription form letter"),
        ("subscribe newsletter", "form box widget"),
        ("call cta", "action box"),
        ("wp", "subscribe"),
    ),
    "ad": (("ad google adsense banner", "container slot unit wrapper block box ad ads inserter"),),
    "hidden": (
        ("screen sr visually", "reader only hidden text"),
        ("header heading", "anchor link"),
        ("line", "nothing"),
        ("copy", "btn button code"),
        (
            "cookie cookies consent privacy",
            (
                "banner bar notice popup modal overlay consent policy message box wrap wrapper "
                "layer dialog"
            ),
        ),
    ),
}
"""Two words together: one of the left, later (anywhere in the label) one of the right."""

_PAIR: dict[str, list[tuple[frozenset[str], Kind]]] = {}
for _kind, _rows in PAIRS.items():
    for _left, _right in _rows:
        for _word in _left.split():
            _PAIR.setdefault(_word, []).append((frozenset(_right.split()), _kind))

KEEP = frozenset(
    (
        "footnote footnotes wp caption figcaption wpcaption prose markdown e-content highlight "
        "codehilite sourcecode"
    ).split()
)
"""Words of true content that the pairs above would catch ("post-footnotes"); such a label is never
noise.
"""

STATES = frozenset("has no not with without".split())
"""Words of names that say what stands beside an element (``has-sidebar``,
``layout--with-comments``), not what it is.
"""

_POST_CLASSES, _TERMS = frozenset(("hentry", "type-post", "h-entry")), ("category-", "tag-")
"""What WordPress's ``post_class`` writes on a post: among it the names of its categories and tags,
which may be any words.
"""

ROLES: dict[str, Kind] = {
    "navigation": "nav",
    "menu": "nav",
    "menubar": "nav",
    "search": "nav",
    "dialog": "hidden",
    "alertdialog": "hidden",
    "toolbar": "share",
    "contentinfo": "meta",
    "banner": "meta",
}
"""ARIA landmark and widget roles (WAI-ARIA 1.2) that never hold a post's text."""


LONGEST_NAME = 200
"""Characters of a class name that are looked at; more are data, not a name."""


@lru_cache(maxsize=1 << 14)
def words_of(label: str) -> tuple[str, ...]:
    """The lower-case words of a class or id attribute."""
    return tuple(word.lower() for word in _WORDS.findall(label))


@lru_cache(maxsize=1 << 14)
def kind_of(label: str) -> Kind | None:
    """What an element with this class (or id) is, None where it says nothing against true content.

    Single words first; then pairs of words within one class name, so that ``entry`` in one name and
    ``info`` in another make no pair.
    """
    names = [name[:LONGEST_NAME] for name in label.split()]
    if not _POST_CLASSES.isdisjoint(names):
        names = [name for name in names if not name.startswith(_TERMS)]
    if any(not KEEP.isdisjoint(words_of(name)) for name in names):
        return None
    return next(filter(None, map(_kind_of_name, names)), None)


def _kind_of_name(name: str) -> Kind | None:
    """The same of one class name."""
    words = words_of(name)
    if not STATES.isdisjoint(words[:-1]):
        return None
    joined = "".join(words)
    for word in (*words, joined):
        if word in SINGLE:
            return SINGLE[word]
    return _kind_of_pair(words) or _WHOLE.get(joined) or ("ad" if _is_ad_slot(words) else None)


def _kind_of_pair(words: tuple[str, ...]) -> Kind | None:
    for place, word in enumerate(words):
        rest = words[place + 1 :]
        for right, kind in _PAIR.get(word, ()):
            if not right.isdisjoint(rest):
                return kind
    return None


def _is_ad_slot(words: tuple[str, ...]) -> bool:
    """Ad Inserter's ``code-block-3``; without a number it is a block of code."""
    return words[:2] == ("code", "block") and "".join(words[2:]).isdigit()


_WHOLE: dict[str, Kind] = {
    "comments": "comments",
    "comment": "comments",
    "related": "related",
    "share": "share",
    "social": "share",
    "meta": "meta",
    "tags": "meta",
    "tagged": "meta",
    "categories": "meta",
    "author": "author",
    "advertisement": "ad",
    "adv": "ad",
    "date": "meta",
    "timestamp": "meta",
    "published": "meta",
    "pubdate": "meta",
    "posted": "meta",
    "category": "meta",
    "categoria": "meta",
    "labels": "meta",
    "datum": "meta",
}
"""Words that count only where they are a whole class name."""
