"""What mkdocs cannot do by itself: files beside the pages, and sections of README and CONTRIBUTING."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
INCLUDE = re.compile(r"^<!-- (\w+\.md): (.+) -->$", flags=re.MULTILINE)
BESIDE = ("pictures", "records")  # folders of docs/ that pages show as ../pictures/...


def on_files(files: Any, config: Any) -> Any:
    """Let the site have the pictures and records."""
    for folder in BESIDE:
        for path in sorted((ROOT / "docs" / folder).iterdir()):
            files.append(File.generated(config, f"{folder}/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links as the site has them, and ``<!-- README.md: Heading -->`` replaced by that section."""
    text = INCLUDE.sub(lambda found: section(found[1], found[2]), markdown)
    text = re.sub(r"\]\(docs/pages/", "](", text)
    return re.sub(rf"\]\((?:\.\./|docs/)({'|'.join(BESIDE)})/", r"](\1/", text)


def section(file: str, heading: str) -> str:
    """A section of a file at the root, without its heading; ValueError if there is none."""
    text = (ROOT / file).read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"{file} has no section {heading!r}")
    return found[1].strip()
