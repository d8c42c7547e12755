"""A page's bytes become text: what is declared, what the bytes say, and what is likely."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urljoin

import lxml.html
import pytest

from blogcrawl.core.charsets import decode_page
from blogcrawl.core.page import Page, fragment, kept
from blogcrawl.text.visible import node_text

TEXTS = {
    "de": (
        "Der Schlüssel für die größere Tür liegt über dem Fenster, und niemand weiß, wer ihn "
        "dort vergaß."
    ),
    "ru": (
        "Ключ от большой двери лежит над окном, и никто не знает, кто его там забыл прошлой зимой."
    ),
    "ja": "大きな扉の鍵は窓の上にあります。去年の冬に誰がそこへ置いたのか、誰も知りません。",
    "zh": "大门的钥匙就在窗户上面，没有人知道是谁在去年冬天把它忘在那里的，我们也不知道。",
    "tw": "大門的鑰匙就在窗戶上面，沒有人知道是誰在去年冬天把它忘在那裡的，我們也不知道。",
    "he": "המפתח של הדלת הגדולה מונח מעל החלון, ואיש אינו יודע מי שכח אותו שם בחורף שעבר.",
    "ar": "مفتاح الباب الكبير موجود فوق النافذة، ولا أحد يعرف من نسيه هناك في الشتاء الماضي.",
    "el": "Το κλειδί της μεγάλης πόρτας είναι πάνω από το παράθυρο και κανείς δεν ξέρει ποιος.",
    "bg": "Ключът от голямата врата лежи над прозореца и никой не знае кой го е забравил там.",
    "ko": "큰 문의 열쇠는 창문 위에 있습니다. 지난 겨울에 누가 그것을 거기에 두었는지 아무도 모릅니다.",  # noqa: E501
}
LEGACY = [
    *(("de", "windows-1252"), ("ru", "windows-1251"), ("ru", "koi8-r"), ("ja", "euc-jp")),
    *(("he", "windows-1255"), ("ar", "windows-1256"), ("el", "windows-1253")),
    ("bg", "windows-1251"),
    *(("ja", "shift_jis"), ("zh", "gb18030"), ("tw", "big5"), ("ko", "euc-kr")),
]


UTF_8, LATIN_1 = "; charset=utf-8", "; charset=iso-8859-1"
SCRIPT = "<script>" + "document.write(navigator.appName); " * 20 + "</script>"


def page(language: str, encoding: str) -> bytes:
    return (
        f"<html><head><title>t</title></head><body "
        f"class=wide>{'<p>' + TEXTS[language] + '</p>'}</body></html>"
    ).encode(encoding)


@pytest.mark.parametrize("header", [None, *(f"text/html{c}" for c in ("", UTF_8, LATIN_1))])
@pytest.mark.parametrize(("language", "encoding"), LEGACY)
def test_undeclared_and_wrongly_declared_bytes_are_decoded(
    language: str, encoding: str, header: str | None
) -> None:
    assert TEXTS[language] in decode_page(header, page(language, encoding))[1]


@pytest.mark.parametrize(("language", "encoding"), LEGACY)
def test_letters_of_scripts_and_templates_do_not_count(language: str, encoding: str) -> None:
    """A short post amid the English of its theme is read by its own letters."""
    text = SCRIPT.encode() + page(language, encoding) + b"<p>Powered by a good engine.</p>" * 20
    assert TEXTS[language] in decode_page(None, text)[1]


def test_kana_are_of_no_chinese_charset() -> None:
    """They stand at the same bytes there; where 議 and 定 do, 的 and 年 are, frequent ones."""
    text = "会議の頁の音は大変に低い音です。才能を定めます。"
    assert text in decode_page(None, f"<p>{text}</p>".encode("euc-jp"))[1]


@pytest.mark.parametrize(
    "text", ["So sch\xf6n kann Lautern sein. " * 3, "Die Idee, Regelmä\xc3\xa4ssig"]
)
def test_few_accents_are_latin_ones(text: str) -> None:
    assert text in decode_page(None, f"<p>{text}</p>".encode("cp1252"))[1]


@pytest.mark.parametrize("language", TEXTS)
def test_valid_utf8_is_decoded_despite_the_header(language: str) -> None:
    assert (
        TEXTS[language] in decode_page("text/html; charset=iso-8859-1", page(language, "utf-8"))[1]
    )


@pytest.mark.parametrize(
    ("base", "wanted"),
    [
        ('<base href="/sub/">', "http://a.test/sub/x"),
        ('<base target="_blank"><base href="//cdn.test/y/">', "http://cdn.test/y/x"),
        ('<base href="">', "http://a.test/p/x"),
        ('<base href="javascript:1">', "http://a.test/p/x"),
        ('<base href="http://[">', "http://a.test/p/x"),
        ("", "http://a.test/p/x"),
    ],
)
def test_links_are_resolved_against_the_base(base: str, wanted: str) -> None:
    assert (
        Page(url="http://a.test/p/1", body=f"<html><head>{base}</head><body>".encode()).absolute(
            "x"
        )
        == wanted
    )


def test_declared_charset_is_used() -> None:
    body = b"<html><head><meta charset=iso-8859-2></head><body>\xb1\xea</body></html>"
    assert "ąę" in decode_page("text/html", body)[1]
    assert "ąę" in decode_page("text/html; charset=iso-8859-2", b"<body>\xb1\xea</body>")[1]
    assert (
        "ąę" in decode_page("text/html; charset=utf-8", body)[1]
    )  # the header leaves holes, the page does not


def test_few_invalid_bytes_do_not_change_the_encoding() -> None:
    body = page("ru", "utf-8") * 3 + b"\xd0"
    encoding, text = decode_page(None, body)
    assert encoding == "utf-8" and TEXTS["ru"] in text


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"\xff\xfe", b"\x1b$B", b"\x80" * 999, bytes(range(256)) * 40]
)
def test_random_bytes_make_a_page(body: bytes) -> None:
    assert Page(url="http://x/", body=body).tree.tag == "html"


@pytest.mark.parametrize(
    "html",
    [
        (
            "<!doctype html><html lang=en><meta charset=utf-8><title>a</title><link rel=x "
            "href=/><header>top</header> and <main><p>text</main>"
        ),
        "<!doctype html><title>a</title><main>top and text</main>",
        (
            "<html><head><title>a</title><header>top</header></head><body> and "
            "<main>text</main></body></html>"
        ),
        (
            "<html><head><title>a</title><header>top</header><body class=b> and "
            "<main>text</main></body></html>"
        ),
    ],
)
def test_head_and_body_tags_are_optional(html: str) -> None:
    tree = Page(url="http://x/", body=html.encode()).tree
    assert tree.body.text_content().split() == ["top", "and", "text"]
    assert [child.tag for child in tree] == ["head", "body"] and tree.findtext("head/title") == "a"


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("gb2312", "生产当前新闻发生"),
        ("windows-1251", "привет, мир"),
        ("shift_jis", "日本語の日記"),
    ],
)
def test_default_latin_1_header_is_ignored(declared: str, text: str) -> None:
    body = (
        f'<html><head><meta http-equiv=Content-Type content="text/html; '
        f'charset={declared}"></head><body>{text}'
    ).encode(declared)
    assert text in decode_page("text/html; charset=iso-8859-1", body)[1]


def test_charset_refuted_by_the_bytes_yields_to_the_header() -> None:
    body = '<html><head><meta charset="utf-8"></head><body>été'.encode("latin-1")
    assert "été" in decode_page("text/html; charset=iso-8859-1", body)[1]


PARAGRAPHS = "".join(
    f"<div><p>Paragraph {i} of the page that everybody reads.</p></div>" for i in range(12)
)


@pytest.mark.parametrize("head", ["<head><title>Walks</title></head>", "<head></head>", ""])
def test_titles_in_the_body_are_not_shown(head: str) -> None:
    inner = "<p>A walk.</p><title>Comments</title>On <svg><title>Map</title></svg><title>x</title>."
    page = Page(url="http://b.example/", body=f"<html>{head}<body>{inner}".encode())
    assert page.tree.find("head/title").text == (
        "Walks" if head.endswith("</title></head>") else "Comments"
    )
    assert node_text(page.tree.find("body")) == "A walk. On ."
    assert page.tree.find(".//svg/title") is not None


@pytest.mark.parametrize(
    "body",
    [
        "<noscript><div id=n></noscript><b>PAGE</b>",
        "<i id=root></i><noscript><div>PAGE</div></noscript>",
    ],
)
def test_noscript_that_is_the_whole_page_is_read(body: str) -> None:
    html = (
        f"<html><head><title>t</title></head><body>{body.replace('PAGE', PARAGRAPHS)}</body></html>"
    )
    tree = Page(
        url="http://a.test/", body=html.encode(), headers={"content-type": "text/html"}
    ).tree
    assert not [
        p for p in tree.iter("p") if any(above.tag == "noscript" for above in p.iterancestors())
    ]


@pytest.mark.parametrize(
    "body",
    [
        "<p>Text.</p><noscript>PAGE</noscript>",
        "<noscript><p>This page needs scripts.</p></noscript>",
    ],
)
def test_noscript_with_other_content_stays_unread(body: str) -> None:
    html = (
        f"<html><head><title>t</title></head><body>{body.replace('PAGE', PARAGRAPHS)}</body></html>"
    )
    tree = Page(
        url="http://a.test/", body=html.encode(), headers={"content-type": "text/html"}
    ).tree
    assert tree.find("body/noscript") is not None


@pytest.mark.parametrize(
    "base", ["http://a.test/c/d?x=1", "https://a.test:8080", "http://a.test/;p?q#f"]
)
@pytest.mark.parametrize(
    "href",
    [
        "/",
        "/a",
        "/a/b.html",
        "/a//b",
        "//b.test/x",
        "/./a",
        "/a/../b",
        "/.well-known/x",
        "/a;",
        "/a?",
        "/a#",
        "/a?b#c",
        "/é/ü",
        "/a b",
        "/a ",
        "/\t",
        "#comment-12",
        "#c_1",
        "#",
        "#a b",
        "#é",
    ],
)
def test_root_relative_urls_are_joined_like_urljoin(base: str, href: str) -> None:
    assert Page(url=base, body=b"<p>").absolute(href) == urljoin(base, href.strip())


@pytest.mark.parametrize(
    "markup",
    [
        "",
        " <p>Yes,<br>so it is.</p> tail",
        "text <b>bold",
        "<body class=x lang=en>\n<p>a</p></body> after",
        "<html lang=de><head><title>t</title></head><body>\n x</body></html>",
        "<!-- c --><!doctype html><p>a",
        "<frameset><frame src=a></frameset>",
        "<head><base href=x></head>a<script>1 < 2</script>",
    ],
)
def test_fragments_are_parsed_as_lxml_does(markup: str) -> None:
    try:
        wanted = lxml.html.fragment_fromstring(markup, create_parent="div")
    except AssertionError:
        wanted = lxml.html.Element("div")
    found = fragment(markup)
    assert lxml.html.tostring(found) == lxml.html.tostring(wanted)
    assert found.getparent() is None


def test_page_properties_are_computed_once() -> None:
    asked = []

    @kept
    def length(page: Page) -> int | None:
        asked.append(page.url)
        return len(page.body) or None

    empty, full = (
        Page(url="http://b.example/a", body=b""),
        Page(url="http://b.example/b", body=b"text"),
    )
    assert [length(empty), length(full), length(empty), length(full)] == [None, 4, None, 4]
    assert asked == [empty.url, full.url]
    assert length(replace(full, body=b"longer")) == 6


@pytest.mark.parametrize("letters", ["ferry ", "Fähre ", "Fähre \ufffd "])
def test_decoded_text_of_a_large_page_is_not_cached(letters: str) -> None:
    text = "<p>" + letters * 300_000
    page = Page(url="https://b.example/1", body=text.encode())
    assert page.text == text and page.encoding == "utf-8"
    assert (page.text is page.text) == ("\ufffd" in letters)  # decoded with holes: kept


@pytest.mark.parametrize(("depth", "is_cut"), [(1_500, False), (3_000, True)])
def test_page_reports_a_truncated_tree(depth: int, is_cut: bool) -> None:
    body = b"<p>Before.</p>" + b"<div>" * depth + b"x" + b"</div>" * depth + b"<p>After.</p>"
    page = Page(url="http://blog.example/", body=body, headers={"content-type": "text/html"})
    assert page.is_cut is is_cut


def test_forgotten_page_properties_are_computed_again() -> None:
    page = Page(url="http://blog.example/", body=b"<p>Text", headers={"content-type": "text/html"})
    before = page.tree
    page.forget()
    assert set(page.__dict__) == set(page.__dataclass_fields__)
    assert page.tree is not before and page.tree.text_content() == "Text"


def test_language_of_an_xhtml_document_is_that_of_its_page() -> None:
    page = Page(url="http://b.example/", body=b"<html xml:lang='pt'><body><p>Ola</p></body></html>")
    assert page.tree.get("lang") == "pt"


def test_utf8_with_a_broken_address_is_utf8() -> None:
    text = "<title>Pink! – a “walk”</title><p>What the Pink…</p>".encode()
    assert decode_page("text/html", text + b"<a href='%25\x80\x92'>x</a>")[0] == "utf-8"


def test_hidden_mail_addresses_are_shown_as_to_readers() -> None:
    body = b"<h1>By <a class=__cf_email__ data-cfemail=7d1f3d1e531918>[email&#160;protected]</a>!"
    page = Page(url="http://b.example/", body=body + b"</h1><i data-cfemail=zz>x</i>")
    assert page.tree.text_content() == "By b@c.de!x"
