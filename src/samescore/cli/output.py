"""How a command writes its result: printed, or to a file, in a form and a style."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError, plain


@dataclass(frozen=True, slots=True)
class Written:
    """How a result is written: its form and style; printed, or to a file that is none of what was ``typed``, but with ``force``.

    Raises InputError for a style that the form does not have, WriteError where an input would be overwritten.
    """

    form: str = ""
    style: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None
    typed: Sequence[object] = ()
    force: bool = False

    def __post_init__(self) -> None:
        if self.style:
            from ..display import EXACT, Style  # which --help does not need

            if self.form in EXACT and self.style.keys() != {"quiet"}:
                raise InputError(f"{self.form} has the values with all their digits", hint="--format table")
            Style(**self.style)
        if self.file is not None and not self.force:
            from ..writing import refuse_input  # as above

            refuse_input(self.file, self.typed)

    def write(self, result: Any) -> None:
        """Print a result, or write it to the file and print the name of that."""
        text = result if isinstance(result, str) else self._rendered(result)
        if self.file is None:
            print(text)
            return
        from ..writing import write_files  # which --help does not need

        write_files({self.file: f"{text}\n"}, inputs=self.typed, force=self.force)
        if message := message_on_writing(self.file, self.file):
            print(message)

    def _rendered(self, result: Any) -> str:
        """A result in the form; what stdout could not write is an escape in JSON."""
        from ..display import Style, render  # which --help does not need

        unicode = self.file is not None or (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
        return render(result, self.form, ascii=not unicode, style=Style(**self.style))


def message_on_writing(file: str, text: str) -> str | None:
    """The text to print once a file was written; None for a device or a pipe, which may be stdout itself."""
    from ..writing import is_regular  # which --help does not need

    return plain(text) if is_regular(file) else None
