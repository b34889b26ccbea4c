"""The wire: the types of all that travels between an editor and the server."""

PROTOCOL_VERSION = 1
