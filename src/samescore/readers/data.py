"""Run and Qrels: what was read, as found, with order, duplicates, conflicts and scores kept; tables of polars."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError, MissingLibraryError, short, warn_caller
from ..typing import SavedFormat
from ..user_code import raising
from .columns import Columns, What
from .values import Grade, as_id, as_ids, whole_grades


@dataclass(frozen=True, slots=True)
class RankingRows:
    """One ranking as found: document ids in the order given, and their scores, or None where the order is the ranking.

    ``docs`` is a dict {document: score} where no document can be there twice, and a list otherwise.
    """

    docs: dict[str, Any] | list[str]
    scores: NDArray[np.float64] | None = None

    @property
    def score_of(self) -> dict[str, Any] | None:
        """Document -> score where the ranking is a mapping, which holds no document twice; None where it is a list."""
        return self.docs if isinstance(self.docs, dict) else None


@dataclass(frozen=True, slots=True)
class Run:
    """A run as found, from :func:`samescore.read_run`. ``len()`` is the number of queries, ``rows`` the number of rows read.

    ``tag`` is the last column of the last row of a TREC file, where there is one.
    ``of_chunks`` tells that chunks were mapped to documents, and ``unmapped`` counts those, by query, that had none; ``misranked``
    the neighbouring rows of a file whose ranks say the contrary of their scores. ``distances`` tells that the scores were
    distances, of which the lowest is the best. ``explicit`` tells that :func:`read_run` was called for it, so that it is meant
    as a run.
    """

    rankings: Mapping[str, RankingRows] = field(repr=False)
    rows: int
    name: str = "run"
    tag: str = ""
    of_chunks: bool = field(default=False, repr=False)
    unmapped: Mapping[str, int] = field(default_factory=dict, repr=False)
    misranked: Mapping[str, int] = field(default_factory=dict, repr=False)
    distances: bool = field(default=False, repr=False)
    explicit: bool = field(default=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rankings)

    @property
    def queries(self) -> list[str]:
        """The query ids, in the order found."""
        return list(self.rankings)

    def save(self, path: str | os.PathLike[str], *, format: SavedFormat | None = None, force: bool = False) -> None:
        """Write the run to a file, which is read back equal.

        Parameters
        ----------
        path : str or path
            The file. It appears whole or not at all.
        format : str, optional
            ``"trec"``, ``"json"``, ``"jsonl"``, ``"csv"``, ``"tsv"``, ``"parquet"``, or ``"ranx"`` (CBOR and LZ4); the ending
            of the path says it otherwise: ``.txt``, ``.json``, ``.jsonl``, ``.csv``, ``.tsv``, ``.parquet``, ``.lz4``.
            A ranking without scores gets some that count down, but in JSON and ranx's form.
        force : bool
            Whether a file that the run was read from may be overwritten.

        Raises
        ------
        InputError
            Where the form cannot hold all of it, such as an id with a blank in TREC's; the hint names a form that can.
        WriteError
            Where the file cannot be written.

        Examples
        --------
        >>> import samescore, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "run.txt")
        >>> samescore.read_run({"q1": {"d1": 2.5}}).save(path)
        >>> print(path.read_text(), end="")
        q1 Q0 d1 1 2.5 samescore
        """
        _writers().save(self, path, format, force=force)


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgements as found, from :func:`samescore.read_qrels`. ``len()`` is the number of queries, ``rows`` the rows read.

    ``grades`` holds the first grade of each document; ``further`` the rows that judge a document of a query again, as
    (document, grade) in the order found, whether they agree or not. ``subtopics`` holds all rows, as (document, subtopic,
    grade), of the queries that are judged under two or more iterations: a TREC qrels file's second column, which in some
    collections names subtopics (and in others the round of judging). ``unfilled`` counts rows without a grade, as in a pool that is
    being judged: these are not judged yet. ``explicit`` tells that :func:`read_qrels` was called for
    them, so that they are meant as qrels.
    """

    grades: Mapping[str, Mapping[str, Grade]] = field(repr=False)
    rows: int
    further: Mapping[str, list[tuple[str, Grade]]] = field(default_factory=dict, repr=False)
    name: str = "qrels"
    subtopics: Mapping[str, list[tuple[str, str, Grade]]] = field(default_factory=dict, repr=False)
    unfilled: int = 0
    explicit: bool = field(default=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def queries(self) -> list[str]:
        """The ids of the judged queries, in the order found."""
        return list(self.grades)

    def save(self, path: str | os.PathLike[str], *, format: SavedFormat | None = None, force: bool = False) -> None:
        """Write the judgements to a file, which is read back equal.

        Parameters
        ----------
        path : str or path
            The file. It appears whole or not at all.
        format : str, optional
            ``"trec"``, ``"json"``, ``"jsonl"``, ``"csv"``, ``"tsv"``, ``"parquet"``, or ``"ranx"`` (CBOR and LZ4); the ending
            of the path says it otherwise: ``.txt``, ``.json``, ``.jsonl``, ``.csv``, ``.tsv``, ``.parquet``, ``.lz4``.
        force : bool
            Whether a file that they were read from may be overwritten.

        Raises
        ------
        InputError
            Where the form cannot hold all of it, such as an id with a blank in TREC's; the hint names a form that can.
        WriteError
            Where the file cannot be written.

        Examples
        --------
        >>> import samescore, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp(), "qrels.txt")
        >>> samescore.read_qrels({"q1": {"d1": 2}}).save(path)
        >>> print(path.read_text(), end="")
        q1 0 d1 2
        """
        _writers().save(self, path, format, force=force)


def _writers() -> Any:
    """The module that writes files, which reads back what it has written, and so imports all that reads."""
    return importlib.import_module(f"{__package__}.writers")


DocOf = Callable[[str], Any]
"""From the id of a chunk to that of its document, or None."""


def to_documents(run: Run, doc_of: Any) -> Run:
    """The run with the document of each chunk in its place; order and scores stay, so a document may be there many times.

    ``doc_of`` is {chunk: document} (also a pandas Series), or a function from chunk to document. A chunk that the mapping
    lacks, or for which the function answers None, stays as it is and is counted in ``Run.unmapped``.

    Raises InputTypeError for what is neither, IdError for a document that is no id.
    """
    look_up = document_lookup(doc_of)
    rankings: dict[str, RankingRows] = {}
    unmapped: dict[str, int] = {}
    for query, ranking in run.rankings.items():
        chunks = list(ranking.docs)
        with raising("doc_of raised", InputError, query=query, hint="None for a chunk without a document"):
            docs = [look_up(chunk) for chunk in chunks]
        without_document = docs.count(None)
        if without_document:
            unmapped[query] = without_document
            docs = [chunk if doc is None else doc for chunk, doc in zip(chunks, docs, strict=True)]
        rankings[query] = _document_rows(as_ids(docs, query=query), ranking)
    _warn_unmapped(run, unmapped)
    return replace(run, rankings=rankings, of_chunks=True, unmapped=unmapped)


def document_lookup(doc_of: Any) -> DocOf:
    """How the document of a chunk is found, as a function; what is a function stays as it is.

    Raises InputTypeError for what is neither a mapping nor a function.
    """
    if hasattr(doc_of, "columns"):  # whose items are its columns
        raise InputTypeError("doc_of is a DataFrame", hint="frame.set_index(chunk)[document], a Series, or {chunk: document}")
    if isinstance(doc_of, Mapping) or hasattr(doc_of, "items"):
        with raising("doc_of cannot be read:", InputTypeError, hint="{chunk: document}, or a function from chunk to document"):
            documents = doc_of if type(doc_of) is dict else dict(doc_of.items())
        if set(map(type, documents)) - {str}:
            documents = {as_id(chunk, kind="chunk"): doc for chunk, doc in documents.items()}
        return documents.get
    if callable(doc_of):
        return doc_of  # type: ignore[no-any-return]  # whatever it answers is checked
    raise InputTypeError(f"doc_of is {short(doc_of)}", hint="{chunk: document}, or a function from chunk to document")


def _document_rows(docs: list[str], chunks: RankingRows) -> RankingRows:
    """The ranking of documents; a dict, which is quicker to score, where none is there twice."""
    if chunks.scores is None or len(set(docs)) < len(docs):
        return RankingRows(docs, chunks.scores)
    return RankingRows(dict(zip(docs, chunks.scores.tolist(), strict=True)), chunks.scores)


def _warn_unmapped(run: Run, unmapped: Mapping[str, int]) -> None:
    """Warn where doc_of has no document for any chunk of the whole run."""
    if run.rows and sum(unmapped.values()) == run.rows:
        what = "doc_of has none of the retrieved ids: are they documents already, or chunks of another index?"
        warn_caller(what, run.name)


Floats = NDArray[np.float64]

Ints = NDArray[np.int64]

_FORKED: set[int] = set()


def _note_fork() -> None:
    """In a forked child: remember that the parent had polars, whose threads did not come along."""
    if "polars" in sys.modules:
        _FORKED.add(os.getpid())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def polars() -> Any:
    """The polars module, imported now and not before.

    Raises MissingLibraryError in a forked child of a process that had imported it: its threads are gone, and it would hang.
    """
    if os.getpid() in _FORKED:
        what = "a large run cannot be read in a forked process: its parent had imported polars, whose threads a fork loses"
        raise MissingLibraryError(what, hint="multiprocessing.get_context('spawn'), or 'forkserver'")
    import polars as pl  # noqa: PLC0415  # loaded where it is needed

    return pl


_PANICS = Lock()


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Keep from standard error what polars prints of a panic, up to a hundred lines; the exception says what it was.

    What anybody else prints meanwhile is printed afterwards, unless there was a panic.
    """
    try:
        stderr, held_back = os.dup(2), tempfile.TemporaryFile()  # noqa: SIM115  # closed below
    except OSError:  # no standard error, or no room for a file
        yield
        return
    with _PANICS, held_back:
        os.dup2(held_back.fileno(), 2)
        try:
            yield
        except polars().exceptions.PanicException:
            held_back.truncate(0)
            raise
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            held_back.seek(0)
            while printed := held_back.read(1 << 16):
                os.write(2, printed)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows in the order found: ``query`` and ``doc`` are polars Series of text, ``number`` is a score or grade, float64.

    ``tag`` is that of the last row of a TREC file, ``iteration`` the Series of texts that qrels may have, ``rank``
    the ranks that a run may have beside its scores, float64. ``unfilled`` and ``what`` are those of :class:`Columns`.
    """

    query: Any
    doc: Any
    number: Floats
    tag: str = ""
    iteration: Any = None
    rank: Floats | None = None
    unfilled: int = 0
    what: What = "score"

    def __len__(self) -> int:
        return len(self.number)

    def __getitem__(self, rows: slice) -> Table:
        iteration = None if self.iteration is None else self.iteration[rows]
        rank = None if self.rank is None else self.rank[rows]
        return Table(self.query[rows], self.doc[rows], self.number[rows], self.tag, iteration, rank, what=self.what)

    @classmethod
    def joined(cls, tables: Sequence[Table]) -> Table:
        """Tables one after the other."""
        if len(tables) == 1:
            return tables[0]
        concat = polars().concat
        query, doc = concat([t.query for t in tables]), concat([t.doc for t in tables])
        iteration = None if tables[0].iteration is None else concat([t.iteration for t in tables])
        ranks = [t.rank for t in tables if t.rank is not None]
        rank = np.concatenate(ranks) if len(ranks) == len(tables) else None
        number, unfilled = np.concatenate([t.number for t in tables]), sum(t.unfilled for t in tables)
        return cls(query, doc, number, tables[-1].tag, iteration, rank, unfilled, tables[0].what)

    @classmethod
    def of(cls, columns: Columns) -> Table:
        """A table of columns that were checked."""
        pl = polars()
        query, doc = (pl.Series(ids, dtype=pl.String) for ids in (columns.query, columns.doc))
        iteration = None if columns.iteration is None else pl.Series(columns.iteration, dtype=pl.String)
        rank = None if columns.rank is None else np.array(columns.rank, dtype=np.float64)
        number = np.array(columns.number, dtype=np.float64) + 0.0
        return cls(query, doc, number, columns.tag, iteration, rank, columns.unfilled, columns.what)

    def qrels_columns(self) -> Columns:
        """The rows of qrels as Python values."""
        iterations = None if self.iteration is None else self.iteration.to_list()
        return Columns(self.query.to_list(), self.doc.to_list(), whole_grades(self.number), iterations, unfilled=self.unfilled)

    def stretches(self) -> tuple[Any, Ints]:
        """The query of each stretch of rows of one query, as a Series, and the length of each stretch."""
        runs = self.query.rle().struct.unnest()
        return runs["value"], runs["len"].to_numpy().astype(np.int64)


def misranked(ranks: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows but the first have both the greater rank and the greater score of themselves and the row before, or neither."""
    later, higher = ranks[1:] > ranks[:-1], scores[1:] > scores[:-1]
    sooner, lower = ranks[1:] < ranks[:-1], scores[1:] < scores[:-1]
    wrong: NDArray[np.bool_] = (later & higher) | (sooner & lower)
    return wrong


class TableRankings(Mapping[str, RankingRows]):
    """The rankings of a table by query; each is taken out when it is asked for."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._index: dict[str, list[slice]] | None = None

    def _rows(self) -> dict[str, list[slice]]:
        """The stretches of rows in which each query stands, in order of first appearance."""
        if self._index is None:
            index: dict[str, list[slice]] = {}
            queries, lengths = self.table.stretches()
            ends = np.cumsum(lengths)
            for query, begin, end in zip(queries.to_list(), (ends - lengths).tolist(), ends.tolist(), strict=True):
                index.setdefault(query, []).append(slice(begin, end))
            self._index = index
        return self._index

    def __getitem__(self, query: str) -> RankingRows:
        first, *more = self._rows()[query]
        docs, scores = self.table.doc[first].to_list(), [self.table.number[first]]
        for rows in more:
            docs += self.table.doc[rows].to_list()
            scores.append(self.table.number[rows])
        return RankingRows(docs, np.concatenate(scores) if more else scores[0])

    def __contains__(self, query: object) -> bool:
        return query in self._rows()

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows())

    def __len__(self) -> int:
        return len(self._rows())
