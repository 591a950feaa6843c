"""The bytes of a file or of standard input, unpacked, and the words for those that cannot be had."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any

from ..errors import FormatError, InputError, MissingLibraryError, SamescoreError, examples, short

Opener = Callable[[Any], Any]


def opener(magic: bytes) -> Opener:
    """What opens a file with these first bytes for reading; the file itself where it is not packed."""
    return next((opens for first, opens, _ in _PACKED if re.match(first, magic)), _plain)


def kind(magic: bytes) -> str:
    """The name of the packing that has these first bytes."""
    return next((name for first, _, name in _PACKED if re.match(first, magic)), "packed")


def _plain(raw: Any) -> Any:
    return raw


def _gzip(raw: IO[bytes]) -> gzip.GzipFile:
    return gzip.GzipFile(fileobj=raw)


def _zstandard(raw: IO[bytes]) -> Any:
    """By the standard library where it has it (3.14), else by backports.zstd or zstandard."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name).ZstdFile(raw)
        except ImportError:
            continue
    zstandard = _library("zstandard", "zstandard")
    return io.BufferedReader(_Frames(raw, zstandard.ZstdDecompressor))


def _lz4(raw: IO[bytes]) -> Any:
    return _library("lz4.frame", "lz4").LZ4FrameFile(raw)


def _library(module: str, package: str) -> Any:
    """A library that unpacks, if it is there."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingLibraryError(f"{package} is not installed, which unpacks this file", hint=f"pip install {package}") from None


class _Frames(io.RawIOBase):
    """Zstandard frames as one stream; zstandard's own reader takes a truncated frame for a whole one."""

    def __init__(self, raw: IO[bytes], decompressor: Callable[[], Any]) -> None:
        self._raw, self._new = raw, decompressor
        self._frame, self._ready = decompressor().decompressobj(), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes; 0 at the end.

        Raises EOFError where the last frame is cut short.
        """
        while not self._ready:
            packed = self._frame.unused_data if self._frame.eof else self._raw.read(1 << 17)
            if self._frame.eof:
                packed = packed or self._raw.read(1 << 17)
                if not packed:
                    return 0
                self._frame = self._new().decompressobj()
            elif not packed:
                raise EOFError("a zstandard frame ends before its end")
            self._ready = memoryview(self._unpack(packed))
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _unpack(self, packed: bytes) -> bytes:
        """The next bytes of the frame."""
        try:
            return self._frame.decompress(packed)  # type: ignore[no-any-return]  # zstandard may be absent, so it has no types here
        except Exception as error:  # its own error class, and it is imported by name
            raise EOFError(str(error)) from None


_PACKED: tuple[tuple[bytes, Opener, str], ...] = (
    (rb"\x1f\x8b", _gzip, "gzip"),
    (rb"\x28\xb5\x2f\xfd", _zstandard, "zstandard"),
    (rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", bz2.BZ2File, "bzip2"),
    (rb"\xfd7zXZ\x00", lzma.LZMAFile, "xz"),
    (rb"\x04\x22\x4d\x18", _lz4, "lz4"),
)

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
    file = opener(raw.peek(16)[:16])(raw)
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
        raise InputError("this is a directory, not a file", file=name, hint="the path of one file in it") from None
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise _broken(name, error) from None
    except ValueError as error:  # a path that holds a zero byte
        raise InputError(f"the file cannot be read: {error}", file=short(name), hint="check the path") from None
    except OSError as error:
        if error.errno is None:  # bz2 says so of damaged data
            raise _broken(name, error) from None
        raise InputError(f"the file cannot be read: {error.strerror}", file=name, hint="check its permissions") from None


def _broken(name: str, error: Exception) -> FormatError:
    """A packed file that ends too early or is damaged."""
    try:
        with open(name, "rb") as file:
            magic = file.read(16)
    except OSError:  # standard input
        magic = b""
    what = f"the {kind(magic)} file is broken: {error}"
    return FormatError(what, file=name, hint="download or pack it again")


def _missing(path: Path) -> InputError:
    """A file that is not there, with the near names that are."""
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    close = get_close_matches(path.name, beside, 3, 0.5)
    return InputError("there is no such file", file=path, hint=examples(close) if close else "check the path")
