"""LSP's own messages, handled by pygls.

Nothing outside imports this package but `pi_lsp.server.server`, and that late: pygls and LSP's
types take longer to import than all the rest of the server.
"""

from pi_lsp.server.lsp.language_server import Features as Features
