"""What tests of the reading room share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from argon2 import PasswordHasher

from blogcrawl.web import access


@pytest.fixture(autouse=True, scope="session")
def cheap_hashes() -> Iterator[None]:
    """Hashes of passwords are made to cost much: two for each test are most of its time."""
    cheap = partial(PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(access, "PasswordHasher", cheap)
        yield
