"""Diagnosing: the stage of a pipeline at which each query loses its evidence."""
