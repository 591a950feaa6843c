"""Validating: what was reported is recomputed under the policies of the tool that wrote it, and compared."""
