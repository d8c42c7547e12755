"""Words and markup names that mean "comment": the data tables of this room. A new language or theme
habit is one entry here.
"""

from __future__ import annotations

import re
from functools import lru_cache

COMMENT_WORDS = (
    "comments?|responses?|repl(?:y|ies)|thoughts?|feedback|commentaires?|r[eé]ponses?|kommentare?n?"
    "|antworten|comentarios?|respuestas?|coment[aá]rios?|respostas?"
    "|comment[io]|rispost[ae]|reacties?|reactie|antwoorden|kommentar(?:er)?|kommentit|kommentti?a?"
    "|komment[aá]r(?:e|ů|ov|y)?|komentarz[ey]?|komentarzy|koment[aá][rř]\\w{0,20}"
    "|hozz[aá]sz[oó]l[aá]s\\w{0,20}|комментари\\w{0,20}|ответ\\w{0,20}|коментар\\w{0,20}|"
    "отзыв\\w{0,20}|σχόλι\\w{0,20}|yorum\\w{0,20}|bình luận|ความคิดเห็น|komentar\\w{0,20}"
    "|コメント|評論|评论|留言|回复|回覆|回應|条评论|條評論|댓글|덧글|(?:ال)?تعليق\\w{0,20}|ה?תגובות|टिप्पणि\\w{0,20}"
    "|نظرات|نظرها|نظر|دیدگاه\\S{0,20}|تبصر[ہے]{1,9}|মন্তব্য\\S{0,20}|ຄວາມຄິດເຫັນ|ຄຳເຫັນ|"
    "comentari[si]?|kommentaa?r\\w{0,20}|koment[aā]r\\w{0,20}|athugasemd\\w{0,20}"
    "|iruzkin\\w{0,20}|r[aă]spuns\\w{0,20}|tanggapan|каментар\\w{0,20}|пікір\\w{0,20}|şərh\\w{0,"
    "20}|կարծիք\\w{0,20}|კომენტარ\\w{0,20}|коментар\\w{0,20}"
)
"""The word in a heading such as "4 comments", by language family; matched case-insensitively."""

COUNT = re.compile(
    (
        rf"(?<![\w.,/#:-])(\d{{1,5}})\s{{0,20}}(?:条|條|件の|件|개의?|則|则|个)?\s{{0,20}}(?:\w{{1,40}}\s{{1,"
        rf"20}})?(?:{COMMENT_WORDS})"
    ),
    re.I,
)
COUNT_AFTER = re.compile(
    (
        rf"(?:{COMMENT_WORDS})\s{{0,20}}[:：]?\s{{0,20}}[（(\[]?\s{{0,20}}(\d{{1,5}})(?![\d.:/]|\s{{0,"
        rf"20}}(?:am|pm|h\d))"
    ),
    re.I,
)
ONE = re.compile(
    (
        r"^\W{0,40}(?:one|un|une|ein|eine|én|én|één|et|ena|uno|una|um|een|en|ett|jeden|один)\s{1,"
        r"20}(?:\w{1,40}\s{1,20})?(?:"
    )
    + COMMENT_WORDS
    + ")",
    re.I,
)
NONE = re.compile(
    rf"^\W{{0,40}}(?:(?:no|aucun|aucune|kein[e]?|ning[uú]n|nenhum|nessun[ao]?|geen|ingen|inga|"
    rf"brak|ei|нет"
    rf"|hiç|žádn[eéý]\w{{0,40}})\s{{1,20}}(?:\w{{1,40}}\s{{1,20}})?(?:{COMMENT_WORDS})(?:\s{{1,"
    rf"20}}(?:yet|to|on|zu|sur|su|til|på)\b|\W|$)"
    rf"|(?:暂无|还没有|没有|尚無|沒有)\s{{0,20}}(?:{COMMENT_WORDS})|コメントは(?:まだ)?(?:ありません|受け付けていません)"
    rf"|0\s{{0,20}}(?:{COMMENT_WORDS}))",
    re.I,
)

