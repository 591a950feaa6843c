"""Files: a run whose scores are ranks, and qrels whose grades are gains, as trec_eval reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..errors import GradeError, PolicyError, spot
from ..measures import Measure
from ..policy import Policy
from ..ranking import Ranked, ordered
from ..readers import Run
from ..reference.graded import gain

LARGEST = 2**20
"""trec_eval allocates as many numbers as the largest grade."""

Spell = Callable[[str], str]
Judged = Mapping[str, Mapping[str, float]]
Rankings = Mapping[str, Sequence[str]]


def judgements(ranked: Ranked) -> Judged:
    """The grade of each judged document by query, as the policy settled them."""
    start, grades, docs = ranked.whole.start.tolist(), ranked.whole.grade.tolist(), ranked.trace.docs
    spans = zip(ranked.trace.queries, start, start[1:], strict=False)
    return {query: dict(zip(docs[a:b], grades[a:b], strict=True)) for query, a, b in spans}


def spelling(run: Run, judged: Judged) -> Spell:
    """How ids are written: as they are, or, where one holds a blank or begins with ``#``, in percent-encoding."""
    odd = re.compile(r"\s|^#")
    everything = (
        *run.rankings,
        *judged,
        *(doc for found in run.rankings.values() for doc in found.docs),
        *(d for j in judged.values() for d in j),
    )
    return _encoded if any(odd.search(text) for text in everything) else str


def _encoded(text: str) -> str:
    """Blanks, ``#`` and ``%`` as the hexadecimal of their bytes."""
    return re.sub(r"[\s#%]", lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), text)


def rankings(run: Run, judged: Judged, policy: Policy) -> Rankings:
    """The rankings of the judged queries as the policy orders, cuts and condenses them.

    Raises PolicyError for one that holds a document twice, which trec_eval refuses.
    """
    found: dict[str, Sequence[str]] = {}
    for query, grades in judged.items():
        if query not in run.rankings:
            continue
        docs = ordered(run.rankings[query], query, policy).docs[: policy.depth]
        found[query] = [doc for doc in docs if doc in grades] if policy.unjudged == "drop" else docs
        if len(set(found[query])) < len(found[query]):
            what = "trec_eval refuses a document that is retrieved twice"
            raise PolicyError(what, where=spot(query=query), hint="Policy(duplicates='first')")
    return found


def write_run(path: Path, found: Rankings, spell: Spell) -> None:
    """Rankings as a run file, with scores that count down to 1."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for query, docs in found.items():
            name, n = spell(query), len(docs)
            file.writelines(f"{name} Q0 {spell(doc)} {rank} {n + 1 - rank} samescore\n" for rank, doc in enumerate(docs, 1))


def graded(measure: Measure, judged: Judged, queries: Collection[str]) -> tuple[tuple[str, str, int], ...]:
    """The rows of the qrels for a resolved measure: query, document, and the gain or grade as a whole number.

    Raises GradeError for a gain or grade that is a fraction, or too large for trec_eval.
    """
    return tuple(_rows(measure, judged, queries))


def _rows(measure: Measure, judged: Judged, queries: Collection[str]) -> Iterator[tuple[str, str, int]]:
    """The rows; a query without a judged document gets one that no ranking has."""
    for query in (query for query in judged if query in queries):
        yield from ((query, doc, _whole(measure, grade, query, doc)) for doc, grade in judged[query].items())
        if not judged[query]:
            yield query, "none-judged", 0


def _whole(measure: Measure, grade: float, query: str, doc: str) -> int:
    """The gain of a graded measure, the grade for another, 0 below 0."""
    worth = gain(grade, measure) if measure.entry.needs == "gain" else max(grade, 0)
    if worth != int(worth) or worth > LARGEST:
        what = f"the grade {grade} is worth {worth:g} to {measure}, and trec_eval reads whole grades up to 2^20"
        raise GradeError(what, where=spot(query=query, doc=doc), hint="Policy(gain='linear'), or other measures")
    return int(worth)


def write_qrels(path: Path, rows: Iterable[tuple[str, str, int]], spell: Spell) -> None:
    """Rows as a qrels file."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{spell(query)} 0 {spell(doc)} {grade}\n" for query, doc, grade in rows)
