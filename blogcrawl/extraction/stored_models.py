"""Models of blogs as older versions stored them, brought to the present form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FORMAT = 2
"""Version of a stored model. Format 1 had its own form for each part: the facts of a rule set as
one flat object, patterns and places of links as arrays."""


def upgraded(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a stored model in the present form. Raises ValueError on a newer format."""
    version = data.get("format", 1)
    if version > FORMAT:
        raise ValueError("model of a newer format")
    return data if version == FORMAT else _from_format_1(data)


def _from_format_1(data: Mapping[str, Any]) -> dict[str, Any]:
    out = dict(data)
    out["ruleset"] = _ruleset(data["ruleset"])
    out["generations"] = [
        {"labels": labels, "ruleset": _ruleset(ruleset)}
        for labels, ruleset in data.get("generations", ())
    ]
    out["places"] = dict(
        zip(("counts", "links", "menu"), data.get("places") or ({}, {}, []), strict=True)
    )
    if data.get("pattern"):
        out["pattern"] = _pattern(data["pattern"])
    return out


def _ruleset(data: Mapping[str, Any]) -> Mapping[str, Any]:
    if "constants" not in data:
        return data
    return {**data, "facts": grouped(data["constants"])}


def _pattern(data: Mapping[str, Any]) -> dict[str, Any]:
    return {**data, "shapes": {key: _shape(shape) for key, shape in data["shapes"].items()}}


def _shape(data: Mapping[str, Any]) -> dict[str, Any]:
    """A segment was null where any value fits; numbers of words were keys."""
    segments = [{"values": values or {}, "free": values is None} for values in data["segments"]]
    words = [data["words"].get(str(number), 0) for number in range(4)]
    return {**data, "segments": segments, "words": words}


_PLACES = {
    "common_titles": ("titles", "common"),
    "headings": ("titles", "headings"),
    "recased": ("titles", "recased"),
    "foreign_heads": ("titles", "foreign_heads"),
    "authors": ("authors", "usual"),
    "authors_share": ("authors", "share"),
    "names": ("authors", "names"),
    "misnamed": ("authors", "misnamed"),
    "url_day": ("dates", "url_day"),
    "utc_offset": ("dates", "utc_offset"),
    "day_offset": ("dates", "day_offset"),
    "tag_source": ("tags", "source"),
    "no_tags": ("tags", "template"),
    "more_tags": ("tags", "second"),
    "no_more_tags": ("tags", "second_template"),
    "no_rule_tags": ("tags", "rule_template"),
    "most_tags": ("tags", "max_per_post"),
    "source_first": ("tags", "source_first"),
}
"""Where the constants of format 1 are now."""


def grouped(constants: Mapping[str, Any]) -> dict[str, Any]:
    """Return the constants of a rule set of format 1 as facts in JSON."""
    facts: dict[str, Any] = {"tags": {}} if constants else {}
    for name, value in constants.items():
        if name in _PLACES:
            group, key = _PLACES[name]
            facts.setdefault(group, {})[key] = value
        else:
            facts[name] = value
    return facts
