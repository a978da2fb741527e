"""A server of the web table with a folder of records and a run, and a page that talks to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import envs
from envs import record as records

from ..play_server import Page, Server
from .choosing import ROOT


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of records and a run, with a link that leads out of it, beside a secret."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "reports"
    folder.mkdir()
    raw = envs.make("guan_pai").unwrapped
    raw.reset(seed=7)
    while raw.agents:
        raw.step(None if raw.terminations[raw.agent_selection] else raw.legal_plays()[0].actions[0])
    records.write([raw.record(), raw.record()], folder / "records.jsonl")
    records.write([raw.record()], home / "secret-records.jsonl")
    (folder / "link-records.jsonl").symlink_to(home / "secret-records.jsonl")
    shutil.copytree(ROOT / "agents" / "pretrained" / "diao_xie", folder / "run")
    return folder


@pytest.fixture(scope="module")
def server(given: Path) -> Iterator[Server]:
    with Server([given]) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with server.page() as opened:
        yield opened
