"""Pages that list posts, by what their address and anchor say: archives, months, "older posts"."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import unquote, urlsplit

from blogcrawl.core.page import Page
from blogcrawl.discovery.links import is_scoped
from blogcrawl.dom.links import Link, page_links
from blogcrawl.urls.canonical import Scope, canonicalize

HubKind = Literal["all", "next", "month", "list"]

_ALL_URL = re.compile(
    r"/(?:archives?|archivio|archivo|archief|archiv|arkiv|arquivos?|all(?:-?posts|-?articles|"
    r"-?entries)?|posts?-?(?:list|index)|"
    r"article-?list|entrylist|"
    r"toc|(?:table-of-)?contents|sitemap|timeline|liste?|past|history|blog-?archives?|"
    r"index-of-posts|full-?list|"
    r"writings?)(?:/index)?(?:\.(?:html?|php|aspx?))?/?$",
    re.IGNORECASE,
)
_ALL_ANCHOR = re.compile(
    r"^\W*(?:(?:blog |full |complete |all |post |the |entire )*archives?|all "
    r"(?:posts|articles|entries|stories|writing)|(?:see|"
    r"view|browse|show|read) (?:all|more)(?: (?:posts|articles|blog posts))?|"
    r"table of contents|site ?map|full list|"
    r"toutes? les (?:articles|billets)|tous les "
    r"(?:articles|billets)|archiv(?:e|es|o|io|ief)?|alle (?:beiträge|artikel|posts|"
    r"berichten)|todas las entradas|todos los (?:artículos|posts)|"
    r"todos os (?:artigos|posts)|tutti gli articoli|arkiv|arkisto|arquivos?|архив[ы]?|все "
    r"(?:записи|статьи|посты)|архів|archiwum|"
    r"wszystkie wpisy|archív|archívum|arhiva|arşiv|"
    r"アーカイブ|記事一覧|過去ログ|归档|歸檔|所有文章|文章列表|文章归档|存档|目录|"
    r"아카이브|전체 ?글|lưu trữ|arsip|الأرشيف|أرشيف|"
    r"ארכיון|آرشیو)\W*$",
    re.IGNORECASE,
)
_NEXT_ANCHOR = re.compile(
    r"^\W*(?:older(?: posts| entries| articles| stories)?|previous "
    r"(?:posts|entries|page|articles)|next(?: page)?|more posts|"
    r"earlier(?: posts)?|load more|page 2|"
    r"articles? (?:plus anciens?|précédents?)|messages plus anciens|billets? plus anciens?|page "
    r"suivante|suivant|"
    r"ältere(?: beiträge| einträge| artikel| posts)?|nächste(?: seite)?|"
    r"entradas (?:antiguas|anteriores|más antiguas)|siguiente|postagens mais antigas|posts? "
    r"mais antigos|próxima|"
    r"articoli (?:meno recenti|precedenti)|post più vecchi|successiv[ao]|"
    r"oudere(?: berichten)?|volgende|äldre(?: inlägg)?|eldre(?: innlegg)?|ældre(?: "
    r"indlæg)?|vanhemmat|предыдущие(?: записи)?|ранее|"
    r"следующие|старые|дальше|старіші|starsze(?: wpisy)?|następna|"
    r"starší|régebbi|următoarea|eski yazılar|sonraki|"
    r"次(?:の|へ|のページ)?|古い(?:記事|投稿)|過去の(?:記事|投稿)|"
    r"前の(?:記事|"
    r"ページ)|下一页|下一頁|下页|更早(?:的文章)?|较旧的?文章|이전 ?글?|다음)\W*$",
    re.IGNORECASE,
)
_PAGE_URL = re.compile(
    r"(?:/(?:page|seite|pagina|p)[/-]?\d{1,4}(?:\.html?)?/?$|/(?:index|page)[-_]?\d{1,"
    r"4}\.html?$|[?&](?:paged?|p|start|offset|"
    r"skip)=\d{1,5}$|[?&]updated-max=)",
    re.IGNORECASE,
)
_MONTH_URL = re.compile(
    r"/(?:19|20)\d{2}(?:[/_-](?:0?[1-9]|1[0-2]))?(?:_archive\.html|\.html?|/index\.html?)?/?$|"
    r"[?&]m=(?:19|20)\d{4}$|"
    r"/archives?/(?:date/)?(?:19|20)\d{2}(?:[/_-]?\d{1,2})?(?:\.html?)?/?$|/blog-date-(?:19|"
    r"20)\d{4,6}(?:-\d+)?\.html$",
    re.IGNORECASE,
)


_MENU = re.compile(
    r"(?:^|>)nav\b|(?:^|[>.-])(?:nav|navbar|navigation|menu|topbar)(?:$|[>_-])|-menu\b|(?:^|"
    r">)footer"
)


def in_menu(link: Link) -> bool:
    """Is this one of the few words of a site's menu or foot, which name pages, not posts?"""
    return (
        bool(_MENU.search(link.tag_path))
        and len(link.anchor.split()) <= 3
        and len(link.anchor) <= 30
    )


def hub_kind(link: Link) -> HubKind | None:
    """What listing a link leads to: ``all`` (everything on a page), ``next`` (older posts),
    ``month``; None for no listing.
    """
    if is_scoped(link.url):
        return None
    parts = urlsplit(link.url)
    path = unquote(parts.path)
    where = path + ("?" + parts.query if parts.query else "")
    is_below_root = len(path) > 1
    if is_below_root and {"archives", "index"} & set(link.rel.split()):
        return "all"
    if _MONTH_URL.search(where):
        return "month"
    if _PAGE_URL.search(where):
        return "next"
    if _ALL_URL.search(path) or (is_below_root and _ALL_ANCHOR.match(link.anchor)):
        return "all"
    return "next" if len(where) > 1 and _NEXT_ANCHOR.match(link.anchor) else None


def find_hubs(page: Page, scope: Scope) -> list[tuple[str, HubKind]]:
    """Listings that ``page`` links to, inside ``scope``, best first: whole archives, the next page,
    months (newest first as found).
    """
    order = {"all": 0, "next": 1, "month": 2, "list": 3}
    here = canonicalize(page.url)
    found: dict[str, tuple[str, HubKind]] = {}
    for link in page_links(page):
        kind = hub_kind(link)
        if kind is None:
            continue
        key = canonicalize(link.url)
        if key != here and key not in found and scope.contains(link.url):
            found[key] = (link.url, kind)
    return sorted(found.values(), key=lambda item: order[item[1]])
