# ruff: noqa: E501 (markup and answers as systems write them)
"""Systems whose comments plain requests reach: what stands in the post's page, and what each public
endpoint answers, in its own form.

Comment ``i`` is the same everywhere: written by "Reader i" on day 1 + i of March 2021 at 10:00 UTC;
odd ones answer the one before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

POST = "http://blog.example/2021/a-post/"
TOTAL = 12


def author(i: int) -> str:
    return f"Reader {i}"


def text(i: int) -> str:
    return f"Comment number {i} says something about point {i}."


def day(i: int) -> str:
    return f"2021-03-{1 + i:02d}T10:00:00"


def stamp(i: int) -> int:
    return 1614592800 + 86400 * i


def threads(one: Callable[[int, list[Any]], Any]) -> list[Any]:
    """``one(number, replies)`` of every first-level comment."""
    return [one(i, [one(i + 1, [])]) for i in range(0, TOTAL, 2)]


@dataclass(frozen=True)
class Endpoint:
    static: str
    """In the post's page."""
    answers: Mapping[str, str]
    """What each address answers; all others are not found."""
    threaded: bool = True


def isso() -> Endpoint:
    def one(i: int, replies: list[Any]) -> Any:
        own = {
            "id": 100 + i,
            "parent": 99 + i if i % 2 else None,
            "text": f"<p>{text(i)}</p>",
            "author": author(i),
            "website": None,
        }
        own |= {
            "created": stamp(i) + 0.52,
            "modified": None,
            "mode": 1,
            "likes": 0,
            "dislikes": 0,
            "hash": "ab12",
            "notification": 0,
        }
        return (
            own
            if i % 2
            else own | {"total_replies": len(replies), "hidden_replies": 0, "replies": replies}
        )

    body = {
        "id": None,
        "total_replies": TOTAL // 2,
        "hidden_replies": 0,
        "replies": threads(one),
        "config": {"gravatar": False},
    }
    static = '<script data-isso="//comments.example/" src="//comments.example/js/embed.min.js"></script><section id="isso-thread"></section>'
    return Endpoint(static, {"http://comments.example/?uri=%2F2021%2Fa-post%2F": json.dumps(body)})


def remark42() -> Endpoint:
    def one(i: int, replies: list[Any]) -> Any:
        user = {
            "name": author(i),
            "id": f"github_{i}",
            "picture": "",
            "ip": "",
            "admin": False,
            "site_id": "blog",
        }
        own = {
            "id": f"c{i:04x}-11eb",
            "pid": f"c{i - 1:04x}-11eb" if i % 2 else "",
            "text": f"<p>{text(i)}</p>\n",
            "orig": text(i),
            "user": user,
        }
        own |= {
            "locator": {"site": "blog", "url": POST},
            "score": 0,
            "vote": 0,
            "time": day(i) + ".760635374Z",
            "title": "A post",
        }
        return {"comment": own, "replies": replies} if replies else {"comment": own}

    body = {
        "comments": threads(one),
        "info": {"url": POST, "count": TOTAL, "read_only": False, "first_time": day(0) + "Z"},
    }
    static = "<div id='remark42'></div><script>var remark_config = {host: 'https://remark.example', site_id: 'blog', components: ['embed']}</script>"
    url = "https://remark.example/api/v1/find?site=blog&url=http%3A%2F%2Fblog.example%2F2021%2Fa-post%2F&sort=%2Btime&format=tree"
    return Endpoint(static, {url: json.dumps(body)})


