"""Tying: what a measure is expected to be when tied documents stand in a random order."""
