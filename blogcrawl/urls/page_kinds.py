"""Words and marks by which pages that are no posts give themselves away. Data: engines' URL habits,
words of many languages.
"""

from __future__ import annotations

import re

from blogcrawl.urls.tables import NO_DATE_BEFORE

Q = re.IGNORECASE
LIST_PATHS: dict[str, re.Pattern[str]] = {
    "home": re.compile(
        (
            r"^/?(?:index\.(?:html?|php|xhtml)|home|blogs?|weblog|posts?|articles?|entries|stories|"
            r"journal|default\.aspx?)?/?$"
        ),
        Q,
    ),
    "list": re.compile(
        (
            r"(?:^|/)(?:page|seite|pagina|pag)[/-]?\d{1,5}(?:\.html?)?/?$|/index[-_]?\d+\.html?$|"
            r"(?:^|/)(?:blog|posts?|articles?|news)/\d{1,3}/?(?:index\.html?)?$|[?&](?:paged?|offset|start|updated-max)="
        ),
        Q,
    ),
    "tag": re.compile(
        r"(?:^|/)(?:tags?|labels?|label|topics?|keywords?|etiqueta|etiquetas|mot-cle|schlagwort|"
        r"search/label|stichwort|тег|теги|метка"
        r"|标签|タグ)(?:(?:/[^/]+)*/?(?:index\.html?)?|\.html?)$|[?&]tag=",
        Q,
    ),
    "category": re.compile(
        r"(?:^|/)(?:categor(?:y|ies|ie|ia|ias|ias)|cat|kategorie|kategorien|categoria|catégorie|"
        r"rubrique|section|sections|thema"
        r"|themen|series"
        r"|分类|カテゴリ)(?:(?:/[^/]+)*/?(?:index\.html?)?|\.html?)$|[?&](?:cat|category)=|/cat_[^/]+\.html?$",
        Q,
    ),
    "author": re.compile(
        (
            r"(?:^|/)(?:authors?|autor(?:es)?|auteurs?|users?|profile|by)(?:/[^/]+/?(?:index\.html?|"
            r"page/\d+/?)?|\.html?)$|[?&]author="
        ),
        Q,
    ),
    "archive": re.compile(
        (
            r"(?:^|/)(?:archives?|archiv|archivo|archivio|all-posts|all|timeline|sitemap|"
            r"index-of)(?:\.html?|/index\.html?)?/?$"
        ),
        Q,
    ),
    "date": re.compile(
        rf"(?:^|{NO_DATE_BEFORE}/)(?:19|20)\d\d(?:/(?:0?[1-9]|1[0-2])(?:/(?:0?[1-9]|[12]\d|"
        r"3[01])(?:\.html?)?)?)?/?(?:index\.html?)?$|[?&]m=\d{4,8}\b"
        r"|(?:^|/)(?:19|20)\d\d[-_/](?:0[1-9]|1[0-2])(?:\.html?|/index\.html?)?/?$"
        r"|^(?:/[^/\d][^/]*)*/(?:19|20)\d\d\.html?$",
        Q,
    ),
    "search": re.compile(
        (
            r"(?:^|/)(?:search|suche|recherche|buscar|cerca|поиск)(?:\.html?)?/?$|[?&](?:s|q|query|"
            r"search)="
        ),
        Q,
    ),
    "feed": re.compile(
        r"(?:^|/)(?:feeds?|rss|atom)(?:\.xml)?/?$|\.(?:xml|rss|atom|json)$|[?&]feed=", Q
    ),
    "login": re.compile(
        (
            r"(?:^|/)(?:wp-login\.php|wp-admin|login|log-in|signin|sign-in|register|signup|anmelden|"
            r"connexion|account)/?$"
        ),
        Q,
    ),
    "page": re.compile(
        r"(?:^|/)pages/[^/]+|(?:^|/)p/[^/]+\.html$|(?:^|/)(?:galler(?:y|ies)|galerie)/", Q
    ),  # Pelican, Nikola; Blogger
    "static": re.compile(
        r"(?:^|/)(?:about(?:-?(?:us|me|this-blog|the-author))?|contact(?:-?(?:us|me))?|"
        r"impressum|imprint|datenschutz(?:erklaerung)?"
        r"|privacy(?:-policy)?"
        r"|terms(?:-of-(?:service|use))?|disclaimer|legal|mentions-legales|a-propos|apropos|"
        r"uber-(?:mich|uns)|ueber-(?:mich|uns)"
        r"|kontakt|acerca(?:-de)?"
        r"|sobre(?:-mi|-mim|-nos)?|contatti|chi-siamo|colophon|blogroll|links|friends|guestbook|"
        r"now|uses|projects?|portfolio|cv"
        r"|resume|subscribe"
        r"|newsletter|cookies?(?:-policy)?|shop|cart|checkout|404|faq|help|donate|thanks|"
        r"hello-and-welcome|о-нас|обо-мне)(?:\.html?"
        r"|\.php|/index\.html?)?/?$",
        Q,
    ),
}
"""Kind of page -> the URL's path and query. ``static`` and ``home`` are weak; a post may be called
/now/.
"""