_TALK = (
    "discussions?|diskussion(?:en)?|discussione|discusi[oó]n|discuss[aã]o|diskus[ei]j?[ea]?"
    "|diskusia|diskusija|dyskusja|conversations?|conversaci[oó]n"
    "|reactions?|r[eé]actions?|reaktion(?:en|er)|meinung(?:en)?|stimmen|r[üu]ckmeldungen|"
    "wortmeldungen|zuschriften|remarks"
    "|t[eé]moignages|mensajes|mensagens|messaggi|interventi|recados|głosy|opinions|opini(?:ones|"
    "oni|e|ões|a)"
    "|avis|meningen|g[oö]r[uü]ş\\w*|tartışma\\w*"
    "|обсуждени[ея]|дискусси[яи]|мнени[яе]|обговорення|дискусія|дискусия|συζήτηση|ý kiến|ความเห็น"
    "|คอมเมนต์|ご意見|感想|討論|讨论|意見|의견|답글|반응"
    "|(?:ال)?نقاش|(?:ال)?آراء|(?:ال)?ردود|ה?דיון|guestbook|said|mitreden|vélemények?|pareri|"
    "вашите мнения"
)
"""Other words that head readers' remarks; believed only where a label says little else."""
_OTHER = re.compile(
    r"recent|latest|newest|last|popular|neu[e]?ste|letzte|derni[eè]r|[uú]ltim|ultim|recien|senaste"
    r"|siste|nyeste|laatste|posledn|ostatni|последн"
    r"|leave|write|post a|add|submit|subscribe|schreib|hinterl|verfass|ajout|laiss|dej[ae]|escrib"
    r"|lascia|scriv|deix|skriv|plaats|rss|feeds?\b|atom|最近|最新",
    re.I,
)
"""Labels of lists of other posts' comments, and of forms."""
_SPACED = r"[a-z\u00c0-\u06ff]"
_OF_READERS = "(?:leser|nutzer|besucher|user|gäste|läsar|lezers?|brukar|lukija)?"
_LABEL = re.compile(rf"(?<!{_SPACED}){_OF_READERS}(?:{COMMENT_WORDS}|{_TALK})(?!{_SPACED})", re.I)
_BARE_LABEL = re.compile(rf"\W{{0,40}}(?:{COMMENT_WORDS}|{_TALK})\W{{0,40}}", re.I)
_LABEL_WORDS = re.compile(r"\S*[^\W\d_]\S*")
MAX_LABEL_WORDS = 4
LABEL_SHARE = 0.3
"""Of a label's letters in the word itself: "Readers' opinions" is one, a post's title that speaks
of comments is none.
"""


@lru_cache(maxsize=4096)
def is_label(text: str, words: int = MAX_LABEL_WORDS) -> bool:
    """Does a short text head comments: a word for them, perhaps their number, and ``words`` words
    at most in all?
    """
    if (
        len(text) > 60 or not 0 < len(_LABEL_WORDS.findall(text)) <= words
    ):  # cheaper than the search for one of so many words
        return False
    found = _LABEL.search(text)
    if found is None or _OTHER.search(text):
        return False
    return len(found.group()) >= LABEL_SHARE * len(re.findall(r"[^\W\d_]", text))


def is_bare_label(text: str) -> bool:
    """Is it the word for comments and nothing else?"""
    return _BARE_LABEL.fullmatch(text) is not None


def _named(*parts: str) -> re.Pattern[str]:
    """One of the words (regular expressions) as a whole part of an id or of class names: between
    blanks, hyphens, underscores.
    """
    return re.compile(rf"(?:^|[-_ ])(?:{'|'.join(' '.join(parts).split())})(?:$|[-_ ])", re.I)


SECTION = _named(
    (
        r"comments? commentlist comment[-_]?list commentblock "
        r"comments?[-_]?(?:area|section|wrap\w*|block|content|thread)"
    ),
    (
        r"comments?[-_]?(?:template|container|holder|inner) discussion respons(?:es)? replies "
        r"reacties kommentare?r?"
    ),
    r"commentaires? comentarios disqus_thread isso-thread cmt",
    r"webmentions? reactions",
)
"""id or class of the block that holds all comments of a page."""

COMMENT_NAMES = re.compile(
    r"comment|kommentar|koment[aá]r|comentari|coment|reacti(?:on|e)s?|respons(?!iv)|repl(?:y|"
    r"ies)|cmt|(?:talk|ping|track)back"
    r"|webmention|(?<![a-z])avis(?![a-z])|opini|feedback|discuss",
    re.I,
)
"""Somewhere in a class or id: it is of comments."""

_PARTS = (
    "item entry box wrap wrapper single container block row node card outer inner thread "
    "body main post holder"
).replace(" ", "|")
UNIT_TOKENS = re.compile(
    rf"^(?:comment|comments?[-_]?(?:{_PARTS})|(?!recent|latest|last|add|leave|no|new|write|"
    rf"post-a)[a-z]{{1,12}}[-_]+comment|h-cite"
    r"|pingback|trackback|ping|webmention|response|reply[-_]?item|commentary|cmt|kommentar|"
    r"commentaire|comentario|reactie"
    r"|comment[-_]?(?:even|odd|byuser)|isso-comment|tk-comment|vcard|wl-item|vitem|"
    r"remark42__comment|commento-card|cusdis-comment)$",
    re.I,
)
"""A class token that marks one comment."""

