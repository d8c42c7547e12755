"""Write blogcrawl/dates/cldr.json from Babel's copy of the CLDR: python -m tests.dates.make_cldr

By language: the names of the twelve months, folded, separated by ``|``; the patterns of times ago
by unit; ``order`` where the short date begins with the year.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from babel import Locale
from babel.localedata import locale_identifiers

from blogcrawl.dates.months import fold

TARGET = Path(__file__).resolve().parents[2] / "blogcrawl" / "dates" / "cldr.json"
REGIONS = {
    "de": ("de", "de_AT"),
    "ar": ("ar", "ar_LB", "ar_DZ", "ar_MA"),
    "sr": ("sr", "sr_Latn"),
    "pt": ("pt", "pt_PT"),
}
"""Languages whose countries name the months differently."""
UNITS = ("year", "month", "week", "day", "hour", "minute", "second")
GLUED = re.compile(r"(?<![^\W\d_])([^\W\d_A-Za-z]*)M{3,4}(?:'([^\W\d_]*)')?")
"""What is written together with the name: Hebrew ``d בMMMM y``, Basque ``MMMM'ren' d``."""


def months(codes: tuple[str, ...]) -> list[str]:
    names: list[dict[str, None]] = [{} for _ in range(12)]
    for code in codes:
        locale = Locale.parse(code)
        glued = {("", ""): None} | {
            found: None
            for form in locale.date_formats.values()
            for found in GLUED.findall(form.pattern)
        }
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                for number, name in locale.months[context][width].items():
                    bare = fold(unicodedata.normalize("NFKC", str(name)))
                    if len(bare) > 1 and not re.search(r"[\d|]", bare):
                        names[int(number) - 1] |= {
                            before + bare + after: None for before, after in glued
                        }
    return ["|".join(found) for found in names] if all(names) else []


def ago(locale: Locale) -> dict[str, list[str]]:
    fields = locale._data["date_fields"]
    out: dict[str, dict[str, None]] = {}
    for unit in UNITS:
        for name in (unit, f"{unit}-short"):
            past = fields[name]["past"] if name in fields and "past" in fields[name] else {}
            forms = [fold_pattern(str(past[plural])) for plural in past]
            out.setdefault(unit, {}).update(
                {form: None for form in forms if re.search(r"[^\W\d_]", form.replace("{0}", ""))}
            )
    return {unit: list(forms) for unit, forms in out.items() if forms}


def fold_pattern(pattern: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", pattern).lower().split())


def order(locale: Locale) -> str | None:
    return "ymd" if re.match(r"\W*y", locale.date_formats["short"].pattern) else None


def data() -> dict[str, dict[str, Any]]:
    out: dict[str, dict[str, Any]] = {}
    root = ago(Locale.parse("root")) if "root" in locale_identifiers() else {}
    for code in sorted(code for code in locale_identifiers() if "_" not in code):
        if code == "root":
            continue
        locale = Locale.parse(code)
        entry = {
            "months": months(REGIONS.get(code, (code,))),
            "ago": {unit: forms for unit, forms in ago(locale).items() if forms != root.get(unit)},
            "order": order(locale),
        }
        out[code] = {key: value for key, value in entry.items() if value}
    return {code: entry for code, entry in out.items() if "months" in entry or "ago" in entry}


def text() -> str:
    rows = (
        f"{json.dumps(code)}: {json.dumps(entry, ensure_ascii=False, separators=(',', ':'))}"
        for code, entry in data().items()
    )
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    TARGET.write_text(text(), "utf-8")
