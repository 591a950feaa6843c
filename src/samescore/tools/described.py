"""The catalogue in words: what a measure is, its parameters, its source, its names in each tool and who computes it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..backends import matrix
from ..display import Displayed, Part, Table
from ..measures import CATALOGUE, parse
from ..measures.names import EVERY, meaning_of
from ..reference import DEFINITIONS


@dataclass(frozen=True, slots=True, repr=False)
class Description(Displayed):
    """Measures of the catalogue.

    Parameters
    ----------
    measures
        Their names in the catalogue.
    whole
        Whether all that is known is shown, or one line a measure.
    """

    measures: tuple[str, ...]
    whole: bool

    def parts(self) -> list[Part]:
        """A row a measure, or of one all that is known."""
        lines = [(name, CATALOGUE[name].family, CATALOGUE[name].cutoff) for name in self.measures]
        table = Table(["measure", "plain name", "cutoff"], lines)
        if not self.whole:
            return [table, *(f"{name}: {_definition(name)}" for name in self.measures)]
        facts = self.to_dict()[self.measures[0]]
        told = [f"{name}: {facts[name]}" for name in ("definition", "source", "note") if facts[name]]
        params = [f"parameter {name}: {kind}" for name, kind in facts["parameters"].items()]
        named = [f"in {tool}: {', '.join(names)}" for tool, names in facts["names"].items()]
        return [table, *told, *params, f"backends: {', '.join(facts['backends'])}", *named]

    def records(self) -> Table:
        """A row for each measure, tool and name."""
        rows = [(m, tool, name) for m in self.measures for tool, names in _names(m).items() for name in names]
        return Table(["measure", "tool", "name"], rows)

    def to_dict(self) -> dict[str, Any]:
        """{measure: what is known of it}."""
        gaps = matrix()
        return {
            name: {
                "definition": _definition(name),
                "plain name": CATALOGUE[name].family,
                "cutoff": CATALOGUE[name].cutoff,
                "source": CATALOGUE[name].source,
                "note": CATALOGUE[name].note,
                "parameters": dict(_parameters(name)),
                "names": _names(name),
                "backends": [backend for backend, gap in gaps[name].items() if gap is None],
            }
            for name in self.measures
        }


def describe(measure: Any = None, *, tool: str = "samescore") -> Description:
    """What a measure is: definition, parameters, source, its names in each tool and the backends that have it.

    Parameters
    ----------
    measure
        The measure, by any of its names; by default all of the catalogue, a line each.
    tool
        Whose name it is, as in :func:`parse`.

    Returns
    -------
    Description
        It prints as a table; ``to_dict()`` has all that is known.

    Raises
    ------
    MeasureError
        For a name that is unknown, or that means different things in different tools.

    Examples
    --------
    >>> describe("context_precision").to_dict()["AP"]["names"]["haystack"]
    ['DocumentMAP', 'DocumentMAPEvaluator', 'Document MAP']
    >>> len(describe().measures) > 40
    True
    """
    return Description(tuple(CATALOGUE), False) if measure is None else Description((parse(measure, tool).name,), True)


def _definition(name: str) -> str:
    """The first paragraph of the reference's docstring, on one line."""
    return " ".join((inspect.getdoc(DEFINITIONS[name]) or "").partition("\n\n")[0].split()).replace("``", "")


def _parameters(name: str) -> Iterator[tuple[str, str]]:
    """Each parameter, and what it must be, with its default."""
    for param, entry in CATALOGUE[name].params.items():
        default = f"by policy: {entry.filled_by}" if entry.filled_by else f"default: {entry.default}"
        yield param, f"{entry.kind} ({'required' if entry.required else default})"


def _names(name: str) -> dict[str, list[str]]:
    """Tool -> its names for a measure, each with what it means where that is more than the measure itself."""
    named = {
        tool: [
            text if measure == name else f"{text} = {measure}"
            for text, measure in entry.names.items()
            if meaning_of(measure) == name
        ]
        for tool, entry in EVERY.items()
    }
    return {tool: names for tool, names in named.items() if names}
