"""The one writer of files: a file appears whole or not at all, links and modes stay, inputs and devices are never replaced."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .errors import InputTypeError, Wording, WriteError, setting, short

PathLike = str | os.PathLike[str]
Content = str | bytes | Iterable[str]
"""What a file holds: text, which is written as UTF-8, bytes, or pieces of text."""

_DESCRIPTOR = re.compile(r"/dev/(?:fd/(\d+)|(stdout|stderr))|/proc/self/fd/(\d+)")
_STANDARD = {"stdout": 1, "stderr": 2}


def write_files(
    files: Mapping[PathLike, Content], *, inputs: Iterable[object], force: bool = False, make_folders: bool = True
) -> None:
    """Write some files, all of them or none.

    Each is written beside its target under a temporary name, flushed to the disk, and renamed when all are there, so that
    after a full disk or an interruption every target is as it was before and nothing is left behind. A symbolic link stays
    one: the file that it leads to is replaced. A file that is replaced keeps its mode and, where that is allowed, its owner.
    A device or a pipe (``/dev/stdout``) is written to directly.

    Parameters
    ----------
    files : mapping
        Path -> content: text (UTF-8 is written, lines as they are), bytes, or an iterable of pieces of text.
    inputs : iterable
        What the content was made from. Of these the paths of files and folders are never written to, nor the files that a
        Run or Qrels was read from; there may be mappings, lists and pairs of these. Empty where nothing was read.
    force : bool
        Replace inputs too.
    make_folders : bool
        Whether folders that are not there are made.

    Raises
    ------
    WriteError
        Where a target is an input, a folder, a socket or a FIFO that nobody reads, or cannot be written; the error names it.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_files({folder / "a.txt": "one", folder / "b.txt": b"two"}, inputs=[])
    >>> sorted(path.name for path in folder.iterdir())
    ['a.txt', 'b.txt']
    """
    sources = [] if force is True else list(inputs)
    for path in files:
        refuse_input(path, sources)
    temporaries: list[_Temporary] = []
    folders: list[Path] = []
    try:
        for path, content in files.items():
            with _named(path):
                if not _write_directly(path, content):
                    target = Path(os.path.realpath(path))
                    if make_folders:
                        _make_folder(target.parent, folders)
                    _beside(target, content, temporaries)
        for temporary in temporaries:
            with _named(temporary.target):
                temporary.replace()
    except BaseException:
        for temporary in reversed(temporaries):
            temporary.undo()
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        raise
    try:
        _drop_backups(temporaries)
    except BaseException:  # an interruption: all is written
        _drop_backups(temporaries)
        raise


def _drop_backups(temporaries: Iterable[_Temporary]) -> None:
    """Forget the files that were there before."""
    for temporary in temporaries:
        temporary.drop_backup()


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it where they are not there, and list which were made."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        made.append(missing)  # first, as an interruption may come between
        missing.mkdir()


def as_folder(folder: object) -> Path:
    """Where several files are written.

    Raises InputTypeError for what is no path, WriteError where it is a file.
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise InputTypeError(f"the folder is {short(folder)}", hint="the path of a folder")
    if os.path.isfile(folder):
        raise WriteError("this is a file, and a folder is wanted", file=folder, hint="a folder that is not there yet")
    return Path(folder)


def refuse_input(path: PathLike, inputs: Iterable[object]) -> None:
    """Raise WriteError where a path is one of the inputs, or a file that stands in one of them, and where it can be no path."""
    try:
        os.fsencode(path)
        real = Path(os.path.realpath(path))
        is_there = real.is_file()
    except (ValueError, OSError):  # a NUL, half a surrogate pair; a name that is too long
        raise WriteError(f"{short(path)} cannot be the name of a file", hint="another name") from None
    if not is_there:
        return
    for source in _paths(inputs):
        if source.is_file() and os.path.samefile(real, source):
            hint = Wording("another name, or ", setting("force", True))
            raise WriteError("this file is an input, and would be overwritten", file=path, hint=hint)
        if source.is_dir() and real.is_relative_to(os.path.realpath(source)):
            what = f"this file is part of the input {source}, and would be overwritten"
            raise WriteError(what, file=path, hint=Wording("another folder, or ", setting("force", True)))


def _paths(inputs: Iterable[object]) -> Iterator[Path]:
    """The paths among inputs: those given as such, the names of what was read, and those in mappings, lists and pairs."""
    for source in inputs:
        name = getattr(source, "name", None)
        if isinstance(source, (str, os.PathLike)):
            yield from _path(source)
        elif isinstance(name, str):
            yield from _path(name)
        elif isinstance(source, Mapping):
            yield from _paths(value for value in source.values() if not isinstance(value, (Mapping, list, tuple)))
        elif isinstance(source, (list, tuple)):
            values = (value[1] if isinstance(value, tuple) and len(value) == 2 else value for value in source)
            yield from _paths(value for value in values if not isinstance(value, (Mapping, list, tuple)))


