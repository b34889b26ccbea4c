"""Runs the tool calls of one answer: checks, asks, runs side by side, and records nothing.

Whatever happens to a call, it gets a result: a fault of the tool is an error result for the
model, never an exception for the run.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pi_lsp.agent.events import (
    Event,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    WireModel,
)
from pi_lsp.agent.interrupt import Aborted, Interrupt
from pi_lsp.errors import PiError
from pi_lsp.messages import JsonObject, ToolCallBlock, ToolResultMessage, now_ms
from pi_lsp.tools.approval import Approval
from pi_lsp.tools.editor import Editor
from pi_lsp.tools.files import FileMemory
from pi_lsp.tools.tool import AnyTool, ShellSettings, ToolContext, ToolFault, ToolResult
from pi_lsp.tools.toolset import Toolset

log = logging.getLogger(__name__)

PARTIAL_LIMIT = 50_000
"""Characters of a running command's output that are kept to redraw a client."""


class RunningTool(WireModel, frozen=True):
    """A call that runs; `partial` is the end of what it printed so far."""

    tool_call_id: str
    tool_name: str
    args: JsonObject
    partial: str


@dataclass
class _Running:
    """`began` is None while the person is still asked."""

    call: ToolCallBlock
    output: str = ""
    began: float | None = None

    def duration_ms(self) -> int:
        return 0 if self.began is None else round((time.monotonic() - self.began) * 1000)


@dataclass
class _Prepared:
    """A call whose arguments were checked; `fault` is set instead of `tool` when they failed."""

    call: ToolCallBlock
    tool: AnyTool | None = None
    parameters: BaseModel | None = None
    fault: ToolFault | None = None


