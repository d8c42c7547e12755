"""Lists that show their older posts only to a reader who clicks or scrolls on. Pure.

Both patterns are read by Python and by the script that clicks (``scripts.MORE``), so they keep to
what both languages know.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from blogcrawl.core.page import Page
from blogcrawl.discovery.archives import hub_kind
from blogcrawl.dom.links import page_links
from blogcrawl.text.visible import node_text

WORDS = (
    r"^[^\p]{0,3}(?:"
    r"(?:load|show|view|see)(?: (?:some|the))? (?:more|older|next|previous)(?: "
    r"(?:posts?|entries|articles|stories|results|items))?"
    r"|(?:more|older) (?:posts|entries|articles|stories)"
    r"|(?:mehr|weitere|ältere)(?: (?:beiträge|artikel|einträge|posts))? "
    r"(?:laden|anzeigen|zeigen)|(?:weitere|ältere) (?:beiträge|artikel)"
    r"|(?:charger|voir|afficher) plus(?: d.(?:articles|billets))?|plus "
    r"d.(?:articles|billets)|articles (?:plus anciens|précédents)"
    r"|(?:cargar|mostrar|ver) más(?: (?:entradas|artículos|publicaciones))?|(?:carregar|mostrar|"
    r"ver) mais(?: (?:posts|artigos))?"
    r"|(?:carica|mostra|vedi) (?:altri|altro|di più)(?: (?:post|articoli))?|(?:laad|toon|meer) "
    r"(?:meer|berichten|laden)"
    r"|(?:vis|last inn|indlæs) flere?(?: innlegg| indlæg)?|(?:visa|ladda) fler(?: "
    r"inlägg)?|(?:näytä|lataa) lisää"
    r"|(?:pokaż|wczytaj|załaduj) więcej"
    r"|(?:načíst|zobrazit) (?:další|více)|(?:daha fazla|devamını) (?:göster|yükle|yazı)"
    r"|(?:muat|tampilkan) lebih banyak|xem thêm|tải thêm"
    r"|(?:загрузить|показать|открыть) (?:ещё|еще)|(?:завантажити|показати) "
    r"(?:ще|більше)|(?:もっと|さらに)(?:見る|読み込む|表示)"
    r"|続きを読み込む|(?:加载|載入|加載|查看|显示|顯示)更多|더\s?보기"
    r"|(?:عرض|تحميل) المزيد|(?:טען|הצג) עוד|(?:और|अधिक) (?:देखें|लोड करें)|โหลดเพิ่ม(?:เติม)?"
    r")[^\p]{0,3}$"
).replace(r"\p", "a-zA-Z0-9")
"""What a control says that shows more of a list (never "read more"), with at most three signs
around it.
"""
NAMES = r"(?:^|[\s_-])(?:load|show|view|fetch)[-_]?(?:more|older)(?:[\s_-]|$)"
"""Class and id of such a control."""
_ENDLESS = re.compile(r"infinite[-_]?(?:scroll|load)", re.I)
"""The same of a list that grows by scrolling."""
LONGEST = 40
"""Characters of a label; longer ones are sentences."""
_OTHERS = re.compile(
    r"comment|komment|coment|reply|replies|disqus|коммент|コメント|评论|評論|댓글|related|nav|menu",
    re.I,
)
"""Places whose controls show something else than the list."""
_WORDS, _NAMES = re.compile(WORDS, re.I), re.compile(NAMES, re.I)


def loads_more(page: Page) -> bool:
    """Does a list go on only in a browser: has it a control that shows more and is no link, and no
    link to its next page or an archive?
    """
    if not any(
        _is_control(element)
        for element in page.tree.iter(
            "button", "a", "input", "div", "span", "section", "main", "ul"
        )
    ):
        return False
    return not any(map(hub_kind, page_links(page)))


def _is_control(element: HtmlElement) -> bool:
    if _ENDLESS.search(_names(element)):
        return True
    if not _NAMES.search(_names(element)) and not _says_more(element):
        return False
    if any(_leads_on(link) for link in element.iter("a")):
        return False
    return not any(
        _OTHERS.search(_names(e))
        for e in (element, *element.iterancestors())
        if e.tag not in ("body", "html")
    )


def _says_more(element: HtmlElement) -> bool:
    """Is it a button or link whose label says that it shows more?"""
    if element.tag not in ("button", "a", "input") and element.get("role") != "button":
        return False
    label = _label_of(element)
    return 0 < len(label) <= LONGEST and bool(_WORDS.search(label))


def _label_of(element: HtmlElement) -> str:
    if element.tag == "input":
        label = element.get("value") or ""
    else:
        label = node_text(element) if len(element) <= 4 else ""
    return " ".join(label.split())


def _names(element: HtmlElement) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"


def _leads_on(link: HtmlElement) -> bool:
    href = (link.get("href") or "").strip()
    return bool(href) and not href.startswith("#") and not href.lower().startswith("javascript:")