def _path(name: str | os.PathLike[str]) -> Iterator[Path]:
    """A path, and that of the file in ``NAME=FILE``; none for standard input and for what can be no path."""
    text = os.fspath(name)
    try:
        os.stat(text)
    except ValueError:
        return
    except OSError:
        text = text.partition("=")[2]
    if text not in ("", "-"):
        yield Path(text)


def is_regular(path: PathLike) -> bool:
    """Whether there is a regular file of this name, which can be read before it is replaced; a descriptor is none."""
    return _DESCRIPTOR.fullmatch(os.fspath(path)) is None and os.path.isfile(path)


@contextmanager
def kept_back(files: Mapping[str, Content]) -> Iterator[Path]:
    """A temporary folder that holds some files, so that they can be read before they are written where they belong."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            with _named(Path(folder, name)), open(Path(folder, name), "wb") as file:
                file.writelines(_encoded(content))
        yield Path(folder)


@contextmanager
def _named(path: PathLike) -> Iterator[None]:
    """What fails in writing as an error that names the file."""
    try:
        yield
    except (BrokenPipeError, WriteError):
        raise
    except OSError as error:
        what = f"the file cannot be written: {error.strerror or error}"
        raise WriteError(what, file=path, hint="check the folder, its permissions and the disk") from None
    except UnicodeEncodeError as error:
        what = f"half a surrogate pair has no UTF-8: {short(error.object[max(error.start - 20, 0) : error.end + 20])}"
        raise WriteError(what, file=path, hint="mend the id, or a JSON form, which can hold it") from None


def _write_directly(path: PathLike, content: Content) -> bool:
    """Write to what is no regular file: a descriptor of this process, a device, a FIFO that someone reads."""
    descriptor = _descriptor(os.fspath(path))
    if descriptor is None:
        try:
            mode = os.stat(path).st_mode
        except OSError:
            return False
        if stat.S_ISREG(mode):
            return False
        if stat.S_ISDIR(mode):
            raise WriteError("this is a folder, and a file is wanted", file=path, hint="a name in that folder")
        if stat.S_ISSOCK(mode) or stat.S_ISBLK(mode):
            raise WriteError("this is no file to write to", file=path, hint="another name")
        descriptor = _open_waiting(path)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(_encoded(content))
    return True


def _descriptor(path: str) -> int | None:
    """A copy of the descriptor of this process that a path such as ``/dev/stdout`` names."""
    match = _DESCRIPTOR.fullmatch(path)
    return None if match is None else os.dup(int(match[1] or match[3] or _STANDARD[match[2]]))


def _open_waiting(path: PathLike) -> int:
    """Open a device or a FIFO; a FIFO that nobody reads would wait for ever, and is refused."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise WriteError("nobody reads this pipe", file=path, hint="start what reads it first") from None
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def _encoded(content: Content) -> Iterator[bytes]:
    """Content as bytes."""
    if isinstance(content, (str, bytes)):
        yield content.encode() if isinstance(content, str) else content
        return
    for piece in content:
        yield piece.encode()


@dataclass(slots=True)
class _Temporary:
    """Content under a temporary name beside its target, and the file that was there before, under another."""

    target: Path
    path: Path
    backup: Path | None = None
    is_new: bool = False
    replacing: bool = False

    def replace(self) -> None:
        """Put the content in the target's place. What undoing needs is noted before each step, as it may be interrupted."""
        self.is_new = not self.target.exists()
        if not self.is_new:
            self.backup = _unused_name(self.target)
            try:
                os.link(self.target, self.backup)
            except OSError:  # a file system without hard links: the old file cannot come back
                self.backup = None
        self.replacing = True
        os.replace(self.path, self.target)

    def undo(self) -> None:
        """Leave the target as it was before."""
        is_replaced = self.replacing and not self.path.exists()
        with suppress(OSError):
            if not is_replaced:
                self.path.unlink(missing_ok=True)
                self.drop_backup()
            elif self.backup is not None:
                os.replace(self.backup, self.target)
            elif self.is_new:
                self.target.unlink()

    def drop_backup(self) -> None:
        """Forget the file that was there before."""
        if self.backup is not None:
            with suppress(OSError):
                self.backup.unlink(missing_ok=True)


def _beside(target: Path, content: Content, temporaries: list[_Temporary]) -> None:
    """Write content beside its target, with the mode that it will have, flushed to the disk."""
    try:
        before = target.stat()
    except FileNotFoundError:
        before = None
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    mode = 0o666 if before is None else stat.S_IMODE(before.st_mode)
    path = _unused_name(target)
    temporaries.append(_Temporary(target, path))
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.writelines(_encoded(content))
        file.flush()
        os.fsync(file.fileno())
    if before is not None:
        with suppress(OSError):  # only root may give a file away
            os.chown(path, before.st_uid, before.st_gid)
        os.chmod(path, mode)


def _unused_name(target: Path) -> Path:
    """A hidden name beside a target that no other writer uses."""
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}")