@dataclass
class ToolCalls:
    """Runs calls with what a folder gives them: tools, approval, editor, shell."""

    folder: Path
    toolset: Toolset
    approval: Approval
    editor: Editor
    shell: ShellSettings
    emit: Callable[[Event], None]
    files: FileMemory = field(default_factory=FileMemory)
    _running: dict[str, _Running] = field(default_factory=dict[str, _Running])

    def running(self) -> list[RunningTool]:
        """The calls that run now, in the order in which they began."""
        return [
            RunningTool(
                tool_call_id=one.call["id"],
                tool_name=one.call["name"],
                args=one.call["arguments"],
                partial=one.output,
            )
            for one in self._running.values()
        ]

    async def run(
        self, calls: list[ToolCallBlock], interrupt: Interrupt
    ) -> list[ToolResultMessage]:
        """Run the calls of one answer, side by side but for those on one file.

        An abort stops those that run; each call has a result all the same.

        Returns:
            One result for each call, in the order of the calls.
        """
        prepared = [self._prepare(call) for call in calls]
        chains = self._chains(prepared)
        results: dict[int, ToolResultMessage] = {}

        async def run_chain(chain: list[int]) -> None:
            for index in chain:
                results[index] = await self._run_one(prepared[index], interrupt)

        await asyncio.gather(*(run_chain(chain) for chain in chains))
        return [results[index] for index in range(len(calls))]

    def refuse(self, calls: list[ToolCallBlock], reason: str) -> list[ToolResultMessage]:
        """Give each call an error result, and run none of them."""
        return [self._refused(call, reason) for call in calls]

    def _prepare(self, call: ToolCallBlock) -> _Prepared:
        try:
            tool, parameters = self.toolset.prepare(call["name"], call["arguments"])
        except ToolFault as fault:
            return _Prepared(call, fault=fault)
        return _Prepared(call, tool, parameters)

    def _chains(self, prepared: list[_Prepared]) -> list[list[int]]:
        """Which calls wait for which: those with one order key are one chain."""
        chains: list[list[int]] = []
        by_key: dict[Path, list[int]] = {}
        for index, one in enumerate(prepared):
            key = self._order_key(one)
            if key is not None and key in by_key:
                by_key[key].append(index)
                continue
            chain = [index]
            chains.append(chain)
            if key is not None:
                by_key[key] = chain
        return chains

    def _order_key(self, prepared: _Prepared) -> Path | None:
        if prepared.tool is None:
            return None
        try:
            return prepared.tool.order_key(prepared.parameters, self._context(prepared.call["id"]))
        except (ToolFault, OSError, ValueError):
            # A path that cannot be resolved fails when the call runs, with its own words.
            return None

    async def _run_one(self, prepared: _Prepared, interrupt: Interrupt) -> ToolResultMessage:
        call = prepared.call
        self._running[call["id"]] = _Running(call)
        self.emit(
            ToolExecutionStart(
                tool_call_id=call["id"], tool_name=call["name"], args=call["arguments"]
            )
        )
        try:
            result = await interrupt.guard(self._checked(prepared))
        except Aborted:
            result = self._aborted(call)
        return self._finish(call, result)

    async def _checked(self, prepared: _Prepared) -> ToolResult:
        """The result of a call that may fault in any way but by being stopped."""
        try:
            if prepared.fault is not None:
                raise prepared.fault
            return await self._approved(prepared)
        except ToolFault as fault:
            return ToolResult.of_text(fault.message, details=fault.details, is_error=True)
        except (PiError, OSError) as fault:
            return ToolResult.of_text(str(fault), is_error=True)
        except Exception as fault:
            # A defect of a tool must not end the run: the model is told, and the log has it all.
            log.exception("the tool %s failed", prepared.call["name"])
            return ToolResult.of_text(
                f"The tool failed unexpectedly ({type(fault).__name__}); try another way.",
                is_error=True,
            )

    async def _approved(self, prepared: _Prepared) -> ToolResult:
        tool, call = prepared.tool, prepared.call
        if tool is None:
            raise AssertionError("a call without a fault has a tool")
        context = self._context(call["id"])
        await self._approve(tool, prepared.parameters, call, context)
        if (running := self._running.get(call["id"])) is not None:
            running.began = time.monotonic()
        return await tool.run(prepared.parameters, context)

    async def _approve(
        self, tool: AnyTool, parameters: Any, call: ToolCallBlock, context: ToolContext
    ) -> None:
        verdict = await self.approval.verdict(tool, parameters, call, context)
        if verdict.decision == "deny":
            raise ToolFault(verdict.reason or "This call is not allowed.")
        if verdict.question is None:
            return
        reply = await self.editor.ask(verdict.question)
        if reply.decision == "deny":
            because = f": {reply.reason}" if reply.reason else "."
            raise ToolFault(f"The person did not allow this call{because}")
        self.approval.remember(verdict.question, reply.decision)

    def _context(self, call_id: str) -> ToolContext:
        return ToolContext(
            folder=self.folder,
            editor=self.editor,
            files=self.files,
            shell=self.shell,
            on_output=lambda text: self._printed(call_id, text),
            may_search=self.approval.may_search,
        )

    def _printed(self, call_id: str, text: str) -> None:
        running = self._running.get(call_id)
        if running is None:
            return  # what a child prints after its call has ended belongs to nobody
        running.output = (running.output + text)[-PARTIAL_LIMIT:]
        self.emit(ToolExecutionUpdate(tool_call_id=call_id, delta=text))

    def _aborted(self, call: ToolCallBlock) -> ToolResult:
        running = self._running.get(call["id"])
        printed = f"{running.output}\n\n" if running is not None and running.output else ""
        return ToolResult.of_text(f"{printed}The call was aborted.", is_error=True)

    def _refused(self, call: ToolCallBlock, reason: str) -> ToolResultMessage:
        self.emit(
            ToolExecutionStart(
                tool_call_id=call["id"], tool_name=call["name"], args=call["arguments"]
            )
        )
        return self._finish(call, ToolResult.of_text(reason, is_error=True))

    def _finish(self, call: ToolCallBlock, result: ToolResult) -> ToolResultMessage:
        running = self._running.pop(call["id"], None)
        told: JsonObject = {"content": result.content}
        if result.details is not None:
            told["details"] = result.details
        self.emit(
            ToolExecutionEnd(
                tool_call_id=call["id"],
                result=told,
                is_error=result.is_error,
                duration_ms=running.duration_ms() if running is not None else 0,
            )
        )
        message: ToolResultMessage = {
            "role": "toolResult",
            "toolCallId": call["id"],
            "toolName": call["name"],
            "content": result.content,
            "isError": result.is_error,
            "timestamp": now_ms(),
        }
        if result.details is not None:
            message["details"] = result.details
        return message
