"""Random runs, qrels and policies with everything that trips an evaluation: ties, duplicates, odd ids, gaps on either side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

from hypothesis import settings, strategies as st

from samescore import Measure, Policy
from samescore.measures import CATALOGUE
from samescore.measures.measure import example


def tries(n: int, **options: Any) -> settings:
    """Settings for ``n`` examples; for a share of them as large as the profile's of 100, where the slow tests are left out."""
    return settings(max_examples=max(1, n * settings.default.max_examples // 100), **options)


ODD_IDS = [
    "a", "A", "b", "B", "ab", "a b", " a", "a\tb", "a\nb", "\u00a0", "é", "e\u0301", "ß", "SS", "文書", "😀", "\uffff",
    "\U0010ffff", "1", "01", "10", "9", "1.0", "-1", "nan", "None", "#1", "it's", '"', "d1", "d10", "D1",
    "x" * 300, "x" * 299 + "y", "y" + "x" * 299,
]  # fmt: skip
"""Ids that differ in case, spelling, length or in what stands in them."""

SCORES = [0.0, -0.0, 1.0, 1.0 + 2**-52, 1.0 + 2**-25, 0.5, 0.1, -3.0, 2.0**24, 2.0**24 + 1, 1e300, -1e300, 1e39, 1e40, 5e-324]
"""Scores that tie often, some of them as 32-bit floats only."""

GRADES = [0, 0, 1, 1, 1, 2, 3, -1, -7, 4, 5]
LARGE = [12, 20, 21, 52, 900]
FRACTIONS = [0.5, 1.5, 1.0, 2.25, -0.5]

ids = st.one_of(st.sampled_from(ODD_IDS), st.text(min_size=1, max_size=6))
scores = st.one_of(st.sampled_from(SCORES[:6]), st.sampled_from(SCORES), st.floats(allow_nan=False))
grades = st.sampled_from(GRADES)


@st.composite
def rankings(draw: st.DrawFn, docs: list[str]) -> Any:
    """A ranking in one of its forms; ids and scores repeat."""
    n = draw(st.sampled_from([0, 1, 3, 8, 24]))
    if n == 0:
        return draw(st.one_of(st.builds(list), st.builds(dict)))
    found = draw(st.lists(st.sampled_from(docs), min_size=n, max_size=n))
    form = draw(st.sampled_from(["ids", "pairs", "mapping", "constant"]))
    if form == "ids":
        return found
    if form == "constant":
        return [(doc, 0.5) for doc in found]
    pairs = [(doc, draw(scores)) for doc in found]
    return dict(pairs) if form == "mapping" else pairs


@st.composite
def runs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run and qrels: some queries in both, others missing, unjudged or without a relevant document."""
    docs = draw(st.lists(ids, min_size=4, max_size=30, unique=True))
    queries = draw(st.lists(ids, min_size=2, max_size=9, unique=True))
    of = draw(st.sampled_from([grades, grades, grades, st.sampled_from(GRADES + LARGE), st.sampled_from(GRADES + FRACTIONS)]))
    judged = st.dictionaries(st.sampled_from(docs), of, max_size=12)
    sets = st.sets(st.sampled_from(docs), max_size=4)
    fate = {query: draw(st.sampled_from(["both", "both", "both", "both", "missing", "unjudged"])) for query in queries[1:]}
    fate[queries[0]] = "both"
    run = {query: draw(rankings(docs)) for query in queries if fate[query] != "missing"}
    qrels = {query: draw(st.one_of(judged, judged, judged, sets)) for query in queries if fate[query] != "unjudged"}
    return run, qrels


@st.composite
def policies(draw: st.DrawFn, /, **fixed: Any) -> Policy:
    """Any policy, but for the fields that are fixed; refusals are rare."""
    chosen: dict[str, Any] = {}
    for field, hint in get_type_hints(Policy).items():
        values = get_args(hint)
        if hint is bool:
            chosen[field] = draw(st.booleans())
        elif int in (hint, *values):
            chosen[field] = draw(st.sampled_from([1, 1, 2, 3] if hint is int else [None, None, 1, 4, 10]))
        else:
            chosen[field] = draw(st.sampled_from([v for v in values if v != "error"] * 4 + [v for v in values if v == "error"]))
    return Policy(**{**chosen, **fixed})


OPTIONS: Mapping[str, tuple[Any, ...]] = {"rel": (2, 3), "dcg": ("log2", "exp-log2"), "judged_only": (True,)}
"""The parameters that measures are tried with."""


def measures_of_the_catalogue(cutoffs: tuple[int, ...] = (1, 3, 10, 1000)) -> list[Measure]:
    """Every measure that takes any grades, without a cutoff and at some, with thresholds, gains and condensed where it has them."""
    found: dict[Measure, None] = {}
    for name, entry in CATALOGUE.items():
        if entry.reads != "grades" or "max_rel" in entry.params:
            continue
        at = [*([] if entry.cutoff == "required" else [None]), *([] if entry.cutoff == "none" else cutoffs)]
        needed = example(name).params
        found.update(dict.fromkeys(Measure(name, cutoff, needed) for cutoff in at))
        for param, values in OPTIONS.items():
            if param in entry.params:
                found.update(dict.fromkeys(Measure(name, at[-1] and 3, (*needed, (param, value))) for value in values))
    return list(found)
