"""Golden sets: what can be said of judgements alone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from statistics import median
from typing import Any

from ..display import MISSING, Outcome, Part, Table, finite, mention, plural
from ..errors import InputError, InputTypeError, setting, short
from ..policy import Policy
from ..readers import Grade, Qrels, open_qrels
from ..readers.values import as_id
from ..readers.writers import FORMS, encoded
from ..typing import QrelsLike
from ..writing import as_folder, write_files
from .significance import detectable_effect


@dataclass(frozen=True, slots=True)
class Absent:
    """A judged document that the corpus lacks, and an id of the corpus that is spelled alike, or None."""

    query: str
    doc: str
    grade: Grade
    near: str | None


USUAL_SPREAD = 0.25
"""A usual standard deviation of the differences by query of two runs in nDCG@10: in five pairs of published runs (Robust track
2003, AP, TREC-COVID) it was 0.22 to 0.26; that of reciprocal ranks was 0.38 to 0.49, of AP 0.09 to 0.15."""


@dataclass(frozen=True, slots=True, repr=False)
class QrelsReport(Outcome):
    """What :func:`samescore.check` found; true where nothing is odd.

    ``queries``, ``judgements`` and ``documents`` count judged queries, pairs of query and document, and distinct documents.
    ``relevant``: query -> number of relevant documents. ``grades``: grade -> how many judgements have it (the first, where one
    contradicts another). ``repeated``: rows that judge again alike; ``conflicts``: (query, document) judged again otherwise.
    ``near_queries`` and ``near_documents``: groups of ids that differ in spelling only. ``absent``: judgements of documents that
    the corpus lacks, None where no corpus was given. ``unfilled``: rows without a grade.
    ``fingerprint``: as :func:`samescore.fingerprint`.
    """

    queries: int
    judgements: int
    documents: int
    relevant: Mapping[str, int]
    grades: Mapping[Grade, int]
    repeated: int
    conflicts: tuple[tuple[str, str], ...]
    near_queries: tuple[tuple[str, ...], ...]
    near_documents: tuple[tuple[str, ...], ...]
    absent: tuple[Absent, ...] | None
    fingerprint: str
    unfilled: int = 0

    @property
    def empty(self) -> tuple[str, ...]:
        """The judged queries without a relevant document."""
        return tuple(query for query, n in self.relevant.items() if not n)

    @property
    def ok(self) -> bool:
        """Whether nothing odd was found."""
        return not self._odd()

    def lines(self) -> list[str]:
        """What is odd, a line each; one line that says so where nothing is."""
        return self._odd() or ["nothing odd was found"]

    def _odd(self) -> list[str]:
        """What is odd, a line each."""
        absent = self.absent or ()
        near = [f"{short(row.doc)} (the corpus has {short(row.near)})" for row in absent if row.near is not None]
        more = f" and {len(near) - 3} more" if len(near) > 3 else ""
        sentences = [
            mention(self.empty, "without a relevant document"),
            f"{plural(self.repeated, 'judgement', 'judgements')} given twice alike" if self.repeated else "",
            f"{plural(self.unfilled, 'row', 'rows')} without a grade, not judged yet" if self.unfilled else "",
            mention(self.conflicts, "judged twice with different grades", "document", "documents"),
            mention(self.near_queries, "that differ in spelling only", "group of query ids", "groups of query ids"),
            mention(self.near_documents, "that differ in spelling only", "group of document ids", "groups of document ids"),
            mention(dict.fromkeys(row.doc for row in absent), "not in the corpus", "judged document", "judged documents"),
            f"spelled otherwise in the corpus: {', '.join(near[:3])}{more}" if near else "",
        ]
        return [line for line in sentences if line]

    def parts(self) -> list[Part]:
        """The counts, and what is odd."""
        relevant = list(self.relevant.values())
        spread = f"{min(relevant)} / {median(relevant):g} / {max(relevant)}" if relevant else MISSING
        rows = [
            ("queries", self.queries),
            ("judgements", self.judgements),
            ("documents", self.documents),
            ("relevant a query, least / median / most", spread),
            *((f"grade {grade}", n) for grade, n in self.grades.items()),
            ("fingerprint", self.fingerprint),
        ]
        return [Table(["golden set", "count"], rows), *self.lines(), *self._power()]

    @property
    def detectable(self) -> float:
        """The smallest mean difference of two runs that a set of this size can be expected to show; NaN below two queries.

        That of a paired t-test at 5 % with a power of 80 %, where the differences by query have the standard deviation
        :data:`USUAL_SPREAD`.
        """
        return USUAL_SPREAD * detectable_effect(len(self.relevant) - len(self.empty), 0.05)

    def _power(self) -> list[str]:
        """What a set of this size can tell, in a sentence."""
        n = len(self.relevant) - len(self.empty)
        if n < 2:
            return []
        least = min(1.0, self.detectable)
        return [
            f"{n} queries with a relevant document can be expected to show a difference of {least:.2f} or more between two runs "
            f"(paired t-test at 5 %, power 80 %, where the differences by query have a standard deviation of {USUAL_SPREAD:g}, "
            "as is usual for nDCG@10)"
        ]

    def records(self) -> Table:
        """What is odd, a row each: the kind, the query, the document."""
        rows = [
            *(("empty", query, None) for query in self.empty),
            *(("conflict", query, doc) for query, doc in self.conflicts),
            *(("near_query", query, None) for group in self.near_queries for query in group),
            *(("near_document", None, doc) for group in self.near_documents for doc in group),
            *(("absent", row.query, row.doc) for row in self.absent or ()),
        ]
        return Table(["kind", "query_id", "doc_id"], rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold."""
        plain = asdict(self)
        grades = {str(grade): n for grade, n in self.grades.items()}
        return {"ok": self.ok, **plain, "grades": grades, "empty": list(self.empty), "detectable": finite(self.detectable)}


