"""Tables of a result, for a terminal, Markdown and a notebook, and in words what the policy did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from .errors import examples

if TYPE_CHECKING:
    from .policy import Policy
    from .report import Report
    from .result import Result


def text(result: Result) -> str:
    """An aligned table, a line for each thing that the policy did, and the signature."""
    table = aligned(["measure", *_head(result)], _rows(result))
    return "\n".join([table, "", *told(result), result.signature])


def markdown(result: Result) -> str:
    """A Markdown table, with the lines and the signature below."""
    table = piped(["measure", *_head(result)], _rows(result))
    said = [f"- {line}" for line in told(result)]
    return "\n".join([table, "", *said, "", f"`{result.signature}`"])


def html(result: Result) -> str:
    """An HTML table, with the lines and the signature below."""
    head = "".join(f"<th>{escape(h)}</th>" for h in ("measure", *_head(result)))
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in _rows(result))
    said = "".join(f"<li>{escape(line)}</li>" for line in told(result))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"{table}<ul>{said}</ul><code>{escape(result.signature)}</code>"


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


def told(result: Result) -> list[str]:
    """What the policy did, a line each, and what a reader of the measures' values should know."""
    return [*lines(result.report, result.policy), *result.notes]


def lines(report: Report, policy: Policy) -> list[str]:
    """One line for each thing that the policy did, with the ids that it did it to; none for what did not occur."""
    judged = ", ".join(f"{share:.1%} of the {'retrieved' if k is None else f'top {k}'}" for k, share in report.judged.items())
    told = [
        f"{_queries(report.queries)} averaged",
        _ids(report.unjudged_queries, "of the run left out, not judged"),
        _ids(report.empty, f"without a relevant document, {_EMPTY[policy.empty]}"),
        _ids(report.missing, f"not in the run, {'counted as 0' if policy.missing == 'zero' else 'left out'}"),
        *(_ids(ids, f"for which {m} is undefined, {_EMPTY[policy.empty]}") for m, ids in report.undefined.items()),
        _ids(report.no_hit, "without any judged document among those retrieved (ids cut short, or of another corpus?)"),
        _counts(report.duplicates, f"duplicate documents {'counted at each place' if policy.duplicates == 'each' else 'dropped'}"),
        _counts(report.tied, f"documents in ties, {_TIES[policy.ties]}"),
        _ids(report.self_hits, f"whose own id was retrieved, {'dropped' if policy.self_hits == 'drop' else 'kept'}"),
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
