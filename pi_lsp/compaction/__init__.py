"""Long conversations: counting tokens, cutting a path, summaries."""
