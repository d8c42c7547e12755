"""Languages of texts: detection, and what declarations and a blog's other posts weigh."""

from __future__ import annotations

import subprocess
import sys

import pytest

from blogcrawl.text.language import blog_language, detect, language_tag, prose, weigh_languages

pytest.importorskip("fasttext", reason="fasttext-predict is not installed")

FRENCH = (
    "Nous avons repeint la cuisine la semaine dernière, et le chat a marché dans la peinture "
    "avant que nous puissions fermer la porte. Les traces vont maintenant du salon jusqu'à "
    "l'escalier, où elles s'arrêtent devant une marche, sans que personne ne sache pourquoi."
)
CHINESE_WITH_CODE = (
    "先在数据库中添加字段，然后修改登录的代码，最后运行测试。\n"
    "public class UserDao extends BaseDao { private String name; public void setName(String n) "
    "{ this.name = n; } }\nSELECT name, password FROM users WHERE user_id = 12;\n" * 3
)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (("und", "zh_Hans_CN", None), "zh-Hans-CN"),
        (("en, sv",), "en"),
        (("pt-br",), "pt-BR"),
        (("english",), None),
        (("<script>",), None),
        (("", None), None),
    ],
)
def test_first_plausible_tag(values: tuple[str | None, ...], wanted: str | None) -> None:
    assert language_tag(*values) == wanted


def test_code_addresses_and_numbers_are_no_prose() -> None:
    text = "We (all) don't use setName() or x=1; see https://a.example/b 42 times."
    assert prose(text) == "We (all) don't use or see times."


def test_program_around_chinese_prose_is_not_english() -> None:
    verdict = weigh_languages(CHINESE_WITH_CODE)
    assert verdict is not None and verdict.tag == "zh"


def test_detection_wins_over_a_theme_that_declares_another_language() -> None:
    verdict = weigh_languages(FRENCH, {"en-US": 0.75})
    assert verdict is not None
    assert (verdict.tag, verdict.is_declared) == ("fr", False) and verdict.confidence > 0.9


def test_declared_region_kept_when_the_language_is_right() -> None:
    verdict = weigh_languages(FRENCH, {"fr-CA": 0.75})
    assert verdict is not None and (verdict.tag, verdict.is_declared) == ("fr-CA", True)


def test_language_of_the_blog_decides_about_few_words() -> None:
    alone, in_dutch = weigh_languages("Internet!"), weigh_languages("Internet!", {}, {"nl": 12})
    assert alone is not None and in_dutch is not None
    assert in_dutch.tag == "nl"


def test_long_text_in_another_language_than_the_blog_is_recognised() -> None:
    verdict = weigh_languages(FRENCH, {}, {"en": 20})
    assert verdict is not None and verdict.tag == "fr"


@pytest.mark.parametrize(
    ("declared", "usual", "wanted"),
    [
        ({"de-AT": 0.75}, {}, ("de-AT", 0.75)),
        ({"en": 0.75}, {"de": 9}, ("de", 0.95)),
        ({"de-AT": 0.75}, {"de": 9}, ("de-AT", 0.95)),
    ],
)
def test_post_without_text(
    declared: dict[str, float], usual: dict[str, int], wanted: tuple[str, float]
) -> None:
    verdict = weigh_languages("12:30 …", declared, usual)
    assert verdict is not None and (verdict.tag, verdict.confidence) == wanted


def test_nothing_known() -> None:
    assert weigh_languages("") is None


@pytest.mark.parametrize("text", ["\ud800 " * 50, "\x00" * 300, "a" * 100_000, "\u202e\ufffe"])
def test_any_string_can_be_read(text: str) -> None:
    letters, found = detect(text)
    assert letters >= 0 and all(0 <= share <= 1.01 for share in found.values())


def test_norwegian_declared_by_its_written_form() -> None:
    text = "Vi malte kjøkkenet forrige uke, og katten gikk i malingen før vi fikk lukket døra. " * 3
    verdict = weigh_languages(text, {"nb-NO": 0.75})
    assert verdict is not None and verdict.tag == "nb-NO"


@pytest.mark.parametrize(
    ("declared", "letters", "wanted"),
    [
        ("en", {"ko": 800, "en": 200}, ("ko", 0.8, False)),
        ("ko-KR", {"ko": 800, "en": 200}, ("ko-KR", 0.8, True)),
        (None, {"en-US": 300, "en-GB": 400, "fr": 600}, ("en-GB", 0.538, False)),
        ("nb", {"no": 900, "nn": 100}, ("nb", 1.0, True)),
    ],
)
def test_language_of_a_blog_is_that_of_most_of_its_text(
    declared: str | None, letters: dict[str, int], wanted: tuple[str, float, bool]
) -> None:
    verdict = blog_language(declared, letters)
    assert verdict is not None
    assert (verdict.tag, verdict.confidence, verdict.is_declared) == wanted


def test_blog_without_known_posts_has_no_counted_language() -> None:
    assert blog_language("en", {}) is None


def test_detector_is_loaded_with_the_first_text_only() -> None:
    code = "import sys, blogcrawl.text.language; print('fasttext' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