BODY_CLASSES: dict[str, frozenset[str]] = {
    "post": frozenset(
        (
            "single single-post post-template post-template-default is-singular-post postid "
            "single-format-standard item-view post-page"
        ).split()
    ),
    "home": frozenset("home blog home-template front-page is-home homepage".split()),
    "tag": frozenset("tag tag-template".split()),
    "category": frozenset("category tax-category".split()),
    "author": frozenset("author author-template".split()),
    "archive": frozenset(
        "archive date post-type-archive archive-view label-view index-view paged".split()
    ),
    "search": frozenset("search search-results search-no-results".split()),
    "static": frozenset("page-template page-template-default static-view page-id".split()),
    "missing": frozenset("error404 error-404 not-found".split()),
}
"""Classes that WordPress, Ghost and Blogger put on ``body``."""

CHALLENGE_MARKS = (
    *(
        "cf-browser-verification",
        "cf_chl_opt",
        "/cdn-cgi/challenge-platform/",
        "challenge-form",
        "cf-challenge",
        "__cf_chl_",
    ),
    *(
        "_Incapsula_Resource",
        "captcha-delivery.com",
        "px-captcha",
        "awswaf.com",
        "awsWafCookieDomainList",
        "sucuri_cloudproxy_js",
    ),
    *(
        "ddos-guard",
        "DDoS protection by",
        "distil_r_captcha",
        "ak_bmsc",
        "hcaptcha.com/1/api.js",
        "Anubis",
        "__ddg",
        "geo.captcha",
    ),
)
"""Strings in the source of interstitial pages of protection services."""
CHALLENGE_TITLES = re.compile(
    r"just a moment|attention required|checking your browser|are you (?:a "
    r")?(?:human|robot)|verify(?:ing)? you are human"
    r"|access denied|security check"
    r"|ddos protection|one moment,? please|please wait|bot verification|making sure you're not "
    r"a bot|request unsuccessful"
    r"|pardon our interruption",
    Q,
)
MISSING_TITLES = re.compile(
    r"(?<![\w-])(?:error\s{0,20})?404(?![\w-])|(?:page|post|file|article|entry|content)\s{1,"
    r"20}(?:was\s{1,20}|could\s{0,20}n[o']t\s{1,20}be\s{1,20}"
    r"|can\s{0,20}no?t\s{1,20}be\s{1,20})?not\s{1,20}found|not\s{1,20}found$|^not\s{1,20}found"
    r"|does(?:n[’']t| not) exist|nothing (?:was )?found|no longer available|seite (?:wurde "
    r")?nicht gefunden|nicht gefunden"
    r"|page (?:introuvable|non trouvée)|introuvable"
    r"|página no encontrada|no se encontr|pagina non trovata|página não encontrada|não "
    r"encontrad|pagina niet gevonden|strona nie"
    r"|nie znaleziono"
    r"|страница не найдена|не найден[оа]?|ikke funnet|hittades inte"
    r"|ikke fundet|ei löydy|bulunamadı|sayfa bulunamadı|页面不存在|找不到|未找到"
    r"|ページが見つかりません|見つかりません|찾을 수 없",
    Q,
)
LOGIN_TITLES = re.compile(
    (
        r"^\s*(?:log ?in|sign ?in|anmelden|connexion|iniciar "
        r"sesión|accedi|entrar|войти|вход|登录|ログイン|protected:)"
    ),
    Q,
)
LIST_TITLES = re.compile(
    r"^(?:tag|category|categories|tags|archives?|archiv|kategorie|schlagwort|catégorie|"
    r"étiquette|categoría|etiqueta|categoria"
    r"|рубрика|метка|архив|标签|分类|归档"
    r"|タグ|カテゴリー?|アーカイブ|search results|posts? (?:tagged|in|by)"
    r"|browsing|entries tagged)\b\s*(?:[:：»|/-]|$)|\b(?:archives?|page \d+)$"
    r"|^page \d+\b",
    Q,
)
ENDED = re.compile(
    (
        r"this blog (?:has been|is) (?:deleted|removed|suspended)|account (?:has been "
        r")?suspended|domain (?:is )?(?:for sale|parked|expired)"
    ),
    Q,
)
BARRIERS = {
    "error": "the server answered with an error",
    "home": "the blog's home page",
    "feed": "a feed",
    "not html": "no HTML page",
    "challenge": "challenge",
    "login": "login",
    "gone": "the blog has ended",
    "missing": "the page says it was not found",
}
"""What pages are that no feature makes posts, in words."""
