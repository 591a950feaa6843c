"""Runs and qrels as files: one table of forms, and the proof that what was written is read back as it was."""

from __future__ import annotations

import importlib
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..display import as_delimited
from ..errors import InputError, InputTypeError, MissingLibraryError, SamescoreError, Setting, Wording, nearest, short
from ..writing import kept_back, write_files
from . import load_rows, open_qrels, open_run
from .data import Qrels, RankingRows, Run, polars
from .files import cbor
from .values import Grade

Data = Run | Qrels

RunRow = tuple[str, str, int, float]
"""Query, document, rank and score."""

QrelsRow = tuple[str, str, str, Grade]
"""Query, subtopic, document and grade."""


def run_rows(run: Run) -> Iterator[RunRow]:
    """The rows of a run in the order found; the scores of a ranking without any count down to 1, and ranks follow the scores."""
    for query, ranking in run.rankings.items():
        n = len(ranking.docs)
        scores = np.arange(n, 0.0, -1.0) if ranking.scores is None else ranking.scores
        ranks = np.empty(n, dtype=np.int64)
        ranks[np.argsort(-scores, kind="stable")] = np.arange(1, n + 1)
        yield from zip(repeat(query), ranking.docs, ranks.tolist(), scores.tolist(), strict=False)


def qrels_rows(qrels: Qrels) -> Iterator[QrelsRow]:
    """The rows of qrels; the subtopic is 0 where there are none."""
    for query, judged in qrels.grades.items():
        plain = [(doc, "0", grade) for doc, grade in (*judged.items(), *qrels.further.get(query, ()))]
        yield from ((query, subtopic, doc, grade) for doc, subtopic, grade in qrels.subtopics.get(query, plain))


# Forms


def _as_trec(data: Data) -> str:
    """TREC's lines."""
    if isinstance(data, Run):
        tag = data.tag or "samescore"
        return "".join(f"{query} Q0 {doc} {rank} {score} {tag}\n" for query, doc, rank, score in run_rows(data))
    return "".join(f"{query} {subtopic} {doc} {grade}\n" for query, subtopic, doc, grade in qrels_rows(data))


def _as_json(data: Data) -> str:
    """JSON, a query a line."""
    return "{\n" + ",\n".join(f"{_json(query)}: {_json(rows)}" for query, rows in _by_query(data)) + "\n}\n"


def _by_query(data: Data) -> Iterator[tuple[str, Any]]:
    """What is under each query: {document: number}, or pairs where a document is there twice, or documents in order."""
    if isinstance(data, Run):
        yield from ((query, _ranking(ranking)) for query, ranking in data.rankings.items())
        return
    for query, judged in data.grades.items():
        yield query, [*judged.items(), *data.further[query]] if query in data.further else dict(judged)


def _ranking(ranking: RankingRows) -> Any:
    """The documents of a ranking, with their scores where it has any."""
    docs = list(ranking.docs)
    if ranking.scores is None:
        return docs
    pairs = list(zip(docs, ranking.scores.tolist(), strict=True))
    return dict(pairs) if len(set(docs)) == len(docs) else pairs


_ENCODER = json.JSONEncoder(ensure_ascii=False)


def _json(value: Any) -> str:
    """A value on one line; infinity is a number beyond all floats, which every reader takes for it, and half a surrogate pair an
    escape."""
    text = _ENCODER.encode(value)
    if "Infinity" in text:
        text = re.sub(r'"(?:[^"\\]|\\.)*"|Infinity', lambda match: "1e999" if match[0] == "Infinity" else match[0], text)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _columns(data: Data) -> dict[str, list[Any]]:
    """The columns of a table, by their names."""
    if isinstance(data, Run):
        query, doc, _, score = map(list, zip(*run_rows(data), strict=True)) if data.rows else ([], [], [], [])
        return {"query_id": query, "doc_id": doc, "score": score}
    query, subtopic, doc, grade = map(list, zip(*qrels_rows(data), strict=True)) if data.rows else ([], [], [], [])
    return {"query_id": query, "iteration": subtopic, "doc_id": doc, "relevance": grade}


def _as_records(data: Data) -> str:
    """JSON Lines, a row a line, which hold several grades of one document, and no subtopics."""
    columns = {name: column for name, column in _columns(data).items() if name != "iteration"}
    return "".join(_json(dict(zip(columns, row, strict=True))) + "\n" for row in zip(*columns.values(), strict=True))


def _as_table(separator: str, data: Data) -> str:
    """A header and a row a line."""
    columns = _columns(data)
    return as_delimited([tuple(columns), *zip(*columns.values(), strict=True)], separator)


