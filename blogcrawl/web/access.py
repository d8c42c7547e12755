"""Who may use the reading room: users with passwords, and how often a password may be tried."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from blogcrawl.core.errors import UsageError

ROLES = ("reader", "operator")
RATE, BURST = 10.0, 200.0
"""Requests a second of one visitor, and those that may come at once."""
TRIES = 5
"""Wrong passwords that one name or one address may give within ``WINDOW_SECONDS``."""
WINDOW_SECONDS = 300.0
_REMEMBERED = 10_000
"""Names and addresses whose tries are counted; the oldest are forgotten first."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Someone who was let in."""

    name: str
    role: str

    @property
    def is_operator(self) -> bool:
        return self.role == "operator"


class Users:
    """The users of a file: a line each with name, role and argon2 hash, separated by blanks."""

    def __init__(self, users: Mapping[str, tuple[str, str]]) -> None:
        self._users = dict(users)
        self._hasher = PasswordHasher()
        self._absent = self._hasher.hash("no user has this password")

    @classmethod
    def read(cls, path: Path) -> Users:
        """Read the file. Raises UsageError, which names the line but not what stands in it."""
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the users in {path} can't be read: {error}") from None
        users: dict[str, tuple[str, str]] = {}
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = line.split()
            if len(parts) != 3 or parts[1] not in ROLES or not parts[2].startswith("$argon2"):
                raise UsageError(
                    f"line {number} of {path} is no user",
                    advice="NAME reader|operator HASH; `blogcrawl serve --hash-password` "
                    "makes the hash",
                )
            users[parts[0]] = (parts[1], parts[2])
        if not users:
            raise UsageError(f"{path} names no user")
        return cls(users)

    def check(self, name: str, password: str) -> Visitor | None:
        """Return who gave the right password. An unknown name takes as long as a wrong password."""
        role, hashed = self._users.get(name, ("", self._absent))
        try:
            self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return None
        return Visitor(name, role) if role else None

    def find(self, name: str) -> Visitor | None:
        """Return a user who was let in before, unless removed since."""
        known = self._users.get(name)
        return Visitor(name, known[0]) if known else None


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password for the file of users."""
    return PasswordHasher().hash(password)


@dataclass(slots=True)
class Throttle:
    """Counts wrong passwords by name and by address. Times are seconds of any clock."""

    tries: int = TRIES
    window: float = WINDOW_SECONDS
    _wrong: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)

    def is_open(self, now: float, *keys: str) -> bool:
        """Report whether none of the keys has used up its tries."""
        return all(
            sum(now - at < self.window for at in self._wrong.get(key, ())) < self.tries
            for key in keys
        )

    def note(self, now: float, *keys: str) -> None:
        """Count a wrong password."""
        for key in keys:
            recent = [at for at in self._wrong.pop(key, ()) if now - at < self.window]
            self._wrong[key] = [*recent, now]
        while len(self._wrong) > _REMEMBERED:
            self._wrong.popitem(last=False)


@dataclass(slots=True)
class Pace:
    """Lets each visitor ask for so many pages a second, and now and then for many at once (a token
    bucket). Times are seconds of any clock."""

    rate: float = RATE
    burst: float = BURST
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, now: float, key: str) -> bool:
        """Report whether a visitor may ask now; that counts."""
        left, last = self._left.pop(key, (self.burst, now))
        left = min(self.burst, left + max(0.0, now - last) * self.rate)
        may = left >= 1
        self._left[key] = (left - may, now)
        while len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)
        return may
