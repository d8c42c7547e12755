"""The picture of docs/cluster.md: requests per new post against the delay of discovery. For
tests/benchmarks/revisit.py.
"""

from __future__ import annotations

import numpy as np


def draw(rows: list[tuple[str, float, float, float]], path: str) -> None:
    """An SVG: requests per new post against the delay of discovery, both logarithmic; left the
    median, right the mean.
    """
    width, height, left, bottom = 480, 330, 60, 40
    across, up = (1.3, 120.0), (0.3, 20.0)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * width} {height}" '
            f'font-family="sans-serif" font-size="12">'
        )
    ]
    parts.append('<rect width="100%" height="100%" fill="white"/>')

    def share(value: float, ends: tuple[float, float]) -> float:
        return float(np.log(value / ends[0]) / np.log(ends[1] / ends[0]))

    for panel, (column, label) in enumerate(((2, "median delay, hours"), (3, "mean delay, hours"))):

        def place(x: float, y: float, panel: int = panel) -> tuple[float, float]:
            return panel * width + left + share(x, across) * (width - left - 20), (
                height - bottom
            ) - share(y, up) * (height - bottom - 20)

        for x in (2, 5, 10, 20, 50, 100):
            (x0, y0), (_, y1) = place(x, up[0]), place(x, up[1])
            parts.append(f'<path d="M{x0:.1f} {y0:.1f}V{y1:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{x0:.1f}" y="{y0 + 16:.1f}" text-anchor="middle">{x}</text>')
        for y in (0.5, 1, 2, 5, 10, 20):
            (x0, y0), (x1, _) = place(across[0], y), place(across[1], y)
            parts.append(f'<path d="M{x0:.1f} {y0:.1f}H{x1:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{x0 - 6:.1f}" y="{y0 + 4:.1f}" text-anchor="end">{y:g}</text>')
        middle = panel * width + (width + left) / 2
        parts.append(
            f'<text x="{middle:.0f}" y="{height - 6}" text-anchor="middle">requests per new '
            f"post</text>"
        )
        parts.append(f'<text x="{panel * width + left + 6}" y="14">{label}</text>')
        curve = [
            (row[0], *place(row[1], row[column])) for row in rows if row[0].startswith("blogcrawl")
        ]
        parts.append(
            f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for _, x, y in curve)}" fill="none" '
            f'stroke="#0a6" stroke-width="2"/>'
        )
        for row in rows:
            x, y = place(row[1], row[column])
            ours_ = row[0].startswith("blogcrawl")
            shape = (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#0a6"/>'
                if ours_
                else f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="#c40"/>'
            )
            if ours_:
                parts.append(
                    f'{shape}<text x="{x - 7:.1f}" y="{y + 14:.1f}" '
                    f'text-anchor="end">{row[0].removeprefix("blogcrawl ")}</text>'
                )
            else:
                near = 'text-anchor="end"' if x > panel * width + width - 80 else ""
                parts.append(
                    f'{shape}<text x="{x + (-8 if near else 8):.1f}" y="{y - 5:.1f}" '
                    f"{near}>{row[0]}</text>"
                )
        parts.append(
            f'<text x="{panel * width + width - 20}" y="40" text-anchor="end" '
            f'fill="#0a6">blogcrawl, by base interval</text>'
        )
    parts.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")
