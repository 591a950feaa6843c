"""Plotting: what plots draw, and how they look."""
