"""Groups of equals: the runs that a test of all pairs cannot tell apart, as letters."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterable, Mapping, Sequence


def group_letters(ranked: Sequence[str], different: Collection[frozenset[str]]) -> Mapping[str, str]:
    """Run -> its letters, so that two runs have a letter in common where they are not in ``different``, and only there.

    ``ranked`` are the runs, the best first, which has the letter ``a``. A group is as large as it can be, by inserting and
    absorbing columns (Piepho 2004, An algorithm for a letter-based representation of all-pairwise comparisons, Journal of
    Computational and Graphical Statistics 13(2)).

    >>> group_letters(["x", "y", "z"], {frozenset("xz")})
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    groups = [frozenset(ranked)]
    for pair in different:
        kept = [group for group in groups if not pair <= group]
        parts = [group - {run} for group in groups if pair <= group for run in pair]
        groups = kept + [part for part in dict.fromkeys(parts) if not any(part <= group for group in kept)]
    place = {run: i for i, run in enumerate(ranked)}
    groups.sort(key=lambda group: sorted(map(place.__getitem__, group)))
    letters = dict(zip(groups, short_names(len(groups)), strict=True))
    return {run: joined(letter for group, letter in letters.items() if run in group) for run in ranked}


def short_names(n: int) -> list[str]:
    """Short names: letters, and numbers for what is beyond z and Z.

    >>> short_names(3), short_names(54)[-3:]
    (['a', 'b', 'c'], ['Z', '53', '54'])
    """
    return [*string.ascii_letters, *(str(i) for i in range(len(string.ascii_letters) + 1, n + 1))][:n]


def joined(letters: Iterable[str]) -> str:
    """Letters together, with commas where one is a number.

    >>> joined(["a", "b"]), joined(["a", "53"])
    ('ab', 'a,53')
    """
    listed = list(letters)
    return ("," if any(len(letter) > 1 for letter in listed) else "").join(listed)