UNIT_ID = re.compile(
    r"^(?P<pre>(?:[a-z]{1,30}[-_]){0,8}?"
    r"(?:comments?|commentaire|kommentar|comentario|commento|cmt|ljcmt|c|ping|pingback|trackback"
    r"|response|reply|isso|dsq-comment|wc-comm|msg|komm)[-_]?)"
    r"(?P<num>\d{1,20}(?:[-_]\d{1,20}){0,8}|[0-9a-f]{12,64}|"
    r"[0-9a-f]{8}-[0-9a-f-]{27})(?P<post>(?:[_-][a-z_-]{0,40})?)$",
    re.I,
)
"""``comment-12``, ``li-comment-12``, ``c847632…`` (Blogger), ``comment-6a00d…`` (TypePad),
``isso-3``.
"""

NOT_UNIT = re.compile(
    r"form|respond|reply-?(?:to|link|box|form)|count|recent|latest|popular|widget|sidebar|nav|"
    r"pagination"
    r"|submit|login|subscribe|policy|notes|allowed|preview",
    re.I,
)

CONTROL = _named(
    r"reply replies?[-_]?(?:link|to|button) comment[-_]?reply\w* edit(?:[-_]?link)?",
    (
        r"comment[-_]?(?:edit|actions?|controls?|footer|tools|num(?:ber)?|index|count|permalink|"
        r"awaiting[-_]moderation|respond|form|votes?)"
    ),
    (
        r"actions? permalink vote[sd]? like[sd]? karma rating share flag report says said "
        r"screen-reader-text sr-only visually-hidden"
    ),
    (
        r"avatar gravatar userpic photo-wrapper awaiting moderation replybox\w* item-control "
        r"footer-links badge"
    ),
    r"thread-(?:toggle|expanded|chrome|count|drop)",
)
"""Parts of a comment that nobody wrote: links, buttons, pictures of heads."""

AUTHOR = _named(
    (
        r"author fn nick(?:name)? user(?:name)? benutzer(?:name)? usuario utente pseudo(?:nyme)? "
        r"autore verfasser"
    ),
    r"name cite commenter poster writer p-author p-name auteur autor byline auth-name",
    r"comment[-_]?(?:by|author|name|user) who by vcard",
)
DATE = _named(
    (
        r"date time datetime timestamp timespan timeago published posted when "
        r"comment[-_]?(?:date|time|meta|metadata|info) commentmetadata"
    ),
    r"dt-published auth-time meta metadata datum fecha data heure uhrzeit dato czas info",
)
BODY = _named(
    (
        r"comment[-_]?(?:content|text|body|copy|message|entry|txt|post|details|desc(?:ription)?) "
        r"commenttext commentbody commentcontent"
    ),
    (
        r"text content body message entry entry-content e-content p-content p-summary format_text "
        r"the-comment md prose texte inhalt quote"
    ),
)

NO_COMMENT = _named(
    r"teasers? teaser-\S+ related\S* authors? author-?box bio byline newsletter promo\S* "
    r"sponsor\S* breadcrumbs? pagination pager share "
    r"sharing archives?"
)
"""A block of the page beside the comments."""

STRICT_BODY = re.compile(r"comment[-_]*(?:content|text|body|message|copy)(?:$|[-_ ])", re.I)
"""Names that mean a comment's text and nothing else."""

