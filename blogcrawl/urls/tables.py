"""Names and suffixes met on the web: data, no logic. Sources stand next to each table."""

from __future__ import annotations

import re

TRACKING_PREFIXES = (
    "utm_",
    "mtm_",
    "pk_",
    "piwik_",
    "hsa_",
    "_hs",
    "mc_",
    "oly_",
    "vero_",
    "wt_",
    "__hs",
    "stm_",
    "itm_",
)
"""Campaign parameters of Google Analytics, Matomo/Piwik, HubSpot, Mailchimp, Omeda, Vero, Webtrends
(their manuals).
"""

TRACKING = frozenset(
    "fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ymclid twclid ttclid igshid igsh "
    "li_fat_id mkt_tok s_cid cmpid ncid"
    " _ga _gl _openstat wickedid rb_clickid spm scm cn-reloaded fb_action_ids fb_action_types "
    "fb_source fb_ref action_object_map"
    " action_type_map action_ref_map xtor trk trkcampaign ocid nr_email_referer hootpostid "
    "spref feature_ref cmp smid guccounter"
    " guce_referrer guce_referrer_sig recruited_by_id wpmobileexternal nb share like_comment "
    "replytocom replyto openidserver"
    " openiderror doing_wp_cron _wpnonce shared email_share_error email_share_nonce "
    "fb_xd_fragment unapproved moderation-hash"
    " showcomment commentpage cpage comment_page comments_page comments-page commentspage "
    "sc_cid icid srsltid vgo_ee".split()
)
"""Click identifiers (Google, Meta, Microsoft, Yandex, TikTok, X, LinkedIn …), share and reply links
of WordPress, Jetpack, Blogger.
"""

SESSION = frozenset(
    "phpsessid jsessionid aspsessionid aspsessionidcookie sessionid session_id sess_id sessid "
    "cfid cftoken oscsid zenid xtsid"
    " jsession wpsid".split()
)
"""Session identifiers of PHP, Java, ColdFusion, osCommerce, Zen Cart."""

SESSION_WHEN_TOKEN = frozenset({"sid", "s", "session", "ss"})
"""Dropped only where the value looks like a session token: PHP-Nuke numbers its stories with
``sid``, WordPress searches with ``s``.
"""

VARIANTS = frozenset(
    {
        ("m", "1"),
        ("m", "0"),
        ("amp", ""),
        ("amp", "1"),
        ("noamp", "mobile"),
        ("noamp", "available"),
        ("outputtype", "amp"),
        ("view", "amp"),
        ("print", ""),
        ("print", "1"),
        ("print", "true"),
        ("print", "print"),
        ("print", "pdf"),
        ("printable", "yes"),
        ("printable", "1"),
        ("format", "print"),
        ("view", "print"),
        ("action", "print"),
        ("mobile", "1"),
        ("theme", "mobile"),
        ("wpmp_switcher", "mobile"),
        ("wpmp_switcher", "desktop"),
    }
)
"""Query pairs that show the same text in other dress: Blogger's mobile view, AMP, print (MediaWiki,
WP-Print, Drupal).
"""

REFERRER_NAMES = frozenset({"ref", "source", "src", "from", "via"})
REFERRER_VALUES = frozenset(
    (
        "rss feed atom rssfeed twitter facebook fb email newsletter home homepage sidebar related "
        "footer widget share social"
    ).split()
)
"""``ref=`` and its like go when they name a referrer (a word of this list, or a host name); else
they may mean something.
"""

INDEX_FILES = frozenset(
    "index.html index.htm index.php index.xhtml index.shtml index.asp index.aspx index.jsp "
    "index.cgi index.php3 index.php5"
    " default.html default.htm default.asp default.aspx".split()
)
"""What servers answer a folder with (DirectoryIndex of Apache and IIS)."""

