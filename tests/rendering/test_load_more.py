"""Which lists show their older posts only in a browser."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.rendering.load_more import is_sent_for_more, loads_more
from blogcrawl.rendering.need import Gain, RenderVerdict, decide

POSTS = "<h2><a href=/one/>One</a></h2><h2><a href=/two/>Two</a></h2><script src=/a.js></script>"


def page(markup: str) -> Page:
    return Page(
        url="http://blog.example/", body=f"<html><body>{POSTS}{markup}</body></html>".encode()
    )


@pytest.mark.parametrize(
    "control",
    [
        "<button>Load more</button>",
        "<button class=x><span>Load</span> more posts …</button>",
        "<a href='#'>Older posts</a>",
        "<a onclick=go()>Show more articles</a>",
        "<a href='javascript:void(0)'>Mehr Beiträge laden</a>",
        "<input type=button value='Voir plus'>",
        "<div role=button>Cargar más entradas</div>",
        "<div class='js-load-more'>+</div>",
        "<div class='infinite-scroll'><a href=/three/>Three</a></div>",
        "<button>Show older notes</button>",
        "<button>Показать ещё</button>",
        "<button>加载更多</button>",
        "<button>もっと見る</button>",
        "<button>더 보기</button>",
        "<button>تحميل المزيد</button>",
        "<script>addEventListener('scroll', () => fetch('/more/' + n).then(r => r.text()).then(h =>"
        " list.insertAdjacentHTML('beforeend', h)))</script>",
        "<script>new IntersectionObserver(async () => list.append(await (await fetch(u)).text()))"
        "</script>",
        "<script>$(window).scroll(go); $(window).on('scroll', () =>"
        " $.get(u, h => $('#a').append(h)))</script>",
        "<script src=/jetpack/_inc/build/infinite-scroll/infinity.min.js?ver=4></script>",
        "<script src=/js/jquery-ias.min.js></script>",
        "<div class=js-sentinel data-next='/api/posts?page=2'></div>",
        "<div data-url='/page/2/'></div>",
    ],
)
def test_load_more_controls_are_found(control: str) -> None:
    assert loads_more(page(control))
    assert decide(page(control), None, RenderVerdict(), is_list=True).reasons == ("more",)
    assert not decide(page(control), None, RenderVerdict()).render, (
        "a post with such a control is no list"
    )
    assert not decide(page(control), None, RenderVerdict(), "never", is_list=True).render


@pytest.mark.parametrize(
    "control",
    [
        "",
        "<a href=/page/2/>Older posts</a>",
        "<a href=/one/>Read more</a><button>Read more</button>",
        "<button>Menu</button><button>More</button>",
        "<div id=comments><button>Load more</button></div>",
        "<button>Load more comments</button>",
        "<script>addEventListener('scroll', () => head.classList.toggle('small', scrollY > 80));"
        "</script><script>fetch('/hit')</script>",
        "<script>new IntersectionObserver(seen => { seen[0].target.src = '/a.png' })</script>",
        "<script>addEventListener('scroll', () => navigator.sendBeacon('/depth'))</script>",
        "<div data-url='https://other.example/page/2/'></div><img data-src=/photos/p2.jpg>",
        "<nav><button class=show-more>Show more</button></nav>".replace(
            "<nav", "<nav class=main-nav"
        ),
        "<button>Load more</button><a href=/page/2/>2</a>",
        "<button>Load more</button><a href=/archives/>All posts</a>",
        "<button>Show more of what we did when the summer was over and gone</button>",
    ],
)
def test_links_and_other_controls_are_not_load_more(control: str) -> None:
    assert not loads_more(page(control))


def test_click_that_adds_no_link_is_useless() -> None:
    assert Gain(10, 9_000, 0, False, 0).brought("more") is False
    assert Gain(10, 10, 0, False, 3).brought("more") is True


def test_shell_that_adds_links_is_worth_rendering() -> None:
    assert Gain(600, 700, 0, False, 4).brought("shell")
    assert not Gain(600, 700, 0, False, 0).brought("shell")


@pytest.mark.parametrize(
    ("fields", "is_more"),
    [
        ("<input type=hidden name=cursor value=x7><button>Older posts</button>", True),
        ("<input type=hidden name=page value=2><button>Zilizopita</button>", True),
        ("<input type=hidden name=post value=7><button>Like</button>", False),
        ("<input name=user><input type=password name=p><button name=page value=2>Next", False),
    ],
)
def test_list_that_goes_on_where_a_form_is_sent(fields: str, is_more: bool) -> None:
    form = f"<form method=POST action=/>{fields}</form>"
    assert is_sent_for_more(page(form)) is is_more
    assert not is_sent_for_more(page(form + "<a href=/archive/>Archive</a>"))
    assert not is_sent_for_more(page(form.replace("POST", "get")))
