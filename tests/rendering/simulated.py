# ruff: noqa: E501 (markup as engines write it)
"""Pages that behave as the comment systems do: their marks, class names, frames and "more" buttons, without their servers.

A row a system; ``{i}`` is the comment's number, ``{children}`` where replies go. The script of the
page shows ``FIRST`` comments after a moment and ``STEP`` more a click, as lazily as the real ones.
"""

from __future__ import annotations

from dataclasses import dataclass

TOTAL, FIRST, STEP = 23, 5, 6
DAY = "2021-03-{d:02d}T10:00:00Z"


@dataclass(frozen=True)
class Row:
    static: str
    """In the post's page."""
    comment: str
    more: str
    mount: str
    """id or class of the node where comments are drawn (in the frame's document where there is a frame)."""
    frame: str = ""
    """URL that the static part's script opens a frame to."""
    shadow: bool = False
    wrap: str = "<div>{all}</div>"


ROWS: dict[str, Row] = {
    "disqus": Row(
        static='<div id="disqus_thread"></div><script data-src="https://x.disqus.com/embed.js"></script>',
        comment='<li class="post" id="post-{n}"><div class="post-content"><header><span class="post-byline"><span class="author publisher-anchor-color">'
        '<a href="http://example.org/u{i}">Reader {i}</a></span></span><a class="time-ago" title="Friday, March {d}, 2021 10:00 AM">3 years ago</a></header>'
        '<div class="post-body-inner"><div class="post-message"><p>Comment number {i} says something about point {i}.</p></div></div></div><ul class="children">{children}</ul></li>',
        more='<a href="#" data-action="more-posts" class="btn load-more__button">Load more comments</a>',
        mount="posts",
        frame="https://disqus.com/embed/comments/?base=default",
        wrap='<ul id="post-list" class="post-list">{all}</ul>',
    ),
    "utterances": Row(
        static='<div class="utterances"></div>',
        comment='<article class="timeline-comment"><header class="comment-header"><a class="author" href="https://github.com/reader{i}">Reader {i}</a> commented '
        '<time datetime="2021-03-{d}T10:00:00Z">on Mar {d}, 2021</time></header><div class="markdown-body"><p>Comment number {i} says something about point {i}.</p></div></article>{children}',
        more='<form class="pagination-loader-form"><button type="button" class="pagination-loader-form-button">Load more</button></form>',
        mount="timeline",
        frame="https://utteranc.es/utterances.html?src=x",
    ),
    "giscus": Row(
        static='<div class="giscus"></div><script src="about:blank" data-repo-id="x"></script>',
        comment='<div class="gsc-comment"><div><div class="gsc-comment-author"><a href="https://github.com/r{i}">Reader {i}</a></div>'
        '<time datetime="2021-03-{d}T10:00:00Z">Mar</time><div class="gsc-comment-content"><p>Comment number {i} says something about point {i}.</p></div></div>{children}</div>',
        more='<div class="gsc-pagination"><button>load more</button></div>',
        mount="app",
        frame="https://giscus.app/en/widget?origin=x",
    ),
    "facebook": Row(
        static='<div class="fb-comments" data-href="x"></div>',
        comment='<div class="_3-8y"><a class="UFICommentActorName" href="http://example.org/{i}">Reader {i}</a><div class="_30o4"><span>Comment number {i} says something about point {i}.</span></div>'
        '<abbr title="2021-03-{d} 10:00">March</abbr>{children}</div>',
        more='<button class="_1gl3">Load 10 more comments</button>',
        mount="feedback",
        frame="https://www.facebook.com/plugins/feedback.php?x=1",
    ),
    "hyvor": Row(
        static='<hyvor-talk-comments website-id="1"></hyvor-talk-comments>',
        comment='<div class="comment"><div class="name">Reader {i}</div><time datetime="2021-03-{d}T10:00:00Z">x</time><div class="comment-body"><p>Comment number {i} says something about point {i}.</p></div>{children}</div>',
        more='<button class="load-more">Load more</button>',
        mount="hyvor-talk-comments",
        shadow=True,
    ),
    "commento": Row(
        static='<div id="commento"></div>',
        comment='<div class="commento-card" id="commento-comment-card-{n}"><div class="commento-name">Reader {i}</div><div class="commento-timeago" title="2021-03-{d} 10:00:00 UTC">ago</div>'
        '<div class="commento-body"><p>Comment number {i} says something about point {i}.</p></div>{children}</div>',
        more="",
        mount="commento",
    ),
    "twikoo": Row(
        static='<div id="tcomment"></div>',
        comment='<div class="tk-comment" id="{h}"><div class="tk-main"><div class="tk-meta"><strong class="tk-nick">Reader {i}</strong><time class="tk-time" datetime="2021-03-{d}T10:00:00Z">x</time></div>'
        '<div class="tk-content"><p>Comment number {i} says something about point {i}.</p></div></div><div class="tk-replies">{children}</div></div>',
        more='<div class="tk-expand-wrap"><div class="tk-expand">Show more</div></div>',
        mount="tcomment",
    ),
    "valine": Row(
        static='<div id="vcomments"></div><script>/* new Valine({{el: "#vcomments"}}) */</script>',
        comment='<div class="vcard" id="{h}"><div class="vh"><div class="vhead"><a class="vnick" href="http://example.org/{i}">Reader {i}</a></div><div class="vmeta"><span class="vtime">2021-03-{d}</span></div>'
        '<div class="vcontent"><p>Comment number {i} says something about point {i}.</p></div><div class="vquote">{children}</div></div></div>',
        more='<div class="vpage txt-center"><button type="button" class="vmore vbtn">More...</button></div>',
        mount="vcomments",
    ),
    "gitalk": Row(
        static='<div id="gitalk-container"></div><script>/* new Gitalk( */</script>',
        comment='<div class="gt-comment"><div class="gt-comment-content"><a class="gt-comment-username" href="https://github.com/r{i}">Reader {i}</a><span class="gt-comment-date" title="2021-03-{d}">x</span>'
        '<div class="gt-comment-body"><p>Comment number {i} says something about point {i}.</p></div></div></div>{children}',
        more='<div class="gt-comments-controls"><button class="gt-btn gt-btn-loadmore"><span>Load more</span></button></div>',
        mount="gitalk-container",
    ),
    "livefyre": Row(
        static='<div id="livefyre-comments"></div>',
        comment='<article class="fyre-comment-article" id="{h}"><a class="fyre-comment-username" href="http://example.org/{i}">Reader {i}</a><time class="fyre-comment-date" datetime="2021-03-{d}T10:00:00Z">x</time>'
        '<section class="fyre-comment"><p>Comment number {i} says something about point {i}.</p></section>{children}</article>',
        more='<div class="fyre-stream-more-container"><button>Show More Comments</button></div>',
        mount="livefyre-comments",
    ),
    "intensedebate": Row(
        static='<div id="idc-container"></div><script>var idcomments_acct = "x";</script>',
        comment='<div class="idc-c" id="IDComment{n}"><div class="idc-c-h"><a href="http://example.org/{i}">Reader {i}</a><span class="idc-time" title="2021-03-{d}">x</span></div>'
        '<div class="idc-c-t-inner">Comment number {i} says something about point {i}.</div>{children}</div>',
        more='<div class="idc-load-more"><a href="javascript:void(0)">Load more</a></div>',
        mount="idc-container",
    ),
    "artalk": Row(
        static='<div id="Comments"></div><script>/* Artalk.init({{el: "#Comments"}}) */</script>',
        comment='<div class="atk-comment-wrap" data-atk-comment-id="{n}"><div class="atk-comment"><div class="atk-avatar"></div><div class="atk-main"><div class="atk-header"><span class="atk-item atk-nick"><a href="http://example.org/{i}">Reader {i}</a></span>'
        '<span class="atk-item atk-date" data-atk-comment-date="{ms}">3 years ago</span></div><div class="atk-body"><div class="atk-content"><p>Comment number {i} says something about point {i}.</p></div></div><div class="atk-footer"><div class="atk-actions"></div></div>'
        '<div class="atk-comment-children">{children}</div></div></div></div>',
        more='<div class="atk-list-read-more"><div class="atk-list-read-more-inner"><span class="atk-text">Load More</span></div></div>',
        mount="Comments",
    ),
    "coral": Row(
        static='<div id="coral_thread"></div>',
        comment='<div class="coral coral-comment" id="comment-0000{h}"><div class="coral coral-indent coral-indent-{level}"><div class="coral coral-comment-topBar"><button class="coral coral-username coral-comment-username"><span>Reader {i}</span></button>'
        '<time class="coral coral-timestamp coral-comment-timestamp" datetime="2021-03-{d}T10:00:00Z">3 years ago</time></div><div class="coral coral-content coral-comment-content"><div>Comment number {i} says something about point {i}.</div></div></div></div>{children}',
        more='<button id="comments-loadMore" class="coral coral-loadMoreButton coral-allComments-loadMoreButton">Load More</button>',
        mount="coral_thread",
        shadow=True,
    ),
    "openweb": Row(
        static='<div data-spotim-module="conversation"></div>',
        comment='<li class="spcv_list-item"><div class="spcv_root-message"><div data-spot-im-class="message-view"><span data-spot-im-class="message-username">Reader {i}</span>'
        '<time data-spot-im-class="message-timestamp" title="2021-03-{d} 10:00">5 March, 2021</time><div data-spot-im-class="message-text"><p>Comment number {i} says something about point {i}.</p></div></div></div><ul class="spcv_children-list">{children}</ul></li>',
        more='<div class="spcv_loadMoreCommentsContainer"><button>Show More Comments</button></div>',
        mount="[data-spotim-module]",
        shadow=True,
        wrap='<ul class="spcv_messages-list">{all}</ul>',
    ),
    "viafoura": Row(
        static='<div class="viafoura"><vf-conversations></vf-conversations></div>',
        comment='<div class="vf-comment-container" data-id="{n}"><a class="vf-username" href="http://example.org/{i}">Reader {i}</a><time class="vf-timestamp" datetime="2021-03-{d}T10:00:00Z">x</time>'
        '<div class="vf-comment-html"><p>Comment number {i} says something about point {i}.</p></div>{children}</div>',
        more='<div class="vf-load-more"><button>Load more comments</button></div>',
        mount="vf-conversations",
    ),
    "vk": Row(
        static='<div id="vk_comments"></div><script>/* VK.Widgets.Comments("vk_comments") */</script>',
        comment='<div class="_post post {vk}" id="post1_{n}"><div class="post_content"><div class="wcomments_post_content"><div class="post_author"><a class="author" href="https://vk.com/id{i}">Reader {i}</a></div>'
        '<div class="wall_text"><div class="{vktext}">Comment number {i} says something about point {i}.</div></div><div class="post_date"><span class="rel_date" abs_time="5 Mar 2021" time="{s}">5 Mar 2021</span></div></div></div><div class="replies">{children}</div></div>',
        more='<a id="wcomments_more_link" href="#">Show more comments</a>',
        mount="wcomments_posts",
        frame="https://vk.com/widget_comments.php?app=1",
    ),
    "telegram": Row(
        static='<div data-src="https://comments.app/js/widget.js"></div>',
        comment='<div class="bc-comment" data-comment-id="{n}"><div class="bc-comment-box"><div class="bc-comment-body"><div class="bc-comment-author-flex"><span class="bc-comment-author-name"><a class="name" href="https://t.me/r{i}">Reader {i}</a></span>'
        '<a href="#" class="bc-comment-date"><time datetime="2021-03-{d}T10:00:00+00:00">Mar {d}</time></a></div><div class="bc-comment-text">Comment number {i} says something about point {i}.</div></div></div></div>{children}',
        more='<a class="bc-load-more" href="#">Show more</a>',
        mount="bc-comments",
        frame="https://comments.app/embed/view?website=x",
    ),
    "cackle": Row(
        static='<div id="mc-container"></div>',
        comment='<div class="mc-comment" id="mc-{n}"><div class="mc-comment-wrapper"><div class="mc-comment-head"><a class="mc-comment-username" href="http://example.org/{i}">Reader {i}</a><a class="mc-comment-created" href="#mc-{n}" timestamp="{ms}">3 years ago</a></div>'
        '<div class="mc-comment-body"><div class="mc-comment-msg">Comment number {i} says something about point {i}.</div></div></div><div class="mc-comment-child">{children}</div></div>',
        more='<button class="mc-comment-next">Next comments</button>',
        mount="mc-container",
    ),
    "graphcomment": Row(
        static='<div id="graphcomment"></div>',
        comment='<div class="comment" id="comment-{n}"><span class="author">Reader {i}</span><time datetime="2021-03-{d}T10:00:00Z">x</time><div class="comment-content"><p>Comment number {i} says something about point {i}.</p></div>{children}</div>',
        more='<button class="gc-load-more">Load more</button>',
        mount="comments",
        frame="https://graphcomment.com/front/?id=x",
    ),
    "fastcomments": Row(
        static='<div id="fastcomments-widget"></div><script>/* FastCommentsUI(document.getElementById("fastcomments-widget")) */</script>',
        comment='<div class="comment" data-id="{n}"><div class="inner"><div class="comment-content"><a class="commenter-name" href="http://example.org/{i}">Reader {i}</a><div class="date" title="2021-03-{d} 10:00">x</div>'
        '<div class="comment-text">Comment number {i} says something about point {i}.</div></div></div><div class="children">{children}</div></div>',
        more='<button class="next-page">Next 6</button>',
        mount="comments",
        frame="https://fastcomments.com/ui/?x=1",
        wrap='<div class="fast-comments comments">{all}</div>',
    ),
    "talkyard": Row(
        static='<div class="talkyard-comments" data-discussion-id=""></div>',
        comment='<li class="dw-t dw-depth-{level}"><div class="dw-p" id="post-{n}"><div class="dw-p-hd"><a class="dw-p-by esP_By"><span class="esP_By_F">Reader {i}</span></a> <span class="esP_H_At" title="2021-03-{d} 10:00">x</span></div>'
        '<div class="dw-p-bd"><div class="dw-p-bd-blk"><p>Comment number {i} says something about point {i}.</p></div></div></div><ol class="dw-res">{children}</ol></li>',
        more='<a class="dw-x-show">Click to show more replies</a>',
        mount="talkyard",
        frame="https://comments.blog.example/-/embedded-comments?x",
        wrap="<ol>{all}</ol>",
    ),
}

