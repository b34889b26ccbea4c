"""All benchmarks, one after the other, each in a process of its own.

python -m benchmarks                       all of them
python -m benchmarks sessions streaming    some of them
"""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path


def main(chosen: list[str]) -> int:
    """Runs the benchmarks; the highest of their exit codes."""
    found = pkgutil.iter_modules([str(Path(__file__).parent)])
    names = [module.name for module in found if module.name != "__main__"]
    runnable = [name for name in names if hasattr(import_module(f"benchmarks.{name}"), "main")]
    if unknown := set(chosen) - set(runnable):
        print(f"There is no benchmark {', '.join(unknown)}: {', '.join(runnable)}", file=sys.stderr)
        return 2
    return max(_run(name) for name in chosen or runnable)


def _run(name: str) -> int:
    print(f"\n{name}\n{'=' * len(name)}", flush=True)
    return subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
