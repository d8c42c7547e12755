"""Plots as SVG with axes, for pages that stand alone: each bar has its value as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

Digits = Callable[[int], str]
WIDTH, HEIGHT = 720, 170
_LEFT, _BOTTOM, _TOP = 42, 22, 14
_ROW = 40
_LETTER = 12
"""Width of a character in the larger type that phones get."""
MAX_MONTHS = 480
"""More months than that (forty years) become years: a bar would be thinner than a pixel."""

FEW_MONTHS = 24
"""Up to so many, months are labelled and not years."""


english: Digits = "{:,}".format


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of one or more parts (class of colour, value), from the axis up.

    ``tick``: its label on the axis, if it has one.
    """

    name: str
    parts: Sequence[tuple[str, int]]
    tick: str = ""

    @property
    def total(self) -> int:
        return sum(value for _, value in self.parts)


def per_month(counts: Mapping[str, int], kind: str, *, mean: bool = False) -> list[Bar]:
    """Return bars for all months from the first to the last; the years where these are too many.

    ``mean``: a year's value is the mean of its months, not their sum.

    Months of nothing count too, so that two plots have one axis; none at all gives no bars.
    """
    if not any(counts.values()):
        return []
    first, last = _number(min(counts)), _number(max(counts))
    if last - first >= MAX_MONTHS:
        found: dict[str, list[int]] = {}
        for month, number in counts.items():
            found.setdefault(month[:4], []).append(number)
        years = {
            year: round(sum(numbers) / (len(numbers) if mean else 1))
            for year, numbers in found.items()
        }
        span = range(int(min(years)), int(max(years)) + 1)
        return [
            Bar(f"{year:04}", [(kind, years.get(f"{year:04}", 0))], f"{year:04}") for year in span
        ]
    months = [f"{at // 12:04}-{at % 12 + 1:02}" for at in range(first, last + 1)]
    return [Bar(month, [(kind, counts.get(month, 0))], _tick(month, months)) for month in months]


def _tick(month: str, months: Sequence[str]) -> str:
    """Return the label of a month: itself where they are few, else the year in its first month."""
    if len(months) <= FEW_MONTHS:
        return month
    return month[:4] if month.endswith("-01") or month == months[0] else ""


def _number(month: str) -> int:
    return int(month[:4]) * 12 + int(month[5:7]) - 1


def plot(
    bars: Sequence[Bar], label: str, units: Mapping[str, str], digits: Digits = english
) -> Markup:
    """Return bars above an axis. ``units``: class of a part -> what it counts; ``digits`` writes
    numbers."""
    highest = max((bar.total for bar in bars), default=0)
    if not highest:
        return Markup("")
    step = (WIDTH - _LEFT) / len(bars)
    drawn = Markup("").join(
        _bar(bar, _LEFT + number * step, step, highest, units, digits)
        for number, bar in enumerate(bars)
    )
    ticks = Markup("").join(
        Markup('<text x="{x:.1f}" y="{y}">{text}</text>').format(x=x, y=HEIGHT - 6, text=text)
        for x, text in _ticks(bars, step)
    )
    return Markup(
        '<svg class="plot" viewBox="0 0 {w} {h}" role="img" aria-label="{label}">'
        '<g class="axis"><line x1="{left}" y1="{base}" x2="{w}" y2="{base}"/>'
        '<line class="grid" x1="{left}" y1="{top}" x2="{w}" y2="{top}"/>'
        '<text class="value" x="{at}" y="{top4}">{highest}</text>'
        '<text class="value" x="{at}" y="{base}">0</text>{ticks}</g>{drawn}</svg>'
    ).format(
        w=WIDTH,
        h=HEIGHT,
        label=label,
        left=_LEFT,
        at=_LEFT - 6,
        base=HEIGHT - _BOTTOM,
        top=_TOP,
        top4=_TOP + 4,
        highest=digits(highest),
        ticks=ticks,
        drawn=drawn,
    )


def ranking(
    rows: Sequence[tuple[str, int]], label: str, unit: str, digits: Digits = english
) -> Markup:
    """Return a bar for each name, one below the other, the name and its number above it."""
    if not rows:
        return Markup("")
    highest = max(number for _, number in rows)
    drawn = Markup("").join(
        Markup(
            '<text x="0" y="{above}">{name}: {number}</text>'
            '<rect class="linked" x="0" y="{y}" width="{width:.1f}" height="8" rx="2"/>'
        ).format(
            name=name,
            number=digits(number),
            above=at * _ROW + 20,
            y=at * _ROW + 26,
            width=max(1.0, WIDTH * number / highest),
        )
        for at, (name, number) in enumerate(rows)
    )
    said = ", ".join(f"{name} {digits(number)}" for name, number in rows)
    return Markup(
        '<svg class="plot" viewBox="0 0 {w} {h}" role="img" aria-label="{label} ({unit}): {said}">'
        "{drawn}</svg>"
    ).format(w=WIDTH, h=_ROW * len(rows), label=label, unit=unit, said=said, drawn=drawn)


def _ticks(bars: Sequence[Bar], step: float) -> Iterator[tuple[float, str]]:
    """Yield place and text of the labels that have room."""
    free = 0.0
    for number, bar in enumerate(bars):
        x = _LEFT + number * step
        width = _LETTER * len(bar.tick)
        if bar.tick and x >= free and x + width <= WIDTH:
            yield x, bar.tick
            free = x + width + _LETTER


def _bar(
    bar: Bar, x: float, step: float, highest: int, units: Mapping[str, str], digits: Digits
) -> Markup:
    """Return the parts of a bar, with a text that says what it shows."""
    scale = (HEIGHT - _BOTTOM - _TOP) / highest
    y, width = float(HEIGHT - _BOTTOM), max(0.6, min(step * 0.86, 40))
    pieces = []
    for kind, value in bar.parts:
        if value:
            height = max(1.0, value * scale)
            y -= height
            pieces.append(  # numbers and a class of ours: Markup.format takes half a page's time
                f'<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" '
                f'height="{height:.2f}"/>'
            )
    if not pieces:
        return Markup("")
    said = ", ".join(f"{digits(value)} {units[kind]}" for kind, value in bar.parts if value)
    return Markup(f"<g><title>{escape(bar.name)}: {escape(said)}</title>{''.join(pieces)}</g>")
