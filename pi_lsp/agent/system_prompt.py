"""What the model is told before the conversation.

It holds no date and nothing else that changes between two requests, so that the provider's cache
of the prompt's beginning stays good.
"""

from __future__ import annotations

from pathlib import Path

from pi_lsp.agent.context_files import ContextFile

ROLE = """\
You are pi, a coding agent that works inside the user's editor. You read and change files and run \
commands in the user's workspace folder with the tools below, and answer in Markdown.

- Look before you act: read what you are about to change, and search instead of guessing.
- Change what was asked for and nothing else; keep the style of the code around it.
- Prefer `edit` to `write` for files that exist. Make several replacements in one file with one \
call of `edit`.
- Prefer `read`, `grep`, `find` and `ls` to commands that do the same.
- After a change, check it the way the project does (tests, linter, compiler) where that is quick.
- The user may correct you while you work; the newest message counts.
- When a call is refused, do not try to reach the same end another way: say what you need.
- Answer briefly. Name files by their path, with the line where it helps (`src/main.py:12`)."""


def system_prompt(folder: Path, tools: list[str], context_files: list[ContextFile]) -> str:
    """The system prompt of a folder's conversation.

    Args:
        tools: the names of the tools that may be called.
        context_files: what the project and the person want, the most general first.
    """
    names = ", ".join(f"`{name}`" for name in tools)
    parts = [ROLE, f"Your tools: {names}." if names else "You have no tools here."]
    parts.append(f"The workspace folder is {folder}; relative paths start there.")
    if context_files:
        parts.append("Instructions from the user and the project follow; later ones go before.")
        parts += [_section(file) for file in context_files]
    return "\n\n".join(parts)


def _section(file: ContextFile) -> str:
    return f'<instructions file="{file.path}">\n{file.text.strip()}\n</instructions>'