_SCRIPT = """
<script>
const TOTAL = %(total)d, FIRST = %(first)d, STEP = %(step)d;
const template = %(comment)s, moreHtml = %(more)s, wrap = %(wrap)s, shadow = %(shadow)s, mountName = %(mount)s;
let shown = 0;
function one(i, children) {
  const d = String(1 + i %% 28).padStart(2, '0'), stamp = Date.UTC(2021, 2, 1 + i %% 28, 10) / 1000;
  return template.replaceAll('{i}', i).replaceAll('{n}', 1000 + i).replaceAll('{h}', (0x10000000 + i).toString(16) + 'abcdef0123456789').replaceAll('{d}', d).replaceAll('{level}', i %% 2)
    .replaceAll('{s}', stamp).replaceAll('{ms}', stamp + '000').replaceAll('{vk}', i %% 2 ? 'reply' : 'wcomments_post').replaceAll('{vktext}', i %% 2 ? 'wall_reply_text' : 'wall_post_text').replace('{children}', children);
}
function draw() {
  let mount = document.getElementById(mountName) || document.querySelector(mountName) || document.querySelector('.' + mountName);
  if (shadow) mount = mount.shadowRoot || mount.attachShadow({mode: 'open'});
  shown = moreHtml ? Math.min(TOTAL, shown ? shown + STEP : FIRST) : TOTAL;
  let html = '';
  for (let i = 0; i < shown; i += 2) html += one(i, i + 1 < shown ? one(i + 1, '') : '');
  mount.innerHTML = wrap.replace('{all}', html) + (shown < TOTAL ? moreHtml : '');
  if (shown < TOTAL) mount.lastElementChild.onclick = () => { setTimeout(draw, 60); return false; };
}
setTimeout(draw, 150);
</script>"""


