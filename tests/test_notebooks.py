"""Every notebook runs from a clean kernel, and what is committed of it is what a reader should see."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LARGEST = 150_000  # bytes of a committed notebook
SECONDS_A_CELL = 900  # before a cell counts as one that hangs
NEEDED = "needs pip install -c constraints.txt -e '.[notebooks]'"
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells_of(path: Path, kind: str) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == kind]


def test_the_readme_lists_all_notebooks():
    listed = re.findall(r"\(notebooks/(\S+)\.ipynb\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert listed == [path.stem for path in NOTEBOOKS]
    assert len(listed) == 5


@each_notebook
def test_the_committed_outputs_are_those_of_one_clean_run(path):
    code = cells_of(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    assert any("image/png" in output.get("data", {}) for output in outputs)


@each_notebook
def test_what_is_committed_is_small_and_says_nothing_of_the_machine(path):
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    assert len(text.encode()) < LARGEST
    assert content["metadata"]["kernelspec"]["name"] == "python3"
    assert content["metadata"].keys() == {"kernelspec", "language_info"}
    assert not any(cell["metadata"] for cell in content["cells"])  # the times of execution, for one
    assert not re.search(r"/(home|root|tmp|Users|usr)/| at 0x[0-9a-f]+", text)


@each_notebook
def test_the_first_cell_tells_what_it_is_and_the_links_lead_somewhere(path):
    cells = cells_of(path, "markdown")
    text = "\n".join("".join(cell["source"]) for cell in cells)
    assert text.startswith(f"# {path.stem[0]} ")
    assert "Runs in" in "".join(cells[0]["source"])
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert link.startswith("https://") or (path.parent / link).exists(), link


@each_notebook
def test_it_runs_from_a_clean_kernel(path, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason=NEEDED)
    pytest.importorskip("ipykernel", reason=NEEDED)
    import nbformat
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager

    class OwnKernel(AsyncKernelManager):
        """The kernel of this Python, whichever are installed."""

        def _kernel_spec_manager_default(self) -> KernelSpecManager:
            return KernelSpecManager(kernel_dirs=[])

    assert OwnKernel(kernel_name="python3").kernel_spec.argv[0] == sys.executable
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))  # no startup files of whoever tests
    folder = tmp_path / "folder"
    folder.mkdir()
    client = nbclient.NotebookClient(
        nbformat.read(path, as_version=4),
        kernel_manager_class=OwnKernel,
        kernel_name="python3",
        timeout=SECONDS_A_CELL,
        resources={"metadata": {"path": folder}},
    )
    client.execute()  # raises where a cell does
    assert not list(folder.iterdir()), "a notebook leaves nothing behind"
