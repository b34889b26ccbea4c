"""The wire: the types of all that travels between an editor and the server."""

PROTOCOL_VERSION = 1

METHOD_PREFIX = "pi/"
COMMAND_PREFIX = "pi-lsp."
"""Each of our methods `pi/x` is the command `pi-lsp.x` too."""