def _drawing(row: Row) -> str:
    import json

    values = {
        "total": TOTAL,
        "first": FIRST,
        "step": STEP,
        "comment": json.dumps(row.comment),
        "more": json.dumps(row.more),
        "wrap": json.dumps(row.wrap),
        "shadow": json.dumps(row.shadow),
        "mount": json.dumps(row.mount),
    }
    return _SCRIPT % {
        k: str(v).replace("</", "<\\/") if isinstance(v, str) else v for k, v in values.items()
    }


BANNER = '<div style="position:fixed;inset:0;background:#000c;z-index:99999" onclick="event.stopPropagation();event.preventDefault()">We value your privacy <button>Accept</button></div>'


def page(name: str) -> str:
    """The post with the system's embed; a cookie banner lies over all of it."""
    row = ROWS[name]
    body = (
        "<article><h1>A post</h1>" + "<p>Its text, long enough to be one.</p>" * 30 + "</article>"
    )
    static = row.static.replace("{{", "{").replace("}}", "}")
    if row.frame:
        script = f"<script>setTimeout(() => {{ const f = document.createElement('iframe'); f.src = {row.frame!r}; f.width = 700; f.height = 900; document.body.append(f); }}, 80)</script>"
    else:
        script = _drawing(row)
    return f"<!doctype html><html><head><meta charset=utf-8><title>A post</title></head><body>{body}<section>{static}</section>{script}{BANNER}</body></html>"


def frame(name: str) -> str:
    """The document in the system's frame."""
    row = ROWS[name]
    return f'<!doctype html><html><head><meta charset=utf-8></head><body><div id="{row.mount}"></div>{_drawing(row)}</body></html>'