_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")

_FLOAT = re.compile(r"(\d+)\.0")

_SEPARATORS = re.compile(r"[\s\-_.:/\\]+")

_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def spelled(text: str) -> str:
    """An id without what is easily changed on the way: case, Unicode form, blanks, kind of separator, leading zeros, a ``.0``.

    >>> spelled("Doc_007"), spelled(" doc-7"), spelled("12.0")
    ('doc-7', 'doc-7', '12')
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold().strip()
    if whole_number := _FLOAT.fullmatch(plain):
        plain = whole_number[1]
    return _LEADING_ZEROS.sub("", _SEPARATORS.sub("-", plain).strip("-"))


def alike(ids: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The ids that are spelled alike, in groups of two and more, in the order given.

    >>> alike(["d1", "d2", "D1"])
    (('d1', 'D1'),)
    """
    groups: dict[str, list[str]] = {}
    for text in ids:
        groups.setdefault(spelled(text), []).append(text)
    return tuple(tuple(group) for spelling, group in groups.items() if len(group) > 1 and spelling)


def fingerprint(qrels: QrelsLike) -> str:
    """32 hex digits that change when a judgement does, and not with the order, the form or the name of the qrels.

    A judged query without a relevant document counts, and so does a judgement that contradicts another; one that repeats
    another does not. Subtopics count for queries that have several.

    Parameters
    ----------
    qrels
        Whatever :func:`samescore.read_qrels` reads, or what it returns.

    Returns
    -------
    str

    Raises
    ------
    InputError
        For qrels that cannot be read.

    Examples
    --------
    >>> fingerprint({"q1": {"d1": 1, "d2": 0}}) == fingerprint({"q1": {"d2": 0, "d1": 1.0}})
    True
    >>> fingerprint({"q1": {"d1": 1}}) == fingerprint({"q1": {"d1": 2}})
    False
    """
    judged_qrels = open_qrels(qrels)
    digest = hashlib.blake2b(digest_size=16)
    for query in sorted(judged_qrels.grades):
        row: list[object] = [query, _judged(judged_qrels, query)]
        if query in judged_qrels.subtopics:
            row.append(sorted(set(judged_qrels.subtopics[query])))
        digest.update(json.dumps(row).encode() + b"\n")  # ASCII, whatever the ids are
    return digest.hexdigest()


