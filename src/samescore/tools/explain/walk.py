"""The walk: from one policy to another clause by clause, with what each clause changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...clauses import printed
from ...display import Column, Displayed, Part, Sentence, Style, Table, Title, frame, plural, signed
from ...errors import PolicyError
from ...measures import Measure
from ...policy import STEPS, Policy, as_code
from ...result import Result

if TYPE_CHECKING:
    import pandas

TINY = 1e-12
"""Values nearer than this are equal: sums in another order."""

MOVED = 3
"""How many queries that a clause moves are printed."""


@dataclass(frozen=True, slots=True)
class Move:
    """A query whose value a clause changes; None where the query is left out of the mean."""

    query: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float:
        """By how much; a value that is left out counts as 0 here."""
        return (self.after or 0.0) - (self.before or 0.0)

    def words(self) -> tuple[str | float, ...]:
        """The query, and its value before and after."""
        return self.query, *("left out" if value is None else value for value in (self.before, self.after))


@dataclass(frozen=True, slots=True)
class Step:
    """One clause: its value ``before`` and ``after``, the ``mean`` over ``n`` queries after it, and the queries it moves.

    ``refused`` says why the clause stays as it was where the new value refuses the run or qrels.
    """

    clause: str
    before: Any
    after: Any
    mean: float
    change: float
    n: int
    moves: tuple[Move, ...]
    refused: str = ""

    def row(self) -> tuple[Any, ...]:
        """The row of the printed table."""
        change = "refused" if self.refused else self.change
        return self.clause, printed(self.before), printed(self.after), change, self.mean, self.n, len(self.moves)

    def largest_moves(self) -> Sentence:
        """The queries that move most, and how many more there are."""
        largest, rest = self.moves[:MOVED], len(self.moves) - MOVED
        template = "{} moves {}: " + ", ".join(["{!r} {} -> {}"] * len(largest)) + (f" and {rest} more" if rest > 0 else "")
        return Sentence(template, self.clause, plural(len(self.moves)), *(part for move in largest for part in move.words()))


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Displayed):
    """How the mean of a measure gets from policy ``a`` to policy ``b``: ``start`` and the changes of all steps make ``end``.

    The steps are taken in the order in which the clauses act, so what a clause changes is measured with the clauses before it
    as in ``b`` and those after it as in ``a``.
    """

    measure: Measure
    a: Policy
    b: Policy
    start: float
    start_n: int
    steps: tuple[Step, ...]
    backend: str

    @property
    def end(self) -> float:
        """The mean at the end of the walk."""
        return self.steps[-1].mean if self.steps else self.start

    @property
    def table(self) -> pandas.DataFrame:
        """A row for the start and one for each clause; ``start`` plus all of ``change`` is the last ``mean``."""
        return frame(self.records().rows, COLUMNS)

    def records(self) -> Table:
        """A row for the start and one for each clause."""
        rows = [(s.clause, s.before, s.after, s.change, s.mean, s.n, len(s.moves)) for s in self.steps]
        return Table(list(COLUMNS), [("start", None, None, 0.0, self.start, self.start_n, 0), *rows])

    @property
    def moves(self) -> pandas.DataFrame:
        """A row for each clause and query that it moves; NaN where the query is left out."""
        rows = [(s.clause, m.query, m.before, m.after, m.change) for s in self.steps for m in s.moves]
        return frame(rows, MOVE_COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        return {
            "measure": str(self.measure),
            "backend": self.backend,
            "a": self.a.signature,
            "b": self.b.signature,
            "start": self.start,
            "end": self.end,
            "steps": [
                {
                    "clause": s.clause, "from": s.before, "to": s.after, "change": s.change, "mean": s.mean, "queries": s.n,
                    "refused": s.refused, "moves": {m.query: [m.before, m.after] for m in s.moves},
                }
                for s in self.steps
            ],
        }  # fmt: skip

    def parts(self) -> list[Part]:
        """The clauses, the queries that each moves most, and what was refused."""
        start = ("start", None, None, None, self.start, self.start_n, None)
        change, last = math.fsum(step.change for step in self.steps), (self.steps[-1].n if self.steps else self.start_n)
        end = ("end", None, None, change, self.end, last, None)
        columns = [Column(name, styled=_change) if name == "change" else name for name in COLUMNS]
        table = Table(columns, [start, *(step.row() for step in self.steps), end])
        moves = [step.largest_moves() for step in self.steps if step.moves]
        refused = [f"{s.clause} stays {s.before!r}: {s.refused}" for s in self.steps if s.refused]
        return [Title(f"{self.measure} from {as_code(self.a)} to {as_code(self.b)}"), table, *moves, *refused]


COLUMNS = {
    **dict.fromkeys(("clause", "from", "to"), "object"),
    "change": "float",
    "mean": "float",
    "queries": "int",
    "moved": "int",
}


def _change(change: float | str, style: Style) -> str:
    """A change of the mean, or that it was refused."""
    return change if isinstance(change, str) else signed(change, style)


MOVE_COLUMNS = {"clause": "object", "query_id": "object", "before": "float", "after": "float", "change": "float"}


def walk(score: Callable[[Policy], Result], measure: Measure, a: Policy, b: Policy) -> Explanation:
    """Score a measure at each step; a clause whose new value refuses the input stays as it was.

    Raises PolicyError where ``a`` itself refuses.
    """
    before = first = score(a)
    name, policy, steps = str(measure), a, []
    for clause in STEPS:
        old, new = getattr(policy, clause), getattr(b, clause)
        if old == new:
            continue
        after, refused = before, ""
        try:
            after = score(policy.but(**{clause: new}))
            policy = after.policy
        except PolicyError as error:
            refused = f"{new!r} refuses this: {str(error).splitlines()[0]}"
        moves = _moves(before.values_of(name), after.values_of(name))
        steps.append(Step(clause, old, new, after[name], after[name] - before[name], after.report.n[name], moves, refused))
        before = after
    return Explanation(measure, a, b, first[name], first.report.n[name], tuple(steps), first.backend)


def _moves(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[Move, ...]:
    """The queries whose value differs, those that move most first."""
    each = [Move(query, before.get(query), after.get(query)) for query in dict.fromkeys([*before, *after])]
    moved = [move for move in each if abs(move.change) > TINY or (move.before is None) != (move.after is None)]
    return tuple(sorted(moved, key=lambda move: -abs(move.change)))
