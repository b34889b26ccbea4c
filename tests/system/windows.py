"""Imports all of the package in a process that looks like Windows; run by test_imports.py.

The libraries are imported before, as they are on this system. Then what only POSIX has is taken
away from Python's own modules, and our modules are imported afresh.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import signal
import socket
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import pi_lsp


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# https://docs.python.org/3/py-modindex.html: those that are marked "Unix" or the like
POSIX_MODULES = words(
    "crypt fcntl grp nis ossaudiodev posix pty pwd readline resource spwd syslog termios tty"
)
# https://docs.python.org/3/library/os.html: "Availability: Unix" or the like
POSIX_IN_OS = words(
    "O_CLOEXEC O_DIRECTORY O_DSYNC O_NDELAY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC WNOHANG "
    "chown chroot fchdir fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg "
    "getpgid getpgrp getresuid getsid getuid initgroups killpg lchown mkfifo mknod nice openpty "
    "posix_spawn pread preadv pwrite pwritev sched_getaffinity sendfile setgid setpgid setsid "
    "setuid sync tcgetpgrp ttyname uname wait wait3 wait4"
)
POSIX_IN_SIGNAL = words(
    "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGWINCH"
)


class NotOnWindows(MetaPathFinder):
    """Refuses modules that Windows does not have."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in POSIX_MODULES:
            raise ModuleNotFoundError(f"No module named {fullname!r} on Windows", name=fullname)
        return None


def module_names() -> list[str]:
    found = pkgutil.walk_packages(pi_lsp.__path__, "pi_lsp.")
    return [one.name for one in found if not one.name.endswith(".__main__")]


def become_windows() -> None:
    for name in POSIX_MODULES & sys.modules.keys():
        del sys.modules[name]
    sys.meta_path.insert(0, NotOnWindows())
    # `posix` is built in: it is refused here, and Python's own modules have it already.
    for name in POSIX_IN_OS:
        if hasattr(os, name):
            delattr(os, name)
    for name in POSIX_IN_SIGNAL:
        delattr(signal, name)
    del socket.AF_UNIX
    sys.platform = "win32"


def main() -> None:
    names = module_names()
    for name in names:
        importlib.import_module(name)
    for name in [name for name in sys.modules if name.partition(".")[0] == "pi_lsp"]:
        del sys.modules[name]
    become_windows()
    for name in names:
        importlib.import_module(name)
    print(len(names))


if __name__ == "__main__":
    main()
