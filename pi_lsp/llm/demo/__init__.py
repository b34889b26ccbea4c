"""The demo model: built in, needs no key and no network.

It plans from what the person wrote by a few plain rules (`plan.py`), calls the real tools, and
says in plain words what they gave (`report.py`); asked for a summary, it writes one
(`summary.py`). `provider.py` makes it stream like a real one.
"""

from pi_lsp.llm.demo.provider import DemoProvider

__all__ = ["DemoProvider"]
