"""Buttons that fill an empty place, whatever their words."""

from __future__ import annotations

import pytest

from blogcrawl.core.page import Page
from blogcrawl.rendering.need import Gain, RenderVerdict, decide
from blogcrawl.rendering.reveal import reveals_something

POST = "<article><h1>A walk</h1><p>We walked along the river until it rained.</p></article>"


def page(markup: str) -> Page:
    html = f"<html><body>{POST}{markup}<script src=/a.js></script></body></html>"
    return Page(url="http://blog.example/a-walk/", body=html.encode())


@pytest.mark.parametrize(
    "markup",
    [
        "<button>Was andere meinen</button><div></div>",
        "<p><a href='#'>See what was said</a></p><ul id=talk></ul>",
        "<div><button>读者的话</button></div><section></section>",
        "<button aria-controls=t>Open it</button><p>x</p><div id=t></div>",
        "<section id=comments><button>Show</button></section>",
        "<div class=x><div role=button>3 Kommentare</div></div>",
    ],
)
def test_comment_buttons_with_an_empty_target_are_found(markup: str) -> None:
    assert reveals_something(page(markup))
    assert decide(page(markup), None, RenderVerdict()).reasons == ("button",)
    assert not decide(page(markup), None, RenderVerdict(), is_list=True).render


@pytest.mark.parametrize(
    "markup",
    [
        "<button>☰</button><div></div>",
        "<header><button>Menu</button><div></div></header>",
        "<form><button>Send</button><div></div></form>",
        "<button>Share this</button><p>Written in May.</p>",
        "<div><button>Back to top</button></div>",
        "<a href=/next/>The next one</a><div></div>",
        "<a href=#top>To the top</a><div></div>",
        "<div id=comments><p class=comment>So.<b><button>Answer</button><i></i></b></p></div>",
        "<ol id=comments><li class=comment>So it was.<a>Answer</a><div></div></li></ol>",
        "<button aria-controls=t>Open it</button><div id=t>It is here.</div>",
        "<button>Play it</button><div><img src=a.png></div>",
    ],
)
def test_other_buttons_are_not_clicked(markup: str) -> None:
    assert not reveals_something(page(markup))


def test_click_that_adds_no_comment_is_useless() -> None:
    assert not Gain(10, 9_000).brought("button")
    assert Gain(10, 20, 2).brought("button")
