"""A table of figures side by side: pi's, ours, the ratio, and what it may be at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.processes import Sample


@dataclass(frozen=True)
class Row:
    """A line of the table; `limit` is the share of pi's figure that ours may have."""

    what: str
    unit: str
    pi: float
    ours: float
    limit: float | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.pi

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return "ok" if self.ratio <= self.limit else "MISSED"

    def cells(self) -> list[str]:
        """What stands in the columns of `HEADINGS`."""
        limit = "" if self.limit is None else f"{self.limit:.2f}"
        return [
            self.what,
            f"{_figure(self.pi)} {self.unit}",
            f"{_figure(self.ours)} {self.unit}",
            f"{self.ratio:.2f}",
            limit,
            self.verdict,
        ]


HEADINGS = ["", "pi", "pi-lsp", "ratio", "at most", ""]


def rows_of(
    what: str,
    pi: Sample,
    ours: Sample,
    *,
    seconds: float | None = None,
    processor: float | None = None,
    memory: float | None = None,
) -> list[Row]:
    """Time, processor time and memory of a task, with the shares that ours may have."""
    return [
        Row(what, "s", pi.seconds, ours.seconds, seconds),
        Row(f"{what}: processor time", "s", pi.processor, ours.processor, processor),
        Row(f"{what}: memory", "MB", pi.megabytes, ours.megabytes, memory),
    ]


def as_text(rows: Sequence[Row]) -> str:
    """For a terminal."""
    table = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = (
        f"{cells[0]:{widths[0]}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(cells[1:], widths[1:], strict=True))
        for cells in table
    )
    return "\n".join(line.rstrip() for line in lines)


def as_markdown(rows: Sequence[Row]) -> str:
    """For a document."""
    lines = [HEADINGS, ["---", *["---:"] * 4, "---"], *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _figure(value: float) -> str:
    """Three digits that count."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
