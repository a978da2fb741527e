"""Whether the package ``agents`` is ours: the distribution openai-agents has one of the same name.

Installed into one environment the two mix their files, and ``agents/__init__.py`` is that of the one that
came last. Environments (``envs``) need no agents and work beside it.
"""

from __future__ import annotations

from importlib.metadata import packages_distributions
from importlib.util import find_spec

PACKAGE, OURS = "agents", "paizhuo"
MARK = f'OWNER = "{OURS}"'  # a line of our ``agents/__init__.py``


def others() -> list[str]:
    """The other distributions here that have a package ``agents``, such as openai-agents."""
    return sorted({*packages_distributions().get(PACKAGE, ())} - {OURS})


def sentence(names: list[str]) -> str:
    """What to do about the distributions of these ``names``, if they are known.

    >>> sentence(["openai-agents"])
    "another package named 'agents' (of openai-agents) is installed here: install paizhuo into an environment of its own"
    """  # noqa: E501
    whose = f" (of {', '.join(names)})" if names else ""
    return (
        f"another package named {PACKAGE!r}{whose} is installed here: install {OURS} into an environment of "
        "its own"
    )


def check_agents(importer: str) -> None:
    """See that ``agents`` is ours before the package ``importer`` imports it.

    Its source is read and not run: another project's may need what is not here.

    Raises
    ------
    ImportError
        In one sentence, if it is another one. It bears the importer's name, so that ``python -m`` of one of
        its modules prints that alone.
    """
    spec = find_spec(PACKAGE)
    if spec is None:
        return  # there is none, as its import will say
    get_source = getattr(spec.loader, "get_source", None)
    source = get_source(PACKAGE) if get_source else ""  # of a folder without __init__.py there is none
    if source is not None and MARK not in source:
        raise ImportError(sentence(others()), name=importer)
