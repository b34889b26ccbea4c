"""The session store: entries, the file, the tree, the context, and the list of a folder."""
