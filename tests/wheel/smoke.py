"""What is built from here installs and works where nothing else is: ``python tests/wheel/smoke.py``.

    python tests/wheel/smoke.py                              # builds, looks at what is in it, tries the wheel
    python tests/wheel/smoke.py --python python3.13 --sdist  # another Python, and the source distribution too
    python tests/wheel/smoke.py --borrow                     # faster: with the other packages of this Python

A source distribution and a wheel are built from a copy of the files that Git knows. Each is installed, with
the pinned versions, into a new virtual environment that is then made read-only, also to root; from an empty
folder it has to play, learn, record, and load the agents that come with it (``tried.py``).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRIED = Path(__file__).with_name("tried.py")
PACKAGES = ("envs", "agents", "training")
NEEDED = (
    "envs/py.typed",
    "agents/py.typed",
    "training/py.typed",
    "envs/core/drawing/glyphs.json",
    "envs/core/drawing/LICENSE_DEJAVU",
    "agents/play/static/index.html",
    "agents/pretrained/guan_pai/policy.safetensors",
    "agents/pretrained/guan_pai/about.json",
)
WITHOUT_RIGHTS = ("setpriv", "--inh-caps=-all", "--bounding-set=-all")  # for root, whom mode bits do not stop


def run(*words: str | Path, **more: object) -> str:
    """Run a command; what it printed. Ends the program where it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def tracked() -> list[str]:
    """The files that belong to the project, those that are not committed yet too."""
    told = run("git", "ls-files", "-co", "--exclude-standard", cwd=ROOT)
    return [name for name in told.splitlines() if (ROOT / name).is_file()]


def build(work: Path) -> tuple[Path, Path]:
    """Build in a copy, in an environment of its own; the source distribution and the wheel."""
    for name in tracked():
        (work / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, work / "source" / name)
    run(sys.executable, "-m", "venv", work / "build")
    run(work / "build/bin/pip", "install", "--quiet", "-c", ROOT / "constraints.txt", "build")
    run(work / "build/bin/python", "-m", "build", "--outdir", work / "dist", work / "source")
    (sdist,), (wheel,) = (work / "dist").glob("*.tar.gz"), (work / "dist").glob("*.whl")
    return sdist, wheel


def check_contents(sdist: Path, wheel: Path) -> None:
    """The wheel has every file of the packages and nothing else, the source distribution what makes it."""
    known = tracked()
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
        licences = [name for name in archive.namelist() if "/licenses/" in name]
    ours = {name for name in known if name.startswith(tuple(f"{package}/" for package in PACKAGES))}
    assert found == ours, f"in one of wheel and packages: {sorted(found ^ ours)}"
    assert not set(NEEDED) - found, f"not in the wheel: {sorted(set(NEEDED) - found)}"
    assert len(licences) == 2, f"licences in the wheel: {licences}"
    with tarfile.open(sdist) as archive:
        within = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {*ours, "pyproject.toml", "README.md", "LICENSE"}
    assert not wanted - within, f"not in the source distribution: {sorted(wanted - within)}"


def try_out(python: str, package: Path, work: Path, *, borrow: bool) -> None:
    """Install into a new environment, make it read-only and use it."""
    venv = work / f"venv-{package.suffix[1:]}"
    run(python, "-m", "venv", venv)
    (site,) = (venv / "lib").glob("python*/site-packages")
    install = (venv / "bin/pip", "install", "--quiet", "-c", ROOT / "constraints.txt")
    if borrow:
        (site / "borrowed.pth").write_text(f"{sysconfig.get_paths()['purelib']}\n", encoding="utf-8")
        run(*install, "--ignore-installed", "--no-deps", package)
    else:
        run(*install, f"{package}[play]")
    run("chmod", "-R", "a-w", venv)
    empty = work / f"empty-{package.suffix[1:]}"
    empty.mkdir()
    shutil.copy2(TRIED, empty)
    ours = ("PYTHON", "NUMBA", "VIRTUAL")  # settings that are meant for where this runs
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= {"HOME": str(empty), "XDG_CACHE_HOME": str(empty / "cache")}
    rights = WITHOUT_RIGHTS if hasattr(os, "getuid") and os.getuid() == 0 else ()
    try:
        print(run(*rights, venv / "bin/python", empty / "tried.py", site, cwd=empty, env=environment), end="")
    finally:
        run("chmod", "-R", "u+w", venv)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Build, look at what was built, install it and try it.")
    parser.add_argument("--python", default=sys.executable, help="the Python to install into")
    parser.add_argument("--sdist", action="store_true", help="also install from the source distribution")
    parser.add_argument("--borrow", action="store_true", help="use the packages of the Python that runs this")
    chosen = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="paizhuo-wheel-") as folder:
        work = Path(folder)
        sdist, wheel = build(work)
        check_contents(sdist, wheel)
        print(f"built {sdist.name} and {wheel.name} ({time.monotonic() - began:.0f} s)")
        for package in (wheel, sdist) if chosen.sdist else (wheel,):
            try_out(chosen.python, package, work, borrow=chosen.borrow)
            print(f"{package.name}: works, read-only ({time.monotonic() - began:.0f} s)")


if __name__ == "__main__":
    main()
