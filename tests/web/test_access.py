"""Users, passwords, and how often they may be tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogcrawl.core.errors import UsageError
from blogcrawl.web.access import Throttle, Users, hash_password


def users(tmp_path: Path, text: str) -> Users:
    path = tmp_path / "users"
    path.write_text(text, "utf-8")
    return Users.read(path)


def test_the_right_password_opens(tmp_path: Path) -> None:
    known = users(tmp_path, f"# staff\n\nann operator {hash_password('secret')}\n")
    visitor = known.check("ann", "secret")
    assert visitor is not None and visitor.is_operator
    assert known.check("ann", "Secret") is None
    assert known.check("bob", "no user has this password") is None
    assert known.find("ann") == visitor and known.find("bob") is None


@pytest.mark.parametrize("text", ["", "ann\n", "ann king $argon2id$x\n", "ann reader secret\n"])
def test_what_is_no_user_is_refused_without_its_words(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError) as refused:
        users(tmp_path, text)
    assert "secret" not in str(refused.value)


def test_a_damaged_hash_opens_nothing(tmp_path: Path) -> None:
    assert users(tmp_path, "ann reader $argon2id$v=19$m=1\n").check("ann", "") is None


def test_tries_are_counted_by_name_and_address() -> None:
    throttle = Throttle()
    for second in range(5):
        assert throttle.is_open(second, "name ann", "from 1")
        throttle.note(second, "name ann", "from 1")
    assert not throttle.is_open(5, "name ann", "from 2")
    assert not throttle.is_open(5, "name bob", "from 1")
    assert throttle.is_open(5, "name bob", "from 2")
    assert throttle.is_open(301, "name ann", "from 1")
