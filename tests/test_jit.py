"""Compiled code: its cache follows the sources, keeps to itself, and does what plain Python does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import envs
from envs.core import jit

from .digest import digest

ROOT = Path(envs.__file__).parents[1]
CALLER = "from .core.jit import njit\nfrom .callee import f\n\n@njit\ndef g(x):\n    return f(x) + 1\n"
CALLEE = "from .core.jit import njit\n\n@njit\ndef f(x):\n    return {} * x\n"
SHOWN = ("agents/play/view.py", "envs/core/drawing/picture.py", "envs/guan_pai/scene.py")
ASK = """
import numba
from envs.caller import g
print(g(10), sum(g.stats.cache_hits.values()), g.stats.cache_path, repr(numba.config.CACHE_DIR))
"""


def python(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in ``cwd`` with these environment variables, and without Numba settings of our own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_CACHE_HOME"))}
    command = [sys.executable, "-W", "always", *arguments]
    return subprocess.run(
        command, cwd=cwd, env={**kept, **variables}, capture_output=True, text=True, check=True, timeout=300
    )


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages that kernels are made of, copied, with a small kernel that calls another file's."""
    root = tmp_path_factory.mktemp("copy")
    for package in ("envs", "agents"):
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "envs" / "caller.py").write_text(CALLER)
    (root / "envs" / "callee.py").write_text(CALLEE.format(2))
    return root


def ask(root: Path, **variables: str) -> tuple[int, int, Path, str]:
    """The kernel's answer to 10, how often it came from the cache, from where, and Numba's own setting."""
    answer, hits, folder, setting = python("-c", ASK, cwd=root, **variables).stdout.split()
    return int(answer), int(hits), Path(folder), setting


def written(root: Path) -> dict[Path, int]:
    """When each file was written."""
    return {path: path.stat().st_mtime_ns for path in root.rglob("*")}


@pytest.fixture(scope="module")
def compiled(copied: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A home for which the kernel was compiled, from nothing and in a read-only install; where it is kept."""
    home, before = str(tmp_path_factory.mktemp("home")), written(copied)
    *answer, folder, _ = ask(copied, XDG_CACHE_HOME=home, PYTHONDONTWRITEBYTECODE="1")
    assert answer == [21, 0] and written(copied) == before  # nothing written there
    return home, folder


def test_a_read_only_install_keeps_its_code_in_the_users_cache(copied: Path, compiled: Any) -> None:
    (home, folder), before = compiled, written(copied)
    assert ask(copied, XDG_CACHE_HOME=home, PYTHONDONTWRITEBYTECODE="1")[:3] == (21, 1, folder)
    assert folder.is_relative_to(home) and written(copied) == before


def test_an_edit_of_what_is_shown_compiles_nothing_anew(tmp_path: Path) -> None:
    for name in ("envs/core/rng.py", *SHOWN):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    before = jit.source_hash(tmp_path)
    for name in SHOWN:
        (tmp_path / name).write_text("x = 2\n")
    assert jit.source_hash(tmp_path) == before
    (tmp_path / "envs/core/rng.py").write_text("x = 2\n")
    assert jit.source_hash(tmp_path) != before


def test_what_is_shown_has_no_kernels() -> None:
    files = [*(ROOT / "agents/play").rglob("*.py"), *(ROOT / "envs/core/drawing").rglob("*.py")]
    files += (ROOT / "envs").glob("*/scene.py")
    assert len(files) > 20
    assert not [
        path for path in files if re.search(r"\b(njit|part)\b.*\n *def|jit import", path.read_text("utf-8"))
    ]


def test_an_edited_callee_is_compiled_anew(copied: Path, compiled: Any) -> None:
    home, _ = compiled
    assert ask(copied, XDG_CACHE_HOME=home)[:2] == (21, 1)
    callee = copied / "envs" / "callee.py"
    callee.write_text(CALLEE.format(3))
    assert ask(copied, XDG_CACHE_HOME=home)[:2] == (31, 0)
    callee.write_text(CALLEE.format(2))
    assert ask(copied, XDG_CACHE_HOME=home)[:2] == (21, 1), "both versions are kept"


def test_the_two_newest_folders_are_kept(copied: Path, tmp_path: Path) -> None:
    for age in (100, 200, 300):
        folder = tmp_path / "paizhuo" / f"old-{age}"
        folder.mkdir(parents=True)
        os.utime(folder, (1e9 - age, 1e9 - age))
    answer, _, folder, _ = ask(copied, XDG_CACHE_HOME=str(tmp_path))
    assert {path.name for path in (tmp_path / "paizhuo").iterdir()} == {"old-100", jit.source_hash(copied)}
    assert folder.is_relative_to(tmp_path / "paizhuo" / jit.source_hash(copied)) and answer == 21


def test_bounds_checked_code_is_kept_apart(copied: Path, compiled: Any) -> None:
    home, folder = compiled
    *answer, checked_folder, _ = ask(copied, XDG_CACHE_HOME=home, NUMBA_BOUNDSCHECK="1")
    assert answer == [21, 0] and checked_folder != folder


def test_numba_cache_dir_is_respected(copied: Path, tmp_path: Path) -> None:
    _, _, folder, setting = ask(copied, NUMBA_CACHE_DIR=str(tmp_path))
    assert folder.is_relative_to(tmp_path / "paizhuo") and setting == repr(str(tmp_path))


def test_where_nothing_can_be_written_it_compiles_every_time(copied: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    program = "from envs.caller import g; from envs import guan_pai_v0; print(g(10))"
    done = python("-c", program, cwd=copied, XDG_CACHE_HOME=str(tmp_path / "file"))
    assert done.stdout.split() == ["21"]
    assert len(re.findall("RuntimeWarning: Compiled code cannot be kept", done.stderr)) == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_other_packages_keep_their_cache(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("import numba\n\n@numba.njit(cache=True)\ndef f(x):\n    return x\n")
    program = "import envs, other, numba; print(other.f.stats.cache_path, [numba.config.CACHE_DIR])"
    home = str(tmp_path / "home")
    found = python("-c", program, cwd=tmp_path, XDG_CACHE_HOME=home, PYTHONPATH=str(ROOT)).stdout.split()
    assert found == [str(tmp_path / "__pycache__"), "['']"]


def test_not_compiled_it_plays_the_same_games(rotate: int) -> None:
    lines = python("-m", "tests.digest", str(rotate), cwd=ROOT, NUMBA_DISABLE_JIT="1").stdout.splitlines()
    assert lines == [f"{game} {digest(game, rotate)}" for game in envs.games()]