def _as_parquet(data: Data) -> bytes:
    """Parquet, by polars."""
    file = io.BytesIO()
    columns = _columns(data)
    number = columns.popitem()
    frame = polars().DataFrame(columns).with_columns(polars().Series(number[0], number[1], dtype=polars().Float64))
    frame.write_parquet(file)
    return file.getvalue()


def _as_ranx(data: Data) -> bytes:
    """CBOR in two layers of LZ4, as ranx saves a Run to a file that ends in .lz4."""
    try:
        compress = importlib.import_module("lz4.frame").compress  # which comes with ranx
    except ImportError:
        raise MissingLibraryError("lz4 is not installed", hint="pip install lz4") from None
    packed: bytes = compress(compress(cbor().dumps(dict(_by_query(data)))))
    return packed


class Form(NamedTuple):
    """A form of file: the endings that ask for it, and what a file of it holds."""

    endings: tuple[str, ...]
    content: Callable[[Data], str | bytes]


FORMS: Mapping[str, Form] = {
    "trec": Form((".txt", ".trec", ".run", ".res", ".qrels"), _as_trec),
    "json": Form((".json",), _as_json),
    "jsonl": Form((".jsonl", ".ndjson"), _as_records),
    "csv": Form((".csv",), partial(_as_table, ",")),
    "tsv": Form((".tsv",), partial(_as_table, "\t")),
    "parquet": Form((".parquet", ".parq", ".pq"), _as_parquet),
    "ranx": Form((".lz4",), _as_ranx),
}
"""The forms that are written. ranx itself reads ``trec`` and ``json``, and a run in the form ``ranx``."""


def save(data: Data, path: str | os.PathLike[str], form: str | None, *, force: bool) -> None:
    """Write a run or qrels to a file, whole or not at all, in the form that is named or that the ending asks for.

    Raises InputError where no form is known or the form cannot hold all of it, WriteError where the file cannot be written.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputTypeError(f"the path is {short(path)}", hint="the path of a file")
    form = form_of(path) if form is None else form
    if not isinstance(form, str) or form not in FORMS:
        raise InputError(f"no form of file is called {short(form)}", hint=nearest(str(form), FORMS))
    content, lost = encoded(data, form)
    if lost:
        query = lost[0] if len(lost) < len(data) or len(data) == 1 else None
        others = (other for other in FORMS if other != form and not encoded(data, other)[1])
        hint = next((Wording(Setting("format", (other,), "save")) for other in others), "other ids")
        raise InputError(f"a file of the form {form} cannot hold all rows as they are", query=query, hint=hint)
    write_files({path: content}, inputs=[data], force=force)


def form_of(path: str | os.PathLike[str]) -> str:
    """The form that the ending of a path asks for. Raises InputError where it asks for none."""
    ending = Path(path).suffix.lower()
    form = next((form for form, one in FORMS.items() if ending in one.endings), None)
    if form is None:
        endings = ", ".join(one.endings[0] for one in FORMS.values())
        hint = Wording(Setting("format", ("trec",), "save"), f", or a name that ends in one of {endings}")
        raise InputError("the ending of the file says no form that can be written", file=path, hint=hint)
    return form


def encoded(data: Data, form: str) -> tuple[bytes, list[str]]:
    """What a file of a form holds, and the queries whose rows are not read back from it as they are: all if it cannot be read."""
    everything = list(data.queries) or [""]
    try:
        content = FORMS[form].content(data)
        content = content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError:  # half a surrogate pair
        return b"", everything
    name = ("run" if isinstance(data, Run) else "qrels") + FORMS[form].endings[0]
    with kept_back({name: content}) as folder:
        try:
            copy: Data = load_rows(open_run(folder / name)) if isinstance(data, Run) else open_qrels(folder / name)
        except SamescoreError:
            return content, everything
    return content, [query for query in dict.fromkeys([*data.queries, *copy.queries]) if not _is_same(data, copy, query)]


def _is_same(data: Data, copy: Data, query: str) -> bool:
    """Whether the rows of a query are those of the copy: all of them, but for scores where there were none."""
    if isinstance(data, Run) and isinstance(copy, Run):
        before, after = data.rankings.get(query), copy.rankings.get(query)
        if before is None or after is None or list(before.docs) != list(after.docs):
            return False
        return before.scores is None or (after.scores is not None and np.array_equal(before.scores, after.scores))
    return isinstance(data, Qrels) and isinstance(copy, Qrels) and _judgements(data, query) == _judgements(copy, query)


def _judgements(qrels: Qrels, query: str) -> tuple[Any, ...]:
    """All that is known of a query."""
    return qrels.grades.get(query), qrels.further.get(query, []), qrels.subtopics.get(query)
