"""The sentences of a comparison: who was left out, how p was found, what cannot be told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..averaging import SENTENCES
from ..display import Sentence, mention, plural
from ..policy import treatment
from ..slices import ALL_QUERIES, Slices
from .comparison import Comparison, Row, percent

TEST_NAMES = {
    "t": "Student's paired t-test",
    "permutation": "paired permutation test (sign flips)",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "bootstrap": "paired bootstrap test (Sakai 2006)",
    "sign": "exact sign test",
    "tukey": "Tukey's HSD by randomisation (Carterette 2012)",
}
"""Test -> what it is called in a sentence; a function of one's own has its own name."""

INTERVALS = {
    "t": "Student's t",
    "permutation": "the shifts that sign flips do not reject",
    "wilcoxon": "Student's t",
    "bootstrap": "BCa bootstrap",
    "sign": "of the median difference, the shifts that the test does not reject",
    "tukey": "of all pairs together",
}
"""Test -> what the interval of a difference is called; a test that has none is not there."""

CORRECTION_NAMES = {"holm": "Holm's method", "bonferroni": "Bonferroni's method", "bh": "Benjamini and Hochberg's method"}


def notes(comparison: Comparison, labels: Slices) -> Iterator[str]:
    """The sentences of a comparison, in order."""
    yield from _pairing(comparison)
    yield _method(comparison)
    yield from _too_few_queries(comparison)
    compared = list(dict.fromkeys(query for pair in comparison.pairs for query in pair.queries))
    yield from filter(None, [mention(labels.unlabelled(compared), "without a label, in no slice but the whole")])
    yield from filter(None, [mention(labels.unknown(compared), "with a label not among those compared")])
    yield from _policy_effects(comparison)
    yield from _signatures(comparison)


def _pairing(comparison: Comparison) -> Iterator[str]:
    """How many queries are compared, and which runs have more."""
    counts = {pair.name: len(pair.queries) for pair in comparison.pairs}
    delta = f"delta is the difference to {'the run named as baseline' if comparison.several else comparison.baseline}"
    if len(set(counts.values())) == 1:
        yield f"{plural(next(iter(counts.values())))}, paired by id; {delta}"
    else:
        in_each = ", ".join(f"{n} in {measure}" for measure, n in counts.items())
        yield f"queries paired by id: {in_each}; {delta}"
    lower = [pair.name for pair in comparison.pairs if pair.measure.entry.lower_is_better]
    if lower:
        yield f"{', '.join(lower)}: lower is better, so that a win is a query for which it fell"
    for pair in comparison.pairs:
        if pair.measure.entry.aggregate == "sum":
            yield f"{pair.name} is told by its mean over the queries, where a result has the sum"
        for run, n in pair.left_out.items():
            yield f"{plural(n)} of {run} left out in {pair.name}: another run has no value there"


def _method(comparison: Comparison) -> str:
    """How p and the intervals were found."""
    compared = len(comparison.contrasts)
    how = f"p: {TEST_NAMES[comparison.test]}, two-sided" if comparison.test in TEST_NAMES else f"p: {comparison.test}"
    if comparison.test == "tukey":
        how += f", of all {len(comparison.runs)} runs together, which needs no further correction"
    if comparison.correction and compared > 1:
        pairs = f"{compared} {'pairs of runs' if comparison.several else 'runs'}"
        how += f", corrected for {pairs} by {CORRECTION_NAMES[comparison.correction]}"
    kind = INTERVALS.get(comparison.test)
    interval = f"; interval of delta: {percent(1 - comparison.alpha)}, {kind}" if kind else "; this test has no interval"
    average = SENTENCES.get(comparison.average, "")
    return f"{how}{interval}{f'; {average}' if average else ''}"


