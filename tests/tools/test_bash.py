"""The tool `bash`: results as the model reads them."""

from __future__ import annotations

import os

import pytest

from tests.tools.fake_editor import Call, fault_of, text_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the commands are for POSIX shells")


async def test_output_is_the_result(call: Call):
    result = await call("bash", command="echo hello")
    assert text_of(result) == "hello\n"
    assert not result.is_error
    assert result.details == {"exitCode": 0, "truncated": False}


async def test_no_output_is_said(call: Call):
    assert text_of(await call("bash", command="true")) == "[No output.]"


async def test_another_code_than_0_is_an_error(call: Call):
    result = await call("bash", command="echo oh; exit 2")
    assert result.is_error
    assert text_of(result) == "oh\n\n[The command ended with code 2.]"


async def test_a_timeout_is_an_error_with_what_was_printed(call: Call):
    result = await call("bash", command="echo begun; sleep 60", timeout=0.5)
    assert result.is_error
    assert text_of(result) == "begun\n\n[The command was stopped after 0.5 s (timeout).]"


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), 1e9, "soon"])
async def test_a_timeout_that_makes_no_sense_is_refused(call: Call, timeout: object):
    assert "timeout: " in await fault_of(call("bash", command="true", timeout=timeout))


@pytest.mark.parametrize("command", ["", "  \n"])
async def test_a_command_that_is_none_is_refused(call: Call, command: str):
    assert "command: the command" in await fault_of(call("bash", command=command))


async def test_the_full_output_is_named(call: Call):
    result = await call("bash", command="seq 1 3000")
    assert result.details is not None
    assert result.details["truncated"] is True
    assert result.details["fullOutputPath"] in text_of(result)
