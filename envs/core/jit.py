"""The one set of Numba options, the folder compiled code is kept in, and :func:`bind`.

Every kernel of the project is decorated with :func:`njit` from here. Numba's own cache looks only at
the file of the cached function: edit a function that it calls and old rules run on, silently. So the
cache folder is named by a hash of all sources that kernels are made of.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import types
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba

config: Any = numba.config  # its settings are made at run time
KEPT_FOLDERS = 2  # the newest cache folders; older ones belong to sources that are gone
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "no_cfunc_wrapper": True,
}  # a wrapper for C costs time and is not used
LLVM_LEVEL = 2  # measured: kernels are ready sooner than at Numba's 3, and up to a tenth faster
_PACKAGES = ("envs", "agents")  # kernels elsewhere only call these and functions of their own file
# An edit of these compiles nothing anew.
_WITHOUT_KERNELS = ("agents/play/", "envs/core/drawing/", "envs/dataset/")
_SCENE = "scene.py"  # in the folder of each game, and without kernels too


def source_hash(root: Path | None = None) -> str:
    """Hash of every source file that a kernel can depend on (16 hexadecimal digits)."""
    root = root or Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if name.startswith(_WITHOUT_KERNELS) or path.name == _SCENE:
                continue
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_home() -> Path:
    """``$NUMBA_CACHE_DIR/paizhuo``, else the user's cache folder."""
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR) / "paizhuo"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "paizhuo"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "paizhuo"


def _keep_newest(home: Path) -> None:
    folders = sorted(home.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for old in folders[KEPT_FOLDERS:]:
        shutil.rmtree(old, ignore_errors=True)  # another process may be removing it too


@lru_cache(maxsize=1)
def cache_folder() -> Path | None:
    """The folder for this version of the sources; None, with a warning, where nothing is writable."""
    try:
        checked = "-checked" if config.BOUNDSCHECK else ""  # Numba's cache would mix the two
        folder = _cache_home() / (source_hash() + checked)
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        if not os.access(folder, os.W_OK):
            raise PermissionError(f"{folder} is not writable")
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder
        warnings.warn(
            f"Compiled code cannot be kept ({error}); every start will compile for some seconds. "
            "Set NUMBA_CACHE_DIR to a writable folder.",
            RuntimeWarning,
            stacklevel=3,
        )
        return None
    with contextlib.suppress(OSError):  # another process has just removed a folder we were looking at
        _keep_newest(folder.parent)
    return folder


def njit(function: Callable[..., Any], *, is_part: bool = False, fastmath: Any = False) -> Any:
    """Compile ``function`` with the project's options, cached by source (``numba.njit``).

    LLVM optimises a kernel again, with all that it calls, in each of its callers. With ``is_part`` it is
    compiled as part of them only: where a small kernel calls large ones, that is a level less. ``fastmath``
    is as Numba has it.

    Numba chooses the place of a function's cache when it is decorated, from a setting of the whole
    process. It is set for that moment only, so the caches of other packages stay where they are.
    """
    folder = cache_folder()
    options = {**OPTIONS, "fastmath": fastmath, **({"inline": "always"} if is_part else {})}
    if folder is None:
        return _at_our_level(numba.njit(cache=False, **options)(function))
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        return _at_our_level(numba.njit(cache=True, **options)(function))
    finally:
        config.CACHE_DIR = before


def _at_our_level(dispatcher: Any) -> Any:
    """Have LLVM optimise it as ``LLVM_LEVEL`` says, unless NUMBA_OPT or no compiler is asked for."""
    if config.DISABLE_JIT or "NUMBA_OPT" in os.environ:
        return dispatcher
    compile_as_set = dispatcher.compile

    def compile_at_our_level(signature: Any) -> Any:
        before = config.OPT
        config.OPT = type(before)(LLVM_LEVEL)
        try:
            return compile_as_set(signature)
        finally:
            config.OPT = before

    dispatcher.compile = compile_at_our_level
    return dispatcher


def part(function: Callable[..., Any]) -> Any:
    """As :func:`njit`, but compiled as part of its callers only."""
    return njit(function, is_part=True)


def bind(loop: Callable[..., Any], kernels: Mapping[str, Any], owner: str, *, is_part: bool = False) -> Any:
    """Compile a copy of ``loop`` in which the global names of ``kernels`` mean these kernels.

    A loop is written once, in terms of ``apply``, ``legal``...; each game binds it to its own. The
    copy has a qualified name of its own, hence its own entry in the cache.
    """
    bound = types.FunctionType(
        loop.__code__, {**loop.__globals__, **kernels}, loop.__name__, loop.__defaults__
    )
    bound.__qualname__ = f"{owner}.{loop.__name__}"
    bound.__doc__ = loop.__doc__
    return njit(bound, is_part=is_part)
