"""The bytes of a file or of standard input, unpacked, and the words for those that cannot be had."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any

from ..errors import FormatError, InputError, SamescoreError, examples, short
from . import packing

SMALL = 1 << 20
"""Up to this many bytes a file is read line by line."""
BLOCK = 1 << 23
"""Bigger ones are read in blocks of about this many bytes."""
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Content:
    """What a path or ``-`` holds: its beginning, whether that is all, and the way to the rest."""

    name: str
    head: bytes = field(repr=False)
    complete: bool
    path: Path | None
    _rest: Any = field(repr=False, default=None)

    @classmethod
    def of(cls, source: str | os.PathLike[str]) -> Content:
        """Open a path, or standard input for ``-``, and read the beginning.

        Raises InputError where there is no such file, FormatError where a packed file is broken.
        """
        if source == "-":
            with _worded("<stdin>"):
                raw = sys.stdin.buffer
                rest = _unpacked(raw if hasattr(raw, "peek") else io.BufferedReader(raw))
                head = _fill(rest, SMALL + 1)
            return cls("<stdin>", head, len(head) <= SMALL, None, rest)
        path = Path(source)
        with _worded(str(path)), path.open("rb") as raw, _unpacked(raw) as file:
            head = _fill(file, SMALL + 1)
        return cls(str(path), head, len(head) <= SMALL, path)

    @property
    def rereadable(self) -> bool:
        """Whether the bytes can be had a second time."""
        return self.path is not None and self.path.is_file()

    def chunks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The bytes from the beginning, without a byte order mark, some at a time."""
        if self.complete or self._rest is not None:
            yield self.head.removeprefix(BOM)
            yield from () if self.complete else self._read(self._rest, size)
        elif self.path is not None:
            with _worded(self.name), self.path.open("rb") as raw, _unpacked(raw) as file:
                for i, chunk in enumerate(self._read(file, size)):
                    yield chunk if i else chunk.removeprefix(BOM)

    def all(self) -> bytes:
        """All the bytes."""
        return b"".join(self.chunks())

    def _read(self, file: IO[bytes], size: int) -> Iterator[bytes]:
        """What is left of an open file, some at a time."""
        with _worded(self.name):
            while chunk := _fill(file, size):
                yield chunk


def _fill(file: IO[bytes], size: int) -> bytes:
    """The next ``size`` bytes, fewer only at the end; a pipe or an unpacker may give fewer at a time."""
    parts = []
    while size > 0 and (part := file.read(size)):
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _unpacked(raw: Any) -> IO[bytes]:
    """A file as it is, or unpacked if its first bytes are those of a packed one, twice if need be (ranx's lz4)."""
    file = packing.opener(raw.peek(16)[:16])(raw)
    return raw if file is raw else _unpacked(io.BufferedReader(file))


@contextmanager
def _worded(name: str) -> Iterator[None]:
    """Errors of reading in our words."""
    try:
        yield
    except SamescoreError:
        raise
    except FileNotFoundError:
        raise _missing(Path(name)) from None
    except IsADirectoryError:
        raise InputError("this is a directory, not a file", where=name, hint="the path of one file in it") from None
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise _broken(name, error) from None
    except ValueError as error:  # a path that holds a zero byte
        raise InputError(f"the file cannot be read: {error}", where=short(name), hint="check the path") from None
    except OSError as error:
        if error.errno is None:  # bz2 says so of damaged data
            raise _broken(name, error) from None
        raise InputError(f"the file cannot be read: {error.strerror}", where=name, hint="check its permissions") from None


def _broken(name: str, error: Exception) -> FormatError:
    """A packed file that ends too early or is damaged."""
    try:
        with open(name, "rb") as file:
            magic = file.read(16)
    except OSError:  # standard input
        magic = b""
    what = f"the {packing.kind(magic)} file is broken: {error}"
    return FormatError(what, where=name, hint="download or pack it again")


def _missing(path: Path) -> InputError:
    """A file that is not there, with the near names that are."""
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    close = get_close_matches(path.name, beside, 3, 0.5)
    return InputError("there is no such file", where=str(path), hint=examples(close) if close else "check the path")
