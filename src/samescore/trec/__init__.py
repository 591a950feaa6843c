"""trec_eval: its measures by its own names, over the queries that it prints, in the order and form that it prints them."""

from .asking import Column, asked
from .printing import lines
from .scoring import Scores, score
from .table import TABLE

__all__ = ["TABLE", "Column", "Scores", "asked", "lines", "score"]
