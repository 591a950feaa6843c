"""The tools: one module for each question that a user asks of runs and judgements, on top of the core."""
