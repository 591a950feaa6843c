"""Chunks and documents: a run of chunks read as a run of the documents that they are part of, in the same order."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import InputTypeError, SamescoreWarning, short
from .found import Found, Run
from .values import as_id, as_ids

DocOf = Callable[[str], Any]
"""From the id of a chunk to that of its document, or None."""


def to_documents(run: Run, doc_of: Any) -> Run:
    """The run with the document of each chunk in its place; order and scores stay, so a document may be there many times.

    ``doc_of`` is {chunk: document} (also a pandas Series), or a function from chunk to document. A chunk that the mapping
    lacks, or for which the function answers None, stays as it is and is counted in ``Run.unmapped``.

    Raises InputTypeError for what is neither, IdError for a document that is no id.
    """
    look_up = document_lookup(doc_of)
    rankings: dict[str, Found] = {}
    unmapped: dict[str, int] = {}
    for query, found in run.rankings.items():
        chunks = list(found.docs)
        docs = [look_up(chunk) for chunk in chunks]
        alone = docs.count(None)
        if alone:
            unmapped[query] = alone
            docs = [chunk if doc is None else doc for chunk, doc in zip(chunks, docs, strict=True)]
        rankings[query] = _found(as_ids(docs, query=query), found)
    _warn_unmapped(run, unmapped)
    return replace(run, rankings=rankings, unmapped=unmapped)


def document_lookup(doc_of: Any) -> DocOf:
    """How the document of a chunk is found, as a function; what is a function stays as it is.

    Raises InputTypeError for what is neither a mapping nor a function.
    """
    if hasattr(doc_of, "columns"):  # whose items are its columns
        raise InputTypeError("doc_of is a DataFrame", hint="frame.set_index(chunk)[document], a Series, or {chunk: document}")
    if isinstance(doc_of, Mapping) or hasattr(doc_of, "items"):
        documents = doc_of if type(doc_of) is dict else dict(doc_of.items())
        if set(map(type, documents)) - {str}:
            documents = {as_id(chunk, kind="chunk"): doc for chunk, doc in documents.items()}
        return documents.get
    if callable(doc_of):
        return doc_of  # type: ignore[no-any-return]  # whatever it answers is checked
    raise InputTypeError(f"doc_of is {short(doc_of)}", hint="{chunk: document}, or a function from chunk to document")


def _found(docs: list[str], chunks: Found) -> Found:
    """The ranking of documents; a dict, which is quicker to score, where none is there twice."""
    if chunks.scores is None or len(set(docs)) < len(docs):
        return Found(docs, chunks.scores)
    return Found(dict(zip(docs, chunks.scores.tolist(), strict=True)), chunks.scores)


def _warn_unmapped(run: Run, unmapped: Mapping[str, int]) -> None:
    """Warn where doc_of has no document for any chunk of the whole run."""
    if run.rows and sum(unmapped.values()) == run.rows:
        what = "doc_of has none of the retrieved ids: are they documents already, or chunks of another index?"
        warnings.warn(what, SamescoreWarning, stacklevel=5)
