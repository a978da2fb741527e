"""Options of the test run: ``--slow`` for the long tests, ``--rotate N`` for other random ones."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")
    parser.addoption("--rotate", type=int, default=0, help="play other random games (CI: daily)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes; run with --slow"))


@pytest.fixture(scope="session")
def rotate(request: pytest.FixtureRequest) -> int:
    """Number of this run: the first part of every random test's seed."""
    return int(request.config.getoption("--rotate"))
