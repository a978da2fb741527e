"""Datasets as files: NumPy's compressed ``.npz``, written and read without pickle."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import numpy as np

from ..core.game import get
from ..record import Record, placed, whole
from .arrays import COLUMNS, Choice, Dataset, parts_of

FORMAT = 1  # of the file; grows when what is in it changes its meaning
ABOUT, PLAYERS = "about", "players"  # arrays of text
FASTEST = 1  # level of compression: observations are mostly zeros, a higher one brings little
COPIED_AT_ONCE = 1 << 20  # bytes


class Source:
    """The records of some files, one after another, and which files these were."""

    def __init__(self, files: Sequence[str | os.PathLike[str]]) -> None:
        self._files = [Path(file) for file in files]
        self._games = [0] * len(files)

    def __iter__(self) -> Iterator[tuple[str, Record]]:
        for number, file in enumerate(self._files):
            for place, record in placed(file):
                self._games[number] += 1
                yield place, record

    def told(self) -> list[dict[str, Any]]:
        """What a dataset says of the files when they have been read."""
        return [
            {"name": file.name, "sha256": _sha256(file), "games": games}
            for file, games in zip(self._files, self._games, strict=True)
        ]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def described(part: Dataset, games: int, decisions: int, source: Source) -> dict[str, Any]:
    """What a dataset says about itself, from the last of its parts."""
    told = {"format": FORMAT, "games": games, "decisions": decisions, "files": source.told()}
    return part.about | told | {"paizhuo": _own_version()}


def write(
    files: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    seats: Sequence[int] | None = None,
    players: Sequence[str] | None = None,
    skip_forced: bool = False,
) -> dict[str, Any]:
    """Write the decisions of files of records to a file, completely or, if anything fails, not at all.

    It needs the memory of some games, and meanwhile room beside ``out`` for the arrays as they are. The same
    records give the same bytes.

    Parameters
    ----------
    files : sequence of paths
        Of JSON lines, see ``envs.record``.
    out : path
    seats, players, skip_forced
        As in :func:`parts`.

    Returns
    -------
    dict
        What the dataset says about itself (:class:`Dataset`), with its number of ``games`` and ``decisions``.

    Raises
    ------
    ValueError
        As :func:`parts`, with file and line.
    OSError
        If a file cannot be read or written; what was at ``out`` is still there.
    """
    out, source = Path(out), Source(files)
    games = decisions = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix=".unfinished-", dir=out.parent)))
        kept = {n: stack.enter_context((folder / n).open("w+b")) for n in COLUMNS if n != PLAYERS}
        names: list[list[str]] = []  # an array of text is as wide as the longest, which the end shows
        for part in parts_of(source, Choice(seats, players, skip_forced)):
            for name, file in kept.items():
                file.write(getattr(part, name).tobytes())
            names += part.players.tolist()
            games, decisions = games + len(part.players), decisions + len(part)
        about = described(part, games, decisions, source)
        with whole(out) as to, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=FASTEST) as z:
            for name, content in kept.items():
                array = getattr(part, name)
                count = decisions if COLUMNS[name].shape.startswith("(D") else games
                _copy(content, array.dtype, (count, *array.shape[1:]), z, name)
            for name, text in ((PLAYERS, np.array(names)), (ABOUT, np.array(json.dumps(about)))):
                with z.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, text, allow_pickle=False)
    return about


def _copy(
    content: BinaryIO, dtype: np.dtype[Any], shape: tuple[int, ...], archive: zipfile.ZipFile, name: str
) -> None:
    """Put an array whose numbers are the ``content`` of a file into the ``archive``."""
    head = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    content.seek(0)
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(member, head)
        shutil.copyfileobj(content, member, COPIED_AT_ONCE)


def _own_version() -> str | None:
    try:
        return version("paizhuo")
    except PackageNotFoundError:  # run from its sources
        return None


def load(path: str | os.PathLike[str]) -> Dataset:
    """The dataset in a file of :func:`write`. Runs no code.

    Raises
    ------
    ValueError
        If it is no such file, or of another version of its format or of the game's rules.
    OSError
        If the file cannot be read.
    """
    with Path(path).open("rb") as file:
        try:
            with np.lib.npyio.NpzFile(file, allow_pickle=False) as arrays:
                about = json.loads(str(arrays[ABOUT]))
                columns = {name: arrays[name] for name in COLUMNS}
            made_by, of_rules, game = about["format"], about["version"], about["game"]
            info = get(game).info(get(game).rules.make(about["rules"]))
        except (ValueError, TypeError, LookupError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            raise ValueError(f"{os.fspath(path)} is no dataset of games ({reason})") from None
    if (made_by, of_rules) != (FORMAT, info.version):
        raise ValueError(
            f"{os.fspath(path)} is of version {made_by} of the format, {of_rules} of {game}'s rules; these "
            f"are {FORMAT} and {info.version}: make it again from its records"
        )
    return Dataset(**columns, about=about)
