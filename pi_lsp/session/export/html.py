"""A transcript as one static HTML page: no script, nothing loaded, safe whatever it holds.

Every text is escaped; Markdown is rendered without raw HTML and then sanitised; a
content-security policy in the page forbids all but its own style and the pictures in it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import nh3
from markdown_it import MarkdownIt

from pi_lsp.session.export.transcript import Code, Folded, Part, Picture, Section, Transcript
from pi_lsp.session.text import one_line

_PICTURE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")

_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


def render(transcript: Transcript) -> str:
    """The whole page."""
    style = _style()
    title = escape(one_line(transcript.title))
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in transcript.facts
    )
    sections = "\n".join(_section(section) for section in transcript.sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<dl>{facts}</dl>
</header>
<main>
{sections}
</main>
</body>
</html>
"""


@cache
def _style() -> str:
    return files("pi_lsp.session.export").joinpath("page.css").read_text(encoding="utf-8")


def _policy(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _section(section: Section) -> str:
    title = f"<h2>{escape(section.title)}</h2>"
    detail = f'<span class="detail">{escape(one_line(section.detail))}</span>'
    if section.kind == "change":
        return f'<p class="change">{escape(section.title)}: {escape(section.detail)}</p>'
    label = f'<span class="label">{escape(section.label)}</span>' if section.label else ""
    failed = '<span class="failed">failed</span>' if section.failed else ""
    when = escape(section.timestamp)
    time = f'<time datetime="{when}">{when[:16].replace("T", " ")}</time>' if when else ""
    return (
        f'<section class="{section.kind}">\n'
        f'<div class="head">{title}{detail if section.detail else ""}{label}{failed}{time}</div>\n'
        f"{_parts(section.parts)}\n</section>"
    )


def _parts(parts: Sequence[Part]) -> str:
    return "\n".join(_part(part) for part in parts)


def _part(part: Part) -> str:
    if isinstance(part, Code):
        return _diff(part.text) if part.language == "diff" else _preformatted(part.text)
    if isinstance(part, Picture):
        return _picture(part)
    if isinstance(part, Folded):
        title = escape(part.title)
        return f"<details><summary>{title}</summary>\n{_parts(part.parts)}\n</details>"
    return f'<div class="prose">{_prose(part.text)}</div>'


def _preformatted(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _diff(text: str) -> str:
    lines = [
        f'<span class="{_diff_class(line)}">{escape(line)}</span>' for line in text.split("\n")
    ]
    return f'<pre class="diff">{"".join(lines)}</pre>'


def _diff_class(line: str) -> str:
    if line.startswith(("@@", "--- ", "+++ ")):
        return "hunk"
    return {"+": "added", "-": "removed"}.get(line[:1], "same")


def _picture(picture: Picture) -> str:
    if picture.media_type not in _PICTURE_TYPES or not _BASE64.fullmatch(picture.data):
        return '<p class="change">A picture that cannot be shown.</p>'
    return f'<img alt="A picture" src="data:{picture.media_type};base64,{picture.data}">'


def _prose(text: str) -> str:
    return nh3.clean(
        _markdown().render(text),
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )


@cache
def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _image_as_link)
    return parser


def _image_as_link(renderer: Any, tokens: Any, index: int, options: Any, environment: Any) -> str:
    """A picture in Markdown lies elsewhere; the page loads nothing, so it becomes a link."""
    token = tokens[index]
    return f'<a href="{escape(str(token.attrs["src"]))}">{escape(token.content or "picture")}</a>'