def _judged(qrels: Qrels, query: str) -> Sequence[tuple[str, list[Grade]]]:
    """The documents of a query in order of their ids, each with its grades in the order found, repeats dropped."""
    grades: dict[str, list[Grade]] = {doc: [grade] for doc, grade in qrels.grades[query].items()}
    for doc, grade in qrels.further.get(query, ()):
        grades[doc].append(grade)
    return [(doc, [grade for grade, _ in groupby(doc_grades)]) for doc, doc_grades in sorted(grades.items())]


def split(
    qrels: QrelsLike,
    held_out: float = 0.5,
    *,
    seed: int | str = 0,
    folder: str | os.PathLike[str] | None = None,
    force: bool = False,
) -> tuple[Qrels, Qrels]:
    """Judgements in two, by query: those to develop on, and those held out.

    The side of a query follows from its id and the seed alone, by a hash (BLAKE2b): it is the same on every machine, and
    stays when queries come or go. So the share held out is ``held_out`` on average and not to the query.

    Parameters
    ----------
    qrels
        Whatever :func:`samescore.read_qrels` reads, or what it returns.
    held_out : float, default 0.5
        The share of the queries that is held out.
    seed : int or str, default 0
        Another seed gives another split.
    folder : str or path, optional
        Where both sides are also written, ``develop.txt`` and ``held_out.txt``, TREC qrels; each side has its file for its
        ``name``. Where such a file would not be read back as it was (an id with a blank, a query id that begins with ``#``,
        a query without a judgement), both are JSON, JSON Lines or CSV, the first of these that is read back equal.
    force : bool
        Whether the qrels that are split may be overwritten.

    Returns
    -------
    tuple of two Qrels
        Those to develop on, and those held out.

    Raises
    ------
    InputError
        For a share that is not between 0 and 1, for qrels that cannot be read, and for what no form can hold.
    WriteError
        Where a file cannot be written.

    Examples
    --------
    >>> develop, held_out = split({f"q{i}": {"d1"} for i in range(10)}, 0.3, seed=5)
    >>> held_out.queries
    ['q3', 'q5', 'q6']
    """
    if isinstance(held_out, bool) or not isinstance(held_out, (int, float)) or not 0 < held_out < 1:
        raise InputError(f"held_out is {short(held_out)}, not a share between 0 and 1", hint=setting("held_out", 0.5))
    if isinstance(seed, bool) or not isinstance(seed, (int, str)):
        raise InputTypeError(f"the seed is {short(seed)}, not a whole number or text", hint=setting("seed", 0))
    judged_qrels = open_qrels(qrels)
    held = {query for query in judged_qrels.grades if _lot(query, seed) < held_out}
    sides = _part(judged_qrels, lambda query: query not in held), _part(judged_qrels, held.__contains__)
    if folder is None:
        return sides
    ending, contents = _contents(sides)
    paths = [str(as_folder(folder) / (name + ending)) for name in ("develop", "held_out")]
    write_files(dict(zip(paths, contents, strict=True)), inputs=[qrels], force=force)
    return replace(sides[0], name=paths[0]), replace(sides[1], name=paths[1])


