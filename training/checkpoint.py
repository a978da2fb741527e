"""Saving so that nothing is ever half-written: whole files and whole folders, or nothing.

A folder is filled under a temporary name, flushed to the disk and renamed. Whoever stops in between
(a full disk, a killed process) leaves the last complete one as it was.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONFIG_FILE, PROGRESS_FILE = "config.json", "progress.csv"  # of a run
ARRAYS_FILE, STATE_FILE = "resume.npz", "state.json"  # of a checkpoint
KEPT = 3  # checkpoints of a run
SECONDS_BETWEEN_SAVES = 60
_UNFINISHED = ".unfinished-"


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file completely or not at all.

    Raises
    ------
    OSError
        If it cannot be written; what was at ``path`` is still there.
    """
    temporary = path.with_name(f"{_UNFINISHED}{os.getpid()}-{path.name}")
    try:
        _write_through(temporary, content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def save_folder(folder: Path, files: Mapping[str, bytes | str]) -> None:
    """Write a new folder with these files, completely or not at all, and drop siblings but for the newest.

    Parameters
    ----------
    folder : Path
        Must not exist; siblings sort by name, oldest first.
    files : mapping of file name to content

    Raises
    ------
    OSError
        If it cannot be written; no sibling has been touched.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left_behind in folder.parent.glob(f"{_UNFINISHED}*"):  # by a process that was killed
        shutil.rmtree(left_behind, ignore_errors=True)
    temporary = folder.with_name(f"{_UNFINISHED}{os.getpid()}-{folder.name}")
    try:
        temporary.mkdir()
        for name, content in files.items():
            _write_through(temporary / name, content)
        _flush_folder(temporary)
        temporary.rename(folder)
        _flush_folder(folder.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    complete = sorted(f for f in folder.parent.iterdir() if not f.name.startswith("."))
    for old in complete[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def newest(folder: Path) -> Path:
    """The newest complete checkpoint among the folders in ``folder``; ValueError if there is none."""
    complete = sorted(f for f in folder.glob("*") if f.is_dir() and not f.name.startswith("."))
    if not complete:
        raise ValueError(f"{folder} holds no checkpoint")
    return complete[-1]


def arrays_bytes(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Arrays as the content of an ``.npz`` file, compressed, without pickle."""
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **dict(arrays))
    return file.getvalue()


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file of ``arrays_bytes``; ValueError if it is none. Runs no code."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} cannot be read ({type(error).__name__}: {error})") from None


def read_json(path: Path) -> Any:
    """What a JSON file holds; ValueError if it is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise ValueError(f"{path} cannot be read ({type(error).__name__}: {error})") from None


def readable_json(content: Any) -> str:
    """JSON as people like to read it."""
    return json.dumps(content, indent=2, ensure_ascii=False, default=str) + "\n"


def csv_text(rows: Sequence[Mapping[str, float]]) -> str:
    """Rows with the same columns as CSV, the columns of the first one as its header."""
    text = io.StringIO(newline="")
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()


def csv_rows(path: Path) -> list[dict[str, float]]:
    """The rows of a file of ``csv_text``; none where there is no file."""
    if not path.exists():
        return []
    rows = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
    return [{name: _number(value) for name, value in row.items()} for row in rows]


def _number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text)


def _write_through(path: Path, content: bytes | str) -> None:
    data = content.encode() if isinstance(content, str) else content
    try:
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:  # a full disk does not say where it is full
        raise OSError(error.errno, error.strerror, str(path)) from error


def _flush_folder(folder: Path) -> None:
    """Make the folder's entries durable, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
