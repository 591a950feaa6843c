"""The bytes of a file or of standard input, unpacked, and the words for those that cannot be had."""

from __future__ import annotations

import gzip
import importlib
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..errors import FormatError, InputError, InputTypeError, MissingLibraryError, SamescoreError, examples, short
from ..user_code import raising

SMALL = 1 << 20
"""Up to this many bytes a file is read line by line."""

BLOCK = 1 << 23
"""Bigger ones are read in blocks of about this many bytes."""

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Content:
    """What a path or ``-`` holds, while it is open: its beginning, whether that is all, and the way to the rest.

    ``head`` is without a byte order mark. ``rereadable`` is False for what can be read once, such as a pipe.
    ``labels`` are the words that stand for grades in it.
    """

    name: str
    head: bytes = field(repr=False)
    complete: bool
    rereadable: bool
    file: IO[bytes] = field(repr=False)
    labels: Mapping[str, float] = field(default_factory=dict, repr=False)

    def chunks(self) -> Iterator[bytes]:
        """The bytes from the beginning, some at a time; they can be had once."""
        yield self.head
        with _reading(self.name):
            while not self.complete and (chunk := _fill(self.file, BLOCK)):
                yield chunk

    def all(self) -> bytes:
        """All the bytes."""
        return b"".join(self.chunks())


def _bytes_of(file: Any) -> IO[bytes]:
    """What is left to read of an open file, which stays open."""
    with raising("the file cannot be read:", InputError, passing=(SamescoreError,), hint="a file that is open for reading"):
        rest = file.read()
    if not isinstance(rest, (str, bytes)):
        raise InputTypeError(f"the file gives {short(rest)}, neither text nor bytes", hint="open(path)")
    return io.BytesIO(rest.encode("utf-8", "surrogatepass") if isinstance(rest, str) else rest)


def is_file_object(source: object) -> bool:
    """Whether this is an open file, of text or bytes."""
    try:
        return not isinstance(source, type) and callable(getattr(source, "read", None)) and hasattr(source, "readline")
    except Exception:  # an object whose attributes raise what they like
        return False


@contextmanager
def open_content(source: Any) -> Iterator[Content]:
    """Open a path, standard input for ``-``, or a file object, and read the beginning; errors that are raised meanwhile name it.

    Raises InputError where there is no such file, FormatError where a packed file is broken.
    """
    if is_file_object(source):
        name = getattr(source, "name", "")
        name = name if isinstance(name, str) and name else "<file>"
        with _name_file_in_errors(name):
            yield _begun(_bytes_of(source), name, rereadable=False)
        return
    if source == "-":
        with _name_file_in_errors("<stdin>"):
            if sys.stdin is None:
                raise InputError("standard input is closed", file="<stdin>", hint="a file")
            yield _begun(sys.stdin.buffer, "<stdin>", rereadable=False)
        return
    name = str(Path(source))
    with _name_file_in_errors(name):
        with _reading(name):
            file = Path(source).open("rb")  # noqa: SIM115  # closed below
        with file:
            yield _begun(file, name, rereadable=_is_rereadable(file))


def _begun(file: Any, name: str, *, rereadable: bool) -> Content:
    """An open file with its beginning read."""
    with _reading(name):
        unpacked = _unpacked(file)
        head = _fill(unpacked, SMALL + 1)
    return Content(name, head.removeprefix(BOM), len(head) <= SMALL, rereadable, unpacked)


@contextmanager
def _name_file_in_errors(name: str) -> Iterator[None]:
    """Name the file in errors about what is in it."""
    try:
        yield
    except InputError as error:
        raise error.at(file=name) from None


def _is_rereadable(file: IO[bytes]) -> bool:
    """Whether a path gives its first byte again when it is opened again; ``/dev/fd/3`` may be an open file, read so far."""
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode) and not str(file.name).startswith("/dev/")


def _fill(file: IO[bytes], size: int) -> bytes:
    """The next ``size`` bytes, fewer only at the end; a pipe or an unpacker may give fewer at a time."""
    parts = []
    while size > 0 and (part := file.read(size)):
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


