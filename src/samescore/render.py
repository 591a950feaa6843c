"""Tables of a result, for a terminal, Markdown and a notebook, and in words what the policy did."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from .errors import examples

if TYPE_CHECKING:
    from .policy import Policy
    from .report import Report
    from .result import Result


def text(result: Result) -> str:
    """An aligned table, one of slices where there are any, a line for each thing that the policy did, and the signature."""
    tables = [aligned(head, rows) + "\n" for head, rows in _tables(result)]
    return "\n".join([*tables, *_told(result), result.signature])


def markdown(result: Result) -> str:
    """Markdown tables, with the lines and the signature below."""
    tables = [piped(head, rows) + "\n" for head, rows in _tables(result)]
    return "\n".join([*tables, *(f"- {line}" for line in _told(result)), "", f"`{result.signature}`"])


def html(result: Result) -> str:
    """HTML tables, with the lines and the signature below."""
    tables = "".join(tabled(head, rows) for head, rows in _tables(result))
    told = "".join(f"<li>{escape(line)}</li>" for line in _told(result))
    return f"{tables}<ul>{told}</ul><code>{escape(result.signature)}</code>"


def _tables(result: Result) -> list[tuple[list[str], list[list[str]]]]:
    """Head and rows of each table: the measures, and where there are slices, these."""
    tables = [(["measure", *_head(result)], _rows(result))]
    if result.labels.labels:
        rows = [[r.slice, r.measure, f"{r.mean:.4f}", interval(r.low, r.high), str(r.queries)] for r in result.slice_rows()]
        tables.append((["slice", "measure", "mean", "95 % interval", "queries"], rows))
    return tables


def _told(result: Result) -> list[str]:
    """A line for each thing that the policy did, how queries were averaged where that is unusual, who has no label, and what a
    reader of the measures' values should know."""
    micro = ["micro average: the ratio of sums over all queries"] if result.average == "micro" else []
    unlabelled = _ids(result.unlabelled, "without a label, in no slice but the whole")
    return [*micro, *lines(result.report, result.policy), *([unlabelled] if unlabelled else []), *result.notes]


def interval(low: float, high: float) -> str:
    """An interval in words; a dash where there is none."""
    return "-" if math.isnan(low) else f"{low:.4f} to {high:.4f}"


def tabled(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table."""
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{''.join(f'<th>{escape(h)}</th>' for h in head)}</tr></thead><tbody>{body}</tbody></table>"


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return "\n".join(
        "  ".join(cell.rjust(w) if i else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in (head, *rows)
    )


def piped(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: the first column to the left, the others to the right."""
    marks = ["---", *("---:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in (head, marks, *rows))


def _head(result: Result) -> list[str]:
    """The columns beside the measure: the mean, its number of queries where they differ, the gain where there is one."""
    uneven = any(n != result.report.queries for n in result.report.n.values())
    return ["mean", *(["queries"] if uneven else []), *(["gain"] if any(map(result.gain_of, result)) else [])]


def _rows(result: Result) -> list[list[str]]:
    """A row for each measure."""
    head = _head(result)
    cells = {
        "mean": lambda m: f"{result[m]:.4f}",
        "queries": lambda m: str(result.report.n[m]),
        "gain": lambda m: result.gain_of(m) or "",
    }
    return [[measure, *(cells[column](measure) for column in head)] for measure in result]


def lines(report: Report, policy: Policy) -> list[str]:
    """One line for each thing that the policy did, with the ids that it did it to; none for what did not occur."""
    judged = ", ".join(f"{share:.1%} of the {'retrieved' if k is None else f'top {k}'}" for k, share in report.judged.items())
    told = [
        f"{_queries(report.queries)} averaged",
        _ids(report.unjudged_queries, "of the run left out, not judged"),
        _ids(report.empty, f"without a relevant document, {_EMPTY[policy.empty]}"),
        _ids(report.missing, f"not in the run, {'counted as 0' if policy.missing == 'zero' else 'left out'}"),
        _ids(report.nothing_retrieved, "for which nothing was retrieved, counted as 0"),
        *(_ids(ids, f"for which {m} is undefined, {_EMPTY[policy.empty]}") for m, ids in report.undefined.items()),
        _ids(report.no_hit, "without any judged document among those retrieved (ids cut short, or of another corpus?)"),
        _counts(report.duplicates, f"duplicate documents {'counted at each place' if policy.duplicates == 'each' else 'dropped'}"),
        _counts(report.tied, f"documents in ties, {_TIES[policy.ties]}"),
        _counts(report.unmapped, "retrieved ids that doc_of lacks, kept as they are"),
        _ids(report.tie_changes, "for which another order of tied documents changes some measure"),
        _ids(report.self_hits, f"whose own id was retrieved, {'dropped' if policy.self_hits == 'drop' else 'kept'}"),
        _counts(report.misranked, "rows whose ranks say the contrary of their scores, ordered by score"),
        _some(report.negatives, f"negative grades, taken as {policy.negatives}"),
        _some(report.repeated_judgements, "judgements given twice alike, counted once"),
        _some(report.conflicts, f"judgements in conflict, settled by {policy.conflicts!r}"),
        f"judged: {judged}" if judged else "",
        _GRADES if report.largest_grade >= 2 and policy.gain == "exponential" else "",
    ]
    return [line for line in told if line]


_EMPTY = {"skip": "left out", "zero": "counted as 0", "one": "counted as 1"}
_TIES = {
    "doc_id": "ordered by document id, descending",
    "doc_id_ascending": "ordered by document id, ascending",
    "input": "kept in the order given",
    "error": "refused",
}
_GRADES = "grades of 2 and more: gain is 2^grade - 1; ranx's and trec_eval's ndcg are linear: Policy(gain='linear') or ndcg_cut_10"


def _queries(n: int) -> str:
    return f"{n} {'query' if n == 1 else 'queries'}"


def _ids(ids: Sequence[str], what: str) -> str:
    return f"{_queries(len(ids))} {what}: {examples(ids)}" if ids else ""


def _counts(counts: Mapping[str, int], what: str) -> str:
    return f"{sum(counts.values())} {what}, in {_queries(len(counts))}: {examples(counts)}" if counts else ""


def _some(n: int, what: str) -> str:
    return f"{n} {what}" if n else ""
