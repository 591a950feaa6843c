"""The tools: one module for each question that a user asks of runs and judgements; each stands on the core, and the core on none."""
