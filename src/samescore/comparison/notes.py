"""Notes of a comparison, in sentences: who is compared, how p was found, what so few queries cannot tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..errors import examples
from ..slicing import WHOLE, Slices
from .rendering import percent

if TYPE_CHECKING:
    from .outcome import Comparison, Row

TEST_NAMES = {
    "t": "Student's paired t-test",
    "permutation": "paired permutation test (sign flips)",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "bootstrap": "paired bootstrap test (Sakai 2006)",
}
CORRECTION_NAMES = {"holm": "Holm's method", "bonferroni": "Bonferroni's method", "bh": "Benjamini and Hochberg's method"}


def written(comparison: Comparison, labels: Slices) -> Iterator[str]:
    """The sentences, in order."""
    yield from _pairing(comparison)
    yield _method(comparison)
    yield from _power(comparison)
    yield from _labels(comparison, labels)
    yield from _done(comparison)
    yield from _signatures(comparison)


def queries(n: int) -> str:
    """So many queries."""
    return f"{n} {'query' if n == 1 else 'queries'}"


def _pairing(comparison: Comparison) -> Iterator[str]:
    """How many queries are compared, and which runs have more."""
    counts = {pair.name: len(pair.queries) for pair in comparison.pairs}
    if len(set(counts.values())) == 1:
        yield f"{queries(next(iter(counts.values())))}, paired by id; delta is the difference to {comparison.baseline}"
    else:
        told = ", ".join(f"{n} in {measure}" for measure, n in counts.items())
        yield f"queries paired by id: {told}; delta is the difference to {comparison.baseline}"
    for pair in comparison.pairs:
        if pair.measure.entry.aggregate == "sum":
            yield f"{pair.name} is told by its mean over the queries, where a result has the sum"
        for run, n in pair.left_out.items():
            yield f"{queries(n)} of {run} left out in {pair.name}: another run has no value there"


def _method(comparison: Comparison) -> str:
    """How p and the intervals were found."""
    others = len(comparison.runs) - 1
    how = f"p: {TEST_NAMES[comparison.test]}, two-sided"
    if comparison.correction and others > 1:
        how += f", corrected for {others} runs by {CORRECTION_NAMES[comparison.correction]}"
    kind = "BCa bootstrap" if comparison.test == "bootstrap" else "Student's t"
    micro = "; micro average: the ratio of sums over all queries" if comparison.average == "micro" else ""
    return f"{how}; interval of delta: {percent(1 - comparison.alpha)}, {kind}{micro}"


def _power(comparison: Comparison) -> Iterator[str]:
    """What cannot be told apart by so few queries, and where p is no more than a count of queries."""
    rows = [row for row in comparison.rows if row.slice == WHOLE and row.delta]
    for n in sorted({row.queries for row in rows if min(1.0, 2.0 ** (1 - row.queries)) >= comparison.alpha}):
        yield f"{queries(n)}: too few for any exact test, whose p cannot be below {2.0 ** (1 - n):.2g}"
    for row in rows:
        if row.detectable is not None and not comparison.significant(row) and abs(row.delta or 0) < row.detectable:
            yield _too_few(row, comparison)
    alike = [f"{row.run} in {row.measure}" for row in rows if row.effect is None and row.queries > 1]
    if alike:
        yield f"every query moved by the same amount, so that p is that of the sign-flip test: {', '.join(alike)}"


def _too_few(row: Row, comparison: Comparison) -> str:
    """That two runs cannot be told apart."""
    return (
        f"{row.run} and {comparison.baseline} cannot be told apart in {row.measure}: {queries(row.queries)} show a difference of "
        f"{row.detectable:.4f} or more (alpha {comparison.alpha:g}, power 80 %), and it is {abs(row.delta or 0):.4f}"
    )


def _labels(comparison: Comparison, labels: Slices) -> Iterator[str]:
    """Who has no label, and which labels belong to no query."""
    if not labels.labels:
        return
    compared = list(dict.fromkeys(query for pair in comparison.pairs for query in pair.queries))
    for ids, what in (
        (labels.unlabelled(compared), "without a label, in no slice but the whole"),
        (labels.unknown(compared), "with a label not among those compared"),
    ):
        if ids:
            yield f"{queries(len(ids))} {what}: {examples(ids)}"


def _done(comparison: Comparison) -> Iterator[str]:
    """What the policy did to each run that can bear on the comparison; runs with the same share a sentence."""
    alike: dict[str, list[str]] = {}
    for run, result in comparison.results.items():
        report, policy = result.report, result.policy
        told = {
            f"not in the run, {'counted as 0' if policy.missing == 'zero' else 'left out'}": len(report.missing),
            "left out, not judged": len(report.unjudged_queries),
            f"without a relevant document, {'left out' if policy.empty == 'skip' else f'counted as {policy.empty}'}": len(
                report.empty
            ),
            "without any judged document among those retrieved": len(report.no_hit),
            "with duplicate documents": len(report.duplicates),
            "with retrieved ids that doc_of lacks": len(report.unmapped),
        }
        for what, n in told.items():
            if n:
                alike.setdefault(f"{queries(n)} {what}", []).append(run)
    for what, runs in alike.items():
        yield f"{'all runs' if len(runs) == len(comparison.runs) > 1 else ', '.join(runs)}: {what}"


def _signatures(comparison: Comparison) -> Iterator[str]:
    """The signature of the runs, once for those that are scored alike; runs without one."""
    alike: dict[str, list[str]] = {}
    for run, result in comparison.results.items():
        alike.setdefault(result.signature, []).append(run)
    unknown = [run for run in comparison.runs if run not in comparison.results]
    if unknown:
        alike["brought along; by which policy is not known"] = unknown
    if _differ(comparison):
        yield "the runs were scored by different policies or backends, so that differences can be due to that"
    for signature, runs in alike.items():
        yield signature if len(alike) == 1 else f"{', '.join(runs)}: {signature}"


def _differ(comparison: Comparison) -> bool:
    """Whether runs were scored in different ways, as far as is known."""
    ways: Mapping[tuple[str, str], None] = {
        (result.policy.signature, result.backend): None for result in comparison.results.values()
    }
    return len(ways) > 1
