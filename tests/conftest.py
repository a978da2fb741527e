"""Options of the test run: `--slow`: long tests too, `--rotate N`: other random ones, `--parts N`: a part."""

from __future__ import annotations

from zlib import crc32

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")
    parser.addoption("--rotate", type=int, default=0, help="play other random games (CI: with every commit)")
    parser.addoption(
        "--parts",
        type=int,
        default=1,
        help="run one of so many parts of the tests, another with each --rotate",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    parts, rotate = config.getoption("--parts"), config.getoption("--rotate")
    if parts < 1:
        raise pytest.UsageError(f"--parts is at least 1, not {parts}")
    left_out = [item for item in items if (crc32(item.nodeid.encode()) + rotate) % parts]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]
    if not config.getoption("--slow"):
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes; run with --slow"))


@pytest.fixture(scope="session")
def rotate(request: pytest.FixtureRequest) -> int:
    """Number of this run: the first part of every random test's seed."""
    return int(request.config.getoption("--rotate"))
