"""HTML documents from the Jinja templates next to this module; values are escaped."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from blogcrawl.dates.edtf import readable, readable_date

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _environment() -> Environment:
    """Import Jinja when the first document is made; its loader reads from a zipped egg too."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("blogcrawl.packaging"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["day"] = readable_date
    environment.filters["date"] = readable
    return environment


def render(template: str, **values: object) -> str:
    """Render the template of this name."""
    return _environment().get_template(template).render(values)
