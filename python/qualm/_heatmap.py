"""A grid as an HTML table with colours."""

from __future__ import annotations

from html import escape
from typing import Any, Optional

#: What guessing gives, and the best value; metrics without a chance level run from worst to best.
_SCALES = {
    "auroc": (0.0, 0.5, 1.0),
    "auprc": (0.0, 0.5, 1.0),
    "prr": (-1.0, 0.0, 1.0),
    "ece": (0.5, 0.25, 0.0),
    "brier": (0.5, 0.25, 0.0),
    "aurc": (1.0, 0.5, 0.0),
}


def _colour(value: float, metric: str) -> tuple[str, str]:
    """Background and text: orange below the middle of the scale, blue above it."""
    low, middle, high = _SCALES.get(metric, (0.0, 0.5, 1.0))
    end = high if (value - middle) * (high - middle) >= 0 else low
    share = min(1.0, abs(value - middle) / abs(end - middle))
    strong = (33, 102, 172) if end == high else (179, 88, 6)
    red, green, blue = (round(255 + (part - 255) * share) for part in strong)
    text = max(("#fff", 1.0), ("#000", 0.0), key=lambda one: _contrast(one[1], (red, green, blue)))
    return f"rgb({red},{green},{blue})", text[0]


def _contrast(luminance: float, background: tuple[int, int, int]) -> float:
    """The contrast of a text with a background, as WCAG defines it."""
    parts = [part / 255 for part in background]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    behind = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    light, dark = max(luminance, behind), min(luminance, behind)
    return (light + 0.05) / (dark + 0.05)


def _cell(row: Optional[dict[str, Any]], metric: str) -> str:
    if row is None or row["value"] is None:
        return '<td style="color:#777;text-align:center">–</td>'
    background, text = _colour(row["value"], metric)
    about = f"n {row['n']}"
    if row["lo"] is not None:
        about = f"[{row['lo']:.3f}, {row['hi']:.3f}], {about}"
    dagger = "†" if row["flagged"] else ""
    style = f"background:{background};color:{text};text-align:right"
    return f'<td style="{style}" title="{escape(about)}">{row["value"]:.2f}{dagger}</td>'


def heatmap(rows: list[dict[str, Any]], metric: str) -> str:
    """Scorers as rows, cells as columns; the interval and n are in the tooltip."""
    cells: dict[tuple[str, str, str], None] = {}
    scorers: dict[str, None] = {}
    values: dict[tuple[str, tuple[str, str, str]], dict[str, Any]] = {}
    for row in rows:
        cell = (row["dataset"], row["model"], row["condition"])
        rule = row["aggregator"]
        scorer = row["scorer"] if rule is None else f"{row['scorer']}·{rule}"
        cells[cell] = scorers[scorer] = None
        values[scorer, cell] = row
    names = []
    for dataset, model, condition in cells:
        parts = [dataset, model] if condition == "default" else [dataset, model, condition]
        names.append("<br>".join(escape(part) for part in parts))
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join(
        f'<tr><th style="text-align:left;white-space:nowrap">{escape(scorer)}</th>'
        + "".join(_cell(values.get((scorer, cell)), metric) for cell in cells)
        + "</tr>"
        for scorer in scorers
    )
    caption = f"{escape(metric)}, † fewer than 20 tasks of the rarer outcome"
    return f"<table><caption>{caption}</caption><tr><th></th>{head}</tr>{body}</table>"