def cusdis() -> Endpoint:
    def one(i: int, replies: list[Any]) -> Any:
        own = {
            "id": f"6a1c-{i:04d}",
            "createdAt": day(i) + ".000Z",
            "content": text(i),
            "moderatorId": None,
            "page": {"slug": "p1"},
        }
        own |= {
            "by_nickname": author(i),
            "by_email": None,
            "parsedContent": f"<p>{text(i)}</p>\n",
            "parsedCreatedAt": day(i)[:16].replace("T", " "),
        }
        return own | {
            "replies": {
                "data": replies,
                "commentCount": len(replies),
                "pageSize": 10,
                "pageCount": 1,
            }
        }

    all_of_them = threads(one)[::-1]
    answers = {}
    for page in (1, 2):  # ten a page in truth; four here
        data = {
            "data": all_of_them[page * 4 - 4 : page * 4],
            "commentCount": TOTAL // 2,
            "pageSize": 4,
            "pageCount": 2,
        }
        answers[f"https://cusdis.com/api/open/comments?appId=app-1&pageId=p1&page={page}"] = (
            json.dumps({"data": data})
        )
    static = '<div id="cusdis_thread" data-host="https://cusdis.com" data-app-id="app-1" data-page-id="p1" data-page-url="x"></div><script async src="https://cusdis.com/js/cusdis.es.js"></script>'
    return Endpoint(static, answers)


def waline() -> Endpoint:
    def one(i: int, replies: list[Any]) -> Any:
        own = {
            "objectId": 500 + i,
            "nick": author(i),
            "link": f"http://example.org/u{i}",
            "comment": f"<p>{text(i)}</p>\n",
            "orig": text(i),
            "status": "approved",
        }
        own |= {
            "time": stamp(i) * 1000,
            "like": 0,
            "level": 0,
            "avatar": "x",
            "type": "guest",
            "browser": "Firefox",
            "os": "Linux",
            "user_id": None,
            "sticky": None,
        }
        return own | {"pid": 499 + i, "rid": 499 + i} if i % 2 else own | {"children": replies}

    answers = {}
    for page in (1, 2):
        data = {
            "page": page,
            "totalPages": 2,
            "pageSize": 100,
            "count": TOTAL,
            "data": threads(one)[page * 3 - 3 : page * 3],
        }
        url = f"https://waline.example/api/comment?path=%2F2021%2Fa-post%2F&pageSize=100&page={page}&lang=en&sortBy=insertedAt_asc"
        answers[url] = json.dumps({"errno": 0, "errmsg": "", "data": data})
    static = "<div id='waline'></div><script type=module>import { init } from 'https://unpkg.com/@waline/client@v3/dist/waline.js'; init({el: '#waline', serverURL: 'https://waline.example'})</script>"
    return Endpoint(static, answers)


def webmention() -> Endpoint:
    def one(i: int) -> Any:
        own = {
            "type": "entry",
            "author": {
                "type": "card",
                "name": author(i),
                "photo": "",
                "url": f"http://example.org/u{i}",
            },
            "url": f"http://example.org/{i}",
        }
        own |= {
            "published": day(i) + "+00:00",
            "wm-received": day(i) + "Z",
            "wm-id": 900000 + i,
            "wm-source": f"http://example.org/{i}",
            "wm-target": POST,
        }
        return own | {
            "content": {"html": f"<p>{text(i)}</p>", "text": text(i)},
            "in-reply-to": POST,
            "wm-property": "in-reply-to",
            "wm-private": False,
        }

    like = {
        "type": "entry",
        "author": {"name": "Nobody"},
        "wm-id": 1,
        "wm-received": day(1) + "Z",
        "published": None,
        "like-of": POST,
        "wm-property": "like-of",
    }
    url = "https://webmention.io/api/mentions.jf2?target=http%3A%2F%2Fblog.example%2F2021%2Fa-post%2F&per-page=100&page="
    body = {"type": "feed", "name": "Webmentions", "children": [like, *map(one, range(TOTAL))]}
    static = '<div id="webmentions"></div><script src="/js/webmention.min.js" async></script>'
    return Endpoint(
        static,
        {url + "0": json.dumps(body), url + "1": json.dumps(body | {"children": []})},
        threaded=False,
    )


