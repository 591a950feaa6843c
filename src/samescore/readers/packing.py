"""Packed files: gzip, zstandard, bzip2, xz and lz4, told by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import re
from collections.abc import Callable
from typing import IO, Any

from ..errors import MissingLibraryError

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
