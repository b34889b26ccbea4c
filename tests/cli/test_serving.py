"""`pi-lsp` as an editor starts it: streams, port, log."""

from __future__ import annotations

import json
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from tests.cli.conftest import PI_LSP, Command


def send(pipe: IO[bytes], **message: object) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    pipe.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    pipe.flush()


def receive(pipe: IO[bytes]) -> dict[str, Any]:
    length = int(pipe.readline().removeprefix(b"Content-Length: "))
    assert pipe.readline() == b"\r\n"
    return json.loads(pipe.read(length))


def say_hello_and_goodbye(source: IO[bytes], sink: IO[bytes]) -> dict[str, Any]:
    """What an editor without a folder says; gives the server's capabilities."""
    send(sink, id=1, method="initialize", params={"processId": None, "capabilities": {}})
    answer = receive(source)
    send(sink, method="initialized", params={})
    send(sink, id=2, method="shutdown")
    assert receive(source)["id"] == 2
    send(sink, method="exit")
    return answer["result"]["capabilities"]


@pytest.mark.parametrize("arguments", [[], ["--stdio"]])
def test_it_serves_on_standard_input_and_output(
    arguments: list[str], workspace: Path, environment: dict[str, str]
) -> None:
    with subprocess.Popen(
        [str(PI_LSP), *arguments],
        cwd=workspace,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None

        capabilities = say_hello_and_goodbye(server.stdout, server.stdin)

        assert capabilities["experimental"]["pi"]["protocolVersion"] == 1
        assert server.wait(timeout=60) == 0
        assert server.stderr.read() == b""


def test_it_serves_one_client_on_a_local_port(workspace: Path, environment: dict[str, str]) -> None:
    with subprocess.Popen(
        [str(PI_LSP), "--tcp", "127.0.0.1:0"],
        cwd=workspace,
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        said = re.search(r"127\.0\.0\.1:(\d+)", server.stderr.readline())
        assert said is not None
        address = ("127.0.0.1", int(said[1]))
        with (
            socket.create_connection(address, timeout=60) as connection,
            connection.makefile("rb") as source,
            connection.makefile("wb") as sink,
        ):
            say_hello_and_goodbye(source, sink)
        assert server.wait(timeout=60) == 0


def test_a_port_that_is_taken_is_an_error(run: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("--tcp", f"127.0.0.1:{taken.getsockname()[1]}")

    assert done.returncode == 1
    assert "cannot start" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_log_is_private_and_holds_no_secret(run: Command, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "pi-lsp.log"

    done = run(
        "--log-file",
        str(log),
        "--log-level",
        "debug",
        "prompt",
        "--trust",
        "read README.md",
        ANTHROPIC_API_KEY="",
    )

    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert "read README.md" not in log.read_text(encoding="utf-8")
    assert "greets people" not in log.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell of POSIX")
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_without_an_input_or_an_output_it_says_so(
    closed: str, workspace: Path, environment: dict[str, str]
) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" {closed}', str(PI_LSP)],
        cwd=workspace,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "closed" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell of POSIX")
def test_a_prompt_without_an_input_has_nobody_to_ask(
    workspace: Path, environment: dict[str, str]
) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" prompt --trust "create a.txt with \'x\'" <&-', str(PI_LSP)],
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert "Traceback" not in done.stderr
    assert not (workspace / "a.txt").exists()
