"""What the agent can do: one module per tool, what they share, approval, and the editor."""
