"""What an element is, by the words of its class or id."""

from __future__ import annotations

import pytest

from blogcrawl.lexicon.css_classes import ROLES, TAGS, kind_of, words_of


def test_labels_are_split_at_punctuation_and_case_changes() -> None:
    assert words_of("postMeta post_HTMLBody-2") == ("post", "meta", "post", "html", "body", "2")


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("sharedaddy", "share"),
        ("entry-meta", "meta"),
        ("article__share-links", "share"),
        ("comment-list", "comments"),
        ("kommentar-bereich", "comments"),
        ("lista-komentarzy", "comments"),
        ("screen-reader-text", "hidden"),
        ("note like tumblelog_gull without_commentary", "comments"),
        ("tags", "meta"),
        ("code-block-3", "ad"),
        ("wp-block-latest-posts__list wp-block-latest-posts", "related"),
        ("wp-block-file__button wp-element-button", "hidden"),
    ],
)
def test_boilerplate_is_recognised_by_words_and_pairs(label: str, kind: str) -> None:
    assert kind_of(label) == kind


@pytest.mark.parametrize(
    "label",
    [
        "content",
        "entry info",
        "post-tags-explained-nothing wp-caption",
        "has-sidebar",
        "anchorTargetStickyNavbar_M6lg",
        "layout--with-comments",
        "code-block",
        "hentry category-newsletter",
        "my-tags",
        "wp-block-file",
    ],
)
def test_content_labels_are_not_boilerplate(label: str) -> None:
    assert kind_of(label) is None


def test_boilerplate_is_recognised_by_roles_and_tags() -> None:
    assert ROLES["contentinfo"] == TAGS["footer"] == "meta"
    assert TAGS["aside"] == ROLES["navigation"] == "nav"
