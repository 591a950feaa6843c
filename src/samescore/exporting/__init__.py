"""Exporting: what trec_eval must be given to print the numbers of a policy."""