BY_WORDS = re.compile(
    r"^(?:(?:posted|written|left|said|comment(?:ed|o)?|submitted|kommentar|commentaire|"
    r"comentario|publi[eé]"
    r"|escrito|geschrieben|verfasst|skrevet|skrivet|napsal|dodał\w*|post[eé]|[eé]crit|"
    r"r[eé]dig[eé]|d[eé]pos[eé]|enviado|postado|inviato"
    r"|scritto|geplaatst|ges?ch?reven|wysłan[ey]|добав\w+|отправ\w+)\s+)?"
    r"(?:(?:by|von|par|por|de|di|da|door|av|af|от|ο/η|投稿者|作者)(?:\s*[:：]\s*|\s+)|(?:from|name|"
    r"author|autor|auteur)\s*[:：]\s*)?",
    re.I,
)
BY_AFTER = re.compile(
    r"^\W*(?:by|von|par|por|de|di|da|door|av|af|от|przez|od)(?:\s*[:：]\s*|\s+)(?=\S)", re.I
)
"""After a date: who wrote it comes now ("On 3 May 2010 by Ann")."""
SAYS_WORDS = re.compile(
    r"\s{0,20}(?:[:：,|·•@{](?=\W|$)|(?<=\s)[-–—](?=\s)|(?<=\s)(?:says?|said|wrote|writes|writes|"
    r"replied"
    r"|commented|pinged|schrieb|schreibt|sagt(?:e)?|meint(?:e)?|dit|a\s{1,20}[eé]crit|[eé]crit|"
    r"a\s{1,20}dit|dice|dijo|escribi[oó]|ha\s{1,20}scritto|scrive|disse|diz|escreveu|zegt|"
    r"schreef|skrev|sier|sa|sade"
    r"|s[äa]ger|sanoo|kirjoitti|pisze|napisa[lł]\w{0,40}|říká|píše|пишет|сказал\w{0,40}|"
    r"написал\w{0,40}|говорит"
    r"|комментирует|пише|написав|каже|каза|рекао|kaže|rekao|hat gesagt|ha detto|ha "
    r"dicho|zei|sanoi|sagde|siger|sade"
    r"|powiedzia[lł]\S{0,80}|řekl\S{0,80}|napsal\S{0,80}|írta|mondta|szerint|a spus|a "
    r"scris|spune|είπε|έγραψε|λέει"
    r"|dedi\s{1,20}ki|yazdı|diyor|אמר\S{0,80}|כתב\S{0,80}|הגיב\S{0,80}|قال\S{0,80}|يقول|كتب\S{0,"
    r"80}|گفت\S{0,80}|می\S?گوید|نوشت\S{0,80}"
    r"|กล่าวว่า|berkata|mengatakan|nói|viết|rašo|saka|ütles|va "
    r"dir|님의\s{1,20}말|さんのコメント|より|說|说|说道|说：|写道|on"
    r"|am|le|el|il|op|den|at|um|à|kl|vor|,)(?=\W|$))(?s:.*)\Z",
    re.I | re.S,
)
"""What follows a name in a byline: "Ann says:", "Ann schrieb am", and everything after it."""

SAYS_ALONE = re.compile(
    r"^\s*(?:says|said|wrote|writes|schrieb|schreibt|sagt(?:e)?|meint(?:e)?|dit|a\s+[eé]crit|dice"
    r"|dijo|escribi[oó]|scrive|ha\s+scritto|disse|diz|zegt|schreef"
    r"|skrev|sier|s[äa]ger|kirjoitti|pisze|napisa[lł]\w*|říká|пишет|написал\w*|"
    r"говорит)\s*[:：]\s*(?:<br\s*/?>\s*)*",
    re.I,
)
"""The rest of a byline whose name was taken out, at the start of a comment's HTML."""

RESIDUE = re.compile(
    r"\W*(?:(?:kommentar|comment(?:aire|o)?|comentario|comentário|pingback|trackback|"
    r"reactie)(?:\W+|$))?"
    r"(?:by|von|from|par|por|de|di|van|av|af|от|says?|said|wrote|writes|replied|sagte?|schreibt|"
    r"schrieb|meinte?|dit|a (?:dit|écrit)|écrit"
    r"|dice|dijo|escribió|ha scritto|scrive|disse|diz|escreveu|zegt|schreef|skrev|sier|säger|"
    r"kirjoitti|pisze|napisał\S*|říká|píše"
    r"|пишет|говорит|on|am|um|at|le|el|il|à|uhr)?\W*",
    re.I,
)
"""What is left of a byline whose name and date were taken out."""

NOT_THE_NAME = re.compile(
    r"^(?:#\d{1,5}[.:)]?\s{1,20}|[\[(]?\d{1,4}[.:)\]]{1,80}\s{1,20})(?=\S)"
    r"|\s{0,20}[(\[](?:url|www|web(?:site)?|home\s?page|e-?mail|site|link)[)\]]$"
    r"|\s{1,20}\d{1,4}\s?(?:楼|樓|f)$|\s{0,20}[(\[](?:not verified|visitor|guest|anonymous|non "
    r"v[eé]rifi[eé]"
    r"|nicht überprüft|no verificado|non verificato|não verificado"
    r"|niet gecontroleerd"
    r"|ikke verifisert|visitatore|visitante|bezoeker|besökande"
    r"|inte verifierad|niezweryfikowany|не "
    r"проверено|未验证|未確認|besucher|visiteur|gast|invitado|ospite|гость)[)\]]$",
    re.I,
)
"""Around a name in its element: the number of the comment in its list, and what the engine says of
people without an account.
"""

