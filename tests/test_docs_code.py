"""Every code block of the docs runs, prints what stands below it, and calls commands by words they know."""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib
import pytest
import tyro

from agents import load

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs/pages").rglob("*.md"))]
COMMANDS = (
    *("envs.bench", "envs.record", "envs.dataset", "envs.core.docs", "agents.play"),
    *("training.selfplay", "training.evaluate", "training.benchmark", "training.exploit", "training.runs"),
    *("training.ablate", "training.bench", "training.standings", "training.disagree", "training.pretrain"),
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.M | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: .{10,} -->\n\Z")  # above a block, with the reason
RUN = re.compile(r"<!-- run: .{10,} -->\n\Z")  # above commands that later blocks need
CALL = re.compile(r"(?:^|^ {4}|\$ | && )python -m ((?:envs|agents|training)\..*)")
INLINE = re.compile(r"`(python -m (?:envs|agents|training)\.[^`]*)`")
PLACEHOLDER = re.compile(r"\.\.\.|\b[A-Z]{4,}\b|[\[<]|--help")  # what stands for words, or asks for them


@dataclass
class Block:
    """A fenced block of a page."""

    line: int
    language: str
    text: str
    is_run: bool  # python that runs, or commands that do
    output: str | None  # the text block below it; a comment between the two says why it may be another one


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found, after = [], 0
    for fence in FENCE.finditer(text):
        language, above = fence[1], text[: fence.start()]
        is_next = bool(found) and not text[after : fence.start()].strip()
        if language in ("", "text") and is_next and found[-1].language == "python":
            found[-1].output = fence[2]
        is_run = not NOT_RUN.search(above) if language == "python" else bool(RUN.search(above))
        found.append(Block(above.count("\n") + 1, language, fence[2], is_run, None))
        after = fence.end()
    return found


BLOCKS = {page: blocks_of(page) for page in PAGES}
WITH_PYTHON = [page for page in PAGES if any(block.language == "python" for block in BLOCKS[page])]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def words_of(text: str) -> Iterator[list[str]]:
    """The words of every call of one of our commands, without ``python -m``."""
    for line in text.splitlines():
        call = CALL.search(line)
        if call is not None:
            yield shlex.split(re.sub(r" [>|] .*", "", call[1]), comments=True)


# --- python ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_the_python_of_a_page_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    namespace: dict[str, Any] = {}
    for block in BLOCKS[page]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            if block.language == "python" and block.is_run:
                exec(compile("\n" * block.line + block.text, str(page), "exec"), namespace)
            elif block.language == "bash" and block.is_run:
                for words in words_of(block.text):
                    assert not module_of(words[0]).main(words[1:])
        if block.is_run and block.output is not None:
            assert printed.getvalue() == block.output, f"{name_of(page)}:{block.line} prints otherwise"


def test_the_blocks_are_found():
    """Lest the tests above and below look at nothing."""
    blocks = [block for page in PAGES for block in BLOCKS[page]]
    python = [block for block in blocks if block.language == "python"]
    assert len(python) >= 15 and sum(block.output is not None for block in python) >= 8
    assert all(len(page.read_text(encoding="utf-8").split("```")) % 2 for page in PAGES)  # none is left open
    elsewhere = BLOCKS[ROOT / "docs/pages/libraries.md"]  # run by tests/interop
    not_run = [block for block in python if not block.is_run and block not in elsewhere]
    assert len(WITH_PYTHON) >= 8 and len(not_run) <= 2
    assert {words[0] for block in blocks for words in words_of(block.text)} == set(COMMANDS)


# --- commands -------------------------------------------------------------------------------------


class Understood(BaseException):
    """The command's own parser has taken the words: no reason to do what they say."""


def file_of(command: str) -> Path:
    path = ROOT / command.replace(".", "/")
    return path / "__main__.py" if path.is_dir() else path.with_suffix(".py")


def module_of(command: str) -> ModuleType:
    return import_module(".".join(file_of(command).relative_to(ROOT).with_suffix("").parts))


def calls() -> dict[str, list[str]]:
    """Every call in the pages, and of the examples in the commands' own docstrings."""
    found = {}
    for page in PAGES:
        inline = (" ".join(span.split()) for span in INLINE.findall(FENCE.sub("", page.read_text("utf-8"))))
        whole = [span for span in inline if not PLACEHOLDER.search(span)]
        for words in words_of("\n".join([*whole, *(block.text for block in BLOCKS[page])])):
            found[f"{name_of(page)}: {shlex.join(words)}"] = words
    for command in COMMANDS:
        about = ast.get_docstring(ast.parse(file_of(command).read_text("utf-8")))
        for words in words_of(about or ""):
            found[f"{command}: {shlex.join(words)}"] = words
    return found


CALLS = calls()


@pytest.mark.parametrize("call", CALLS)
def test_a_command_of_the_docs_is_one_that_the_command_knows(call, monkeypatch):
    """Its own parser reads the words, and every agent that is no folder is there."""

    def stop_after(parse: Any) -> Any:
        def parse_and_stop(*args: Any, **kwargs: Any) -> Any:
            raise Understood(parse(*args, **kwargs))

        return parse_and_stop

    monkeypatch.setattr(tyro, "cli", stop_after(tyro.cli))
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop_after(argparse.ArgumentParser.parse_args))
    command, *words = CALLS[call]
    with pytest.raises(Understood) as end:
        module_of(command).main(words)
    read = end.value.args[0]
    agents = [*getattr(read, "agents", []), getattr(read, "agent", None), getattr(read, "warm_start", None)]
    for agent in agents:
        if agent is not None and "runs/" not in agent:
            assert load(agent, read.game, read.env)


def test_a_renamed_option_would_be_seen(capsys):
    """The parser is the true one: it refuses what is not there."""
    for call in ("training.evaluate guan_pai --deal 5", "envs.bench --speed", "training.runs --png x"):
        command, *words = call.split()
        with pytest.raises(SystemExit) as end:
            module_of(command).main(words)
        assert end.value.code == 2 and capsys.readouterr().err, call


# --- the site -------------------------------------------------------------------------------------


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="pip install -c constraints.txt -e '.[docs]'")
def test_the_site_is_built_without_a_warning_and_fetches_nothing(tmp_path):
    """Broken links and anchors are warnings of mkdocs, which --strict turns into errors."""
    build = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    where = ["-f", str(ROOT / "docs/mkdocs.yml"), "-d", str(tmp_path)]
    done = subprocess.run([*build, *where], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "legal_plays" in (tmp_path / "api.html").read_text("utf-8")
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 15
    for page in pages:
        tags = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", page.read_text("utf-8"))
        assert not [tag for tag in tags if re.search(r"""(?:src|href)=["']?(?:https?:)?//""", tag)], page
