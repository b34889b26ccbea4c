"""The agent: phases, queues, runs, retries, and the events that tell of them."""
