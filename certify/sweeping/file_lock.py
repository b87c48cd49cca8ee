"""One writer for a results file: an advisory lock on a small file beside it, which ends with the process that has it.

The lock cannot be on the results file itself: closing any handle of it would drop the locks that SQLite holds there.
"""

from __future__ import annotations

import os
from pathlib import Path

from fpsim.errors import FpcertError, InputError, UnsupportedError

__all__ = ["FileLock"]


class FileLock:
    """Holds `FILE.lock` from the moment it is made until `release`, or until the process ends in any way.

    Raises `InputError` at once when another process has it, with the number of that process.
    """

    def __init__(self, file: Path) -> None:
        try:
            import fcntl
        except ImportError as error:
            raise UnsupportedError("sweeps need the file locks of a Unix system") from error
        self._path = file.with_name(f"{file.name}.lock")
        while True:
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
            except OSError as error:
                raise FpcertError(f"cannot write {str(self._path)!r}: {error.strerror or error}") from error
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(handle, 20).decode("ascii", "replace").strip() or "another process"
                os.close(handle)
                raise InputError(
                    "results file",
                    f"{str(file)!r}, which process {holder} is writing",
                    "a file that no other sweep has open: wait until that one ends, or name another file",
                ) from None
            except OSError as error:
                os.close(handle)
                raise FpcertError(f"cannot lock {str(self._path)!r}: {error.strerror or error}") from error
            if self._is_there(handle):
                break
            os.close(handle)  # its holder has just removed it: what was locked has no name any more
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        self._handle: int | None = handle

    def _is_there(self, handle: int) -> bool:
        try:
            named = self._path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(os.fstat(handle), named)

    def release(self) -> None:
        """Remove the file and let go of it."""
        if self._handle is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None
