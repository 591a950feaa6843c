"""Result: means and per-query values, with the policy, backend and report that they came by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from . import __version__, render
from .averaging import Mask
from .errors import MeasureError, ResultKeyError, nearest, short
from .measures import Measure, parse
from .policy import Policy
from .rankspace import Floats, RankSpace
from .report import Report

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
        queries: Sequence[str], counted: Mask, policy: Policy, backend: str, report: Report, space: RankSpace,
        subtopics: RankSpace | None = None,
    ) -> None:  # fmt: skip
        self._measures = {str(m): m for m in measures}
        self._resolved = dict(zip(self._measures, resolved, strict=True))
        self._means = dict(zip(self._measures, means, strict=True))
        self._values, self._queries, self._counted, self._space, self._subtopics = values, queries, counted, space, subtopics
        self._values.setflags(write=False)
        self.__dict__.update(policy=policy, backend=backend, report=report)

    policy: Policy
    """The policy."""
    backend: str
    """Name and version of the backend."""
    report: Report
    """What the policy did."""

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
    def per_query(self) -> pandas.DataFrame:
        """A DataFrame indexed by query_id, a column for each measure; NaN where it is undefined.

        Its rows are the queries that are averaged, in the order of the qrels. Each access makes a new one.
        """
        import pandas  # noqa: PLC0415  # takes long to import, and not every use needs a frame

        index = pandas.Index(list(compress(self._queries, self._counted)), name="query_id", dtype=object)
        return pandas.DataFrame(self._values[self._counted], index=index, columns=list(self._means))

    @property
    def notes(self) -> list[str]:
        """What a reader of the values should know of the measures, where another tool means something else by the name."""
        return list(dict.fromkeys(m.entry.note for m in self._measures.values() if m.entry.note))

    @property
    def signature(self) -> str:
        """One line to paste into a paper: version, policy, backend and number of queries."""
        return f"samescore {__version__} | {self.policy.signature} | {self.backend} | queries:{self.report.queries}"

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits that change when anything that a measure can see in run and qrels does, and not with their order."""
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
        rows = zip(compress(self._queries, self._counted), self._values[self._counted].tolist(), strict=True)
        return {
            "samescore": __version__,
            "backend": self.backend,
            "signature": self.signature,
            "policy": {name: getattr(self.policy, name) for name in Policy.__dataclass_fields__},
            "versions": {"numpy": version("numpy")},
            "fingerprint": self.fingerprint,
            "queries": self.report.queries,
            "measures": {m: self._described(m) for m in self},
            "per_query": {q: {m: None if np.isnan(v) else v for m, v in zip(self, row, strict=True)} for q, row in rows},
            "report": self.report.to_dict(),
        }

    def _described(self, name: str) -> dict[str, Any]:
        """A measure's value and what it is made of; a count is a sum, which the key ``mean`` holds too."""
        described = {"mean": self._means[name], "n": self.report.n[name], "gain": self.gain_of(name)}
        aggregate = self._measures[name].entry.aggregate
        return described if aggregate == "mean" else {**described, "aggregate": aggregate}

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
