"""Plots: ``from samescore.plots import plot``, or on an Axes, ``from samescore.plots import figure, plot_box``."""

from .tools.plots import figure, plot, plot_box, plot_curve, plot_deltas, plot_precision_recall, plot_slices, save

__all__ = ["figure", "plot", "plot_box", "plot_curve", "plot_deltas", "plot_precision_recall", "plot_slices", "save"]
