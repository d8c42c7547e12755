"""What is a person's name, and what an engine writes in place of one."""

from __future__ import annotations

import pytest

from blogcrawl.extraction.fields.names import is_placeholder, segments


@pytest.mark.parametrize(
    "name",
    [
        "admin",
        "Administrator",
        "user user",
        "Super User",
        "site-admin",
        "Site Admin",
        "admin2",
        "noreply@blogger.com",
        "Your Name",
        "undefined",
    ],
)
def test_placeholder_names_are_recognised(name: str) -> None:
    assert is_placeholder(name)


@pytest.mark.parametrize("name", ["Ann Root", "~ann", "userland", "Ada Author", "Gast", "7", ""])
def test_person_names_are_distinguished_from_other_text(name: str) -> None:
    assert not is_placeholder(name)


def test_byline_before_the_name_of_the_site_is_no_part_of_a_title() -> None:
    names = frozenset(["harbour"])
    assert segments("Rain | by Ann Lee | Harbour", names) == "Rain"
    assert segments("Rain | by Ann Lee", names) == "Rain | by Ann Lee"


def test_an_angle_between_the_names_of_site_and_post_is_cut_off() -> None:
    names = frozenset({"harbour"})
    assert segments("Harbour > Rain on the quay", names) == "Rain on the quay"
    assert segments("Rain on the quay < Harbour", names) == "Rain on the quay"
    assert segments("Python 3 > Python 2", names) == "Python 3 > Python 2"