ROLE = re.compile(
    r"\W*(?:contributor|collaborator|member|owner|maintainer|founder|subscriber"
    r"|(?:post |article )?auth?or(?:e|in)?|auteur|autrice|admin(?:istrator)?|mod(?:erator)?|op|"
    r"editor|staff|team|guest|gast|visitor"
    r"|besucher|verfasser(?:in)?|invitado|invité|ospite|gość|гость|автор|作者|投稿者)\W*",
    re.I,
)
"""What a commenter is to the site, beside the name."""

STANDING = re.compile(r"\s{0,20}\[[^\[\]]{2,30}\]\s{0,20}")
"""What engines say of a commenter, beside the name: "[Visitor]"."""

NO_NAME = re.compile(
    r"^(?:https?(?::\S*)?|uhr|hrs?|klo|godz|h|from|name|author|autor|auteur|von|posted "
    r"by|permalink|permanent link|link|reply|#?\d*|edit"
    r"|said|wrote|writes|replied|sagte?|schrieb|schreibt|dit|dijo|dice|disse|schreef|skrev"
    r"|delete|quote|says?:?|comment(?:ed)?|avatar|gravatar|utc|gmt|date|datum|дата|"
    r"от(?:правитель)?|url|web(?:site)?|home\s?page|編集|返信|\W*)$",
    re.I,
)


_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


WEEKDAYS = frozenset(
    "sunday monday tuesday wednesday thursday friday saturday sonntag montag dienstag mittwoch "
    "donnerstag freitag samstag dimanche "
    "lundi mardi mercredi jeudi vendredi samedi domingo lunes martes miércoles jueves viernes "
    "sábado domenica lunedì martedì "
    "mercoledì giovedì venerdì sabato segunda-feira terça-feira quarta-feira quinta-feira "
    "sexta-feira zondag maandag dinsdag "
    "woensdag donderdag vrijdag zaterdag söndag måndag tisdag onsdag torsdag fredag lördag "
    "søndag mandag tirsdag lørdag sunnuntai "
    "maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina niedziela "
    "poniedziałek wtorek środa czwartek piątek "
    "sobota neděle pondělí úterý středa čtvrtek pátek nedeľa pondelok utorok streda štvrtok "
    "piatok vasárnap hétfő kedd szerda "
    "csütörtök péntek szombat duminică luni marți miercuri joi vineri sâmbătă воскресенье "
    "понедельник вторник среда четверг пятница "
    "суббота неділя понеділок вівторок середа четвер пʼятниця субота неделя понеделник сряда "
    "четвъртък петък събота κυριακή δευτέρα "
    "τρίτη τετάρτη πέμπτη παρασκευή σάββατο pazar pazartesi salı çarşamba perşembe cuma "
    "cumartesi diumenge dilluns dimarts dimecres "
    "dijous divendres dissabte nedjelja ponedjeljak utorak srijeda četvrtak petak subota "
    "nedelja ponedeljek torek sreda četrtek "
    "petek".split()
)
"""Days of the week in the languages that most pages are written in (CLDR): part of a date, never a
name.
"""


@lru_cache(maxsize=4096)
def names_section(names: str) -> bool:
    """``SECTION`` finds something in this id, class, or both. Kept, for a blog's pages repeat a few
    hundred of them.
    """
    return SECTION.search(names) is not None or SECTION.search(_HUMP.sub("-", names)) is not None


@lru_cache(maxsize=4096)
def words_of(class_value: str | None) -> str:
    """The telling class tokens as words: ``bCommentText`` says what ``b-Comment-Text`` says."""
    return _HUMP.sub("-", " ".join(tokens(class_value)))


@lru_cache(maxsize=4096)
def tokens(class_value: str | None) -> tuple[str, ...]:
    """Class tokens without those that count or alternate (``odd``, ``depth-2``, ``comment-17``):
    they tell nothing about the role.
    """
    return tuple(t for t in (class_value or "").split() if not _VARYING.search(t))


_VARYING = re.compile(
    r"[-_]\d{1,20}$|\d{2,40}$|^(?:odd|even|alt|first|last|parent|thread-(?:odd|even|alt)|"
    r"depth-\d{1,20}"
    r"|level-?\d{1,20}|clearfix|clear|byuser|bypostauthor|comment-author-.{0,300}|bypost.{0,"
    r"300}|has-children|user-.{0,300})$|^(?:odd|even)-?",
    re.I,
)