def mastodon() -> Endpoint:
    def one(i: int) -> Any:
        above = f"1000000000{99 + i}" if i % 2 else "109123456789012345"
        account = {
            "id": str(i),
            "username": f"r{i}",
            "acct": f"r{i}@social.example",
            "display_name": author(i),
            "url": f"https://social.example/@r{i}",
        }
        own = {
            "id": f"1000000000{100 + i}",
            "created_at": day(i) + ".000Z",
            "in_reply_to_id": above,
            "in_reply_to_account_id": "1",
            "sensitive": False,
        }
        return own | {
            "spoiler_text": "",
            "visibility": "public",
            "content": f"<p>{text(i)}</p>",
            "account": account,
            "media_attachments": [],
            "emojis": [],
        }

    body = {"ancestors": [], "descendants": [one(i) for i in range(TOTAL)]}
    static = "<div id='mastodon-comments-list'></div><script>fetch('https://social.example/api/v1/statuses/109123456789012345/context').then(show)</script>"
    return Endpoint(
        static,
        {"https://social.example/api/v1/statuses/109123456789012345/context": json.dumps(body)},
    )


def ghost() -> Endpoint:
    def one(i: int, replies: list[Any]) -> Any:
        """As in the API of Ghost 6; the first comment's only answer has to be asked for."""
        member = {
            "id": f"{i:024x}",
            "uuid": f"{i:08x}-0000-4000-8000-000000000000",
            "name": author(i),
            "expertise": None,
            "avatar_image": None,
        }
        own = {
            "id": f"64f0{i:020x}",
            "status": "published",
            "html": f"<p>{text(i)}</p>",
            "edited_at": None,
            "created_at": day(i) + ".000Z",
            "member": member,
        }
        own |= {"parent_id": f"64f0{i - 1:020x}" if i % 2 else None, "in_reply_to_id": None}
        return own | {
            "replies": replies if i else [],
            "count": {"replies": len(replies), "likes": 0},
            "liked": False,
        }

    answers = {}
    for page in (1, 2):
        pagination = {
            "page": page,
            "limit": 100,
            "pages": 2,
            "total": TOTAL // 2,
            "next": 2 if page == 1 else None,
            "prev": None,
        }
        body = {
            "comments": threads(one)[page * 3 - 3 : page * 3],
            "meta": {"pagination": pagination},
        }
        answers[
            f"http://blog.example/members/api/comments/post/0123456789abcdef01234567/?limit=100&page={page}"
        ] = json.dumps(body)
    answers[f"http://blog.example/members/api/comments/64f0{0:020x}/replies/?limit=all"] = (
        json.dumps({"comments": [one(1, [])]})
    )
    static = '<script defer src="https://cdn.jsdelivr.net/ghost/comments-ui@~1.1/umd/comments-ui.min.js" data-ghost-comments="http://blog.example/" data-post-id="0123456789abcdef01234567" data-count="true"></script>'
    return Endpoint(static, answers)


def substack() -> Endpoint:
    def one(i: int, replies: list[Any]) -> Any:
        own = {
            "id": 7000 + i,
            "body": text(i),
            "name": author(i),
            "date": day(i) + ".000Z",
            "user_id": i,
            "post_id": 4711,
            "ancestor_path": str(6999 + i) if i % 2 else "",
        }
        return own | {
            "type": "comment",
            "deleted": False,
            "edited_at": None,
            "photo_url": "x",
            "reactions": {"❤": 1},
            "children": replies,
            "children_count": len(replies),
        }

    static = '<img src="https://substackcdn.com/image/x.png"><script>window._preloads = JSON.parse("{\\"post\\":{},\\"post_id\\":4711}")</script>'
    url = "http://blog.example/api/v1/post/4711/comments?token=&all_comments=true&sort=oldest_first"
    return Endpoint(static, {url: json.dumps({"comments": threads(one)})})


