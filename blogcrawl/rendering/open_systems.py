"""Comment systems whose comments plain requests reach: an endpoint, the page or feeds.

Sources: the systems' API documents and client sources, as published by each project or vendor.
"""

from __future__ import annotations

from blogcrawl.rendering.system_types import CommentSystem, JsonShape, Reading

OPEN_SYSTEMS: tuple[CommentSystem, ...] = (
    CommentSystem(
        name="isso",
        recognise=(r"\bdata-isso\s*=", r"id=[\"']?isso-thread\b"),
        where="endpoint",
        params={"host": r"\bdata-isso\s*=\s*[\"']?([^\"'\s>]+)"},
        endpoint="{host}?uri={thread}",
        shape=JsonShape(
            items=("replies",),
            children=("replies",),
            parent=("parent",),
            author=("author",),
            author_url=("website",),
            date=("created",),
            html=("text",),
        ),
        mount="#isso-thread",
        more=("a.isso-load-hidden", ".isso-comment-loader .isso-load-hidden"),
        settled="#isso-root .isso-comment, .isso-thread-heading",
        reading=Reading(
            unit="#isso-root .isso-comment", author=".isso-author", date="time", body=".isso-text"
        ),
    ),
    CommentSystem(
        name="remark42",
        recognise=(r"\bremark_config\b", r"id=[\"']?remark42\b", r"/web/embed\.m?js"),
        where="endpoint",
        params={"host": r"\bhost\s*:\s*[\"']([^\"']+)", "site": r"\bsite_id\s*:\s*[\"']([^\"']+)"},
        endpoint="{host}/api/v1/find?site={site}&url={url}&sort=%2Btime&format=tree",
        shape=JsonShape(
            items=("comments",),
            wrap="comment",
            children=("replies",),
            parent=("pid",),
            author=("user.name",),
            date=("time",),
            html=("text",),
            text=("orig",),
        ),
        frame=r"/web/iframe\.html",
        mount="#remark42",
        more=(
            ".comments__more",
            "button.comment__more",
            ".root__show-more",
            "[data-testid='load-more']",
        ),
        settled=".comment, .root__threads, .comment-form",
        reading=Reading(
            unit="article.comment, .comment",
            author=".comment__username",
            date=".comment__time",
            body=".comment__text",
        ),
    ),
    CommentSystem(
        name="cusdis",
        recognise=(r"id=[\"']?cusdis_thread\b", r"/cusdis\.es\.js", r"/cusdis\.umd\.js"),
        where="endpoint",
        params={
            "host": r"\bdata-host\s*=\s*[\"']([^\"']+)",
            "app": r"\bdata-app-id\s*=\s*[\"']([^\"']+)",
            "thread": r"\bdata-page-id\s*=\s*[\"']([^\"']+)",
        },
        endpoint="{host}/api/open/comments?appId={app}&pageId={thread}&page={page}",
        shape=JsonShape(
            items=("data.data",),
            children=("replies.data",),
            author=("by_nickname", "moderator.displayName"),
            date=("createdAt",),
            html=("parsedContent",),
            text=("content",),
            pages="data.pageCount",
        ),
        mount="#cusdis_thread",
        settled=".cusdis-comment, .mt-4",
        reading=Reading(
            unit=".cusdis-comment, div.my-4",
            author="div.mr-2",
            date="div.text-gray-400",
            body="div.mt-2",
        ),
    ),
    CommentSystem(
        name="waline",
        recognise=(
            r"@waline/client",
            r"\bWaline\.init\b",
            r"\bnew Waline\s*\(",
            r"\bwaline(?:\.min)?\.m?js",
        ),
        where="endpoint",
        params={"host": r"\bserverURL\s*:\s*[\"'`]([^\"'`]+)"},
        endpoint=(
            "{host}/api/comment?path={thread}&pageSize=100&page={page}&lang=en&sortBy=inser"
            "tedAt_asc"
        ),
        shape=JsonShape(
            items=("data.data", "data"),
            id=("objectId",),
            children=("children",),
            parent=("pid",),  # all answers to a comment's answers lie flat below the first one
            author=("nick",),
            author_url=("link",),
            date=("time", "insertedAt", "createdAt"),
            html=("comment",),
            text=("orig",),
            pages="data.totalPages",
        ),
        mount="#waline, #vcomments, .waline",
        more=(".wl-operation button", ".wl-more button"),
        settled=".wl-card-item, .wl-item, .wl-empty, .wl-cards",
        reading=Reading(
            unit=".wl-card-item, .wl-item", author=".wl-nick", date=".wl-time", body=".wl-content"
        ),
    ),
    CommentSystem(
        name="webmention",
        recognise=(r"\bwebmention\.io/api/mentions", r"/webmention(?:\.min)?\.js"),
        where="endpoint",
        endpoint="https://webmention.io/api/mentions.jf2?target={url}&per-page=100&page={number}",
        shape=JsonShape(
            items=("children",),
            id=("wm-id",),
            author=("author.name",),
            author_url=("author.url",),
            date=("published", "wm-received"),
            html=("content.html",),
            text=("content.text",),
        ),
        mount="#webmentions",
    ),
    CommentSystem(
        name="mastodon",
        recognise=(r"/api/v1/statuses/", r"<mastodon-comments\b"),
        where="endpoint",
        params={
            "host": (
                r"(?:\bhost\s*[=:]\s*[\"']|https://)([\w.-]+\.[a-z]{2,})(?=[\"'](?=[^<]{0,"
                r"400}(?:tootId|\bid|user)\b)|/api/v1/statuses/)"
            ),
            "toot": (
                r"(?:/api/v1/statuses/|\btootId\s*[=:]\s*[\"']|\btoot-?id\s*=\s*[\"']|"
                r"data-toot-id=[\"']|\bid\s*:\s*[\"'])(\d{9,})"
            ),
        },
        endpoint="https://{host}/api/v1/statuses/{toot}/context",
        shape=JsonShape(
            items=("descendants",),
            parent=("in_reply_to_id",),
            author=("account.display_name", "account.acct"),
            author_url=("account.url",),
            date=("created_at",),
            html=("content",),
        ),
        mount="mastodon-comments, #mastodon-comments-list",
        reveal=("#load-comment", "#load-comments", "button.load-comments"),
    ),
    CommentSystem(
        name="ghost",
        recognise=(r"\bdata-ghost-comments\b", r"/comments-ui(?:\.min)?\.js"),
        where="endpoint",
        params={"thread": r"\bdata-post-id\s*=\s*[\"']([0-9a-f]{24})"},
        endpoint="{origin}/members/api/comments/post/{thread}/?limit=100&page={page}",
        replies="{origin}/members/api/comments/{id}/replies/?limit=all",
        shape=JsonShape(
            items=("comments",),
            children=("replies",),
            replies="count.replies",
            parent=("in_reply_to_id", "parent_id"),
            author=("member.name",),
            date=("created_at",),
            html=("html",),
            pages="meta.pagination.pages",
        ),
        frame=r"^about:(?:blank|srcdoc)",
        mount="#ghost-comments-root",
        more=(
            "[data-testid='pagination-component']",
            "button[data-testid*='pagination']",
            "[data-testid='replies-pagination']",
        ),
        settled="[data-testid='comment-component'], [data-testid='content-box']",
        reading=Reading(
            unit="[data-testid='comment-component']",
            author="h4, [data-testid='member-name']",
            date="time, [data-testid='commented-at']",
            body="[data-testid='comment-content']",
        ),
    ),
    CommentSystem(
        name="substack",
        recognise=(r"\bsubstackcdn\.com/", r"\bsubstack\.com/(?:api|embedjs|img)"),
        where="endpoint",
        params={"thread": r"\bpost_id(?:\\?[\"'])?\s*[:=]\s*(?:\\?[\"'])?(\d+)"},
        endpoint=(
            "{origin}/api/v1/post/{thread}/comments?token=&all_comments=true&sort=oldest_first"
        ),
        shape=JsonShape(
            items=("comments",),
            children=("children",),
            author=("name",),
            date=("date",),
            text=("body",),
        ),
    ),
    CommentSystem(
        name="discourse",
        recognise=(r"\bDiscourseEmbed\b", r"id=[\"']?discourse-comments\b"),
        where="endpoint",
        params={"host": r"\bdiscourseUrl\s*:\s*[\"']([^\"']+)"},
        endpoint="{host}/embed/comments?embed_url={url}",
        frame=r"/embed/comments\?",
        mount="#discourse-comments",
        settled="article.post, .no-replies, footer",
        reading=Reading(
            unit="article.post",
            author="h3.username a, .username a, h3.username",
            date="a.post-date, .post-date",
            body=".cooked",
            drop="h3.username, .post-replies",
            thread="a.in-reply-to",
        ),
    ),
    CommentSystem(
        name="blogger",
        recognise=(r"blogger\.com/comment/(?:frame|fullpage)", r"id=[\"']?comment-editor\b"),
        where="static",
        more=("#comments .loadmore a", "#comments .continue a"),
    ),
    CommentSystem(
        name="wordpress",
        recognise=(r"wp-comments-post\.php",),
        where="static",
        more=(".comments-load-more", "#comments .load-more", ".wpd-load-more-submit"),
    ),
    CommentSystem(
        name="jetpack", recognise=(r"id=[\"']?jetpack_remote_comment\b",), where="static"
    ),
)
