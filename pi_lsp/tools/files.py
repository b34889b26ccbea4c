"""What the agent knows of files: what it read, and the order of the calls on one file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakValueDictionary


@dataclass(frozen=True)
class FileStamp:
    """How a file was when the agent last saw it: mtime in ns, size in bytes."""

    mtime_ns: int
    size: int

    @classmethod
    def of(cls, path: Path) -> FileStamp | None:
        """The stamp of a file now; None when there is none."""
        try:
            stat = path.stat()
        except OSError:
            return None
        return cls(stat.st_mtime_ns, stat.st_size)


@dataclass
class FileMemory:
    """Keys are real paths, so that two names of one file are one file."""

    seen: dict[Path, FileStamp] = field(default_factory=dict[Path, FileStamp])
    _locks: WeakValueDictionary[Path, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[Path, asyncio.Lock]
    )

    def remember(self, path: Path) -> None:
        """The agent has just read or written this file."""
        stamp = FileStamp.of(path)
        if stamp is None:
            self.seen.pop(path, None)
        else:
            self.seen[path] = stamp

    def changed_since_seen(self, path: Path) -> bool:
        """Whether a file that the agent has seen is another one now."""
        stamp = self.seen.get(path)
        return stamp is not None and FileStamp.of(path) != stamp

    @asynccontextmanager
    async def in_order(self, path: Path) -> AsyncGenerator[None]:
        """Calls on one file run one after the other, in the order in which they came."""
        lock = self._locks.get(path)
        if lock is None:
            lock = self._locks[path] = asyncio.Lock()
        async with lock:
            yield
