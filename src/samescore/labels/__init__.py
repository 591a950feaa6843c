"""Labels: what was missed, what to judge next, and what further judgements could change."""