def check(qrels: QrelsLike, corpus_ids: Iterable[Any] | None = None, *, relevance_level: int = 1) -> QrelsReport:
    """Look through judgements for what makes scores mean less than they seem to.

    Finds queries without a relevant document, judgements that repeat or contradict each other, ids that differ in spelling
    only (case, blanks, separators, leading zeros, ``12`` and ``12.0``), and judged documents that the corpus lacks.

    Parameters
    ----------
    qrels
        Whatever :func:`samescore.read_qrels` reads, or what it returns.
    corpus_ids : iterable of ids, optional
        The documents of the corpus; a mapping {id: text} will do.
    relevance_level : int, default 1
        From which grade a document is relevant.

    Returns
    -------
    QrelsReport
        To be printed, or read by field.

    Raises
    ------
    InputError
        For qrels or ids that cannot be read.
    PolicyError
        For a level below 1.

    Examples
    --------
    >>> report = check({"q1": {"d1": 2, "D1": 1}, "q2": {"d7": 0}}, corpus_ids=["d1", "d7"])
    >>> report.empty, report.near_documents, [(row.doc, row.near) for row in report.absent]
    (('q2',), (('d1', 'D1'),), [('D1', 'd1')])
    """
    level = Policy(relevance_level=relevance_level).relevance_level
    judged_qrels = open_qrels(qrels)
    docs = dict.fromkeys(doc for judged in judged_qrels.grades.values() for doc in judged)
    repeat = [(query, doc, agrees) for query in judged_qrels.further for doc, agrees in _judged_again(judged_qrels, query)]
    grades = sorted(grade for judged in judged_qrels.grades.values() for grade in judged.values())
    relevant = {query: sum(g >= level for g in judged.values()) for query, judged in judged_qrels.grades.items()}
    return QrelsReport(
        queries=len(judged_qrels.grades),
        judgements=sum(map(len, judged_qrels.grades.values())),
        documents=len(docs),
        relevant=relevant,
        grades={grade: len(list(same)) for grade, same in groupby(grades)},
        repeated=sum(agrees for _, _, agrees in repeat),
        conflicts=tuple(dict.fromkeys((query, doc) for query, doc, agrees in repeat if not agrees)),
        near_queries=alike(judged_qrels.grades),
        near_documents=alike(docs),
        absent=None if corpus_ids is None else _absent(judged_qrels, corpus_ids),
        fingerprint=fingerprint(judged_qrels),
        unfilled=judged_qrels.unfilled,
    )


def _judged_again(qrels: Qrels, query: str) -> Iterator[tuple[str, bool]]:
    """The document of each row that judges again what another row has judged, for the same subtopic, and whether the two agree."""
    if query not in qrels.subtopics:
        yield from ((doc, grade == qrels.grades[query][doc]) for doc, grade in qrels.further[query])
        return
    first: dict[tuple[str, str], Grade] = {}
    for doc, subtopic, grade in qrels.subtopics[query]:
        if (doc, subtopic) in first:
            yield doc, grade == first[doc, subtopic]
        first.setdefault((doc, subtopic), grade)


def _lot(query: str, seed: int | str) -> float:
    """A number from 0 to 1 that a query draws."""
    drawn = hashlib.blake2b(f"{seed}\n{query}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(drawn, "big") / 2**64


def _part(qrels: Qrels, belongs: Callable[[str], bool]) -> Qrels:
    """The judgements of some queries."""
    grades = {query: judged for query, judged in qrels.grades.items() if belongs(query)}
    further = {query: rows for query, rows in qrels.further.items() if belongs(query)}
    subtopics = {query: rows for query, rows in qrels.subtopics.items() if belongs(query)}
    rows = sum(map(len, grades.values())) + sum(map(len, further.values()))
    return replace(qrels, grades=grades, further=further, subtopics=subtopics, rows=rows)


def _contents(sides: Sequence[Qrels]) -> tuple[str, Sequence[bytes]]:
    """The ending of the first form that holds all the judgements, and each side in that form.

    Raises InputError where none does, with the first query that is not read back, where others are.
    """
    for form in ("trec", "json", "jsonl", "csv"):
        contents, lost = zip(*(encoded(side, form) for side in sides), strict=True)
        queries = [query for side, some in zip(sides, lost, strict=True) if len(side) for query in some]
        if not queries:
            return FORMS[form].endings[0], contents
    what = "no form of file holds these judgements as they are"
    several = len(queries) < sum(map(len, sides))
    raise InputError(what, query=queries[0] if several else None, hint="other ids, or split without writing files")


def _absent(qrels: Qrels, corpus_ids: Iterable[Any]) -> tuple[Absent, ...]:
    """The judged documents that the corpus lacks, each with an id of the corpus that is spelled alike."""
    if isinstance(corpus_ids, (str, bytes)) or not isinstance(corpus_ids, Iterable):
        raise InputTypeError(f"corpus_ids is {short(corpus_ids)}", hint="a list of document ids")
    corpus = {value if type(value) is str and value else as_id(value) for value in corpus_ids}
    lacking = [(query, doc, grade) for query, judged in qrels.grades.items() for doc, grade in judged.items() if doc not in corpus]
    near = {spelled(doc): doc for doc in sorted(corpus, reverse=True)} if lacking else {}
    return tuple(Absent(query, doc, grade, near.get(spelled(doc))) for query, doc, grade in lacking)
