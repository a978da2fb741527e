"""The examples of docs/pages/libraries.md run with the libraries they are of, and with ``--slow`` learn.

Each library has an environment of its own: ``pip install -r tests/interop/<library>.txt -e .``, and there
``pytest tests/interop``. What is not installed is skipped.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/pages/libraries.md"
CODE = re.compile(r"^```python\n(.*?)^```$", flags=re.M | re.DOTALL)
ITERATIONS = re.compile(r"^ITERATIONS = \d+$", flags=re.M)
LIBRARIES = {  # what an example needs, by its heading; Ray alone is not yet RLlib
    "sb3-contrib": ("sb3_contrib",),
    "A loop of your own": ("torch",),
    "TorchRL": ("torchrl",),
    "Tianshou": ("tianshou",),
    "RLlib": ("ray", "tree", "lz4"),
    "AgileRL": ("agilerl",),
}
# In Diao Xie always preferring the same actions is better than drawing them: an untrained network has 0.26
# points a game. In Guan Pai it has less than 0.
TO_BEAT = {"TorchRL": 0.3, "RLlib": 0.3}

# Of the libraries, about themselves or about versions of others; what ours do is still an error.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using:UserWarning"),
    pytest.mark.filterwarnings("ignore:The given NumPy array is not writable:UserWarning"),  # of who waits
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def examples() -> dict[str, str]:
    """The code below each heading of the page; that of the beginning below ''."""
    first, *rest = PAGE.read_text(encoding="utf-8").split("\n## ")
    parts = {"": first} | dict(part.split("\n", 1) for part in rest)
    return {heading: code[1] for heading, part in parts.items() if (code := CODE.search(part))}


def run(heading: str, iterations: int | None = None) -> Any:
    """Run an example and return its ``found``; with other ``iterations`` than the page's."""
    namespace: dict[str, Any] = {"__name__": "example"}
    code = examples()[heading]
    if iterations is not None:
        code, changed = ITERATIONS.subn(f"ITERATIONS = {iterations}", code)
        assert changed == 1
    for part in (examples()[""], code):
        exec(compile(part, f"{PAGE} {heading}", "exec"), namespace)
    return namespace["found"]


each_library = pytest.mark.parametrize(
    "heading",
    [
        pytest.param(
            heading,
            marks=pytest.mark.skipif(not all(map(find_spec, needed)), reason=f"{heading} is not installed"),
        )
        for heading, needed in LIBRARIES.items()
    ],
)


def test_every_library_of_the_page_is_tested_and_none_else() -> None:
    assert examples().keys() == {"", *LIBRARIES}


def test_every_library_that_does_not_come_with_paizhuo_has_its_versions() -> None:
    files = {path.stem for path in Path(__file__).parent.glob("*.txt")}
    assert files == {"torchrl", "tianshou", "rllib", "agilerl"}
    for name in files:
        assert f"tests/interop/{name}.txt" in PAGE.read_text(encoding="utf-8")
        text = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")
        wanted = [line for line in text.splitlines() if line and not line.startswith(("#", "-"))]
        assert wanted and all("==" in line for line in wanted), f"{name}.txt has exact versions"


@each_library
def test_an_example_runs(heading: str) -> None:
    found = run(heading, iterations=1)
    assert found.low <= found.mean <= found.high


@pytest.mark.slow
@each_library
def test_an_example_learns(heading: str) -> None:
    assert run(heading).low > TO_BEAT.get(heading, 0)