def _too_few_queries(comparison: Comparison) -> Iterator[str]:
    """What cannot be told apart by so few queries, and where p is no more than a count of queries."""
    compared = [row for row in comparison.rows if row.slice == ALL_QUERIES and row.delta is not None]
    still = [row for row in compared if not (row.delta or row.wins or row.losses)]
    rows = [row for row in compared if row not in still]
    sign_flips = comparison.test != "tukey" or len(comparison.runs) == 2  # how p is found at worst
    for n in sorted({row.queries for row in rows if sign_flips and min(1.0, 2.0 ** (1 - row.queries)) >= comparison.alpha}):
        yield f"{plural(n)}: too few for any exact test, whose p cannot be below {2.0 ** (1 - n):.2g}"
    if still:
        yield f"no query moved, which has no interval: {_named(comparison, still)}"
    yield from _not_told_apart(comparison, rows)
    alike = [row for row in rows if row.effect is None and row.queries > 1]
    if alike and sign_flips:
        yield f"every query moved by the same amount, so that p is that of the sign-flip test: {_named(comparison, alike)}"


def _named(comparison: Comparison, rows: Sequence[Row]) -> str:
    """The runs that some rows are of, each with its baseline where there are several, and the measure."""
    return ", ".join(f"{row.run}{f' and {row.baseline}' if comparison.several else ''} in {row.measure}" for row in rows)


def _not_told_apart(comparison: Comparison, rows: Sequence[Row]) -> Iterator[str]:
    """Which runs so few queries cannot tell apart, in one sentence."""
    test = f"(alpha {comparison.alpha:g}, power 80 %)"
    less = [row for row in rows if not comparison.significant(row) and abs(row.delta or 0) < (row.detectable or 0)]
    rows = [comparison.shown(replace(row, delta=abs(row.delta or 0.0))) for row in less]
    if len(rows) == 1:
        row = rows[0]
        what = f"{plural(row.queries)} show a difference of {{}} or more {test}, and it is {{}}"
        needed = f", which about {row.needed:,} queries would show" if row.needed else ""
        apart = f"{{}} and {{}} cannot be told apart in {{}}: {what}{needed}"
        yield Sentence(apart, row.run, row.baseline, row.measure, row.detectable, row.delta)
        return
    if rows and not comparison.all_pairs:
        measures: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            measures[str(row.baseline)][row.run].append(row.measure)
        named = {base: ", ".join(f"{run} ({', '.join(names)})" for run, names in runs.items()) for base, runs in measures.items()}
        which = "; ".join(f"from {base} {runs}" for base, runs in named.items())
        sizes = [row.detectable for row in rows if row.detectable is not None]
        yield Sentence("cannot be told apart {}, where differences of {} to {} would show: {}", test, min(sizes), max(sizes), which)


def _policy_effects(comparison: Comparison) -> Iterator[str]:
    """What the policy did to each run that can bear on the comparison; runs with the same share a sentence."""
    runs_by_sentence: dict[str, list[str]] = defaultdict(list)
    for run, result in comparison.results.items():
        report, policy = result.report, result.policy
        queries = {
            f"not in the run, {treatment(policy, 'missing')}": report.missing,
            "left out, not judged": report.unjudged_queries,
            f"without a relevant document, {treatment(policy, 'empty')}": report.empty,
            "without any judged document among those retrieved": report.no_hit,
            "with duplicate documents": report.duplicates,
            "with retrieved ids that doc_of lacks": report.unmapped,
        }
        for what, ids in queries.items():
            if ids:
                runs_by_sentence[f"{plural(len(ids))} {what}"].append(run)
    for sentence, runs in runs_by_sentence.items():
        yield f"{'all runs' if len(runs) == len(comparison.runs) > 1 else ', '.join(runs)}: {sentence}"


def _signatures(comparison: Comparison) -> Iterator[str]:
    """The signature of the runs, once for those that are scored alike; runs without one."""
    runs_by_signature: dict[str, list[str]] = defaultdict(list)
    for run in sorted(comparison.runs, key=lambda run: run not in comparison.results):
        result = comparison.results.get(run)
        runs_by_signature[result.signature if result else "brought along; by which policy is not known"].append(run)
    if len({(result.policy.signature, result.backend) for result in comparison.results.values()}) > 1:
        yield "the runs were scored by different policies or backends, so that differences can be due to that"
    for signature, runs in runs_by_signature.items():
        yield signature if len(runs_by_signature) == 1 else f"{', '.join(runs)}: {signature}"
