"""Operations of a JSON API and their description as OpenAPI 3.1."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from types import NoneType
from typing import Any, get_args, get_type_hints

from starlette.requests import Request

_SCHEMAS: Mapping[type, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "description": "EDTF (ISO 8601), as precise as it is known"},
}
_PART = re.compile(r"\{(\w+)\}")
_REFUSALS = {
    "400": "a value that can't be",
    "403": "not for this user",
    "404": "there is nothing of this name",
    "410": "it was taken down",
    "503": "not available at the moment",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """A question: ``answers`` returns JSON data, described by ``schema``."""

    path: str
    summary: str
    answers: Callable[[Request], Mapping[str, Any]]
    schema: Mapping[str, Any]
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Name of a parameter of the query -> its type and what it is, as ``integer: …``."""

    def described(self) -> Mapping[str, Any]:
        """Return the operation as OpenAPI has it."""
        return {
            "get": {
                "summary": self.summary,
                "operationId": self.answers.__name__,
                "parameters": [*_in_path(self.path), *_in_query(self.parameters)],
                "responses": _responses("200", self.schema),
            }
        }


@dataclass(frozen=True, slots=True)
class Change:
    """What operators do: ``do`` takes a request and its values, and returns the page to go to.

    ``path``: of the form on a page; the API has it too.
    """

    path: str
    summary: str
    do: Callable[[Request, Mapping[str, str]], str]
    values: Mapping[str, str] = field(default_factory=dict)
    """Name of a value -> what it is."""

    @property
    def api_path(self) -> str:
        return "/api" + self.path.replace("/blog/", "/blogs/")

    def described(self) -> Mapping[str, Any]:
        """Return the operation as OpenAPI has it."""
        known = {name: {"type": "string", "description": of} for name, of in self.values.items()}
        content = {"application/json": {"schema": {"type": "object", "properties": known}}}
        return {
            "post": {
                "summary": self.summary,
                "operationId": f"{self.do.__name__}_now",
                "parameters": _in_path(self.path),
                "requestBody": {"content": content, "required": True},
                "responses": {
                    **_responses("202", an_object(page={"type": "string"})),
                    "415": {"description": "the values are no JSON"},
                },
            }
        }


def an_object(**properties: Any) -> Mapping[str, Any]:
    """Describe an object with these properties."""
    return {"type": "object", "required": sorted(properties), "properties": properties}


def an_array(items: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Describe an array; of objects by default."""
    return {"type": "array", "items": items or {"type": "object"}}


def schema_of(record: type) -> Mapping[str, Any]:
    """Describe a record of ours by its fields."""
    hints = get_type_hints(record)
    return {
        "type": "object",
        "properties": {spec.name: _of_type(hints[spec.name]) for spec in fields(record)},
    }


def _of_type(hint: Any) -> Mapping[str, Any]:
    kinds = list(get_args(hint) or (hint,))
    known = next((_SCHEMAS[kind] for kind in kinds if kind in _SCHEMAS), {})
    if NoneType in kinds and known:
        return {**known, "type": [known["type"], "null"]}
    return known if hint in _SCHEMAS else {}


def _responses(status: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    error = {"application/json": {"schema": an_object(error={"type": "string"})}}
    return {
        status: {"description": "done", "content": content},
        **{code: {"description": why, "content": error} for code, why in _REFUSALS.items()},
    }


def _in_path(path: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", **({"format": "uuid"} if name == "uuid" else {})},
        }
        for name in _PART.findall(path)
    ]


def _in_query(parameters: Mapping[str, str]) -> Sequence[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name, about in parameters.items():
        kind, _, text = about.partition(": ")
        least = {"minimum": 0} if kind == "integer" else {}
        schema = {"type": kind, **least}
        found.append({"name": name, "in": "query", "description": text, "schema": schema})
    return found
