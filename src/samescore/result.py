"""Result: means and per-query values, with the policy, backend and report that they came by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from . import __version__, render
from .averaging import Mask
from .dataframes import by_query, frame
from .errors import MeasureError, ResultKeyError, nearest, short
from .frozen import FrozenDict
from .measures import Measure, parse
from .plain import from_plain, to_plain
from .policy import Policy
from .rankspace import Floats, RankSpace
from .report import Report
from .slicing import SLICE_COLUMNS, SliceMean, Slices, slice_means

if TYPE_CHECKING:
    import pandas


COUNTS: Mapping[str, Callable[[Report], int]] = {"queries": lambda r: r.queries, "skipped": lambda r: len(r.skipped)}
"""What a key looks up that is no measure."""


class Result(Mapping[str, float]):
    """What :func:`samescore.evaluate` returns: an immutable mapping from measure to its mean.

    Keys are the measures' names (``"nDCG@10"``); any other name of the same measure (``"ndcg@10"``, a Measure) finds it
    too, and the bare ``"recall"``, ``"mrr"``, ``"ndcg"`` where one measure of that family was computed. ``"queries"`` and
    ``"skipped"`` look up the two counts; iteration yields measures only.
    """

    def __init__(
        self, *, measures: Sequence[Measure], resolved: Sequence[Measure], means: Sequence[float], values: Floats,
        queries: Sequence[str], counted: Mask, policy: Policy, backend: str, report: Report, space: RankSpace | None = None,
        subtopics: RankSpace | None = None, weights: Floats | None = None, labels: Slices | None = None,
        origin: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self._measures = {str(m): m for m in measures}
        self._resolved = dict(zip(self._measures, resolved, strict=True))
        self._means = dict(zip(self._measures, means, strict=True))
        self._values, self._queries, self._counted, self._weights = values, queries, counted, weights
        self._space, self._subtopics = space, subtopics
        self._values.setflags(write=False)
        self.__dict__.update(policy=policy, backend=backend, report=report, labels=labels or Slices())
        own = {"samescore": __version__, "versions": {"numpy": np.__version__}, **(origin or {})}
        self.__dict__["origin"] = FrozenDict(own | {"versions": FrozenDict(own["versions"])})

    policy: Policy
    """The policy."""
    backend: str
    """Name and version of the backend."""
    report: Report
    """What the policy did."""
    labels: Slices
    """The labels of queries that were given as ``slices``."""
    origin: Mapping[str, Any]
    """The versions that computed it; for a result that was read back, also its fingerprint."""

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"a Result is immutable; {name} cannot be set")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Result is immutable; {name} cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._means)

    def __len__(self) -> int:
        return len(self._means)

    def __getitem__(self, key: object) -> float:
        if isinstance(key, str) and key in self._means:
            return self._means[key]
        if isinstance(key, str) and key in COUNTS:
            return COUNTS[key](self.report)
        return self._means[self._find(key)]

    def _find(self, key: object) -> str:
        """The canonical name of the measure that a key means."""
        if isinstance(key, str) and key in self._means:
            return key
        try:
            asked = parse(key)
        except MeasureError:
            raise ResultKeyError(f"{short(key)} is not in the result", hint=nearest(str(key), self._means)) from None
        if str(asked) in self._means:
            return str(asked)
        family = [name for name, m in self._measures.items() if m.name == asked.name]
        bare = asked.cutoff is None and not asked.params
        if bare and len(family) == 1:
            return family[0]
        what = f"{short(key)} is not in the result" if not (bare and family) else f"{short(key)} could be any of several"
        raise ResultKeyError(what, hint=", ".join(family or self._means))

    @property
    def means(self) -> dict[str, float]:
        """Measure -> mean over the queries that are averaged."""
        return dict(self._means)

    @property
    def average(self) -> str:
        """How queries are averaged: ``"macro"`` (each counts alike) or ``"micro"`` (a ratio of sums over all queries)."""
        return "macro" if self._weights is None else "micro"

    @property
    def averaged(self) -> list[str]:
        """The ids of the queries that are averaged, in the order of the qrels."""
        return list(compress(self._queries, self._counted))

    @property
    def resolved(self) -> dict[str, Measure]:
        """Measure -> the same with the gain and the threshold that it was computed with."""
        return dict(self._resolved)

    @property
    def per_query(self) -> pandas.DataFrame:
        """A DataFrame indexed by query_id, a column for each measure; NaN where it is undefined.

        Its rows are the queries that are averaged, in the order of the qrels. Each access makes a new one.
        """
        return by_query(self.averaged, dict(zip(self._means, self._values[self._counted].T, strict=True)))

    def values_of(self, measure: object) -> dict[str, float]:
        """Query -> the value of one measure, without the queries for which it is undefined.

        Raises ResultKeyError for a measure that was not computed.
        """
        return self._column(measure, self._values)

    def weights_of(self, measure: object) -> dict[str, float] | None:
        """Query -> what its value is divided by, for the same queries; None where the average is macro."""
        return None if self._weights is None else self._column(measure, self._weights)

    def _column(self, measure: object, columns: Floats) -> dict[str, float]:
        """Query -> the number in one measure's column, where the measure has a value."""
        i = list(self._means).index(self._find(measure))
        there = ~np.isnan(self._values[:, i])
        return dict(zip(compress(self._queries, there), columns[there, i].tolist(), strict=True))

    def slice_rows(self) -> list[SliceMean]:
        """A row for each slice and measure, the whole first: the mean, its 95 % interval (Student's t), the number of queries."""
        return slice_means(self._resolved, self._values, self._weights, self.labels.masks(self._queries))

    @property
    def slices(self) -> pandas.DataFrame:
        """A DataFrame of :meth:`slice_rows`, with the columns slice, measure, mean, low, high and queries."""
        return frame(map(astuple, self.slice_rows()), SLICE_COLUMNS)

    @property
    def unlabelled(self) -> list[str]:
        """The queries that are averaged and that ``slices`` gave no label."""
        return self.labels.unlabelled(self.averaged)

    @property
    def notes(self) -> list[str]:
        """What a reader of the values should know of the measures, where another tool means something else by the name."""
        return list(dict.fromkeys(m.entry.note for m in self._measures.values() if m.entry.note))

    @property
    def signature(self) -> str:
        """One line to paste into a paper: version, policy, backend and number of queries."""
        micro = "" if self._weights is None else " (micro average)"
        version = self.origin["samescore"]
        return f"samescore {version} | {self.policy.signature} | {self.backend} | queries:{self.report.queries}{micro}"

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that change when anything that a measure can see in run and qrels does, and not with their order."""
        if self._space is None:
            return str(self.origin["fingerprint"])
        digest = hashlib.blake2b(digest_size=16)
        for i in sorted(range(len(self._queries)), key=self._queries.__getitem__):
            digest.update(f"{self._queries[i]!r} {int(self._space.depth[i])}\n".encode())
            digest.update(self._space.rows_of(i))
            if self._subtopics is not None:
                digest.update(self._subtopics.rows_of(i))
        return digest.hexdigest()

    def gain_of(self, name: str) -> str | None:
        """The gain that a measure was computed with: ``"exponential"``, ``"linear"``, ``"listed"``, or None where it has none."""
        measure = self._resolved[name]
        plain = {"exp-log2": "exponential", "log2": "linear"}.get(str(measure.get("dcg")))
        return "listed" if measure.gains else plain

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that JSON can hold, with provenance. Undefined values are None."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Result:
        """The result that :meth:`to_dict` made plain, or :meth:`to_json` and ``json.loads``.

        Raises InputError for what is no such thing.

        >>> from samescore import evaluate
        >>> result = evaluate({"q1": ["d1"]}, {"q1": {"d1": 1}}, backend="reference")
        >>> Result.from_dict(result.to_dict()).to_dict() == result.to_dict()
        True
        """
        return cls(**from_plain(plain))

    def to_json(self, *, indent: int | None = 2) -> str:
        """:meth:`to_dict` as JSON text, which any encoding of Unicode can write: half a surrogate pair in an id is an escape."""
        text = json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def to_markdown(self) -> str:
        """The means as a Markdown table, with what the policy did and the signature below."""
        return render.markdown(self)

    def __str__(self) -> str:
        return render.text(self)

    def __repr__(self) -> str:
        return f"Result({', '.join(f'{m}={v:.4f}' for m, v in self._means.items())}, queries={self.report.queries})"

    def _repr_html_(self) -> str:
        return render.html(self)