class _Packing(NamedTuple):
    """One way to pack files: its name, its first bytes, and the module, class and package that unpack one member."""

    name: str
    magic: bytes
    module: str
    decompressor: str
    package: str = ""

    def new(self) -> Any:
        """What unpacks the next member: it has ``decompress``, ``eof``, ``needs_input`` and ``unused_data``."""
        try:
            return getattr(importlib.import_module(self.module), self.decompressor)()
        except ImportError:
            what = f"{self.package} is not installed, which unpacks this file"
            raise MissingLibraryError(what, hint=f"pip install {self.package}") from None


_ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
"""zstandard would do, but takes a truncated frame for a whole one."""

_PACKINGS = (
    _Packing("gzip", rb"\x1f\x8b", "gzip", "GzipFile"),
    _Packing("zstandard", rb"\x28\xb5\x2f\xfd", _ZSTD, "ZstdDecompressor", "backports.zstd"),
    _Packing("bzip2", rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", "bz2", "BZ2Decompressor"),
    _Packing("xz", rb"\xfd7zXZ\x00", "lzma", "LZMADecompressor"),
    _Packing("lz4", rb"\x04\x22\x4d\x18", "lz4.frame", "LZ4FrameDecompressor", "lz4"),
)


class _Members(io.RawIOBase):
    """The members of a packed file, one after the other, as one stream.

    BZ2File and LZMAFile take a damaged member for the end of the file, and pbzip2 makes many.
    """

    def __init__(self, raw: IO[bytes], packing: _Packing) -> None:
        self._raw, self._packing, self._member = raw, packing, packing.new()

    def readable(self) -> bool:
        """Whether it can be read, which io.BufferedReader asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes; 0 at the end. Raises FormatError for a member that is damaged or cut short."""
        unpacked = b""
        while not unpacked:
            packed = b""
            if self._member.eof:
                packed = self._next_member()
                if not packed:
                    return 0
                self._member = self._packing.new()
            elif self._member.needs_input:
                packed = self._raw.read(_PIECE)
                if not packed:
                    raise _broken(self._packing.name, "Compressed file ended before the end-of-stream marker was reached")
            try:
                unpacked = self._member.decompress(packed, len(buffer))
            except Exception as error:  # each library has its own class
                raise _broken(self._packing.name, error) from None
        buffer[: len(unpacked)] = unpacked
        return len(unpacked)

    def _next_member(self) -> bytes:
        """The first bytes of the next member, after zeros, with which xz pads; nothing at the end of the file."""
        packed = (self._member.unused_data or b"").lstrip(b"\0")  # lz4 has None for nothing
        while not packed and (piece := self._raw.read(_PIECE)):
            packed = piece.lstrip(b"\0")
        return packed


_PIECE = 1 << 17

_LAYERS = 2
"""How often a file may be packed: ranx's lz4 files are packed twice. A gzip file can be made that unpacks to itself."""


def _unpacked(file: Any) -> IO[bytes]:
    """A file as it is, or unpacked where its first bytes are those of a packed one."""
    file = file if hasattr(file, "peek") else io.BufferedReader(file)
    for _ in range(_LAYERS):
        magic = file.peek(16)[:16]
        packing = next((packing for packing in _PACKINGS if re.match(packing.magic, magic)), None)
        if packing is None:
            break
        gzipped = packing.name == "gzip"  # whose own reader refuses a damaged member
        file = gzip.GzipFile(fileobj=file, mode="rb") if gzipped else io.BufferedReader(_Members(file, packing))
    return file  # type: ignore[no-any-return]  # a file of bytes


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Word the errors of opening and reading a file."""
    try:
        yield
    except SamescoreError:
        raise
    except FileNotFoundError:
        raise _missing(Path(name)) from None
    except IsADirectoryError:
        raise InputError("this is a directory, not a file", file=name, hint="the path of one file in it") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _broken("gzip", error) from None
    except ValueError as error:  # a path that holds a zero byte
        raise InputError(f"the file cannot be read: {error}", file=short(name), hint="check the path") from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", file=name, hint="check its permissions") from None


def _broken(packing: str, what: object) -> FormatError:
    """A packed file that is damaged or ends too early."""
    return FormatError(f"the {packing} file is broken: {what}", hint="download or pack it again")


def _missing(path: Path) -> InputError:
    """A file that is not there, with the near names that are."""
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    close = get_close_matches(path.name, beside, 3, 0.5)
    return InputError("there is no such file", file=path, hint=examples(close) if close else "check the path")
