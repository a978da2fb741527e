"""Beside openai-agents, whose package is named ``agents`` too: one sentence, in whatever order they came."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from envs.core import owner

ROOT = Path(__file__).parents[1]
SENTENCE = owner.sentence(["openai-agents"])
THEIRS = {  # the shape of it: names of its own, and a module or two
    "agents/__init__.py": "import not_installed_here\nfrom .run import Runner\n",
    "agents/run.py": "class Runner:\n    pass\n",
    "openai_agents-0.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: openai-agents\nVersion: 0.0\n",
    "openai_agents-0.0.dist-info/RECORD": "agents/__init__.py,,\nagents/run.py,,\n",
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Our packages in a folder to be imported from."""
    heavy = shutil.ignore_patterns("__pycache__", "*.safetensors", "static")
    for package in ("envs", "agents", "training"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=heavy)
    return tmp_path


def install_theirs(site: Path, *, first: bool) -> None:
    """Lay their files over ours, or as if ours had been laid over them."""
    for name, content in THEIRS.items():
        if first and (site / name).exists():
            continue
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(content)


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    inherited = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run([sys.executable, *words], cwd=site, env=inherited, capture_output=True, text=True)


THEIRS_LAST = """
import envs
assert envs.make("guan_pai").unwrapped.rules.base == 1  # which needs no agents
for use in (lambda: envs.make_gym("guan_pai"), lambda: __import__("training.evaluate")):
    try:
        use()
    except ImportError as error:
        print(error)
"""

OURS_LAST = """
import agents, training.league
from agents import Agent, load
print(load("random", "guan_pai").name, hasattr(agents, "__wrapped__"))
try:
    from agents import Agent, Runner
except ImportError as error:
    print(error)
"""


def test_theirs_came_last(site: Path) -> None:
    install_theirs(site, first=False)
    done = run(site, "-c", THEIRS_LAST)
    assert done.stdout == f"{SENTENCE}\n{SENTENCE}\n", done.stderr
    command = run(site, "-m", "training.runs")
    assert command.returncode and len(command.stderr.splitlines()) == 1 and SENTENCE in command.stderr


def test_ours_came_last(site: Path) -> None:
    install_theirs(site, first=True)
    done = run(site, "-c", OURS_LAST)
    assert done.stdout == f"random False\n{SENTENCE}\n", done.stderr


def test_theirs_was_removed_again_and_took_our_file_with_it(site: Path) -> None:
    (site / "agents/__init__.py").unlink()
    done = run(site, "-c", "import training.league")
    assert done.returncode and done.stderr.splitlines()[-1] == f"ImportError: {owner.sentence([])}"


def test_alone_an_unknown_name_is_an_unknown_name() -> None:
    import agents

    assert owner.others() == [] and not hasattr(agents, "Runner")
    with pytest.raises(AttributeError, match="module 'agents' has no attribute 'Runner'"):
        agents.Runner  # noqa: B018
