"""Progress: what a long command is doing, on stderr, when it takes long and someone is watching."""

from __future__ import annotations

import logging
import sys
import threading
from types import TracebackType

PATIENCE = 2.0
"""Seconds for which nothing is said."""


LOG = logging.getLogger("samescore")
"""Where the library says which run it works on."""


class Progress(logging.Handler):
    """Says what is being done now, a line each, once the work has taken long; says nothing where stderr is no terminal.

    >>> with Progress() as progress:
    ...     progress.now("reading run.txt")
    """

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._text, self._late, self._level = "", False, LOG.level
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._wake)
        self._timer.daemon = True

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._timer.start()
            self._level = LOG.level
            LOG.addHandler(self)
            LOG.setLevel(logging.INFO)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        if self in LOG.handlers:
            LOG.removeHandler(self)
            LOG.setLevel(self._level)

    def emit(self, record: logging.LogRecord) -> None:
        """Say what the library logs."""
        self.now(record.getMessage())

    def now(self, text: str) -> None:
        """Say what is being done from now on."""
        with self._lock:
            self._text = text
            if self._late:
                self._say()

    def _wake(self) -> None:
        """The work takes long: say where it is, and from now on everything."""
        with self._lock:
            self._late = True
            self._say()

    def _say(self) -> None:
        """One line."""
        if self._text:
            print(f"samescore: {self._text} ...", file=sys.stderr, flush=True)
