"""Charts as SVG, made on the server: no script, and a text for who can't see them."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

_MONTHS = 12


def sparkline(months: Sequence[tuple[str, int]], label: str, width: int = 120) -> Markup:
    """Return posts per month as a line, ``label`` as its text. Empty without any month."""
    values = fill_months(months)
    if not values:
        return Markup("")
    height, highest = 24, max(values)
    step = width / max(1, len(values) - 1)
    points = " ".join(
        f"{number * step:.1f},{height - 1 - value / highest * (height - 3):.1f}"
        for number, value in enumerate(values)
    )
    if len(values) == 1:
        points = f"0,{height - 1} {width / 2:.1f},2 {width},{height - 1}"
    return Markup(
        '<svg class="sparkline" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" '
        'aria-label="{label}"><polyline points="{points}"/></svg>'
    ).format(w=width, h=height, label=label, points=points)


def fill_months(months: Sequence[tuple[str, int]]) -> list[int]:
    """Return the numbers of all months from the first to the last, those without posts too."""
    if not months:
        return []
    known = {_number(month): count for month, count in months}
    return [known.get(month, 0) for month in range(min(known), max(known) + 1)]


def _number(month: str) -> int:
    return int(month[:4]) * _MONTHS + int(month[5:7])


def bars(months: Sequence[tuple[str, int]]) -> list[tuple[str, int, int, list[tuple[str, int]]]]:
    """Return years with their posts, the share of the busiest year in per cent, and their months,
    newest first."""
    years: dict[str, list[tuple[str, int]]] = {}
    for month, count in months:
        years.setdefault(month[:4], []).append((month, count))
    sums = {year: sum(count for _, count in found) for year, found in years.items()}
    highest = max(sums.values(), default=1)
    return [
        (year, sums[year], max(1, round(100 * sums[year] / highest)), years[year])
        for year in sorted(years, reverse=True)
    ]
