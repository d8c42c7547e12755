# ruff: noqa: E501 (markup as engines write it)
"""Comment lists in the manner of forty more engines, hosts and home-made pages: threads,
link-backs, other scripts, pages without any comment.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawl.comments import extract_comments
from blogcrawl.core.page import Page

LONG = "I have baked this bread four times now and it never failed me, thank you."

Told = tuple[str, str | None, str, int | None, str]
"""Author, start of the moment (UTC), text, place of the parent in the list, kind."""

PAGES: dict[str, tuple[str, str, tuple[Told, ...]]] = {
    "wp-block": (
        "en",
        '<div class="wp-block-comments"><h2 class="wp-block-comments-title">Three responses to “Bread”</h2><ol class="wp-block-comment-template"><li id="comment-11" class="comment even thread-even depth-1"><div class="wp-block-columns"><div class="wp-block-column" style="flex-basis:40px"><div class="wp-block-avatar"><img class="avatar" src="x"></div></div><div class="wp-block-column"><div class="wp-block-comment-author-name has-small-font-size"><a rel="external nofollow ugc" href="http://ann.example" target="_self">Ann</a></div><div class="wp-block-group"><div class="wp-block-comment-date"><time datetime="2022-03-01T10:00:00+01:00"><a href="http://blog.example/bread#comment-11">March 1, 2022</a></time></div></div><div class="wp-block-comment-content"><p>'
        + LONG
        + '</p></div><div class="wp-block-comment-reply-link"><a rel="nofollow" class="comment-reply-link" href="?replytocom=11#respond" data-commentid="11">Reply</a></div></div></div><ol><li id="comment-12" class="comment odd alt depth-2"><div class="wp-block-columns"><div class="wp-block-column"><div class="wp-block-avatar"><img class="avatar" src="x"></div></div><div class="wp-block-column"><div class="wp-block-comment-author-name">Bob</div><div class="wp-block-comment-date"><time datetime="2022-03-02T10:00:00+01:00"><a href="#comment-12">March 2, 2022</a></time></div><div class="wp-block-comment-content"><p>Me too.</p></div></div></div></li></ol></li><li id="comment-13" class="pingback even depth-1"><div class="wp-block-columns"><div class="wp-block-column"><div class="wp-block-comment-author-name"><a href="http://o.example/p">Other blog &#8211; Bread week</a></div><div class="wp-block-comment-date"><time datetime="2022-03-03T10:00:00+01:00">March 3, 2022</time></div><div class="wp-block-comment-content"><p>[&#8230;] the best bread of all [&#8230;]</p></div></div></div></li></ol><div id="respond" class="wp-block-post-comments-form comment-respond"><h3 id="reply-title">Leave a Reply</h3><form id="commentform"><textarea name=comment></textarea></form></div></div>',
        (
            ("Ann", "2022-03-01 09:00", LONG, None, "comment"),
            ("Bob", "2022-03-02 09:00", "Me too.", 0, "comment"),
            (
                "Other blog – Bread week",
                "2022-03-03 09:00",
                "[…] the best bread of all […]",
                None,
                "pingback",
            ),
        ),
    ),
    "livejournal-s1": (
        "en",
        '<a name="t31"></a><table><tr><td><img src="dot.gif" width="0"></td><td id="cmtbar31" bgcolor="#e2e2e2"><table><tr><td><b></b></td></tr><tr><td><a href="/userinfo.bml?user=ann_lee"><img src="i.gif" alt="[info]"></a><b><a href="/users/ann_lee/">ann_lee</a></b></td></tr><tr><td><font size="-1">2003-05-01 10:11:00</font> <font size="-1">(<a href="/bread?thread=31#t31">link</a>)</font></td></tr></table></td></tr><tr><td></td><td>'
        + LONG
        + '<p><font size="-2">(<a href="/bread?replyto=31">Reply to this</a>)</font></p></td></tr></table><a name="t32"></a><table><tr><td><img src="dot.gif" width="1"></td><td id="cmtbar32" bgcolor="#e2e2e2"><table><tr><td><b></b></td></tr><tr><td><a href="/userinfo.bml?user=bob"><img src="i.gif" alt="[info]"></a><b><a href="/users/bob/">bob</a></b></td></tr><tr><td><font size="-1">2003-05-02 10:11:00</font> <font size="-1">(<a href="/bread?thread=32#t32">link</a>)</font></td></tr></table></td></tr><tr><td></td><td>Me too.<p><font size="-2">(<a href="/bread?replyto=32">Reply to this</a>)</font></p></td></tr></table>',
        (
            ("ann_lee", "2003-05-01 10:11", LONG, None, "comment"),
            ("bob", "2003-05-02 10:11", "Me too.", None, "comment"),
        ),
    ),
    "b2": (
        "en",
        '<td>A post.<br><b>Comments</b><br><a name="c30"></a> '
        + LONG
        + '<br><small>Comment by <a href="http://x.example/">Ann</a> -- May 1, 2003 @ 10:11</small><br><br><a name="c31"></a> Me<br>too.<br><small>Comment by <a href="http://x.example/">Bob</a> -- May 2, 2003 @ 10:11</small><br><br><b>Leave a comment</b><form action="b2comments.post.php">Name <input name="author"></form></td>',
        (
            ("Ann", "2003-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2003-05-02 10:11", "Me\ntoo.", None, "comment"),
        ),
    ),
    "squarespace": (
        "en",
        '<div class="squarespace-comments" id="comments-55aa"><div class="comments-header"><h3 class="comment-count">Comments (2)</h3></div><div class="comments-content"><div class="comment-list"><div class="comment-wrap"><div class="comment" id="comment-52a1b3c4d5e6f70809101101"><div class="comment-header clear"><span class="avatar"><img src=x></span><div class="comment-info"><span class="author">Ann Lee</span><span class="date" title="2014-05-01T10:11:00Z">8 years ago</span></div><span class="likes"><span class="count">2</span> Likes</span></div><div class="comment-body"><p>'
        + LONG
        + '</p></div></div></div><div class="comment-wrap"><div class="comment" id="comment-52a1b3c4d5e6f70809101102"><div class="comment-header clear"><span class="avatar"><img src=x></span><div class="comment-info"><span class="author">Bob</span><span class="date" title="2014-05-02T10:11:00Z">8 years ago</span></div><span class="likes"><span class="count">2</span> Likes</span></div><div class="comment-body"><p>Nice.</p></div></div></div></div></div></div>',
        (
            ("Ann Lee", "2014-05-01", LONG, None, "comment"),
            ("Bob", "2014-05-02", "Nice.", None, "comment"),
        ),
    ),
    "textpattern": (
        "en",
        '<h3>Comments</h3><ol class="comments_list"><li><div class="message" id="c000011"><p>'
        + LONG
        + '</p></div><p class="comments_meta"><small>&#8212; <a href="http://r1.example/" rel="nofollow">Ann Lee</a> &#183; 1 May 2008, 10:11 &#183; <a href="#c000011">#</a></small></p></li><li><div class="message" id="c000012"><p>Nice.</p></div><p class="comments_meta"><small>&#8212; <a href="http://r2.example/" rel="nofollow">Bob</a> &#183; 2 May 2008, 10:11 &#183; <a href="#c000012">#</a></small></p></li></ol>',
        (
            ("Ann Lee", "2008-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2008-05-02 10:11", "Nice.", None, "comment"),
        ),
    ),
    "b2evolution": (
        "en",
        '<h4>2 comments</h4><a name="c31"></a><div class="bComment"><div class="bCommentTitle">Comment from: <span class="nickname">Ann Lee</span> [Visitor] <a href="http://r1.example/">&middot; http://r1.example/</a></div><div class="bCommentText"><p>'
        + LONG
        + '</p></div><div class="bCommentSmallPrint"><a href="#c31" title="Permanent link to this comment" class="permalink_right"><img src=x></a> 05/01/08 @ 10:11</div></div><a name="c32"></a><div class="bComment"><div class="bCommentTitle">Comment from: <span class="nickname">Bob</span> [Visitor] <a href="http://r2.example/">&middot; http://r2.example/</a></div><div class="bCommentText"><p>Nice.</p></div><div class="bCommentSmallPrint"><a href="#c32" title="Permanent link to this comment" class="permalink_right"><img src=x></a> 05/02/08 @ 10:11</div></div><a name="c33"></a><div class="bComment"><div class="bCommentTitle">Comment from: <span class="nickname">Carl</span> [Visitor] <a href="http://r3.example/">&middot; http://r3.example/</a></div><div class="bCommentText"><p>So do I, every week.</p></div><div class="bCommentSmallPrint"><a href="#c33" title="Permanent link to this comment" class="permalink_right"><img src=x></a> 05/03/08 @ 10:11</div></div>',
        (
            ("Ann Lee", "2008-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2008-05-02 10:11", "Nice.", None, "comment"),
            ("Carl", "2008-05-03 10:11", "So do I, every week.", None, "comment"),
        ),
    ),
    "b2evo6": (
        "de",
        '<section class="evo_comment__list"><h3>2 Kommentare</h3><a name="c31"></a><article id="c31" class="evo_comment panel panel-default"><div class="panel-heading"><h4 class="evo_comment_title panel-title"><a href="#c31" class="evo_comment_type">Kommentar</a> von: <span class="user">Ann Lee</span> <span class="text-muted">[Besucher]</span></h4></div><div class="panel-body"><div class="evo_comment_avatar"><img src=x></div><div class="evo_comment_text"><p>'
        + LONG
        + '</p></div></div><small class="evo_comment_footer clear text-muted">01.05.18 @ 10:11</small></article><a name="c32"></a><article id="c32" class="evo_comment panel panel-default"><div class="panel-heading"><h4 class="evo_comment_title panel-title"><a href="#c32" class="evo_comment_type">Kommentar</a> von: <span class="user">Bob</span> <span class="text-muted">[Besucher]</span></h4></div><div class="panel-body"><div class="evo_comment_avatar"><img src=x></div><div class="evo_comment_text"><p>Nice.</p></div></div><small class="evo_comment_footer clear text-muted">02.05.18 @ 10:11</small></article></section>',
        (
            ("Ann Lee", "2018-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2018-05-02 10:11", "Nice.", None, "comment"),
        ),
    ),
    "livejournal-old": (
        "en",
        '<div id=\'Comments\'><a name="t121"></a><div id="ljcmt121" style="margin-left: 0px; margin-top: 5px"><table id="ljcmtbar121" class="talk-comment" width="100%"><tr><td><img class="userpic" src=x></td><td>From: <span class="ljuser" lj:user="anna"><a href="http://anna.lj.example/profile"><img src=x></a><a href="http://anna.lj.example/"><b>anna</b></a></span><br>Date: 2008-05-01 10:11 am (UTC)<br><font size=-1>(<a href="http://blog.example/bread?thread=121#t121">Link</a>)</font></td></tr></table><div style="margin-top: 5px">'
        + LONG
        + '</div><p>(<a href="?replyto=121">Reply</a>) (<a href="?thread=121#t121">Thread</a>)</p></div><a name="t122"></a><div id="ljcmt122" style="margin-left: 25px; margin-top: 5px"><table id="ljcmtbar122" class="talk-comment" width="100%"><tr><td><img class="userpic" src=x></td><td>From: <span class="ljuser" lj:user="boris"><a href="http://boris.lj.example/profile"><img src=x></a><a href="http://boris.lj.example/"><b>boris</b></a></span><br>Date: 2008-05-02 10:11 am (UTC)<br><font size=-1>(<a href="http://blog.example/bread?thread=122#t122">Link</a>)</font></td></tr></table><div style="margin-top: 5px">Nice.</div><p>(<a href="?replyto=122">Reply</a>) (<a href="?thread=121#t121">Parent</a>) (<a href="?thread=122#t122">Thread</a>)</p></div><a name="t123"></a><div id="ljcmt123" style="margin-left: 0px; margin-top: 5px"><table id="ljcmtbar123" class="talk-comment" width="100%"><tr><td><img class="userpic" src=x></td><td>From: <span class="ljuser" lj:user="vera"><a href="http://vera.lj.example/profile"><img src=x></a><a href="http://vera.lj.example/"><b>vera</b></a></span><br>Date: 2008-05-03 10:11 am (UTC)<br><font size=-1>(<a href="http://blog.example/bread?thread=123#t123">Link</a>)</font></td></tr></table><div style="margin-top: 5px">So do I, every week.</div><p>(<a href="?replyto=123">Reply</a>) (<a href="?thread=123#t123">Thread</a>)</p></div></div>',
        (
            ("anna", "2008-05-01 10:11", LONG, None, "comment"),
            ("boris", "2008-05-02 10:11", "Nice.", 0, "comment"),
            ("vera", "2008-05-03 10:11", "So do I, every week.", None, "comment"),
        ),
    ),
    "drupal6": (
        "en",
        '<div id="comments"><h2 class="comments">Comments</h2><a id="comment-1"></a><div class="comment comment-published odd"><h3 class="title"><a href="/bread#comment-1" class="active">On rye</a></h3><div class="submitted">Submitted by Ann (not verified) on Sat, 2009-05-01 10:11.</div><div class="content"><p>'
        + LONG
        + '</p></div><ul class="links"><li class="comment_reply first last"><a href="/comment/reply/1/1">reply</a></li></ul></div><div class="indented"><a id="comment-2"></a><div class="comment comment-published odd"><h3 class="title"><a href="/bread#comment-2" class="active">On rye</a></h3><div class="submitted">Submitted by Bob (not verified) on Sat, 2009-05-02 10:11.</div><div class="content"><p>Nice.</p></div><ul class="links"><li class="comment_reply first last"><a href="/comment/reply/1/2">reply</a></li></ul></div></div><a id="comment-3"></a><div class="comment comment-published odd"><h3 class="title"><a href="/bread#comment-3" class="active">On rye</a></h3><div class="submitted">Submitted by Carl (not verified) on Sat, 2009-05-03 10:11.</div><div class="content"><p>So do I, every week.</p></div><ul class="links"><li class="comment_reply first last"><a href="/comment/reply/1/3">reply</a></li></ul></div></div>',
        (
            ("Ann", "2009-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2009-05-02 10:11", "Nice.", 0, "comment"),
            ("Carl", "2009-05-03 10:11", "So do I, every week.", None, "comment"),
        ),
    ),
    "drupal8": (
        "en",
        '<section class="field field--name-comment comment-wrapper"><h2 class="title">Comments</h2><article data-comment-user-id="0" id="comment-1" class="js-comment comment"><mark class="hidden" data-comment-timestamp="1399111860"></mark><footer class="comment__meta"><p class="comment__author"><span lang="" typeof="schema:Person" property="schema:name">Ann (not verified)</span></p><p class="comment__time">Sat, 05/01/2014 - 10:11</p><p class="comment__permalink"><a href="/comment/1#comment-1" hreflang="en">Permalink</a></p></footer><div class="comment__content"><h3><a href="/comment/1#comment-1" class="permalink" rel="bookmark">On rye</a></h3><div class="clearfix text-formatted field field--name-comment-body field__item"><p>'
        + LONG
        + '</p></div><ul class="links inline"><li><a href="/comment/reply/node/1/comment/1">Reply</a></li></ul></div></article><div class="indented"><article data-comment-user-id="0" id="comment-2" class="js-comment comment"><mark class="hidden" data-comment-timestamp="1399111860"></mark><footer class="comment__meta"><p class="comment__author"><span lang="" typeof="schema:Person" property="schema:name">Bob (not verified)</span></p><p class="comment__time">Sat, 05/02/2014 - 10:11</p><p class="comment__permalink"><a href="/comment/2#comment-2" hreflang="en">Permalink</a></p><p class="parent visually-hidden">In reply to <a href="/comment/1#comment-1" class="permalink" rel="bookmark">On rye</a> by <span>Ann (not verified)</span></p></footer><div class="comment__content"><h3><a href="/comment/2#comment-2" class="permalink" rel="bookmark">On rye</a></h3><div class="clearfix text-formatted field field--name-comment-body field__item"><p>Nice.</p></div><ul class="links inline"><li><a href="/comment/reply/node/1/comment/2">Reply</a></li></ul></div></article></div><article data-comment-user-id="0" id="comment-3" class="js-comment comment"><mark class="hidden" data-comment-timestamp="1399111860"></mark><footer class="comment__meta"><p class="comment__author"><span lang="" typeof="schema:Person" property="schema:name">Carl (not verified)</span></p><p class="comment__time">Sat, 05/03/2014 - 10:11</p><p class="comment__permalink"><a href="/comment/3#comment-3" hreflang="en">Permalink</a></p></footer><div class="comment__content"><h3><a href="/comment/3#comment-3" class="permalink" rel="bookmark">On rye</a></h3><div class="clearfix text-formatted field field--name-comment-body field__item"><p>So do I, every week.</p></div><ul class="links inline"><li><a href="/comment/reply/node/1/comment/3">Reply</a></li></ul></div></article></section>',
        (
            ("Ann", "2014-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2014-05-02 10:11", "Nice.", 0, "comment"),
            ("Carl", "2014-05-03 10:11", "So do I, every week.", None, "comment"),
        ),
    ),
    "mt3": (
        "en",
        '<div class="comments-head"><a name="comments"></a>Comments</div><div class="comments-body"><p>'
        + LONG
        + '</p><span class="comments-post">Posted by: <a href="http://r1.example/" rel="nofollow">Ann Lee</a> at May 1, 2005 10:11 AM</span></div><div class="comments-body"><p>Nice.</p><span class="comments-post">Posted by: <a href="http://r2.example/" rel="nofollow">Bob</a> at May 2, 2005 10:11 AM</span></div>',
        (
            ("Ann Lee", "2005-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2005-05-02 10:11", "Nice.", None, "comment"),
        ),
    ),
    "typepad-trackback": (
        "en",
        '<div class="trackbacks"><h3 class="trackbacks-header">TrackBack</h3><div class="trackbacks-info"><p>TrackBack URL: http://t.example/1</p></div><div class="trackback"><div class="trackback-content"><p>» <a href="http://p.example/1">The oven of bricks</a> from Baker and son<br>The best bread is the one you bake. [<a href="http://p.example/1">Read More</a>]</p></div><p class="trackback-footer">Tracked on May 4, 2009 at 10:11 AM</p></div></div>',
        (
            (
                "Baker and son",
                "2009-05-04 10:11",
                "» The oven of bricks from Baker and son\nThe best bread is the one you bake. [Read More]",
                None,
                "trackback",
            ),
        ),
    ),
    "mt-trackback": (
        "en",
        '<div id="trackbacks" class="trackbacks"><h2 class="trackbacks-header">1 TrackBack</h2><div class="trackbacks-content"><div class="trackback" id="ping-55"><div class="inner"><div class="trackback-header"><div class="asset-meta"><p><span class="vcard author"><a>Baker\'s blog</a></span> | <a href="#ping-55"><abbr class="published" title="2009-05-04T10:11:00+00:00">May 4, 2009 10:11 AM</abbr></a></p></div></div><div class="trackback-content"><p>The best bread is the one you bake.</p></div></div></div></div></div><div id="comments" class="comments"><h2 class="comments-header">1 Comment</h2><div class="comments-content"><div class="comment" id="comment-77"><div class="inner"><div class="comment-header"><div class="asset-meta"><span class="byline"><span class="vcard author">Ann</span> | <a href="#comment-77"><abbr class="published" title="2009-05-01T10:11:00+00:00">May 1, 2009 10:11 AM</abbr></a></span></div></div><div class="comment-content"><p>'
        + LONG
        + "</p></div></div></div></div></div>",
        (
            ("Ann", "2009-05-01 10:11", LONG, None, "comment"),
            (
                "Baker's blog",
                "2009-05-04 10:11",
                "The best bread is the one you bake.",
                None,
                "trackback",
            ),
        ),
    ),
    "webmention": (
        "en",
        '<section id="webmentions"><h2>Webmentions</h2><ul class="facepile"><li class="u-like h-cite"><a class="u-author h-card" href="http://l.example"><img alt="Lena" src=x></a></li></ul><ol class="webmentions__list"><li class="webmention p-comment h-cite" id="webmention-881"><div class="webmention__meta"><a class="webmention__author p-author h-card u-url" href="http://r1.example/"><img class="u-photo" src=x alt=""><strong class="p-name">Ann Lee</strong></a> <time class="webmention__pubdate dt-published" datetime="2020-05-01T10:11:00Z">1 May 2020</time></div><div class="webmention__content p-content">'
        + LONG
        + '</div><a class="webmention__source u-url" href="http://s.example/1">Source</a></li><li class="webmention p-comment h-cite" id="webmention-882"><div class="webmention__meta"><a class="webmention__author p-author h-card u-url" href="http://r2.example/"><img class="u-photo" src=x alt=""><strong class="p-name">Bob</strong></a> <time class="webmention__pubdate dt-published" datetime="2020-05-02T10:11:00Z">2 May 2020</time></div><div class="webmention__content p-content">Nice.</div><a class="webmention__source u-url" href="http://s.example/2">Source</a></li></ol></section>',
        (
            ("Ann Lee", "2020-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2020-05-02 10:11", "Nice.", None, "comment"),
        ),
    ),
    "minimal-mistakes": (
        "en",
        '<section class="page__comments"><h2 class="page__comments-title">2 Comments</h2><article id="comment1" class="js-comment comment" itemprop="comment" itemscope itemtype="https://schema.org/Comment"><div class="comment__avatar-wrapper"><img class="comment__avatar" src="x"></div><div class="comment__content-wrapper"><h3 class="comment__author" itemprop="author" itemscope itemtype="https://schema.org/Person"><span itemprop="name"><a rel="external nofollow" itemprop="url" href="http://r1.example/">Ann Lee</a></span></h3><p class="comment__date"><a href="#comment1" itemprop="url"><time datetime="2018-05-01T10:11:00-04:00" itemprop="datePublished">May 01, 2018 at 10:11 AM</time></a></p><div itemprop="text"><p>'
        + LONG
        + '</p></div></div></article><article id="comment2" class="js-comment comment" itemprop="comment" itemscope itemtype="https://schema.org/Comment"><div class="comment__avatar-wrapper"><img class="comment__avatar" src="x"></div><div class="comment__content-wrapper"><h3 class="comment__author" itemprop="author" itemscope itemtype="https://schema.org/Person"><span itemprop="name"><a rel="external nofollow" itemprop="url" href="http://r2.example/">Bob</a></span></h3><p class="comment__date"><a href="#comment2" itemprop="url"><time datetime="2018-05-02T10:11:00-04:00" itemprop="datePublished">May 02, 2018 at 10:11 AM</time></a></p><div itemprop="text"><p>Nice.</p></div></div></article></section>',
        (
            ("Ann Lee", "2018-05-01 14:11", LONG, None, "comment"),
            ("Bob", "2018-05-02 14:11", "Nice.", None, "comment"),
        ),
    ),
    "blogger-dl": (
        "en",
        "<div class='comments' id='comments'><a name='comments'></a><h4>2 comments:</h4><dl id='comments-block'><dt class='comment-author ' id='c847632668052609221'><a name='c847632668052609221'></a><a href='http://r1.example/' rel='nofollow'>Ann Lee</a> said...</dt><dd class='comment-body' id='Blog1_cmt-847632668052609221'><p>"
        + LONG
        + "<br /><br />Bye!</p></dd><dd class='comment-footer'><span class='comment-timestamp'><a href='http://blog.example/bread?showComment=1#c847632668052609221' title='comment permalink'>May 1, 2009 10:11 AM</a><span class='item-control blog-admin'><a href='http://www.blogger.com/delete-comment.g'><img src='x'/></a></span></span></dd><dt class='comment-author ' id='c847632668052609222'><a name='c847632668052609222'></a><a href='http://r2.example/' rel='nofollow'>Bob</a> said...</dt><dd class='comment-body' id='Blog1_cmt-847632668052609222'><p>Nice.<br /><br />Bye!</p></dd><dd class='comment-footer'><span class='comment-timestamp'><a href='http://blog.example/bread?showComment=1#c847632668052609222' title='comment permalink'>May 2, 2009 10:11 AM</a><span class='item-control blog-admin'><a href='http://www.blogger.com/delete-comment.g'><img src='x'/></a></span></span></dd></dl><p class='comment-footer'><a href='http://www.blogger.com/comment.g'>Post a Comment</a></p></div>",
        (
            ("Ann Lee", "2009-05-01 10:11", LONG + "\nBye!", None, "comment"),
            ("Bob", "2009-05-02 10:11", "Nice.\nBye!", None, "comment"),
        ),
    ),
    "arabic-wp": (
        "ar",
        '<div id="comments"><h3 id="comments-title">تعليقان على “خبز”</h3><ol class="commentlist"><li class="comment depth-1" id="li-comment-1"><div id="comment-1"><div class="comment-author vcard"><img class="avatar"><cite class="fn">سارة</cite> <span class="says">يقول:</span></div><div class="comment-meta commentmetadata"><a href="#comment-1">1 مايو، 2012 الساعة 10:11 ص</a></div><div class="comment-body"><p>شكرا جزيلا على هذه الوصفة الرائعة يا صديقي</p></div><div class="reply"><a class="comment-reply-link" href="?replytocom=1#respond">رد</a></div></div><ul class="children"><li class="comment depth-2" id="li-comment-2"><div id="comment-2"><div class="comment-author vcard"><img class="avatar"><cite class="fn">أحمد</cite> <span class="says">يقول:</span></div><div class="comment-meta commentmetadata"><a href="#comment-2">2 مايو، 2012 الساعة 10:11 ص</a></div><div class="comment-body"><p>وأنا أيضا</p></div><div class="reply"><a class="comment-reply-link" href="?replytocom=2#respond">رد</a></div></div></li></ul></li></ol></div>',
        (
            (
                "سارة",
                "2012-05-01 10:11",
                "شكرا جزيلا على هذه الوصفة الرائعة يا صديقي",
                None,
                "comment",
            ),
            ("أحمد", "2012-05-02 10:11", "وأنا أيضا", 0, "comment"),
        ),
    ),
    "hebrew": (
        "he",
        '<section class="comments"><h2>2 תגובות</h2><ul><li class="tguva"><div class="head"><strong>דנה</strong> <span>1 במאי 2012 בשעה 10:11</span></div><p>תודה רבה על המתכון, יצא לי מצוין בפעם הראשונה</p></li><li class="tguva"><div class="head"><strong>יוסי</strong> <span>2 במאי 2012 בשעה 10:11</span></div><p>גם לי</p></li></ul></section>',
        (
            (
                "דנה",
                "2012-05-01 10:11",
                "תודה רבה על המתכון, יצא לי מצוין בפעם הראשונה",
                None,
                "comment",
            ),
            ("יוסי", "2012-05-02 10:11", "גם לי", None, "comment"),
        ),
    ),
    "home-made-ul-no": (
        "no",
        '<h3>Kommentarer</h3><ul class="kommentarer"><li><h4>Erik</h4><p class="dato">1. mai 2011 kl. 10:11</p><p>'
        + LONG
        + '</p><ul><li><h4>Kari</h4><p class="dato">2. mai 2011 kl. 10:11</p><p>Enig!</p></li></ul></li><li><h4>Ola</h4><p class="dato">3. mai 2011 kl. 10:11</p><p>Takk for oppskriften.</p></li></ul>',
        (
            ("Erik", "2011-05-01 10:11", LONG, None, "comment"),
            ("Kari", "2011-05-02 10:11", "Enig!", 0, "comment"),
            ("Ola", "2011-05-03 10:11", "Takk for oppskriften.", None, "comment"),
        ),
    ),
    "table-pairs": (
        "en",
        '<h3>Comments</h3><table id="comments" width="100%"><tr class="chead"><td><a href="http://r1.example/">Ann Lee</a> wrote on 1 May 2008 at 10:11:</td></tr><tr class="cbody"><td>'
        + LONG
        + '</td></tr><tr class="chead"><td><a href="http://r2.example/">Bob</a> wrote on 2 May 2008 at 10:11:</td></tr><tr class="cbody"><td>Nice.</td></tr></table>',
        (
            ("Ann Lee", "2008-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2008-05-02 10:11", "Nice.", None, "comment"),
        ),
    ),
    "dl-bare": (
        "en",
        '<div id="reactions"><h3>2 comments</h3><dl><dt><b>Ann Lee</b> - 2008-05-01 10:11</dt><dd>'
        + LONG
        + "</dd><dt><b>Bob</b> - 2008-05-02 10:11</dt><dd>Nice.</dd></dl></div>",
        (
            ("Ann Lee", "2008-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2008-05-02 10:11", "Nice.", None, "comment"),
        ),
    ),
    "habari": (
        "en",
        '<div id="comments"><h4>2 Responses to Bread</h4><ul id="commentlist"><li id="comment-41" class="comment"><a href="#comment-41" class="counter" title="Permanent Link to this Comment">1</a><span class="commentauthor"><a href="http://r1.example/" rel="external">Ann Lee</a></span><small class="comment-meta"><a href="#comment-41" title="Time of this Comment">May 1st, 2009 10:11am</a></small><div class="comment-content"><p>'
        + LONG
        + '</p></div></li><li id="comment-42" class="comment"><a href="#comment-42" class="counter" title="Permanent Link to this Comment">2</a><span class="commentauthor"><a href="http://r2.example/" rel="external">Bob</a></span><small class="comment-meta"><a href="#comment-42" title="Time of this Comment">May 2st, 2009 10:11am</a></small><div class="comment-content"><p>Nice.</p></div></li></ul></div>',
        (
            ("Ann Lee", "2009-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2009-05-02 10:11", "Nice.", None, "comment"),
        ),
    ),
    "typepad-old": (
        "en",
        '<h2><a id="comments"></a>Comments</h2><a id="c1234561"></a><p>'
        + LONG
        + '</p><p class="posted">Posted by: <a href="http://r1.example/" rel="nofollow">Ann Lee</a> | May 1, 2007 at 10:11 AM</p><a id="c1234562"></a><p>Nice.</p><p class="posted">Posted by: <a href="http://r2.example/" rel="nofollow">Bob</a> | May 2, 2007 at 10:11 AM</p><h2>Post a comment</h2><form><textarea></textarea></form>',
        (
            ("Ann Lee", "2007-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2007-05-02 10:11", "Nice.", None, "comment"),
        ),
    ),
    "nucleus": (
        "nl",
        '<h2>Reacties</h2><h3 class="item_comment_author"><a href="http://r1.example/">Ann Lee</a> schreef:</h3><div class="commentbody">'
        + LONG
        + '</div><div class="commentinfo">01-05-2008 10:11:12</div><h3 class="item_comment_author"><a href="http://r2.example/">Bob</a> schreef:</h3><div class="commentbody">Mooi.</div><div class="commentinfo">02-05-2008 10:11:12</div><h3 class="item_comment_author"><a href="http://r3.example/">Cees</a> schreef:</h3><div class="commentbody">Ik ook, elke week.</div><div class="commentinfo">03-05-2008 10:11:12</div>',
        (
            ("Ann Lee", "2008-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2008-05-02 10:11", "Mooi.", None, "comment"),
            ("Cees", "2008-05-03 10:11", "Ik ook, elke week.", None, "comment"),
        ),
    ),
    "typecho": (
        "zh",
        '<div id="comments"><h3>已有 2 条评论</h3><ol class="comment-list"><li itemscope itemtype="http://schema.org/UserComments" id="comment-12" class="comment-body comment-parent comment-odd"><div class="comment-author" itemprop="creator" itemscope itemtype="http://schema.org/Person"><span itemprop="image"><img class="avatar"></span><cite class="fn" itemprop="name"><a href="http://m.example" rel="external nofollow">小明</a></cite></div><div class="comment-meta"><a href="http://blog.example/bread#comment-12"><time itemprop="commentTime" datetime="2014-05-01T10:11:00+08:00">May 1st, 2014 at 10:11 am</time></a></div><div class="comment-content" itemprop="commentText"><p>写得很好，谢谢分享，我也试试看。</p></div><div class="comment-reply"><a href="?replyTo=12#respond-post-1">回复</a></div><div class="comment-children" itemprop="discusses"><ol class="comment-list"><li itemscope itemtype="http://schema.org/UserComments" id="comment-13" class="comment-body comment-child comment-level-odd comment-odd"><div class="comment-author" itemprop="creator" itemscope itemtype="http://schema.org/Person"><cite class="fn" itemprop="name">小红</cite></div><div class="comment-meta"><a href="#comment-13"><time itemprop="commentTime" datetime="2014-05-02T10:11:00+08:00">May 2nd, 2014</time></a></div><div class="comment-content" itemprop="commentText"><p>我也是</p></div></li></ol></div></li></ol></div>',
        (
            ("小明", "2014-05-01 02:11", "写得很好，谢谢分享，我也试试看。", None, "comment"),
            ("小红", "2014-05-02 02:11", "我也是", 0, "comment"),
        ),
    ),
    "zblog": (
        "zh",
        '<div class="posttitle">评论列表:</div><ul class="msg" id="cmt1"><li class="msgname"><img class="avatar" src="x"/>&nbsp;<span class="commentname"><a href="http://m.example" rel="nofollow">小明</a></span><br/><small>&nbsp;发布于&nbsp;2014-05-01 10:11:12&nbsp;&nbsp;<span class="revertcomment"><a href="#comment">回复</a></span></small></li><li class="msgarticle">写得很好，谢谢分享，我也试试看。<ul class="msg" id="cmt2"><li class="msgname"><img class="avatar" src="x"/>&nbsp;<span class="commentname"><a href="http://m.example" rel="nofollow">小红</a></span><br/><small>&nbsp;发布于&nbsp;2014-05-02 10:11:12&nbsp;&nbsp;<span class="revertcomment"><a href="#comment">回复</a></span></small></li><li class="msgarticle">我也是</li></ul></li></ul><ul class="msg" id="cmt3"><li class="msgname"><img class="avatar" src="x"/>&nbsp;<span class="commentname"><a href="http://m.example" rel="nofollow">小刚</a></span><br/><small>&nbsp;发布于&nbsp;2014-05-03 10:11:12&nbsp;&nbsp;<span class="revertcomment"><a href="#comment">回复</a></span></small></li><li class="msgarticle">学习了，非常感谢。</li></ul>',
        (
            ("小明", "2014-05-01 10:11", "写得很好，谢谢分享，我也试试看。", None, "comment"),
            ("小红", "2014-05-02 10:11", "我也是", 0, "comment"),
            ("小刚", "2014-05-03 10:11", "学习了，非常感谢。", None, "comment"),
        ),
    ),
    "emlog": (
        "zh",
        '<a name="comments"></a><p class="comment-header"><b>评论：</b></p><div class="comment" id="comment-1"><a name="1"></a><div class="avatar"><img src="x" /></div><div class="comment-info"><b><a href="http://m.example">小明</a> </b><br /><span class="comment-time">2014-05-01 10:11</span><div class="comment-content">写得很好，谢谢分享，我也试试看。</div><div class="comment-reply"><a href="#comment-1" onclick="commentReply(1,this)">回复</a></div></div><div class="comment comment-children" id="comment-2"><a name="2"></a><div class="avatar"><img src="x" /></div><div class="comment-info"><b><a href="http://m.example">小红</a> </b><br /><span class="comment-time">2014-05-02 10:11</span><div class="comment-content">我也是</div><div class="comment-reply"><a href="#comment-2" onclick="commentReply(2,this)">回复</a></div></div></div></div>',
        (
            ("小明", "2014-05-01 10:11", "写得很好，谢谢分享，我也试试看。", None, "comment"),
            ("小红", "2014-05-02 10:11", "我也是", 0, "comment"),
        ),
    ),
    "overblog": (
        "fr",
        '<div class="ob-comments"><div class="ob-title">Commenter cet article</div><div class="ob-form"><form><textarea></textarea></form></div><div class="ob-list"><div class="ob-comment"><div class="ob-avatar"><img src=x></div><div class="ob-info"><span class="ob-user"><span class="ob-name"><a href="http://r1.example/" rel="nofollow">Anne</a></span></span> <span class="ob-date">01/05/2013 10:11</span></div><p class="ob-message"><span class="ob-text">'
        + LONG
        + '</span></p><p class="ob-answer"><a class="ob-link" href="#">Répondre</a></p><div class="ob-list"><div class="ob-comment"><div class="ob-avatar"><img src=x></div><div class="ob-info"><span class="ob-user"><span class="ob-name"><a href="http://r2.example/" rel="nofollow">Benoît</a></span></span> <span class="ob-date">02/05/2013 10:11</span></div><p class="ob-message"><span class="ob-text">Moi aussi.</span></p><p class="ob-answer"><a class="ob-link" href="#">Répondre</a></p></div></div></div><div class="ob-comment"><div class="ob-avatar"><img src=x></div><div class="ob-info"><span class="ob-user"><span class="ob-name"><a href="http://r3.example/" rel="nofollow">Carole</a></span></span> <span class="ob-date">03/05/2013 10:11</span></div><p class="ob-message"><span class="ob-text">Merci !</span></p><p class="ob-answer"><a class="ob-link" href="#">Répondre</a></p></div></div></div>',
        (
            ("Anne", "2013-05-01 10:11", LONG, None, "comment"),
            ("Benoît", "2013-05-02 10:11", "Moi aussi.", 0, "comment"),
            ("Carole", "2013-05-03 10:11", "Merci !", None, "comment"),
        ),
    ),
    "russian-wp": (
        "ru",
        '<h3 id="comments">Комментариев: 2 на “Хлеб”</h3><ol class="commentlist"><li class="alt" id="comment-1"><cite>Анна</cite> пишет:<br /><small class="commentmetadata"><a href="#comment-1" title="">01.05.2010 в 10:11</a></small><p>Спасибо за рецепт, испекла уже три раза, и всё получилось.</p></li><li class="alt" id="comment-2"><cite>Борис</cite> пишет:<br /><small class="commentmetadata"><a href="#comment-2" title="">02.05.2010 в 10:11</a></small><p>И я!</p></li></ol>',
        (
            (
                "Анна",
                "2010-05-01 10:11",
                "Спасибо за рецепт, испекла уже три раза, и всё получилось.",
                None,
                "comment",
            ),
            ("Борис", "2010-05-02 10:11", "И я!", None, "comment"),
        ),
    ),
    "japanese-wp": (
        "ja",
        '<div id="comments"><h2 class="comments-title">「パン」への2件のフィードバック</h2><ol class="comment-list"><li id="comment-1" class="comment depth-1"><article id="div-comment-1" class="comment-body"><footer class="comment-meta"><div class="comment-author vcard"><b class="fn">太郎</b> <span class="says">より:</span></div><div class="comment-metadata"><a href="#comment-1"><time datetime="2015-05-01T10:11:00+09:00">2015年5月1日 10:11 AM</time></a></div></footer><div class="comment-content"><p>とても美味しかったです。また作ります。</p></div></article></li><li id="comment-2" class="comment depth-1"><article id="div-comment-2" class="comment-body"><footer class="comment-meta"><div class="comment-author vcard"><b class="fn">花子</b> <span class="says">より:</span></div><div class="comment-metadata"><a href="#comment-2"><time datetime="2015-05-02T10:11:00+09:00">2015年5月2日 10:11 AM</time></a></div></footer><div class="comment-content"><p>私も</p></div></article></li></ol></div>',
        (
            ("太郎", "2015-05-01 01:11", "とても美味しかったです。また作ります。", None, "comment"),
            ("花子", "2015-05-02 01:11", "私も", None, "comment"),
        ),
    ),
    "weebly": (
        "en",
        '<div id="comments"><h2>2 Comments</h2><div class="blogCommentWrap"><a name="comment1"></a><div class="blogCommentText"><div class="blogCommentHeading"><div class="blogCommentAuthor"><a rel="nofollow" href="http://r1.example/">Ann Lee</a></div><div class="blogCommentDate">5/1/2013 10:11:12 am</div></div><p>'
        + LONG
        + '</p><div class="blogCommentReplyWrapper"><a class="blogCommentReplyLink" href="#">Reply</a></div></div></div><div class="blogCommentWrap"><a name="comment2"></a><div class="blogCommentText"><div class="blogCommentHeading"><div class="blogCommentAuthor"><a rel="nofollow" href="http://r2.example/">Bob</a></div><div class="blogCommentDate">5/2/2013 10:11:12 am</div></div><p>Nice.</p><div class="blogCommentReplyWrapper"><a class="blogCommentReplyLink" href="#">Reply</a></div></div></div><div class="blogCommentWrap"><a name="comment14"></a><div class="blogCommentText"><div class="blogCommentHeading"><div class="blogCommentAuthor"><a rel="nofollow" href="http://r14.example/">Carl</a></div><div class="blogCommentDate">5/14/2013 10:11:12 am</div></div><p>So do I.</p><div class="blogCommentReplyWrapper"><a class="blogCommentReplyLink" href="#">Reply</a></div></div></div></div>',
        (
            ("Ann Lee", "2013-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2013-05-02 10:11", "Nice.", None, "comment"),
            ("Carl", "2013-05-14 10:11", "So do I.", None, "comment"),
        ),
    ),
    "quotes": (
        "en",
        '<div id="comments"><h3>2 Comments</h3><ul><li class="cmt"><p class="meta">#1 <a href="http://r1.example/">Ann Lee</a> on May 1, 2010 at 10:11</p><p>'
        + LONG
        + '</p></li><li class="cmt"><p class="meta">#2 <a href="http://r2.example/">Bob</a> on May 2, 2010 at 10:11</p><blockquote><p><strong>Ann Lee</strong> wrote on May 1, 2010: it never failed me</p></blockquote><p>It failed me.</p></li></ul></div>',
        (
            ("Ann Lee", "2010-05-01 10:11", LONG, None, "comment"),
            (
                "Bob",
                "2010-05-02 10:11",
                "Ann Lee wrote on May 1, 2010: it never failed me\nIt failed me.",
                None,
                "comment",
            ),
        ),
    ),
    "closed-none": (
        "en",
        '<p class="comments-closed">Comments are closed.</p><aside class="sidebar"><div class="widget"><h3>Recent comments</h3><ul><li><a href="/a#comment-3">Ann</a> on Cake, 3 May 2010</li><li><a href="/b#comment-4">Bob</a> on Pie, 4 May 2010</li></ul></div></aside>',
        (),
    ),
    "form-none": (
        "en",
        '<section id="comments"><h3>0 Comments</h3><p>Be the first to comment.</p><div id="respond"><form id="commentform" action="/post"><p class="comment-notes">Your email address will not be published. 2012</p><label>Name</label><input name=author><textarea></textarea></form></div></section>',
        (),
    ),
    "related-none": (
        "en",
        '<div class="related"><h3>Related posts</h3><ul><li><a href="/x">Cake for all</a> <span class="date">3 May 2010</span> <span>5 comments</span></li><li><a href="/y">Pie for all</a> <span class="date">4 May 2010</span> <span>2 comments</span></li></ul></div><div id="disqus_thread"></div>',
        (),
    ),
    "latest-footer-none": (
        "de",
        '<footer><div class="letzte-kommentare"><h4>Letzte Kommentare</h4><ul><li class="kommentar"><b>Anna</b> zu Kuchen (03.05.2010): Sehr lecker, danke!</li><li class="kommentar"><b>Bert</b> zu Torte (04.05.2010): Auch gut!</li></ul></div></footer>',
        (),
    ),
    "bootstrap-nested": (
        "es",
        '<div class="well"><h4>Deja un comentario:</h4><form><textarea></textarea></form></div><hr><h4>3 comentarios</h4><div class="media"><a class="pull-left" href="#"><img class="media-object" src=x></a><div class="media-body"><h4 class="media-heading">Ana <small>1 de mayo de 2014 a las 10:11</small></h4>'
        + LONG
        + '<div class="media"><a class="pull-left" href="#"><img class="media-object" src=x></a><div class="media-body"><h4 class="media-heading">Berta <small>2 de mayo de 2014 a las 10:11</small></h4>Yo también.</div></div></div></div><div class="media"><a class="pull-left" href="#"><img src=x></a><div class="media-body"><h4 class="media-heading">Carlos <small>3 de mayo de 2014 a las 10:11</small></h4>Gracias.</div></div>',
        (
            ("Ana", "2014-05-01 10:11", LONG, None, "comment"),
            ("Berta", "2014-05-02 10:11", "Yo también.", 0, "comment"),
            ("Carlos", "2014-05-03 10:11", "Gracias.", None, "comment"),
        ),
    ),
    "pelican": (
        "en",
        '<div id="pcs-comments"><h3>2 Comments</h3><div class="pcs-comment" id="comment-my-post-1"><p class="pcs-meta"><span class="pcs-author">Ann Lee</span>, <time>2016-05-01 10:11</time></p><div class="pcs-text"><p>'
        + LONG
        + '</p></div><div class="pcs-comment" id="comment-my-post-2"><p class="pcs-meta"><span class="pcs-author">Bob</span>, <time>2016-05-02 10:11</time></p><div class="pcs-text"><p>Nice.</p></div></div></div></div>',
        (
            ("Ann Lee", "2016-05-01 10:11", LONG, None, "comment"),
            ("Bob", "2016-05-02 10:11", "Nice.", 0, "comment"),
        ),
    ),
    "hexo-static": (
        "zh",
        '<section class="replies" id="comments"><header>评论 (2)</header><div class="reply" data-reply-id="r1"><div class="reply-head"><span class="who">小明</span><span class="when">2019年5月1日</span></div><div class="reply-text">写得很好，谢谢分享，我也试试看。</div></div><div class="reply" data-reply-id="r2"><div class="reply-head"><span class="who">小红</span><span class="when">2019年5月2日</span></div><div class="reply-text">我也是</div></div></section>',
        (
            ("小明", "2019-05-01", "写得很好，谢谢分享，我也试试看。", None, "comment"),
            ("小红", "2019-05-02", "我也是", None, "comment"),
        ),
    ),
    "indent-px": (
        "pl",
        '<h3>3 komentarze</h3><div class="lista"><div class="wpis" style="margin-left:0px"><div class="podpis"><b>Anna</b>, 1 maja 2010, 10:11</div><div class="tresc">'
        + LONG
        + '</div></div><div class="wpis" style="margin-left:30px"><div class="podpis"><b>Bartek</b>, 2 maja 2010, 10:11</div><div class="tresc">Ja też.</div></div><div class="wpis" style="margin-left:0px"><div class="podpis"><b>Celina</b>, 3 maja 2010, 10:11</div><div class="tresc">Dziękuję.</div></div></div>',
        (
            ("Anna", "2010-05-01 10:11", LONG, None, "comment"),
            ("Bartek", "2010-05-02 10:11", "Ja też.", 0, "comment"),
            ("Celina", "2010-05-03 10:11", "Dziękuję.", None, "comment"),
        ),
    ),
    "at-reply": (
        "it",
        '<div id="commenti"><h2>2 commenti</h2><div id="commento-1" class="commento"><div class="autore"><a href="http://r1.example/" rel="nofollow">Anna</a></div><div class="data">1 maggio 2010 alle 10:11</div><div class="testo"><p>'
        + LONG
        + '</p></div></div><div id="commento-2" class="commento"><div class="autore"><a href="http://r2.example/" rel="nofollow">Bruno</a></div><div class="data">2 maggio 2010 alle 10:11</div><div class="testo"><p>Anche a me.</p></div></div></div>',
        (
            ("Anna", "2010-05-01 10:11", LONG, None, "comment"),
            ("Bruno", "2010-05-02 10:11", "Anche a me.", None, "comment"),
        ),
    ),
    "turkish": (
        "tr",
        '<div class="yorumlar" id="yorumlar"><h3>2 yorum</h3><ol><li><div class="yorum-bilgi"><span class="yazan">Ayşe</span> <span class="tarih">1 Mayıs 2013 10:11</span></div><div class="yorum-metni">'
        + LONG
        + '</div></li><li><div class="yorum-bilgi"><span class="yazan">Barış</span> <span class="tarih">2 Mayıs 2013 10:11</span></div><div class="yorum-metni">Ben de.</div></li></ol></div>',
        (
            ("Ayşe", "2013-05-01 10:11", LONG, None, "comment"),
            ("Barış", "2013-05-02 10:11", "Ben de.", None, "comment"),
        ),
    ),
    "kubrick-ping-list": (
        "en",
        '<h3 id="comments">1 Comment</h3><ol class="commentlist"><li class="comment" id="comment-1"><cite><a href="http://a.example" rel="external nofollow">Ann</a></cite> <small>May 1, 2007 at 10:11 am</small><p>'
        + LONG
        + '</p></li></ol><h3>2 Trackbacks</h3><ol class="pinglist"><li class="pingback" id="comment-2"><a href="http://p.example" rel="external nofollow" class="url">Bread links | Other blog</a></li><li class="trackback" id="comment-3"><a href="http://t.example" rel="external nofollow" class="url">Baking weekly</a></li></ol>',
        (
            ("Ann", "2007-05-01 10:11", LONG, None, "comment"),
            ("Bread links | Other blog", None, "", None, "pingback"),
            ("Baking weekly", None, "", None, "trackback"),
        ),
    ),
    "boxes-in-turns": (
        "fr",
        '<div class="bloc"><a name="comments"></a><h3>Commentaires sur le pain</h3>'
        + "".join(
            f'<a name="c{i}"></a><div class="rep{i % 2}"><h4>{title}</h4><div class="texte"><p>{text}</p></div><div class="pied">Posté par {who}, 0{i} mai 2008 à 10:11 | <a href="#c">Répondre</a></div></div>'
            for i, (who, title, text) in enumerate(
                (
                    ("Anne", "Bravo", LONG),
                    ("Bruno", "", "Moi aussi."),
                    ("Claire", "", "Et moi donc."),
                ),
                1,
            )
        )
        + "</div>",
        (
            ("Anne", "2008-05-01 10:11", LONG, None, "comment"),
            ("Bruno", "2008-05-02 10:11", "Moi aussi.", None, "comment"),
            ("Claire", "2008-05-03 10:11", "Et moi donc.", None, "comment"),
        ),
    ),
    "replies-of-another-class": (
        "pt",
        '<div id="comentarios"><h4>Comentários:</h4><a name="t1"></a><div class="bl"><div class="cab"><b>De <a href="http://a.example">Ana</a> a 1 de Maio de 2008 às 10:11</b></div><div class="txt">'
        + LONG
        + '</div><div class="lig"><a href="#r">Responder</a></div></div><a name="t2"></a><div class="bl resposta"><div class="cab"><b>De Bento a 2 de Maio de 2008 às 10:11</b></div><div class="txt">Eu também.</div><div class="lig"><a href="#r">Responder</a></div></div></div>',
        (
            ("Ana", "2008-05-01 10:11", LONG, None, "comment"),
            ("Bento", "2008-05-02 10:11", "Eu também.", None, "comment"),
        ),
    ),
    "name-and-address-above": (
        "zh",
        '<ul class="msg" id="cmt31"><li class="msgname">1.<a href="http://wang.example/" rel="nofollow">老王</a>&nbsp;<small>[<a href="#comment" onclick="RevertComment(31)">回复该留言</a>]</small></li><li class="msgurl">http://wang.example/</li><li class="msgarticle">'
        + LONG
        + '</li><li class="msgtime">老王 于 2009-5-1 10:11:12</li></ul><ul class="msg" id="cmt32"><li class="msgname">2.小李&nbsp;<small>[<a href="#comment" onclick="RevertComment(32)">回复该留言</a>]</small></li><li class="msgurl"></li><li class="msgarticle">说得对。</li><li class="msgtime">小李 于 2009-5-2 10:11:12</li></ul>',
        (
            ("老王", "2009-05-01 10:11", LONG, None, "comment"),
            ("小李", "2009-05-02 10:11", "说得对。", None, "comment"),
        ),
    ),
    "links-below-the-only-comment": (
        "pt",
        '<div id="comentarios"><h4>Comentários:</h4><div class="bl"><div class="cab"><b>De Ana a 1 de Maio de 2008 às 10:11</b></div><div class="txt">Eu também.</div><div class="lig"><a href="#r">Responder a comentário</a> | <a href="#d">Início da discussão</a></div></div></div>',
        (("Ana", "2008-05-01 10:11", "Eu também.", None, "comment"),),
    ),
    "sign-in-below-the-only-comment": (
        "de",
        '<div id="comments" class="comment-wrapper"><h2 class="title">Kommentare</h2><a id="comment-31"></a><div class="comment clearfix"><div class="attribution"><div class="submitted"><p class="commenter-name"><span class="username">Ute</span></p><p class="comment-time">Mo, 01.05.2011 - 10:11</p></div></div><div class="comment-text"><div class="content"><p>Ich auch.</p></div><ul class="links inline"><li class="comment_forbidden first last"><a href="/user/login">Anmelden</a> um Kommentare zu schreiben</li></ul></div></div></div>',
        (("Ute", "2011-05-01 10:11", "Ich auch.", None, "comment"),),
    ),
    "guests-with-a-label": (
        "pl",
        '<div id="Komentarze"><h3>Komentarze</h3><div class="KoBox" id="ko31"><div class="KoNaglowek"><span class="KoAutor"><a href="http://a.example">ania</a></span><br/><span class="KoData">2008/05/01 10:11:12</span></div><div class="KoTresc">'
        + LONG
        + '</div></div><div class="KoBox" id="ko32"><div class="KoNaglowek"><span class="KoAutor"><span class="gosc">Gość: Bartek</span>, *.adsl.example.pl</span><br/><span class="KoData">2008/05/02 10:11:12</span></div><div class="KoTresc">Ja też.</div></div></div>',
        (
            ("ania", "2008-05-01 10:11", LONG, None, "comment"),
            ("Bartek", "2008-05-02 10:11", "Ja też.", None, "comment"),
        ),
    ),
    "user-below-the-text": (
        "it",
        '<div id="comment"><h3>Commenti</h3><div class="voce"><a name="1"></a><div class="quando"><a href="#1">#1</a> 01 Maggio 2005 - 10:11</div><div class="scritto">'
        + LONG
        + '</div><div class="chi">utente: <a href="/profile/1">anna</a></div></div><div class="voce"><a name="2"></a><div class="quando"><a href="#2">#2</a> 02 Maggio 2005 - 10:11</div><div class="scritto">Anch\'io.</div><div class="chi">utente: Berto</div></div></div>',
        (
            ("anna", "2005-05-01 10:11", LONG, None, "comment"),
            ("Berto", "2005-05-02 10:11", "Anch'io.", None, "comment"),
        ),
    ),
    "floors-before-names": (
        "zh",
        '<div id="comments"><h3>留言列表 (2)</h3><div id="list"><ul class="single-post"><li class="post-info"><a class="floor" href="#comment-1">#1樓</a> <span class="user-name">小明</span> <span class="post-time">於 2011/05/01 10:11</span></li><li class="post-text">'
        + LONG
        + '</li></ul><ul class="single-post"><li class="post-info"><a class="floor" href="#comment-2">#2樓</a> <span class="user-name">小紅</span> <span class="post-time">於 2011/05/02 10:11</span></li><li class="post-text">我也是。</li></ul></div></div>',
        (
            ("小明", "2011-05-01 10:11", LONG, None, "comment"),
            ("小紅", "2011-05-02 10:11", "我也是。", None, "comment"),
        ),
    ),
    "names-and-places": (
        "en",
        '<span class="title">Comments</span><table>'
        + "".join(
            f'<tr><td class="cell{i % 2}"><span class="text">{text}</span><br/><br/><span class="posted">Posted by <b>{who}</b> {place} on 05/2{i}/2003 at 10:11 AM</span></td></tr>'
            for i, (who, place, text) in enumerate(
                (("Ann", "", LONG), ("Bob", "from Kent", "So do I."), ("Cat", "", "Me too.")), 1
            )
        )
        + "</table>",
        (
            ("Ann", "2003-05-21 10:11", LONG, None, "comment"),
            ("Bob", "2003-05-22 10:11", "So do I.", None, "comment"),
            ("Cat", "2003-05-23 10:11", "Me too.", None, "comment"),
        ),
    ),
    "numbered-bylines-above-paragraphs": (
        "ja",
        '<div class="comment"><div class="caption">本日のツッコミ(全2件)</div><div class="commentbody"><div class="commentator"><a name="c01" href="#c01"><span class="canchor">_</span></a> <span class="commentator">今井</span> <span class="commenttime">(2004年05月01日(土) 10:11)</span></div><p>'
        + LONG
        + '</p><div class="commentator"><a name="c02" href="#c02"><span class="canchor">_</span></a> <span class="commentator">杉本</span> <span class="commenttime">(2004年05月02日(日) 10:11)</span></div><p>私もです。</p><p>本当に。</p></div></div>',
        (
            ("今井", "2004-05-01 10:11", LONG, None, "comment"),
            ("杉本", "2004-05-02 10:11", "私もです。\n本当に。", None, "comment"),
        ),
    ),
    "labels-names-and-dates-in-cells": (
        "ru",
        '<div id="Comments"><b>(2 комментария)</b>'
        + "".join(
            f'<div><table id="ljcmt{n}"><tr><td class="cmtbar"><b></b><br/>From: {who}<br/>2008-06-{n} 03:19 (UTC) <a href="?thread={n}#t{n}">(ссылка)</a></td></tr><tr><td class="cmtbody"><p>{text}</p></td></tr></table></div>'
            for n, who, text in (
                (26, "Ольга", LONG),
                (27, "Дмитрий К.", "И я тоже, каждую неделю."),
            )
        )
        + "</div>",
        (
            ("Ольга", "2008-06-26 03:19", LONG, None, "comment"),
            ("Дмитрий К.", "2008-06-27 03:19", "И я тоже, каждую неделю.", None, "comment"),
        ),
    ),
    "one-numbered-byline-above-a-paragraph": (
        "ja",
        '<div class="comment"><div class="caption">本日のツッコミ(全1件)</div><div class="commentbody"><div class="commentator"><a name="c01" href="#c01"><span class="canchor">_</span></a> <span class="commentator">今井</span> <span class="commenttime">(2004年05月01日(土) 10:11)</span></div><p>'
        + LONG
        + "</p></div></div>",
        (("今井", "2004-05-01 10:11", LONG, None, "comment"),),
    ),
}

POST = (
    "<article><h1>Bread</h1><p class='byline'>by Zoe on 30 April {year}</p><div class='entry-content'>"
    + "<p>Bread is made of flour, water and salt, and of time more than of anything else, as my mother used to say.</p>"
    * 4
    + "</div></article>"
)


@pytest.mark.parametrize("engine", sorted(PAGES))
def test_comments_of_many_engines_are_read(engine: str) -> None:
    language, html, gold = PAGES[engine]
    year = next((when[:4] for _, when, *_ in gold if when), "2010")
    body = f"<div id=main>{POST.format(year=year)}{html}</div>"
    page = Page(
        url="http://blog.example/bread",
        body=f"<!doctype html><html lang={language}><head><meta charset=utf-8><title>Bread</title></head><body>{body}</body></html>".encode(),
    )
    content = page.tree.xpath("//div[@class='entry-content']")[0]
    found = extract_comments(
        page, content=content, language=language, published=datetime(int(year), 4, 30, tzinfo=UTC)
    ).comments
    place = {c.id: i for i, c in enumerate(found)}
    rows = [
        (
            c.author,
            str(c.published.astimezone(UTC))[:16] if c.published else None,
            c.content_text,
            place[c.parent_id] if c.parent_id else None,
            c.kind,
        )
        for c in found
    ]
    assert [(a, text, parent, kind) for a, _, text, parent, kind in rows] == [
        (a, text, parent, kind) for a, _, text, parent, kind in gold
    ]
    assert all(
        day is None or (when or "").startswith(day)
        for (_, when, *_), (_, day, *_) in zip(rows, gold, strict=True)
    )
