"""Agreeing: every backend and the reference on one rank space, and where they differ."""
