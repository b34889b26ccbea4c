"""A transcript as Markdown."""

from __future__ import annotations

import re

from pi_lsp.session.export.transcript import Code, Folded, Part, Picture, Section, Transcript
from pi_lsp.session.text import one_line

_FENCES = re.compile("`{3,}")


def render(transcript: Transcript) -> str:
    """The whole text, with its last line end."""
    facts = "\n".join(f"- {name}: {value}" for name, value in transcript.facts)
    head = f"# {one_line(transcript.title)}\n\n{facts}"
    return "\n\n".join([head, *map(_section, transcript.sections)]) + "\n"


def _section(section: Section) -> str:
    if section.kind == "change":
        return f"*{section.title}: {section.detail}*"
    title = one_line(f"{section.title} {_inline(section.detail)}")
    marks = [f"label: {one_line(section.label)}"] if section.label else []
    marks += ["failed"] if section.failed else []
    heading = f"## {title}" + (f" ({', '.join(marks)})" if marks else "")
    return "\n\n".join([heading, *map(_part, section.parts)])


def _part(part: Part) -> str:
    if isinstance(part, Code):
        return _fenced(part)
    if isinstance(part, Picture):
        return f"![image](data:{part.media_type};base64,{part.data})"
    if isinstance(part, Folded):
        return "\n\n".join([f"**{part.title}**", *map(_part, part.parts)])
    return part.text


def _fenced(code: Code) -> str:
    longest = max((len(run) for run in _FENCES.findall(code.text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{code.language}\n{code.text}\n{fence}"


def _inline(text: str) -> str:
    """The text as code in a line, whatever backticks it holds."""
    if not text:
        return ""
    line = one_line(text)
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    ticks = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{ticks}{space}{line}{space}{ticks}"
