"""A dictionary that cannot be changed."""

from __future__ import annotations

from typing import Any, NoReturn


class FrozenDict(dict[Any, Any]):
    """A dict that prints, compares, pickles and becomes JSON as one, but refuses to be changed; ``copy()`` is a plain dict."""

    def _refuse(self, *args: Any, **more: Any) -> NoReturn:
        """Raise TypeError, as a tuple does."""
        raise TypeError("it cannot be changed; dict(...) of it can")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)