LABEL_SEGMENTS = frozenset(
    "tag tags category categories cat topic topics label labels search author authors "
    "keyword keywords subject"
    " schlagwort kategorie tema etiqueta categoria etiquette mot-cle user users series".split()
)
"""Words before a name in list URLs, in common permalink settings."""
TAXONOMY_SEGMENTS = LABEL_SEGMENTS | {"archive", "archives"}
"""The same, and the folder where old engines (Movable Type, Greymatter) keep lists and posts."""

MIRROR_HOSTS = ((r"\.blogspot\.(?:com?\.)?[a-z]{2,3}$", ".blogspot.com"),)
"""Country mirrors of one blog: Blogger answered every blog under each of its country domains from
2012 to 2018.
"""

FRAMED_VIEWS = dict.fromkeys(("postview.naver", "postview.nhn"), ("blogId", "logNo"))
"""Scripts that show a post in the frame of its page, and the parts of the query that make the
page's path: Naver Blog, whose posts' addresses (``/ann/220000182740``) are shells around
``/PostView.naver?blogId=ann&logNo=220000182740``."""

MEDIA_SUFFIXES = frozenset(
    "jpg jpeg jpe jfif png gif webp avif svg svgz bmp ico tif tiff heic psd mp3 ogg oga opus "
    "wav flac m4a aac mid mp4 m4v webm ogv"
    " mov avi mkv wmv flv mpg mpeg 3gp swf".split()
)
FILE_SUFFIXES = frozenset(
    "pdf ps eps djvu epub mobi doc docx xls xlsx ppt pptx odt ods odp rtf zip gz tgz bz2 xz 7z "
    "rar tar jar exe msi dmg pkg deb rpm"
    " apk iso bin img torrent csv tsv ttf otf woff woff2 eot css js mjs map json jsonld wasm "
    "less scss sql c h cpp java rb sh bib tex"
    " py ipynb sage go rs swift kt lua hs bat ps1 conf ini yml yaml toml log diff ics vcf asc "
    "cc hpp cxx txt"
    " sig md5 sha1 sha256 kml kmz gpx xpi crx diff patch".split()
)
FEED_SUFFIXES = frozenset({"rss", "atom", "rdf", "xml", "rss2"})
FEED_LAST_SEGMENTS = frozenset("feed feeds rss rss2 atom rdf comments-rss".split())
FEED_QUERY = frozenset({"feed", "rss"})
SERVICE_SEGMENTS = frozenset(
    "wp-login.php wp-admin wp-json xmlrpc.php wp-comments-post.php wp-trackback.php trackback "
    "wp-signup.php wp-register.php cgi-bin"
    " wp-content wp-includes oembed cdn-cgi".split()
)
"""WordPress and gateway addresses that never show a page to a reader."""
SCRIPT_SUFFIXES = frozenset("php php3 php4 php5 asp aspx cgi pl cfm jsp do".split())
COMMENT_SCRIPT = re.compile(
    r"(?:[a-z]{1,6}[-_])?(?:view|show|read|add|post|popup|pop)?[-_]?(?:comments?|comentarios?|"
    r"commentaires?|kommentare?|talkback|reacties?)"
    r"(?:[-_]?(?:popup|pop|add|form|list|view|window))?"
)
"""Scripts of early engines (Movable Type, b2, Greymatter, home-made ASP) that show a post's
comments in a window of their own.
"""
PAGE_SEGMENTS = frozenset(
    "about about-me about-us contact contact-us impressum imprint datenschutz privacy "
    "privacy-policy terms legal cookies page pages"
    " search login register feed home blog blogroll links now uses colophon projects resume cv "
    "portfolio shop store cart checkout"
    " wiki forum forums gallery press jobs careers newsletter subscribe sitemap guestbook "
    "a-propos uber-mich mentions-legales"
    " kontakt om over sobre contacto acerca".split()
)
"""Names that pages next to the blog usually carry; only weighed where the blog's posts never showed
them.
"""

NO_DATE_BEFORE = r"(?<!/[12]\d{3})(?<!/[12]\d{3}/\d\d)(?<!/[12]\d{3}/\d\d/\d\d)"
"""Regular expression: where no date ends. A year after a date is a post's name
(``/2016/09/28/2000/``), else that of a list.
"""
