"""The command line: what can be typed, and which module does it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from pi_lsp import __version__
from pi_lsp.cli.addresses import loopback_address
from pi_lsp.cli.exit_codes import EXIT_CODES_HELP
from pi_lsp.cli.logs import DEFAULT_LEVEL, LEVELS, configure_logging
from pi_lsp.cli.serve import serve_editor
from pi_lsp.cli.terminal import Terminal
from pi_lsp.errors import PiError
from pi_lsp.messages import THINKING_LEVELS

_Command = TypeVar("_Command", bound=Callable[..., Any])

_APPROVAL_MODES = ("ask", "edits", "auto", "readonly")
_EXPORT_FORMATS = ("html", "markdown", "jsonl")
_TREE_FILTERS = ("default", "noTools", "user", "labeled", "branches", "all")


def _in_folder(command: _Command) -> _Command:
    """The option that names the workspace folder."""
    return click.option(
        "--cwd",
        "folder",
        type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
        default=".",
        metavar="DIR",
        help="The workspace folder; the current directory if left out.",
    )(command)


def _of_session(command: _Command) -> _Command:
    """The option that names a session."""
    return click.option(
        "--session",
        "session_id",
        metavar="ID",
        help="The session's id, or its first or last letters; the newest if left out.",
    )(command)


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXIT_CODES_HELP,
)
@click.version_option(__version__, "--version", prog_name="pi-lsp")
@click.option("--stdio", is_flag=True, help="Serve on standard input and output (the default).")
@click.option(
    "--tcp",
    callback=loopback_address,
    metavar="127.0.0.1:PORT",
    help="Serve one client on a local port, for debugging. Other addresses are refused.",
)
@click.option(
    "--log-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the log there instead of to standard error.",
)
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default=DEFAULT_LEVEL,
    show_default=True,
    help="How much to log. Prompts, answers and keys are never logged.",
)
@click.pass_context
def pi_lsp(
    context: click.Context,
    stdio: bool,
    tcp: tuple[str, int] | None,
    log_file: Path | None,
    log_level: str,
) -> None:
    """The coding agent pi in your editor, as a language server.

    Without a command it serves: editors start it so. The commands below work in a terminal.
    """
    context.obj = _server_arguments(log_file, log_level)
    if context.invoked_subcommand is not None:
        return
    try:
        configure_logging(log_file, log_level)
    except OSError as error:
        raise click.BadParameter(
            f"{log_file} cannot be written: {error.strerror}", param_hint="--log-file"
        ) from error
    context.exit(serve_editor(tcp, log_file))


@pi_lsp.command()
@click.argument("text")
@_in_folder
@click.option("--model", metavar="PROVIDER/ID", help="The model; the id alone will do.")
@click.option("--thinking", type=click.Choice(THINKING_LEVELS), help="How much it should think.")
@click.option(
    "--approval",
    type=click.Choice(_APPROVAL_MODES),
    help="What needs no question: reading (ask), edits in the folder too (edits), everything "
    "(auto); or nothing may change (readonly). Without it your settings decide.",
)
@click.option("--continue", "startup", flag_value="continue", help="Go on with the newest session.")
@click.option("--new", "startup", flag_value="new", help="Start a new session.")
@click.option("--session", metavar="ID", help="Go on with this session.")
@click.option("--trust", is_flag=True, help="Trust the folder for this once.")
@click.option("-q", "--quiet", is_flag=True, help="Print the answer and nothing else.")
@click.pass_context
def prompt(context: click.Context, text: str, **options: Any) -> None:
    """Run one prompt in a folder and show it as it happens.

    TEXT is what to ask; `-` reads it from standard input. Questions are asked on the terminal;
    with nobody there the answer is no. Ctrl-C stops the run and keeps what there is, a second
    Ctrl-C ends at once.
    """
    from pi_lsp.cli.prompt import PromptOptions, run_prompt

    if text == "-":
        text = sys.stdin.read() if sys.stdin is not None else ""
    if not text.strip():
        raise click.UsageError("There is nothing to ask: the text is empty.")
    arguments = PromptOptions(text=text, server_arguments=context.obj, **options)
    context.exit(asyncio.run(run_prompt(arguments, Terminal())))


@pi_lsp.command()
@_in_folder
def sessions(folder: Path) -> None:
    """List the folder's sessions: id, last message, number of messages, name or first words."""
    from pi_lsp.cli.stored_sessions import show_sessions

    with _faults_reported():
        show_sessions(folder, Terminal())


@pi_lsp.command()
@_in_folder
@_of_session
@click.option(
    "--filter",
    "shown",
    type=click.Choice(_TREE_FILTERS),
    default="default",
    show_default=True,
    help="What to show of it.",
)
def tree(folder: Path, session_id: str | None, shown: Any) -> None:
    """Show a session's tree: the active path, where it stands, branches and labels."""
    from pi_lsp.cli.stored_sessions import show_tree

    with _faults_reported():
        show_tree(folder, session_id, shown, Terminal())


@pi_lsp.command()
@_in_folder
@_of_session
@click.option("--format", type=click.Choice(_EXPORT_FORMATS), default="html", show_default=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, resolve_path=True, path_type=Path),
    help="Where to; a file beside the session's name in the folder if left out.",
)
def export(folder: Path, session_id: str | None, format: Any, output: Path | None) -> None:
    """Write a session down: as one HTML page, as Markdown, or as JSONL. Prints the file's name."""
    from pi_lsp.cli.stored_sessions import export_session

    with _faults_reported():
        export_session(folder, session_id, format, output, Terminal())


@pi_lsp.command()
@_in_folder
@click.pass_context
def doctor(context: click.Context, folder: Path) -> None:
    """Check that all is well: key, model, trust, session files, lock."""
    from pi_lsp.cli.doctor import run_doctor

    context.exit(asyncio.run(run_doctor(folder, Terminal(), context.obj)))


@contextmanager
def _faults_reported() -> Generator[None]:
    """What went wrong becomes one line and exit code 1."""
    try:
        yield
    except PiError as error:
        raise click.ClickException(error.message) from error


def _server_arguments(log_file: Path | None, log_level: str) -> list[str]:
    """The options that a command hands on to the server that it starts."""
    arguments = ["--log-level", log_level]
    return [*arguments, "--log-file", str(log_file.absolute())] if log_file else arguments
