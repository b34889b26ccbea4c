"""Long conversations: how large the context is, where it is cut, and the summaries in its place.

What the agent calls, from the small to the large:

- `limits.limits_for(model, settings)` → `Limits`: window, reserve, kept part and threshold of a
  model; `limits.crossed_by(tokens)`.
- `tokens.TokenCounter`: one per session; counts each message once, in a thread of its own.
- `calibration.Calibration`: how far each model's tokens are from the estimates; shared.
- `context_size.ContextMeter(counter, calibration)`: `await measure(context)`, `at_hand(context)`
  without waiting, `await learn(context, answer)` after each answer; a context is described by a
  `MeasuredContext`. `context_size.left_no_room(answer, model)` knows an overflow by its answer.
- `compact.plan_compaction(…)` → `CompactionPlan` (or `NothingToCompactError`), then
  `compact.run_compaction(plan, meter, ask, instructions)` → `Compaction`: what stands in the entry.
- `branch_summary.left_behind(…)` and `branch_summary.summarise_branch(…)` → `BranchSummary`.

`ask` puts a question to the model with the retries, the abort and the events of any other question.
Nothing here writes to a session, and nothing here speaks to a service by itself: a summary that
fails raises `ProviderError` and leaves everything as it was.
"""
