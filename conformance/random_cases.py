"""Random cases: queries with their rankings and judgements, in batches that share a policy and measures of the whole catalogue."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Any, NamedTuple, get_args, get_type_hints

from samescore import Agreement, Measure, Policy, crosscheck
from samescore.measures import CATALOGUE, Entry, Param

from .case import Judgement

AT_ONCE, ASKED = 500, 24
"""So many queries share one rank space, and so many measures are asked of them."""

DEFAULT = Policy()
GRADES: tuple[tuple[float, ...], ...] = (
    (0, 0, 1, 1, 2, 3),
    (0, 0, 1, 2, 3, 4),
    (0, 1),
    (0, 1, 2, 3, -1, -2),
    (0, 1, 5, 12, 20, 21),
    (0, 1, 2, 52, 300, 900),
    (0, 0.5, 1.5, 1, 2.25, 0.001),
)
"""The grades of a batch, some of which backends must declare gaps for."""
LENGTHS = (0, 1, 1, 2, 3, 4, 5, 6, 9, 10, 10, 11, 19, 20, 21, 40)
DEEP = (99, 100, 101, 999, 1000, 1001)
"""How many documents are retrieved: around the cutoffs, and in some batches around the deep ones too."""
CUTOFFS = (1, 2, 3, 5, 10, 10, 20, 21, 100, 1000)
SCORES = (0.0, -0.0, 0.5, 1.0, 1.0 + 2**-52, 1.0 + 2**-25, 2.0, -3.0, 2.0**24, 2.0**24 + 1, 1e300, 1e39, 1e40, 5e-324)
ODD = (
    "a",
    "A",
    "a b",
    "\u00a0",
    "é",
    "e\u0301",
    "文書",
    "😀",
    "1",
    "01",
    "1.0",
    "-1",
    "nan",
    "None",
    "#1",
    '"',
    "x" * 300,
    "x" * 299,
)


class Case(NamedTuple):
    """One query: its ranking, None where the run lacks it, and its judgements, None where the qrels do."""

    query: str
    ranking: tuple[tuple[str, float], ...] | None
    judged: tuple[Judgement, ...] | None


@dataclass(frozen=True, slots=True)
class Batch:
    """Cases that are asked together."""

    cases: tuple[Case, ...]
    measures: tuple[Measure, ...]
    policy: Policy

    @property
    def run(self) -> dict[str, list[tuple[str, float]]]:
        """The rankings."""
        return {case.query: list(case.ranking) for case in self.cases if case.ranking is not None}

    @property
    def qrels(self) -> Any:
        """The judgements: a mapping, or rows where they have subtopics."""
        rows = [row for case in self.cases for row in case.judged or ()]
        if any(row.iteration != "0" for row in rows):
            return rows
        return {case.query: {row.doc_id: row.relevance for row in case.judged} for case in self.cases if case.judged is not None}

    def check(self, backends: Any) -> Agreement:
        """All backends on these cases."""
        return crosscheck(self.run, self.qrels, measures=self.measures, backends=backends, policy=self.policy)

    def __str__(self) -> str:
        names = [str(measure) for measure in self.measures]
        changed = [(f.name, getattr(self.policy, f.name)) for f in fields(Policy)]
        clauses = ", ".join(f"{name}={value!r}" for name, value in changed if value != getattr(DEFAULT, name))
        return f"run = {self.run!r}\nqrels = {self.qrels!r}\ncrosscheck(run, qrels, measures={names!r}, policy=Policy({clauses}))"


def _whole(random: Random, grades: Sequence[float]) -> int:
    return random.choice((1, 2, 2, 3))


def _highest(random: Random, grades: Sequence[float]) -> int:
    return max(1, math.ceil(max(grades))) + random.choice((0, 0, 1))


PARAMS: Mapping[str, Callable[[Random, Sequence[float]], Any]] = {
    "rel": _whole,
    "dcg": lambda random, grades: random.choice(("log2", "exp-log2", "binary")),
    "ideal": lambda random, grades: random.choice(("retrieved", "uncut")),
    "discount": lambda random, grades: "base2",
    "gains": lambda random, grades: {grade: random.choice((0, 1, 2, 5, 7, 2.5)) for grade in grades if grade > 0},
    "judged_only": lambda random, grades: True,
    "returned": lambda random, grades: True,
    "relative": lambda random, grades: True,
    "normalize": lambda random, grades: False,
    "norm": lambda random, grades: random.choice(("min", "hits")),
    "beta": lambda random, grades: random.choice((0.5, 2, 4, random.uniform(0.01, 9))),
    "recall": lambda random, grades: random.choice((random.randrange(11) / 10, random.randrange(101) / 100, random.random())),
    "p": lambda random, grades: random.choice((0.5, 0.8, 0.95, random.uniform(0.01, 0.99))),
    "max_rel": _highest,
    "min_rel": lambda random, grades: random.choice((0, 0, max(0, math.ceil(max(grades)) - 1))),
    "T": lambda random, grades: random.choice((0.5, 1, 2.5, 7)),
    "alpha": lambda random, grades: random.choice((0, 0.25, 1, random.random())),
}
"""Parameter -> a random value of it, for judgements with these grades."""


def batches(cases: int, seed: int) -> Iterator[Batch]:
    """Random cases, in batches that share a policy and measures."""
    random = Random(seed)
    for first in range(0, cases, AT_ONCE):
        grades, subtopics, deep = random.choice(GRADES[:4] * 3 + GRADES), random.random() < 0.3, random.random() < 0.1
        policy = _policy(random, subtopics)
        measures = tuple(dict.fromkeys(_measure(random, entry, grades) for entry in _entries(random, grades, policy)))
        made = (_case(random, i, grades, subtopics, deep) for i in range(first, min(cases, first + AT_ONCE)))
        yield Batch(tuple(made), measures, policy)


def _policy(random: Random, subtopics: bool) -> Policy:
    """Any policy that refuses nothing; double credit, which most backends lack, is rare."""
    chosen: dict[str, Any] = {}
    for name, hint in get_type_hints(Policy).items():
        values = [value for value in get_args(hint) if value not in ("error", "each")]
        numbers = {"relevance_level": (1, 1, 2), "depth": (None, None, None, 1, 5, 10), "float32_scores": (False, True)}
        chosen[name] = random.choice(numbers.get(name, values))
    if random.random() < 0.03:
        chosen["duplicates"] = "each"
    return Policy(**chosen)


def _entries(random: Random, grades: Sequence[float], policy: Policy) -> list[Entry]:
    """The measures of a batch, without infAP where grades below 0 are not what it takes them for."""
    refused = min(grades) < 0 and policy.negatives == "nonrelevant"
    return random.sample([e for e in CATALOGUE.values() if not (refused and e.reads == "pool")], ASKED)


def _measure(random: Random, entry: Entry, grades: Sequence[float]) -> Measure:
    """A measure with a random cutoff and random parameters."""
    params = {
        name: _value(random, name, param, grades)
        for name, param in entry.params.items()
        if name == "max_rel" or param.required or random.random() < 0.25
    }
    if entry.name == "RBP" and random.random() < 0.5:
        del params["max_rel"]
    bare = entry.cutoff == "none" or (entry.cutoff == "optional" and random.random() < 0.3)
    return Measure(entry.name, None if bare else random.choice((*CUTOFFS, random.randrange(1, 30))), tuple(params.items()))


def _value(random: Random, name: str, param: Param, grades: Sequence[float]) -> Any:
    """A value that the parameter can have: beta is two things."""
    values = iter(lambda: PARAMS[name](random, grades), None)
    return next(value for value in values if param.read(value) is not None)


def _case(random: Random, number: int, grades: Sequence[float], subtopics: bool, deep: bool) -> Case:
    """A query: ties and duplicates, judged documents retrieved and missed, and now and then nothing on one of the sides."""
    query = random.choice((f"q{number}", f"q{number}", f"{number:06}", f"{random.choice(ODD)} {number}"))
    n = random.choice(DEEP) if deep and random.random() < 0.02 else random.choice(LENGTHS)
    docs = [*(f"d{i}" for i in range(n + 6)), *random.sample(ODD, 4)]
    random.shuffle(docs)
    found = docs[:n] if random.random() < 0.6 else random.choices(docs, k=n)
    tied = random.random() < 0.5
    ranking = tuple((doc, random.choice(SCORES) if tied else random.random()) for doc in found)
    some = random.sample(docs, min(len(docs), random.choice((0, 1, 1, 2, 3, 5, 8, 12))))
    topics = [str(topic) for topic in range(1, random.randrange(2, 6))] if subtopics else ["0"]
    rows = [
        Judgement(query, doc, random.choice(grades), topic)
        for doc in some
        for topic in random.sample(topics, random.randrange(1, len(topics) + 1))
    ]
    fate = random.random()
    return Case(query, None if fate < 0.03 else ranking, None if 0.03 <= fate < 0.05 else tuple(rows))
