"""The screen of an embedded Neovim: what its redraw events describe, as text and as a picture."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8, 17, 13
_FONTS = ("DejaVuSansMono.ttf", "LiberationMono-Regular.ttf", "Menlo.ttc", "consola.ttf")
_SYMBOL_FONTS = ("DejaVuSans.ttf", *_FONTS)
_BOLD_FONTS = ("DejaVuSansMono-Bold.ttf", "LiberationMono-Bold.ttf")


@dataclass
class Cell:
    text: str = " "
    highlight: int = 0


class Screen:
    """Follows Neovim's `ext_linegrid` events; `text()` is what a person would read."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells = [[Cell() for _ in range(columns)] for _ in range(rows)]
        self.cursor = (0, 0)
        self.mode = "normal"
        self._highlights: dict[int, dict[str, Any]] = {0: {}}
        self._foreground, self._background = 0xE0E2EA, 0x14161B

    def apply(self, events: list[list[Any]]) -> None:
        """Take in one `redraw` notification."""
        for name, *calls in events:
            handler = getattr(self, f"_on_{name}", None)
            if handler is not None:
                for arguments in calls:
                    handler(*arguments)

    def lines(self) -> list[str]:
        return ["".join(cell.text for cell in row).rstrip() for row in self.cells]

    def text(self) -> str:
        return "\n".join(self.lines())

    def highlight_at(self, text: str) -> dict[str, Any]:
        """The colours of the first place where a text stands on the screen."""
        for row, line in enumerate(self.lines()):
            column = line.find(text)
            if column >= 0:
                return self._highlights.get(self.cells[row][column].highlight, {})
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text()}")

    def save(self, path: Path) -> None:
        """Keep the screen as `<path>.png` and `<path>.txt`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".txt").write_text(self.text() + "\n", encoding="utf-8")
        self._picture().save(path.with_suffix(".png"), optimize=True)

    # Events

    def _on_grid_resize(self, _grid: int, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells = [[Cell() for _ in range(columns)] for _ in range(rows)]

    def _on_grid_clear(self, _grid: int) -> None:
        self._on_grid_resize(0, self.columns, self.rows)

    def _on_grid_cursor_goto(self, _grid: int, row: int, column: int) -> None:
        self.cursor = (row, column)

    def _on_mode_change(self, mode: str, _index: int) -> None:
        self.mode = mode

    def _on_grid_line(self, _grid: int, row: int, column: int, cells: list[Any], *_: Any) -> None:
        highlight = 0
        for text, *rest in cells:
            highlight = rest[0] if rest else highlight
            for _repeat in range(rest[1] if len(rest) > 1 else 1):
                self.cells[row][column] = Cell(text, highlight)
                column += 1

    def _on_grid_scroll(
        self, _grid: int, top: int, bottom: int, left: int, right: int, rows: int, _columns: int
    ) -> None:
        order = range(top, bottom - rows) if rows > 0 else range(bottom - 1, top - rows - 1, -1)
        for row in order:
            self.cells[row][left:right] = self.cells[row + rows][left:right]

    def _on_hl_attr_define(self, number: int, attributes: dict[str, Any], *_: Any) -> None:
        self._highlights[number] = attributes

    def _on_default_colors_set(self, foreground: int, background: int, *_: Any) -> None:
        self._foreground, self._background = foreground, background

    # The picture

    def _picture(self) -> Image.Image:
        size = (self.columns * CELL_WIDTH, self.rows * CELL_HEIGHT)
        image = Image.new("RGB", size, _rgb(self._background))
        draw = ImageDraw.Draw(image)
        fonts = _font(_FONTS), _font(_BOLD_FONTS), _font(_SYMBOL_FONTS)
        for row, cells in enumerate(self.cells):
            for column, cell in enumerate(cells):
                self._draw_cell(draw, row, column, cell, fonts)
        return image

    def _draw_cell(
        self,
        draw: ImageDraw.ImageDraw,
        row: int,
        column: int,
        cell: Cell,
        fonts: tuple[Any, Any, Any],
    ) -> None:
        plain, bold, symbols = fonts
        look = self._highlights.get(cell.highlight, {})
        foreground = look.get("foreground", self._foreground)
        background = look.get("background", self._background)
        if bool(look.get("reverse")) != ((row, column) == self.cursor):
            foreground, background = background, foreground
        x, y = column * CELL_WIDTH, row * CELL_HEIGHT
        width = CELL_WIDTH * (2 if _is_wide(cell.text) else 1)
        if cell.text:
            draw.rectangle((x, y, x + width - 1, y + CELL_HEIGHT - 1), fill=_rgb(background))
        if cell.text.strip():
            font = symbols if _is_symbol(cell.text) else bold if look.get("bold") else plain
            draw.text((x, y + 1), cell.text, font=font, fill=_rgb(foreground))
        if look.get("underline") or look.get("undercurl"):
            line = y + CELL_HEIGHT - 2
            draw.line((x, line, x + width, line), fill=_rgb(foreground))


def _is_wide(text: str) -> bool:
    return bool(text) and unicodedata.east_asian_width(text[0]) in "WF"


def _is_symbol(text: str) -> bool:
    """Braille, which monospaced fonts often lack."""
    return 0x2800 <= ord(text[0]) <= 0x28FF


def _rgb(colour: int) -> tuple[int, int, int]:
    return (colour >> 16 & 255, colour >> 8 & 255, colour & 255)


def _font(names: tuple[str, ...]) -> Any:
    for name in names:
        try:
            return ImageFont.truetype(name, FONT_SIZE)
        except OSError:
            continue
    return ImageFont.load_default(FONT_SIZE)