def discourse() -> Endpoint:
    def one(i: int) -> str:
        above = (
            f"<a class='in-reply-to' data-link-to-post='{299 + i}' href='https://forum.example/t/a-post/7/{i}'>in reply to r{i - 1}</a>"
            if i % 2
            else ""
        )
        below = (
            f"<a href='https://forum.example/t/a-post/7/{i}' data-link-to-post='{301 + i}' class='post-replies button'>1 reply</a>"
            if not i % 2
            else ""
        )
        name = (
            f"<a href='https://forum.example/u/r{i}' target='_blank' class='staff'>Reader {i}</a>"
        )
        return (
            f"<article class='post' id='post-{300 + i}'><a title='March {1 + i}, 2021 10:00am' class='post-date' target='_blank' href='https://forum.example/t/a-post/7/{i}'>Mar &#39;21</a>{above}"
            f"<div class='author'><a href='https://forum.example/u/r{i}'><img src='x' alt=''></a></div><div class='cooked'><h3 class='username'>{name}</h3><p>{text(i)}</p>{below}</div></article>"
        )

    body = f"<!DOCTYPE html><html><body><header class='discourse'><span class='replies'>{TOTAL} replies</span></header>{''.join(map(one, range(TOTAL)))}<footer class='clearfix'><a class='button'>Continue</a></footer></body></html>"
    static = "<div id='discourse-comments'></div><script>DiscourseEmbed = { discourseUrl: 'https://forum.example/', discourseEmbedUrl: 'http://blog.example/2021/a-post/' };</script>"
    return Endpoint(
        static,
        {
            "https://forum.example/embed/comments?embed_url=http%3A%2F%2Fblog.example%2F2021%2Fa-post%2F": body
        },
    )


def blogger() -> Endpoint:
    def one(i: int, replies: list[Any]) -> str:
        number = 4711_0815_4711_0815_000 + i
        below = f'<div class="comment-thread inline-thread" id="c{number}-rt"><ol id="c{number}-ra" class="thread-chrome thread-expanded"><div>{"".join(replies)}</div></ol></div>'
        return (
            f'<li class="comment" id="c{number}"><div class="comment-block"><div class="comment-header"><cite class="user"><a href="http://example.org/u{i}" rel="nofollow">{author(i)}</a></cite>'
            f'<span class="datetime secondary-text"><a rel="nofollow" href="{POST}?showComment={stamp(i)}000#c{number}">March {1 + i}, 2021 at 10:00 AM</a></span></div>'
            f'<p class="comment-content">{text(i)}</p></div><div class="comment-replies">{below}</div></li>'
        )

    static = f'<div class="comments" id="comments"><h4>{TOTAL} comments:</h4><div id="comment-holder"><ol id="top-ra">{"".join(threads(one))}</ol></div><iframe id="comment-editor" src="https://www.blogger.com/comment/frame/1?po=2"></iframe></div>'
    return Endpoint(static, {})


def wordpress(
    form: str = '<form action="http://blog.example/wp-comments-post.php" method="post"></form>',
) -> Endpoint:
    def one(i: int, replies: list[Any]) -> str:
        below = f'<ol class="children">{"".join(replies)}</ol>' if replies else ""
        return (
            f'<li id="comment-{400 + i}" class="comment depth-{1 + i % 2}"><article id="div-comment-{400 + i}" class="comment-body"><footer class="comment-meta"><div class="comment-author vcard"><b class="fn">'
            f'<a href="http://example.org/u{i}" class="url" rel="ugc">{author(i)}</a></b> <span class="says">says:</span></div><div class="comment-metadata"><a href="{POST}#comment-{400 + i}"><time datetime="{day(i)}+00:00">March {1 + i}, 2021 at 10:00 am</time></a></div></footer>'
            f'<div class="comment-content"><p>{text(i)}</p></div></article>{below}</li>'
        )

    static = f'<div id="comments" class="comments-area"><h2 class="comments-title">{TOTAL} replies</h2><ol class="comment-list">{"".join(threads(one))}</ol>{form}</div>'
    return Endpoint(static, {})


def jetpack() -> Endpoint:
    return wordpress(
        '<div id="respond"><iframe id="jetpack_remote_comment" name="jetpack_remote_comment" src="https://jetpack.wordpress.com/jetpack-comment/?blogid=1"></iframe></div>'
    )


ENDPOINTS = {
    made.__name__: made()
    for made in (
        isso,
        remark42,
        cusdis,
        waline,
        webmention,
        mastodon,
        ghost,
        substack,
        discourse,
        blogger,
        wordpress,
        jetpack,
    )
}


def page(name: str) -> str:
    """The post with the system's embed."""
    body = (
        "<article><h1>A post</h1>" + "<p>Its text, long enough to be one.</p>" * 30 + "</article>"
    )
    return f"<!doctype html><html><head><meta charset=utf-8><title>A post</title></head><body>{body}<section>{ENDPOINTS[name].static}</section></body></html>"
